// SPDX-License-Identifier: Apache-2.0
// Where secrets are kept, seen from the vault page: each state has its sentence and its way out, and none stops the window.
#include "vaultseat.h"

#include <QFile>

using namespace glovebox;
using namespace Qt::StringLiterals;
using Answer = MoodyStore::Answer;

class TestVaultStores : public QObject, public StoresSeat
{
    Q_OBJECT

private Q_SLOTS:
    void init() { makeStores(); }
    void cleanup() { desk.reset(); }

    void withoutAKeychainTheFileIsChosenOpenlyAndMade()
    {
        m_keychain->state = StoreState::Absent;
        sitDown({m_keychain, m_file});
        QTRY_VERIFY(shows(u"message.file"_s));
        QVERIFY(!QFile::exists(path())); // nothing is made unasked
        press(u"message.file"_s);
        QTRY_VERIFY(find<QLineEdit>(u"passphrase.next"_s)->hasFocus());
        QCOMPARE(find<QLineEdit>(u"passphrase.next"_s)->echoMode(), QLineEdit::Password);
        QVERIFY(!find<QLineEdit>(u"passphrase.present"_s)->isVisible());
        QCOMPARE(desk->context.settings()->value(u"vault.store"_s).value.toString(), u"file"_s);

        type(u"passphrase.next"_s, good);
        type(u"passphrase.again"_s, better);
        press(u"passphrase.done"_s);
        QVERIFY(text(u"passphrase.trouble"_s).contains(u"differ"_s));
        type(u"passphrase.next"_s, u"short"_s);
        type(u"passphrase.again"_s, u"short"_s);
        press(u"passphrase.done"_s);
        QTRY_VERIFY(text(u"passphrase.trouble"_s).contains(u"at least"_s));
        QVERIFY(!QFile::exists(path()));
        type(u"passphrase.next"_s, good);
        type(u"passphrase.again"_s, good);
        QTest::keyClick(find<QLineEdit>(u"passphrase.again"_s), Qt::Key_Return);
        QTRY_VERIFY(shows(u"message.add"_s));
        QVERIFY(QFile::exists(path()));
        QVERIFY(find<QLineEdit>(u"passphrase.next"_s)->text().isEmpty());

        add(u"API_KEY"_s, u"hush-hush-1"_s);
        QCOMPARE(vault().info(u"API_KEY"_s).value().store, u"file"_s);
        QCOMPARE(value(u"API_KEY"_s), "hush-hush-1");
    }

    void aLockedKeychainAsksThePerson()
    {
        m_keychain->state = StoreState::Locked;
        sitDown({m_keychain, m_file});
        QTRY_VERIFY(shows(u"message.unlock"_s));
        press(u"message.unlock"_s);
        press(u"message.unlock"_s); // once is enough
        QTRY_COMPARE(m_keychain->asked, 1);
        m_keychain->answer = Answer::Dismissed;
        QTRY_VERIFY2(note().contains(u"not unlocked"_s), qPrintable(note()));
        QVERIFY(shows(u"message.unlock"_s));
        m_keychain->answer = Answer::Password;
        press(u"message.unlock"_s);
        QTRY_VERIFY(shows(u"message.add"_s));
        QCOMPARE(m_keychain->asked, 2);
    }

    void nobodyWaitsForAPersonAtTheEnd()
    {
        m_keychain->state = StoreState::Locked;
        sitDown({m_keychain, m_file});
        QTRY_VERIFY(shows(u"message.unlock"_s));
        press(u"message.unlock"_s);
        QTRY_COMPARE(m_keychain->asked, 1);
        QElapsedTimer timer;
        timer.start();
        desk.reset();
        QVERIFY2(timer.elapsed() < 3000, QByteArray::number(timer.elapsed()));
    }

    void aKeychainThatDoesNotAnswerHasItsWaysOut_data()
    {
        QTest::addColumn<int>("state");
        QTest::newRow("not answering") << int(StoreState::NotAnswering);
        QTest::newRow("denied") << int(StoreState::Denied);
        QTest::newRow("absent") << int(StoreState::Absent);
    }

    void aKeychainThatDoesNotAnswerHasItsWaysOut()
    {
        QFETCH(int, state);
        sitDown({m_keychain, m_file});
        add(u"API_KEY"_s, u"hush-hush-1"_s);
        m_keychain->state = StoreState(state);
        QVERIFY(act(u"refresh"_s));
        QTRY_VERIFY(shows(u"store.keychain"_s));
        QVERIFY(text(u"store.keychain"_s).contains(toString(StoreState(state))));
        QVERIFY(shows(u"store.keychain.file"_s));
        QCOMPARE(cell(0, 0), u"API_KEY"_s);
        m_keychain->state = StoreState::Ready;
        press(u"store.keychain.again"_s);
        QTRY_VERIFY(!shows(u"store.keychain"_s));
    }

