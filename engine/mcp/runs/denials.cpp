// SPDX-License-Identifier: Apache-2.0
#include "denials.h"

#include "engine/network/network.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

QString noNetwork()
{
    return u"The run had no network, since its request allowed no host."_s;
}

QString placeOf(const EgressAttempt &attempt)
{
    if (attempt.host.isEmpty())
        return u"a host that it didn't name"_s;
    if (attempt.port == 0)
        return attempt.host;
    return (attempt.host.contains(u':') ? u"[%1]:%2"_s : u"%1:%2"_s).arg(attempt.host).arg(attempt.port);
}

// The request's hosts and one more, as run_code takes them.
QString allowWith(const SeenRun &run, const QString &place)
{
    return QString::fromUtf8(QJsonDocument(QJsonArray::fromStringList(run.policy.allow + QStringList{place}))
                                 .toJson(QJsonDocument::Compact));
}

Denial networkDenial(const SeenRun &run, const EgressAttempt &attempt)
{
    const QString place = placeOf(attempt);
    Denial denial{u"network: "_s + place,
                  run.policy.allow.isEmpty() ? noNetwork() : u"Refused: %1."_s.arg(attempt.reason.english()),
                  {}};
    const auto rule = ruleFor(attempt);
    const auto allowlist = allowlistFromTexts(run.policy.allow);
    if (!rule || !allowlist)
        denial.how = u"No entry of \"allow\" opens this place. Name a host, and connect to it by that name."_s;
    else if (network::covers(*allowlist, *rule))
        denial.how = u"The host is allowed already, so \"allow\" doesn't help. Change what the code does there."_s;
    else
        denial.how = u"Call run_code again with \"allow\": %1. The person has to approve the host."_s.arg(
            allowWith(run, QString::fromStdString(network::toText(*rule))));
    return denial;
}

// Of a connection past the proxies, or of a run without a network.
Denial directDenial(const SeenRun &run, const QString &what)
{
    if (run.policy.allow.isEmpty())
        return {
            what, noNetwork(),
            u"Call run_code again with the hosts that the code needs in \"allow\". The person has to approve them."_s};
    return {what, u"The run may reach only these hosts: %1."_s.arg(run.policy.allow.join(u", "_s)),
            u"Call run_code again with this host by its name in \"allow\". The person has to approve it."_s};
}

QString raise(const QString &setting)
{
    return u"Need less, or ask the person to raise the setting %1 (\"glovebox policy show\" lists it)."_s.arg(setting);
}

// How it ended, where Glovebox ended it or didn't begin.
std::optional<Denial> endDenial(const SeenRun &run)
{
    const QString why = run.result->reason.english();
    switch (run.result->outcome) {
    case Outcome::TimedOut:
        return Denial{
            u"time"_s, why,
            u"Call run_code again with a larger \"timeout\", at most 3600 seconds. The person has to approve more than the default."_s};
    case Outcome::CpuLimit:
        return Denial{u"processor time"_s, why, raise(u"run.cpu_seconds"_s)};
    case Outcome::OutOfMemory:
        return Denial{u"memory"_s, why, raise(u"run.memory_mb"_s)};
    case Outcome::DiskLimit:
        return Denial{u"space for files"_s, why, raise(u"run.disk_mb"_s)};
    case Outcome::Denied:
        return Denial{
            u"the run"_s, why,
            run.secrets.isEmpty() && run.policy.allow.isEmpty() && run.policy.tools.isEmpty()
                ? u"Ask the person to allow it in Glovebox, then call run_code again."_s
                : u"Ask the person to allow it in Glovebox, or call run_code again with fewer hosts, secrets and tools."_s};
    case Outcome::Rejected:
        return Denial{u"the request"_s, why, u"Change the request as the reason says, then call run_code again."_s};
    case Outcome::SetupFailed:
        return Denial{u"the sandbox"_s, why, u"Ask the person to run \"glovebox doctor\", which says what to do."_s};
    case Outcome::Completed:
    case Outcome::Failed:
    case Outcome::Signalled:
    case Outcome::Cancelled:
    case Outcome::Interrupted:
        break;
    }
    return std::nullopt;
}

std::optional<Denial> eventDenial(const SeenRun &run, const RunEvent &event)
{
    const QString detail = event.detail.english();
    const QString place = event.detail.args.value(0);
    switch (event.type) {
    case EventType::NetworkLookup:
        return directDenial(run, u"network: the address of a host, asked of %1"_s.arg(place));
    case EventType::NetworkConnect:
        return directDenial(run, u"network: "_s + place);
    case EventType::EventsMore:
        if (!event.unseen) // more of what is listed
            return std::nullopt;
        return directDenial(run, *event.unseen == 1
                                     ? u"network: 1 address that Glovebox can't see"_s
                                     : u"network: %1 addresses that Glovebox can't see"_s.arg(*event.unseen));
    case EventType::NetworkTraffic:
        return Denial{u"network: more bytes"_s, detail, raise(u"run.traffic_mb"_s)};
    case EventType::EgressLost:
        return Denial{u"network"_s, detail, u"Call run_code again."_s};
    case EventType::CallRefused:
        return Denial{u"system call: "_s + place, detail, u"No run may do this. Write the code without it."_s};
    case EventType::FileRefused:
        return Denial{u"file: "_s + place, detail,
                      u"Write the code without it, or give the run files of your own in its request."_s};
    case EventType::HomeLeft:
        return Denial{u"keeping files in ~"_s, detail, u"Write files that are to be kept to /work."_s};
    case EventType::ToolRefused:
        return Denial{
            u"tool: "_s + (place.isEmpty() ? u"a call without a name"_s : place), detail,
            u"Call tools as the reason says. Only the person can change which tools and arguments a run may use."_s};
    case EventType::ProcessesLimit:
        return Denial{u"processes"_s, detail, raise(u"run.processes"_s)};
    case EventType::DiskFull:
        return Denial{u"space for files"_s, detail, raise(u"run.disk_mb"_s)};
    default:
        return std::nullopt;
    }
}

} // namespace

QList<Denial> denialsOf(const SeenRun &run)
{
    QList<Denial> denials;
    const auto add = [&](const std::optional<Denial> &denial) {
        if (denial && !denials.contains(*denial) && denials.size() < denialsMax)
            denials.append(*denial);
    };
    if (run.result)
        add(endDenial(run));
    for (const EgressAttempt &attempt : run.egress) {
        if (attempt.verdict == EgressAttempt::Verdict::Denied)
            add(networkDenial(run, attempt));
    }
    for (const RunEvent &event : run.events)
        add(eventDenial(run, event));
    return denials;
}

QJsonObject toJson(const Denial &denial)
{
    return {{u"what"_s, denial.what}, {u"why"_s, denial.why}, {u"how"_s, denial.how}};
}

} // namespace glovebox::mcp
