// SPDX-License-Identifier: Apache-2.0
// The details of a run on the history page, driven by keys and clicks: what they show, what they lead to, and their looks.
#include "app/workbench/bench/benchpage.h"
#include "app/workbench/editor/code/codeeditor.h"
#include "app/workbench/editor/file/noticebar.h"
#include "app/workbench/runpanel/output/outputview.h"
#include "historyseat.h"
#include "tests/app/workbench/desk/picture.h"

#include <QClipboard>
#include <QComboBox>
#include <QPushButton>
#include <QTabBar>
#include <QTreeView>

using namespace glovebox;

class TestHistoryDetails : public HistorySeat
{
    Q_OBJECT

private Q_SLOTS:
    void init() { sit(); }
    void cleanup() { m_desk.reset(); }

    // What it drew in place, and not letter behind letter; running it again gives it a terminal, too.
    void theScreenOfATerminalIsShownAsItWasDrawn()
    {
        m_desk->openEngine();
        const QString code = u"import sys\nsys.stdout.write('begin\\n\\x1b[?1049h\\x1b[2J\\x1b[3;5Hplaced\\x1b[5;1Hlast"
                             "\\x1b[3;5HPLACED')\n"_s;
        m_desk->context.navigateTo(
            u"bench"_s, {{u"code"_s, code}, {u"language"_s, u"python"_s}, {u"terminal"_s, true}, {u"run"_s, true}});
        waitForRuns();
        go();
        QTRY_VERIFY(table() && table()->model()->rowCount() == 1);
        QTest::keyClick(table(), Qt::Key_Down);
        QTRY_COMPARE(text(u"history.details.heading"_s), u"Completed"_s);
        find<QTabBar>(u"history.details.tabs"_s)->setCurrentIndex(2);
        QTRY_COMPARE(find<OutputView>(u"history.output"_s)->text().trimmed(), u"begin\n\n\n    PLACED\n\nlast"_s);
        QTRY_VERIFY(find<QPushButton>(u"history.details.rerun"_s)->isEnabled());
        QTest::keyClick(table(), Qt::Key_Return, Qt::ControlModifier); // run again
        QTRY_COMPARE(m_desk->frame.currentPage(), u"bench"_s);
        waitForRuns();
        go();
        QTRY_COMPARE(table()->model()->rowCount(), 2);
        QTest::keyClick(table(), Qt::Key_Home);
        find<QTabBar>(u"history.details.tabs"_s)->setCurrentIndex(2);
        QTRY_COMPARE(find<OutputView>(u"history.output"_s)->text().trimmed(), u"begin\n\n\n    PLACED\n\nlast"_s);
    }

    void whatARunWantedOfTheNetworkIsShown()
    {
        m_desk->openEngine();
        OtherProgram other(m_desk->paths.auditFile());
        EgressAttempt name;
        name.way = EgressAttempt::Way::Name;
        name.host = u"collect.example.net"_s;
        name.reason = Text("not on the allowlist");
        other.finish(other.accept(u"older"_s), Outcome::Completed);
        other.finish(other.accept(u"newer"_s), Outcome::Completed, {name});
        go();
        QTRY_VERIFY(table() && table()->model()->rowCount() == 2);
        const auto blocked = [&](int row) {
            return table()->model()->index(row, RunsModel::BlockedColumn).data().toString();
        };
        QTRY_COMPARE(blocked(0), u"1"_s);
        QCOMPARE(blocked(1), QString());
        click(0);
        auto *tabs = find<QTabBar>(u"history.details.tabs"_s);
        QTRY_COMPARE(tabs->tabText(4), u"Network · 1 blocked"_s);
        tabs->setCurrentIndex(4);
        auto *list = find<QTreeView>(u"history.network.list"_s);
        QVERIFY(list->isVisible());
        QCOMPARE(list->model()->index(0, 1).data().toString(), u"collect.example.net"_s);
        QVERIFY(!shows(u"history.network.allow"_s)); // that is the bench's business
        QVERIFY(m_desk->save(u"history-network"_s));
        click(1);
        QTRY_COMPARE(tabs->tabText(4), u"Network"_s);
        QCOMPARE(text(u"history.network.summary"_s), u"The run had no network."_s);
    }