    void withoutAKeychainAFirstSecretLeadsToTheFile()
    {
        m_keychain->state = StoreState::Absent;
        sitDown({m_keychain, m_file});
        QTRY_VERIFY(shows(u"message.file"_s));
        QVERIFY(!shows(u"store.keychain"_s)); // said once
        QVERIFY(act(u"add"_s));
        QTRY_VERIFY(shows(u"store.keychain.file"_s));
        type(u"form.name"_s, u"FIRST"_s);
        type(u"form.value"_s, u"typed with care"_s);
        const auto *page = desk->frame.page(u"vault"_s);
        QVERIFY(page->closingEnds().startsWith(u"A secret on the vault's page isn't saved."_s));
        press(u"store.keychain.file"_s);
        QTRY_VERIFY(shows(u"passphrase.next"_s));
        QVERIFY(!page->closingEnds().isEmpty()); // below it
        type(u"passphrase.next"_s, good);
        type(u"passphrase.again"_s, good);
        press(u"passphrase.done"_s);
        QTRY_VERIFY(shows(u"form.save"_s) && !shows(u"store.keychain"_s));
        QCOMPARE(find<QLineEdit>(u"form.value"_s)->text(), u"typed with care"_s);
        press(u"form.save"_s);
        QTRY_VERIFY(vault().info(u"FIRST"_s));
        QTRY_VERIFY(page->closingEnds().isEmpty());
    }

    void theKeychainGoesInTheMiddleAndNothingIsLost()
    {
        sitDown({m_keychain, m_file});
        add(u"API_KEY"_s, u"hush-hush-1"_s);
        m_keychain->state = StoreState::Absent;
        // A new one: what was typed stays, and is kept by another press.
        QVERIFY(act(u"add"_s));
        type(u"form.name"_s, u"SECOND"_s);
        type(u"form.value"_s, u"typed with care"_s);
        press(u"form.save"_s);
        QTRY_VERIFY(shows(u"form.trouble"_s));
        QTRY_VERIFY(shows(u"store.keychain"_s));
        QCOMPARE(find<QLineEdit>(u"form.value"_s)->text(), u"typed with care"_s);
        press(u"form.cancel"_s);
        // Removing: it can be taken off the list, and only that is done.
        list()->setCurrentIndex({});
        list()->setCurrentIndex(list()->model()->index(0, 0));
        press(u"details.remove"_s);
        press(u"details.yes"_s);
        QTRY_VERIFY(text(u"details.question"_s).contains(u"trouble"_s));
        QVERIFY(vault().info(u"API_KEY"_s));
        press(u"details.no"_s);
        press(u"details.remove"_s);
        press(u"details.yes"_s);
        QTRY_VERIFY(text(u"details.question"_s).contains(u"trouble"_s));
        press(u"details.yes"_s);
        QTRY_VERIFY(!vault().info(u"API_KEY"_s));
        QCOMPARE(m_keychain->memory().list({}).value()->size(), 1);
    }

    void aValueThatIsGoneIsShownAsSuchAndIsGivenANewOne()
    {
        sitDown({m_keychain, m_file});
        add(u"API_KEY"_s, u"hush-hush-1"_s);
        QVERIFY(m_keychain->memory().remove(vault().info(u"API_KEY"_s).value().slot, {}));
        QVERIFY(act(u"refresh"_s));
        QTRY_VERIFY2(cell(0, 0).contains(u"gone"_s), qPrintable(cell(0, 0)));
        QTRY_VERIFY(text(u"details.remark"_s).contains(u"where it was stored"_s));
        press(u"details.change"_s);
        type(u"form.value"_s, u"a new one"_s);
        press(u"form.save"_s);
        QTRY_COMPARE(cell(0, 0), u"API_KEY"_s);
        QTRY_VERIFY(!shows(u"details.remark"_s));
        QCOMPARE(value(u"API_KEY"_s), "a new one");
    }

