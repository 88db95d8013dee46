// SPDX-License-Identifier: Apache-2.0
// `glovebox session install`, killed at any moment: the session is as it was, or has what was asked for; no process is left.
#include "../session/sessionhome.h"
#include "packageplace.h"
#include "tests/support/testinternet/testinternet.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <QJsonArray>
#include <QRandomGenerator>
#include <QStandardPaths>
#include <QThread>

#include <fcntl.h>
#include <sys/stat.h>

#include <csignal>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// GLOVEBOX_TEST_KILLS=50 asks for more.
int kills()
{
    const int wanted = qEnvironmentVariableIntValue("GLOVEBOX_TEST_KILLS");
    return wanted > 0 ? wanted : 10;
}

QList<qint64> childrenOf(qint64 parent)
{
    QList<qint64> found;
    for (const QString &name : QDir(u"/proc"_s).entryList(QDir::Dirs)) {
        bool isPid = false;
        const qint64 pid = name.toLongLong(&isPid);
        QFile file(u"/proc/%1/stat"_s.arg(name));
        if (!isPid || !file.open(QIODevice::ReadOnly))
            continue;
        const QByteArray stat = file.readAll();
        const QByteArrayList fields = stat.sliced(stat.lastIndexOf(')') + 2).split(' ');
        if (fields.value(1).toLongLong() == parent)
            found.append(pid);
    }
    return found;
}

// All below a process, and when each began: a number may be another process's later.
QMap<qint64, QByteArray> below(qint64 parent)
{
    QMap<qint64, QByteArray> found;
    QList<qint64> parents{parent};
    while (!parents.isEmpty()) {
        for (const qint64 child : childrenOf(parents.takeFirst())) {
            QFile file(u"/proc/%1/stat"_s.arg(child));
            if (!file.open(QIODevice::ReadOnly))
                continue;
            const QByteArray stat = file.readAll();
            found[child] = stat.sliced(stat.lastIndexOf(')') + 2).split(' ').value(19);
            parents.append(child);
        }
    }
    return found;
}

bool isGone(qint64 pid, const QByteArray &began)
{
    QFile file(u"/proc/%1/stat"_s.arg(pid));
    if (!file.open(QIODevice::ReadOnly))
        return true;
    const QByteArray stat = file.readAll();
    const QByteArrayList fields = stat.sliced(stat.lastIndexOf(')') + 2).split(' ');
    return fields.value(0) == "Z" || fields.value(19) != began;
}

// Whether nobody in the process has taken the signal yet: proc_pid_status(5).
bool waits(qint64 pid, int signal)
{
    QFile file(u"/proc/%1/status"_s.arg(pid));
    if (!file.open(QIODevice::ReadOnly))
        return false;
    const QByteArray status = file.readAll();
    const qsizetype begin = status.indexOf("ShdPnd:\t") + 8;
    return (status.mid(begin, 16).toULongLong(nullptr, 16) >> (signal - 1) & 1) != 0;
}

} // namespace