    void openInEditorRunsNothing()
    {
        m_desk->openEngine();
        run(u"print('once')\n"_s);
        go();
        QTRY_VERIFY(table() && table()->model()->rowCount() == 1);
        click(0);
        auto *open = find<QPushButton>(u"history.details.open"_s);
        QTRY_VERIFY(open->isEnabled());
        QTest::mouseClick(open, Qt::LeftButton);
        QTRY_COMPARE(m_desk->frame.currentPage(), u"bench"_s);
        auto *bench = static_cast<BenchPage *>(m_desk->frame.page(u"bench"_s));
        QCOMPARE(bench->current()->editor().editor().toPlainText(), u"print('once')\n"_s);
        QCOMPARE(bench->current()->language(), u"python"_s);
        QVERIFY(bench->current()->runs().runs().empty());
    }

    void theCommandIsCopied()
    {
        m_desk->openEngine();
        run(u"print(1)"_s);
        go();
        QTRY_VERIFY(table() && table()->model()->rowCount() == 1);
        click(0);
        QTRY_VERIFY(find<QPushButton>(u"history.details.copycommand"_s)->isEnabled());
        QTest::mouseClick(find<QPushButton>(u"history.details.copycommand"_s), Qt::LeftButton);
        QCOMPARE(QGuiApplication::clipboard()->text(), u"glovebox run -l python -c 'print(1)'"_s);
    }

    void codeThatIsGoneIsSaidAndNotRun()
    {
        m_desk->openEngine();
        OtherProgram other(m_desk->paths.auditFile());
        other.finish(other.accept(u"gone"_s, commitTo("gone")), Outcome::Completed);
        go();
        QTRY_VERIFY(table() && table()->model()->rowCount() == 1);
        click(0);
        QTRY_VERIFY(shows(u"history.details.trouble"_s));
        QVERIFY(text(u"history.details.trouble"_s).contains(u"missing from the store"_s));
        QVERIFY(!find<QPushButton>(u"history.details.open"_s)->isEnabled());
        QVERIFY(!find<QPushButton>(u"history.details.rerun"_s)->isEnabled());
        find<QTabBar>(u"history.details.tabs"_s)->setCurrentIndex(1);
        QTRY_VERIFY(text(u"history.code.remark"_s).contains(u"missing from the store"_s));
    }

