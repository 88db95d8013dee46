// SPDX-License-Identifier: Apache-2.0
// A run of the bench that ended for want of a module: the line below it, and what becomes of its two ways.
#include "packagesseat.h"

#include <QMenu>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestMissingQuestion : public QObject, public PackagesSeat
{
    Q_OBJECT

    BenchTab *tab() const { return qobject_cast<BenchPage *>(desk->frame.page(u"bench"_s))->current(); }
    QString shown() const { return tab()->runs().output()->text(); }
    const RunRequest &request() const { return tab()->runs().current()->request(); }
    void run(const QString &code, const QString &language = u"python"_s)
    {
        tab()->editor().setText(code, true);
        tab()->chooseLanguage(language);
        runAgain();
    }
    void runAgain()
    {
        QVERIFY(act(u"bench.run"_s));
        waitForEnd();
    }
    void waitForEnd()
    {
        QTRY_VERIFY_WITH_TIMEOUT(tab()->runs().current() && tab()->runs().current()->isDone(), 60'000);
    }
    void lend()
    {
        QTRY_VERIFY2(shows(u"bench.missing.lend"_s), qPrintable(shown()));
        press(u"bench.missing.lend"_s);
    }
    void waitForRun(size_t number)
    {
        QTRY_VERIFY_WITH_TIMEOUT(tab()->runs().runs().size() == number, 60'000);
        waitForEnd();
    }
    void isAskedAbout(const QString &words)
    {
        QTRY_VERIFY2(shows(u"bench.missing.sentence"_s), qPrintable(shown()));
        QCOMPARE(text(u"bench.missing.sentence"_s), words);
    }

private Q_SLOTS:
    void initTestCase() { makeIndexes(); }
    void init()
    {
        sitDown();
        goTo(u"bench"_s);
    }
    void cleanup()
    {
        standUp();
        removeLeft();
    }

    void aPackageIsLentToOneRunByTheKeyboardAlone()
    {
        run(u"import branch\nbranch.main()"_s);
        isAskedAbout(u"branch isn't here."_s);
        QVERIFY(text(u"bench.missing.chosen"_s).contains(u"The code chose the name \"branch\""_s));
        QVERIFY(desk->save(u"bench-missing"_s));
        tab()->runs().output()->setFocus();
        pressByKeys(u"bench.missing.lend"_s);
        QTRY_VERIFY(shows(u"bench.missing.cancel"_s));
        QVERIFY(find<QWidget>(u"bench.missing.cancel"_s)->hasFocus());
        QVERIFY(!shows(u"bench.missing.lend"_s));
        const Page *bench = desk->frame.page(u"bench"_s);
        QCOMPARE(bench->closingEnds(), u"Packages are being installed (branch); closing cancels that."_s);
        QTRY_VERIFY_WITH_TIMEOUT(shows(u"bench.missing.yes"_s), 60'000);
        QVERIFY2(text(u"bench.missing.words"_s).startsWith(u"Install branch 1.5 and 1 other from pypi.org, "_s),
                 qPrintable(text(u"bench.missing.words"_s)));
        QVERIFY(desk->save(u"bench-missing-asked"_s));
        QVERIFY(find<QWidget>(u"bench.missing.no"_s)->hasFocus()); // a Space for "Cancel" that came too late
        QTest::keyClick(find<QWidget>(u"bench.missing.no"_s), Qt::Key_Backtab);
        QVERIFY(find<QWidget>(u"bench.missing.yes"_s)->hasFocus());
        QTest::keyClick(find<QWidget>(u"bench.missing.yes"_s), Qt::Key_Space);
        waitForRun(2);
        QVERIFY2(shown().contains(u"branch 2.0"_s), qPrintable(shown()));
        QVERIFY(!request().packages.isEmpty());
        QTRY_VERIFY(!shows(u"bench.missing"_s));
        QVERIFY(bench->closingEnds().isEmpty());
        QVERIFY(tab()->runs().output()->hasFocus());
        QVERIFY(engine().sessions().list()->isEmpty());

        // The next run has none. What is here already needs no index, and nobody is asked again.
        runAgain();
        QVERIFY(request().packages.isEmpty());
        isAskedAbout(u"branch isn't here."_s);
        const InternetLog quiet;
        lend();
        waitForRun(4);
        QVERIFY2(shown().contains(u"branch 2.0"_s), qPrintable(shown()));
        QVERIFY(quiet.lines().join().isEmpty());
    }

    // One after the other, as code tells of one at a time.
    void aSecondMissingModuleIsLentBesideTheFirst()
    {
        run(u"import leaf\nimport cv2\nprint(leaf.VERSION, cv2.NAME)"_s);
        isAskedAbout(u"leaf isn't here."_s);
        lend();
        agree(u"bench.missing"_s);
        waitForRun(2);
        isAskedAbout(u"cv2 isn't here. The package opencv-python has it."_s);
        QVERIFY(!shows(u"bench.missing.chosen"_s)); // many use that one
        lend();
        agree(u"bench.missing"_s);
        waitForRun(3);
        QVERIFY2(shown().contains(u"2.0 seen"_s), qPrintable(shown()));
    }

    // Before the code runs: nothing is fetched before the person says so, and what is here already isn't asked about.
    void packagesThatTheCodeNamesAreOfferedBeforeItRuns()
    {
        const auto runNaming = [this] {
            tab()->editor().setText(
                u"# /// script\n# dependencies = [\"leaf<2\", \"requestz\"]\n# ///\nimport leaf\nprint(leaf.VERSION)"_s,
                true);
            tab()->chooseLanguage(u"python"_s);
            QVERIFY(act(u"bench.run"_s));
        };
        {
            const InternetLog quiet;
            runNaming();
            isAskedAbout(u"The code names packages that aren't here: leaf<2, requestz."_s);
            QVERIFY(text(u"bench.missing.chosen"_s).contains(u"looks like \"requests\""_s));
            QVERIFY(!shows(u"bench.missing.install"_s));
            QVERIFY(tab()->runs().runs().empty());
            QVERIFY(quiet.lines().join().isEmpty());
        }
        picture(u"missing-named"_s);
        tab()->runs().output()->setFocus();
        pressByKeys(u"bench.missing.lend"_s);
        QTRY_VERIFY_WITH_TIMEOUT(shows(u"bench.missing.no"_s), 60'000);
        press(u"bench.missing.no"_s);
        QTRY_VERIFY(shows(u"bench.missing.lend"_s)); // the answer may be another one
        QVERIFY(tab()->runs().runs().empty());
        lend();
        agree(u"bench.missing"_s);
        waitForRun(1);
        QVERIFY2(shown().contains(u"1.0\n"_s), qPrintable(shown()));
        QTRY_VERIFY(!shows(u"bench.missing"_s));
        const InternetLog quiet;
        runNaming();
        waitForRun(2);
        QVERIFY2(shown().contains(u"1.0\n"_s), qPrintable(shown()));
        QVERIFY(quiet.lines().join().isEmpty());
        QVERIFY(engine().sessions().list()->isEmpty());
    }

    void codeRunsWithoutThePackagesThatItNames()
    {
        run(u"print(1)"_s);
        tab()->editor().setText(u"# /// script\n# dependencies = [\"leaf\"]\n# ///\nprint(6 * 7)"_s, true);
        QVERIFY(act(u"bench.run"_s));
        isAskedAbout(u"The code names packages that aren't here: leaf."_s);
        press(u"bench.missing.without"_s);
        waitForRun(2);
        QVERIFY2(shown().contains(u"42"_s), qPrintable(shown()));
        QVERIFY(request().packages.isEmpty());
        QVERIFY(act(u"bench.run"_s)); // and isn't asked again
        waitForRun(3);
        // An answer that is left leaves the run.
        tab()->editor().setText(u"# /// script\n# dependencies = [\"branch\"]\n# ///\nprint(6 * 7)"_s, true);
        QVERIFY(act(u"bench.run"_s));
        isAskedAbout(u"The code names packages that aren't here: branch."_s);
        press(u"bench.missing.close"_s);
        QVERIFY(!shows(u"bench.missing"_s));
        QCOMPARE(tab()->runs().runs().size(), size_t(3));
    }

    void aSessionThatIsGoneIsNotTakenForMissingPackages()
    {
        const Session shop = make();
        tab()->chooseSession(shop.id);
        QTRY_COMPARE(tab()->policy().session().name, u"shop"_s);
        QVERIFY(engine().deleteSession(shop.id, engine().caller())); // by another program: the tab doesn't know
        tab()->editor().setText(u"# /// script\n# dependencies = [\"leaf\"]\n# ///\nimport leaf"_s, true);
        tab()->chooseLanguage(u"python"_s);
        QVERIFY(act(u"bench.run"_s));
        waitForRun(1);
        QCOMPARE(toString(tab()->runs().current()->result()->outcome), u"rejected"_s);
        QVERIFY2(tab()->runs().current()->result()->reason.english().contains(u"session"_s),
                 qPrintable(tab()->runs().current()->result()->reason.english()));
        QVERIFY(!shows(u"bench.missing"_s));
    }

    void packagesThatTheCodeNamesComeWithIt()
    {
        tab()->editor().setText(u"# /// script\n# dependencies = [\"leaf<2\"]\n# ///\nimport branch\nbranch.main()"_s,
                                true);
        tab()->chooseLanguage(u"python"_s);
        QVERIFY(act(u"bench.run"_s));
        QTRY_VERIFY(shows(u"bench.missing.without"_s));
        press(u"bench.missing.without"_s);
        waitForRun(1);
        isAskedAbout(u"branch isn't here."_s);
        lend();
        agree(u"bench.missing"_s);
        waitForRun(2);
        QVERIFY2(shown().contains(u"branch 1.0"_s), qPrintable(shown()));
    }

    void aPackageIsInstalledIntoTheSessionOfTheRun()
    {
        const Session shop = make();
        tab()->chooseSession(shop.id);
        QTRY_COMPARE(tab()->policy().session().name, u"shop"_s);
        run(u"import leaf\nprint(leaf.VERSION)"_s);
        isAskedAbout(u"leaf isn't here."_s);
        QCOMPARE(find<QPushButton>(u"bench.missing.install"_s)->text(), u"Install it into session shop"_s);
        press(u"bench.missing.install"_s);
        agree(u"bench.missing"_s);
        waitForRun(2);
        QVERIFY2(shown().contains(u"2.0"_s), qPrintable(shown()));
        QVERIFY(packagesOf(shop.id));
        QCOMPARE(packagesOf(shop.id)->packages, QStringList{u"leaf 2.0"_s});
        runAgain(); // for good
        QVERIFY2(shown().contains(u"2.0"_s), qPrintable(shown()));

        // Lent to a run in it, others come beside its own.
        run(u"import leaf, cv2\nprint(leaf.VERSION, cv2.NAME)"_s);
        lend();
        agree(u"bench.missing"_s);
        waitForRun(5);
        QVERIFY2(shown().contains(u"2.0 seen"_s), qPrintable(shown()));
        QCOMPARE(packagesOf(shop.id)->packages, QStringList{u"leaf 2.0"_s});
    }

    void aRunOfNoSessionChoosesOne()
    {
        const Session shop = make();
        goTo(u"sessions"_s); // the bench reads them when it comes
        goTo(u"bench"_s);
        tab()->chooseSession({});
        run(u"import leaf\nprint(leaf.VERSION)"_s);
        isAskedAbout(u"leaf isn't here."_s);
        QCOMPARE(find<QPushButton>(u"bench.missing.install"_s)->text(), u"Install it into a session…"_s);
        const auto menu = [] { return qobject_cast<QMenu *>(QApplication::activePopupWidget()); };
        const auto choose = [&](qsizetype index) {
            press(u"bench.missing.install"_s);
            QTRY_VERIFY(menu());
            QAction *action = menu()->actions().at(index);
            menu()->setActiveAction(action);
            QTest::keyClick(menu(), Qt::Key_Return);
        };
        choose(0);
        agree(u"bench.missing"_s);
        waitForRun(2);
        QVERIFY2(shown().contains(u"2.0"_s), qPrintable(shown()));
        QCOMPARE(request().session, shop.id);
        QCOMPARE(tab()->policy().session().id, shop.id);

        // A new one is made, and its field of packages has the name.
        tab()->chooseSession({});
        runAgain();
        isAskedAbout(u"leaf isn't here."_s);
        choose(2);
        QTRY_VERIFY(find<QLineEdit>(u"sessions.form.name"_s)->hasFocus());
        type(u"sessions.form.name"_s, u"fresh"_s);
        press(u"sessions.form.create"_s);
        QTRY_VERIFY(shows(u"sessions.packages.python"_s));
        QTRY_VERIFY(find<QLineEdit>(u"sessions.packages.python"_s)->hasFocus());
        QCOMPARE(find<QLineEdit>(u"sessions.packages.python"_s)->text(), u"leaf"_s);
        QCOMPARE(text(u"sessions.details.name"_s), u"fresh"_s);
    }

    void aModuleOfNodeIsLent()
    {
        run(u"console.log(require('leaf/index.js'))"_s, u"node"_s);
        isAskedAbout(u"leaf/index.js isn't here. The package leaf has it."_s);
        lend();
        agree(u"bench.missing"_s);
        waitForRun(2);
        QVERIFY2(shown().contains(u"leaf 2"_s), qPrintable(shown()));
    }

    void whatIsCancelledLeavesNothing()
    {
        run(u"import silent"_s); // its file never comes
        lend();
        QTRY_VERIFY_WITH_TIMEOUT(text(u"bench.missing.words"_s) == u"Fetching silent from pypi.org…"_s, 20'000);
        QTRY_COMPARE(namesOfAllSessions().size(), 1); // of the installation
        QVERIFY(tab()->policy().session().id.isEmpty());
        find<QWidget>(u"bench.missing.cancel"_s)->setFocus();
        press(u"bench.missing.cancel"_s);
        QTRY_VERIFY_WITH_TIMEOUT(shows(u"bench.missing.lend"_s), 10'000);
        QVERIFY(find<QWidget>(u"bench.missing.lend"_s)->hasFocus());
        QCOMPARE(namesOfAllSessions(), QStringList());
        QCOMPARE(tab()->runs().runs().size(), size_t(1));
        QVERIFY(engine().packages().list().isEmpty());

        run(u"import branch"_s);
        isAskedAbout(u"branch isn't here."_s);
        lend();
        QTRY_VERIFY_WITH_TIMEOUT(shows(u"bench.missing.no"_s), 60'000);
        press(u"bench.missing.no"_s);
        QTRY_VERIFY(shows(u"bench.missing.lend"_s));
        QCOMPARE(namesOfAllSessions(), QStringList());
        QVERIFY(engine().packages().list().isEmpty());
        press(u"bench.missing.close"_s);
        QVERIFY(!shows(u"bench.missing"_s));
    }

    void aWindowThatClosesLeavesNothing()
    {
        run(u"import silent"_s);
        lend();
        QTRY_VERIFY_WITH_TIMEOUT(text(u"bench.missing.words"_s) == u"Fetching silent from pypi.org…"_s, 20'000);
        QTRY_COMPARE(namesOfAllSessions().size(), 1);
        const auto engine = closeAndOpenAnew();
        QCOMPARE(namesOfSessions(*engine), QStringList());
        QVERIFY(engine->packages().list().isEmpty());
    }

    void whatCannotBeHadIsSaidInTheLine()
    {
        run(u"import nowhere_to_be_found"_s);
        isAskedAbout(u"nowhere_to_be_found isn't here. The package nowhere-to-be-found has it."_s);
        lend();
        QTRY_VERIFY2_WITH_TIMEOUT(text(u"bench.missing.words"_s).contains(u"nowhere-to-be-found"_s)
                                      && shows(u"bench.missing.lend"_s),
                                  qPrintable(text(u"bench.missing.words"_s)), 60'000);
        QVERIFY(shows(u"bench.missing.words"_s));
        run(u"print(1)"_s);
        QTRY_VERIFY(!shows(u"bench.missing"_s));
    }

    void nobodyIsAskedForWhatIsNoPackage()
    {
        run(u"try:\n    import leaf\nexcept ImportError as error:\n    print(repr(error))\n1 / 0"_s);
        Desk::settle();
        QVERIFY(!shows(u"bench.missing"_s));
        run(u"import urllib2"_s);
        QTRY_VERIFY(shows(u"bench.missing.sentence"_s));
        QVERIFY(text(u"bench.missing.sentence"_s).contains(u"and no package does."_s));
        QVERIFY(!shows(u"bench.missing.lend"_s) && !shows(u"bench.missing.install"_s));
        // A file beside the code, which was forgotten.
        for (const auto &[name, code] : {std::pair(u"helpers.py"_s, "x = 1\n"), {u"main.py"_s, "import helpers\n"}}) {
            QFile file(desk->folder.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(code) > 0);
        }
        desk->frame.openFiles({desk->folder.filePath(u"main.py"_s)});
        QTRY_COMPARE(tab()->name(), u"main.py"_s);
        QTRY_COMPARE(tab()->editor().codeBytes(), QByteArray("import helpers\n"));
        runAgain();
        isAskedAbout(u"helpers isn't here. The file lies beside your code, and the run wasn't shown it."_s);
        QVERIFY(!shows(u"bench.missing.lend"_s) && !shows(u"bench.missing.install"_s));
    }

    void lookAtIt()
    {
        make();
        run(u"import nump\nprint(nump.array([1]))"_s);
        QTRY_VERIFY(shows(u"bench.missing.sentence"_s));
        picture(u"missing"_s);
    }
};

GLOVEBOX_INTERNET_WINDOW_MAIN(TestMissingQuestion)
#include "tst_missingquestion.moc"
