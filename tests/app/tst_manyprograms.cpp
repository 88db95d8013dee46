// SPDX-License-Identifier: Apache-2.0
// Several programs on one data folder, started and killed at random: no live run is ever closed by somebody else, no accepted
// run is missing, and nothing keeps running.
//
// GLOVEBOX_TEST_CHAOS_SECONDS sets how long (default 8).
#include "engine/audit/audit.h"

#include <QDir>
#include <QElapsedTimer>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

#include <mutex>
#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// Processes of this machine whose command line holds the text.
int processesWith(const QByteArray &text)
{
    int count = 0;
    const QStringList entries = QDir(u"/proc"_s).entryList(QDir::Dirs);
    for (const QString &entry : entries) {
        QFile file(u"/proc/%1/cmdline"_s.arg(entry));
        if (entry.toInt() > 0 && file.open(QIODevice::ReadOnly) && file.readAll().contains(text))
            ++count;
    }
    return count;
}

} // namespace

class TestManyPrograms : public QObject
{
    Q_OBJECT

    QTemporaryDir m_home;
    std::mutex m_mutex;
    QStringList m_completed; // ids of runs whose program saw them complete
    QStringList m_wrong;

    std::unique_ptr<QProcess> start(const QStringList &arguments) const
    {
        auto process = std::make_unique<QProcess>();
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"GLOVEBOX_HOME"_s, m_home.path());
        process->setProcessEnvironment(environment);
        process->start(QStringLiteral(GLOVEBOX_BIN "/glovebox"), arguments);
        process->closeWriteChannel();
        return process;
    }

    Result<std::unique_ptr<AuditReader>> reader() const
    {
        return AuditReader::open(m_home.filePath(u"data/audit.db"_s));
    }

    void oneProgram(quint32 seed)
    {
        QRandomGenerator random(seed);
        QElapsedTimer timer;
        timer.start();
        const int seconds = qEnvironmentVariableIntValue("GLOVEBOX_TEST_CHAOS_SECONDS");
        while (timer.elapsed() < (seconds > 0 ? seconds : 8) * 1000) {
            const QString code = u"sleep 0.%1; echo done"_s.arg(random.bounded(1, 40), 2, 10, QChar(u'0'));
            const auto process = start({u"run"_s, u"--json"_s, u"-l"_s, u"sh"_s, u"-c"_s, code});
            if (random.bounded(3) == 0) {
                if (!process->waitForFinished(random.bounded(1, 400)))
                    process->kill();
                process->waitForFinished(10'000);
                continue;
            }
            const bool finished = process->waitForFinished(30'000);
            const QByteArray out = process->readAllStandardOutput();
            const QJsonObject result = QJsonDocument::fromJson(out).object();
            const std::scoped_lock lock(m_mutex);
            if (finished && process->exitCode() == 0 && result.value(u"outcome"_s) == u"completed"_s)
                m_completed.append(result.value(u"id"_s).toString());
            else
                m_wrong.append(QString::fromUtf8(out + process->readAllStandardError()));
        }
    }

private Q_SLOTS:
    void killedInTheMiddleItLeavesNoProcessAndTheNextStartClosesThatEntryOnly()
    {
        const QByteArray mark = "60." + QByteArray::number(::getpid()); // seconds that nobody else sleeps
        const auto process = start({u"run"_s, u"-l"_s, u"bash"_s, u"-c"_s,
                                    u"echo up; sleep %1 & exec sleep %1"_s.arg(QString::fromLatin1(mark))});
        QVERIFY(process->waitForReadyRead(10'000));
        const auto other = start({u"run"_s, u"-l"_s, u"bash"_s, u"-c"_s, u"echo up; sleep 2; echo end"_s});
        QVERIFY(other->waitForReadyRead(10'000));
        QTRY_VERIFY(processesWith(mark) > 0);
        process->kill();
        QVERIFY(process->waitForFinished(5000));
        QTRY_VERIFY_WITH_TIMEOUT(processesWith(mark) == 0, 1000);

        const auto next = start({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"true"_s});
        QVERIFY(next->waitForFinished(10'000));
        QCOMPARE(next->exitCode(), 0);
        const auto log = reader();
        QVERIFY(log);
        const Result<QList<RunRow>> runs = (*log)->runs({});
        QVERIFY(runs);
        QCOMPARE(runs->size(), 3);
        QCOMPARE(runs->at(0).outcome, std::optional(Outcome::Completed));
        QVERIFY(!runs->at(1).outcome.has_value()); // lives
        QCOMPARE(runs->at(2).outcome, std::optional(Outcome::Interrupted));
        QVERIFY(other->waitForFinished(10'000));
        QCOMPARE(other->exitCode(), 0);
        QVERIFY((*log)->runs({})->at(1).outcome == Outcome::Completed);
    }

    void threeProgramsKilledAtRandomLoseNothing()
    {
        {
            const quint32 seed = QRandomGenerator::global()->generate();
            qInfo("seed %u", seed);
            std::vector<std::jthread> programs;
            for (quint32 i = 0; i < 3; ++i)
                programs.emplace_back([this, seed, i] { oneProgram(seed + i); });
        }
        QVERIFY2(m_wrong.isEmpty(), qPrintable(m_wrong.join(u'\n')));
        QVERIFY(m_completed.size() > 3);
        const auto last = start({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"true"_s}); // closes what is open
        QVERIFY(last->waitForFinished(30'000));

        const auto log = reader();
        QVERIFY(log);
        int interrupted = 0;
        int runs = 0;
        RunFilter filter;
        for (Result<QList<RunRow>> page = (*log)->runs(filter); page && !page->isEmpty(); page = (*log)->runs(filter)) {
            for (const RunRow &row : *page) {
                ++runs;
                QVERIFY2(row.outcome.has_value(), qPrintable(row.run));
                const Result<QList<StoredEntry>> entries = (*log)->entriesOf(row.run);
                QVERIFY(entries);
                QCOMPARE(entries->size(), 2);
                interrupted += row.outcome == Outcome::Interrupted;
                if (m_completed.removeOne(row.run))
                    QCOMPARE(row.outcome, std::optional(Outcome::Completed));
            }
            filter.beforeSeq = page->last().seq;
        }
        qInfo("%d runs on record, %d interrupted", runs, interrupted);
        QVERIFY2(m_completed.isEmpty(), qPrintable(m_completed.join(u'\n')));
        QVERIFY(interrupted > 0);
        QVERIFY(QDir(m_home.filePath(u"data/engines"_s)).entryList(QDir::Files).isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestManyPrograms)
#include "tst_manyprograms.moc"
