// SPDX-License-Identifier: Apache-2.0
#include "checkup.h"

#include "app/workbench/shell/words/words.h"

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

QString consequenceOf(ControlId control)
{
    switch (control) {
    case ControlId::Memory:
        return Doctor::tr("a run's processes may together use more memory than its limit");
    case ControlId::Processes:
        return Doctor::tr("the number of a run's processes is bounded less exactly");
    case ControlId::CpuTime:
        return Doctor::tr("processor time is counted for each process by itself");
    case ControlId::CpuShare:
        return Doctor::tr("a run may use more of the processors than its share");
    case ControlId::Landlock:
        return Doctor::tr("one of two locks on files is missing");
    case ControlId::Seccomp:
        return Doctor::tr("a run reaches more of the kernel than it should");
    case ControlId::DenialEvents:
        return Doctor::tr("not every refused attempt is told");
    case ControlId::CgroupNamespace:
        return Doctor::tr("a run sees names of this machine's control groups");
    case ControlId::Disk:
        return Doctor::tr("a run may write more than its disk limit");
    case ControlId::FolderDisk:
        return Doctor::tr("a run may add more to granted folders than its limit");
    case ControlId::EgressListeners:
    case ControlId::Egress:
        return Doctor::tr("only programs that know proxies reach allowed hosts");
    default:
        return Doctor::tr("%1 is weaker than asked for").arg(controlName(control));
    }
}

QString summaryOf(const Readiness &readiness)
{
    if (const Part *obstacle = readiness.obstacle({}))
        return Doctor::tr("Nothing can run here: %1").arg(translated(obstacle->why.message));
    const BackendReport &report = readiness.sandbox;
    const int verified = int(count(report, Control::State::Verified));
    const int enforced = int(count(report, Control::State::Enforced));
    const int weak = int(weakControls(report).size());
    QStringList parts{Doctor::tr("%1 of %2 protections are verified").arg(verified).arg(report.controls.size())};
    if (enforced > 0)
        parts.append(Doctor::tr("%Ln are enforced from outside", nullptr, enforced));
    if (weak > 0)
        parts.append(Doctor::tr("%Ln are weaker than asked for", nullptr, weak));
    const QString counts =
        parts.join(Doctor::tr(", ", "between parts of a sentence")) + Doctor::tr(".", "end of a sentence");
    const bool tellsLess = std::ranges::any_of(report.controls, [](const Control &control) {
        return control.id == ControlId::DenialEvents && control.state == Control::State::Enforced;
    });
    return tellsLess ? counts + u' ' + Doctor::tr("Looks for keys and other secrets are not told here.") : counts;
}

Tone toneOf(const Readiness &readiness)
{
    if (readiness.obstacle({}))
        return Tone::Bad;
    return readiness.backend.state == Part::State::Ready ? Tone::Ok : Tone::Warn;
}

QString asText(const Readiness &readiness, const Paths &paths)
{
    QStringList lines{QStringLiteral("Glovebox %1").arg(QCoreApplication::applicationVersion()),
                      QStringLiteral("Backend: %1, %2").arg(readiness.sandbox.backend, readiness.sandbox.builder)};
    if (!readiness.sandbox.usable)
        lines.append(QStringLiteral("Not usable: %1 %2")
                         .arg(readiness.sandbox.reason.english(),
                              readiness.sandbox.isRemedyInReason ? QString() : readiness.sandbox.remedy.english())
                         .trimmed());
    for (const Control &control : readiness.sandbox.controls)
        lines.append(
            QStringLiteral("%1: %2 (%3)").arg(toString(control.id), toString(control.state), control.detail.english()));
    for (const LanguageReadiness &language : readiness.languages) {
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
