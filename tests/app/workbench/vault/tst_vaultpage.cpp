// SPDX-License-Identifier: Apache-2.0
// The vault page by real keys and clicks, over a store in memory.
#include "app/workbench/vault/importpane.h"
#include "app/workbench/vault/secretclipboard.h"
#include "app/workbench/vault/secretpane.h"
#include "tests/app/workbench/shell/desk.h"

#include <QCheckBox>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTreeView>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// A store that is locked, until somebody opens it.
class LockedStore : public SecretStore
{
public:
    QString kind() const override { return m_store->kind(); }
    StoreStatus status(const Patience &patience) override
    {
        if (!locked)
            return m_store->status(patience);
        return {StoreState::Locked, Text("The keychain is locked."), Text("Unlock it.")};
    }
    Result<SecretValue> read(const QString &slot, const Patience &patience) override
    {
        return locked ? std::unexpected(error()) : m_store->read(slot, patience);
    }
    Status write(const QString &slot, const SecretValue &value, const Patience &patience) override
    {
        return locked ? std::unexpected(error()) : m_store->write(slot, value, patience);
    }
    Status remove(const QString &slot, const Patience &patience) override { return m_store->remove(slot, patience); }
    Result<std::optional<QStringList>> list(const Patience &patience) override { return m_store->list(patience); }

    std::atomic<bool> locked = false;

private:
    static Error error() { return {ErrorCode::Unavailable, Text("The keychain is locked."), {}}; }
    std::shared_ptr<SecretStore> m_store = makeMemoryStore();
};

} // namespace

class TestVaultPage : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<Desk> m_desk;
    std::shared_ptr<LockedStore> m_store;

    template<typename Widget> Widget *find(const QString &name) const
    {
        auto *found = m_desk->frame.findChild<Widget *>(u"vault."_s + name);
        if (!found)
            qFatal("There is no %s.", qPrintable(name));
        return found;
    }
    QString text(const QString &name) const { return find<QLabel>(name)->text(); }
    QTreeView *list() const { return find<QTreeView>(u"list"_s); }
    Vault &vault() const { return m_desk->context.engine()->vault(); }
    QString cell(int row, int column) const { return list()->model()->index(row, column).data().toString(); }
    void press(const QString &name) { QTest::mouseClick(find<QPushButton>(name), Qt::LeftButton); }
    void type(const QString &name, const QString &text)
    {
        auto *field = find<QLineEdit>(name);
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, text);
    }
    void add(const QString &name, const QString &value)
    {
        QVERIFY(m_desk->context.actions().trigger(u"vault.add"_s));
        type(u"form.name"_s, name);
        type(u"form.value"_s, value);
        press(u"form.save"_s);
        QTRY_VERIFY(vault().info(name));
        QTRY_COMPARE(text(u"details.name"_s), name);
    }

