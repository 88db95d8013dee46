// SPDX-License-Identifier: Apache-2.0
// Decides whom to ask.
#include "approval.h"

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// What the request asks for beyond the person's settings, as words for the person.
QStringList beyond(const ApprovalRequest &request, const Policy &granted)
{
    const Policy &asked = request.policy;
    QStringList list;
    const auto number = [&](double wanted, double usual, double unit, const QString &what) {
        if (wanted > usual)
            list.append(QString::number(wanted / unit) + u' ' + what);
    };
    const Limits &limits = asked.limits;
    const Limits &usual = granted.limits;
    number(double(limits.wall.count()), double(usual.wall.count()), 1000, u"seconds"_s);
    if (usual.cpu && !limits.cpu)
        list.append(u"unlimited processor time"_s);
    if (usual.cpu && limits.cpu)
        number(double(limits.cpu->count()), double(usual.cpu->count()), 1000, u"seconds of processor time"_s);
    if (usual.cpuPercent && !limits.cpuPercent)
        list.append(u"all processors"_s);
    if (usual.cpuPercent && limits.cpuPercent)
        number(*limits.cpuPercent, *usual.cpuPercent, 1, u"percent of a processor"_s);
    number(double(limits.memoryBytes), double(usual.memoryBytes), mebibyte, u"MB of memory"_s);
    number(limits.processes, usual.processes, 1, u"processes"_s);
    number(double(limits.outputBytes), double(usual.outputBytes), mebibyte, u"MB of output"_s);
    number(double(limits.diskBytes), double(usual.diskBytes), mebibyte, u"MB of files"_s);
    const auto unlessUnlimited = [&](std::optional<qint64> wanted, std::optional<qint64> most, double unit,
                                     const QString &what, const QString &unlimited) {
        if (most && wanted)
            number(double(*wanted), double(*most), unit, what);
        else if (most)
            list.append(unlimited);
    };
    unlessUnlimited(limits.trafficBytes, usual.trafficBytes, mebibyte, u"MB over the network"_s,
                    u"unlimited traffic"_s);
    unlessUnlimited(limits.bandwidthBytes, usual.bandwidthBytes, kibibyte, u"KB a second over the network"_s,
                    u"unlimited bandwidth"_s);
    if (granted.strict && !asked.strict)
        list.append(u"weaker protections where this machine lacks some"_s);
    if (asked.backend != granted.backend)
        list.append(u"the backend "_s + asked.backend);
    for (const QString &host : asked.allow) {
        if (!granted.allow.contains(host))
            list.append(u"the network: "_s + host);
    }
    for (const FolderGrant &folder : asked.folders) {
        if (!granted.folders.contains(folder))
            list.append(u"the folder "_s + folder.hostPath);
    }
    for (const SecretGrant &secret : request.secrets) // nobody's settings lend any
        list.append(u"the secret "_s + secret.name);
    return list;
}

} // namespace

AuthorisationDecision decide(const ApprovalRequest &request, const Policy &granted)
{
    if (auto status = validate(request.policy); !status)
        return {Verdict::Deny, status.error().message};
    switch (request.caller.kind) {
    case Caller::Kind::Cli:
    case Caller::Kind::Workbench:
        return {Verdict::Allow, {}};
    case Caller::Kind::Mcp:
        break;
    default: // a kind that nobody thought of here gets nothing
        return {Verdict::Deny, Text(QT_TRANSLATE_NOOP("engine", "Nothing is known about who asks for this run."))};
    }
    if (request.codeDigest.size() != 32)
        return {Verdict::Deny,
                Text(QT_TRANSLATE_NOOP("engine", "The request doesn't say which code an approval would be for."))};
    const QStringList more = beyond(request, granted);
    if (more.isEmpty())
        return {Verdict::Ask, Text(QT_TRANSLATE_NOOP("engine", "%1 asks to run code within your usual limits."),
                                   {request.caller.program})};
    return {Verdict::Ask, Text(QT_TRANSLATE_NOOP("engine", "%1 asks to run code with more than you usually grant: %2."),
                               {request.caller.program, more.join(u"; "_s)})};
}

void DenyingApprover::ask(const ApprovalRequest &, Answer answer)
{
    answer({false, Text(QT_TRANSLATE_NOOP("engine",
                                          "This run needs somebody's approval, and nobody is there to be asked. Open "
                                          "the workbench and try again."))});
}

void DenyingApprover::withdraw(const QString &) { }

} // namespace glovebox
