// SPDX-License-Identifier: Apache-2.0
#include "installation.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr auto longestTask = std::chrono::hours(1); // of an engine that can't say whether it lives

// A session for an installation of this engine, which holds the lock that is called like it for as long as it lives.
QString nameOfSession(const QString &engine, const Clock &clock)
{
    return sessionPrefix + engine + u'-' + newId(clock).last(8);
}

QByteArray pathOf(const LockedPackage &built)
{
    return "built/" + built.file.toLatin1();
}

bool hasWheels(const SessionTree &tree, const QList<LockedPackage> &wheels)
{
    return std::ranges::all_of(wheels, [&](const LockedPackage &wheel) {
        const auto entry = std::ranges::find(tree, pathOf(wheel), &SessionEntry::path);
        return entry != tree.end() && entry->type == SessionEntry::Type::File
               && QString::fromLatin1(entry->digest.toHex()) == wheel.hash;
    });
}

} // namespace

Status checkOnlyChangedBy(const RunResult &result, const Session &session, int before)
{
    if (session.now().run == result.id && session.now().parent == before)
        return {};
    return fail(ErrorCode::Damaged,
                QT_TRANSLATE_NOOP("engine", "The session %1 of the installation was changed meanwhile. Nothing was "
                                            "installed. Try again."),
                {session.shownName()});
}

NewSession Installation::wantedSession() const
{
    return {.name = nameOfSession(m_terms.ways.engine, m_terms.ways.clock),
            .timeToLive = longestTask,
            .diskBytes = m_terms.limits.diskBytes,
            .allow = {},
            .agent = QString::fromLatin1(
                installationsAgent)}; // an agent may not look at it, or change it before the person answers
}

TemporarySession Installation::temporary(const Session &session) const
{
    return {new QString(session.id),
            [remove = m_terms.ways.deleteSession, caller = m_terms.wish.caller](const QString *id) {
                static_cast<void>(remove(*id, caller, BytesGo::AtOnce));
                delete id;
            }};
}

Result<VerifiedSession> Installation::newSession()
{
    if (!m_builtIn) {
        ASSIGN_OR_RETURN(const Session session, m_terms.ways.createSession(wantedSession(), m_terms.wish.caller));
        return VerifiedSession{temporary(session), session.head};
    }
    ASSIGN_OR_RETURN(Session session, m_terms.ways.forkSession(*m_builtIn, wantedSession(), m_terms.wish.caller));
    const TemporarySession made = temporary(session);
    ASSIGN_OR_RETURN(const SessionTree tree, m_terms.ways.sessions.tree(session));
    QList<QByteArray> others; // with what is in them
    for (const SessionEntry &entry : tree) {
        const QByteArray parent = entry.path.first(std::max<qsizetype>(entry.path.lastIndexOf('/'), 0));
        const bool isKept = entry.path == "built" || std::ranges::find(m_built, entry.path, pathOf) != m_built.end();
        if (!isKept && (parent.isEmpty() || parent == "built"))
            others.append(entry.path);
    }
    if (!others.isEmpty()) {
        ASSIGN_OR_RETURN(session, m_terms.ways.sessions.removeFiles(session.id, others));
    }
    ASSIGN_OR_RETURN(const SessionTree left, m_terms.ways.sessions.tree(session));
    if (left.size() != m_built.size() + 1 || !hasWheels(left, m_built))
        return fail(ErrorCode::Damaged,
                    QT_TRANSLATE_NOOP("engine", "The build changed what was built before. Nothing was installed."), {});
    return VerifiedSession{made, session.head};
}

Result<LeftByTask> Installation::run(RunRequest request, int before) const
{
    const QString session = request.session;
    const std::shared_ptr<Run> started = m_terms.ways.start(std::move(request));
    LeftByTask left{
        .result = m_terms.follow ? m_terms.follow(started) : started->wait(), .answer = {}, .session = {}, .tree = {}};
    left.answer = packageAnswer(*left.result);
    ASSIGN_OR_RETURN(left.session, m_terms.ways.sessions.find(session));
    if (left.session.head != before) {
        RETURN_IF_ERROR(checkOnlyChangedBy(*left.result, left.session, before));
    }
    ASSIGN_OR_RETURN(left.tree, m_terms.ways.sessions.tree(left.session));
    return left;
}

Status Installation::build(const SourceWish &source)
{
    const Policy policy = m_terms.ways.settings.policy();
    ASSIGN_OR_RETURN(const auto made, newSession());
    const TemporarySession session = made.session;
    ASSIGN_OR_RETURN(const LeftByTask fetched, run(sourceRequest(m_terms.installer, source, m_terms.wish, m_terms.index,
                                                                 m_terms.limits, policy, *session),
                                                   made.head));
    RETURN_IF_ERROR(
        taskStatus(*fetched.result, fetched.answer, m_terms.index, m_terms.limits, m_terms.installer.tool()));
    ASSIGN_OR_RETURN(const LockedPackage package, m_terms.installer.readSource(fetched.tree, source));
    if (!m_terms.mayBuild || !m_terms.mayBuild(package))
        return fail(ErrorCode::PermissionDenied,
                    QT_TRANSLATE_NOOP("engine", "%1 wasn't built, as you didn't agree. Nothing was installed."),
                    {package.name});
    ASSIGN_OR_RETURN(
        const LeftByTask left,
        run(buildRequest(m_terms.installer, m_terms.wish, m_terms.limits, policy, *session), fetched.session.head));
    const auto wheel = left.session.head == fetched.session.head    ? std::unexpected(Error())
                       : left.result->outcome == Outcome::Completed ? m_terms.installer.readBuilt(left.tree, package)
                                                                    : Result<LockedPackage>(std::unexpected(Error()));
    if (!wheel)
        return buildFailed(*left.result, package, m_terms.limits);
    m_built.append(*wheel);
    m_builders[package.name] = left.result->id;
    m_builtIn = session;
    return {};
}

} // namespace glovebox