private Q_SLOTS:
    void init()
    {
        m_desk = std::make_unique<Desk>();
        m_store = std::make_shared<LockedStore>();
        m_desk->host.setStores({m_store});
        m_desk->show();
        m_desk->openEngine();
        m_desk->frame.showPage(u"vault"_s);
        Desk::settle();
    }
    void cleanup() { m_desk.reset(); }

    void theEmptyVaultSaysWhatItIsForAndLeadsToTheFirstSecret()
    {
        auto *step = find<QPushButton>(u"message.add"_s);
        QTRY_VERIFY(step->isVisible());
        step->click();
        QTRY_VERIFY(find<QLineEdit>(u"form.name"_s)->hasFocus());
        QCOMPARE(find<QLineEdit>(u"form.value"_s)->echoMode(), QLineEdit::Password);
    }

    void aSecretIsAddedChangedAndRemoved()
    {
        add(u"API_KEY"_s, u"hush-hush-1"_s);
        QCOMPARE(cell(0, 0), u"API_KEY"_s);
        QCOMPARE(vault().reveal(u"API_KEY"_s, Patience()).value().view().toByteArray(), QByteArray("hush-hush-1"));
        QVERIFY(find<QLineEdit>(u"form.value"_s)->text().isEmpty()); // it remembers nothing

        press(u"details.change"_s);
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
        QTRY_VERIFY(find<QPushButton>(u"message.add"_s)->isVisible());
    }

    void aValueIsSeenOnlyWhileTheButtonIsHeld()
    {
        add(u"API_KEY"_s, u"hush-hush-1"_s);
        auto *show = find<QPushButton>(u"details.show"_s);
        QVERIFY(!text(u"details.value"_s).contains(u"hush"_s));
        QTest::mousePress(show, Qt::LeftButton);
        QTRY_COMPARE(text(u"details.value"_s), u"hush-hush-1"_s);
        QTest::mouseRelease(show, Qt::LeftButton);
        QVERIFY(!text(u"details.value"_s).contains(u"hush"_s));
        // By keyboard, too; and it goes when the focus does.
        show->setFocus();
        QTest::keyPress(show, Qt::Key_Space);
        QTRY_COMPARE(text(u"details.value"_s), u"hush-hush-1"_s);
        list()->setFocus();
        QVERIFY(!text(u"details.value"_s).contains(u"hush"_s));
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

    void badInputGetsASentenceAndKeepsWhatWasTyped_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("value");
        QTest::newRow("blank") << u"MY KEY"_s << u"value"_s;
        QTest::newRow("equals") << u"A=B"_s << u"value"_s;
        QTest::newRow("unicode") << u"schlüssel"_s << u"value"_s;
        QTest::newRow("long") << QString(10'000, u'x') << u"value"_s;
        QTest::newRow("no value") << u"KEY"_s << u""_s;
        QTest::newRow("short value") << u"KEY"_s << u"abc"_s;
        QTest::newRow("taken") << u"TAKEN"_s << u"value"_s;
    }

    void badInputGetsASentenceAndKeepsWhatWasTyped()
    {
        QFETCH(QString, name);
        QFETCH(QString, value);
        add(u"TAKEN"_s, u"the first one"_s);
        QVERIFY(m_desk->context.actions().trigger(u"vault.add"_s));
        find<QLineEdit>(u"form.name"_s)->setText(name);
        type(u"form.value"_s, value);
        press(u"form.save"_s);
        QTRY_VERIFY(find<QLabel>(u"form.trouble"_s)->isVisible());
        QVERIFY2(text(u"form.trouble"_s).size() > 10, qPrintable(text(u"form.trouble"_s)));
        QCOMPARE(find<QLineEdit>(u"form.name"_s)->text(), name);
        QCOMPARE(find<QLineEdit>(u"form.value"_s)->text(), value);
        QCOMPARE(vault().list().value().size(), 1);
        QCOMPARE(vault().reveal(u"TAKEN"_s, Patience()).value().view().toByteArray(), QByteArray("the first one"));
    }

    void severalLinesStayAsTheyAre()
    {
        QVERIFY(m_desk->context.actions().trigger(u"vault.add"_s));
        type(u"form.name"_s, u"PEM"_s);
        QGuiApplication::clipboard()->setText(u"-----BEGIN\n  line\n-----END\n"_s);
        auto *value = find<QLineEdit>(u"form.value"_s);
        value->setFocus();
        QTest::keyClick(value, Qt::Key_V, Qt::ControlModifier);
        press(u"form.save"_s);
        QTRY_VERIFY(vault().info(u"PEM"_s));
        QCOMPARE(vault().reveal(u"PEM"_s, Patience()).value().view().toByteArray(),
                 QByteArray("-----BEGIN\n  line\n-----END\n"));
    }

    void aLockedStoreIsSaidWithTheWayOutAndNothingIsLost()
    {
        add(u"API_KEY"_s, u"hush-hush-1"_s);
        m_store->locked = true;
        QVERIFY(m_desk->context.actions().trigger(u"vault.refresh"_s));
        QTRY_VERIFY(find<QLabel>(u"notice"_s)->isVisible());
        QCOMPARE(text(u"notice"_s), u"The keychain is locked. Unlock it."_s);
        QCOMPARE(cell(0, 0), u"API_KEY"_s); // names are still there
        QVERIFY(m_desk->context.actions().trigger(u"vault.add"_s));
        type(u"form.name"_s, u"SECOND"_s);
        type(u"form.value"_s, u"typed with care"_s);
        press(u"form.save"_s);
        QTRY_VERIFY(find<QLabel>(u"form.trouble"_s)->isVisible());
        m_store->locked = false;
        press(u"form.save"_s);
        QTRY_VERIFY(vault().info(u"SECOND"_s));
        QTRY_VERIFY(!find<QLabel>(u"notice"_s)->isVisible());
    }

    void searchingFindsByNameAndNote()
    {
        add(u"API_KEY"_s, u"hush-hush-1"_s);
        add(u"TOKEN"_s, u"hush-hush-2"_s);
        QTRY_COMPARE(list()->model()->rowCount(), 2);
        QVERIFY(m_desk->context.actions().trigger(u"vault.find"_s));
        QTest::keyClicks(QApplication::focusWidget(), u"tok"_s);
        QTRY_COMPARE(list()->model()->rowCount(), 1);
        QCOMPARE(cell(0, 0), u"TOKEN"_s);
    }

    void namesAreShownBeforeAnyIsImported()
    {
        add(u"TAKEN"_s, u"the first one"_s);
        auto *pane = m_desk->frame.findChild<ImportPane *>();
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
