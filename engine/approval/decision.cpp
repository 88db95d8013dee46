// SPDX-License-Identifier: Apache-2.0
#include "decision.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype longestWords = 1000; // characters of what a client wants, in a sentence

// A refusal is about the thing itself, whatever hosts come with it; of a limit about that much or more.
bool refuses(const StoredGrant &grant, const Want &want)
{
    return !grant.allowed && grant.want.isAbout(want) && (want.kind != Want::Kind::Limit || covers(want, grant.want));
}

QString shortened(QString words)
{
    if (words.size() > longestWords)
        words = words.left(longestWords) + u" ..."_s;
    return words;
}

AuthorisationDecision decideForClient(const ApprovalRequest &request, const Policy &granted, const Standing &standing)
{
    const QString tool = request.getsPackages     ? QString(installTool)
                         : request.tool.isEmpty() ? QString(runTool)
                                                  : request.tool;
    if (const auto refusal = refusalOf(standing.rules, tool, {}))
        return {Verdict::Deny, *refusal, {}};
    const QString name = nameOf(request.caller, standing);
    const bool mustBePaired = request.caller.way == Caller::Way::Socket || request.caller.way == Caller::Way::Http;
    if (!request.caller.pairing.isEmpty() ? !standing.isPaired : mustBePaired)
        return {Verdict::Deny,
                Text(QT_TRANSLATE_NOOP("engine", "%1 is not paired with Glovebox. Ask the person to pair it, by "
                                                 "\"glovebox mcp pair NAME\"."),
                     {name}),
                {}};

    // Who came an unknown way is nobody's own program.
    const bool isUnknown = request.caller.way == Caller::Way::Unknown && !standing.isPaired;
    if (request.getsPackages && !isUnknown) // asked about when it is known which packages these are
        return {Verdict::Allow, {}, {}};
    QList<Want> wants = wantsOf(request, granted);
    if (const auto refusal = refusalOf(standing.rules, tool, wants))
        return {Verdict::Deny, *refusal, {}};
    if (standing.rules.ofTool(tool) == AgentSwitch::Asks || isUnknown)
        wants.prepend(request.tool.isEmpty() ? Want{Want::Kind::AnyRun, {}, {}, {}}
                                             : Want{Want::Kind::Tool, request.tool, {}, {}});
    for (const Want &want : std::as_const(wants)) {
        if (std::ranges::any_of(standing.grants, [&](const StoredGrant &grant) { return refuses(grant, want); }))
            return {
                Verdict::Deny,
                Text(standing.isPaired
                         ? QT_TRANSLATE_NOOP("engine", "The person refused %1 this for good: %2. Only they can take "
                                                       "that back, on the Agents page.")
                         : QT_TRANSLATE_NOOP("engine", "The person refused %1 this until it disconnects: %2. Do "
                                                       "without it."),
                     {name, shortened(want.words())}),
                {}};
    }
    wants.removeIf([&](const Want &want) {
        return standing.rules.ofWant(want) == AgentSwitch::On
               || std::ranges::any_of(standing.grants, [&](const StoredGrant &grant) {
                      return grant.allowed && covers(grant.want, want);
                  });
    });
    if (wants.isEmpty())
        return {Verdict::Allow, {}, {}};
    if (request.install)
        return {Verdict::Ask,
                Text(QT_TRANSLATE_NOOP("engine", "%1 asks to install packages from %2: %3."),
                     {name, request.install->source, shortened(request.install->packages.join(u", "_s))}),
                wants};
    if (!request.tool.isEmpty())
        return {Verdict::Ask, Text(QT_TRANSLATE_NOOP("engine", "%1 asks to call %2."), {name, request.tool}), wants};
    const bool isUsual = wants.size() == 1 && wants.first().kind == Want::Kind::AnyRun;
    if (isUsual)
        return {Verdict::Ask,
                Text(QT_TRANSLATE_NOOP("engine", "%1 asks to run code within your usual limits."), {name}), wants};
    QList<Want> more = wants;
    more.removeIf([](const Want &want) { return want.kind == Want::Kind::AnyRun; });
    return {Verdict::Ask,
            Text(QT_TRANSLATE_NOOP("engine", "%1 asks to run code with more than you usually grant: %2."),
                 {name, shortened(wordsOf(more))}),
            wants};
}

} // namespace

QString nameOf(const Caller &caller, const Standing &standing)
{
    if (!standing.name.isEmpty())
        return standing.name;
    return caller.program.isEmpty() ? u"process %1"_s.arg(caller.pid) : caller.program;
}

AuthorisationDecision decide(const ApprovalRequest &request, const Policy &granted, const Standing &standing)
{
    if (auto status = validate(request.policy, request.isDetached ? LimitRange::jobWallMax : LimitRange::wallMax);
        !status)
        return {Verdict::Deny, status.error().message, {}};
    switch (request.caller.kind) {
    case Caller::Kind::Cli:
    case Caller::Kind::Workbench:
        return {Verdict::Allow, {}, {}};
    case Caller::Kind::Mcp:
        break;
    default: // a kind that nobody thought of here gets nothing
        return {Verdict::Deny, Text(QT_TRANSLATE_NOOP("engine", "Nothing is known about who asks for this run.")), {}};
    }
    if (request.codeDigest.size() != 32)
        return {Verdict::Deny,
                Text(QT_TRANSLATE_NOOP("engine", "The request doesn't say which code an approval would be for.")),
                {}};
    return decideForClient(request, granted, standing);
}

} // namespace glovebox
