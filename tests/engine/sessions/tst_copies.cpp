// SPDX-License-Identifier: Apache-2.0
// A copy of a session waits for nobody, keeps its files whatever becomes of the session, and leaves a snapshot beside it.
#include "sessionfixture.h"
#include "tests/support/signals.h"
#include "tests/support/theirowner.h"

#include <QDir>

#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

// Asked for the time, it looks whether somebody has the lock of a session's notes.
class LookingClock : public Clock
{
public:
    explicit LookingClock(QString lock)
        : m_lock(std::move(lock))
    {
    }
    qint64 nowMicroseconds() const override
    {
        wasHeld = FileLock::isHeld(m_lock);
        return SettableClock().nowMicroseconds();
    }
    mutable bool wasHeld = false; // when it was asked last

private:
    QString m_lock;
};

class TestCopies : public SessionFixture
{
    Q_OBJECT

    // A run in a copy that has begun.
    struct Copied
    {
        SessionUse use;
        SessionWorkspace workspace;
        UniqueFd folder;
    };

    Result<Copied> begun(const QString &id, const QString &run)
    {
        ASSIGN_OR_RETURN(auto use, m_sessions->copy(id, run));
        const QString path = m_home->path() + u'/' + run;
        QDir().mkpath(path);
        Copied copied{std::move(use), {}, UniqueFd(::open(QFile::encodeName(path).constData(), O_PATH | O_CLOEXEC))};
        copied.workspace.folder = copied.folder.get();
        ASSIGN_OR_RETURN(std::ignore, copied.use.fill(copied.workspace));
        return copied;
    }

    void write(const QString &run, const QString &name, const QByteArray &content) const
    {
        QFile file(m_home->path() + u'/' + run + u'/' + name);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
    }

    // Of the run "first" in a session that had a file "only".
    void keepsWhatItHad(Copied &copied, const QString &id)
    {
        write(u"first"_s, u"new"_s, "x");
        const auto kept = copied.use.keep(copied.workspace, {}, u"first"_s, nullptr);
        QVERIFY2(kept, kept ? "" : qPrintable(kept.error().message.english()));
        const Session now = *m_sessions->find(id);
        QCOMPARE(pathsOf(now, kept->number), (QByteArrayList{"new", "only"}));
        const SessionTree tree = *m_sessions->tree(now, kept->number);
        QVERIFY(m_sessions->pass(now, tree.last(), [](QByteArrayView) { return Status(); }));
    }

    QStringList pins(const QString &id) const
    {
        return QDir(folder() + u'/' + id).entryList({u"copy-*"_s}, QDir::Files);
    }

private Q_SLOTS:
    void init() { begin(); }
    void cleanup() { end(); }

