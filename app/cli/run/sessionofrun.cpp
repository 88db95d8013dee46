// SPDX-License-Identifier: Apache-2.0
#include "sessionofrun.h"

#include "app/cli/session/namedsession.h"
#include "app/cli/session/sessionview.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

Result<SessionOfRun> SessionOfRun::find(const Sessions &sessions, const RunOptions &options)
{
    SessionOfRun of;
    if (options.session.isEmpty())
        return of;
    of.m_isParallel = options.isParallel;
    ASSIGN_OR_RETURN(of.m_session, sessionCalled(sessions, options.session));
    if (!of.m_session->agent.isEmpty())
        return fail(
            ErrorCode::PermissionDenied,
            Text("The session %1 belongs to a paired client, so no run of yours can be in it. A fork is your own: "
                 "glovebox session fork %2",
                 {of.m_session->shownName(), typedName(*of.m_session)}));
    return of;
}

void SessionOfRun::addTo(RunRequest &request) const
{
    if (!m_session)
        return;
    request.session = m_session->id;
    request.isParallel = m_isParallel;
    for (const QString &host : m_session->allow) {
        if (!request.policy.allow.contains(host))
            request.policy.allow.append(host);
    }
}

QString SessionOfRun::typed() const
{
    return m_session ? typedName(*m_session) : QString();
}

QString SessionOfRun::waitingLine() const
{
    if (!m_session)
        return {};
    return u"Session %1 is in use, so the run waits. Ctrl+C cancels it. To see by what: glovebox session status %2"_s
        .arg(m_session->shownName(), typedName(*m_session));
}

QStringList SessionOfRun::aftermath(const Sessions &sessions, const RunResult &result) const
{
    QStringList lines;
    if (!m_session)
        return lines;
    const auto now = sessions.find(m_session->id);
    const QList<Snapshot> snapshots = now ? now->snapshots : QList<Snapshot>();
    const auto left = std::ranges::find(snapshots, result.id, &Snapshot::run);
    if (left != snapshots.end() && left->isBeside) {
        lines.append(
            u"Snapshot %1 of session %2: %3 in the run's copy. To make the session so: glovebox session rollback %4 %1"_s
                .arg(QString::number(left->number), m_session->shownName(), countsOf(*left), typedName(*m_session)));
    } else if (left != snapshots.end() && !result.id.isEmpty()) {
        // Another run may have left the next state already.
        const QString number = left->number == now->head ? QString() : u" %1"_s.arg(left->parent);
        lines.append(u"Session %1: %2. To undo: glovebox session rollback %3%4"_s.arg(
            m_session->shownName(), countsOf(*left), typedName(*m_session), number));
    }
    if (nothingRan(result.outcome) && now && !sessions.tree(*now))
        lines.append(wayBack(sessions, *now));
    lines.removeAll(QString());
    for (const RunEvent &event : result.events) {
        if (event.type == EventType::SessionSkipped)
            lines.append(event.detail.english());
    }
    return lines;
}

QString lossOfSession(const RunResult &result)
{
    const auto lost = std::ranges::find(result.events, EventType::SessionLost, &RunEvent::type);
    return lost == result.events.end() ? QString() : lost->detail.english();
}

} // namespace glovebox
