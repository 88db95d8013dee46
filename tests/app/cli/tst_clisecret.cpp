// SPDX-License-Identifier: Apache-2.0
// `glovebox secret ...` as a person and a script use it: values go in unseen and come out nowhere.
#include "terminal/desk.h"

#include "../../engine/vault/desktop.h"
#include "tests/support/signals.h"

#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>

#include <sys/stat.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

const QByteArray passphrase = "correct horse battery";
const QByteArray value = "s3cr3t-needle-of-the-test";

Ended secret(const Home &home, const QStringList &words, const QByteArray &input = {})
{
    return home.run(QStringList{u"secret"_s} + words, input);
}

// No file below holds the bytes.
bool isClean(const Home &home, const QByteArray &bytes)
{
    QDirIterator files(home.path(), QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        if (!file.open(QIODevice::ReadOnly) || file.readAll().contains(bytes))
            return false;
    }
    return true;
}

} // namespace

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

    void aPersonChoosesAPassphraseAndTypesUnseen()
    {
        qputenv("GLOVEBOX_VAULT_STORE", "file");
        const Home home;
        const QByteArray none = secret(home, {u"check"_s}).out;
        QVERIFY2(none.contains("yet. The first secret that is stored makes it."), none);
        {
            Desk desk(home, {u"secret"_s, u"set"_s, u"API_KEY"_s, u"--note"_s, u"of the shop"_s, u"--no-network"_s});
            QVERIFY2(desk.waitFor("Choose a passphrase (8 characters or more): "), desk.seen.constData());
            desk.type(passphrase + "\r");
            QVERIFY2(desk.waitFor("Repeat passphrase: "), desk.seen.constData());
            desk.type("x\x15" + passphrase + "yy\x7f\x7f\r"); // Ctrl+U and backspace
            QVERIFY2(desk.waitFor("Value of API_KEY (hidden): "), desk.seen.constData());
            desk.type(value + "\r");
            QVERIFY2(desk.waitFor("Stored API_KEY (25 bytes)"), desk.seen.constData());
            QCOMPARE(desk.status(), 0);
            QVERIFY(desk.isAsBefore());
            QVERIFY(!desk.seen.contains(value) && !desk.seen.contains(passphrase));
        }
        QVERIFY(isClean(home, value) && isClean(home, passphrase));
        const Ended listed = secret(home, {u"list"_s, u"--json"_s});
        QCOMPARE(listed.status, 0);
        QCOMPARE(listed.json()[u"name"_s].toString(), u"API_KEY"_s);
        QCOMPARE(listed.json()[u"note"_s].toString(), u"of the shop"_s);
        QCOMPARE(listed.json()[u"store"_s].toString(), u"file"_s);
        QCOMPARE(listed.json()[u"limits"_s][u"hosts"_s].toArray(), QJsonArray());
        const Ended blind = secret(home, {u"check"_s});
        QCOMPARE(blind.status, 1);
        QVERIFY2(blind.err.contains("no terminal"), blind.err.constData());
        {
            Desk desk(home, {u"secret"_s, u"check"_s});
            for (const char *typed : {"wrong one", passphrase.constData()}) {
                QVERIFY2(desk.waitFor("Passphrase of the file of secrets: "), desk.seen.constData());
                desk.seen.clear();
                desk.type(QByteArray(typed) + '\r');
                if (typed[0] == 'w')
                    QVERIFY2(desk.waitFor("Wrong passphrase"), desk.seen.constData());
            }
            QVERIFY2(desk.waitFor("present"), desk.seen.constData());
            QCOMPARE(desk.status(), 0);
        }
        {
            Desk desk(home, {u"run"_s, u"--secret"_s, u"API_KEY"_s, u"-c"_s, u"1"_s});
            for (int i = 0; i < 3; ++i) {
                QVERIFY2(desk.waitFor("Passphrase of the file of secrets: "), desk.seen.constData());
                desk.seen.clear();
                desk.type("wrong one\r");
            }
            QVERIFY2(desk.waitFor("The passphrase was wrong three times."), desk.seen.constData());
            QCOMPARE(desk.status(), 125);
            QVERIFY2(!desk.seen.contains("Try again"), desk.seen.constData());
        }
        Desk desk(home, {u"secret"_s, u"remove"_s, u"API_KEY"_s});
        QVERIFY(desk.waitFor("Passphrase of the file of secrets: "));
        desk.type(passphrase + "\r");
        QCOMPARE(desk.status(), 0);
        QVERIFY(secret(home, {u"list"_s, u"--json"_s}).out.isEmpty());
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

    void aServerGivesThePassphraseInAFile()
    {
        qputenv("GLOVEBOX_VAULT_STORE", "file");
        const Home home;
        const QTemporaryDir elsewhere;
        const QString file = elsewhere.filePath(u"passphrase"_s), wrong = elsewhere.filePath(u"wrong"_s);
        const auto write = [](const QString &name, const QByteArray &content, QFile::Permissions mode) {
            QFile out(name);
            return out.open(QIODevice::WriteOnly) && out.write(content) == content.size() && out.setPermissions(mode);
        };
        const QFile::Permissions own = QFile::ReadOwner | QFile::WriteOwner;
        QVERIFY(write(file, passphrase + "\n", own) && write(wrong, "another passphrase", own));
        const QString option = u"--passphrase-file"_s;
        const QStringList run{u"run"_s, u"--secret"_s, u"API_KEY"_s, u"-c"_s,
                              u"import os; print(len(os.environ['API_KEY']))"_s};

        QVERIFY(write(file, passphrase + "\n", own | QFile::ReadGroup));
        const Ended open = secret(home, {u"set"_s, u"API_KEY"_s, option, file}, value);
        QCOMPARE(open.status, 1);
        QVERIFY2(open.err.contains("chmod 600 " + file.toUtf8()), open.err);
        QVERIFY(write(file, passphrase + "\n", own));
        for (const QString &bad : {elsewhere.filePath(u"none"_s), elsewhere.path(), QString()})
            QCOMPARE(secret(home, {u"set"_s, u"API_KEY"_s, option, bad}, value).status, 1);
        const Ended set = secret(home, {u"set"_s, u"API_KEY"_s, option, file}, value);
        QVERIFY2(set.status == 0, set.err);
        QCOMPARE(secret(home, {u"check"_s, option, file}).status, 0);
        const Ended lent = home.run(QStringList{u"run"_s, option, file} + run.sliced(1));
        QVERIFY2(lent.out == "25\n", lent.err);
        const Ended other = home.run(QStringList{u"run"_s, option, wrong} + run.sliced(1));
        QCOMPARE(other.status, 125);
        QCOMPARE(other.err, "glovebox: The passphrase in " + wrong.toUtf8() + " is wrong.\n");
        // A service of systemd.
        QVERIFY(write(elsewhere.filePath(u"glovebox-passphrase"_s), passphrase, own));
        qputenv("CREDENTIALS_DIRECTORY", QFile::encodeName(elsewhere.path()));
        QCOMPARE(secret(home, {u"check"_s}).status, 0);
        qputenv("CREDENTIALS_DIRECTORY", "/nonexistent");
        const Ended blind = secret(home, {u"check"_s});
        QCOMPARE(blind.status, 1);
        QVERIFY2(blind.err.contains("--passphrase-file"), blind.err);
        qunsetenv("CREDENTIALS_DIRECTORY");
        QCOMPARE(secret(home, {u"remove"_s, u"API_KEY"_s, option, file}).status, 0);
        QVERIFY(isClean(home, value) && isClean(home, passphrase));
    }

    void aPassphraseThatNobodyWritesIsWaitedForWithAWord()
    {
        qputenv("GLOVEBOX_VAULT_STORE", "file");
        const Home home;
        const QByteArray pipe = QFile::encodeName(home.path(u"passphrase.fifo"_s));
        QVERIFY(::mkfifo(pipe.constData(), 0600) == 0);
        const auto program =
            home.program({u"secret"_s, u"set"_s, u"PIPED"_s, u"--passphrase-file"_s, QFile::decodeName(pipe)});
        program->setProcessChannelMode(QProcess::MergedChannels);
        program->start();
        program->write(value);
        program->closeWriteChannel();
        QByteArray said;
        QVERIFY2(waitForOutput(*program, "Waiting for " + pipe, said), said);
        QFile writer(QFile::decodeName(pipe));
        QVERIFY(writer.open(QIODevice::WriteOnly) && writer.write(passphrase) == passphrase.size());
        writer.close();
        const Ended ended = finish(*program);
        QVERIFY2(ended.status == 0, said + ended.out);
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

    void thePassphraseIsChanged()
    {
        qputenv("GLOVEBOX_VAULT_STORE", "file");
        const Home home;
        const Ended none = secret(home, {u"passphrase"_s});
        QCOMPARE(none.status, 1);
        QVERIFY2(none.err.contains("There is no file of secrets"), none.err.constData());
        QCOMPARE(secret(home, {u"passphrase"_s, u"new one"_s}).status, 2);
        {
            Desk desk(home, {u"secret"_s, u"set"_s, u"API_KEY"_s});
            for (const auto &[question, answer] :
                 {std::pair("Choose a passphrase (8 characters or more): ", passphrase),
                  std::pair("Repeat passphrase: ", passphrase), std::pair("(hidden): ", value)}) {
                QVERIFY2(desk.waitFor(question), desk.seen.constData());
                desk.type(answer + "\r");
            }
            QCOMPARE(desk.status(), 0);
        }
        const auto change = [&](const QList<QByteArray> &passphrases, const QList<QByteArray> &chosen) {
            Desk desk(home, {u"secret"_s, u"passphrase"_s});
            const auto answer = [&](const char *question, const QByteArray &typed) {
                QVERIFY2(desk.waitFor(question), desk.seen.constData());
                desk.seen.clear();
                desk.type(typed);
            };
            for (const QByteArray &typed : passphrases)
                answer("of the file of secrets: ", typed);
            for (qsizetype i = 0; i < chosen.size(); ++i)
                answer(i == 0 ? "Choose a passphrase (8 characters or more): " : "Repeat passphrase: ", chosen[i]);
            const int status = desk.status();
            return std::pair(status, desk.isAsBefore() ? desk.seen : "the terminal is not as before");
        };
        const QByteArray next = "staple of batteries";
        const auto [differ, said] = change({passphrase + "\r"}, {next + "\r", next + "x\r"});
        QCOMPARE(differ, 1);
        QVERIFY2(said.contains("differ"), said.constData());
        QCOMPARE(change({passphrase + "\r"}, {next + "\r", "\x03"}).first, 130);
        QCOMPARE(change({passphrase + "\r"}, {"short\r", "short\r"}).first, 1);
        const auto [changed, words] = change({"wrong one\r", passphrase + "\r"}, {next + "\r", next + "\r"});
        QVERIFY2(changed == 0, words.constData());
        QVERIFY2(words.contains("new passphrase"), words.constData());
        QVERIFY(isClean(home, next) && isClean(home, value));
        QCOMPARE(change({passphrase + "\r", passphrase + "\r", passphrase + "\r"}, {}).first, 1);
        Desk desk(home, {u"secret"_s, u"check"_s});
        QVERIFY(desk.waitFor("of the file of secrets: "));
        desk.type(next + "\r");
        QVERIFY2(desk.waitFor("present"), desk.seen.constData());
        QCOMPARE(desk.status(), 0);
    }

    void thePassphraseIsChangedWithoutATerminal()
    {
        qputenv("GLOVEBOX_VAULT_STORE", "file");
        const Home home;
        const QString file = home.write(u"old"_s, passphrase), next = home.write(u"new"_s, "staple of batteries\n");
        const QString shorter = home.write(u"short"_s, "short"), option = u"--passphrase-file"_s;
        const QString nextOption = u"--new-passphrase-file"_s;
        QCOMPARE(secret(home, {u"set"_s, u"API_KEY"_s, option, file}, value).status, 0);
        for (const QStringList &arguments : {QStringList{}, {option, file}, {nextOption, next}}) {
            const Ended blind = secret(home, QStringList{u"passphrase"_s} + arguments);
            QCOMPARE(blind.status, 1);
            QVERIFY2(blind.err.contains("--new-passphrase-file FILE"), blind.err);
        }
        QCOMPARE(secret(home, {u"passphrase"_s, option, next, nextOption, next}).status, 1); // a wrong one
        QCOMPARE(secret(home, {u"passphrase"_s, option, file, nextOption, shorter}).status, 1);
        const Ended changed = secret(home, {u"passphrase"_s, option, file, nextOption, next});
        QVERIFY2(changed.status == 0, changed.err);
        QCOMPARE(secret(home, {u"check"_s, option, file}).status, 1);
        QCOMPARE(secret(home, {u"check"_s, option, next}).status, 0);
        QVERIFY(isClean(home, value));
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
