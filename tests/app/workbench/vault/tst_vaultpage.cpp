// SPDX-License-Identifier: Apache-2.0
// The vault page by real keys and clicks, over a store in memory.
#include "app/workbench/vault/import/importpane.h"
#include "app/workbench/vault/secret/holdtoshow.h"
#include "app/workbench/vault/secret/secretclipboard.h"
#include "vaultseat.h"

#include <QCheckBox>
#include <QClipboard>
#include <QHeaderView>
#include <QListWidget>
#include <QTableView>
#include <QToolButton>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestVaultPage : public QObject, public VaultSeat
{
    Q_OBJECT

private Q_SLOTS:
    void init() { sitDown({std::make_shared<MoodyStore>()}); }
    void cleanup() { desk.reset(); }

    void theEmptyVaultSaysWhatItIsForAndLeadsToTheFirstSecret()
    {
        auto *step = find<QPushButton>(u"message.add"_s);
        QTRY_VERIFY(step->isVisible());
        step->click();
        QTRY_VERIFY(find<QLineEdit>(u"form.name"_s)->hasFocus());
        QCOMPARE(find<QLineEdit>(u"form.value"_s)->echoMode(), QLineEdit::Password);
    }

    void nothingIsCountedThatCannotBeRead()
    {
        const auto says = [this](const QString &id) {
            const auto items = desk->frame.page(u"vault"_s)->status();
            return std::ranges::any_of(items, [&](const StatusItem &item) { return item.id == id; });
        };
        QTRY_VERIFY(says(u"secrets"_s));
        desk = std::make_unique<Desk>();
        QVERIFY(QDir().mkpath(desk->paths.data));
        QFile log(desk->paths.auditFile());
        QVERIFY(log.open(QIODevice::WriteOnly) && log.write(QByteArray(8192, 'x')) > 0);
        log.close();
        desk->show();
        desk->openEngine();
        desk->frame.showPage(u"vault"_s);
        QTRY_VERIFY(!desk->frame.findChildren<QPushButton *>(u"vault.message.again"_s).isEmpty());
        QTest::qWait(300);
        QVERIFY(!says(u"secrets"_s));
    }

    void theListNeedsNoScrollBarBesideTheDetails()
    {
        desk->frame.resize(1360, 860);
        add(u"RATES_API_KEY"_s, u"hush-hush-1"_s);
        press(u"details.change"_s);
        type(u"form.note"_s, u"Rates of the central bank, and those of some others, for the shop"_s);
        type(u"form.hosts"_s, u"rates.example.org:443"_s);
        press(u"form.save"_s);
        QTRY_VERIFY(shows(u"details"_s));
        QTest::mouseClick(find<QToolButton>(u"details.close"_s), Qt::LeftButton);
        QTRY_VERIFY(!shows(u"details"_s));
        Desk::settle();
        list()->setCurrentIndex(list()->model()->index(0, 0));
        QTest::keyClick(list(), Qt::Key_Return);
        QTRY_VERIFY(shows(u"details"_s));
        Desk::settle();
        QVERIFY2(list()->header()->length() <= list()->viewport()->width(),
                 qPrintable(u"%1 of %2"_s.arg(list()->header()->length()).arg(list()->viewport()->width())));
    }

    void aSecretIsAddedChangedAndRemoved()
    {
        add(u"API_KEY"_s, u"hush-hush-1"_s);
        QCOMPARE(cell(0, 0), u"API_KEY"_s);
        QCOMPARE(vault().reveal(u"API_KEY"_s, Patience()).value().view().toByteArray(), QByteArray("hush-hush-1"));
        QVERIFY(find<QLineEdit>(u"form.value"_s)->text().isEmpty()); // it remembers nothing

        press(u"details.change"_s);
        type(u"form.name"_s, u"PATH"_s);
        press(u"form.save"_s);
        QTRY_VERIFY(text(u"form.trouble"_s).contains(u"PATH decides how programs start"_s));
        QVERIFY(!vault().info(u"PATH"_s));
        type(u"form.name"_s, u"TOKEN"_s);
        type(u"form.note"_s, u"for the rates"_s);
        type(u"form.hosts"_s, u"Rates.example.org:443"_s);
        find<QCheckBox>(u"form.language.node"_s)->setChecked(false);
        type(u"form.expiry"_s, u"2099-01-31"_s);
        press(u"form.save"_s);
        QTRY_VERIFY(vault().info(u"TOKEN"_s));
        QTRY_COMPARE(text(u"details.name"_s), u"TOKEN"_s);
        const SecretInfo info = vault().info(u"TOKEN"_s).value();
        QCOMPARE(info.note, u"for the rates"_s);
        QCOMPARE(info.limits.hosts, QStringList{u"rates.example.org:443"_s});
        QVERIFY(!info.limits.languages.contains(u"node"_s) && info.limits.languages.contains(u"python"_s));
        QVERIFY(info.limits.expiryMicroseconds);
        QVERIFY(!vault().info(u"API_KEY"_s));
        QCOMPARE(vault().reveal(u"TOKEN"_s, Patience()).value().view().toByteArray(), QByteArray("hush-hush-1"));
        press(u"details.change"_s);
        QCOMPARE(find<QLineEdit>(u"form.expiry"_s)->text(), u"2099-01-31"_s);
        press(u"form.cancel"_s);

        list()->setCurrentIndex({});
        list()->setCurrentIndex(list()->model()->index(0, 0));
        press(u"details.remove"_s);
        QVERIFY(find<QPushButton>(u"details.no"_s)->hasFocus()); // nothing happens by Return alone
        QVERIFY(vault().info(u"TOKEN"_s));
        press(u"details.yes"_s);
        QTRY_VERIFY(!vault().info(u"TOKEN"_s));
        QTRY_VERIFY(shows(u"message.add"_s));
    }

    void aValueIsSeenOnlyWhileTheButtonIsHeld()
    {
        add(u"API_KEY"_s, u"hush-hush-1"_s);
        auto *show = find<QPushButton>(u"details.show"_s);
        QVERIFY(!text(u"details.value"_s).contains(u"hush"_s));
        QTest::mousePress(show, Qt::LeftButton);
        QTRY_COMPARE(text(u"details.value"_s), u"hush-hush-1"_s);
        const auto *longest = show->findChild<QTimer *>();
        QVERIFY(longest && longest->isActive());
        QCOMPARE(longest->intervalAsDuration(), std::chrono::seconds(30)); // glovebox-workbench(1)
        QTest::mouseRelease(show, Qt::LeftButton);
        QVERIFY(!longest->isActive());
        QVERIFY(!text(u"details.value"_s).contains(u"hush"_s));
        // By keyboard, too; and it goes when the focus does.
        show->setFocus();
        QTest::keyPress(show, Qt::Key_Space);
        QTRY_COMPARE(text(u"details.value"_s), u"hush-hush-1"_s);
        find<QLineEdit>(u"search"_s)->setFocus();
        QVERIFY(!text(u"details.value"_s).contains(u"hush"_s));
        // And when it was held so long that nobody can be there.
        find<HoldToShow>(u"details.show"_s)->setPatience(std::chrono::milliseconds(300));
        QTest::mousePress(show, Qt::LeftButton);
        QTRY_COMPARE(text(u"details.value"_s), u"hush-hush-1"_s);
        QTRY_VERIFY(!text(u"details.value"_s).contains(u"hush"_s));
        QVERIFY(!show->isDown());
        QTest::mouseRelease(show, Qt::LeftButton);
        // An answer that comes when nobody holds it any more shows nothing.
        QTest::mousePress(show, Qt::LeftButton);
        QTest::mouseRelease(show, Qt::LeftButton);
        QTest::qWait(200);
        QVERIFY(!text(u"details.value"_s).contains(u"hush"_s));
    }

    void aCopyIsMarkedAndTakenAwayAgain()
    {
        add(u"API_KEY"_s, u"hush-hush-1"_s);
        auto *clipboard = QGuiApplication::clipboard();
        press(u"details.copy"_s);
        QTRY_COMPARE(clipboard->text(), u"hush-hush-1"_s);
        QCOMPARE(clipboard->mimeData()->data(u"x-kde-passwordManagerHint"_s), QByteArray("secret"));
        SecretClipboard quick;
        quick.setPatience(std::chrono::milliseconds(300));
        quick.copy(SecretValue::copyOf("another"));
        QCOMPARE(clipboard->text(), u"another"_s);
        QTRY_COMPARE(clipboard->text(), QString());
    }

    void theValueOfTheFormIsSeenWhileTheButtonIsHeld()
    {
        QVERIFY(act(u"add"_s));
        type(u"form.value"_s, u"hush-hush-1"_s);
        auto *value = find<QLineEdit>(u"form.value"_s);
        auto *show = find<QPushButton>(u"form.show"_s);
        QTest::mousePress(show, Qt::LeftButton);
        QCOMPARE(value->echoMode(), QLineEdit::Normal);
        QTest::mouseRelease(show, Qt::LeftButton);
        QCOMPARE(value->echoMode(), QLineEdit::Password);
        // Where somebody types, the cursor stays, also when the program goes to the back and comes again.
        value->setCursorPosition(4);
        find<HoldToShow>(u"form.show"_s)->letGo();
        QCOMPARE(value->cursorPosition(), 4);
        QGuiApplication::clipboard()->setText(u"one\ntwo"_s);
        value->setFocus();
        QTest::keyClick(value, Qt::Key_V, Qt::ControlModifier);
        QTest::mousePress(show, Qt::LeftButton);
        QVERIFY(value->text().startsWith(u"one"_s) && value->text().endsWith(u"two"_s));
        QTest::mouseRelease(show, Qt::LeftButton);
        QVERIFY(!value->text().contains(u"one"_s));
        type(u"form.name"_s, u"LINES"_s);
        press(u"form.save"_s);
        QTRY_COMPARE(this->value(u"LINES"_s), "one\ntwo");
    }

    void theRunsThatAskedForASecretAreOneClickAway()
    {
        add(u"API_KEY"_s, u"hush-hush-1"_s);
        RunRequest request;
        request.code = "echo lent";
        request.language = u"sh"_s;
        request.caller = {.kind = Caller::Kind::Workbench, .pid = 1, .program = {}, .claimed = {}};
        const auto without = desk->context.engine()->start(request);
        request.secrets = {{.name = u"API_KEY"_s}};
        const auto with = desk->context.engine()->start(request);
        QTRY_VERIFY_WITH_TIMEOUT(without->result() && with->result(), 20'000);
        press(u"details.runs"_s);
        QTRY_VERIFY(desk->frame.findChild<QTableView *>(u"history.runs"_s));
        auto *runs = desk->frame.findChild<QTableView *>(u"history.runs"_s);
        QTRY_VERIFY(runs->isVisible());
        QTRY_COMPARE(runs->model()->rowCount(), 1);
    }

    void otherPagesLeadToASecretOrANewOne()
    {
        QVERIFY(addElsewhere(u"API_KEY"_s, "hush-hush-1"));
        QVERIFY(addElsewhere(u"TOKEN"_s, "hush-hush-2"));
        desk->frame.showPage(u"bench"_s);
        desk->context.navigateTo(u"vault"_s, {{u"secret"_s, u"TOKEN"_s}});
        QTRY_COMPARE(text(u"details.name"_s), u"TOKEN"_s);
        QVERIFY(shows(u"details.name"_s));
        desk->frame.showPage(u"bench"_s);
        desk->context.navigateTo(u"vault"_s, {{u"add"_s, true}});
        QTRY_VERIFY(find<QLineEdit>(u"form.name"_s)->hasFocus());
    }

    void searchingFindsByNameAndNote()
    {
        add(u"API_KEY"_s, u"hush-hush-1"_s);
        add(u"TOKEN"_s, u"hush-hush-2"_s);
        QTRY_COMPARE(list()->model()->rowCount(), 2);
        QVERIFY(act(u"find"_s));
        QTest::keyClicks(QApplication::focusWidget(), u"tok"_s);
        QTRY_COMPARE(list()->model()->rowCount(), 1);
        QCOMPARE(cell(0, 0), u"TOKEN"_s);
        find<QAbstractButton>(u"details.close"_s)->click();
        QVERIFY(act(u"find"_s));
        QTest::keyClicks(QApplication::focusWidget(), u"nothing like it"_s);
        QTRY_VERIFY(shows(u"message.all"_s));
        press(u"message.all"_s);
        QTRY_COMPARE(list()->model()->rowCount(), 2);
    }

    void aLongNoteIsCutByAnEllipsisBesideTheDetails()
    {
        add(u"API_KEY"_s, u"hush-hush-1"_s);
        const auto info = vault().info(u"API_KEY"_s);
        QVERIFY(info);
        QVERIFY(vault().edit(*info, u"A note that is longer than any column could be. "_s.repeated(3), info->limits,
                             desk->context.engine()->caller()));
        desk->frame.showPage(u"bench"_s);
        desk->frame.showPage(u"vault"_s);
        QTRY_VERIFY(cell(0, list()->model()->columnCount() - 1).startsWith(u"A note"_s));
        Desk::settle();
        const auto last = list()->model()->index(0, list()->model()->columnCount() - 1);
        QVERIFY(list()->viewport()->rect().contains(list()->visualRect(last)));
    }

    void namesAreShownBeforeAnyIsImported()
    {
        add(u"TAKEN"_s, u"the first one"_s);
        auto *pane = desk->frame.findChild<ImportPane *>();
        pane->begin(u"/some/.env"_s, readEnv("ONE=first value\nTAKEN=other\nTWO=second value\nnonsense"), {u"TAKEN"_s});
        auto *names = find<QListWidget>(u"import.names"_s);
        QCOMPARE(names->count(), 4);
        for (int i = 0; i < names->count(); ++i)
            QVERIFY(!names->item(i)->text().contains(u"value"_s));
        QVERIFY(names->item(1)->text().contains(u"already"_s));
        names->item(2)->setCheckState(Qt::Unchecked);
        find<QPushButton>(u"import.take"_s)->click();
        QTRY_VERIFY(vault().info(u"ONE"_s));
        QVERIFY(!vault().info(u"TWO"_s));
        QCOMPARE(vault().reveal(u"TAKEN"_s, Patience()).value().view().toByteArray(), QByteArray("the first one"));
    }
};

GLOVEBOX_TEST_MAIN(TestVaultPage)
#include "tst_vaultpage.moc"
