// SPDX-License-Identifier: Apache-2.0
#include "checkup.h"

#include <QCoreApplication>

#include <algorithm>

namespace glovebox {
namespace {

// lupdate finds the strings under this name.
struct Doctor
{
    Q_DECLARE_TR_FUNCTIONS(Doctor)
};

qsizetype count(const BackendReport &report, Control::State state)
{
    return std::ranges::count(report.controls, state, &Control::state);
}

} // namespace

Checkup checkUp(Engine &engine)
{
    Checkup checkup;
    checkup.backend = engine.backend().probe();
    checkup.builders = engine.backend().probeBuilders();
    for (const auto &language : engine.languages().all())
        checkup.languages.append({language->name(), language->package(), engine.languages().candidates(*language)});
    return checkup;
}

QString commandIn(const QString &remedy)
{
    const qsizetype at = remedy.indexOf(QStringLiteral("sudo "));
    if (at < 0)
        return {};
    QString command = remedy.sliced(at);
    while (command.endsWith(QLatin1Char('.')))
        command.chop(1);
    return command;
}

QStringList weakControls(const BackendReport &report)
{
    QStringList names;
    for (const Control &control : report.controls) {
        if (control.state == Control::State::Degraded || control.state == Control::State::Missing)
            names.append(control.name);
    }
    return names;
}

QString summaryOf(const BackendReport &report)
{
    if (!report.usable)
        return Doctor::tr("Nothing can run here: %1").arg(translated(report.reason));
    const int verified = int(count(report, Control::State::Verified));
    const int enforced = int(count(report, Control::State::Enforced));
    const int weak = int(weakControls(report).size());
    QStringList parts{Doctor::tr("%1 of %2 protections are verified").arg(verified).arg(report.controls.size())};
    if (enforced > 0)
        parts.append(Doctor::tr("%n are enforced from outside", nullptr, enforced));
    if (weak > 0)
        parts.append(Doctor::tr("%n are weaker than asked for", nullptr, weak));
    return parts.join(Doctor::tr(", ", "between parts of a sentence")) + Doctor::tr(".", "end of a sentence");
}

Tone toneOf(const BackendReport &report)
{
    if (!report.usable)
        return Tone::Bad;
    return weakControls(report).isEmpty() ? Tone::Ok : Tone::Warn;
}

QString asText(const Checkup &checkup, const Paths &paths)
{
    QStringList lines{QStringLiteral("Glovebox %1").arg(QCoreApplication::applicationVersion()),
                      QStringLiteral("Backend: %1, %2").arg(checkup.backend.backend, checkup.backend.builder)};
    if (!checkup.backend.usable)
        lines.append(QStringLiteral("Not usable: %1 %2")
                         .arg(checkup.backend.reason.english(), checkup.backend.remedy.english()));
    for (const Control &control : checkup.backend.controls)
        lines.append(
            QStringLiteral("%1: %2 (%3)").arg(control.name, toString(control.state), control.detail.english()));
    for (const LanguageFinding &language : checkup.languages) {
        for (const InterpreterCandidate &candidate : language.candidates)
            lines.append(QStringLiteral("%1: %2 %3 %4")
                             .arg(language.name, candidate.path, candidate.version,
                                  candidate.usable ? QStringLiteral("usable") : candidate.reason.english()));
        if (language.candidates.isEmpty())
            lines.append(QStringLiteral("%1: not found").arg(language.name));
    }
    lines.append(QStringLiteral("Data: %1").arg(paths.data));
    lines.append(QStringLiteral("Settings: %1").arg(paths.settingsFile()));
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

} // namespace glovebox
