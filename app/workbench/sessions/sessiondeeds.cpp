// SPDX-License-Identifier: Apache-2.0
#include "sessiondeeds.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/words/sessionwords.h"

#include <QFileInfo>

namespace glovebox {

using namespace Qt::StringLiterals;

SessionDeeds::SessionDeeds(WorkbenchContext &context, QObject *parent)
    : QObject(parent)
    , m_context(context)
{
}

template<typename Work, typename Then2> void SessionDeeds::perform(const QString &doing, Work work, Then2 then)
{
    if (!m_context.engine())
        return;
    ++m_going;
    m_doing = doing;
    Q_EMIT doingChanged();
    m_context.withEngine(this, std::move(work), [this, then = std::move(then)](const auto &result) {
        if (--m_going == 0)
            m_doing.clear();
        Q_EMIT doingChanged();
        then(result);
        Q_EMIT changed();
    });
}

void SessionDeeds::create(const NewSession &wanted, Then then)
{
    perform(
        tr("Making a session"), [wanted](Engine &engine) { return engine.createSession(wanted, engine.caller()); },
        std::move(then));
}

void SessionDeeds::fork(const QString &id, int number, const NewSession &wanted, Then then)
{
    perform(
        tr("Forking the session"),
        [id, number, wanted](Engine &engine) { return engine.forkSession(id, number, wanted, engine.caller()); },
        std::move(then));
}

void SessionDeeds::change(const QString &id, const SessionDeed &deed, const QString &doing, Done then)
{
    perform(
        doing, [id, deed](Engine &engine) { return engine.changeSession(id, deed, engine.caller()); },
        [this, then = std::move(then)](const Result<Session> &changed) {
            if (!changed)
                tell(changed.error());
            else if (then)
                then(*changed);
        });
}

void SessionDeeds::put(const QString &id, const QStringList &paths, const QByteArray &folder)
{
    QList<PutFile> files;
    for (const QString &path : paths)
        files.append({.hostPath = path, .path = folder + QFile::encodeName(QFileInfo(path).fileName())});
    change(id, PutFiles{files}, tr("Copying %Ln file(s) or folder(s) into the session", "", int(paths.size())),
           [this, all = int(paths.size())](const Session &) {
               m_context.notifications().show(
                   {.id = u"sessions"_s,
                    .tone = Tone::Ok,
                    .text = tr("%Ln file(s) or folder(s) copied into the session.", "", all)});
           });
}

void SessionDeeds::rollBack(const Session &session, int number)
{
    change(session.id, RollBack{number}, tr("Going back to snapshot %1").arg(number),
           [this, before = session.head, number](const Session &changed) {
               if (changed.head == before) {
                   m_context.notifications().show(
                       {.id = u"sessions"_s, .tone = Tone::Info, .text = tr("Nothing is different there.")});
                   return;
               }
               m_context.notifications().show(
                   {.id = u"sessions"_s,
                    .tone = Tone::Ok,
                    .text = tr("The files of %1 are those of snapshot %2 again.").arg(sessionName(changed)).arg(number),
                    .remedies = {{tr("Undo"), [this, changed, before] { rollBack(changed, before); }}}});
           });
}

void SessionDeeds::remove(const QString &id, const QString &name)
{
    perform(
        tr("Deleting the session"), [id](Engine &engine) { return engine.deleteSession(id, engine.caller()); },
        [this, name](const Status &removed) {
            if (!removed)
                return tell(removed.error());
            m_context.notifications().show(
                {.id = u"sessions"_s, .tone = Tone::Ok, .text = tr("The session %1 is deleted.").arg(name)});
        });
}

void SessionDeeds::save(const Session &session, const SessionTree &tree, const QByteArray &path, const QString &target,
                        std::function<void()> then)
{
    perform(
        tr("Copying files out of the session"),
        [session, tree, path, target](Engine &engine) {
            return saveFromSession(engine.sessions(), session, tree, path, target);
        },
        [this, target, then = std::move(then)](const Result<SavedFiles> &saved) {
            if (!saved)
                return tell(saved.error());
            if (then)
                return then();
            QStringList sentences{tr("%Ln file(s) saved as %1.", "", int(saved->saved)).arg(target)};
            for (const Text &text : saved->left + saved->told)
                sentences.append(translated(text));
            m_context.notifications().show({.id = u"sessions"_s,
                                            .tone = saved->left.isEmpty() ? Tone::Ok : Tone::Warn,
                                            .text = withHiddenShown(sentences.join(u' '))});
        });
}

void SessionDeeds::stopJob(const Job &job)
{
    perform(
        tr("Stopping the job"), [job](Engine &engine) { return Jobs(engine.paths().jobsFolder()).stop(job); },
        [this](const Status &stopped) {
            if (!stopped && stopped.error().code != ErrorCode::NotFound)
                tell(stopped.error());
        });
}

void SessionDeeds::openPort(const Job &job, quint16 port, std::function<void(const QString &link)> then)
{
    perform(
        tr("Opening port %1").arg(port),
        [job, port](Engine &engine) { return Jobs(engine.paths().jobsFolder()).openPort(job, port); },
        [this, then = std::move(then)](const Result<QString> &link) { link ? then(*link) : tell(link.error()); });
}

void SessionDeeds::closePort(const Job &job, quint16 port)
{
    perform(
        tr("Closing port %1").arg(port),
        [job, port](Engine &engine) { return Jobs(engine.paths().jobsFolder()).closePort(job, port); },
        [this](const Status &closed) {
            if (!closed && closed.error().code != ErrorCode::NotFound)
                tell(closed.error());
        });
}

void SessionDeeds::tell(const Error &error)
{
    m_context.notifications().show({.id = u"sessions"_s,
                                    .tone = Tone::Warn,
                                    .text = withHiddenShown(translated(error.message)),
                                    .detail = withHiddenShown(translated(error.detail))});
}

} // namespace glovebox