class TestCliKilledInstall : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        makeIndex(u"sources.py"_s); // and what index.py makes
        makeIndex(u"registry.py"_s);
        m_home.create();
    }

    void cleanupTestCase() { removePackagesOf(m_home); }

    void theSessionIsAsItWasOrHasThem()
    {
        const QStringList installing{u"install"_s, u"shop"_s, u"--python"_s, u"requestz"_s, u"--refresh"_s, u"--yes"_s};
        QCOMPARE(m_home.session({u"install"_s, u"shop"_s, u"--python"_s, u"branch"_s, u"--yes"_s}).status, 0);
        const QJsonObject before = state();
        QCOMPARE(m_home.session(installing).status, 0);
        const QJsonObject after = state();
        QVERIFY(before != after);
        takeAway();
        QElapsedTimer clock; // of the second one, as what the machine reads for the first is at hand from then on
        clock.start();
        QCOMPARE(m_home.session(installing).status, 0);
        const qint64 whole = clock.elapsed();
        int begun = 0, finished = 0;
        for (int i = 0; i < kills(); ++i) {
            takeAway();
            QCOMPARE(state(), before);
            const auto program = m_home.program(QStringList{u"session"_s} + installing);
            program->start();
            QVERIFY(program->waitForStarted());
            // Anywhere in a part of its time, so that not all come after the end of one that is quicker than the first.
            const qint64 part = whole / kills();
            QThread::msleep(quint32(i * part) + QRandomGenerator::global()->bounded(quint32(part + 1)));
            const auto left = below(program->processId());
            begun += left.isEmpty() ? 0 : 1;
            program->kill();
            QVERIFY(program->waitForFinished());
            for (const auto &[pid, began] : left.asKeyValueRange())
                QTRY_VERIFY2_WITH_TIMEOUT(isGone(pid, began), qPrintable(QString::number(pid)), 10'000);
            const QJsonObject now = state();
            QVERIFY2(now == before || now == after, QJsonDocument(now).toJson().constData());
            finished += now == after ? 1 : 0;
            const QJsonValue status = m_home.objects({u"status"_s, u"shop"_s})[0];
            QCOMPARE(status["busy"_L1].toBool(true), false);
        }
        QVERIFY2(begun > kills() / 2 && finished < kills(),
                 qPrintable(u"%1 begun, %2 finished"_s.arg(begun).arg(finished)));
        qInfo("%d kills: %d with a run under way, %d after the end", kills(), begun, finished);
        const Ended run = m_home.run({u"run"_s, u"--session"_s, u"shop"_s, u"-c"_s, u"import branch; branch.main()"_s});
        QVERIFY2(run.out == "branch 2.0\n", run.err);
        QCOMPARE(m_home.session(installing).status, 0);
        QCOMPARE(state(), after);
    }

    // Whoever starts Glovebox next takes away what it left, and leaves alone what another one is about.
    void whatItLeftGoesAtTheNextStart()
    {
        const auto installing = [this] {
            auto program = m_home.program(
                {u"session"_s, u"install"_s, u"shop"_s, u"--python"_s, u"silent"_s, u"--refresh"_s, u"--yes"_s});
            program->start();
            return program;
        };
        const auto sessions = [this] {
            QStringList ids;
            for (const QJsonObject &session : m_home.objects({u"list"_s}))
                ids.append(session["id"_L1].toString());
            return ids;
        };
        const auto deletions = [this] {
            int all = 0;
            for (int seq = 1;; ++seq) {
                const Ended shown = m_home.run({u"audit"_s, u"show"_s, u'#' + QString::number(seq)});
                if (shown.status != 0)
                    return all;
                all += shown.out.contains("session.deleted") ? 1 : 0;
            }
        };
        const QStringList before = sessions();
        QCOMPARE(before.size(), 1);
        const int deleted = deletions();
        const auto killed = installing();
        QTRY_COMPARE_WITH_TIMEOUT(sessions().size(), 2, 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(!below(killed->processId()).isEmpty(), 20'000);
        const auto under = below(killed->processId());
        killed->kill();
        QVERIFY(killed->waitForFinished());
        for (const auto &[pid, began] : under.asKeyValueRange())
            QTRY_VERIFY2_WITH_TIMEOUT(isGone(pid, began), qPrintable(QString::number(pid)), 10'000);
        const QStringList left = sessions();
        QCOMPARE(left.size(), 2);

        const auto alive = installing();
        QStringList inUse;
        const auto isReplaced = [&] { // by one look: between two, the old one may go before the new one is there
            inUse = sessions();
            return inUse.size() == 2 && inUse != left;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isReplaced(), 20'000);
        QCOMPARE(m_home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u":"_s}).status, 0);
        QCOMPARE(m_home.session({u"rename"_s, u"shop"_s, u"shop2"_s}).status, 0);
        QCOMPARE(m_home.session({u"rename"_s, u"shop2"_s, u"shop"_s}).status, 0);
        QCOMPARE(sessions(), inUse);
        alive->kill();
        QVERIFY(alive->waitForFinished());
        // A program of one run does so when that is over.
        const auto afterRun = [&] {
            m_home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u":"_s});
            return sessions();
        };
        QTRY_COMPARE_WITH_TIMEOUT(afterRun(), before, 20'000);
        QCOMPARE(deletions() - deleted, 2);
    }

    // Once the packages are there, while their names are noted: in place of that file a pipe says when, and waits.
    void aRunThatIsStoppedWithItsInstallationDoneDoesntStart()
    {
        QCOMPARE(m_home.session({u"install"_s, u"shop"_s, u"--python"_s, u"branch"_s, u"--yes"_s}).status, 0);
        const QByteArray names = QFile::encodeName(m_home.path(u"data/packages/names-python.json"_s));
        QFile::remove(QFile::decodeName(names));
        QCOMPARE(::mkfifo(names.constData(), 0600), 0);
        const QStringList words{u"run"_s, u"--with"_s, u"leaf<2"_s, u"--yes"_s, u"-c"_s, u"print('ran')"_s};
        const auto program = m_home.program(words);
        program->start();
        QVERIFY(program->waitForStarted());
        const auto reader = [&] { return UniqueFd(::open(names.constData(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)); };
        UniqueFd writer;
        const auto isRead = [&] {
            writer = reader();
            return bool(writer);
        };
        QTRY_VERIFY_WITH_TIMEOUT(isRead(), 60'000); // which names are known, after the download
        writer.reset();
        QTRY_VERIFY_WITH_TIMEOUT(!reader(), 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(isRead(), 60'000);
        QCOMPARE(::kill(pid_t(program->processId()), SIGINT), 0);
        QTRY_VERIFY_WITH_TIMEOUT(!waits(program->processId(), SIGINT), 20'000);
        writer.reset();
        QVERIFY(program->waitForFinished(30'000));
        const QByteArray said = program->readAllStandardError();
        QVERIFY2(program->exitCode() == 128 + SIGINT, said);
        QVERIFY2(said.contains("This was stopped once the packages were installed. Nothing more was done."), said);
        QCOMPARE(program->readAllStandardOutput(), "");
        const Ended later = m_home.run(words);
        QVERIFY2(later.out == "ran\n" && !later.err.contains("Fetching"), later.err);
    }

    // In the middle of code of a package, which never ends.
    void killedCodeOfAPackageLeavesNoProcessAndNoSession_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QByteArray>("saysThatItRuns");
        QTest::newRow("build") << QStringList{
            u"--index"_s, u"https://www.allowed.test/private"_s, u"--with"_s, u"endless"_s, u"--allow-source"_s,
            u"endless"_s} << QByteArray("Building endless 1.0");
        if (!QStandardPaths::findExecutable(u"npm"_s).isEmpty())
            QTest::newRow("install script")
                << QStringList{u"-l"_s,     u"node"_s,        u"--index"_s,         u"https://registry.npmjs.org/npm"_s,
                               u"--with"_s, u"slow-script"_s, u"--allow-scripts"_s, u"slow-script"_s}
                << QByteArray("Installing slow-script 1.0.0");
    }
    void killedCodeOfAPackageLeavesNoProcessAndNoSession()
    {
        QFETCH(QStringList, words);
        QFETCH(QByteArray, saysThatItRuns);
        const auto count = [this] { return m_home.objects({u"list"_s}).size(); };
        const qsizetype before = count();
        auto program = m_home.program(QStringList{u"run"_s, u"--yes"_s, u"-c"_s, u"1"_s} + words);
        program->start();
        QByteArray said;
        const auto runs = [&] {
            said += program->readAllStandardError();
            return said.contains(saysThatItRuns);
        };
        QTRY_VERIFY2_WITH_TIMEOUT(runs(), said, 30'000);
        QTRY_VERIFY_WITH_TIMEOUT(!below(program->processId()).isEmpty() && count() > before, 20'000);
        const auto under = below(program->processId());
        program->kill();
        QVERIFY(program->waitForFinished());
        for (const auto &[pid, began] : under.asKeyValueRange())
            QTRY_VERIFY2_WITH_TIMEOUT(isGone(pid, began), qPrintable(QString::number(pid)), 10'000);
        const auto afterRun = [&] {
            m_home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u":"_s});
            return count();
        };
        QTRY_COMPARE_WITH_TIMEOUT(afterRun(), before, 20'000);
    }

private:
    // What of the session mustn't change.
    QJsonObject state() const
    {
        QJsonObject status = m_home.objects({u"status"_s, u"shop"_s}).value(0);
        QJsonObject kept;
        for (const QLatin1StringView name : {"head"_L1, "files"_L1, "bytes"_L1, "snapshots"_L1})
            kept[name] = status[name];
        QJsonArray packages;
        for (const auto each : status["packages"_L1].toArray())
            packages.append(each["packages"_L1]);
        kept["packages"_L1] = packages;
        return kept;
    }
    // So that the next installation has to fetch them again.
    void takeAway() const
    {
        const QJsonArray has = state()["packages"_L1].toArray();
        if (QJsonDocument(has).toJson().contains("requestz"))
            QCOMPARE(m_home.session({u"uninstall"_s, u"shop"_s, u"requestz"_s, u"--yes"_s}).status, 0);
        for (const QByteArray &line : m_home.run({u"package"_s, u"list"_s, u"--json"_s}).out.split('\n')) {
            const QJsonObject packages = QJsonDocument::fromJson(line).object();
            if (QJsonDocument(packages["requirements"_L1].toArray()).toJson().contains("requestz"))
                QCOMPARE(m_home.run({u"package"_s, u"remove"_s, packages["id"_L1].toString()}).status, 0);
        }
    }

    const SessionHome m_home;
};

GLOVEBOX_INTERNET_TEST_MAIN(TestCliKilledInstall)
#include "tst_clikilledinstall.moc"
