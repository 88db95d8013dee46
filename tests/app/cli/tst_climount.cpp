// SPDX-License-Identifier: Apache-2.0
// `glovebox run --mount`: what is shown, what is refused with which sentence, and what is on record of it.
#include "program.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliMount : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void aFolderIsShownAndOnRecord();
    void relativeNamesAndColonsAreFine();
    void whatCantBeShownIsRefusedOnRecord_data();
    void whatCantBeShownIsRefusedOnRecord();
    void aMalformedMountIsWrongUsage_data();
    void aMalformedMountIsWrongUsage();
    void mountsBelowComeAlongReadOnly();
    void aWritableFolderIsWrittenAndWhatMattersIsTold();
    void aWritableFolderIsBounded();

private:
    Home m_home;
    std::unique_ptr<QTemporaryDir> m_room; // apart from the home, whose data is never shown

    QString at(const QString &name) const { return m_room->filePath(name); }
    // As root, runs belong to a user who owns nothing.
    void openToAll(const QString &name) const { QProcess::execute(u"chmod"_s, {u"-R"_s, u"a+rwX"_s, at(name)}); }
    void write(const QString &name, const QByteArray &content) const
    {
        QFile file(at(name));
        if (!QDir().mkpath(QFileInfo(file).path()) || !file.open(QIODevice::WriteOnly)
            || file.write(content) != content.size())
            qFatal("A test file can't be written.");
    }
};

void TestCliMount::init()
{
    m_room = std::make_unique<QTemporaryDir>(u"/var/tmp/glovebox-test-XXXXXX"_s);
    QVERIFY(::chmod(QFile::encodeName(m_room->path()).constData(), 0755) == 0);
    write(u"data/a"_s, "hello\n");
}

void TestCliMount::aFolderIsShownAndOnRecord()
{
    QVERIFY(QFile::link(at(u"data"_s), at(u"link"_s)));
    const Ended ended = m_home.run({u"run"_s, u"--mount"_s, at(u"link"_s) + u":/mnt/data"_s, u"--json"_s, u"-l"_s,
                                    u"sh"_s, u"-c"_s, u"cat /mnt/data/a; echo x > /mnt/data/b"_s});
    const QJsonObject result = ended.json();
    QCOMPARE(result["stdout"_L1].toString(), u"hello\n"_s);
    QVERIFY(result["stderr"_L1].toString().contains(u"Read-only file system"_s));
    QVERIFY(!QFile::exists(at(u"data/b"_s)));
    QVERIFY2(ended.out.contains((u"shown "_s + at(u"data"_s) + u" as /mnt/data, read-only"_s).toUtf8()), ended.out);
    const Ended shown = m_home.run({u"audit"_s, u"show"_s, u"#1"_s, u"--json"_s});
    QVERIFY2(shown.out.contains(
                 (u"{\"host\":\""_s + at(u"link"_s) + u"\",\"mode\":\"ro\",\"path\":\"/mnt/data\"}"_s).toUtf8()),
             shown.out);
}

void TestCliMount::relativeNamesAndColonsAreFine()
{
    write(u"a:b/c"_s, "colon\n");
    const auto process = m_home.program({u"run"_s, u"--mount"_s, u"data:/work/data/"_s, u"--mount=./a:b:/mnt:ro"_s,
                                         u"-l"_s, u"sh"_s, u"-c"_s, u"cat data/a /mnt/c"_s});
    process->setWorkingDirectory(m_room->path());
    process->start();
    process->closeWriteChannel();
    const Ended ended = finish(*process);
    QVERIFY2(ended.out == "hello\ncolon\n", ended.err);
}

void TestCliMount::whatCantBeShownIsRefusedOnRecord_data()
{
    QTest::addColumn<QString>("host");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("missing") << u"/nonexistent"_s << QByteArray("There is no folder /nonexistent");
    QTest::newRow("everything") << u"/"_s << QByteArray("whole machine");
    QTest::newRow("own data") << m_home.path() << QByteArray("Glovebox keeps its record");
    QTest::newRow("in own data") << m_home.path(u"data"_s) << QByteArray("Glovebox keeps its record");
    QTest::newRow("above own data") << QFileInfo(m_home.path()).path() << QByteArray("can't be shown to a run");
    QTest::newRow("system") << u"/proc"_s << QByteArray("running system");
    QTest::newRow("home") << QDir::homePath() << QByteArray("home folder");
    QTest::newRow("device") << u"/dev/zero"_s << QByteArray("it is a device");
}

void TestCliMount::whatCantBeShownIsRefusedOnRecord()
{
    QFETCH(QString, host);
    QFETCH(QByteArray, says);
    QVERIFY(QFile::exists(m_home.path()));
    m_home.run({u"run"_s, u"-c"_s, u"pass"_s}); // so that there is a record to be shown
    const Ended ended = m_home.run({u"run"_s, u"--mount"_s, host + u":/mnt/x"_s, u"-c"_s, u"print('ran')"_s});
    QCOMPARE(ended.status, 125);
    QCOMPARE(ended.out, QByteArray());
    QVERIFY2(ended.err.startsWith("glovebox: ") && ended.err.contains(says), ended.err);
    QCOMPARE(m_home.runsOnRecord().value(0).value("outcome"_L1).toString(), u"rejected"_s);
}

