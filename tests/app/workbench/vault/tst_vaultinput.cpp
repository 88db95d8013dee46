// SPDX-License-Identifier: Apache-2.0
// Bad input on the vault page, and other programs at the same time: a sentence each, and nothing is lost.
#include "app/workbench/vault/import/importpane.h"
#include "vaultseat.h"

#include <QClipboard>
#include <QFileDialog>
#include <QListWidget>

#include <csignal>

#include <fcntl.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// A file that nobody can open before it is let go: who tries waits (fcntl(2), "Leases").
class HungFile
{
public:
    HungFile(const QString &path, const QByteArray &content)
        : m_file(path)
    {
        std::signal(SIGIO, SIG_IGN); // tells that somebody wants to open it
        isHung = m_file.open(QIODevice::ReadWrite | QIODevice::Unbuffered) && m_file.write(content) == content.size()
                 && ::fcntl(m_file.handle(), F_SETLEASE, F_WRLCK) == 0;
    }
    void letGo() { ::fcntl(m_file.handle(), F_SETLEASE, F_UNLCK); }
    QString path() const { return m_file.fileName(); }
    bool isHung;

private:
    QFile m_file;
};

} // namespace

class TestVaultInput : public QObject, public VaultSeat
{
    Q_OBJECT

private:
    std::shared_ptr<MoodyStore> m_store;
    const Caller m_cli{.kind = Caller::Kind::Cli, .pid = 1, .program = {}, .claimed = {}};

    void paste(const QString &text)
    {
        QGuiApplication::clipboard()->setText(text);
        auto *field = find<QLineEdit>(u"form.value"_s);
        field->setFocus();
        QTest::keyClick(field, Qt::Key_V, Qt::ControlModifier);
    }

    // In the dialog that is open.
    void choose(const QString &path)
    {
        auto *dialog = desk->frame.findChild<QFileDialog *>();
        QVERIFY(dialog);
        Q_EMIT dialog->fileSelected(path);
        dialog->close();
        QTRY_VERIFY(!desk->frame.findChild<QFileDialog *>());
        QTRY_VERIFY(desk->frame.isActiveWindow());
    }
    bool isBusy() const { return desk->context.reading().activeThreadCount() > 0; }

private Q_SLOTS:
    void init()
    {
        m_store = std::make_shared<MoodyStore>();
        sitDown({m_store});
    }
    void cleanup() { desk.reset(); }

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
        QVERIFY(act(u"add"_s));
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
        QVERIFY(act(u"add"_s));
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

    void longValuesAreWholeOrRefused_data()
    {
        QTest::addColumn<int>("bytes");
        QTest::addColumn<bool>("fits");
        QTest::newRow("40,000") << 40'000 << true; // a field of text ends at 32,767
        QTest::newRow("64 KiB") << 65'536 << true;
        QTest::newRow("1 MB") << 1'000'000 << false;
    }

    void longValuesAreWholeOrRefused()
    {
        QFETCH(int, bytes);
        QFETCH(bool, fits);
        QVERIFY(act(u"add"_s));
        type(u"form.name"_s, u"LONG"_s);
        paste(QString(bytes, u'v'));
        press(u"form.save"_s);
        if (fits) {
            QTRY_COMPARE(value(u"LONG"_s).size(), bytes);
            return;
        }
        QTRY_VERIFY(shows(u"form.trouble"_s));
        QVERIFY(text(u"form.trouble"_s).size() > 10);
        QVERIFY(vault().list().value().isEmpty());
        QVERIFY(!find<QLineEdit>(u"form.value"_s)->text().isEmpty()); // still there
    }

    void whatIsNoTextIsNotCopied()
    {
        for (const QByteArray &bytes : {QByteArray("with\0NUL", 8), QByteArray("\xff\xfe binary")}) {
            QVERIFY(addElsewhere(u"KEY"_s, bytes));
            QGuiApplication::clipboard()->setText(u"before"_s);
            desk->context.navigateTo(u"vault"_s, {{u"secret"_s, u"KEY"_s}});
            QTRY_VERIFY(shows(u"details.copy"_s));
            press(u"details.copy"_s);
            QTRY_VERIFY(text(u"details.remark"_s).contains(u"not text"_s));
            QCOMPARE(QGuiApplication::clipboard()->text(), u"before"_s);
            QVERIFY(vault().remove(u"KEY"_s, m_cli, Patience()));
            QVERIFY(act(u"refresh"_s));
            QTRY_COMPARE(list()->model()->rowCount(), 0);
        }
    }

