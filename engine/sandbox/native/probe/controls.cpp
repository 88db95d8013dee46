// SPDX-License-Identifier: Apache-2.0
#include "controls.h"

#include <algorithm>

namespace glovebox::native {

namespace {

// Whether at the default level a run may start although the control is in this state.
bool isEnough(ControlId control, Control::State state)
{
    switch (control) {
    case ControlId::UtsNamespace:
    case ControlId::CgroupNamespace:
    case ControlId::Landlock:
    case ControlId::DenialEvents:
        return true;
    // An approximation will do, but not nothing: every machine has one. Of the disk only the number of files may be unbounded.
    case ControlId::Memory:
    case ControlId::CpuTime:
    case ControlId::CpuShare:
    case ControlId::Disk:
    case ControlId::EgressListeners:
        return state != Control::State::Missing;
    default:
        return false;
    }
}

QString megabytes(qint64 bytes)
{
    return QStringLiteral("%1 MB").arg(bytes / mebibyte);
}

QString requested(ControlId control, const SandboxShape &shape)
{
    const SandboxLimits &limits = shape.limits;
    switch (control) {
    case ControlId::Memory:
        return megabytes(limits.memoryBytes);
    case ControlId::Processes:
        return QString::number(limits.processes);
    case ControlId::Disk:
        return megabytes(shape.workspace.bytes);
    case ControlId::CpuTime:
        return QStringLiteral("%1 s").arg(limits.cpu.value_or(std::chrono::milliseconds(0)).count() / 1000);
    case ControlId::CpuShare:
        return QStringLiteral("%1%").arg(limits.cpuPercent.value_or(0));
    case ControlId::Network:
        return shape.hasEgress ? QStringLiteral("allowed hosts") : QStringLiteral("none");
    default:
        return QStringLiteral("on");
    }
}

// What a limit of all processes together is kept by, with the fact that was read back. Of the rest the fact says it all.
Text detailOf(const launcher::Finding &finding, const SandboxShape &shape)
{
    using Means = launcher::Finding::Means;
    const QString fact = QString::fromStdString(finding.detail);
    if (finding.state == launcher::Finding::State::Missing)
        return Text("%1", {fact});
    switch (finding.control) {
    case ControlId::Memory:
        if (finding.means == Means::Leaf)
            return Text(
                QT_TRANSLATE_NOOP(
                    "engine", "memory and files together: %1, %2; processes alone: %3, by a look 25 times a second"),
                {megabytes(shape.limits.memoryBytes + shape.workspace.bytes), fact,
                 megabytes(shape.limits.memoryBytes)});
        if (finding.means == Means::Watchdog)
            return Text(
                QT_TRANSLATE_NOOP(
                    "engine",
                    "approximate: each process by %1; all together with their files polled 25 times a second or more. "
                    "Kernel memory counts for what processes map, open and lock, and for names of files"),
                {fact});
        return Text(QT_TRANSLATE_NOOP("engine",
                                      "approximate: each process by itself, by %1; the kernel's memory isn't counted"),
                    {fact});
    case ControlId::CpuTime:
        if (finding.means == Means::Watchdog)
            return Text(QT_TRANSLATE_NOOP("engine", "approximate: each process by %1, all together by a look 25 "
                                                    "times a second"),
                        {fact});
        if (finding.means == Means::Process)
            return Text(QT_TRANSLATE_NOOP("engine", "approximate: each process by itself, by %1"), {fact});
        break;
    case ControlId::CpuShare:
        if (finding.means != Means::Leaf)
            return Text(QT_TRANSLATE_NOOP("engine", "approximate: at most %1 processors at once"), {fact});
        break;
    default:
        break;
    }
    return Text("%1", {fact});
}

Control judge(const launcher::Finding &finding, const SandboxShape &shape)
{
    using State = launcher::Finding::State;
    return {finding.control, requested(finding.control, shape),
            finding.state == State::AsPlanned ? Control::State::Verified
            : finding.state == State::Weaker  ? Control::State::Degraded
                                              : Control::State::Missing,
            detailOf(finding, shape)};
}

} // namespace

std::vector<launcher::Finding> merged(std::vector<launcher::Finding> inside,
                                      const std::vector<launcher::Finding> &outside)
{
    for (const launcher::Finding &finding : outside) {
        const auto same = std::ranges::find(inside, finding.control, &launcher::Finding::control);
        if (same == inside.end()) {
            inside.push_back(finding);
            continue;
        }
        same->state = std::min(same->state, finding.state);
        same->means = std::max(same->means, finding.means);
        if (!finding.detail.empty())
            same->detail += ", " + finding.detail;
    }
    return inside;
}

QList<Control> controlsFrom(const std::vector<launcher::Finding> &findings, const SandboxShape &shape,
                            const Assignment &assignment)
{
    QList<Control> controls;
    for (const launcher::Finding &finding : findings) {
        // A leaf counts it also when nobody asked for a limit.
        if (finding.control != ControlId::CpuTime || shape.limits.cpu)
            controls.append(judge(finding, shape));
    }
    // Kept by clocks and counters outside, where there is nothing to read back.
    controls.append({ControlId::WallTime, QStringLiteral("%1 ms").arg(assignment.wall.count()),
                     Control::State::Enforced,
                     Text(QT_TRANSLATE_NOOP("engine", "by the launcher's clock and the engine's"))});
    controls.append({ControlId::Output, QStringLiteral("%1 bytes").arg(assignment.outputBytes),
                     Control::State::Enforced, Text(QT_TRANSLATE_NOOP("engine", "counted by the engine"))});
    return controls;
}

Status requireControls(const QList<Control> &controls, bool strict)
{
    QStringList missing;
    QStringList weaker, weakerNames;
    for (const Control &control : controls) {
        const bool good = control.state == Control::State::Verified || control.state == Control::State::Enforced;
        if (good || (!strict && isEnough(control.id, control.state)))
            continue;
        (control.state == Control::State::Missing ? missing : weaker)
            .append(QStringLiteral("%1 (%2)").arg(toString(control.id), control.detail.english()));
        if (control.state != Control::State::Missing)
            weakerNames.append(toString(control.id));
    }
    if (!missing.isEmpty())
        return fail(ErrorCode::Unavailable,
                    QT_TRANSLATE_NOOP("engine", "Nothing was run: these protections could not be verified: %1."),
                    {(missing + weaker).join(QStringLiteral(", "))});
    if (!weaker.isEmpty())
        return fail(ErrorCode::Unavailable,
                    QT_TRANSLATE_NOOP("engine", "Nothing was run, as the policy is strict and this machine can't fully "
                                                "enforce: %1."),
                    {weakerNames.join(QStringLiteral(", "))}, Text("%1", {weaker.join(QStringLiteral("; "))}));
    return {};
}

} // namespace glovebox::native
