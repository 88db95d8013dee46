// SPDX-License-Identifier: Apache-2.0
// What callers' threads do to folders, files and sessions, each deed on record before it begins.
#include "engineprivate.h"

namespace glovebox {

// Closing the log waits for a deed that has begun; where nothing can be put on record, nothing is done.
template<typename Deed> std::invoke_result_t<Deed> Engine::Private::recorded(const Deed &deed)
{
    const auto pass = gate.enter();
    if (!pass || !log)
        return std::unexpected(whyNotRecorded());
    return deed();
}

Result<ApplyReport> Engine::applyChanges(const QString &run, const Caller &caller, const ChosenChanges &chosen,
                                         const ApplyProgress &progress)
{
    return d->recorded([&] { return applyOnRecord(*d->staging, *d->log, run, caller, chosen, progress); });
}

Result<ApplyReport> Engine::undoChanges(const QString &run, const Caller &caller, const ApplyProgress &progress)
{
    return d->recorded([&] { return undoOnRecord(*d->staging, *d->log, run, caller, progress); });
}

Status Engine::discardChanges(const QString &run, const Caller &caller)
{
    return d->recorded([&] { return discardOnRecord(*d->staging, *d->log, run, caller); });
}

Status Engine::releaseArtifact(const QString &run, qsizetype number, const Caller &caller)
{
    return d->recorded([&]() -> Status {
        ASSIGN_OR_RETURN(const auto reader, auditReader());
        return releaseOnRecord(*d->store, *d->log, *reader, run, number, caller);
    });
}

Result<Session> Engine::createSession(const NewSession &wanted, const Caller &caller)
{
    return d->recorded([&] { return createOnRecord(*d->sessions, *d->log, wanted, caller); });
}

Result<Session> Engine::forkSession(const QString &id, int number, const NewSession &wanted, const Caller &caller)
{
    return d->recorded([&] { return forkOnRecord(*d->sessions, *d->log, id, number, wanted, caller); });
}

Result<Session> Engine::changeSession(const QString &id, const SessionDeed &deed, const Caller &caller)
{
    return d->recorded([&]() -> Result<Session> {
        const auto session = d->sessions->find(id);
        if (session && isOfInstallation(*session))
            return fail(ErrorCode::PermissionDenied,
                        QT_TRANSLATE_NOOP("engine", "The session %1 is of an installation of packages, which takes it "
                                                    "away at its end. Nothing was changed."),
                        {session->shownName()});
        return changeOnRecord(*d->sessions, *d->log, id, deed, caller);
    });
}

Status Engine::deleteSession(const QString &id, const Caller &caller, BytesGo bytes)
{
    return d->recorded([&] {
        const Status deleted = deleteOnRecord(*d->sessions, *d->log, id, caller, bytes);
        if (deleted)
            d->interpreters.end(id);
        return deleted;
    });
}

QStringList Engine::waitingInterpreters(const QString &session) const
{
    return d->interpreters.languages(session);
}

void Engine::endInterpreter(const QString &session, const QString &language)
{
    d->interpreters.end(session, language);
}

Result<Deletion> Engine::deleteBodies(const RunsToGo &runs, const Caller &caller, const DeletionProgress &progress)
{
    return d->recorded(
        [&] { return glovebox::deleteBodies(d->retention(), runs, caller, d->stopDeleting.get_token(), progress); });
}

Result<SigningKey> Engine::signingKey(const Patience &patience)
{
    return d->signingKey(patience);
}

Result<SigningKey> Engine::Private::signingKey(const Patience &patience)
{
    return recorded([&] { return openSigningKeyOnRecord(patience); });
}

Result<JobDoor> Engine::makeJobDoor()
{
    if (!d->log)
        return std::unexpected(d->whyNotRecorded());
    return JobDoor::make({.folder = d->paths.jobsFolder(),
                          .libexec = d->paths.libexec,
                          .runtime = d->paths.runtime,
                          .log = *d->log,
                          .sessions = *d->sessions,
                          .caller = d->caller});
}

Error Engine::Private::whyNotRecorded() const
{
    const Part record = readiness->current().record;
    return record.state == Part::State::Blocked
               ? record.why
               : Error{ErrorCode::Unavailable, Text(QT_TRANSLATE_NOOP("engine", "Glovebox is shutting down.")), {}};
}

} // namespace glovebox
