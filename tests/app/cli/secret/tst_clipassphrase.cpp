// SPDX-License-Identifier: Apache-2.0
// The passphrase of the file of secrets: chosen, typed unseen, handed in by a server, and changed.
#include "../terminal/desk.h"
#include "secrets.h"

#include <QFile>

#include <sys/stat.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliPassphrase : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void init()
    {
        qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
        qunsetenv("GLOVEBOX_VAULT_STORE");
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
        for (const QString &each : {file, next, shorter})
            QVERIFY(QFile::setPermissions(each, QFile::ReadOwner | QFile::WriteOwner));
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
};

QTEST_GUILESS_MAIN(TestCliPassphrase)
#include "tst_clipassphrase.moc"
