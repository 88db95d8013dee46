// SPDX-License-Identifier: Apache-2.0
#include "runsession.h"

#include <algorithm>

namespace glovebox {

void tellWaiting(LiveRun &run)
{
    const QList<RunEvent> events = run.allEvents();
    if (std::ranges::find(events, EventType::SessionWaits, &RunEvent::type) == events.end())
        run.addEvent({EventType::SessionWaits,
                      Text(QT_TRANSLATE_NOOP("engine", "The session is in use, so the run waited for it."))});
}

Status RunSession::open(const RunRequest &request, const Rooms &rooms, LiveRun &run, const std::stop_token &stop)
{
    if (request.session.isEmpty())
        return {};
    ASSIGN_OR_RETURN(m_use, request.isParallel ? rooms.sessions.copy(request.session, run.id())
                                               : rooms.sessions.use(request.session, stop, [&] { tellWaiting(run); }));
    m_getsPackages = request.getsPackages;
    const Session &session = m_use->session();
    if (!mayUse(request.caller, session) && !request.getsPackages) // as if there were none
        return fail(ErrorCode::NotFound,
                    Text(QT_TRANSLATE_NOOP("engine", "There is no session \"%1\"."), {request.session}));
    // Whoever allowed the code to have a host or a secret saw these files.
    const bool hasMore = !request.policy.allow.isEmpty() || !request.policy.tools.isEmpty() || !request.secrets.empty();
    if (hasMore && !request.sessionTree.isEmpty() && request.sessionTree != session.digest())
        return fail(ErrorCode::Busy,
                    Text(QT_TRANSLATE_NOOP(
                        "engine", "The files or packages of the session have changed since this run was asked for. "
                                  "Send the request again.")));
    return {};
}

Status RunSession::fill(const SealedProcess &process, const QList<QByteArray> &mounted, const QList<InnerFile> &given)
{
    if (!m_use)
        return {};
    m_workspace = {.folder = process.workspace(), .mounted = mounted};
    for (const InnerFile &file : given)
        m_workspace.given.append(file.name);
    if (m_workspace.folder < 0)
        return fail(ErrorCode::Unsupported,
                    Text(QT_TRANSLATE_NOOP("engine", "This machine's sandbox can't be given the files of a session. "
                                                     "\"glovebox doctor\" or the workbench's page Doctor says why.")));
    ASSIGN_OR_RETURN(m_untouched, m_use->fill(m_workspace));
    return {};
}

Status RunSession::refresh(const SealedProcess &process, SessionTree &files)
{
    m_workspace = {.folder = process.workspace()};
    SessionUse &use = m_use.value(); // a cell is in a session. NOLINT(bugprone-unchecked-optional-access)
    RETURN_IF_ERROR(use.refresh(m_workspace, files));
    files = use.tree();
    return {};
}

void RunSession::keep(int workspace, const LentSecrets &secrets, const QList<InnerFile> &given, qsizetype ofRun,
                      LiveRun &run, const std::stop_token &unwanted)
{
    if (!m_use || !m_hasBegun)
        return m_use.reset();
    if (workspace < 0) {
        run.addEvent({EventType::SessionLost,
                      Text(QT_TRANSLATE_NOOP("engine", "The files in /work are lost with the sandbox of the run. The "
                                                       "session has none of them."))});
        return m_use.reset();
    }
    m_workspace.folder = workspace;
    // The code and the module of its tools are the run's; other files that it was given are the session's from now on.
    const QList<InnerFile> code = given.first(std::min(given.size(), ofRun));
    const auto search = secrets.searchOfFiles();
    const auto kept = m_use->keep(m_workspace, code, run.id(), search.get(), unwanted);
    if (!kept)
        run.addEvent({EventType::SessionLost,
                      Text(QT_TRANSLATE_NOOP("engine", "The run's files can't be kept, so the session has none of "
                                                       "them: %1"),
                           {kept.error().message.english()})});
    else if (kept->isBeside)
        run.addEvent(
            {EventType::SessionKept,
             Text(QT_TRANSLATE_NOOP("engine", "In its copy of the session, the run added %1, changed %2 and removed %3 "
                                              "of the files and folders. Snapshot %4 has the copy; the session itself "
                                              "has none of that."),
                  {QString::number(kept->added), QString::number(kept->changed), QString::number(kept->removed),
                   QString::number(kept->number)})});
    else if (kept->number > 0)
        run.addEvent(
            {EventType::SessionKept,
             Text(QT_TRANSLATE_NOOP("engine", "In the session, the run added %1, changed %2 and removed %3 of the "
                                              "files and folders (snapshot %4)."),
                  {QString::number(kept->added), QString::number(kept->changed), QString::number(kept->removed),
                   QString::number(kept->number)})});
    if (kept)
        m_kept = m_use->tree();
    for (const Text &sentence : kept ? kept->left : QList<Text>())
        run.addEvent({EventType::SessionSkipped, sentence});
    if (kept && !m_getsPackages) // packages need no set-id bits
        for (const Text &sentence : kept->altered)
            run.addEvent({EventType::SessionSkipped, sentence});
    for (const QByteArray &path : kept ? kept->rewritten : QByteArrayList())
        m_untouched.remove(path);
    m_use.reset();
}

} // namespace glovebox
