// SPDX-License-Identifier: Apache-2.0
// What breaks while somebody works: a sentence where the person looks, a way out, and nothing lost.
#include "benchseat.h"

#include "app/workbench/editor/file/noticebar.h"
#include "app/workbench/runpanel/output/outputview.h"
#include "tests/support/signals.h"

#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include <csignal>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// This program's own launchers, by proc(5): "PID (comm) state ppid".
QList<pid_t> spawners()
{
    QList<pid_t> found;
    const QStringList processes = QDir(u"/proc"_s).entryList({u"[0-9]*"_s}, QDir::Dirs);
    for (const QString &process : processes) {
        QFile stat(u"/proc/%1/stat"_s.arg(process));
        if (!stat.open(QIODevice::ReadOnly))
            continue;
        const QByteArray line = stat.readAll();
        const QList<QByteArray> after = line.mid(line.lastIndexOf(')') + 2).split(' ');
        if (line.contains("(glovebox-spawne") && after.value(1).toLongLong() == QCoreApplication::applicationPid())
            found.append(process.toInt());
    }
    return found;
}

} // namespace

class TestBenchTrouble : public QObject, BenchSeat
{
    Q_OBJECT
private Q_SLOTS:
    void init() { sitDown(); }
    void cleanup() { m_desk.reset(); }

    void aLauncherThatDiesIsSaidAndTheNextRunHasANewOne();
    void whatIsInTheWayIsSaidBesideRunAndLookedAtAgain();
    void aFileThatCantBeWrittenIsSaidAndTheTextStays();
    void aFileThatIsTooLargeSaysWhatToDoInstead();
};

void TestBenchTrouble::aLauncherThatDiesIsSaidAndTheNextRunHasANewOne()
{
    run(u"import time\nprint('begun', flush=True)\ntime.sleep(60)\n"_s);
    QTRY_VERIFY_WITH_TIMEOUT(shown().contains(u"begun"_s), 20'000);
    const QList<pid_t> launchers = spawners();
    QVERIFY(!launchers.isEmpty());
    for (const pid_t launcher : launchers)
        sendSignal(launcher, SIGKILL);
    waitForEnd();
    const auto result = tab()->runs().current()->result();
    QVERIFY(result->outcome != Outcome::Completed);
    QVERIFY(!result->reason.isEmpty());
    QVERIFY(result->auditSeq > 0);
    QTRY_VERIFY2(shown().contains(translated(result->reason)), qPrintable(shown()));
    QVERIFY(shown().contains(u"Run it again"_s));
    QVERIFY(shown().contains(u"begun"_s)); // what it had printed is still there
    run(u"print('again')\n"_s);
    waitForEnd();
    QVERIFY2(tab()->runs().current()->result()->outcome == Outcome::Completed, qPrintable(shown()));
}

void TestBenchTrouble::whatIsInTheWayIsSaidBesideRunAndLookedAtAgain()
{
    const QTemporaryDir folder;
    const QString programs = folder.filePath(u"programs"_s);
    QVERIFY(QFile::link(QStringLiteral(GLOVEBOX_LIBEXEC), programs));
    m_desk.reset();
    sitDown(programs);
    auto *button = tab()->findChild<QPushButton *>(u"bench.run"_s);
    auto *badge = tab()->findChild<QToolButton *>(u"bench.seal"_s);
    QVERIFY(button->isEnabled());
    // The package is removed under the running program.
    QVERIFY(QFile::remove(programs));
    for (const pid_t launcher : spawners())
        sendSignal(launcher, SIGKILL);
    tab()->editor().setText(u"print('runs')\n"_s, true);
    QVERIFY(trigger("bench.run"));
    waitForEnd();
    QVERIFY(tab()->runs().current()->result()->outcome == Outcome::SetupFailed);
    QTRY_VERIFY(!button->isEnabled());
    QVERIFY(!trigger("bench.run"));
    QCOMPARE(badge->text(), u"Can't run here"_s);
    QCOMPARE(m_desk->frame.findChild<QToolButton *>(u"status.engine"_s)->text(), u"Can't run"_s);
    badge->click();
    Desk::settle();
    auto *sheet = m_desk->frame.findChild<QWidget *>(u"bench.obstacle"_s);
    QVERIFY(sheet && sheet->isVisible());
    QVERIFY(m_desk->save(u"bench-obstacle"_s));
    QStringList said;
    for (const QLabel *label : sheet->findChildren<QLabel *>())
        said.append(label->text());
    const Part *obstacle = m_desk->context.readiness().obstacle(tab()->language());
    QVERIFY(obstacle && said.contains(translated(obstacle->why.message)));
    auto *again = sheet->findChild<QToolButton *>(u"bench.obstacle.look"_s);
    QVERIFY(again);
    QVERIFY(QFile::link(QStringLiteral(GLOVEBOX_LIBEXEC), programs)); // and installed again
    again->click();
    QTRY_VERIFY(button->isEnabled());
    QVERIFY(trigger("bench.run"));
    waitForEnd();
    QVERIFY2(shown().contains(u"runs"_s), qPrintable(shown()));
}

void TestBenchTrouble::aFileThatCantBeWrittenIsSaidAndTheTextStays()
{
    tab()->editor().setText(u"precious\n"_s, true);
    tab()->editor().adoptPath(u"/proc/precious.py"_s, {}, false, false,
                              Encoding::Utf8); // nobody makes files there, root neither
    QVERIFY(trigger("bench.save"));
    QTRY_VERIFY2(tab()->editor().notice().sentence().contains(u"was not saved"_s),
                 qPrintable(tab()->editor().notice().sentence()));
    QVERIFY(tab()->editor().notice().sentence().contains(u"Your text is still here"_s));
    auto *way = tab()->editor().notice().findChild<QToolButton *>(u"bench.notice.remedy1"_s);
    QVERIFY(way && way->isVisible());
    QCOMPARE(way->text(), u"Save as…"_s);
    QVERIFY(tab()->hasUnsavedWork());
    QCOMPARE(tab()->editor().text(), u"precious\n"_s);
}

void TestBenchTrouble::aFileThatIsTooLargeSaysWhatToDoInstead()
{
    QFile file(m_desk->home.filePath(u"large.csv"_s));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.resize(100'000'000)); // not a byte of it is on the disk
    file.close();
    m_desk->frame.openFiles({file.fileName()});
    const auto notes = [this] { return m_desk->context.notifications().notes(); };
    QTRY_COMPARE(notes().size(), 1);
    QVERIFY2(notes().first().text.contains(u"show its folder to the run"_s), qPrintable(notes().first().text));
    QVERIFY(tab()->isBlank());
    QCOMPARE(notes().first().remedies.size(), 1);
    notes().first().remedies.first().run();
    QTRY_VERIFY(m_desk->frame.findChild<QWidget *>(u"bench.folders"_s));
}

GLOVEBOX_TEST_MAIN(TestBenchTrouble)
#include "tst_benchtrouble.moc"
