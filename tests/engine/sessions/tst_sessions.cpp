// SPDX-License-Identifier: Apache-2.0
// Sessions last, go back, fork, expire and go, and no kill and no damage takes anything that was acknowledged.
#include "sessionfixture.h"
#include "tests/support/signals.h"

#include <QDir>
#include <QJsonDocument>

#include <sys/wait.h>

#include <csignal>
#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestSessions : public SessionFixture
{
    Q_OBJECT

    QString contentOf(const Session &session, const QByteArray &path) const
    {
        for (const SessionEntry &entry : m_sessions->tree(session).value_or(SessionTree())) {
            QByteArray content;
            const auto add = [&](QByteArrayView piece) {
                content += piece;
                return Status();
            };
            if (entry.path == path && m_sessions->pass(session, entry, add))
                return QString::fromUtf8(content);
        }
        return u"(none)"_s;
    }

private Q_SLOTS:
    void init() { begin(); }
    void cleanup() { end(); }

    void aSessionIsFoundByIdNameAndTheBeginningOfItsId()
    {
        const Session session = create();
        QVERIFY(isId(session.id));
        for (const QString &wanted : {session.id, u"shop"_s, session.id.first(8)}) {
            const auto found = m_sessions->find(wanted);
            QVERIFY2(found, qPrintable(wanted));
            QCOMPARE(*found, session);
        }
        for (const QString &wanted : {u""_s, u"sho"_s, session.id.first(7), u"../shop"_s})
            QVERIFY(!m_sessions->find(wanted));
        QCOMPARE(m_sessions->create({.name = u"shop"_s}).error().code, ErrorCode::InvalidInput);
        for (const QString &name : {u"a b"_s, u"../x"_s, u"-x"_s, u".x"_s, u"a/b"_s, QString(65, u'a'), session.id})
            QCOMPARE(m_sessions->create({.name = name}).error().code, ErrorCode::InvalidInput);
        QVERIFY(m_sessions->create({})); // without a name
    }

    // Whoever is told that a name is taken learns that somebody has a session of that name.
    void aNameIsTakenForItsOwnerOnly()
    {
        const QString client = u"0190a000-0000-7000-8000-000000000001"_s;
        const auto made = [&](const QString &agent) { return m_sessions->create({.name = u"shop"_s, .agent = agent}); };
        const auto clients = made(client);
        QVERIFY(clients);
        QCOMPARE(m_sessions->find(u"shop"_s)->id, clients->id); // the only one so far
        const Session own = create();
        QVERIFY(isId(own.id));
        const auto others = made(u"0190a000-0000-7000-8000-000000000002"_s);
        QVERIFY(others);
        for (const QString &agent : {QString(), client})
            QCOMPARE(made(agent).error().code, ErrorCode::InvalidInput);
        QVERIFY(made(QString(unpairedAgents)));
        QVERIFY(made(QString(unpairedAgents))); // by another of them
        QVERIFY(m_sessions->fork(own.id, 1, {.name = u"shop"_s, .agent = QString(unpairedAgents)}));
        QCOMPARE(m_sessions->find(u"shop"_s)->id, own.id); // whichever was used last
        QVERIFY(m_sessions->remove(own.id));
        const auto several = m_sessions->find(u"shop"_s);
        QCOMPARE(several.error().code, ErrorCode::InvalidInput);
        QVERIFY2(several.error().message.english().contains(u"Give a whole id"_s),
                 qPrintable(several.error().message.english()));
        QCOMPARE(m_sessions->find(others->id)->id, others->id);
    }

    // An agent can't have its files taken for the person's by a name that looks like the beginning of an id.
    void aNameDoesNotStandForAnothersId()
    {
        const Session own = create();
        QVERIFY(m_sessions->create({.name = own.id.first(8), .agent = QString(unpairedAgents)}));
        QCOMPARE(m_sessions->find(own.id.first(8)).error().code, ErrorCode::InvalidInput);
    }

    void nobodyElseCanReadIt()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("secret", "content"); }));
        for (const auto &entry : std::filesystem::recursive_directory_iterator(folder().toStdString())) {
            struct stat info = {};
            QCOMPARE(::lstat(entry.path().c_str(), &info), 0);
            QVERIFY2((info.st_mode & 077) == 0, entry.path().c_str());
        }
    }

    void whatARunLeavesTheNextOneFinds()
    {
        const Session session = create();
        const auto kept = pass(session.id, [&] { leave("a", "one"); });
        QVERIFY(kept);
        QCOMPARE(*kept, (KeptSession{.number = 2, .added = 1}));
        const auto next = pass(session.id, [&] {
            QCOMPARE(content("a"), "one");
            leave("a", "two");
            leave("b", "new");
        });
        QCOMPARE(*next, (KeptSession{.number = 3, .added = 1, .changed = 1}));
        QCOMPARE(*pass(session.id, [] { }), KeptSession());
        QCOMPARE(m_sessions->find(session.id)->head, 3);
    }

    // Everything that decides what a file is.
    void eachStateCanBeGoneBackTo()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("a", "one"); }));
        QVERIFY(pass(session.id, [&] {
            leave("a", "two");
            leave("b", "b");
        }));
        const auto back = m_sessions->rollBack(session.id, 2);
        QVERIFY(back);
        QCOMPARE(back->head, 4);
        QVERIFY(back->now().cause == SnapshotCause::Rollback);
        QCOMPARE(back->now().source, 2);
        QVERIFY(pass(session.id, [&] {
            QCOMPARE(content("a"), "one");
            QCOMPARE(content("b"), "(none)");
        }));
        QVERIFY(m_sessions->rollBack(session.id, 3)); // and forward again
        QCOMPARE(contentOf(*m_sessions->find(session.id), "a"), u"two"_s);
        QCOMPARE(m_sessions->rollBack(session.id, 77).error().code, ErrorCode::NotFound);
        const auto changes = m_sessions->difference(*m_sessions->find(session.id), 2, 3);
        QCOMPARE(changes->size(), 2);
        QCOMPARE(changes->at(0).path, "a");
        QVERIFY(changes->at(0).kind == FolderChange::Kind::Changed);
        QVERIFY(changes->at(1).kind == FolderChange::Kind::Added);
    }

    void aForkGoesItsOwnWay()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("a", "shared"); }));
        QVERIFY(pass(session.id, [&] { leave("later", "x"); }));
        const auto fork = m_sessions->fork(session.id, 2, {.name = u"fork"_s});
        QVERIFY(fork);
        QCOMPARE(pathsOf(*fork), QByteArrayList{"a"});
        QVERIFY(pass(fork->id, [&] { leave("a", "changed"); }));
        QCOMPARE(contentOf(*m_sessions->find(session.id), "a"), u"shared"_s);
        QVERIFY(m_sessions->remove(session.id));
        QCOMPARE(contentOf(*m_sessions->find(u"fork"_s), "a"), u"changed"_s);
        QVERIFY(m_sessions->rollBack(fork->id, 1));
        QCOMPARE(contentOf(*m_sessions->find(fork->id), "a"), u"shared"_s);
    }

    void aDeletedOneLeavesNothing()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("a", "one"); }));
        QVERIFY(m_sessions->remove(session.id));
        QCOMPARE(QDir(folder()).entryList(QDir::Dirs | QDir::NoDotAndDotDot | QDir::Hidden), QStringList());
        QCOMPARE(m_sessions->remove(session.id).error().code, ErrorCode::NotFound);
        QCOMPARE(m_sessions->find(session.id).error().code, ErrorCode::NotFound);
    }

    void anExpiredOneIsGone()
    {
        const auto session = m_sessions->create({.name = u"short"_s, .timeToLive = 60s});
        const auto lasting = m_sessions->create({.name = u"lasting"_s, .timeToLive = {}});
        m_clock.m_now += 59'000'000;
        QVERIFY(pass(session->id, [&] { leave("a", "x"); })); // used again
        m_clock.m_now += 59'000'000;
        QVERIFY(m_sessions->find(u"short"_s));
        m_clock.m_now += 2'000'000;
        QVERIFY(m_sessions->find(u"short"_s)); // by a clock that may be wrong
        for (int look = 0; look < 4; ++look) {
            QVERIFY(m_sessions->find(u"short"_s));
            if (look == 3)
                break; // the last look deletes
            QCOMPARE(m_sessions->recover().size(), 0);
            m_clock.m_now += 20'000'000;
        }
        const QString doubt = folder() + u'/' + session->id + u"/doubt"_s;
        const QByteArray used = QByteArray::number(m_sessions->find(u"short"_s)->usedMicroseconds);
        QCOMPARE(replaceFile(doubt, used + " 1 60000000"), 0);
        QVERIFY(!m_sessions->find(u"short"_s));
        QVERIFY(!m_sessions->find(session->id));
        QCOMPARE(m_sessions->use(session->id, {}).error().code, ErrorCode::NotFound);
        QCOMPARE(m_sessions->list()->size(), 1);
        QCOMPARE(m_sessions->recover().size(), 1);
        QVERIFY(!QFile::exists(folder() + u'/' + session->id));
        m_clock.m_now += qint64(3600) * 24 * 365 * 10 * 1'000'000;
        QVERIFY(m_sessions->find(lasting->id));
    }

    // As after a start with an empty battery, until the network tells the time: what was used then isn't older for that.
    void aClockThatGoesBackExpiresNothing()
    {
        const auto session = m_sessions->create({.name = u"shop"_s, .timeToLive = 3600s});
        const qint64 now = m_clock.m_now;
        m_clock.m_now -= qint64(3600) * 24 * 365 * 1'000'000;
        QVERIFY(pass(session->id, [&] { leave("a", "x"); }));
        m_clock.m_now = now + qint64(1800) * 1'000'000;
        QVERIFY(m_sessions->find(u"shop"_s));
        QVERIFY(m_sessions->recover().isEmpty());
        QCOMPARE(m_sessions->find(u"shop"_s)->usedMicroseconds, now);
    }

    // As by a wrong battery, or on a machine that was resumed with another one's time.
    void aClockThatJumpsAheadDeletesNothing()
    {
        const auto session = m_sessions->create({.name = u"shop"_s, .timeToLive = std::chrono::days(30)});
        const qint64 now = m_clock.m_now;
        constexpr qint64 year = qint64(3600) * 24 * 365 * 1'000'000;
        for (int looks = 0; looks < 3; ++looks) { // even twice
            m_clock.m_now += year;
            QCOMPARE(m_sessions->recover().size(), 0);
            QVERIFY(m_sessions->find(u"shop"_s));
        }
        m_clock.m_now = now;
        QCOMPARE(m_sessions->recover().size(), 0);
        QVERIFY(!QFile::exists(folder() + u'/' + session->id + u"/doubt"_s)); // later ones count anew
        m_clock.m_now += year;
        for (int starts = 0; starts < 1000; ++starts) { // many starts make it no later
            m_clock.m_now += 1'000'000;
            QCOMPARE(m_sessions->recover().size(), 0);
        }
        QVERIFY(pass(session->id, [&] { leave("a", "x"); })); // used again, by its name
        QVERIFY(!m_sessions->find(u"shop"_s)->isExpired(m_clock.m_now));
    }

    // The clock was a century ahead while it was used.
    void aClockThatWasAheadMakesNoneImmortal()
    {
        constexpr qint64 day = qint64(3600) * 24 * 1'000'000;
        const auto session = m_sessions->create({.name = u"shop"_s, .timeToLive = std::chrono::days(30)});
        const qint64 now = m_clock.m_now;
        m_clock.m_now += 36'500 * day;
        QVERIFY(pass(session->id, [&] { leave("a", "x"); }));
        m_clock.m_now = now + day;
        QCOMPARE(m_sessions->recover().size(), 0);
        QVERIFY(m_sessions->find(u"shop"_s)->usedMicroseconds > m_clock.m_now); // for now
        for (int days = 0; days < 40; ++days) {
            if (!m_sessions->recover().isEmpty()) {
                QVERIFY2(days > 30, qPrintable(QString::number(days)));
                return;
            }
            m_clock.m_now += day;
        }
        QFAIL("The session is there still.");
    }

    void oneRunAtATimeIsInIt()
    {
        const Session session = create();
        auto use = std::make_optional(m_sessions->use(session.id, {}));
        QVERIFY(*use);
        QVERIFY(m_sessions->isBusy(session.id));
        QCOMPARE(m_sessions->rollBack(session.id, 1).error().code, ErrorCode::Busy);
        QCOMPARE(m_sessions->remove(session.id).error().code, ErrorCode::Busy);
        QCOMPARE(m_sessions->fork(session.id, 0, {}).error().code, ErrorCode::Busy);
        std::atomic<bool> waits = false;
        std::atomic<bool> isIn = false;
        std::jthread other([&] {
            const auto second = m_sessions->use(session.id, {}, [&] { waits = true; });
            isIn = second.has_value();
        });
        QTRY_VERIFY(waits);
        QVERIFY(!isIn);
        use.reset();
        QTRY_VERIFY(isIn);
        other.join();
        QVERIFY(!m_sessions->isBusy(session.id));

        use = m_sessions->use(session.id, {});
        std::stop_source stop;
        std::jthread stopper([&] { stop.request_stop(); });
        QCOMPARE(m_sessions->use(session.id, stop.get_token()).error().code, ErrorCode::Cancelled);
    }

    // The page and the list of sessions look often.
    void whoOnlyLooksKeepsNobodyFromASession()
    {
        const Session session = create();
        std::atomic<bool> seemsBusy = false;
        int refused = 0;
        {
            const auto look = [&](const std::stop_token &stop) {
                while (!stop.stop_requested())
                    static_cast<void>(m_sessions->isBusy(session.id));
            };
            const std::jthread looker(look);
            constexpr int changes = 60;
            for (int i = 0; i < changes; ++i)
                refused += m_sessions->label(session.id, QString::number(i + 1)) ? 0 : 1;
        }
        QCOMPARE(refused, 0);
        {
            const auto look = [&] { // nor do two of them see each other
                for (int i = 0; i < 2000; ++i)
                    seemsBusy = m_sessions->isBusy(session.id) || seemsBusy;
            };
            const std::jthread first(look), second(look);
        }
        QVERIFY(!seemsBusy);
    }

    // A damaged file is told before a run begins, and going back leads out of it.
    void damageIsTold()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("good", "good"); }));
        QVERIFY(pass(session.id, [&] { leave("a", "to be damaged"); }));
        const auto tree = m_sessions->tree(*m_sessions->find(session.id));
        const QString hex = QString::fromLatin1(tree->first().digest.toHex());
        QFile file(folder() + u'/' + session.id + u"/content/"_s + hex.first(2) + u'/' + hex.sliced(2));
        QVERIFY(file.open(QIODevice::ReadWrite));
        file.write("X");
        file.close();
        const auto kept = pass(session.id, [] { });
        QVERIFY(!kept);
        QCOMPARE(kept.error().code, ErrorCode::Damaged);
        QVERIFY(kept.error().message.english().contains(u"\"a\""_s));
        QVERIFY(m_sessions->rollBack(session.id, 2));
        QVERIFY(pass(session.id, [&] { QCOMPARE(content("good"), "good"); }));
    }

    void aDamagedTreeIsNamedAndGoneBackFrom()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("good", "good"); }));
        QVERIFY(pass(session.id, [&] { leave("b", "b"); }));
        const QString hex = QString::fromLatin1(m_sessions->find(session.id)->now().tree.toHex());
        QVERIFY(QFile::remove(folder() + u'/' + session.id + u"/content/"_s + hex.first(2) + u'/' + hex.sliced(2)));
        const auto kept = pass(session.id, [] { });
        QVERIFY(!kept);
        QVERIFY2(kept.error().message.english().contains(u"Snapshot 3"_s), qPrintable(kept.error().message.english()));
        QVERIFY(m_sessions->rollBack(session.id, 2));
        QVERIFY(pass(session.id, [&] { QCOMPARE(content("good"), "good"); }));
    }

    void damagedNotesDontHideTheOthers()
    {
        const Session broken = create(u"broken"_s);
        const Session newer = create(u"newer"_s);
        const Session good = create(u"good"_s);
        QFile notes(folder() + u'/' + broken.id + u"/session.json"_s);
        QVERIFY(notes.resize(40));
        QFile other(folder() + u'/' + newer.id + u"/session.json"_s);
        QVERIFY(other.open(QIODevice::ReadWrite));
        const QByteArray text = other.readAll().replace("\"schema\":1", "\"schema\":9");
        other.seek(0);
        other.write(text);
        other.close();
        QList<Error> damaged;
        const auto all = m_sessions->list(&damaged);
        QCOMPARE(all->size(), 1);
        QCOMPARE(all->first().id, good.id);
        QCOMPARE(damaged.size(), 2);
        QCOMPARE(m_sessions->find(broken.id).error().code, ErrorCode::Damaged);
        QCOMPARE(m_sessions->find(newer.id).error().code, ErrorCode::Newer);
        QCOMPARE(m_sessions->use(newer.id, {}).error().code, ErrorCode::Newer);
        QVERIFY(m_sessions->remove(broken.id));
    }

    void notesThatNobodyWroteSoAreDamaged_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        const auto row = [](const char *name, const char *from, const char *to) {
            QTest::newRow(name) << QByteArray(from) << QByteArray(to);
        };
        row("a time that has no end", "\"ttl_s\":2592000", "\"ttl_s\":9007199254740991");
        row("a time before now", "\"ttl_s\":2592000", "\"ttl_s\":-1");
        row("a time in words", "\"ttl_s\":2592000", "\"ttl_s\":\"30d\"");
        row("a disk that no machine has", "\"disk_bytes\":8388608", "\"disk_bytes\":9007199254740991");
        row("the last number", "\"number\":2,", "\"number\":2147483647,");
        row("a number below one", "\"number\":1,", "\"number\":-1,");
        row("a number twice", "\"number\":1,", "\"number\":2,");
        row("no version", "\"schema\":1", "\"schema\":\"1\"");
        row("no hash", "\"tree\":\"", "\"tree\":\"00");
        row("less than nothing", "\"stored_bytes\":", "\"stored_bytes\":-");
    }
    void notesThatNobodyWroteSoAreDamaged()
    {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("a", "a"); }));
        QFile notes(folder() + u'/' + session.id + u"/session.json"_s);
        QVERIFY(notes.open(QIODevice::ReadWrite));
        const QByteArray text = notes.readAll();
        QVERIFY2(text.contains(from), text);
        notes.resize(0);
        notes.seek(0);
        QByteArray changed = text;
        changed.replace(text.indexOf(from), from.size(), to); // of the first snapshot; the newest is as it was
        if (to.contains("2147483647"))
            changed.replace("\"head\":2", "\"head\":2147483647");
        notes.write(changed);
        notes.close();
        const auto found = m_sessions->find(session.id);
        QVERIFY(!found);
        QCOMPARE(found.error().code, ErrorCode::Damaged);
        QVERIFY(m_sessions->remove(session.id));
    }

    void notesThatAreNoFileAreDamaged()
    {
        const Session session = create();
        const QString notes = folder() + u'/' + session.id + u"/session.json"_s;
        QVERIFY(QFile::remove(notes));
        QCOMPARE(::mkfifo(QFile::encodeName(notes).constData(), 0600), 0);
        QCOMPARE(m_sessions->find(session.id).error().code, ErrorCode::Damaged);
        QVERIFY(m_sessions->remove(session.id));
    }

    // Labelled ones stay for ever, others as long as there are few.
    void oldSnapshotsMakeRoom()
    {
        const Session session = create(u"many"_s, 1 * mebibyte);
        QVERIFY(pass(session.id, [&] { leave("f", "the first"); }));
        QVERIFY(m_sessions->label(session.id, u" before the tidying "_s));
        QByteArray large(600 * 1024, 'x');
        for (int i = 0; i < 12; ++i) {
            large[i] = 'y';
            QVERIFY(pass(session.id, [&] { leave("f", large); }));
        }
        const auto now = m_sessions->find(session.id);
        QVERIFY2(now->storedBytes <= 4 * mebibyte, qPrintable(QString::number(now->storedBytes)));
        QVERIFY(now->snapshots.size() < 13);
        QCOMPARE(now->snapshot(2)->label, u"before the tidying"_s);
        QCOMPARE(now->head, 14);
        QVERIFY(m_sessions->rollBack(session.id, 2));
        QCOMPARE(contentOf(*m_sessions->find(session.id), "f"), u"the first"_s);
        QCOMPARE(m_sessions->label(session.id, u" "_s).error().code, ErrorCode::InvalidInput);
    }

    // What is told to be kept is there, whenever this program is killed; what a kill leaves, the next program removes.
    void aKillLosesNothingThatWasAcknowledged()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("counter", "0"); }));
        int acknowledged = 0;
        for (int kill = 0; kill < 200; ++kill) {
            int pipeEnds[2];
            QCOMPARE(::pipe2(pipeEnds, O_CLOEXEC), 0);
            const pid_t child = ::fork();
            if (child == 0) {
                for (int i = acknowledged + 1;; ++i) {
                    const auto kept = pass(session.id, [&] { leave("counter", QByteArray::number(i)); });
                    if (!kept || ::write(pipeEnds[1], &i, sizeof i) != sizeof i)
                        ::_exit(1);
                }
            }
            ::close(pipeEnds[1]);
            const UniqueFd said(pipeEnds[0]);
            while (::read(said.get(), &acknowledged, sizeof acknowledged) != sizeof acknowledged) { }
            std::this_thread::sleep_for(
                std::chrono::microseconds(kill % 20 * 700 + kill / 20 * 35)); // at some moment of the next one
            sendSignal(child, SIGKILL);
            ::waitpid(child, nullptr, 0);
            for (int last = 0; ::read(said.get(), &last, sizeof last) == sizeof last;)
                acknowledged = last;
            m_sessions->recover();
            const auto now = m_sessions->find(session.id);
            QVERIFY(now);
            const int found = contentOf(*now, "counter").toInt();
            QVERIFY2(found == acknowledged || found == acknowledged + 1,
                     qPrintable(u"%1 after %2"_s.arg(found).arg(acknowledged)));
            acknowledged = found;
        }
        // A state is a file of its own and a list.
        const auto now = m_sessions->find(session.id);
        QVERIFY(pass(session.id, [] { }));
        QVERIFY(!QFile::exists(folder() + u'/' + session.id + u"/keeping"_s));
        QVERIFY2(storedFiles(session.id) <= now->snapshots.size() * 2,
                 qPrintable(u"%1 files of %2 snapshots"_s.arg(storedFiles(session.id)).arg(now->snapshots.size())));
    }

    void halfMadeAndHalfRemovedOnesGo()
    {
        const Session session = create();
        QVERIFY(QDir(folder()).mkpath(u"0190a000-0000-7000-8000-000000000000.new/content"_s));
        QVERIFY(QDir(folder()).mkpath(u"0190a000-0000-7000-8000-000000000001.removed/content"_s));
        QVERIFY(m_sessions->recover().isEmpty());
        QCOMPARE(QDir(folder()).entryList(QDir::Dirs | QDir::NoDotAndDotDot), QStringList{session.id});
    }
};

QTEST_GUILESS_MAIN(TestSessions)
#include "tst_sessions.moc"
