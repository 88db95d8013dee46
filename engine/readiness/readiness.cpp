// SPDX-License-Identifier: Apache-2.0
#include "readiness.h"

#include <algorithm>

namespace glovebox {

namespace {

const InterpreterCandidate *usableOne(const QList<InterpreterCandidate> &candidates)
{
    const auto it = std::ranges::find_if(candidates, &InterpreterCandidate::usable);
    return it == candidates.end() ? nullptr : &*it;
}

} // namespace

QString Part::told() const
{
    return (why.message.english() + QLatin1Char(' ') + remedy.english()).trimmed();
}

QString LanguageReadiness::version() const
{
    const InterpreterCandidate *usable = usableOne(candidates);
    return usable ? usable->version : QString();
}

const Part *Readiness::obstacle(const QString &language) const
{
    QList<const Part *> parts{&record, &policy, &backend};
    for (const LanguageReadiness &any : languages) {
        if (any.id == language)
            parts.append(&any.part);
    }
    const auto it = std::ranges::find(parts, Part::State::Blocked, &Part::state);
    return it == parts.end() ? nullptr : *it;
}

bool Readiness::hasObstacles() const
{
    return std::ranges::any_of(languages, [this](const auto &language) { return obstacle(language.id) != nullptr; });
}

bool Readiness::canRun() const
{
    return std::ranges::any_of(languages, [this](const auto &language) { return !obstacle(language.id); });
}

QList<ControlId> weakControls(const BackendReport &report)
{
    QList<ControlId> weak;
    for (const Control &control : report.controls) {
        if (control.state == Control::State::Degraded || control.state == Control::State::Missing)
            weak.append(control.id);
    }
    return weak;
}

QStringList idsOf(const QList<ControlId> &controls)
{
    QStringList ids;
    for (const ControlId control : controls)
        ids.append(toString(control));
    return ids;
}

} // namespace glovebox
