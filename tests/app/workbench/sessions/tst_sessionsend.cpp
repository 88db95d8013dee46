// SPDX-License-Identifier: Apache-2.0
// The window closes while a session is changed: what has begun is finished, and nothing is half done.
#include "sessionsseat.h"

#include "app/workbench/sessions/sessiondeeds.h"

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestSessionsEnd : public QObject, public SessionsSeat
{
    Q_OBJECT

    static constexpr qint64 muchBytes = 48 * mebibyte;

    SessionDeeds *deeds() const
    {
        const Page *page = desk->frame.page(u"sessions"_s);
        return page->findChild<SessionDeeds *>();
    }
    QString bigFile() const
    {
        QFile file(desk->folder.filePath(u"big"_s));
        if (!file.open(QIODevice::WriteOnly) || file.write(QByteArray(muchBytes, 'x')) != muchBytes)
            qFatal("No big file can be made.");
        return file.fileName();
    }
    // As the next program finds them.
    static Result<SessionTree> treeLeft(const QString &folder, const QString &id)
    {
        const Sessions sessions(folder, Clock::system(), [] { return std::optional<HostIdentity>(); });
        const auto session = sessions.find(id);
        return session ? sessions.tree(*session) : Result<SessionTree>(std::unexpected(session.error()));
    }

private Q_SLOTS:
    void init() { sitDown(); }
    void cleanup() { desk.reset(); }

    void inTheMiddleOfAPut()
    {
        const Session made = make({.name = u"shop"_s, .diskBytes = 2 * muchBytes});
        const QString file = bigFile();
        deeds()->put(made.id, {file}, {});
        QTRY_VERIFY(engine().sessions().isBusy(made.id)); // it has begun
        closeAndLook(made.id, 1);
    }

    void inTheMiddleOfARollback()
    {
        const Session made = make({.name = u"shop"_s, .diskBytes = 2 * muchBytes});
        put(made.id, "a", "one");
        put(made.id, "b", "two");
        deeds()->rollBack(*engine().sessions().find(made.id), 2);
        closeAndLook(made.id, 1);
    }

    void whileTheFilesAreRead()
    {
        const Session made = make();
        put(made.id, "a", "one");
        desk->context.navigateTo(u"sessions"_s, {{u"session"_s, made.id}});
        closeAndLook(made.id, 1);
    }

private:
    // The desk waits for the engine to close; its folders stay until they were looked into.
    void closeAndLook(const QString &id, qsizetype entries)
    {
        const QString home = desk->home.path();
        const QString folder = desk->paths.sessionsFolder();
        desk->home.setAutoRemove(false);
        desk.reset();
        const auto left = treeLeft(folder, id);
        QVERIFY(QDir(home).removeRecursively());
        QVERIFY2(left, left ? "" : qPrintable(left.error().message.english()));
        QCOMPARE(left->size(), entries);
    }
};

GLOVEBOX_TEST_MAIN(TestSessionsEnd)
#include "tst_sessionsend.moc"
