// SPDX-License-Identifier: Apache-2.0
// Runs of the bench in an interpreter that stays: chosen in the sentence, shown while it lives, stopped without losing it, and ended.
#include "tests/app/workbench/bench/benchseat.h"

#include "app/workbench/runpanel/story/runstory.h"

#include <QAbstractButton>
#include <QLineEdit>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestBenchCells : public QObject, public BenchSeat
{
    Q_OBJECT

    void choose(const NewSession &wanted = {.name = u"shop"_s})
    {
        Engine &engine = *m_desk->context.engine();
        m_session = engine.createSession(wanted, engine.caller()).value().id;
        tab()->chooseSession(m_session);
        tab()->chooseLanguage(u"python"_s);
        QTRY_VERIFY(tab()->policy().session().diskBytes > 0);
    }
    QString word() { return inTab<QAbstractButton>(u"bench.policy.interpreter"_s)->text(); }
    QString tip() { return inTab<QAbstractButton>(u"bench.policy.interpreter"_s)->toolTip(); }
    bool canClean() { return m_desk->context.actions().action(u"bench.interpreter.clean"_s)->isEnabled(); }
    const RunResult &result() { return *tab()->runs().current()->result(); }
    void runToEnd(const QString &code, const QString &language = u"python"_s)
    {
        const int before = tab()->runs().current() ? tab()->runs().current()->title().number : 0;
        run(code, language);
        QTRY_VERIFY(tab()->runs().current() && tab()->runs().current()->title().number > before);
        waitForEnd();
    }

    QString m_session;

private Q_SLOTS:
    void init() { sitDown(); }
    void cleanup()
    {
        m_desk.reset();
        QApplication::setLayoutDirection(Qt::LeftToRight);
    }

    void itIsChosenInTheSentence()
    {
        QVERIFY(!tab()->policy().sentence().contains(u"interpreter"_s));
        choose();
        QCOMPARE(word(), u"a new interpreter"_s);
        QVERIFY2(tab()->policy().sentence().contains(u"session shop, a new interpreter, no folders"_s),
                 qPrintable(tab()->policy().sentence()));
        tab()->policy().openInterpreter();
        QTRY_VERIFY(find<QAbstractButton>("bench.interpreter.new"));
        QVERIFY(find<QAbstractButton>("bench.interpreter.new")->isChecked());
        find<QAbstractButton>("bench.interpreter.keep")->click();
        QCOMPARE(word(), u"an interpreter that stays"_s);
        QTRY_VERIFY(!canClean());
        // Shells have none.
        tab()->chooseLanguage(u"sh"_s);
        QVERIFY(!tab()->policy().sentence().contains(u"interpreter"_s));
        tab()->chooseLanguage(u"node"_s);
        QVERIFY(tab()->policy().sentence().contains(u"an interpreter that stays"_s));
        // It comes back with the tab.
        const QByteArray stashed = tab()->stashed();
        tab()->goBackToDefaults();
        QVERIFY(!tab()->policy().sentence().contains(u"interpreter"_s));
        QVERIFY(tab()->restore(stashed));
        QTRY_COMPARE(word(), u"an interpreter that stays"_s);
    }

    void runsSeeWhatEarlierOnesLeft()
    {
        choose();
        QVERIFY(trigger("bench.interpreter"));
        runToEnd(u"x = 6\nfor i in range(3): pass"_s);
        QVERIFY2(result().outcome == Outcome::Completed, qPrintable(shown()));
        QVERIFY(shown().contains(u"This run started a clean interpreter, which stays."_s));
        QCOMPARE(word(), u"kept variables"_s);
        QVERIFY2(tip().startsWith(u"Python 3"_s) && tip().endsWith(u"keeps its variables"_s), qPrintable(tip()));
        runToEnd(u"x * 7"_s);
        QVERIFY2(shown().contains(u"42"_s) && !shown().contains(u"clean interpreter"_s), qPrintable(shown()));
        // The selected lines alone.
        tab()->editor().setText(u"x = 1\nx * 8\n"_s, true);
        QTextCursor cursor = tab()->editor().editor().textCursor();
        cursor.movePosition(QTextCursor::Down);
        cursor.movePosition(QTextCursor::EndOfLine, QTextCursor::KeepAnchor);
        tab()->editor().editor().setTextCursor(cursor);
        QVERIFY(trigger("bench.runselection"));
        QTRY_VERIFY(tab()->runs().current()->title().number == 3 && tab()->runs().current()->isDone());
        QVERIFY2(shown().contains(u"48"_s), qPrintable(shown()));
        QVERIFY(tab()->runs().current()->inputClosed());
        // Another tab in the same session sees the same interpreter; one that keeps none doesn't.
        QVERIFY(trigger("bench.new"));
        tab()->chooseSession(m_session);
        QVERIFY(trigger("bench.interpreter"));
        tab()->chooseLanguage(u"python"_s);
        QCOMPARE(word(), u"kept variables"_s);
        runToEnd(u"print(x)"_s);
        QVERIFY(shown().contains(u"6"_s));
        QVERIFY(trigger("bench.interpreter"));
        QCOMPARE(word(), u"a new interpreter"_s);
        runToEnd(u"print('x' in globals())"_s);
        QVERIFY(shown().contains(u"False"_s));
    }

    void stopKeepsTheVariablesAndSaysSo()
    {
        choose();
        tab()->keepInterpreter(true);
        runToEnd(u"x = 6"_s);
        run(u"print('begun', flush=True)\nwhile True: pass"_s);
        QTRY_VERIFY(shown().contains(u"begun"_s));
        QCOMPARE(word(), u"kept variables"_s);
        QTRY_VERIFY(!canClean());
        QVERIFY(trigger("bench.stop"));
        waitForEnd();
        QVERIFY(result().outcome == Outcome::Cancelled);
        QVERIFY2(shown().contains(u"The interpreter keeps its variables."_s), qPrintable(shown()));
        runToEnd(u"x"_s);
        QVERIFY(shown().contains(u"6"_s));
    }

    void aCrashIsToldAndTheNextRunIsClean()
    {
        choose();
        tab()->keepInterpreter(true);
        runToEnd(u"x = 6"_s);
        runToEnd(u"import os; os._exit(3)"_s);
        QVERIFY2(
            shown().contains(u"The interpreter ended, and its variables are gone. The next run gets a clean one."_s),
            qPrintable(shown()));
        // What was counted is the interpreter's, the earlier run's with it.
        QVERIFY2(shown().contains(u" · CPU of the interpreter "_s)
                     && shown().contains(u" · peak of the interpreter "_s),
                 qPrintable(shown()));
        QStringList facts;
        for (const StorySentence &sentence : runStory(result(), Policy()))
            facts.append(sentence.text);
        const QString told = facts.join(u'\n');
        QVERIFY2(told.contains(u"Since its start, the interpreter used "_s) && !told.contains(u"The run used"_s)
                     && !told.contains(u"The run started"_s) && !told.contains(u"The run's processes"_s),
                 qPrintable(told));
        QCOMPARE(word(), u"an interpreter that stays"_s);
        QTRY_VERIFY(!canClean());
        runToEnd(u"import os; os._exit(3)"_s); // its own interpreter's first and last
        QVERIFY2(shown().contains(u" · CPU "_s) && !shown().contains(u"of the interpreter"_s), qPrintable(shown()));
        runToEnd(u"'x' in globals()"_s);
        QVERIFY(shown().contains(u"False"_s));
    }

    void closingTellsOfTheVariablesThatGo()
    {
        const Page *bench = m_desk->frame.page(u"bench"_s);
        QVERIFY(bench->closingEnds().isEmpty());
        choose();
        tab()->keepInterpreter(true);
        runToEnd(u"x = 6"_s);
        QTRY_COMPARE(bench->closingEnds(),
                     u"1 interpreter in a session keeps variables; closing ends it, and these are gone."_s);
        run(u"print('begun', flush=True)\nwhile True: pass"_s);
        QTRY_VERIFY(shown().contains(u"begun"_s));
        QCOMPARE(bench->closingEnds(),
                 u"1 run is going on; closing stops it.\n"
                 "1 interpreter in a session keeps variables; closing ends it, and these are gone."_s);
        QVERIFY(trigger("bench.stop"));
        waitForEnd();
        QVERIFY(trigger("bench.interpreter.clean"));
        QTRY_COMPARE(bench->closingEnds(), QString());
    }

    void aCleanOneIsStarted()
    {
        choose();
        tab()->keepInterpreter(true);
        runToEnd(u"x = 6"_s);
        QTRY_VERIFY(canClean());
        tab()->policy().openInterpreter();
        QTRY_VERIFY(find<QAbstractButton>("bench.interpreter.clean"));
        find<QAbstractButton>("bench.interpreter.clean")->click();
        QTRY_COMPARE(word(), u"an interpreter that stays"_s);
        QTRY_VERIFY(!canClean());
        QVERIFY(m_desk->context.engine()->waitingInterpreters(m_session).isEmpty());
        runToEnd(u"'x' in globals()"_s);
        QVERIFY(shown().contains(u"False"_s));
        QVERIFY(trigger("bench.interpreter.clean"));
        QTRY_VERIFY(!canClean());
        QVERIFY(m_desk->context.engine()->waitingInterpreters(m_session).isEmpty());
    }

    // What another tab did to it is seen when the tab comes into sight.
    void twoTabsShareIt()
    {
        choose();
        tab()->keepInterpreter(true);
        runToEnd(u"x = 6"_s);
        QVERIFY(trigger("bench.new"));
        tab()->chooseSession(m_session);
        tab()->chooseLanguage(u"python"_s);
        tab()->keepInterpreter(true);
        QCOMPARE(word(), u"kept variables"_s);
        tab()->endInterpreter();
        QTRY_COMPARE(word(), u"an interpreter that stays"_s);
        QVERIFY(trigger("bench.previous"));
        QCOMPARE(word(), u"an interpreter that stays"_s);
    }

    void whatItCannotBeGivenIsSaidBeforeTheRun()
    {
        choose({.name = u"shop"_s, .allow = {u"api.example.org:443"_s}});
        QVERIFY(tab()->policy().sentence().contains(u"1 host"_s));
        tab()->keepInterpreter(true);
        QVERIFY(tab()->policy().sentence().contains(u"no network"_s)); // the session's hosts are for other runs
        runToEnd(u"1"_s);
        QVERIFY2(result().outcome == Outcome::Completed, qPrintable(shown()));
        tab()->policy().setStart({.arguments = u"a"_s, .variables = {}, .input = {}});
        QVERIFY(word().startsWith(u'▲') && word().endsWith(u"(refused)"_s));
        QVERIFY2(tip().contains(u"can't be given arguments."_s), qPrintable(tip()));
        runToEnd(u"1"_s);
        QVERIFY(result().outcome == Outcome::Rejected);
        QVERIFY2(!shown().contains(u"keeps its variables"_s), qPrintable(shown()));
        tab()->policy().setStart({});
        QVERIFY(!word().startsWith(u'▲'));
    }

    void itFitsEveryLook_data()
    {
        QTest::addColumn<SchemeChoice>("scheme");
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("mirrored");
        QTest::newRow("light") << SchemeChoice::Light << QSize(1360, 860) << false;
        QTest::newRow("dark") << SchemeChoice::Dark << QSize(1360, 860) << false;
        QTest::newRow("small") << SchemeChoice::Dark << QSize(900, 600) << false;
        QTest::newRow("mirrored") << SchemeChoice::Light << QSize(900, 600) << true;
    }
    void itFitsEveryLook()
    {
        QFETCH(SchemeChoice, scheme);
        QFETCH(QSize, size);
        QFETCH(bool, mirrored);
        const QString look = QString::fromLatin1(QTest::currentDataTag());
        QApplication::setLayoutDirection(mirrored ? Qt::RightToLeft : Qt::LeftToRight);
        m_desk.reset();
        sitDown();
        m_desk->theme.setChoice(scheme);
        m_desk->frame.resize(size);
        choose();
        tab()->keepInterpreter(true);
        const auto picture = [&](const QString &name) {
            Desk::settle();
            QVERIFY(m_desk->save(u"bench-cells-%1-%2"_s.arg(name, look)));
            QCOMPARE(m_desk->frame.size(), size);
            QVERIFY(m_page->widget()->minimumSizeHint().width() <= m_page->widget()->width());
        };
        runToEnd(u"rows = [1, 2, 3]\ntotal = sum(rows)\ntotal"_s);
        QVERIFY(inTab<QAbstractButton>(u"bench.policy.interpreter"_s)->isVisible()); // however narrow the window is
        picture(u"lives"_s);
        tab()->policy().openInterpreter();
        QTRY_VERIFY(find<QAbstractButton>("bench.interpreter.clean"));
        picture(u"sheet"_s);
        for (const Popover *sheet : m_desk->frame.findChildren<Popover *>()) {
            if (sheet->isVisible())
                QVERIFY(m_desk->frame.rect().contains(sheet->geometry()));
        }
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
        run(u"print('begun', flush=True)\nwhile True: pass"_s);
        QTRY_VERIFY(shown().contains(u"begun"_s));
        QVERIFY(trigger("bench.stop"));
        waitForEnd();
        picture(u"stopped"_s);
        tab()->policy().setStart({.arguments = u"a"_s, .variables = {}, .input = {}});
        runToEnd(u"total"_s);
        picture(u"refused"_s);
        tab()->policy().setStart({});
        runToEnd(u"import os; os._exit(3)"_s);
        picture(u"crashed"_s);
    }

    void theWindowClosesInTheMiddle()
    {
        choose();
        tab()->keepInterpreter(true);
        run(u"print('begun', flush=True)\nwhile True: pass"_s);
        QTRY_VERIFY(shown().contains(u"begun"_s));
        QElapsedTimer clock;
        clock.start();
        m_desk.reset(); // and waits for the engine
        QVERIFY2(clock.elapsed() < 10'000, qPrintable(QString::number(clock.elapsed())));
    }
};

GLOVEBOX_TEST_MAIN(TestBenchCells)
#include "tst_benchcells.moc"
