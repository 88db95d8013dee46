// SPDX-License-Identifier: Apache-2.0
// Sessions that were forked from one another, and the store that they share.
#include "engine/sessions/files/sessiontree.h"
#include "sessionfixture.h"
#include "tests/support/signals.h"

#include <QDir>
#include <QFile>
#include <QTemporaryFile>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestForks : public SessionFixture
{
    Q_OBJECT

    // All that is beside the sessions: stores, and what isn't finished or removed.
    QStringList stores() const
    {
        QStringList names = QDir(folder()).entryList(QDir::Dirs | QDir::System | QDir::NoDotAndDotDot | QDir::Hidden);
        names.removeIf([](const QString &name) { return isId(name); });
        return names;
    }

    Session forked(const Session &session, const QString &name, int number = 0) const
    {
        const auto fork = m_sessions->fork(session.id, number, {.name = name, .diskBytes = session.diskBytes});
        if (!fork)
            qWarning("%s", qPrintable(fork.error().message.english()));
        return fork.value_or(Session());
    }

    // Each file of each snapshot has its content.
    bool isWhole(const QString &id) const
    {
        const auto session = m_sessions->find(id);
        if (!session)
            return false;
        return std::ranges::all_of(session->snapshots, [&](const Snapshot &snapshot) {
            const auto tree = m_sessions->tree(*session, snapshot.number);
            return tree && std::ranges::all_of(*tree, [&](const SessionEntry &entry) {
                       return entry.type != SessionEntry::Type::File
                              || m_sessions->pass(*session, entry, [](QByteArrayView) { return Status(); });
                   });
        });
    }

    // So many runs that snapshots go by the room that they take.
    void runOften(const QString &id, char letter)
    {
        QByteArray large(600 * 1024, letter);
        for (int i = 0; i < 12; ++i) {
            large[i] = '-';
            QVERIFY(pass(id, [&] { leave("f", large); }));
        }
    }

    QByteArray notesOf(const QString &id) const
    {
        QFile notes(folder() + u'/' + id + u"/session.json"_s);
        return notes.open(QIODevice::ReadOnly) ? notes.readAll() : QByteArray();
    }

private Q_SLOTS:
    void init() { begin(); }
    void cleanup() { end(); }

    void aForkMakesNoFileForEachFile()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] {
            for (int i = 0; i < 50; ++i)
                leave(QByteArray::number(i), QByteArray::number(i));
        }));
        const qsizetype before = storedFiles(session.id);
        const Session fork = forked(session, u"fork"_s);
        const Session inner = forked(fork, u"inner"_s);
        const Session other = forked(session, u"other"_s, 1);
        QCOMPARE(stores().size(), 1);
        for (const Session &each : {session, fork, inner, other}) {
            // A full disk has no room for it later.
            QVERIFY(QFile::exists(folder() + u'/' + each.id + u"/notes.lock"_s));
            QCOMPARE(storedFiles(each.id), before);
            QVERIFY(isWhole(each.id));
            QVERIFY(notesOf(each.id).contains(
                "\"schema\":4")); // a version that doesn't know of it would remove what others have
        }
        QCOMPARE(fork.storedBytes, session.storedBytes + 90); // "0" to "49"
        QCOMPARE(other.storedBytes, 0);
        QCOMPARE(pathsOf(other), QByteArrayList());
        QVERIFY(pass(inner.id, [&] { QCOMPARE(content("49"), "49"); }));
    }

    void theirBytesGoWithTheLastThatHasThem()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("common", "common"); }));
        const Session fork = forked(session, u"fork"_s);
        QVERIFY(pass(session.id, [&] { leave("parents", "parents"); }));
        QVERIFY(pass(fork.id, [&] { leave("forks", "forks"); }));
        QCOMPARE(storedFiles(fork.id), 7); // four trees
        QVERIFY(m_sessions->remove(session.id));
        QCOMPARE(storedFiles(fork.id), 4);
        QVERIFY(isWhole(fork.id));
        QVERIFY(pass(fork.id, [&] { QCOMPARE(content("common") + content("forks"), "commonforks"); }));
        QVERIFY(m_sessions->remove(fork.id));
        QCOMPARE(stores(), QStringList());
    }

    void thoseThatExpireLeaveTheRestTheirs()
    {
        const auto session = m_sessions->create({.name = u"lasting"_s, .timeToLive = {}});
        QVERIFY(pass(session->id, [&] { leave("common", "common"); }));
        const qsizetype before = storedFiles(session->id);
        for (const char *name : {"first", "second"}) {
            const auto fork = m_sessions->fork(session->id, 0, {.name = QLatin1StringView(name), .timeToLive = 60s});
            QVERIFY(pass(fork->id, [&] { leave("own", name); }));
            const QByteArray used = QByteArray::number(m_sessions->find(fork->id)->usedMicroseconds);
            QCOMPARE(replaceFile(folder() + u'/' + fork->id + u"/doubt"_s, used + " 1 60000000"), 0);
        }
        QCOMPARE(storedFiles(session->id), before + 4);
        m_clock.m_now += qint64(120) * 1'000'000;
        QCOMPARE(m_sessions->recover().size(), 2);
        QCOMPARE(storedFiles(session->id), before);
        QVERIFY(isWhole(session->id));
    }

    void snapshotsThatGoLeaveTheOthersTheirs()
    {
        const Session session = create(u"many"_s, 1 * mebibyte);
        QVERIFY(pass(session.id, [&] { leave("f", QByteArray(500 * 1024, 'a')); }));
        const Session fork = forked(session, u"fork"_s);
        runOften(session.id, 'x');
        const auto now = m_sessions->find(session.id);
        QVERIFY(now->snapshots.size() < 12);
        QVERIFY2(now->storedBytes <= 4 * mebibyte, qPrintable(QString::number(now->storedBytes)));
        QVERIFY(isWhole(fork.id));
        QVERIFY(isWhole(session.id));
        runOften(fork.id, 'y');
        QVERIFY(isWhole(fork.id));
        QVERIFY(isWhole(session.id));
        // Nothing is there that none of them has.
        QSet<QByteArray> contents;
        for (const QString &id : {session.id, fork.id}) {
            const auto each = m_sessions->find(id);
            for (const Snapshot &snapshot : each->snapshots) {
                contents.insert(snapshot.tree);
                const auto tree = m_sessions->tree(*each, snapshot.number);
                for (const SessionEntry &entry : *tree)
                    contents.insert(entry.digest);
            }
        }
        QCOMPARE(storedFiles(session.id), contents.size());
    }

    void aCopyOfAnotherKeepsItsFiles()
    {
        const Session session = create(u"many"_s, 1 * mebibyte);
        QVERIFY(pass(session.id, [&] { leave("f", QByteArray(500 * 1024, 'a')); }));
        const Session fork = forked(session, u"fork"_s);
        auto copy = m_sessions->copy(fork.id, u"run"_s);
        QVERIFY(copy);
        runOften(fork.id, 'y'); // its first snapshot goes
        QVERIFY(!m_sessions->find(fork.id)->snapshot(1));
        QVERIFY(m_sessions->remove(session.id));
        beginWorkspace();
        QVERIFY(copy->fill({.folder = m_workspace.get()}));
        QCOMPARE(content("f"), QByteArray(500 * 1024, 'a'));
    }

    void eachIsToldWhatOthersHaveToo()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("common", QByteArray(1000, 'c')); }));
        QCOMPARE(m_sessions->sharedBytes(*m_sessions->find(session.id)), 0);
        QVERIFY(!m_sessions->isShared(session.id));
        const Session fork = forked(session, u"fork"_s);
        QVERIFY(pass(session.id, [&] { leave("own", QByteArray(300, 'o')); }));
        QVERIFY(m_sessions->isShared(session.id) && m_sessions->isShared(fork.id));
        for (const auto &[id, stored] : {std::pair(session.id, 1300), std::pair(fork.id, 1000)}) {
            const Session now = *m_sessions->find(id);
            QCOMPARE(now.storedBytes, stored);
            QCOMPARE(m_sessions->sharedBytes(now), 1000);
        }
        QCOMPARE(replaceFile(folder() + u'/' + fork.id + u"/session.json"_s, "{}"), 0);
        QCOMPARE(m_sessions->sharedBytes(*m_sessions->find(session.id)), std::nullopt);
    }

    // Each is locked at once, by a descriptor each.
    void ofAFamilyLargerThanTheLimitOfOpenFilesNothingStays()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("common", "common"); }));
        QList<Session> forks;
        for (int i = 0; i < 40; ++i)
            forks.append(forked(session, u"fork%1"_s.arg(i)));
        QVERIFY(pass(forks.last().id, [&] { leave("own", "own"); }));
        const qsizetype before = storedFiles(session.id);
        rlimit former = {};
        QCOMPARE(::getrlimit(RLIMIT_NOFILE, &former), 0);
        const rlimit few{32, former.rlim_max};
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &few), 0);
        const Status removed = m_sessions->remove(forks.last().id);
        rlimit after = {};
        QCOMPARE(::getrlimit(RLIMIT_NOFILE, &after), 0);
        QCOMPARE(::setrlimit(RLIMIT_NOFILE, &former), 0);
        QVERIFY(removed);
        QCOMPARE(storedFiles(session.id), before - 2); // a file, and a list of files
        QCOMPARE(after.rlim_cur, few.rlim_cur);
    }

    // By programs of their own, as nobody gets a hard limit back.
    void whereTheSystemAllowsTooFewOpenFilesThatIsSaid()
    {
#ifdef __SANITIZE_ADDRESS__
        QSKIP("The sanitizer looks at memory through descriptors of its own.");
#endif
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("common", "common"); }));
        QList<Session> forks;
        for (int i = 0; i < 40; ++i)
            forks.append(forked(session, u"fork%1"_s.arg(i)));
        QVERIFY(pass(forks.last().id, [&] { leave("own", "own"); }));
        const qsizetype before = storedFiles(session.id);
        const auto saidWith = [](rlim_t most, const auto &deed) {
            QTemporaryFile told;
            const bool isOpen = told.open();
            const pid_t child = isOpen ? ::fork() : -1;
            if (child == 0) {
                const rlimit few{most, most};
                const bool isSet = ::dup2(told.handle(), STDERR_FILENO) >= 0 && ::setrlimit(RLIMIT_NOFILE, &few) == 0;
                qInstallMessageHandler([](QtMsgType, const QMessageLogContext &, const QString &message) {
                    std::fputs(qPrintable(message + u'\n'), stderr);
                });
                ::_exit(isSet && deed() ? 0 : 1);
            }
            int status = -1;
            ::waitpid(child, &status, 0);
            QFile file(told.fileName());
            return status == 0 && file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("The child failed.");
        };
        // Whoever started this, and a sanitizer, may have left some open.
        const auto open = QDir(u"/proc/self/fd"_s).entryList(QDir::Files | QDir::System).size();
        const auto few = rlim_t(open + 24);
        const QByteArray said = saidWith(few, [&] { return bool(m_sessions->remove(forks.last().id)); });
        QVERIFY2(said.contains(u"40 sessions share a store, and only %1 files may be open."_s.arg(few).toUtf8()), said);
        const qsizetype left = storedFiles(session.id);
        QCOMPARE(left, before + 1); // and the mark that something remains
        // Whatever the limit is, the files go or the reason is said.
        rlim_t most = few + 1;
        for (; storedFiles(session.id) == left; ++most) {
            const QByteArray again = saidWith(most, [&] {
                m_sessions->recover();
                return true;
            });
            QVERIFY2(again.contains(u"only %1 files may be open"_s.arg(most).toUtf8())
                         || storedFiles(session.id) == before - 2,
                     qPrintable(u"%1: %2"_s.arg(most).arg(QString::fromUtf8(again))));
            QVERIFY(most < few + 100);
        }
        QVERIFY(most > 41);
        QCOMPARE(storedFiles(session.id), before - 2);
    }

    // A file that is stored, and in no snapshot yet.
    void nothingIsRemovedWhileAnotherStoresSomething()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("parents", "parents"); }));
        const Session fork = forked(session, u"fork"_s, 1);
        auto storing = std::make_optional(*FileLock::create(folder() + u'/' + fork.id + u"/notes.lock"_s));
        const ContentStore store(folder() + u'/' + fork.id + u"/content"_s);
        QVERIFY(store.put(sha256({"new"}), "new"));
        QVERIFY(m_sessions->remove(session.id));
        QVERIFY(store.get(sha256({"new"})));
        m_sessions->recover();
        QVERIFY(store.get(sha256({"new"})));
        QVERIFY(store.get(sha256({"parents"})));
        storing.reset();
        m_sessions->recover();
        QVERIFY(!store.get(sha256({"parents"})));
        QVERIFY(isWhole(fork.id));
    }

    // Nobody knows what it has.
    void nothingIsRemovedWhileOneCantBeRead()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("parents", "parents"); }));
        const Session fork = forked(session, u"fork"_s);
        const QByteArray notes = notesOf(fork.id);
        QCOMPARE(replaceFile(folder() + u'/' + fork.id + u"/session.json"_s, "{}"), 0);
        QVERIFY(m_sessions->remove(session.id));
        m_sessions->recover();
        QCOMPARE(replaceFile(folder() + u'/' + fork.id + u"/session.json"_s, notes), 0);
        QVERIFY(isWhole(fork.id));
        QVERIFY(m_sessions->remove(fork.id));
        QCOMPARE(stores(), QStringList());
    }

    // Its folder is on a disk that isn't there now, or can't be entered.
    void nothingIsRemovedWhileOneCantBeReached()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("parents", "parents"); }));
        const Session fork = forked(session, u"fork"_s);
        QVERIFY(m_sessions->remove(session.id));
        const QString place = folder() + u'/' + fork.id;
        QVERIFY(QDir().rename(place, m_home->path() + u"/elsewhere"_s));
        for (const QString &target : {m_home->path() + u"/nowhere"_s, place}) { // the second leads to itself
            QVERIFY(QFile::link(target, place));
            m_sessions->recover();
            QVERIFY(QFile::remove(place));
        }
        QVERIFY(QDir().rename(m_home->path() + u"/elsewhere"_s, place));
        QVERIFY(isWhole(fork.id));
    }

    // As where a file system can't exchange two names: each has its own store then.
    void withoutASharedStoreItsFilesAreLinked()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("a", "a"); }));
        const QString content = folder() + u'/' + session.id + u"/content"_s;
        // A link leads to the store already, but is none of ours.
        QVERIFY(QDir().rename(content, m_home->path() + u"/elsewhere"_s));
        QVERIFY(QFile::link(m_home->path() + u"/elsewhere"_s, content));
        const Session fork = forked(session, u"fork"_s);
        QCOMPARE(stores(), QStringList());
        QVERIFY(isWhole(fork.id));
        QVERIFY(m_sessions->remove(session.id));
        QVERIFY(isWhole(fork.id));
    }

    void whoReadsItMeanwhileFindsAllOfIt()
    {
        for (int i = 0; i < 20; ++i) {
            const Session session = create();
            QVERIFY(pass(session.id, [&] { leave("a", "a"); }));
            std::atomic<int> reads = 0, misses = 0;
            std::jthread reader([&](const std::stop_token &stop) {
                const ContentStore store(folder() + u'/' + session.id + u"/content"_s);
                for (; !stop.stop_requested(); ++reads)
                    misses += store.pass(sha256({"a"}), {}) ? 0 : 1;
            });
            while (reads == 0)
                std::this_thread::yield();
            const Session fork = forked(session, u"fork"_s);
            reader.request_stop();
            reader.join();
            QCOMPARE(misses.load(), 0);
            QVERIFY(m_sessions->remove(session.id));
            QVERIFY(m_sessions->remove(fork.id));
        }
    }

    // A fork is whole or not there, whenever this program is killed, and its session as it was.
    void aKilledForkLeavesNothing()
    {
        for (int kill = 0; kill < 60; ++kill) {
            const Session session = create();
            QVERIFY(pass(session.id, [&] { leave("a", QByteArray::number(kill)); }));
            const pid_t child = ::fork();
            if (child == 0) {
                for (int i = 0;; ++i)
                    static_cast<void>(forked(session, u"fork%1"_s.arg(i)));
            }
            std::this_thread::sleep_for(std::chrono::microseconds(kill * 150)); // some moment
            sendSignal(child, SIGKILL);
            ::waitpid(child, nullptr, 0);
            m_sessions->recover();
            const auto all = m_sessions->list();
            QVERIFY(all);
            for (const Session &each : *all)
                QVERIFY(isWhole(each.id));
            QVERIFY2(stores().size() <= 1, qPrintable(stores().join(u' ')));
            QVERIFY(m_sessions->find(session.id));
            QCOMPARE(storedFiles(session.id), 3);
            for (const Session &each : *all)
                QVERIFY(m_sessions->remove(each.id));
            QCOMPARE(stores(), QStringList());
        }
    }

    // A run knows its files, so that it can make one of the bytes that a snapshot's list of files has.
    void aFileThatIsAnotherSessionsListTakesNothingFromIt()
    {
        const Session session = create(u"shop"_s, mebibyte);
        const Session fork = forked(session, u"fork"_s);
        QVERIFY(pass(session.id, [&] { leave("own", "nobody else has this"); }));
        const auto now = m_sessions->find(session.id);
        const auto tree = m_sessions->tree(now.value_or(Session()));
        QVERIFY(tree);
        QVERIFY(m_sessions->write(fork.id, "list", encodedTree(*tree)));
        runOften(fork.id, 'x'); // which tidies with the fork's contents first
        QVERIFY(m_sessions->find(fork.id).value_or(Session()).snapshots.size() < 12);
        QVERIFY(m_sessions->tree(m_sessions->find(session.id).value_or(Session())));
        QVERIFY(isWhole(session.id));
        QVERIFY(isWhole(fork.id));
    }

    // Some ways of copying a folder leave links out. Whoever copies again, with them, has all.
    void withoutItsLinksTheStoreStays()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("a", "content"); }));
        const Session fork = forked(session, u"fork"_s);
        const Session gone = forked(session, u"gone"_s);
        const QStringList paths{folder() + u'/' + session.id + u"/content"_s,
                                folder() + u'/' + fork.id + u"/content"_s};
        const QString target = QDir(folder() + u'/' + session.id).relativeFilePath(folder() + u'/' + stores().value(0));
        for (const QString &path : paths)
            QVERIFY(QFile::remove(path));
        m_sessions->recover();
        QVERIFY(m_sessions->remove(gone.id)); // the last that has it
        m_sessions->recover();
        for (const QString &path : paths)
            QVERIFY(QFile::link(target, path));
        for (const Session &each : {session, fork})
            QVERIFY(isWhole(each.id));
        for (const Session &each : {session, fork})
            QVERIFY(m_sessions->remove(each.id));
        QCOMPARE(stores(), QStringList());
    }

    void ofTwoThatRemoveItOneIsTooLate()
    {
        for (int i = 0; i < 80; ++i) {
            const Session session = create();
            Status other;
            std::jthread second([&] { other = m_sessions->remove(session.id); });
            const Status first = m_sessions->remove(session.id);
            second.join();
            QVERIFY(first || other);
            for (const Status &each : {first, other})
                QVERIFY2(each || each.error().code == ErrorCode::Busy
                             || each.error().message.english().startsWith(u"There is no session"_s),
                         qPrintable(each ? QString() : each.error().message.english()));
        }
    }

    // Forks, runs and deletions by several programs at once, each killed at some moment.
    void manyProgramsLoseNothing()
    {
        for (int kill = 0; kill < 30; ++kill) {
            const Session session = create();
            QVERIFY(pass(session.id, [&] { leave("common", QByteArray(10'000, 'c')); }));
            std::vector<pid_t> children;
            for (int program = 0; program < 3; ++program) {
                children.push_back(::fork());
                if (children.back() == 0) {
                    for (int i = 0;; ++i) {
                        const auto fork = m_sessions->fork(session.id, 0, {.diskBytes = session.diskBytes});
                        const QString id = fork ? fork->id : session.id;
                        const QByteArray text = QByteArray::number(program) + '-' + QByteArray::number(i % 3);
                        static_cast<void>(m_sessions->write(id, "own", text)); // which others store, too
                        static_cast<void>(m_sessions->write(session.id, "own", text));
                        if (i % 3 == 2)
                            static_cast<void>(m_sessions->remove(id == session.id ? QString() : id));
                        m_sessions->recover();
                    }
                }
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(20 + kill * 5));
            for (const pid_t child : children)
                sendSignal(child, SIGKILL);
            for (const pid_t child : children)
                ::waitpid(child, nullptr, 0);
            m_sessions->recover();
            QList<Error> damaged;
            const auto all = m_sessions->list(&damaged);
            QVERIFY(all && damaged.isEmpty());
            for (const Session &each : *all)
                QVERIFY2(isWhole(each.id), qPrintable(each.id));
            for (const Session &each : *all)
                QVERIFY(m_sessions->remove(each.id));
            QCOMPARE(stores(), QStringList());
        }
    }
};

QTEST_GUILESS_MAIN(TestForks)
#include "tst_forks.moc"
