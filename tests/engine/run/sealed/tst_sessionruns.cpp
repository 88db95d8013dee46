// SPDX-License-Identifier: Apache-2.0
// Real sealed runs in a session: what they leave is there for the next one, all else is as sealed as ever.
#include "lentfixture.h"

#include <QDir>
#include <QJsonDocument>
#include <QProcess>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestSessionRuns : public LentFixture
{
    Q_OBJECT

    Session create(const NewSession &wanted = {.name = u"shop"_s})
    {
        const auto session = m_engine->createSession(wanted, m_engine->caller());
        if (!session)
            qWarning("%s", qPrintable(session.error().message.english()));
        return session.value_or(Session());
    }
    RunRequest inSession(const QString &session, const QByteArray &code, const QByteArray &language = "python")
    {
        RunRequest wanted = request(language, code, {});
        wanted.session = session;
        return wanted;
    }
    std::shared_ptr<const RunResult> runIn(const QString &session, const QByteArray &code,
                                           const QByteArray &language = "python")
    {
        return m_engine->start(inSession(session, code, language))->wait();
    }
    QByteArrayList pathsOf(const QString &id) const
    {
        QByteArrayList paths;
        const auto session = m_engine->sessions().find(id);
        for (const SessionEntry &entry : m_engine->sessions().tree(*session).value_or(SessionTree()))
            paths.append(entry.path);
        return paths;
    }
    static QString eventOf(const RunResult &result, EventType type)
    {
        for (const RunEvent &event : result.events) {
            if (event.type == type)
                return event.detail.english();
        }
        return {};
    }

private Q_SLOTS:
    void cleanup() { m_engine.reset(); }

    // It fills and keeps while another run is in the session.
    void aParallelRunWaitsForNobody()
    {
        open();
        const Session session = create();
        runIn(session.id, "open('a', 'w').write('one')");
        RunRequest waiting = inSession(session.id, "import sys; open('b', 'w').write(sys.stdin.read())");
        const auto first = m_engine->start(waiting);
        QTRY_COMPARE(first->state(), RunState::Running);
        RunRequest parallel = inSession(session.id, "print(open('a').read()); open('c', 'w')");
        parallel.isParallel = true;
        const auto beside = m_engine->start(parallel)->wait();
        QCOMPARE(beside->out.head, "one\n");
        QCOMPARE(eventOf(*beside, EventType::SessionKept),
                 u"In its copy of the session, the run added 1, changed 0 and removed 0 of the files and folders. "
                 "Snapshot 3 has the copy; the session itself has none of that."_s);
        QVERIFY(entries(beside->id).contains("\"parallel\":true"));
        first->closeInput();
        QVERIFY(first->wait()->outcome == Outcome::Completed);
        QCOMPARE(pathsOf(session.id), (QByteArrayList{"a", "b"}));
        parallel.session.clear();
        QVERIFY(m_engine->start(parallel)->wait()->outcome == Outcome::Rejected);
    }

    void filesLastFromRunToRun_data()
    {
        QTest::addColumn<NativeBuilder>("builder");
        QTest::addColumn<bool>("warm");
        QTest::newRow("direct") << NativeBuilder::Direct << false;
        QTest::newRow("direct, warm") << NativeBuilder::Direct << true;
        QTest::newRow("bwrap") << NativeBuilder::Bubblewrap << false;
        QTest::newRow("bwrap, warm") << NativeBuilder::Bubblewrap << true;
    }
    void filesLastFromRunToRun()
    {
        QFETCH(NativeBuilder, builder);
        QFETCH(bool, warm);
        open(builder, warm);
        const Session session = create();
        const auto first = runIn(session.id, "import os, pathlib\n"
                                             "pathlib.Path('data.txt').write_text('kept')\n"
                                             "pathlib.Path('/tmp/gone').write_text('x')\n"
                                             "os.makedirs('sub/deep'); os.symlink('data.txt', 'link')\n"
                                             "os.link('data.txt', 'sub/again'); os.chmod('data.txt', 0o640)\n");
        QVERIFY2(first->outcome == Outcome::Completed, qPrintable(first->reason.english()));
        QCOMPARE(eventOf(*first, EventType::SessionKept),
                 u"In the session, the run added 5, changed 0 and removed 0 of the files and folders (snapshot 2)."_s);
        QVERIFY(entries(first->id).contains("\"session\":\"" + session.id.toLatin1() + '"'));
        QVERIFY(first->artifacts.isEmpty()); // both are names of one file

        const auto second =
            runIn(session.id, "import os\n"
                              "print(open('data.txt').read(), os.readlink('link'), os.stat('data.txt').st_nlink,"
                              " oct(os.stat('data.txt').st_mode), os.path.exists('/tmp/gone'), os.getuid() =="
                              " os.stat('data.txt').st_uid, sorted(os.listdir('.')))\n"
                              "open('data.txt', 'a').write(' on'); os.remove('link'); open('new', 'w').write('n')\n");
        QCOMPARE(second->out.head, "kept data.txt 2 0o100640 False True ['data.txt', 'link', 'main.py', 'sub']\n");
        QCOMPARE(eventOf(*second, EventType::SessionKept),
                 u"In the session, the run added 1, changed 2 and removed 1 of the files and folders (snapshot 3)."_s);
        QCOMPARE(second->artifacts.size(), 1); // not what was there before
        QCOMPARE(second->artifacts.first().path, u"new"_s);
        const auto third = runIn(session.id, "cat data.txt sub/again; rm -r sub", "sh");
        QCOMPARE(third->out.head, "kept onkept on");
        QCOMPARE(pathsOf(session.id), (QByteArrayList{"data.txt", "new"}));
        const auto without = run("python", "import os; print(os.listdir('.'))", {});
        QCOMPARE(without->out.head, "['main.py']\n");
    }

    // Maps of files in memory that were read first change no time of the file (mmap(2), MAP_SHARED).
    void whatIsWrittenThroughAMapIsKept()
    {
        open();
        const Session session = create();
        QCOMPARE(runIn(session.id, "open('f', 'w').write('a' * 9000); open('g', 'w').write('only read')")->exitCode, 0);
        const auto result = runIn(session.id, "import mmap, os\n"
                                              "before = os.stat('f').st_ctime_ns\n"
                                              "file = open('f', 'r+b')\n"
                                              "memory = mmap.mmap(file.fileno(), 0)\n"
                                              "seen = memory[:1] + memory[8999:]\n"
                                              "memory[0:1] = b'X'; memory[8999:] = b'Y'\n"
                                              "memory.close(); file.close(); open('g').read()\n"
                                              "print(os.stat('f').st_ctime_ns == before)\n");
        QCOMPARE(eventOf(*result, EventType::SessionKept),
                 u"In the session, the run added 0, changed 1 and removed 0 of the files and folders (snapshot 3)."_s);
        QCOMPARE(result->artifacts.size(), 1);
        QCOMPARE(result->artifacts.first().path, u"f"_s);
        const auto next = runIn(session.id, "text = open('f').read(); print(text[0], text[-1], len(text))");
        QCOMPARE(next->out.head, "X Y 9000\n");
        QCOMPARE(eventOf(*next, EventType::SessionKept), QString());
    }

    void aRunThatIsKilledLeavesWhatItWrote()
    {
        open();
        const Session session = create();
        RunRequest wanted = inSession(session.id, "import time\nopen('half', 'w').write('so far')\ntime.sleep(60)\n");
        wanted.policy.limits.wall = 1s;
        const auto result = m_engine->start(wanted)->wait();
        QVERIFY(result->outcome == Outcome::TimedOut);
        QCOMPARE(pathsOf(session.id), QByteArrayList{"half"});
        QCOMPARE(runIn(session.id, "exit 3", "sh")->exitCode, 3);
        QCOMPARE(pathsOf(session.id), QByteArrayList{"half"});
    }

    // But an installation that is cancelled leaves nothing, which would be thrown away at once.
    void aCancelledInstallationKeepsNothing_data()
    {
        QTest::addColumn<bool>("getsPackages");
        QTest::newRow("a run") << false;
        QTest::newRow("an installation") << true;
    }
    void aCancelledInstallationKeepsNothing()
    {
        QFETCH(bool, getsPackages);
        open();
        const Session session = create();
        RunRequest wanted = inSession(session.id, "import time\nopen('half', 'w').write('so far')\n"
                                                  "print('written', flush=True)\ntime.sleep(60)\n");
        wanted.getsPackages = getsPackages;
        const auto run = m_engine->start(wanted);
        QTRY_VERIFY(run->output(0, 100).chunks.size() == 1);
        run->cancel();
        const auto result = run->wait();
        QVERIFY(result->outcome == Outcome::Cancelled);
        QCOMPARE(pathsOf(session.id), getsPackages ? QByteArrayList() : QByteArrayList{"half"});
        QCOMPARE(eventOf(*result, EventType::SessionLost).isEmpty(), !getsPackages);
        wanted.code = "print(2)";
        QVERIFY(m_engine->start(wanted)->wait()->outcome == Outcome::Completed);
    }

    // The kernel refuses; the session holds what fits, and the next run can be in it.
    void theDiskIsTheSessions()
    {
        open();
        const Session session = create({.name = u"small"_s, .diskBytes = 8 * mebibyte});
        const auto full = runIn(session.id, "import os\n"
                                            "f = os.open('f', os.O_CREAT | os.O_WRONLY)\n"
                                            "try:\n  while True: os.write(f, b'x' * 65536)\n"
                                            "except OSError as e: print(e.errno)\n"
                                            "try: os.posix_fallocate(f, 0, 1 << 30)\n"
                                            "except OSError as e: print(e.errno)\n");
        QCOMPARE(full->out.head, "28\n28\n");
        const auto after = runIn(session.id, "import os; print(os.listdir('.')); open('y', 'w').write('y') #"
                                                 + QByteArray(500'000, 'x'));
        QVERIFY2(after->outcome == Outcome::Completed, qPrintable(after->reason.english()));
        QVERIFY(pathsOf(session.id).contains("y"));
        const auto names = runIn(session.id, "i=0; while true > n$i; do i=$((i+1)); done 2>/dev/null; echo $i", "sh");
        QVERIFY(names->out.head.toInt() > 500);
        const auto again = runIn(session.id, "rm -f n*; echo fine", "sh");
        QVERIFY2(again->out.head == "fine\n", qPrintable(again->reason.english()));
        QCOMPARE(m_engine->sessions().find(session.id)->storedBytes <= 4 * 8 * mebibyte, true);
    }

    void whatIsntThereIsRefused()
    {
        open();
        const Session session = create();
        const auto missing = runIn(u"0190a000-0000-7000-8000-000000000000"_s, "print(1)");
        QVERIFY(missing->outcome == Outcome::Rejected);
        QVERIFY(missing->reason.english().startsWith(u"There is no session"_s));
        QVERIFY(runIn(u"../../etc"_s, "print(1)")->outcome == Outcome::Rejected);
        RunRequest agents = inSession(session.id, "print(1)");
        agents.caller.kind = Caller::Kind::Mcp;
        agents.caller.pairing = u"0190a000-0000-7000-8000-000000000001"_s;
        QVERIFY(m_engine->start(agents)->wait()->outcome != Outcome::Completed);
        QVERIFY(m_engine->deleteSession(session.id, m_engine->caller()));
        QVERIFY(runIn(session.id, "print(1)")->outcome == Outcome::Rejected);
        QVERIFY(!QFile::exists(m_home->path() + u"/data/sessions/"_s + session.id));
    }

    // Of this engine and of another program's.
    void othersWaitUntilARunIsOver()
    {
        open();
        const Session session = create();
        const auto first = m_engine->start(inSession(session.id, "read line; echo first >> log", "sh"));
        QTRY_VERIFY(first->state() == RunState::Running);
        const auto second = m_engine->start(inSession(session.id, "echo second >> log; cat log", "sh"));
        QTRY_VERIFY(!second->events(0).events.isEmpty());
        QVERIFY(second->events(0).events.first().type == EventType::SessionWaits);
        QVERIFY(second->state() == RunState::Queued);
        const auto third = m_engine->start(inSession(session.id, "echo third", "sh"));
        QTRY_VERIFY(!third->events(0).events.isEmpty());
        // They hold nothing that others need: there are two slots.
        QVERIFY(run("sh", "echo other", {})->outcome == Outcome::Completed);
        third->cancel();
        QVERIFY(third->wait()->outcome == Outcome::Cancelled);
        QCOMPARE(m_engine->deleteSession(session.id, m_engine->caller()).error().code, ErrorCode::Busy);
        first->closeInput();
        QCOMPARE(second->wait()->out.head, "first\nsecond\n");
    }

    // The store is out of reach, and so is every other session.
    void otherSessionsAreOutOfReach()
    {
        open();
        const Session own = create({.name = u"own"_s});
        const Session other = create({.name = u"other"_s});
        QVERIFY(runIn(other.id, "echo sesame > key", "sh")->outcome == Outcome::Completed);
        const QByteArray data = (m_home->path() + u"/data"_s).toUtf8();
        const auto result = runIn(own.id,
                                  "ls -a /work; grep -c glovebox-sessions /proc/self/mountinfo; ls " + data
                                      + " 2>&1; grep -rsl sesame / --exclude-dir=proc --exclude-dir=sys"
                                        " --exclude-dir=usr --exclude-dir=dev; true",
                                  "sh");
        QVERIFY2(!result->out.head.contains("key") && !result->out.head.contains(other.id.toLatin1()),
                 result->out.head.constData());
        QVERIFY2(result->out.head.contains("No such file") || result->out.head.contains("cannot access"),
                 result->out.head.constData());
        QCOMPARE(result->out.head.count("main.sh"), 2); // listed, and it has the word itself
    }

    void filesOfARunAreTheSessionsButItsCodeIsNot()
    {
        open();
        const Session session = create();
        RunRequest wanted = inSession(session.id, "print(open('table.csv').read())");
        wanted.files = {{"table.csv", "x,y"}};
        QCOMPARE(m_engine->start(wanted)->wait()->out.head, "x,y\n");
        QCOMPARE(pathsOf(session.id), QByteArrayList{"table.csv"});
        wanted.files = {{"table.csv", "other"}}; // covers the session's, and takes its place
        QCOMPARE(m_engine->start(wanted)->wait()->out.head, "other\n");
        QCOMPARE(runIn(session.id, "cat table.csv", "sh")->out.head, "other");
    }

    void aLentSecretStaysOut()
    {
        open();
        add(u"KEY"_s, SecretValue::copyOf("correct-horse-battery"));
        const Session session = create();
        RunRequest wanted = request("sh", "echo \"$KEY\" > plain; echo \"$KEY\" | base64 > coded; echo ok > fine",
                                    {{.name = u"KEY"_s, .variable = u"KEY"_s}});
        wanted.session = session.id;
        const auto result = m_engine->start(wanted)->wait();
        QVERIFY2(result->outcome == Outcome::Completed, qPrintable(result->reason.english()));
        QCOMPARE(pathsOf(session.id), QByteArrayList{"fine"});
        QCOMPARE(
            eventOf(*result, EventType::SessionSkipped),
            u"A secret of the run is in files, so the session doesn't keep them: \"coded\", \"plain\" (2 in all)."_s);
        QDir content(m_home->path() + u"/data/sessions/"_s + session.id + u"/content"_s);
        QProcess grep;
        grep.start(u"grep"_s, {u"-rc"_s, u"correct-horse"_s, content.path()});
        QVERIFY(grep.waitForFinished());
        QVERIFY(grep.exitCode() != 0);
    }

    void deedsAreOnRecord()
    {
        open();
        const Session session = create();
        QVERIFY(runIn(session.id, "echo 1 > a", "sh"));
        QVERIFY(m_engine->changeSession(session.id, RollBack{1}, m_engine->caller()));
        QVERIFY(m_engine->forkSession(session.id, 2, {.name = u"fork"_s}, m_engine->caller()));
        QVERIFY(m_engine->deleteSession(session.id, m_engine->caller()));
        const auto reader = m_engine->auditReader();
        QStringList kinds;
        for (qint64 seq = 1;; ++seq) {
            const auto entry = (*reader)->entry(seq);
            if (!entry)
                break;
            const QJsonObject fields = QJsonDocument::fromJson(entry->json).object();
            if (const QString kind = fields["kind"_L1].toString(); kind.startsWith(u"session."_s))
                kinds.append(kind + u' ' + fields["action"_L1].toString() + fields["from"_L1].toString());
        }
        QCOMPARE(kinds, (QStringList{u"session.created "_s, u"session.changed rollback"_s,
                                     u"session.created "_s + session.id, u"session.deleted "_s}));
    }
};

QTEST_GUILESS_MAIN(TestSessionRuns)
#include "tst_sessionruns.moc"