    void aValueWithoutASecretIsShownAndRemoved()
    {
        sitDown({m_keychain, m_file});
        add(u"API_KEY"_s, u"hush-hush-1"_s);
        const QString install = vault().info(u"API_KEY"_s).value().slot.section(u'/', 0, 0);
        // Of the year 2023: what is younger may be on its way into the index.
        const QString stray = install + u"/OLD_KEY/018bcfe5-6800-7000-8000-000000000000"_s;
        QVERIFY(m_keychain->memory().write(stray, SecretValue::copyOf("left behind"), {}));
        QVERIFY(act(u"refresh"_s));
        QTRY_VERIFY(shows(u"store.strays"_s));
        QVERIFY(text(u"store.strays"_s).contains(u"OLD_KEY"_s));
        press(u"store.strays.remove"_s);
        QTRY_VERIFY(!shows(u"store.strays"_s));
        QVERIFY(!m_keychain->memory().read(stray, {}));
        QCOMPARE(value(u"API_KEY"_s), "hush-hush-1");
    }

    void aKeychainThatIsNotThereIsToldWhenItIsChosen()
    {
        keepInFile();
        make(good);
        m_keychain->state = StoreState::Absent;
        const auto choose = [&](const QString &kind) {
            QVERIFY(desk->context.settings()->store(u"vault.store"_s, kind));
            desk->context.tellSettings(std::nullopt); // as the settings page does
        };
        choose(u"file"_s);
        choose(u"keychain"_s);
        const auto isTold = [&] {
            return std::ranges::any_of(desk->context.notifications().notes(), [](const Note &each) {
                return each.id == "vault-place"_L1
                       && each.text
                              == "New secrets can't be kept there now. The keychain is absent. Do something about it."_L1;
            });
        };
        QTRY_VERIFY(isTold());
        choose(u"file"_s);
        QVERIFY(!isTold());
    }

    void aKeychainIsOfferedOnlyWhereThereIsOne_data()
    {
        QTest::addColumn<int>("state");
        QTest::addColumn<bool>("isOffered");
        QTest::newRow("ready") << int(StoreState::Ready) << true;
        QTest::newRow("locked") << int(StoreState::Locked) << true;
        QTest::newRow("absent") << int(StoreState::Absent) << false;
        QTest::newRow("denied") << int(StoreState::Denied) << false;
        QTest::newRow("not answering") << int(StoreState::NotAnswering) << false;
    }

    void aKeychainIsOfferedOnlyWhereThereIsOne()
    {
        QFETCH(int, state);
        QFETCH(bool, isOffered);
        m_keychain->state = StoreState(state);
        keepInFile(); // where none is yet
        QTRY_VERIFY(shows(u"message.choose"_s));
        QVERIFY(desk->context.pool().waitForDone(10'000));
        Desk::settle();
        QCOMPARE(shows(u"message.keychain"_s), isOffered);
    }

    void valuesOfBothPlacesAreLent()
    {
        sitDown({m_keychain, m_file});
        add(u"IN_KEYCHAIN"_s, u"hush-hush-1"_s);
        make(good);
        QVERIFY(desk->context.settings()->store(u"vault.store"_s, u"file"_s));
        desk->context.tellSettings(std::nullopt); // as the settings page does
        add(u"IN_FILE"_s, u"hush-hush-2"_s);
        QCOMPARE(vault().info(u"IN_FILE"_s).value().store, u"file"_s);
        QCOMPARE(value(u"IN_KEYCHAIN"_s), "hush-hush-1");
        QCOMPARE(value(u"IN_FILE"_s), "hush-hush-2");
        QTRY_VERIFY(!shows(u"store.keychain"_s) && !shows(u"store.file"_s));
        m_file->lock();
        m_keychain->state = StoreState::Locked;
        QVERIFY(act(u"refresh"_s));
        QTRY_VERIFY(shows(u"store.keychain.unlock"_s) && shows(u"store.file.unlock"_s));
        QCOMPARE(int(shows(u"store.keychain.again"_s)) + int(shows(u"store.file.again"_s)), 1); // asks both
    }

    void inASmallWindowTheWaysOutAreWhole()
    {
        keepInFile(); // where none is yet
        QTRY_VERIFY(shows(u"message.keychain"_s));
        desk->frame.resize(640, 480);
        Desk::settle();
        for (const auto &name : {u"message.choose"_s, u"message.keychain"_s, u"message.again"_s}) {
            const auto *button = find<QPushButton>(name);
            QVERIFY2(button->width() >= button->sizeHint().width(), qPrintable(name));
            QCOMPARE(button->visibleRegion().boundingRect(), button->rect());
        }
    }
};

GLOVEBOX_TEST_MAIN(TestVaultStores)
#include "tst_vaultstores.moc"
