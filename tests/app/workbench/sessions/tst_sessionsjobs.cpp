// SPDX-License-Identifier: Apache-2.0
// Jobs of a session on its page: the output of a real job as it comes, its port in the browser, and its end.
#include "sessionsseat.h"

#include "app/workbench/runpanel/output/outputview.h"
#include "app/workbench/shell/background.h"
#include "tests/support/signals.h"

#include <QDesktopServices>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QUrl>

#include <csignal>
#include <semaphore>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestSessionsJobs : public QObject, public SessionsSeat
{
    Q_OBJECT

    static constexpr char server[] = "import http.server, sys\n"
                                     "print('serves', flush=True)\n"
                                     "http.server.HTTPServer(('127.0.0.1', 8000), "
                                     "http.server.SimpleHTTPRequestHandler).serve_forever()\n";

    // By the command line, as a person starts one; its id.
    QString startJob(const QString &session, const QString &code = QString::fromLatin1(server))
    {
        QProcess program;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"GLOVEBOX_HOME"_s, desk->home.path());
        program.setProcessEnvironment(environment);
        program.start(QStringLiteral(GLOVEBOX_BIN "/glovebox"),
                      {u"run"_s, u"--session"_s, session, u"--detach"_s, u"-q"_s, u"-t"_s, u"120"_s, u"-l"_s,
                       u"python"_s, u"-c"_s, code});
        if (!program.waitForFinished(60'000) || program.exitCode() != 0)
            qWarning("%s", program.readAllStandardError().constData());
        m_jobs.append(QString::fromUtf8(program.readAllStandardOutput().trimmed()));
        return m_jobs.last();
    }
    Jobs jobs() const { return Jobs(desk->paths.jobsFolder()); }
    OutputView *output() const { return find<OutputView>(u"sessions.jobs.output"_s); }

public Q_SLOTS:
    void takeUrl(const QUrl &url) { m_urls.append(url); }

private Q_SLOTS:
    void init()
    {
        m_urls.clear();
        sitDown();
    }
    void cleanup()
    {
        for (const QString &job : std::as_const(m_jobs)) {
            if (const auto running = jobs().find(job))
                static_cast<void>(jobs().stop(*running));
        }
        m_jobs.clear();
        desk.reset();
    }

    void aJobIsSeenOpenedAndStopped()
    {
        const Session shop = make();
        desk->context.navigateTo(u"sessions"_s, {{u"session"_s, shop.id}});
        QTRY_VERIFY(shows(u"sessions.details"_s));
        QVERIFY(!shows(u"sessions.jobs.output"_s)); // nothing runs
        const QString job = startJob(shop.id);
        QVERIFY(!job.isEmpty());
        act(u"sessions.refresh"_s);
        QTRY_VERIFY(shows(u"sessions.jobs.output"_s));
        QTRY_VERIFY(output()->text().contains(u"serves"_s));
        QCOMPARE(text(u"sessions.jobs.remark"_s), u"1 running"_s);

        QDesktopServices::setUrlHandler(u"http"_s, this, "takeUrl");
        press(u"sessions.jobs.ask"_s);
        QTRY_VERIFY(find<QLineEdit>(u"sessions.jobs.port"_s)->hasFocus());
        QTest::keyClicks(find<QLineEdit>(u"sessions.jobs.port"_s), u"8000"_s);
        QTest::keyClick(find<QLineEdit>(u"sessions.jobs.port"_s), Qt::Key_Return);
        QTRY_COMPARE(m_urls.size(), 1);
        QVERIFY2(m_urls[0].host().endsWith(u".localhost"_s) && m_urls[0].hasQuery(), qPrintable(m_urls[0].toString()));
        QVERIFY(!shows(u"sessions.jobs.port"_s));
        QTRY_VERIFY(shows(u"sessions.jobs.page"_s));
        QCOMPARE(find<QPushButton>(u"sessions.jobs.page"_s)->text(), u"Port 8000"_s);
        QVERIFY(desk->save(u"sessions-jobs"_s));
        press(u"sessions.jobs.page"_s); // another link
        QTRY_COMPARE(m_urls.size(), 2);
        QVERIFY(m_urls[0] != m_urls[1] && m_urls[0].port() == m_urls[1].port());
        QDesktopServices::unsetUrlHandler(u"http"_s);
        press(u"sessions.jobs.closeport"_s);
        QTRY_VERIFY(!shows(u"sessions.jobs.page"_s));
        QCOMPARE(jobs().ports(*jobs().find(job))->size(), 0);

        press(u"sessions.jobs.stop"_s);
        QTRY_VERIFY_WITH_TIMEOUT(output()->text().contains(u"The job has ended."_s), 20'000);
        QTRY_VERIFY(!shows(u"sessions.jobs.stop"_s));
        QCOMPARE(text(u"sessions.jobs.remark"_s), u"none is running"_s);
        const Session other = make({.name = u"other"_s});
        desk->context.navigateTo(u"sessions"_s, {{u"session"_s, other.id}});
        QTRY_VERIFY(!shows(u"sessions.jobs.output"_s));
    }

    void aJobThatDoesNotAnswerIsMarked()
    {
        const Session shop = make();
        const qint64 process = jobs().find(startJob(shop.id)).value_or(Job()).pid;
        QCOMPARE(sendSignal(process, SIGSTOP), 0);
        desk->context.navigateTo(u"sessions"_s, {{u"session"_s, shop.id}});
        QTRY_VERIFY(shows(u"sessions.details"_s));
        QTRY_VERIFY(shows(u"sessions.jobs.silent"_s));
        QCOMPARE(sendSignal(process, SIGCONT), 0);
        act(u"sessions.refresh"_s);
        QTRY_VERIFY(shows(u"sessions.jobs.stop"_s) && !shows(u"sessions.jobs.silent"_s));
    }

    // A handler on a thread that knows nothing of it would be a surprise.
    void signalsAreForTheMainThread()
    {
        const Session shop = make();
        startJob(shop.id, u"print('one', flush=True)\nimport time\ntime.sleep(100)"_s);
        desk->context.navigateTo(u"sessions"_s, {{u"session"_s, shop.id}});
        QTRY_VERIFY(shows(u"sessions.jobs.output"_s));
        QTRY_VERIFY(output()->text().contains(u"one"_s)); // somebody follows it
        std::binary_semaphore isThere(0), goesOn(0);
        inBackground(
            desk->context.pool(), &desk->frame,
            [&] {
                isThere.release();
                goesOn.acquire();
            },
            [] {});
        isThere.acquire();
        QStringList open;
        qsizetype others = 0;
        for (const QString &task : QDir(u"/proc/self/task"_s).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            QFile file(u"/proc/self/task/%1/status"_s.arg(task));
            if (task.toLongLong() == QCoreApplication::applicationPid() || !file.open(QIODevice::ReadOnly))
                continue;
            const QString status = QString::fromUtf8(file.readAll());
            const auto field = [&](const QString &name) {
                const qsizetype at = status.indexOf(name + u':');
                return status.mid(at, status.indexOf(u'\n', at) - at).section(u':', 1).trimmed();
            };
            const QString name = field(u"Name"_s);
            if (name == u"QDBusConnection"_s || name == u"QtTest Watchdog"_s || name == u"QXcbEventQueue"_s) // Qt's own
                continue;
            ++others;
            const quint64 blocked = field(u"SigBlk"_s).toULongLong(nullptr, 16);
            for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
                if (!(blocked & (1ULL << (signal - 1))))
                    open.append(u"%1 takes signal %2"_s.arg(name).arg(signal));
            }
        }
        goesOn.release();
        QVERIFY(others >= 4); // the engine's, the pool's and the follower's
        QCOMPARE(open.join(u'\n'), QString());
    }

    void aLaterJobIsFollowed()
    {
        const Session shop = make();
        startJob(shop.id, u"print('one', flush=True)\nimport time\ntime.sleep(100)"_s);
        desk->context.navigateTo(u"sessions"_s, {{u"session"_s, shop.id}});
        QTRY_VERIFY(shows(u"sessions.jobs.output"_s));
        QTRY_VERIFY(output()->text().contains(u"one"_s));
        press(u"sessions.jobs.stop"_s);
        QTRY_VERIFY_WITH_TIMEOUT(output()->text().contains(u"The job has ended."_s), 20'000);
        QTRY_VERIFY(!shows(u"sessions.jobs.stop"_s));
        startJob(shop.id, u"print('two', flush=True)\nimport time\ntime.sleep(100)"_s);
        act(u"sessions.refresh"_s);
        QTRY_VERIFY(output()->text().contains(u"two"_s));
        QVERIFY(!output()->text().contains(u"one"_s));
        QCOMPARE(text(u"sessions.jobs.shown"_s), u"Output of print('two', flush=True)"_s);
    }

    // More than fits into memory comes by, and the window lives.
    void aFloodIsBounded()
    {
        const Session shop = make();
        startJob(shop.id, u"import sys, time\nfor i in range(300000): print('x' * 100)\nprint('done', flush=True)\n"
                          "time.sleep(100)"_s);
        desk->context.navigateTo(u"sessions"_s, {{u"session"_s, shop.id}});
        QTRY_VERIFY(shows(u"sessions.jobs.output"_s));
        QTRY_VERIFY_WITH_TIMEOUT(output()->text().contains(u"done"_s), 60'000);
        press(u"sessions.jobs.stop"_s);
        QTRY_VERIFY_WITH_TIMEOUT(!shows(u"sessions.jobs.stop"_s), 20'000);
    }

    void aPortThatCannotBeOpenedIsTold()
    {
        const Session shop = make();
        startJob(shop.id);
        desk->context.navigateTo(u"sessions"_s, {{u"session"_s, shop.id}});
        QTRY_VERIFY(shows(u"sessions.jobs.ask"_s));
        const Job job = *jobs().find(u"last"_s);
        for (const quint16 port : {quint16(1), quint16(2), quint16(3), quint16(4)})
            QVERIFY(jobs().openPort(job, port));
        press(u"sessions.jobs.ask"_s);
        QTest::keyClicks(find<QLineEdit>(u"sessions.jobs.port"_s), u"5"_s);
        press(u"sessions.jobs.open"_s);
        QTRY_VERIFY2(note().contains(u"The job has 4 ports open"_s), qPrintable(note()));
        press(u"sessions.jobs.ask"_s);
        QTest::keyClick(find<QLineEdit>(u"sessions.jobs.port"_s), Qt::Key_Escape);
        QTRY_VERIFY(!shows(u"sessions.jobs.port"_s));
    }

private:
    QStringList m_jobs;
    QList<QUrl> m_urls;
};

GLOVEBOX_TEST_MAIN(TestSessionsJobs)
#include "tst_sessionsjobs.moc"
