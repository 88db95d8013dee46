// SPDX-License-Identifier: Apache-2.0
#include "approver.h"

namespace glovebox {

// NOLINTNEXTLINE(performance-unnecessary-value-param): those that have somebody to ask keep the answer
void Approver::askToPair(const PairingRequest &request, PairingAnswer answer)
{
    Q_UNUSED(request)
    answer(fail(ErrorCode::Unavailable,
                QT_TRANSLATE_NOOP("engine", "Nobody can be asked here to pair this program. Ask the "
                                            "person to run \"glovebox mcp pair NAME\"."),
                {}));
}

void Approver::withdrawPairing(const QString &id)
{
    Q_UNUSED(id)
}

void DenyingApprover::ask(const ApprovalRequest &request, Answer answer)
{
    if (!request.tool.isEmpty())
        return answer(
            {.reason = Text(QT_TRANSLATE_NOOP("engine",
                                              "The person wants to be asked about each call of %1, and nobody can be "
                                              "asked here. Do without the tool, or ask them to turn it on."),
                            {request.tool})});
    if (request.caller.way == Caller::Way::Http) // no window is asked for a server of several clients
        return answer(
            {.reason = Text(QT_TRANSLATE_NOOP("engine",
                                              "This run needs the person's approval for %1, and nobody can be asked "
                                              "here. They have to start this server again with --ask, on a terminal."),
                            {request.wants.isEmpty() ? QStringLiteral("it") : wordsOf(request.wants)})});
    const Text reason =
        request.wants.isEmpty()
            ? Text(QT_TRANSLATE_NOOP(
                  "engine", "This run needs the person's approval, and nobody can be asked here. They have to tick "
                            "\"Ask in this window\" on the workbench's Agents page, then start you again."))
            : Text(QT_TRANSLATE_NOOP(
                       "engine", "This run needs the person's approval for %1, and nobody can be asked here. They "
                                 "have to tick \"Ask in this window\" on the workbench's Agents page, then start you "
                                 "again."),
                   {wordsOf(request.wants)});
    answer({.allowed = false, .reason = reason});
}

void DenyingApprover::withdraw(const QString &) { }

} // namespace glovebox
