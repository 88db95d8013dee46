// SPDX-License-Identifier: Apache-2.0
// Packages of a session on its page: installed from an index of the test internet, with a log, and repeated by their lock.
#include "packagesseat.h"

#include "app/workbench/shell/look.h"

#include <QClipboard>
#include <QFileDialog>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestSessionPackages : public QObject, public PackagesSeat
{
    Q_OBJECT

    QTreeView *packages() const { return find<QTreeView>(u"sessions.packages"_s); }
    QString log() const { return find<OutputView>(u"sessions.packages.output"_s)->text(); }
    QString trouble() const { return text(u"sessions.packages.trouble"_s); }
    QString words() const { return text(u"sessions.packages.words"_s); }
    Session openShop()
    {
        const Session shop = make();
        desk->context.navigateTo(u"sessions"_s, {{u"session"_s, shop.id}});
        [&] { QTRY_COMPARE(text(u"sessions.details.name"_s), u"shop"_s); }();
        return shop;
    }
    void ask()
    {
        QVERIFY(act(u"sessions.install"_s));
        QTRY_VERIFY(find<QLineEdit>(u"sessions.packages.python"_s)->hasFocus());
    }
    void install(const QString &python, const QString &node = {})
    {
        ask();
        type(u"sessions.packages.python"_s, python);
        find<QLineEdit>(u"sessions.packages.node"_s)->setText(node);
        QTest::keyClick(find<QLineEdit>(u"sessions.packages.node"_s), Qt::Key_Return);
    }
    QString runIn(const QString &session, const QByteArray &code, const QString &language = u"python"_s)
    {
        RunRequest request;
        request.code = code;
        request.language = language;
        request.session = session;
        request.caller = engine().caller();
        const auto run = engine().start(std::move(request));
        (void)QTest::qWaitFor([&] { return run->state() == RunState::Done; }, 60'000);
        const auto result = run->wait();
        return QString::fromUtf8(result->out.kept() + result->err.kept());
    }

private Q_SLOTS:
    void initTestCase() { makeIndexes(); }
    void init() { sitDown(); }
    void cleanup()
    {
        standUp();
        removeLeft();
    }

    void packagesOfBothLanguagesAreInstalledAndListed()
    {
        const Session shop = openShop();
        QTRY_VERIFY(shows(u"sessions.packages.empty"_s));
        QVERIFY(text(u"sessions.packages.empty"_s).startsWith(u"No packages yet."_s));
        QVERIFY(!shows(u"sessions.packages"_s) && !shows(u"sessions.packages.save"_s));
        install(u"branch"_s, u"branch@1"_s);
        QTRY_VERIFY(shows(u"sessions.packages.output"_s));
        QVERIFY(find<QWidget>(u"sessions.packages.cancel"_s)->hasFocus());
        QTRY_VERIFY_WITH_TIMEOUT(shows(u"sessions.packages.yes"_s), 60'000);
        QVERIFY2(words().startsWith(u"Install branch 1.5 and 1 other from pypi.org, "_s), qPrintable(words()));
        QVERIFY2(log().contains(u"Fetching branch from pypi.org"_s) && log().contains(u"branch-1.5-py3-none-any.whl"_s),
                 qPrintable(log())); // ours, and the tool's own
        QVERIFY(!log().contains(u"\"problem\""_s));
        QVERIFY(desk->save(u"sessions-packages-asked"_s));
        QVERIFY(packagesOf(shop.id) == nullptr);
        QVERIFY(find<QWidget>(u"sessions.packages.no"_s)->hasFocus()); // a Space for "Cancel" that came too late
        QTest::keyClick(find<QWidget>(u"sessions.packages.no"_s), Qt::Key_Backtab);
        QTest::keyClick(find<QWidget>(u"sessions.packages.yes"_s), Qt::Key_Space);
        QTRY_VERIFY_WITH_TIMEOUT(log().contains(u"Installing, without a network"_s), 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(words().startsWith(u"Install branch 1.5.0 and 1 other from registry.npmjs.org, "_s),
                                 60'000);
        QVERIFY(packagesOf(shop.id)); // the first language's are in already
        press(u"sessions.packages.yes"_s);
        QTRY_VERIFY_WITH_TIMEOUT(shows(u"sessions.packages"_s) && packages()->model()->rowCount() == 4, 60'000);
        QCOMPARE(column(packages(), 0),
                 (QStringList{u"branch"_s, u"1 that these need"_s, u"branch"_s, u"1 that these need"_s}));
        QCOMPARE(packages()->model()->index(0, 1).data().toString(), u"1.5"_s);
        QCOMPARE(packages()->model()->index(0, 2).data().toString(), u"pypi.org"_s);
        const QModelIndex below = packages()->model()->index(1, 0);
        QCOMPARE(packages()->model()->index(0, 0, below).data().toString(), u"leaf"_s);
        QCOMPARE(packages()->model()->index(2, 2).data().toString(), u"registry.npmjs.org"_s);
        const auto lock = readPackageLock(packagesOf(shop.id)->lock);
        QVERIFY(lock);
        const QString hash = packages()->model()->index(0, 3).data().toString();
        QVERIFY2(hash.size() == 9 && lock->packages.first().hash.startsWith(hash.first(4))
                     && lock->packages.first().hash.endsWith(hash.last(4)),
                 qPrintable(hash));
        QCOMPARE(text(u"sessions.packages.remark"_s), u"4, as locked"_s);
        QVERIFY(packages()->hasFocus());
        const auto placeOf = [this](const QWidget *widget) {
            return QRect(widget->mapTo(&desk->frame, QPoint()), widget->size());
        };
        QVERIFY(shows(u"frame.notes"_s)); // which says that they are installed
        for (const QString &name : {u"sessions.packages.copy"_s, u"sessions.packages.save"_s}) {
            for (const QWidget *button : desk->frame.findChildren<QWidget *>(name))
                QTRY_VERIFY2(!placeOf(find<QWidget>(u"frame.notes"_s)).intersects(placeOf(button)), qPrintable(name));
        }
        QVERIFY(desk->save(u"sessions-packages"_s));
        QCOMPARE(runIn(shop.id, "import branch; branch.main()"), u"branch 2.0\n"_s);
        QCOMPARE(runIn(shop.id, "console.log(require('branch'))", u"node"_s), u"branch on leaf 1.0.0\n"_s);
        QCOMPARE(namesOfAllSessions(), QStringList{u"shop"_s});

        // The log stays to be read.
        press(u"sessions.packages.log"_s);
        QVERIFY(shows(u"sessions.packages.output"_s)
                && log().contains(u"Session shop: each Node.js run in it can import"_s));
        QTest::keyClick(find<QWidget>(u"sessions.packages.output"_s), Qt::Key_Escape);
        QTRY_VERIFY(shows(u"sessions.packages"_s));
    }

    void theLockIsCopiedAndSaved()
    {
        const Session shop = openShop();
        install(u"leaf==1.0"_s);
        agree(u"sessions.packages"_s);
        QTRY_VERIFY_WITH_TIMEOUT(shows(u"sessions.packages.copy"_s), 60'000);
        const QByteArray lock = packagesOf(shop.id)->lock;
        press(u"sessions.packages.copy"_s);
        QCOMPARE(QGuiApplication::clipboard()->text().toUtf8(), lock);
        press(u"sessions.packages.save"_s);
        auto *dialog = desk->frame.findChild<QFileDialog *>(u"sessions.packages.dialog"_s);
        QVERIFY(dialog);
        const QString file = desk->folder.filePath(u"shop.lock"_s);
        Q_EMIT dialog->fileSelected(file);
        dialog->reject();
        QTRY_VERIFY2(note().startsWith(u"The lock is saved as "_s), qPrintable(note()));
        QFile saved(file);
        QVERIFY(saved.open(QIODevice::ReadOnly));
        QCOMPARE(saved.readAll(), lock);
        press(u"sessions.packages.save"_s);
        dialog = desk->frame.findChildren<QFileDialog *>(u"sessions.packages.dialog"_s).last();
        Q_EMIT dialog->fileSelected(u"/proc/shop.lock"_s);
        dialog->reject();
        QTRY_VERIFY2(note().startsWith(u"The lock file /proc/shop.lock can't be written: "_s), qPrintable(note()));
    }

    void mistakesAndDoubtsAreToldBeforeAnythingIsFetched()
    {
        openShop();
        const InternetLog quiet;
        install(u""_s);
        QCOMPARE(trouble(), u"Name at least one package."_s);
        install(u"https://example.org/x.whl"_s);
        QVERIFY2(trouble().contains(u"packages aren't installed from an address"_s), qPrintable(trouble()));
        QVERIFY(find<QLineEdit>(u"sessions.packages.python"_s)->hasFocus());
        install(u"requestz"_s);
        QCOMPARE(trouble(),
                 u"The name \"requestz\" looks like \"requests\", a package that many use, and is another one."_s);
        QCOMPARE(find<QPushButton>(u"sessions.packages.install"_s)->text(), u"Fetch it anyway"_s);
        QVERIFY(desk->save(u"sessions-packages-doubt"_s));
        type(u"sessions.packages.python"_s, u"requestz "_s); // another word about it asks again
        QCOMPARE(find<QPushButton>(u"sessions.packages.install"_s)->text(), u"Install"_s);
        press(u"sessions.packages.install"_s);
        QVERIFY(quiet.lines().join().isEmpty());
        press(u"sessions.packages.install"_s);
        QTRY_VERIFY_WITH_TIMEOUT(shows(u"sessions.packages.no"_s), 60'000);
        QVERIFY(quiet.has("request https pypi.org GET /simple/requestz/"));
        QVERIFY(text(u"sessions.packages.doubts"_s).contains(u"looks like \"requests\""_s));
        QVERIFY(find<QWidget>(u"sessions.packages.no"_s)->hasFocus());
        QTest::keyClick(find<QWidget>(u"sessions.packages.no"_s), Qt::Key_Space);
        QTRY_VERIFY2(log().contains(u"Nothing was installed, as you cancelled it."_s), qPrintable(log()));
        QVERIFY(engine().packages().list().isEmpty());
    }

    void severalDoubtsLeaveTheFieldsInSight()
    {
        openShop();
        install(u"requestz numpyy pandass"_s);
        QTRY_COMPARE(trouble().count(u'\n'), 2);
        Desk::settle();
        for (const QLabel *label : find<QWidget>(u"sessions.packages.form"_s)->findChildren<QLabel *>()) {
            if (label->isVisible())
                QCOMPARE(label->visibleRegion().boundingRect(), label->rect());
        }
        const auto *button = find<QPushButton>(u"sessions.packages.install"_s);
        QCOMPARE(button->visibleRegion().boundingRect(), button->rect());
        picture(u"packages-doubts"_s);
    }

    void whatFailsIsSaidAndTheSessionIsAsBefore()
    {
        const Session shop = openShop();
        install(u"leaf==1.0"_s);
        agree(u"sessions.packages"_s);
        QTRY_VERIFY_WITH_TIMEOUT(shows(u"sessions.packages"_s), 60'000);
        const SessionPackages before = *packagesOf(shop.id);
        install(u"branch new-branch"_s); // needs a newer leaf than the session asked for
        QTRY_VERIFY_WITH_TIMEOUT(words().contains(u"conflict"_s) || words().contains(u"together"_s), 60'000);
        QVERIFY(desk->save(u"sessions-packages-failed"_s));
        QCOMPARE(*packagesOf(shop.id), before);
        ask(); // the names are still there
        QCOMPARE(find<QLineEdit>(u"sessions.packages.python"_s)->text(), u"branch new-branch"_s);
        install(u"wronghash"_s);
        QTRY_VERIFY2_WITH_TIMEOUT(words().contains(u"another hash"_s), qPrintable(words()), 60'000);
        QCOMPARE(*packagesOf(shop.id), before);
        {
            const auto use = engine().sessions().use(shop.id, {});
            QVERIFY(use);
            install(u"branch"_s);
            QTRY_VERIFY2(words().startsWith(u"The session shop is in use"_s), qPrintable(words()));
        }
        QCOMPARE(*packagesOf(shop.id), before);
    }

    void aPackageIsRemovedAndTheOthersAreResolvedAgain()
    {
        const Session shop = openShop();
        install(u"branch leaf"_s);
        agree(u"sessions.packages"_s);
        QTRY_VERIFY_WITH_TIMEOUT(shows(u"sessions.packages"_s) && packages()->model()->rowCount() == 2, 60'000);
        const SessionPackages both = *packagesOf(shop.id);
        const auto choose = [&](const QString &name) {
            for (int row = 0; row < packages()->model()->rowCount(); ++row) {
                if (packages()->model()->index(row, 0).data().toString() == name)
                    packages()->setCurrentIndex(packages()->model()->index(row, 0));
            }
            QCOMPARE(packages()->currentIndex().data().toString(), name);
        };
        choose(u"leaf"_s);
        packages()->setFocus();
        QTest::keyClick(packages(), Qt::Key_Delete);
        QTRY_VERIFY(shows(u"sessions.packages.question"_s));
        QCOMPARE(
            text(u"sessions.packages.question"_s),
            u"Remove leaf from shop? Packages that nothing else needs go with it, and the index is asked about the "
            "others again."_s);
        QVERIFY(find<QWidget>(u"sessions.packages.keep"_s)->hasFocus());
        picture(u"packages-remove"_s);
        QTest::keyClick(find<QWidget>(u"sessions.packages.keep"_s), Qt::Key_Escape);
        QVERIFY(!shows(u"sessions.packages.question"_s) && packages()->hasFocus());
        QCOMPARE(*packagesOf(shop.id), both);

        // Leaving it when the others were fetched: all is as it was.
        QVERIFY(act(u"sessions.uninstall"_s));
        press(u"sessions.packages.remove"_s);
        QTRY_VERIFY_WITH_TIMEOUT(shows(u"sessions.packages.no"_s), 60'000);
        QVERIFY2(words().startsWith(u"Install what is left, branch 1.5 and 1 other from pypi.org, "_s),
                 qPrintable(words()));
        QVERIFY(!act(u"sessions.uninstall"_s)); // one at a time
        press(u"sessions.packages.no"_s);
        QTRY_VERIFY2(log().contains(u"The session keeps its packages, as you cancelled it."_s), qPrintable(log()));
        QCOMPARE(*packagesOf(shop.id), both);
        const auto changes = [&] {
            QJsonArray all;
            const auto reader = engine().auditReader();
            const auto entries = (*reader)->entries(1, 10'000);
            if (!entries)
                qFatal("%s", qPrintable(entries.error().message.english()));
            for (const StoredEntry &stored : *entries) {
                const auto read = parseStrictJson(stored.json);
                if (!read)
                    qFatal("%s", qPrintable(read.error().message.english()));
                const QJsonObject &entry = *read;
                if (entry[u"kind"_s] == u"session.changed"_s)
                    all.append(entry[u"packages"_s]);
            }
            return all;
        };
        QCOMPARE(changes(), QJsonArray{both.id});

        QTest::keyClick(find<QWidget>(u"sessions.packages.output"_s), Qt::Key_Escape);
        choose(u"leaf"_s);
        QVERIFY(act(u"sessions.uninstall"_s));
        press(u"sessions.packages.remove"_s);
        agree(u"sessions.packages"_s);
        QTRY_VERIFY_WITH_TIMEOUT(shows(u"sessions.packages"_s)
                                     && column(packages(), 0) == (QStringList{u"branch"_s, u"1 that these need"_s}),
                                 60'000);
        const SessionPackages one = *packagesOf(shop.id);
        QCOMPARE(one.requirements, QStringList{u"branch"_s});
        QCOMPARE(changes(), (QJsonArray{both.id, one.id}));
        QCOMPARE(runIn(shop.id, "import branch; branch.main()"), u"branch 2.0\n"_s);

        // What another one needs isn't anybody's to remove; the last one goes without the index.
        packages()->setCurrentIndex(packages()->model()->index(1, 0));
        QVERIFY(!act(u"sessions.uninstall"_s));
        choose(u"branch"_s);
        const InternetLog quiet;
        QVERIFY(act(u"sessions.uninstall"_s));
        press(u"sessions.packages.remove"_s);
        QTRY_VERIFY_WITH_TIMEOUT(shows(u"sessions.packages.empty"_s), 20'000);
        QCOMPARE(note(), u"Session shop: runs in it no longer get packages of Python."_s);
        QVERIFY(quiet.lines().join().isEmpty());
        QVERIFY(packagesOf(shop.id) == nullptr);
        QCOMPARE(changes(), (QJsonArray{both.id, one.id, QJsonValue()}));
        QVERIFY(runIn(shop.id, "import branch").contains(u"No module named 'branch'"_s));
    }

    void anInstallationThatIsCancelledLeavesTheSessionAsItWas()
    {
        const Session shop = openShop();
        install(u"silent"_s);
        QTRY_VERIFY_WITH_TIMEOUT(words() == u"Fetching silent from pypi.org…"_s, 20'000);
        QTRY_COMPARE(namesOfAllSessions().size(), 2);
        QTRY_VERIFY2_WITH_TIMEOUT(log().contains(u"Collecting silent"_s), qPrintable(log()), 20'000); // as pip says it
        QVERIFY(act(u"sessions.refresh"_s));
        Desk::settle();
        QTRY_COMPARE(list()->model()->rowCount(), 1); // the installation's own is none of the person's
        // The page lives meanwhile: another session, another page, and back.
        const Session other = make({.name = u"other"_s});
        desk->context.navigateTo(u"sessions"_s, {{u"session"_s, other.id}});
        QTRY_COMPARE(text(u"sessions.details.name"_s), u"other"_s);
        goTo(u"bench"_s);
        desk->context.navigateTo(u"sessions"_s, {{u"session"_s, shop.id}});
        QTRY_COMPARE(text(u"sessions.details.name"_s), u"shop"_s);
        QTRY_VERIFY(shows(u"sessions.packages.cancel"_s));
        press(u"sessions.packages.cancel"_s);
        QTRY_VERIFY_WITH_TIMEOUT(log().contains(u"Nothing was installed, as you cancelled it."_s), 10'000);
        QVERIFY(packagesOf(shop.id) == nullptr);
        QCOMPARE(namesOfAllSessions().size(), 2);
        QVERIFY(engine().packages().list().isEmpty());
    }

    void whoCancelsTheSecondLanguageReadsThatTheFirstIsInstalled()
    {
        const Session shop = openShop();
        install(u"leaf"_s, u"waiting"_s);
        agree(u"sessions.packages"_s);
        QTRY_VERIFY_WITH_TIMEOUT(words() == u"Fetching waiting from registry.npmjs.org…"_s, 60'000);
        press(u"sessions.packages.cancel"_s);
        QTRY_VERIFY2_WITH_TIMEOUT(
            log().contains(
                u"Packages of Node.js were not installed, as you cancelled it. Those of Python are installed."_s),
            qPrintable(log()), 10'000);
        QVERIFY(!log().contains(u"Nothing was installed"_s));
        QCOMPARE(packagesOf(shop.id)->packages, QStringList{u"leaf 2.0"_s});
    }

    // Not at the end: whoever waits reads whom for.
    void wordsOfNpmComeAsItSaysThem()
    {
        openShop();
        install({}, u"waiting"_s);
        QTRY_VERIFY2_WITH_TIMEOUT(log().contains(u"https://registry.npmjs.org/npm/waiting"_s), qPrintable(log()),
                                  20'000);
        QCOMPARE(words(), u"Fetching waiting from registry.npmjs.org…"_s);
        press(u"sessions.packages.cancel"_s);
        QTRY_VERIFY2_WITH_TIMEOUT(log().contains(u"Nothing was installed, as you cancelled it."_s), qPrintable(log()),
                                  10'000);
    }

    void aWindowThatClosesInTheMiddleLeavesNothing()
    {
        const Session shop = openShop();
        install(u"silent"_s);
        QTRY_VERIFY_WITH_TIMEOUT(words() == u"Fetching silent from pypi.org…"_s, 20'000);
        QTRY_COMPARE(namesOfAllSessions().size(), 2);
        QVERIFY(desk->frame.page(u"sessions"_s)->closingEnds().contains(u"into session shop"_s));
        const auto engine = closeAndOpenAnew();
        QCOMPARE(namesOfSessions(*engine), QStringList{u"shop"_s});
        QVERIFY(engine->sessions().find(shop.id)->packages.isEmpty());
        QVERIFY(engine->packages().list().isEmpty());
    }

    void lookAtIt()
    {
        const Session shop = openShop();
        put(shop.id, "main.py", "import branch\n");
        install(u"branch"_s, u"branch@1"_s);
        agree(u"sessions.packages"_s);
        QTRY_VERIFY_WITH_TIMEOUT(words().contains(u"registry.npmjs.org, "_s), 60'000);
        press(u"sessions.packages.yes"_s);
        QTRY_VERIFY_WITH_TIMEOUT(shows(u"sessions.packages"_s), 60'000);
        desk->context.notifications().clear();
        find<QTabBar>(u"sessions.parts"_s)->setCurrentIndex(2);
        packages()->expandAll();
        picture(u"packages-list"_s);
        install(u"requestz pandsa"_s, u"lodahs"_s);
        picture(u"packages-form"_s);
        press(u"sessions.packages.leave"_s);
        press(u"sessions.packages.log"_s);
        picture(u"packages-log"_s);
        install(u"silent"_s);
        QTRY_VERIFY_WITH_TIMEOUT(words() == u"Fetching silent from pypi.org…"_s, 20'000);
        picture(u"packages-going"_s);
    }
};

GLOVEBOX_INTERNET_WINDOW_MAIN(TestSessionPackages)
#include "tst_sessionpackages.moc"
