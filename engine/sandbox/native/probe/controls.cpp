// SPDX-License-Identifier: Apache-2.0
#include "controls.h"

#include <algorithm>
#include <string_view>

namespace glovebox::native {

namespace {

constexpr const char *mayDegrade[] = {"uts-namespace", "cgroup-namespace", "landlock",
                                      "memory",        "cpu-time",         "cpu-share",
                                      "disk",          "denial-events",    "egress-listeners"};

// An approximation will do, but not nothing: every machine has one. Of the disk only the number of files may be unbounded.
constexpr const char *mayNotBeMissing[] = {"memory", "cpu-time", "cpu-share", "disk", "egress-listeners"};

constexpr QLatin1StringView watchdog(", watchdog"); // see launcher::Account::readBack()

bool isMust(const Control &control)
{
    const auto isNamed = [&](const char *name) { return control.name == QLatin1StringView(name); };
    return std::ranges::none_of(mayDegrade, isNamed)
           || (control.state == Control::State::Missing && std::ranges::any_of(mayNotBeMissing, isNamed));
}

QString megabytes(qint64 bytes)
{
    return QStringLiteral("%1 MB").arg(bytes / mebibyte);
}

QString requested(const QString &name, const SandboxShape &shape)
{
    const SandboxLimits &limits = shape.limits;
    if (name == QLatin1StringView("memory"))
        return megabytes(limits.memoryBytes);
    if (name == QLatin1StringView("processes"))
        return QString::number(limits.processes);
    if (name == QLatin1StringView("disk"))
        return megabytes(std::get<Tmpfs>(shape.workspace).bytes);
    if (name == QLatin1StringView("cpu-time"))
        return QStringLiteral("%1 s").arg(limits.cpu.value_or(std::chrono::milliseconds(0)).count() / 1000);
    if (name == QLatin1StringView("cpu-share"))
        return QStringLiteral("%1%").arg(limits.cpuPercent.value_or(0));
    if (name == QLatin1StringView("network"))
        return shape.listeners.isEmpty() ? QStringLiteral("none") : QStringLiteral("allowed hosts");
    return QStringLiteral("on");
}

Control judge(const launcher::Finding &finding, const SandboxShape &shape)
{
    Control control;
    control.name = QString::fromStdString(finding.control);
    control.requested = requested(control.name, shape);
    const QString fact = QString::fromStdString(finding.detail);
    control.detail = Text("%1", {fact});
    if (!finding.ok) {
        control.state = Control::State::Missing;
        return control;
    }
    control.state = finding.ok == launcher::Finding::weaker ? Control::State::Degraded : Control::State::Verified;
    const bool isCounted = fact.startsWith(QLatin1StringView("cgroup"));
    const bool isWatched = fact.endsWith(watchdog);
    const QString alone = isWatched ? fact.chopped(watchdog.size()) : fact; // what bounds each process
    if (finding.control == "memory" && isCounted)
        control.detail = Text(QT_TRANSLATE_NOOP("engine", "memory and files together: %1, %2"),
                              {megabytes(shape.limits.memoryBytes + std::get<Tmpfs>(shape.workspace).bytes), fact});
    else if (finding.control == "memory" && isWatched)
        control.detail =
            Text(QT_TRANSLATE_NOOP("engine", "approximate: each process by %1, all together with their files by a look "
                                             "25 times a second; the kernel's memory isn't counted"),
                 {alone});
    else if (finding.control == "memory")
        control.detail =
            Text(QT_TRANSLATE_NOOP("engine",
                                   "approximate: each process by itself, by %1; the kernel's memory isn't counted"),
                 {fact});
    else if (finding.control == "cpu-time" && isWatched)
        control.detail = Text(QT_TRANSLATE_NOOP("engine", "approximate: each process by %1, all together by a look 25 "
                                                          "times a second"),
                              {alone});
    else if (finding.control == "cpu-share" && !isCounted)
        control.detail = Text(QT_TRANSLATE_NOOP("engine", "approximate: no more than %1 processors at once"), {fact});
    else if (finding.control == "cpu-time" && !isCounted)
        control.detail = Text(QT_TRANSLATE_NOOP("engine", "approximate: each process by itself, by %1"), {fact});
    return control;
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
        const bool bad = !same->ok || !finding.ok;
        const bool weaker = same->ok == launcher::Finding::weaker || finding.ok == launcher::Finding::weaker;
        same->ok = static_cast<std::uint8_t>(bad ? 0 : weaker ? launcher::Finding::weaker : 1);
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
        if (finding.control != "cpu-time" || shape.limits.cpu)
            controls.append(judge(finding, shape));
    }
    // Kept by clocks and counters outside, where there is nothing to read back.
    controls.append({QStringLiteral("wall-time"), QStringLiteral("%1 ms").arg(assignment.wall.count()),
                     Control::State::Enforced,
                     Text(QT_TRANSLATE_NOOP("engine", "by the launcher's clock and the engine's"))});
    controls.append({QStringLiteral("output"), QStringLiteral("%1 bytes").arg(assignment.outputBytes),
                     Control::State::Enforced, Text(QT_TRANSLATE_NOOP("engine", "counted by the engine"))});
    return controls;
}

Status requireControls(const QList<Control> &controls, bool strict)
{
    QStringList missing;
    QStringList weaker;
    for (const Control &control : controls) {
        const bool good = control.state == Control::State::Verified || control.state == Control::State::Enforced;
        if (good || (!strict && !isMust(control)))
            continue;
        (control.state == Control::State::Missing ? missing : weaker)
            .append(QStringLiteral("%1 (%2)").arg(control.name, control.detail.english()));
    }
    if (!missing.isEmpty())
        return fail(ErrorCode::Unavailable,
                    Text(QT_TRANSLATE_NOOP(
                             "engine", "The sandbox is not whole, so nothing was run. What could not be verified: %1."),
                         {(missing + weaker).join(QStringLiteral(", "))}));
    if (!weaker.isEmpty())
        return fail(
            ErrorCode::Unavailable,
            Text(QT_TRANSLATE_NOOP("engine", "The policy is strict, and here less than it asks for can be had, so "
                                             "nothing was run: %1."),
                 {weaker.join(QStringLiteral(", "))}));
    return {};
}

} // namespace glovebox::native