    void whatAnotherProgramChangedMeanwhileIsSaidAndThenDone()
    {
        QVERIFY(addElsewhere(u"API_KEY"_s, "the first"));
        desk->context.navigateTo(u"vault"_s, {{u"secret"_s, u"API_KEY"_s}});
        QTRY_VERIFY(shows(u"details.change"_s));
        press(u"details.change"_s);
        type(u"form.value"_s, u"typed here"_s);
        QVERIFY(vault().replace(u"API_KEY"_s, SecretValue::copyOf("typed elsewhere"), m_cli, Patience()));
        press(u"form.save"_s);
        QTRY_VERIFY(text(u"form.trouble"_s).contains(u"Another program changed"_s));
        QCOMPARE(value(u"API_KEY"_s), "typed elsewhere");
        QCOMPARE(find<QLineEdit>(u"form.value"_s)->text(), u"typed here"_s);
        press(u"form.save"_s);
        QTRY_COMPARE(value(u"API_KEY"_s), "typed here");

        // And removed: what was typed makes a new one.
        QTRY_VERIFY(shows(u"details.change"_s));
        press(u"details.change"_s);
        type(u"form.value"_s, u"typed again"_s);
        QVERIFY(vault().remove(u"API_KEY"_s, m_cli, Patience()));
        press(u"form.save"_s);
        QTRY_VERIFY(text(u"form.trouble"_s).contains(u"removed or renamed"_s));
        press(u"form.save"_s);
        QTRY_COMPARE(value(u"API_KEY"_s), "typed again");
    }

    void aNameThatIsTakenChangesNothing()
    {
        add(u"TAKEN"_s, u"the first one"_s);
        add(u"API_KEY"_s, u"hush-hush-1"_s);
        press(u"details.change"_s);
        type(u"form.name"_s, u"TAKEN"_s);
        type(u"form.note"_s, u"a note"_s);
        type(u"form.value"_s, u"another value"_s);
        press(u"form.save"_s);
        QTRY_VERIFY(text(u"form.trouble"_s).contains(u"already"_s));
        QCOMPARE(vault().info(u"API_KEY"_s).value().note, QString());
        QCOMPARE(value(u"API_KEY"_s), "hush-hush-1");
        QCOMPARE(value(u"TAKEN"_s), "the first one");
        type(u"form.name"_s, u"FREE"_s);
        press(u"form.save"_s);
        QTRY_COMPARE(value(u"FREE"_s), "another value");
        QCOMPARE(vault().info(u"FREE"_s).value().note, u"a note"_s);
        QVERIFY(!vault().info(u"API_KEY"_s));
    }