void TestCliMount::aMalformedMountIsWrongUsage_data()
{
    QTest::addColumn<QString>("mount");
    QTest::newRow("no place") << u"/srv"_s;
    QTest::newRow("relative place") << u"/srv:mnt"_s;
    QTest::newRow("no folder") << u":/mnt"_s;
    QTest::newRow("unknown mode") << u"/srv:/mnt:all"_s;
    QTest::newRow("dots") << u"/srv:/mnt/../etc"_s;
    QTest::newRow("the sandbox's own") << u"/srv:/usr/share/x"_s;
    QTest::newRow("empty") << QString();
}

void TestCliMount::aMalformedMountIsWrongUsage()
{
    QFETCH(QString, mount);
    const Ended ended = m_home.run({u"run"_s, u"--mount"_s, mount, u"-c"_s, u"print('ran')"_s});
    QCOMPARE(ended.status, 2);
    QCOMPARE(ended.out, QByteArray());
    QVERIFY2(ended.err.startsWith("glovebox: "), ended.err);
}

// In a mount namespace of its own, so that the machine's mounts stay as they are.
void TestCliMount::mountsBelowComeAlongReadOnly()
{
    write(u"data/below/covered"_s, "secret\n");
    write(u"elsewhere/f"_s, "elsewhere\n");
    const QString script = uR"(set -e
mount -t tmpfs none "$1/below"
echo first > "$1/below/f"
mount -t tmpfs none "$1/below"
echo second > "$1/below/f"
mkdir "$1/below/deeper"
mount --bind "$2" "$1/below/deeper"
"$3" run --mount "$1:/mnt" -l sh -c 'cat /mnt/a /mnt/below/f /mnt/below/deeper/f; ls /mnt/below; touch /mnt/below/x || true'
mkdir "$1/below/proc"
mount --rbind /proc "$1/below/proc"
"$3" run --mount "$1:/mnt" -c 'print("ran")' && exit 9
umount -l "$1/below/proc"
mount --bind "$4" "$1/below/proc"
"$3" run --mount "$1:/mnt" -c 'print("ran")' && exit 9
echo end)"_s;
    QStringList arguments{u"-m"_s};
    if (::geteuid() != 0)
        arguments = {u"-U"_s, u"-m"_s, u"--map-current-user"_s, u"--keep-caps"_s};
    arguments += {u"sh"_s, u"-c"_s, script, u"sh"_s, at(u"data"_s), at(u"elsewhere"_s), programFile(), m_home.path()};
    const auto process = m_home.program(arguments);
    process->setProgram(u"unshare"_s);
    process->start();
    process->closeWriteChannel();
    const Ended ended = finish(*process);
    QVERIFY2(ended.out == "hello\nsecond\nelsewhere\ndeeper\nf\nend\n", ended.out + ended.err);
    QVERIFY2(ended.err.contains("Read-only file system"), ended.err);
    QVERIFY2(ended.err.contains("is a part of the running system"), ended.err);
    QVERIFY2(ended.err.contains("Glovebox keeps its record"), ended.err);
}

void TestCliMount::aWritableFolderIsWrittenAndWhatMattersIsTold()
{
    write(u"data/.git/hooks/sample"_s, "");
    openToAll(u"data"_s);
    const Ended ended =
        m_home.run({u"run"_s, u"--mount"_s, at(u"data"_s) + u":/work/data:rw"_s, u"--json"_s, u"-l"_s, u"sh"_s, u"-c"_s,
                    u"cd data; echo new > b; echo evil > .git/hooks/post-checkout; mkdir .vscode"_s});
    QCOMPARE(ended.json()["outcome"_L1].toString(), u"completed"_s);
    QFile written(at(u"data/b"_s));
    QVERIFY(written.open(QIODevice::ReadOnly));
    QCOMPARE(written.readAll(), QByteArray("new\n"));
    QStringList told;
    for (const QJsonValue &event : ended.json()["events"_L1].toArray()) {
        if (event["type"_L1] == u"folder.sensitive-change"_s)
            told.append(event["detail"_L1].toString());
    }
    QCOMPARE(told.size(), 2);
    QVERIFY2(told.at(0).contains(u"added .git/hooks/post-checkout to "_s + at(u"data"_s)), qPrintable(told.at(0)));
    QVERIFY2(told.at(1).contains(u".vscode"_s), qPrintable(told.at(1)));
    QVERIFY2(ended.out.contains("could write to it"), ended.out);
}

void TestCliMount::aWritableFolderIsBounded()
{
    openToAll(u"data"_s);
    const Ended ended = m_home.run(
        {u"run"_s, u"--mount"_s, at(u"data"_s) + u":/mnt:rw"_s, u"--disk"_s, u"8"_s, u"-t"_s, u"20"_s, u"-l"_s, u"sh"_s,
         u"-c"_s, u"for i in $(seq 400); do head -c 1M /dev/zero > /mnt/$i; sleep 0.01; done; sleep 20"_s});
    QVERIFY2(ended.err.contains("wrote more than 8 MB"), ended.err);
    QVERIFY(QDir(at(u"data"_s)).count() < 200);
    QCOMPARE(m_home.runsOnRecord().value(0)["outcome"_L1].toString(), u"disk_limit"_s);
}

QTEST_GUILESS_MAIN(TestCliMount)
#include "tst_climount.moc"
