// SPDX-License-Identifier: Apache-2.0
// `glovebox session ...`: workspaces that last from run to run.
#include "sessioncommands.h"

#include "copyline.h"
#include "namedsession.h"
#include "sessionview.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

int doToSession(const Session &session, const SessionDeed &deed, const QString &whenUnchanged, CopyLine *line)
{
    const auto engine = openEngine();
    if (!engine)
        return sayFailure(engine.error());
    const auto changed = (*engine)->changeSession(session.id, deed, (*engine)->caller());
    if (line)
        line->end();
    if (!changed)
        return sayDamage((*engine)->sessions(), session, changed.error());
    if (changed->head == session.head)
        say(whenUnchanged);
    else
        say(u"Session %1: %2 (snapshot %3). To undo: glovebox session rollback %4"_s.arg(
            changed->shownName(), countsOf(changed->now()), QString::number(changed->head), typedName(session)));
    return 0;
}

std::vector<Command> sessionCommands()
{
    std::vector<Command> commands;
    for (const auto &group :
         {sessionLifeCommands(), sessionLookCommands(), sessionPastCommands(), sessionFileCommands(),
          sessionPackageCommands(), sessionJobCommands(), sessionPortCommands()})
        commands.insert(commands.end(), group.begin(), group.end());
    // In the order in which a person needs them.
    const QStringList order{u"create"_s,   u"list"_s,    u"status"_s,    u"files"_s,     u"put"_s,  u"get"_s,
                            u"remove"_s,   u"install"_s, u"uninstall"_s, u"snapshots"_s, u"diff"_s, u"rollback"_s,
                            u"snapshot"_s, u"fork"_s,    u"rename"_s,    u"jobs"_s,      u"logs"_s, u"stop"_s,
                            u"open"_s,     u"close"_s,   u"delete"_s};
    std::ranges::sort(commands, {},
                      [&](const Command &command) { return order.indexOf(command.name.section(u' ', 1)); });
    return commands;
}

} // namespace glovebox
