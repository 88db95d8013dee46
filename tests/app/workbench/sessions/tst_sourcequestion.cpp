// SPDX-License-Identifier: Apache-2.0
// Packages that have only their source: the way to build one, what is asked before its code is run, and what comes of both.
#include "packagesseat.h"

#include <QCheckBox>
#include <QStandardPaths>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestSourceQuestion : public QObject, public PackagesSeat
{
    Q_OBJECT

    BenchTab *tab() const { return qobject_cast<BenchPage *>(desk->frame.page(u"bench"_s))->current(); }
    QString log() const { return find<OutputView>(u"sessions.packages.output"_s)->text(); }
    QString words() const { return text(u"sessions.packages.words"_s); }
    Session askFor(const QString &names)
    {
        const Session shop = make();
        desk->context.navigateTo(u"sessions"_s, {{u"session"_s, shop.id}});
        [&] { QTRY_COMPARE(text(u"sessions.details.name"_s), u"shop"_s); }();
        install(names);
        return shop;
    }
    void install(const QString &names)
    {
        QVERIFY(act(u"sessions.install"_s));
        QTRY_VERIFY(find<QLineEdit>(u"sessions.packages.python"_s)->hasFocus());
        type(u"sessions.packages.python"_s, names);
        QTest::keyClick(find<QLineEdit>(u"sessions.packages.python"_s), Qt::Key_Return);
    }
    void isOffered(const QString &bar, const QString &name)
    {
        QTRY_VERIFY2_WITH_TIMEOUT(shows(bar + u".build"_s), qPrintable(text(bar + u".words"_s)), 60'000);
        QCOMPARE(find<QPushButton>(bar + u".build"_s)->text(),
                 u"Build %1 from source, in a sandbox without a network"_s.arg(name));
        QCOMPARE(text(bar + u".words"_s),
                 u"www.allowed.test has %1 only as source code. Glovebox installs wheels, as building one runs its "
                 "code."_s.arg(name));
    }
    void isAsked(const QString &bar, const QString &question)
    {
        QTRY_VERIFY2_WITH_TIMEOUT(shows(bar + u".yes"_s), qPrintable(text(bar + u".words"_s)), 60'000);
        QCOMPARE(text(bar + u".words"_s), question);
        QCOMPARE(find<QPushButton>(bar + u".yes"_s)->text(), u"Build it"_s);
        QVERIFY(!shows(bar + u".build"_s));
        QVERIFY(engine().packages().list().isEmpty());
    }

private Q_SLOTS:
    void initTestCase()
    {
        makeIndex(u"sources.py"_s);
        makeIndex(u"registry.py"_s);
        qputenv("GLOVEBOX_PACKAGES_NPM_INDEX", "https://registry.npmjs.org/npm");
        qputenv("GLOVEBOX_PACKAGES_INDEX", "https://www.allowed.test/private");
    }
    void init() { sitDown(); }
    void cleanup()
    {
        standUp();
        removeLeft();
    }

    void anInstallScriptRunsOnceThePersonTicksItsName()
    {
        if (QStandardPaths::findExecutable(u"npm"_s).isEmpty())
            return qWarning("npm is not installed, and not tried.");
        const QString bar = u"sessions.packages"_s;
        const Session shop = make();
        desk->context.navigateTo(u"sessions"_s, {{u"session"_s, shop.id}});
        QTRY_COMPARE(text(u"sessions.details.name"_s), u"shop"_s);
        for (const bool ticks : {false, true}) {
            QTRY_VERIFY(!shows(bar + u".cancel"_s)); // the window is done with what the disk has already
            QVERIFY(act(u"sessions.install"_s));
            QTRY_VERIFY(find<QLineEdit>(u"sessions.packages.python"_s)->hasFocus());
            type(u"sessions.packages.node"_s, ticks ? u"plain-script@1 brittle"_s : u"plain-script"_s);
            QTest::keyClick(find<QLineEdit>(u"sessions.packages.node"_s), Qt::Key_Return);
            QTRY_VERIFY2_WITH_TIMEOUT(shows(bar + u".yes"_s), qPrintable(words()), 60'000);
            auto *box = find<QCheckBox>(bar + u".getting.script"_s + (ticks ? u'1' : u'0'));
            QTRY_VERIFY(box->isVisible());
            QVERIFY(!box->isChecked());
            QCOMPARE(box->text(), u"Run the install script of plain-script, sealed and without a network"_s);
            picture(u"packages-script"_s);
            if (ticks)
                box->click();
            press(bar + u".yes"_s);
            QTRY_VERIFY_WITH_TIMEOUT(packagesOf(shop.id, u"node"_s)
                                         && packagesOf(shop.id, u"node"_s)->requirements.size() == (ticks ? 2 : 1),
                                     60'000);
            const auto lock = readPackageLock(packagesOf(shop.id, u"node"_s)->lock);
            QCOMPARE(lock->scripts(), ticks ? QStringList{u"plain-script 1.0.0"_s} : QStringList());
        }
        QVERIFY2(log().contains(u"the script says hello"_s), qPrintable(log()));
    }

    void ofManyInstallScriptsTheRestAreCounted()
    {
        if (QStandardPaths::findExecutable(u"npm"_s).isEmpty())
            return; // as above, which says so
        const QString bar = u"sessions.packages"_s;
        desk->context.navigateTo(u"sessions"_s, {{u"session"_s, make().id}});
        QTRY_COMPARE(text(u"sessions.details.name"_s), u"shop"_s);
        QVERIFY(act(u"sessions.install"_s));
        QTRY_VERIFY(find<QLineEdit>(u"sessions.packages.python"_s)->hasFocus());
        type(u"sessions.packages.node"_s, u"plain-script brittle greedy killer liar linking locker"_s);
        QTest::keyClick(find<QLineEdit>(u"sessions.packages.node"_s), Qt::Key_Return);
        QTRY_VERIFY2_WITH_TIMEOUT(shows(bar + u".yes"_s), qPrintable(words()), 60'000);
        QTRY_VERIFY(shows(bar + u".getting.script4"_s)); // once its layout is done
        QCOMPARE(text(bar + u".moreScripts"_s),
                 u"2 more have install scripts. To have one run, in a terminal: glovebox run or glovebox session "
                 "install, with --allow-scripts NAME"_s);
        picture(u"packages-many-scripts"_s);
        press(bar + u".no"_s);
        QTRY_VERIFY(!shows(bar + u".moreScripts"_s));
    }

    // Of two that need each other, one after the other.
    void aSourceIsBuiltForASessionOnceThePersonSaysSo()
    {
        const QString bar = u"sessions.packages"_s;
        const Session shop = askFor(u"outer"_s);
        isOffered(bar, u"outer"_s);
        picture(u"packages-only-source"_s);
        find<QWidget>(u"sessions.packages.output"_s)->setFocus();
        pressByKeys(bar + u".build"_s);
        QTRY_VERIFY(find<QWidget>(bar + u".cancel"_s)->hasFocus());
        isAsked(bar, u"outer is to be built from its source: outer 1.0 by its own code alone. Run this package's own "
                     u"code to build it, sealed "
                     "and without a network?"_s);
        QVERIFY(find<QWidget>(bar + u".no"_s)->hasFocus());
        press(bar + u".yes"_s);
        QTRY_VERIFY2_WITH_TIMEOUT(log().contains(u"Building outer, sealed and without a network"_s), qPrintable(log()),
                                  20'000);
        isOffered(bar, u"plainsource"_s);
        press(bar + u".build"_s);
        isAsked(bar, u"outer is to be built from its source: outer 1.0 by its own code alone. Run this package's own "
                     u"code to build it, sealed "
                     "and without a network?"_s);
        press(bar + u".yes"_s);
        QTRY_VERIFY2_WITH_TIMEOUT(words().startsWith(u"plainsource is"_s), qPrintable(words()), 60'000);
        isAsked(bar,
                u"plainsource is to be built from its source: plainsource 1.0 with tinybuild 3.1. Run code of this "
                "package and of these tools to build it, sealed and without a network?"_s);
        picture(u"packages-build-question"_s);
        press(bar + u".yes"_s);
        QTRY_VERIFY2_WITH_TIMEOUT(words().startsWith(u"Install outer 1.0 and 2 others from www.allowed.test, "_s),
                                  qPrintable(words()), 60'000);
        QCOMPARE(find<QPushButton>(bar + u".yes"_s)->text(), u"Install"_s);
        press(bar + u".yes"_s);
        QTRY_VERIFY_WITH_TIMEOUT(packagesOf(shop.id) != nullptr, 60'000);
        QCOMPARE(packagesOf(shop.id)->packages, (QStringList{u"outer 1.0"_s, u"leaf 1.0"_s, u"plainsource 1.0"_s}));
        QCOMPARE(namesOfAllSessions(), QStringList{u"shop"_s});
    }

    void whoDoesntAgreeGetsNothing()
    {
        const QString bar = u"sessions.packages"_s;
        const Session shop = askFor(u"plainsource"_s);
        isOffered(bar, u"plainsource"_s);
        press(bar + u".build"_s);
        QTRY_VERIFY_WITH_TIMEOUT(shows(bar + u".no"_s), 60'000);
        press(bar + u".no"_s);
        QTRY_VERIFY2_WITH_TIMEOUT(log().contains(u"Nothing was installed, as you cancelled it."_s), qPrintable(log()),
                                  20'000);
        QVERIFY(!shows(bar + u".build"_s));
        QVERIFY(!log().contains(u"Building"_s));
        QVERIFY(packagesOf(shop.id) == nullptr && engine().packages().list().isEmpty());
        QCOMPARE(namesOfAllSessions(), QStringList{u"shop"_s});
        install(u"leaf"_s); // what was offered then isn't now
        QTRY_VERIFY_WITH_TIMEOUT(shows(bar + u".yes"_s), 60'000);
        QVERIFY(!shows(bar + u".build"_s));
    }

    void aRunOfTheBenchGetsWhatWasBuilt()
    {
        goTo(u"bench"_s);
        tab()->editor().setText(
            u"# /// script\n# dependencies = [\"homemade\"]\n# ///\nimport homemade\nprint(homemade.BUILT)"_s, true);
        tab()->chooseLanguage(u"python"_s);
        QVERIFY(act(u"bench.run"_s));
        QTRY_VERIFY(shows(u"bench.missing.lend"_s));
        press(u"bench.missing.lend"_s);
        isOffered(u"bench.missing"_s, u"homemade"_s);
        picture(u"missing-only-source"_s);
        press(u"bench.missing.build"_s);
        QTRY_VERIFY_WITH_TIMEOUT(shows(u"bench.missing.yes"_s), 60'000);
        press(u"bench.missing.yes"_s);
        QTRY_VERIFY2_WITH_TIMEOUT(text(u"bench.missing.words"_s).startsWith(u"Install homemade 1.0 and 1 other"_s),
                                  qPrintable(text(u"bench.missing.words"_s)), 60'000);
        press(u"bench.missing.yes"_s);
        QTRY_VERIFY_WITH_TIMEOUT(tab()->runs().current() && tab()->runs().current()->isDone(), 60'000);
        QVERIFY2(tab()->runs().output()->text().contains(u"True"_s), qPrintable(tab()->runs().output()->text()));
    }
};

GLOVEBOX_INTERNET_WINDOW_MAIN(TestSourceQuestion)
#include "tst_sourcequestion.moc"
