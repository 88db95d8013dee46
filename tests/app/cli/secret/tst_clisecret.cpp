// SPDX-License-Identifier: Apache-2.0
// `glovebox secret ...` as a person and a script use it: values go in unseen and come out nowhere.
#include "../../../engine/vault/desktop.h"
#include "../terminal/desk.h"
#include "secrets.h"
#include "tests/support/signals.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliSecret : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
        qunsetenv("GLOVEBOX_VAULT_STORE");
    }

    void withoutAKeychainItSaysWhatToDo()
    {
        const Home home;
        const Ended ended = secret(home, {u"set"_s, u"API_KEY"_s}, value);
        QCOMPARE(ended.status, 1);
        QVERIFY2(ended.err.contains("glovebox settings set vault.store file"), ended.err.constData());
        QCOMPARE(secret(home, {u"check"_s}).status, 0); // there is no secret without its value
        QVERIFY(secret(home, {u"check"_s}).out.contains("keychain: "));
        QVERIFY(secret(home, {u"list"_s}).out.contains("There are no secrets"));
        QVERIFY(isClean(home, value));
    }

    // The key of the file is made between the two questions, for half a second.
    void whatIsPastedBeforeItIsAskedForIsKeptAndNotShown()
    {
        qputenv("GLOVEBOX_VAULT_STORE", "file");
        const Home home;
        {
            Desk desk(home, {u"secret"_s, u"set"_s, u"API_KEY"_s});
            QVERIFY2(desk.waitFor("Choose a passphrase (8 characters or more): "), desk.seen.constData());
            desk.type(passphrase + "\r" + passphrase + "\r" + value + "\rls\r");
            QVERIFY2(desk.waitFor("Stored API_KEY (25 bytes)"), desk.seen.constData());
            QCOMPARE(desk.status(), 0);
            QVERIFY(desk.isAsBefore());
            QVERIFY2(!desk.seen.contains(value) && !desk.seen.contains(passphrase), desk.seen.constData());
            QVERIFY2(!desk.seen.contains("ls"), desk.seen.constData());
        }
        Desk desk(home, {u"secret"_s, u"set"_s, u"OTHER"_s});
        QVERIFY2(desk.waitFor("Passphrase of the file of secrets: "), desk.seen.constData());
        desk.type(passphrase + "\r");
        QVERIFY2(desk.waitFor("secrets: \r"), desk.seen.constData()); // it was read, and the key is being made
        desk.type(value + "\r");
        QVERIFY2(desk.waitFor("Stored OTHER (25 bytes)"), desk.seen.constData());
        QVERIFY2(!desk.seen.contains(value), desk.seen.constData());
    }

    void aValueThatNobodyCouldKeepIsNotAskedFor()
    {
        const Home home;
        Desk desk(home, {u"secret"_s, u"set"_s, u"API_KEY"_s});
        QCOMPARE(desk.status(), 1);
        QVERIFY2(desk.seen.contains("glovebox settings set vault.store file"), desk.seen.constData());
        QVERIFY2(!desk.seen.contains("Value of"), desk.seen.constData());
    }

    void severalAreRemovedAtOnce()
    {
        qputenv("GLOVEBOX_VAULT_STORE", "file");
        const Home home;
        const QString file = home.write(u"passphrase"_s, passphrase), option = u"--passphrase-file"_s;
        QVERIFY(QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner));
        for (const QString &name : {u"A"_s, u"B"_s, u"C"_s})
            QCOMPARE(secret(home, {u"set"_s, name, option, file}, value).status, 0);
        const Ended both = secret(home, {u"remove"_s, u"A"_s, u"B"_s, u"A"_s, option, file});
        QVERIFY2(both.status == 0, both.err);
        QCOMPARE(secret(home, {u"list"_s, u"--json"_s}).json()[u"name"_s].toString(), u"C"_s);
        // All or nothing, in any order, and before the passphrase is asked for.
        for (const QStringList &names : {QStringList{u"NONE"_s, u"C"_s}, QStringList{u"C"_s, u"NONE"_s}}) {
            for (const QStringList &more : {QStringList{option, file}, QStringList{u"--forget"_s}, QStringList()}) {
                const Ended none = secret(home, QStringList{u"remove"_s} + names + more);
                QCOMPARE(none.status, 1);
                QVERIFY2(none.err.contains("Nothing was removed") && none.err.contains("There is no secret NONE"),
                         none.err);
                QCOMPARE(secret(home, {u"list"_s, u"--json"_s}).json()[u"name"_s].toString(), u"C"_s);
            }
        }
        QVERIFY(secret(home, {u"check"_s, u"C"_s, option, file}).out.contains("present"));
    }

    void aPassphraseIsTriedWhereNoSecretNeedsIt()
    {
        qputenv("GLOVEBOX_VAULT_STORE", "file");
        const Home home;
        const QString file = home.write(u"passphrase"_s, passphrase), option = u"--passphrase-file"_s;
        const QString other = home.write(u"other"_s, "not the passphrase");
        for (const QString &each : {file, other})
            QVERIFY(QFile::setPermissions(each, QFile::ReadOwner | QFile::WriteOwner));
        QVERIFY(secret(home, {u"check"_s, option, file}).out.contains("file: ")); // none is made
        QCOMPARE(secret(home, {u"set"_s, u"A"_s, option, file}, value).status, 0);
        QCOMPARE(secret(home, {u"remove"_s, u"A"_s, option, file}).status, 0);
        const Ended right = secret(home, {u"check"_s, option, file});
        QVERIFY2(right.status == 0 && right.out == "file: ready\n", right.out + right.err);
        const Ended wrong = secret(home, {u"check"_s, option, other});
        QVERIFY2(wrong.status == 1 && wrong.err.contains("is wrong"), wrong.out + wrong.err);
    }

    void choosingALockedKeychainWarnsOfNothing()
    {
        if (const QString why = test::Desktop::whyNoKeychain(); !why.isEmpty())
            QSKIP(qPrintable(why));
        test::Desktop desktop;
        QVERIFY(desktop.startBus() && desktop.startKeyring(true)); // makes it
        const Home home;
        QVERIFY(test::Desktop::until([&] { return secret(home, {u"check"_s}).out.contains("keychain: ready"); }));
        desktop.stopKeyring();
        QVERIFY(desktop.startKeyring(false));
        QVERIFY(test::Desktop::until([&] { return secret(home, {u"check"_s}).out.contains("keychain is locked"); }));
        const auto choose = [&](const QString &key) { return home.run({u"settings"_s, u"set"_s, key, u"keychain"_s}); };
        const Ended store = choose(u"vault.store"_s);
        QVERIFY2(store.status == 0 && !store.err.contains("locked"), store.err);
        // The key would be needed by each run, and nobody is asked then.
        const Ended key = choose(u"vault.signing_key"_s);
        QVERIFY2(key.err.contains("The keychain is locked. Unlock it: ") && !key.err.contains("file\n"), key.err);
    }

    void severalLinesKeepTheirLastNewline()
    {
        qputenv("GLOVEBOX_VAULT_STORE", "file");
        const Home home;
        const QString file = home.write(u"passphrase"_s, passphrase), option = u"--passphrase-file"_s;
        QVERIFY(QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner));
        const std::pair<QByteArray, int> values[] = {{"one line\n", 8},     {"one line\r\n", 8},
                                                     {"one line", 8},       {"-----BEGIN\nkey\n-----END\n", 24},
                                                     {"two lines\n\n", 11}, {"a\nb\nc\nd", 7}};
        int number = 0;
        for (const auto &[given, bytes] : values) {
            const QString name = u"KEY_%1"_s.arg(++number);
            const Ended set = secret(home, {u"set"_s, name, option, file}, given);
            QVERIFY2(set.err.contains("(" + QByteArray::number(bytes) + " bytes)"), set.err);
        }
        QVERIFY(secret(home, {u"set"_s, u"RAW"_s, u"--raw"_s, option, file}, "one line\n").err.contains("(9 bytes)"));
    }

    void endingItAtAPromptRestoresTheTerminal()
    {
        qputenv("GLOVEBOX_VAULT_STORE", "file");
        const Home home;
        for (const int signal : {0, SIGINT, SIGTERM, SIGHUP}) {
            Desk desk(home, {u"secret"_s, u"set"_s, u"API_KEY"_s});
            QVERIFY2(desk.waitFor("Choose a passphrase (8 characters or more): "), desk.seen.constData());
            QVERIFY(!desk.isAsBefore());
            if (signal == 0)
                desk.type("half a pass\x03");
            else
                sendSignal(desk.pid(), signal);
            QCOMPARE(desk.status(), signal == 0 ? 130 : 128 + signal);
            QVERIFY(desk.isAsBefore());
        }
        QVERIFY(!QFileInfo::exists(home.path(u"data/secrets.vault"_s)));
        QVERIFY(secret(home, {u"list"_s, u"--json"_s}).out.isEmpty());
    }

    void badWordsGetASentence_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("no name") << QStringList{u"set"_s} << 2 << QByteArray("Name the secret");
        QTest::newRow("a value") << QStringList{u"set"_s, u"A"_s, u"value"_s} << 2 << QByteArray("never an argument");
        QTest::newRow("A=b") << QStringList{u"set"_s, u"A=b"_s} << 2 << QByteArray("glovebox secret set A");
        QTest::newRow("a day beyond the log's") << QStringList{u"set"_s, u"A"_s, u"--expires"_s, u"2999-01-31"_s} << 2
                                                << QByteArray("--expires takes a day up to 2199-12-31");
        QTest::newRow("a day that is past") << QStringList{u"set"_s, u"A"_s, u"--expires"_s, u"2020-01-01"_s} << 2
                                            << QByteArray("--expires 2020-01-01 is past");
        QTest::newRow("a language") << QStringList{u"set"_s, u"A"_s, u"--language"_s, u"ruby"_s} << 2
                                    << QByteArray("Unknown language \"ruby\"");
        QTest::newRow("a host") << QStringList{u"set"_s, u"A"_s, u"--host"_s, u"10.0.0.0/8"_s} << 2
                                << QByteArray("a range of addresses");
        QTest::newRow("a space") << QStringList{u"set"_s, u"my key"_s} << 2 << QByteArray("can't be the name");
        QTest::newRow("unicode") << QStringList{u"set"_s, u"schlüssel"_s} << 2 << QByteArray("can't be the name");
        QTest::newRow("long") << QStringList{u"set"_s, QString(10000, u'a')} << 2 << QByteArray("too long");
        QTest::newRow("a day") << QStringList{u"set"_s, u"A"_s, u"--expires"_s, u"soon"_s} << 2
                               << QByteArray("a day like");
        QTest::newRow("contradiction") << QStringList{u"set"_s, u"A"_s, u"--no-network"_s, u"--host"_s, u"a.org"_s} << 2
                                       << QByteArray("can't be combined");
        QTest::newRow("none of it") << QStringList{u"edit"_s, u"NONE"_s, u"--note"_s, u"x"_s} << 1
                                    << QByteArray("There is no secret NONE");
        QTest::newRow("nothing to edit") << QStringList{u"edit"_s, u"A"_s} << 2 << QByteArray("Say what to change");
        QTest::newRow("another bad name")
            << QStringList{u"rename"_s, u"A"_s, u"B C"_s} << 2 << QByteArray("can't be the name");
        QTest::newRow("a caller") << QStringList{u"set"_s, u"A"_s, u"--caller"_s, u"me"_s} << 2
                                  << QByteArray("Unknown caller \"me\"");
        QTest::newRow("another language") << QStringList{u"edit"_s, u"NONE"_s, u"--language"_s, u"pyhton"_s} << 2
                                          << QByteArray("Unknown language \"pyhton\"");
        const QString note(1001, u'x');
        QTest::newRow("a long note") << QStringList{u"set"_s, u"A"_s, u"--note"_s, note} << 2
                                     << QByteArray("A note has at most 1000 characters");
        QTest::newRow("another long note") << QStringList{u"edit"_s, u"A"_s, u"--note"_s, note} << 2
                                           << QByteArray("A note has at most 1000 characters");
        QTest::newRow("one name") << QStringList{u"rename"_s, u"A"_s} << 2
                                  << QByteArray("Name the secret, then its new name.");
        QTest::newRow("nothing to remove")
            << QStringList{u"remove"_s} << 2 << QByteArray("Name the secrets to remove.");
        QTest::newRow("replace nothing") << QStringList{u"set"_s, u"A"_s, u"--replace"_s} << 1
                                         << QByteArray("There is no secret A");
    }

    void badWordsGetASentence()
    {
        QFETCH(const QStringList, words);
        QFETCH(const int, status);
        QFETCH(const QByteArray, says);
        const Home home;
        const Ended ended = secret(home, words, value);
        QCOMPARE(ended.status, status);
        QVERIFY2(ended.err.contains(says), ended.err.left(500).constData());
        QVERIFY(ended.err.size() < 1000);
    }

    void theKeychainKeepsWhatAScriptHandsIn()
    {
        if (const QString why = test::Desktop::whyNoKeychain(); !why.isEmpty())
            QSKIP(qPrintable(why));
        test::Desktop desktop;
        QVERIFY(desktop.startBus() && desktop.startKeyring(true));
        const Home home;
        QVERIFY(test::Desktop::until([&] { return secret(home, {u"check"_s}).out.contains("keychain: ready"); }));
        const Ended set = secret(home, {u"set"_s, u"API_KEY"_s, u"--host"_s, u"api.example.org"_s}, value + "\n");
        QVERIFY2(set.status == 0, set.err.constData());
        QVERIFY(set.err.contains("25 bytes"));
        const Ended again = secret(home, {u"set"_s, u"API_KEY"_s}, "another value");
        QCOMPARE(again.status, 1);
        QVERIFY2(again.err.contains("--replace"), again.err.constData());
        QCOMPARE(secret(home, {u"set"_s, u"API_KEY"_s, u"--replace"_s}, value).status, 0);
        QCOMPARE(secret(home, {u"set"_s, u"SHORT"_s}, "abc").status, 1);
        QCOMPARE(secret(home, {u"set"_s, u"LARGE"_s}, QByteArray(1024 * 1024, 'x')).status, 1);
        QCOMPARE(secret(home, {u"edit"_s, u"API_KEY"_s, u"--language"_s, u"python"_s}).status, 0);
        QVERIFY(secret(home, {u"edit"_s, u"API_KEY"_s, u"--language"_s, u"pyhton"_s}).err.contains("Unknown language"));
        QCOMPARE(secret(home, {u"rename"_s, u"API_KEY"_s, u"SHOP_KEY"_s}).status, 0);
        const QByteArray listed = secret(home, {u"list"_s}).out;
        QVERIFY2(listed.contains("SHOP_KEY") && listed.contains("in python; reaching only api.example.org"),
                 listed.constData());
        QVERIFY(secret(home, {u"check"_s, u"SHOP_KEY"_s}).out.contains("present"));
        QVERIFY(isClean(home, value));
        desktop.stopKeyring();
        const Ended gone = secret(home, {u"check"_s});
        QCOMPARE(gone.status, 1);
        QVERIFY2(gone.out.contains("no keychain") && gone.out.contains("unknown"), gone.out.constData());
        QCOMPARE(secret(home, {u"remove"_s, u"SHOP_KEY"_s}).status, 1);
        QCOMPARE(secret(home, {u"remove"_s, u"SHOP_KEY"_s, u"--forget"_s}).status, 0);
        QVERIFY(secret(home, {u"list"_s, u"--json"_s}).out.isEmpty());
    }

    void theSigningKeyIsInTheKeychainByChoice()
    {
        if (const QString why = test::Desktop::whyNoKeychain(); !why.isEmpty())
            QSKIP(qPrintable(why));
        const auto reset = qScopeGuard([] { qunsetenv("GLOVEBOX_VAULT_SIGNING_KEY"); });
        qputenv("GLOVEBOX_VAULT_SIGNING_KEY", "keychain");
        const Home home;
        QVERIFY(!home.run({u"doctor"_s, u"--json"_s}).json()[u"signing_key"_s][u"ok"_s].toBool()); // no keychain yet
        QVERIFY(!QFileInfo::exists(home.path(u"data/signing.key"_s)));
        test::Desktop desktop;
        QVERIFY(desktop.startBus() && desktop.startKeyring(true));
        QVERIFY(test::Desktop::until([&] { return secret(home, {u"check"_s}).out.contains("keychain: ready"); }));
        const QJsonObject report = home.run({u"doctor"_s, u"--json"_s}).json();
        QVERIFY2(report[u"signing_key"_s][u"ok"_s].toBool(),
                 qPrintable(report[u"signing_key"_s][u"reason"_s].toString()));
        QCOMPARE(report[u"signing_key"_s][u"place"_s].toString(), u"keychain"_s);
        QVERIFY(home.run({u"doctor"_s}).out.contains("signing   in the keychain  ok"));
        QVERIFY(!secret(home, {u"check"_s}).out.contains("left over"));
        qunsetenv("GLOVEBOX_VAULT_SIGNING_KEY");
        QVERIFY(home.run({u"doctor"_s, u"--json"_s}).json()[u"signing_key"_s][u"ok"_s].toBool());
        QVERIFY(!QFileInfo::exists(home.path(u"data/signing.key"_s)));
        desktop.stopKeyring();
        const Ended gone = home.run({u"doctor"_s});
        QVERIFY2(gone.out.contains("never creates"), gone.out.constData());
    }

    void theDoctorTellsWhereSecretsAndTheSigningKeyAre()
    {
        qputenv("GLOVEBOX_VAULT_STORE", "file");
        const Home home;
        const QJsonObject report = home.run({u"doctor"_s, u"--json"_s}).json();
        QCOMPARE(report[u"secrets"_s][u"store"_s].toString(), u"file"_s);
        QCOMPARE(report[u"secrets"_s][u"state"_s].toString(), u"absent"_s);
        QVERIFY(report[u"signing_key"_s][u"ok"_s].toBool());
        QCOMPARE(report[u"signing_key"_s][u"file"_s].toString(), home.path(u"data/signing.key"_s));
        QCOMPARE(report[u"signing_key"_s][u"place"_s].toString(), u"file"_s);
        QVERIFY(QFile::remove(home.path(u"data/signing.key"_s)));
        const QJsonObject again = home.run({u"doctor"_s, u"--json"_s}).json();
        QVERIFY(!again[u"signing_key"_s][u"ok"_s].toBool());
        QVERIFY(again[u"signing_key"_s][u"reason"_s].toString().contains(u"never creates"));
    }

    void aRunAloneMakesTheSigningKeyWhenItHasEnded()
    {
        const auto reset = qScopeGuard([] { qunsetenv("GLOVEBOX_VAULT_SIGNING_KEY"); });
        const Home home;
        const QString file = home.path(u"data/signing.key"_s);
        // One for the keychain waits for a program that has the time: a keychain may ask something.
        qputenv("GLOVEBOX_VAULT_SIGNING_KEY", "keychain");
        QCOMPARE(home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"true"_s}).status, 0);
        QVERIFY(!QFileInfo::exists(file));
        qunsetenv("GLOVEBOX_VAULT_SIGNING_KEY");
        QCOMPARE(home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"true"_s}).status, 0);
        QCOMPARE(QFileInfo(file).permissions() & 0x777, QFile::ReadUser | QFile::WriteUser);
        const QJsonObject signing = home.run({u"doctor"_s, u"--json"_s}).json()[u"signing_key"_s].toObject();
        QVERIFY(signing[u"ok"_s].toBool());
        // A file that is no key is told, and the run is as it was.
        QVERIFY(QFile::copy(file, file + u".good"_s) && QFile::resize(file, 0));
        const Ended empty = home.run({u"run"_s, u"-c"_s, u"print(1)"_s});
        QVERIFY2(empty.status == 0 && empty.out == "1\n" && empty.err.contains(file.toUtf8())
                     && empty.err.contains("The file is empty."),
                 empty.err);
        QVERIFY(QFile::remove(file) && QFile::rename(file + u".good"_s, file));
        QVERIFY(home.run({u"run"_s, u"-c"_s, u"print(1)"_s}).err.isEmpty());
        // It is on record, so that a lost one is not replaced by the next run either.
        QVERIFY(QFile::remove(file));
        QCOMPARE(home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"true"_s}).status, 0);
        QVERIFY(!QFileInfo::exists(file));
    }
};

QTEST_GUILESS_MAIN(TestCliSecret)
#include "tst_clisecret.moc"
