// SPDX-License-Identifier: Apache-2.0
// The file of secrets and its passphrase, seen from the vault page: unlocked, changed, forgotten, and in the middle of something else.
#include "vaultseat.h"

#include <QFile>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestVaultPassphrase : public QObject, public StoresSeat
{
    Q_OBJECT

private Q_SLOTS:
    void init() { makeStores(); }
    void cleanup() { desk.reset(); }

    void aLockedFileIsUnlockedByItsPassphraseOnly()
    {
        make(good);
        keepInFile(); // another object: locked
        QTRY_VERIFY(shows(u"message.unlock"_s));
        press(u"message.unlock"_s);
        QTRY_VERIFY(find<QLineEdit>(u"passphrase.present"_s)->hasFocus());
        unlock(better);
        QTRY_VERIFY(text(u"passphrase.trouble"_s).contains(u"Wrong passphrase"_s));
        QVERIFY(find<QLineEdit>(u"passphrase.present"_s)->hasFocus());
        QVERIFY(m_file->status({}).state == StoreState::Locked);
        unlock(good);
        QTRY_VERIFY(shows(u"message.add"_s));
        QVERIFY(m_file->status({}).state == StoreState::Ready);
        add(u"API_KEY"_s, u"hush-hush-1"_s);

        // Locked again, it is said above the list, and names are still there.
        QVERIFY(act(u"lock"_s));
        QTRY_VERIFY(shows(u"store.file.unlock"_s));
        QCOMPARE(cell(0, 0), u"API_KEY"_s);
        press(u"details.copy"_s);
        QTRY_VERIFY(text(u"details.remark"_s).contains(u"locked"_s));
        // What is typed meanwhile is there again after the passphrase.
        QVERIFY(act(u"add"_s));
        type(u"form.name"_s, u"SECOND"_s);
        type(u"form.value"_s, u"typed with care"_s);
        press(u"form.save"_s);
        QTRY_VERIFY(shows(u"form.trouble"_s));
        press(u"store.file.unlock"_s);
        unlock(good);
        QTRY_VERIFY(!shows(u"store.file"_s));
        QVERIFY(shows(u"form.save"_s));
        QVERIFY(act(u"add"_s)); // and doesn't go unasked
        QVERIFY(text(u"form.trouble"_s).contains(u"saved yet"_s));
        press(u"form.save"_s);
        QTRY_COMPARE(value(u"SECOND"_s), "typed with care");
    }

    void aPassphraseThatWasTakenIsForgotten()
    {
        make(good);
        keepInFile();
        QTRY_VERIFY(shows(u"message.unlock"_s));
        auto *field = find<QLineEdit>(u"passphrase.present"_s);
        {
            const BusyPool busy(desk->context.pool());
            QVERIFY(act(u"unlock"_s));
            unlock(good);
            QVERIFY(act(u"add"_s)); // on to something else
            QVERIFY(!field->isVisible());
        }
        QTRY_VERIFY(m_file->status({}).state == StoreState::Ready);
        QTRY_VERIFY(field->text().isEmpty());
        field->setEchoMode(QLineEdit::Normal); // what is hidden is never brought back, but may be there
        QVERIFY(!field->isUndoAvailable());
    }

    void aFormThatWasClosedDoesNotComeBack()
    {
        make(good);
        keepInFile();
        QTRY_VERIFY(shows(u"message.unlock"_s));
        QVERIFY(act(u"add"_s));
        QVERIFY(act(u"unlock"_s));
        QVERIFY(!shows(u"form.name"_s));
        QVERIFY(act(u"add"_s)); // nothing was typed into it
        QVERIFY(shows(u"form.name"_s));
        press(u"form.cancel"_s);
        QVERIFY(act(u"unlock"_s));
        unlock(good);
        QTRY_VERIFY(shows(u"message.add"_s));
        QVERIFY(!shows(u"form.name"_s));
    }

    void whatIsNotKeptYetIsSaidWhereItWasTyped()
    {
        make(good);
        QVERIFY(m_file->unlock(SecretValue::copyOf(good.toUtf8())));
        sitDown({m_file, m_keychain});
        add(u"API_KEY"_s, u"hush-hush-1"_s);
        QVERIFY(act(u"add"_s));
        type(u"form.name"_s, u"SECOND"_s);
        for (const QString &deed : {u"add"_s, u"change"_s, u"remove"_s, u"import"_s}) {
            QVERIFY(act(u"passphrase"_s)); // over the form
            QVERIFY(!shows(u"form.name"_s));
            QVERIFY(act(deed));
            QVERIFY2(shows(u"form.trouble"_s), qPrintable(deed));
            QVERIFY(text(u"form.trouble"_s).contains(u"saved yet"_s));
            QVERIFY(find<QLineEdit>(u"form.name"_s)->hasFocus());
            QCOMPARE(find<QLineEdit>(u"form.name"_s)->text(), u"SECOND"_s);
        }
    }

    void aPassphraseIsTypedOnWhileTheFormIsKept()
    {
        make(good);
        sitDown({m_keychain, m_file});
        QVERIFY(m_file->unlock(SecretValue::copyOf(good.toUtf8())));
        QVERIFY(vault().prefer(u"file"_s));
        QVERIFY(addElsewhere(u"API_KEY"_s, "hush-hush-1"));
        QVERIFY(vault().prefer(u"keychain"_s));
        m_file->lock();
        QVERIFY(act(u"refresh"_s));
        QTRY_VERIFY(shows(u"store.file.unlock"_s));

        QVERIFY(act(u"add"_s));
        type(u"form.name"_s, u"SECOND"_s);
        type(u"form.value"_s, u"typed with care"_s);
        {
            const BusyPool busy(desk->context.pool()); // the keychain takes its time
            press(u"form.save"_s);
            press(u"store.file.unlock"_s);
            type(u"passphrase.present"_s, good);
        }
        QTRY_COMPARE(value(u"SECOND"_s), "typed with care");
        QTRY_COMPARE(cell(1, 0), u"SECOND"_s);
        QVERIFY(find<QLineEdit>(u"passphrase.present"_s)->hasFocus());
        QCOMPARE(find<QLineEdit>(u"passphrase.present"_s)->text(), good);
        press(u"passphrase.cancel"_s);
        QVERIFY(!shows(u"form.name"_s));
        QVERIFY(act(u"add"_s));
        QVERIFY(find<QLineEdit>(u"form.name"_s)->text().isEmpty());
    }

    void aPassphraseThatIsGivenUpTakesNoFocus()
    {
        make(good);
        keepInFile();
        QTRY_VERIFY(shows(u"message.unlock"_s));
        QVERIFY(act(u"unlock"_s));
        {
            const BusyPool busy(desk->context.pool());
            unlock(better);
            press(u"passphrase.cancel"_s);
            QVERIFY(act(u"find"_s));
        }
        QTRY_VERIFY(text(u"passphrase.trouble"_s).contains(u"Wrong passphrase"_s));
        QVERIFY(find<QLineEdit>(u"search"_s)->hasFocus());
    }

    void anotherPageLeadsToTheLockedFile()
    {
        make(good);
        keepInFile();
        desk->frame.showPage(u"bench"_s);
        desk->context.navigateTo(u"vault"_s, {{u"unlock"_s, true}});
        QTRY_VERIFY(find<QLineEdit>(u"passphrase.present"_s)->hasFocus());
        QTest::keyClick(find<QLineEdit>(u"passphrase.present"_s), Qt::Key_Escape);
        QTRY_VERIFY(!shows(u"passphrase.present"_s));
    }

    void aDamagedFileIsMovedAsideAndNothingOfItIsLost()
    {
        make(good);
        QFile file(path());
        QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(30) && file.write("damage") == 6);
        file.seek(0);
        const QByteArray bytes = file.readAll();
        file.close();
        keepInFile();
        QTRY_VERIFY(shows(u"message.new"_s));
        press(u"message.new"_s);
        QTRY_VERIFY(find<QLineEdit>(u"passphrase.next"_s)->hasFocus());
        const QStringList aside = QDir(m_folder->path()).entryList({u"secrets.vault.old-*"_s});
        QCOMPARE(aside.size(), 1);
        QVERIFY2(note().contains(aside.first()), qPrintable(note()));
        QFile old(m_folder->filePath(aside.first()));
        QVERIFY(old.open(QIODevice::ReadOnly));
        QCOMPARE(old.readAll(), bytes);
        QVERIFY(!QFile::exists(path()));
    }

    void aForgottenPassphraseIsNoDeadEnd()
    {
        make(good);
        keepInFile();
        QTRY_VERIFY(shows(u"message.unlock"_s));
        press(u"message.unlock"_s);
        press(u"passphrase.new"_s);
        QVERIFY(find<QPushButton>(u"passphrase.no"_s)->hasFocus()); // nothing happens by Return alone
        QVERIFY(QFile::exists(path()));
        press(u"passphrase.yes"_s);
        QTRY_VERIFY(find<QLineEdit>(u"passphrase.next"_s)->hasFocus());
        QVERIFY(!QFile::exists(path()));
    }

    void thePassphraseIsChanged()
    {
        make(good);
        keepInFile();
        QVERIFY(m_file->unlock(SecretValue::copyOf(good.toUtf8())));
        QVERIFY(act(u"refresh"_s));
        add(u"API_KEY"_s, u"hush-hush-1"_s);
        QVERIFY(act(u"passphrase"_s));
        type(u"passphrase.present"_s, better);
        type(u"passphrase.next"_s, better);
        type(u"passphrase.again"_s, better);
        press(u"passphrase.done"_s);
        QTRY_VERIFY(shows(u"passphrase.trouble"_s));
        type(u"passphrase.present"_s, good);
        press(u"passphrase.done"_s);
        QTRY_VERIFY(!shows(u"passphrase.present"_s));
        const auto another = makeFileStore(path(), cheap);
        QVERIFY(!another->unlock(SecretValue::copyOf(good.toUtf8())));
        QVERIFY(another->unlock(SecretValue::copyOf(better.toUtf8())));
        QCOMPARE(value(u"API_KEY"_s), "hush-hush-1");
    }

    void scryptDoesNotStopTheWindow()
    {
        m_file = makeFileStore(path());
        make(good);
        auto *application = static_cast<Application *>(QCoreApplication::instance());
        keepInFile(17);
        QTRY_VERIFY(shows(u"message.unlock"_s));
        press(u"message.unlock"_s);
        application->watchStalls(true);
        std::ignore = application->takeLongestStall();
        unlock(good);
        QVERIFY(!find<QPushButton>(u"passphrase.done"_s)->isEnabled());
        QTRY_VERIFY(shows(u"message.add"_s));
        application->watchStalls(false);
        const qint64 longest = application->takeLongestStall();
        QVERIFY2(longest < 50, QByteArray::number(longest));
    }
};

GLOVEBOX_TEST_MAIN(TestVaultPassphrase)
#include "tst_vaultpassphrase.moc"