    void escapeClosesTheDetailsWhereverTheyAre_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<qreal>("scale");
        QTest::addColumn<bool>("listStays");
        QTest::newRow("beside") << QSize(1360, 860) << 1.0 << true;
        QTest::newRow("below") << QSize(900, 600) << 1.0 << true;
        QTest::newRow("instead") << QSize(900, 600) << 2.0 << false;
    }

    void escapeClosesTheDetailsWhereverTheyAre()
    {
        QFETCH(QSize, size);
        QFETCH(qreal, scale);
        QFETCH(bool, listStays);
        addRuns(m_desk->paths.auditFile(), 50);
        m_desk->theme.setTextScale(scale);
        m_desk->frame.resize(size);
        m_desk->openEngine();
        go();
        QTRY_VERIFY(table() && table()->model()->rowCount() == 50);
        for (const QComboBox *choice : find<QWidget>(u"history.filter"_s)->findChildren<QComboBox *>())
            QVERIFY2(choice->width() >= choice->sizeHint().width(), qPrintable(choice->currentText())); // whole words
        QTest::keyClick(table(), Qt::Key_Down);
        QTest::keyClick(table(), Qt::Key_Return);
        QTRY_VERIFY(shows(u"history.details"_s));
        Desk::settle();
        QCOMPARE(table()->isVisible(), listStays);
        QCOMPARE(shows(u"history.filter"_s), listStays);
        auto *heading = find<QLabel>(u"history.details.heading"_s);
        QVERIFY2(heading->height() >= heading->heightForWidth(heading->width()), qPrintable(describe(heading)));
        QVERIFY(m_desk->save(u"history-details-"_s + QString::fromLatin1(QTest::currentDataTag())));
        QCOMPARE(m_desk->frame.size(), size);
        QVERIFY(find<QWidget>(u"history"_s)->minimumSizeHint().width() <= find<QWidget>(u"history"_s)->width());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        QTRY_VERIFY(!shows(u"history.details"_s));
        QVERIFY(table()->isVisible());
        QVERIFY(table()->hasFocus());
    }

    // As on the bench: asked for how long, then the same code runs with what it had and the host.
    void aHostThatWasBlockedIsAllowedFromHere()
    {
        m_desk->openEngine();
        const QString code =
            u"import socket\nfor host in 'here.example.net', 'there.example.net':\n    try:\n        "
            "socket.create_connection((host, 443), 2)\n    except OSError:\n        print('no', host)\n"_s;
        RunRequest request;
        request.language = u"python"_s;
        request.code = code.toUtf8();
        request.policy.allow = {u"there.example.net:443"_s};
        request.policy.limits.wall = std::chrono::seconds(7);
        request.caller = m_desk->context.engine()->caller();
        QVERIFY(m_desk->context.engine()->start(request)->wait());
        go();
        QTRY_COMPARE(table()->model()->rowCount(), 1);
        click(0);
        find<QTabBar>(u"history.details.tabs"_s)->setCurrentIndex(4);
        QTRY_VERIFY(shows(u"history.network.allow"_s));
        auto *allow = find<QPushButton>(u"history.network.allow"_s);
        QVERIFY(m_desk->save(u"history-allow"_s));
        allow->setFocus(Qt::TabFocusReason);
        QTest::keyClick(allow, Qt::Key_Space);
        QTRY_COMPARE(m_desk->frame.currentPage(), u"bench"_s);
        QTRY_VERIFY(find<QPushButton>(u"bench.allow.once"_s));
        auto *bench = static_cast<BenchPage *>(m_desk->frame.page(u"bench"_s));
        QVERIFY(bench->closingEnds().isEmpty()); // nothing runs before the answer
        QVERIFY(m_desk->save(u"history-allow-sheet"_s));
        QTest::mouseClick(find<QPushButton>(u"bench.allow.once"_s), Qt::LeftButton);
        const auto runs = [&] { return bench->current()->runs().runs(); };
        QTRY_COMPARE(runs().size(), 1);
        QCOMPARE(runs()[0]->policy().allow, QStringList({u"there.example.net:443"_s, u"here.example.net"_s}));
        QCOMPARE(runs()[0]->request().code, request.code);
        QVERIFY(runs()[0]->policy().limits.wall == std::chrono::seconds(7));
        QVERIFY(bench->current()->policy().policy().allow.isEmpty()); // for the next run alone
        waitForRuns();
    }

    // Where the person looks next: above the code, which runs without it.
    void whatIsNotTakenAlongIsSaid()
    {
        m_desk->openEngine();
        RunRequest request;
        request.language = u"sh"_s;
        request.code = "echo there\n";
        request.policy.allow = {u"there.example.net:443"_s};
        request.policy.folders = {{m_desk->folder.path(), u"/work/data"_s, FolderGrant::Mode::ReadOnly}};
        request.policy.strict = true;
        request.variables = {{u"MODE"_s, "x"}};
        request.caller = m_desk->context.engine()->caller();
        QVERIFY(m_desk->context.engine()->start(request)->wait());
        request.policy = {};
        request.variables = {};
        QVERIFY(m_desk->context.engine()->start(request)->wait()->outcome == Outcome::Completed);
        go();
        QTRY_COMPARE(table()->model()->rowCount(), 2);
        auto *bench = static_cast<BenchPage *>(m_desk->frame.page(u"bench"_s));
        const auto runAgain = [&](int row, bool isDone) {
            go();
            click(row);
            QTRY_COMPARE(text(u"history.details.heading"_s) == u"Completed"_s, isDone);
            QTRY_VERIFY(find<QPushButton>(u"history.details.rerun"_s)->isEnabled());
            QTest::keyClick(table(), Qt::Key_Return, Qt::ControlModifier);
            QTRY_COMPARE(m_desk->frame.currentPage(), u"bench"_s);
            waitForRuns();
        };
        runAgain(0, true);
        QCOMPARE(bench->current()->editor().notice().sentence(), QString()); // all of it was
        go();
        QTRY_COMPARE(table()->model()->rowCount(), 3);
        runAgain(2, false);
        const QString said = bench->current()->editor().notice().sentence();
        QVERIFY2(said.startsWith(u"Not taken along from that run: hosts there.example.net:443; folders "_s
                                 + QFileInfo(m_desk->folder.path()).canonicalFilePath()
                                 + u"; variables MODE. Grants"_s),
                 qPrintable(said));
        const Policy policy = bench->current()->runs().current()->policy();
        QVERIFY(policy.allow.isEmpty() && policy.folders.isEmpty());
        QVERIFY(policy.strict); // which grants nothing
        QVERIFY(m_desk->save(u"bench-not-taken-along"_s));
    }

    void aRunIsShownByItsId()
    {
        addRuns(m_desk->paths.auditFile(), 50);
        m_desk->openEngine();
        m_desk->context.navigateTo(u"history"_s, {{u"run"_s, u"0192f0c1-2345-7000-8000-000000000007"_s}});
        QTRY_COMPARE(text(u"history.details.heading"_s), u"Failed"_s);
    }

    void theDetailsInEveryLook_data()
    {
        QTest::addColumn<SchemeChoice>("scheme");
        QTest::addColumn<bool>("mirrored");
        QTest::addColumn<QSize>("size");
        QTest::newRow("dark") << SchemeChoice::Dark << false << QSize(1360, 860);
        QTest::newRow("light") << SchemeChoice::Light << false << QSize(1360, 860);
        QTest::newRow("mirrored") << SchemeChoice::Light << true << QSize(1360, 860);
        QTest::newRow("small") << SchemeChoice::Dark << false << QSize(900, 600);
    }

    // Pictures to look at; what a program can judge is that nothing gets lost.
    void theDetailsInEveryLook()
    {
        QFETCH(SchemeChoice, scheme);
        QFETCH(bool, mirrored);
        QFETCH(QSize, size);
        QApplication::setLayoutDirection(mirrored ? Qt::RightToLeft : Qt::LeftToRight);
        m_desk.reset();
        m_desk = std::make_unique<Desk>();
        m_desk->theme.setChoice(scheme);
        m_desk->frame.resize(size);
        m_desk->show();
        addRuns(m_desk->paths.auditFile(), 40);
        m_desk->openEngine();
        run(u"tar tzf vendor.tgz | head"_s, u"bash"_s);
        run(u"const rows = [1, 2, 3];\nconsole.log(rows.length);\n"_s, u"node"_s);
        run(u"import json, os, urllib.request\n\n# snippet from a forum post\ndef rates(base):\n    return "
            "urllib.request.urlopen(f'https://rates.example.org/{base}')\n\nprint('fetching rates')\nrates('EUR')\n"_s);
        go();
        QTRY_VERIFY(table() && table()->model()->rowCount() == 43);
        click(0);
        QTRY_COMPARE(text(u"history.details.heading"_s), u"Failed. The run exited with status 1."_s);
        Desk::settle();
        const QString tag = QString::fromLatin1(QTest::currentDataTag());
        auto *tabs = find<QTabBar>(u"history.details.tabs"_s);
        for (int tab = 0; tab < tabs->count(); ++tab) {
            tabs->setCurrentIndex(tab);
            QTest::qWait(100);
            QVERIFY(m_desk->save(u"history-%1-%2"_s.arg(tag, tabs->tabText(tab).toLower())));
            if (tag == u"light" && tabs->tabText(tab) == u"Code") {
                const QString difference = differenceFromPicture(*m_desk, u"history-light"_s);
                QVERIFY2(difference.isEmpty(), qPrintable(difference));
            }
        }
        QCOMPARE(m_desk->frame.size(), size);
        QApplication::setLayoutDirection(Qt::LeftToRight);
    }
};

GLOVEBOX_TEST_MAIN(TestHistoryDetails)
#include "tst_historydetails.moc"