    void aValueComesFromAFile()
    {
        const QString path = desk->folder.filePath(u"key.pem"_s);
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("-----BEGIN\n  line\n") == 18);
        file.close();
        QVERIFY(act(u"add"_s));
        type(u"form.name"_s, u"PEM"_s);
        for (const QString &wrong : {desk->folder.filePath(u"none"_s), desk->folder.path()}) {
            press(u"form.file"_s);
            choose(wrong);
            QTRY_VERIFY(text(u"form.trouble"_s).contains(wrong));
        }
        press(u"form.file"_s);
        choose(path);
        QTRY_VERIFY(!find<QLineEdit>(u"form.value"_s)->text().isEmpty());
        QVERIFY(!shows(u"form.trouble"_s));
        press(u"form.save"_s);
        QTRY_COMPARE(value(u"PEM"_s), "-----BEGIN\n  line\n");
    }

    void aHungFileHoldsNothingUp()
    {
        HungFile hung(desk->folder.filePath(u"key"_s), "the value in the file");
        if (!hung.isHung)
            QSKIP("The file system of the temporary folder gives no leases.");
        QElapsedTimer timer;
        timer.start();
        QVERIFY(act(u"add"_s));
        type(u"form.name"_s, u"API_KEY"_s);
        press(u"form.file"_s);
        choose(hung.path());
        auto *field = find<QLineEdit>(u"form.value"_s);
        QVERIFY(field->placeholderText().startsWith(u"Reading"_s));
        press(u"form.save"_s);
        QVERIFY(text(u"form.trouble"_s).contains(u"still being read"_s));
        // Who types a value doesn't want the file's any more.
        type(u"form.value"_s, u"typed instead"_s);
        press(u"form.save"_s);
        QTRY_COMPARE(value(u"API_KEY"_s), "typed instead");

        QVERIFY(act(u"add"_s));
        type(u"form.name"_s, u"SECOND"_s);
        press(u"form.file"_s);
        choose(hung.path());
        press(u"form.cancel"_s);
        QVERIFY(act(u"add"_s));
        QVERIFY(!field->placeholderText().startsWith(u"Reading"_s));
        QVERIFY2(timer.elapsed() < 15'000, QByteArray::number(timer.elapsed()));
        hung.letGo();
        QTRY_VERIFY(!isBusy());
        Desk::settle();
        QVERIFY(field->text().isEmpty());
        QVERIFY(act(u"add"_s)); // untouched

        press(u"form.file"_s); // and one that is waited for
        HungFile later(desk->folder.filePath(u"later"_s), "the value in the file");
        QVERIFY(later.isHung);
        type(u"form.name"_s, u"THIRD"_s);
        choose(later.path());
        later.letGo();
        QTRY_VERIFY(!field->text().isEmpty());
        press(u"form.save"_s);
        QTRY_COMPARE(value(u"THIRD"_s), "the value in the file");
    }

    void aHungEnvFileHoldsNothingUp()
    {
        HungFile hung(desk->folder.filePath(u".env"_s), "ONE=first value\nTWO=second value\n");
        if (!hung.isHung)
            QSKIP("The file system of the temporary folder gives no leases.");
        QElapsedTimer timer;
        timer.start();
        QVERIFY(act(u"import"_s));
        choose(hung.path());
        QVERIFY(shows(u"import.take"_s) && !find<QPushButton>(u"import.take"_s)->isEnabled());
        QVERIFY(text(u"import.remark"_s).startsWith(u"Reading"_s));
        press(u"import.cancel"_s);
        QVERIFY(!shows(u"import.take"_s));
        QVERIFY(act(u"import"_s));
        choose(hung.path());
        QVERIFY(act(u"add"_s)); // goes on with something else
        type(u"form.name"_s, u"API_KEY"_s);
        QVERIFY2(timer.elapsed() < 15'000, QByteArray::number(timer.elapsed()));
        hung.letGo();
        QTRY_VERIFY(!isBusy());
        Desk::settle();
        QVERIFY(find<QLineEdit>(u"form.name"_s)->hasFocus());
        QCOMPARE(find<QListWidget>(u"import.names"_s)->count(), 0);
        press(u"form.cancel"_s);
        QVERIFY(act(u"import"_s));
        choose(desk->folder.path());
        QTRY_VERIFY(text(u"import.remark"_s).contains(u"can't be read"_s));
        QVERIFY(act(u"import"_s));
        choose(hung.path()); // not hung any more
        QTRY_COMPARE(find<QListWidget>(u"import.names"_s)->count(), 2);
        QVERIFY(find<QListWidget>(u"import.names"_s)->hasFocus());
        find<QPushButton>(u"import.take"_s)->click();
        QTRY_COMPARE(value(u"TWO"_s), "second value");
    }

    void whatCouldNotBeImportedIsTriedAgain()
    {
        QVERIFY(act(u"add"_s)); // the panes are there
        auto *pane = desk->frame.findChild<ImportPane *>();
        pane->begin(u"/some/.env"_s, readEnv("ONE=first value\nTWO=second value"), {});
        m_store->state = StoreState::Locked;
        find<QPushButton>(u"import.take"_s)->click();
        QTRY_VERIFY2(text(u"import.remark"_s).contains(u"trouble"_s), qPrintable(text(u"import.remark"_s)));
        QCOMPARE(find<QListWidget>(u"import.names"_s)->count(), 2);
        m_store->state = StoreState::Ready;
        find<QPushButton>(u"import.take"_s)->click();
        QTRY_COMPARE(value(u"TWO"_s), "second value");
        QCOMPARE(value(u"ONE"_s), "first value");
    }
};

GLOVEBOX_TEST_MAIN(TestVaultInput)
#include "tst_vaultinput.moc"