    void twoCopiesAndARunEndInAnyOrder()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("a", "one"); }));
        std::optional<Copied> first, second;
        const auto kept = pass(session.id, [&] {
            first = *begun(session.id, u"first"_s); // while the session is in use
            second = *begun(session.id, u"second"_s);
            QCOMPARE(m_sessions->copies(session.id).value_or(QStringList()).size(), 2);
            write(u"first"_s, u"b"_s, "of the first");
            QCOMPARE(*first->use.keep(first->workspace, {}, u"first"_s, nullptr),
                     (KeptSession{.number = 3, .isBeside = true, .added = 1}));
            QCOMPARE(content("b"), "(none)");
            leave("a", "two");
        });
        QCOMPARE(*kept, (KeptSession{.number = 4, .changed = 1}));
        write(u"second"_s, u"c"_s, "of the second");
        QCOMPARE(*second->use.keep(second->workspace, {}, u"second"_s, nullptr),
                 (KeptSession{.number = 5, .isBeside = true, .added = 1}));
        const Session now = *m_sessions->find(session.id);
        QCOMPARE(now.head, 4);
        QCOMPARE(now.now().parent, 2);
        QCOMPARE(now.snapshot(5)->parent, 2);
        QVERIFY(now.snapshot(3)->isBeside && !now.snapshot(4)->isBeside);
        QCOMPARE(pathsOf(now), QByteArrayList{"a"});
        QCOMPARE(pathsOf(now, 5), (QByteArrayList{"a", "c"}));
        const auto back = m_sessions->rollBack(session.id, 3);
        QCOMPARE(back->head, 6);
        QCOMPARE(pathsOf(*back), (QByteArrayList{"a", "b"}));
        first.reset();
        second.reset();
        QCOMPARE(pins(session.id), QStringList());
    }

    // Else the notes of before would replace those in which a copy's snapshot is.
    void packagesAreChangedWhileNobodyElseWritesTheNotes()
    {
        const Session session = create();
        const LookingClock clock(folder() + u'/' + session.id + u"/notes.lock"_s);
        const Sessions sessions(folder(), clock, [] { return std::optional<HostIdentity>(); });
        const auto changed = sessions.setPackages(session.id, {.language = u"python"_s, .id = u"1"_s}, {});
        QVERIFY(changed);
        QVERIFY(clock.wasHeld);
    }

    void nothingChangedLeavesNothing()
    {
        const Session session = create();
        auto copied = begun(session.id, u"first"_s);
        QCOMPARE(*copied->use.keep(copied->workspace, {}, u"first"_s, nullptr), KeptSession());
        QCOMPARE(m_sessions->find(session.id)->snapshots.size(), 1);
    }

    // Contents that only the copy still has are its own, also those that it never wrote.
    void itsFilesOutliveTheirSnapshot()
    {
        const Session session = create(u"shop"_s, 1 * mebibyte);
        QVERIFY(pass(session.id, [&] { leave("only", "the copy has this"); }));
        auto copied = begun(session.id, u"first"_s);
        QVERIFY(pass(session.id, [&] { ::unlinkat(m_workspace.get(), "only", 0); }));
        QByteArray large(600 * 1024, 'x');
        for (int i = 0; i < 12; ++i) {
            large[i] = 'y';
            QVERIFY(pass(session.id, [&] { leave("f", large); }));
        }
        QVERIFY(!m_sessions->find(session.id)->snapshot(2)); // where the copy began
        keepsWhatItHad(*copied, session.id);
    }

    // Copies keep so much that all other snapshots go; but the number of the last would be another's then.
    void noNumberIsUsedTwice()
    {
        const Session session = create(u"shop"_s, 1 * mebibyte);
        QByteArray large(700 * 1024, 'x');
        std::vector<Copied> copies;
        for (int i = 0; i < 8; ++i) {
            large[i] = 'y';
            QVERIFY(pass(session.id, [&] { leave("f", large); }));
            copies.push_back(*begun(session.id, u"run%1"_s.arg(i)));
        }
        QVERIFY(pass(session.id, [&] { leave("f", "small"); }));
        int last = 10;
        for (int i = 0; i < 2; ++i) {
            write(u"run%1"_s.arg(i), u"g"_s, "new");
            QCOMPARE(copies[size_t(i)].use.keep(copies[size_t(i)].workspace, {}, u"run"_s, nullptr)->number, ++last);
            QVERIFY(m_sessions->find(session.id)->snapshot(last));
        }
    }

    void aSessionWithACopyNeitherExpiresNorGoes()
    {
        const Session session = *m_sessions->create({.name = u"shop"_s, .timeToLive = 60s});
        auto copied = begun(session.id, u"first"_s);
        const Status removed = m_sessions->remove(session.id);
        QVERIFY(!removed && removed.error().code == ErrorCode::Busy);
        m_clock.m_now += qint64(120) * 1'000'000;
        for (int looks = 0; looks < 4; ++looks) {
            QVERIFY(m_sessions->recover().isEmpty());
            m_clock.m_now += qint64(60) * 1'000'000;
        }
        QVERIFY(m_sessions->find(session.id));
        copied = std::unexpected(Error{});
        QVERIFY(!m_sessions->find(session.id));
        QCOMPARE(m_sessions->recover().size(), 1);
    }

    // Whoever can't list copies doesn't know that there are none.
    void inAFolderThatCantBeListedNothingOfACopyGoes()
    {
        const Session session = create(u"shop"_s, 1 * mebibyte);
        QVERIFY(pass(session.id, [&] { leave("only", "the copy has this"); }));
        const QByteArray place = QFile::encodeName(folder() + u'/' + session.id);
        auto copied = begun(session.id, u"first"_s);
        {
            const AsTheirOwner owner;
            QCOMPARE(::chmod(place.constData(), 0300), 0);
            QVERIFY(pass(session.id, [&] { ::unlinkat(m_workspace.get(), "only", 0); }));
            QByteArray large(600 * 1024, 'x');
            for (int i = 0; i < 12; ++i) {
                large[i] = 'y';
                QVERIFY(pass(session.id, [&] { leave("f", large); }));
            }
            const auto copies = m_sessions->copies(session.id);
            QVERIFY(!copies && copies.error().code == ErrorCode::PermissionDenied);
            const Status removed = m_sessions->remove(session.id);
            QVERIFY(!removed && removed.error().code == ErrorCode::PermissionDenied);
            const QByteArray used = QByteArray::number(m_sessions->find(session.id)->usedMicroseconds);
            const QByteArray weeks = QByteArray::number(qint64(14) * 24 * 3600 * 1'000'000);
            QCOMPARE(replaceFile(QFile::decodeName(place) + u"/doubt"_s, used + " 1 " + weeks), 0);
            m_clock.m_now += qint64(60) * 24 * 3600 * 1'000'000;
            QVERIFY(m_sessions->recover().isEmpty());
            QVERIFY(m_sessions->find(session.id));
            QCOMPARE(::chmod(place.constData(), 0700), 0);
        }
        keepsWhatItHad(*copied, session.id);
    }

    // Of a copy and a removal that begin at the same moment, one finds the other.
    void aCopyThatBeganKeepsTheSession()
    {
        for (int i = 0; i < 400; ++i) {
            const Session session = create();
            std::atomic<bool> goes = false;
            Status removed;
            std::jthread other([&] {
                goes = true;
                removed = m_sessions->remove(session.id);
            });
            while (!goes) { }
            for (int wait = 0; wait < i * 40; ++wait)
                goes.load();
            auto copy = m_sessions->copy(session.id, u"run"_s);
            other.join();
            QVERIFY(!copy || !removed);
            if (copy)
                QVERIFY(copy->fill({.folder = m_workspace.get()}));
            copy = std::unexpected(Error{});
            if (!removed)
                QVERIFY(m_sessions->remove(session.id));
        }
    }

    void aCopyOfASessionThatIsGoneSaysSo()
    {
        const Session session = create();
        auto copied = begun(session.id, u"first"_s);
        QVERIFY(QDir(folder() + u'/' + session.id).removeRecursively());
        write(u"first"_s, u"new"_s, "x");
        QCOMPARE(copied->use.keep(copied->workspace, {}, u"first"_s, nullptr).error().code, ErrorCode::NotFound);
        QVERIFY(!QFile::exists(folder() + u'/' + session.id));
        QCOMPARE(m_sessions->copy(session.id, u"second"_s).error().code, ErrorCode::NotFound);
    }

    // Killed anywhere, it leaves the session as it was, and nothing else.
    void aKilledCopyLeavesNothing()
    {
        const Session session = create();
        for (int kill = 0; kill < 12; ++kill) {
            int pipeEnds[2];
            QCOMPARE(::pipe2(pipeEnds, O_CLOEXEC), 0);
            const pid_t child = ::fork();
            if (child == 0) {
                for (int i = 0;; ++i) {
                    const QString run = u"%1-%2"_s.arg(kill).arg(i);
                    auto copied = begun(session.id, run);
                    if (!copied || ::write(pipeEnds[1], "x", 1) != 1)
                        ::_exit(1);
                    write(run, u"f"_s, run.toUtf8() + QByteArray(100'000, 'x'));
                    static_cast<void>(copied->use.keep(copied->workspace, {}, run, nullptr));
                }
            }
            ::close(pipeEnds[1]);
            const UniqueFd said(pipeEnds[0]);
            char x = 0;
            QCOMPARE(::read(said.get(), &x, 1), 1);
            QTest::qWait(kill); // at some moment
            sendSignal(child, SIGKILL);
            ::waitpid(child, nullptr, 0);
            m_sessions->recover();
            QVERIFY(!QFile::exists(folder() + u'/' + session.id + u"/keeping"_s));
            QCOMPARE(m_sessions->copies(session.id).value_or(QStringList{u"?"_s}), QStringList());
            QCOMPARE(pins(session.id), QStringList());
            const auto now = m_sessions->find(session.id);
            QVERIFY(now);
            QCOMPARE(now->head, 1);
            for (const Snapshot &snapshot : now->snapshots)
                QVERIFY(m_sessions->tree(*now, snapshot.number));
        }
        QVERIFY(m_sessions->remove(session.id));
    }
};

QTEST_GUILESS_MAIN(TestCopies)
#include "tst_copies.moc"
