// SPDX-License-Identifier: Apache-2.0
// A bad data folder, and a disk that takes nothing, is a sentence, never a loss.
#include "tests/app/cli/program.h"

#include "engine/base/base.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliBadData : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aBadDataFolderIsASentence_data();
    void aBadDataFolderIsASentence();
    void aFullOrReadOnlyDiskIsASentence_data();
    void aFullOrReadOnlyDiskIsASentence();
    void aHomeThatBecameReadOnlyIsASentence();
    void aRecordThatCouldNotBeFinishedIsTold();
};

void TestCliBadData::aBadDataFolderIsASentence_data()
{
    QTest::addColumn<QString>("folder"); // GLOVEBOX_HOME; %1: the test's
    QTest::newRow("can't be made") << u"/proc/nowhere"_s;
    QTest::newRow("relative") << u"somewhere"_s;
    QTest::newRow("a file in its place") << u"%1/file"_s;
    QTest::newRow("garbage in the log") << u"%1/garbage"_s;
    QTest::newRow("a folder as the log") << u"%1/folder"_s;
}

void TestCliBadData::aBadDataFolderIsASentence()
{
    QFETCH(QString, folder);
    Home home;
    home.write(u"file"_s, "x");
    for (const QString &name : {u"garbage/data"_s, u"folder/data/audit.db"_s})
        QDir(home.path()).mkpath(name);
    for (const QString &name : {u"garbage/data"_s, u"folder/data"_s})
        QFile::setPermissions(home.path(name), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    const QByteArray garbage(20000, 'x');
    home.write(u"garbage/data/audit.db"_s, garbage);

    const auto process = home.program({u"run"_s, u"-c"_s, u"print('it ran')"_s});
    QProcessEnvironment environment = process->processEnvironment();
    environment.insert(u"GLOVEBOX_HOME"_s, folder.contains(u"%1"_s) ? folder.arg(home.path()) : folder);
    process->setProcessEnvironment(environment);
    process->start();
    const Ended ended = finish(*process);
    QCOMPARE(ended.status, 125);
    QCOMPARE(ended.out, QByteArray());
    QVERIFY2(ended.err.startsWith("glovebox: ") && ended.err.count('\n') == 1, ended.err);
    QFile log(home.path(u"garbage/data/audit.db"_s));
    QVERIFY(log.open(QIODevice::ReadOnly));
    QCOMPARE(log.readAll(), garbage); // not replaced
}

void TestCliBadData::aFullOrReadOnlyDiskIsASentence_data()
{
    QTest::addColumn<QString>("mount"); // options of a tmpfs
    QTest::addColumn<QByteArrayList>("says");
    QTest::newRow("full") << u"size=8k"_s << QByteArrayList{"full", "space"};
    QTest::newRow("no room for a file more")
        << u"nr_inodes=4"_s << QByteArrayList{".lock can't be made: the disk is full. make some space"};
    QTest::newRow("read-only") << u"ro"_s
                               << QByteArrayList{"can't be made: the file system is read-only. set glovebox_home"};
}

// A command with GLOVEBOX_HOME on a file system of its own. Mounting is for root: another user becomes it in a user namespace, and
// in one more is whom the machine knows, since runs of root belong to somebody whom the namespace doesn't have.
static Ended onDisk(const Home &home, const QString &mountOptions, const QStringList &command)
{
    QDir(home.path()).mkpath(u"disk"_s);
    const bool isRoot = ::geteuid() == 0;
    const QString script =
        u"mount -t tmpfs -o \"$0\" none \"$1\" && export GLOVEBOX_HOME=\"$1\" && shift && exec \"$@\""_s;
    QStringList words{isRoot ? u"-m"_s : u"-Urm"_s, u"sh"_s, u"-c"_s, script, mountOptions, home.path(u"disk"_s)};
    if (!isRoot)
        words += {u"unshare"_s, u"-U"_s, u"--map-user=%1"_s.arg(::getuid()), u"--map-group=%1"_s.arg(::getgid())};
    const auto process = home.program(words + command);
    process->setProgram(u"unshare"_s);
    process->start();
    return finish(*process);
}

// Empty, or what the machine says when a sandbox of unshare's is to be built there.
static QByteArray whyNotOnDisk(const QString &mountOptions)
{
    const Ended ended = onDisk(Home(), mountOptions,
                               {u"unshare"_s, u"-Urmpfni"_s, u"mount"_s, u"-t"_s, u"tmpfs"_s, u"none"_s, u"/tmp"_s});
    return ended.status == 0 ? QByteArray() : "No file system can be mounted here: " + ended.err.trimmed();
}

// `glovebox run -c CODE` with everything on that disk.
static Ended runOnDisk(const QString &mountOptions, const QString &code)
{
    return onDisk(Home(), mountOptions, {programFile(), u"run"_s, u"-c"_s, code});
}

void TestCliBadData::aFullOrReadOnlyDiskIsASentence()
{
    QFETCH(QString, mount);
    QFETCH(QByteArrayList, says);
    if (const QByteArray why = whyNotOnDisk(mount); !why.isEmpty())
        QSKIP(why.constData());
    const Ended ended = runOnDisk(mount, u"print(1)"_s);
    QCOMPARE(ended.status, 125);
    QCOMPARE(ended.out, QByteArray());
    QVERIFY2(std::any_of(says.begin(), says.end(),
                         [&](const QByteArray &word) { return ended.err.toLower().contains(word); }),
             ended.err);
}

void TestCliBadData::aHomeThatBecameReadOnlyIsASentence()
{
    if (const QByteArray why = whyNotOnDisk(u"ro"_s); !why.isEmpty())
        QSKIP(why.constData());
    const Home home;
    QCOMPARE(home.run({u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"true"_s}).status, 0);
    for (const QStringList &arguments : {QStringList{u"run"_s, u"-c"_s, u"1"_s}, {u"session"_s, u"create"_s}}) {
        const QString script = u"mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" && exec \"$@\""_s;
        const auto process = home.program(
            QStringList{::geteuid() == 0 ? u"-m"_s : u"-Urm"_s, u"sh"_s, u"-c"_s, script, home.path(), programFile()}
            + arguments);
        process->setProgram(u"unshare"_s);
        process->start();
        const Ended ended = finish(*process);
        QVERIFY2(ended.status == 125 || ended.status == 1, ended.err);
        QVERIFY2(ended.err.contains("can't be written: the file system is read-only. Set GLOVEBOX_HOME"), ended.err);
    }
    QCOMPARE(home.run({u"audit"_s, u"list"_s}).status, 0);
}

// The disk has room for the beginning of the entry, but not for the output.
void TestCliBadData::aRecordThatCouldNotBeFinishedIsTold()
{
    const QString mount = u"size=500k"_s;
    if (const QByteArray why = whyNotOnDisk(mount); !why.isEmpty())
        QSKIP(why.constData());
    const Ended ended = runOnDisk(mount, u"import os; os.write(1, os.urandom(700000))"_s);
    QVERIFY2(ended.status == 74, ended.err);
    QCOMPARE(ended.out.size(), 700000);
    QVERIFY2(ended.err.startsWith("glovebox: ") && ended.err.contains("space"), ended.err);
}

QTEST_GUILESS_MAIN(TestCliBadData)
#include "tst_clibaddata.moc"
