// SPDX-License-Identifier: Apache-2.0
// How much a run may add to a folder that it may write to, however it goes about it.
#include "tests/app/cli/program.h"

#include "engine/base/base.h"
#include "tests/support/signals.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

pid_t childOf(qint64 parent, const char *name)
{
    for (const QString &pid : QDir(u"/proc"_s).entryList(QDir::Dirs)) {
        QFile stat(u"/proc/"_s + pid + u"/stat"_s);
        if (!stat.open(QIODevice::ReadOnly))
            continue;
        const QByteArray text = stat.readAll();
        const QByteArrayList after = text.mid(text.lastIndexOf(')') + 2).split(' '); // state, parent
        if (text.contains(QByteArray("(") + name + ')') && after.value(1).toLongLong() == parent)
            return pid.toInt();
    }
    return 0;
}

} // namespace

class TestCliSpace : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void aWritableFolderIsBounded();
    void whatARunWritesFirstIsNotTakenForWhatWasThere();
    void whoWroteTooMuchNeverCompletes();
    void theStatusIsNeverZeroOrASignals();
    void aFileWithoutANameCounts();
    void noSpaceIsTakenWithoutWriting();
    void theBoundOfFoldersIsAControl();
    void whoeverStopsLookingEndsTheRun();
    void aFolderThatTheRunClosesHidesNothing_data();
    void aFolderThatTheRunClosesHidesNothing();
    void whereTooMuchIsToBeCountedWhatIsWrittenCounts();
    void aFileOfSeveralNamesCountsOnce();
    void whatIsMountedBelowCountsToo();
    void changesThatNoDiskTookAreALoss();
    void filesWithoutANameCountWhoeverWroteThem_data();
    void filesWithoutANameCountWhoeverWroteThem();
    void roomThatOthersTakeStopsNoRun_data();
    void roomThatOthersTakeStopsNoRun();
    void aFileThatIsRenamedMeanwhileCountsOnce();
    void filesThatAreMovedAwayFromTheLookCount();
    void whoIsLookedAtGoesOnAsBefore();

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
    QStringList arguments(const QString &megabytes, const QString &language, const QString &code) const
    {
        return {u"run"_s,    u"--mount"_s, at(u"data"_s) + u":/mnt:rw"_s,
                u"--disk"_s, megabytes,    u"-t"_s,
                u"40"_s,     u"-l"_s,      language,
                u"-c"_s,     code};
    }
    Ended runs(const QString &megabytes, const QString &language, const QString &code) const
    {
        return m_home.run(arguments(megabytes, language, code));
    }
    // While another program takes 200 MB of the same file system.
    Ended runsBesideOthers(const QString &megabytes, const QByteArray &code) const
    {
        const auto program = m_home.program(arguments(megabytes, u"python"_s, QString::fromLatin1(code)));
        program->start();
        program->closeWriteChannel();
        QByteArray output;
        QFile other(at(u"other"_s));
        if (!waitForOutput(*program, "up", output) || !other.open(QIODevice::WriteOnly)
            || ::posix_fallocate(other.handle(), 0, 200'000'000) != 0)
            qFatal("No room was taken.");
        return finish(*program);
    }
    QString outcome() const { return m_home.runsOnRecord().value(0)["outcome"_L1].toString(); }
};

void TestCliSpace::init()
{
    m_room = std::make_unique<QTemporaryDir>(u"/var/tmp/glovebox-test-XXXXXX"_s);
    QVERIFY(::chmod(QFile::encodeName(m_room->path()).constData(), 0755) == 0);
    write(u"data/a"_s, "hello\n");
    openToAll(u"data"_s);
}

void TestCliSpace::aWritableFolderIsBounded()
{
    const Ended ended = m_home.run(
        {u"run"_s, u"--mount"_s, at(u"data"_s) + u":/mnt:rw"_s, u"--disk"_s, u"8"_s, u"-t"_s, u"20"_s, u"-l"_s, u"sh"_s,
         u"-c"_s, u"for i in $(seq 400); do head -c 1M /dev/zero > /mnt/$i; sleep 0.01; done; sleep 20"_s});
    QVERIFY2(ended.err.contains("added more than 8 MB"), ended.err);
    QVERIFY(QDir(at(u"data"_s)).count() < 200);
    QCOMPARE(m_home.runsOnRecord().value(0)["outcome"_L1].toString(), u"disk_limit"_s);
}

void TestCliSpace::whatARunWritesFirstIsNotTakenForWhatWasThere()
{
    // Counting them takes longer than the run needs for its first writes.
    const QByteArray folder = QFile::encodeName(at(u"data"_s));
    for (int i = 0; i < 100'000; ++i)
        QCOMPARE(::symlink("nowhere", (folder + "/link" + QByteArray::number(i)).constData()), 0);
    const Ended ended = m_home.run({u"run"_s, u"--mount"_s, at(u"data"_s) + u":/mnt:rw"_s, u"--disk"_s, u"8"_s, u"-t"_s,
                                    u"20"_s, u"-l"_s, u"sh"_s, u"-c"_s,
                                    u"head -c 6M /dev/zero > /mnt/one; cat /mnt/one /mnt/one > /mnt/two; sleep 20"_s});
    QVERIFY2(ended.err.contains("added more than 8 MB"), ended.err);
    QCOMPARE(m_home.runsOnRecord().value(0)["outcome"_L1].toString(), u"disk_limit"_s);
}

// Faster than anybody looks.
void TestCliSpace::whoWroteTooMuchNeverCompletes()
{
    const Ended ended =
        m_home.run({u"run"_s, u"--mount"_s, at(u"data"_s) + u":/mnt:rw"_s, u"--disk"_s, u"8"_s, u"-l"_s, u"sh"_s,
                    u"-c"_s, u"head -c 8M /dev/zero > /mnt/1; head -c 2M /dev/zero > /mnt/2"_s});
    QCOMPARE(m_home.runsOnRecord().value(0)["outcome"_L1].toString(), u"disk_limit"_s);
    QVERIFY2(ended.err.contains("added more than 8 MB"), ended.err);
    QCOMPARE(ended.status, 1);
}

void TestCliSpace::theStatusIsNeverZeroOrASignals()
{
    const QString writes = u"for _ in range(4): open('/tmp/a', 'ab').write(bytes(1000000))"_s;
    const auto statusOf = [&](const QString &language, const QString &code) {
        return m_home.run({u"run"_s, u"--disk"_s, u"1"_s, u"-l"_s, language, u"-c"_s, code}).status;
    };
    QCOMPARE(statusOf(u"sh"_s, u"head -c 4M /dev/zero >/tmp/a; exit 5"_s), 5);
    QCOMPARE(outcome(), u"disk_limit"_s);
    QCOMPARE(statusOf(u"python"_s, u"import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"_s + writes), 1);
    QCOMPARE(outcome(), u"disk_limit"_s);
}

void TestCliSpace::aFileWithoutANameCounts()
{
    const Ended ended = m_home.run(
        {u"run"_s, u"--mount"_s, at(u"data"_s) + u":/mnt:rw"_s, u"--disk"_s, u"64"_s, u"-t"_s, u"60"_s, u"-c"_s,
         u"import os, time\nf = [open(f'/mnt/{i}', 'wb', 0) for i in range(8)]\nfor i in range(8): "
         u"os.unlink(f'/mnt/{i}')\n"
         "for i in range(40):\n    for each in f: each.write(b'x' * 1000000)\n    time.sleep(0.05)\ntime.sleep(50)"_s});
    QVERIFY2(ended.err.contains("added more than 64 MB"), ended.err);
    QCOMPARE(m_home.runsOnRecord().value(0)["outcome"_L1].toString(), u"disk_limit"_s);
}

void TestCliSpace::noSpaceIsTakenWithoutWriting()
{
    write(u"data/large"_s, QByteArray(1024 * 1024, 'x'));
    openToAll(u"data"_s);
    const Ended ended = m_home.run(
        {u"run"_s, u"--mount"_s, at(u"data"_s) + u":/mnt:rw"_s, u"-c"_s,
         u"import ctypes, fcntl, os\nlibc = ctypes.CDLL(None, use_errno=True)\na = os.open('/mnt/large', os.O_RDONLY)\n"
         "b = os.open('/mnt/b', os.O_RDWR | os.O_CREAT)\ndef said(f):\n    try: print(f() or -ctypes.get_errno())\n"
         "    except OSError as e: print(e.errno)\nroom = bytes(8) + (0).to_bytes(8, 'little') + "
         "(1 << 20).to_bytes(8, 'little') + bytes(24)\n"
         "print(libc.fallocate(b, 0, ctypes.c_long(0), ctypes.c_long(1 << 20)), ctypes.get_errno())\n"
         "said(lambda: os.copy_file_range(a, b, 1 << 20))\nsaid(lambda: fcntl.ioctl(b, 0x40049409, a))\n"
         "for reserve in 0x40305828, 0x4030582a: said(lambda: fcntl.ioctl(b, reserve, room))\n"
         "os.posix_fallocate(b, 0, 1 << 20)\nprint(os.fstat(b).st_size)"_s});
    QCOMPARE(ended.out, QByteArray("-1 95\n95\n95\n95\n95\n1048576\n"));
}

void TestCliSpace::theBoundOfFoldersIsAControl()
{
    const auto runs = [&](const QString &mode, const QStringList &more) {
        return m_home.run(QStringList{u"run"_s, u"--mount"_s, at(u"data"_s) + u":/mnt"_s + mode, u"-c"_s, u"pass"_s}
                          + more);
    };
    const auto bound = [](const Ended &ended) {
        const QJsonArray controls = ended.json()["isolation"_L1]["controls"_L1].toArray();
        for (const auto control : controls) {
            if (control["name"_L1] == u"folder-disk"_s)
                return control["state"_L1].toString();
        }
        return u"none"_s;
    };
    QCOMPARE(bound(runs({}, {u"--json"_s})), u"none"_s);
    QCOMPARE(bound(runs(u":rw"_s, {u"--json"_s})), u"degraded"_s);
    QCOMPARE(bound(runs(u":stage"_s, {u"--json"_s})), u"verified"_s);
    // More than half of any memory that is free here: the copy is on disk.
    QCOMPARE(bound(runs(u":stage"_s, {u"--json"_s, u"--disk"_s, u"1048576"_s})), u"degraded"_s);
    const Ended strict = runs(u":rw"_s, {u"--strict"_s});
    QCOMPARE(strict.status, 125);
    QVERIFY2(strict.err.contains("strict"), strict.err);
}

// Nothing else bounds what the run adds from then on.
void TestCliSpace::whoeverStopsLookingEndsTheRun()
{
    const auto program = m_home.program(arguments(u"8"_s, u"sh"_s, u"echo up; sleep 30"_s));
    program->start();
    program->closeWriteChannel();
    QByteArray output;
    QVERIFY(waitForOutput(*program, "up", output));
    const pid_t opener = childOf(program->processId(), "glovebox-opener");
    QVERIFY(opener > 0);
    QCOMPARE(sendSignal(opener, SIGKILL), 0);
    const Ended ended = finish(*program);
    QVERIFY2(ended.err.contains("The run was stopped, because Glovebox's program that watches its folders ended."),
             ended.err);
    QVERIFY2(!ended.err.contains("doesn't answer"), ended.err);
    QCOMPARE(ended.status, 125);
    QCOMPARE(outcome(), u"interrupted"_s);
}

// Closed to whoever looks (not to root), or deeper than anybody looks; and written by processes that are in no account.
void TestCliSpace::aFolderThatTheRunClosesHidesNothing_data()
{
    QTest::addColumn<QByteArray>("first");
    QTest::addColumn<QByteArray>("last");
    QTest::newRow("closed") << QByteArray("os.mkdir('d', 0o300); os.chdir('d')") << QByteArray("os.chmod('/mnt/d', 0)");
    QTest::newRow("its entries are closed")
        << QByteArray("os.mkdir('d'); os.chdir('d')") << QByteArray("os.chmod('/mnt/d', 0o400)");
    QTest::newRow("the folder itself") << QByteArray(
        "try: os.chmod('.', 0o300)\nexcept PermissionError: pass # as root's runs own nothing")
                                       << QByteArray();
    QTest::newRow("deep") << QByteArray("for i in range(110): os.mkdir('d'); os.chdir('d')") << QByteArray();
}
void TestCliSpace::aFolderThatTheRunClosesHidesNothing()
{
    QFETCH(QByteArray, first);
    QFETCH(QByteArray, last);
    const QByteArray code = "import os, signal, time\nsignal.signal(signal.SIGCHLD, signal.SIG_IGN)\nos.chdir('/mnt')\n"
                            + first
                            + "\nfor i in range(20):\n    pid = os.fork()\n    if pid == 0:\n"
                              "        open(str(i), 'wb').write(b'x' * 1000000)\n        os._exit(0)\n"
                              "    try: os.waitpid(pid, 0)\n    except ChildProcessError: pass\n"
                            + last + "\ntime.sleep(1)";
    const Ended ended = runs(u"8"_s, u"python"_s, QString::fromLatin1(code));
    QProcess::execute(u"chmod"_s, {u"-R"_s, u"u+rwX"_s, at(u"data"_s)});
    QVERIFY2(ended.err.contains("more than 8 MB"), ended.err);
    QCOMPARE(outcome(), u"disk_limit"_s);
}

void TestCliSpace::whereTooMuchIsToBeCountedWhatIsWrittenCounts()
{
    const QByteArray folder = QFile::encodeName(at(u"data"_s));
    // Names of few files: as many files would take a busy disk minutes.
    constexpr int namesOfOne = 60'000;
    QByteArray file;
    for (int i = 0; i < 200'001; ++i) {
        const QByteArray name = folder + "/link" + QByteArray::number(i);
        if (i % namesOfOne == 0)
            QCOMPARE(::mknod(name.constData(), S_IFREG | 0644, 0), 0);
        else
            QCOMPARE(::link(file.constData(), name.constData()), 0);
        if (i % namesOfOne == 0)
            file = name;
    }
    // Much, as others may give room back meanwhile; it ends long before.
    const Ended ended =
        runs(u"8"_s, u"sh"_s, u"for i in $(seq 100); do head -c 5M /dev/zero > /mnt/$i; sleep 0.05; done; sleep 20"_s);
    QVERIFY2(ended.err.contains("more than 8 MB"), ended.err);
    QVERIFY2(ended.err.contains("too large or too private to be compared"), ended.err);
    QCOMPARE(outcome(), u"disk_limit"_s);
    const QJsonArray controls = m_home.run(arguments(u"8"_s, u"sh"_s, u"true"_s) << u"--json"_s)
                                    .json()["isolation"_L1]["controls"_L1]
                                    .toArray();
    QVERIFY(std::ranges::any_of(controls, [](const auto control) {
        return control["name"_L1] == u"folder-disk"_s && control["state"_L1] == u"missing"_s;
    }));
    // What the machine itself can't do, as memory without control groups, is told first: that needs no look at a folder.
    const auto weak = std::ranges::find_if(controls, [](const auto control) {
        return control["state"_L1] != u"verified"_s && control["state"_L1] != u"enforced"_s;
    });
    const Ended strict = m_home.run(arguments(u"8"_s, u"sh"_s, u"echo ran"_s) << u"--strict"_s << u"--json"_s);
    QCOMPARE(strict.status, 125);
    QVERIFY2(strict.json()["reason"_L1].toString().contains((*weak)["name"_L1].toString()), strict.out);
}

void TestCliSpace::aFileOfSeveralNamesCountsOnce()
{
    write(u"data/large"_s, QByteArray(6 * 1024 * 1024, 'x'));
    openToAll(u"data"_s);
    const Ended ended = runs(
        u"8"_s, u"sh"_s, u"cp /mnt/large /mnt/mine; for i in $(seq 20); do ln /mnt/mine /mnt/$i; done; sleep 0.6"_s);
    QVERIFY2(ended.status == 0, ended.err);
    // Nor is there room for more when one of its names goes.
    const Ended other = runs(
        u"8"_s, u"sh"_s,
        u"for i in $(seq 20); do rm /mnt/$i; done; for i in $(seq 4); do head -c 5M /dev/zero > /mnt/more$i; done; sleep 1"_s);
    QVERIFY2(other.err.contains("more than 8 MB"), other.err);
}

// In a mount namespace of its own, so that the machine's mounts stay as they are.
void TestCliSpace::whatIsMountedBelowCountsToo()
{
    QVERIFY(QDir().mkpath(at(u"data/below"_s)));
    const QString script = uR"(mount -t tmpfs none "$1/below" && chmod 777 "$1/below" || exit 9
"$2" run --mount "$1:/mnt:rw" --disk 8 -l sh -c 'for i in $(seq 4); do head -c 5M /dev/zero > /mnt/below/$i; done; mkdir /mnt/below/.vscode; sleep 1')"_s;
    QStringList arguments{u"-m"_s};
    if (::geteuid() != 0)
        arguments = {u"-U"_s, u"-m"_s, u"--map-current-user"_s, u"--keep-caps"_s};
    arguments += {u"sh"_s, u"-c"_s, script, u"sh"_s, at(u"data"_s), programFile()};
    const auto process = m_home.program(arguments);
    process->setProgram(u"unshare"_s);
    process->start();
    process->closeWriteChannel();
    const Ended ended = finish(*process);
    QVERIFY2(ended.err.contains("more than 8 MB"), ended.err);
    QCOMPARE(outcome(), u"disk_limit"_s);
}

// As files are: by the exit status, and nothing is said to wait that doesn't.
void TestCliSpace::changesThatNoDiskTookAreALoss()
{
    QVERIFY(QDir().mkpath(at(u"data/small"_s)) && QDir().mkpath(at(u"data/large"_s)));
    openToAll(u"data"_s);
    const QString script = uR"(mount -t tmpfs -o size=1M,mode=777 none "$1/small" || exit 9
code='head -c 2000000 /dev/urandom > /mnt/y'
"$3" run --mount "$1/small:/mnt:stage" --apply -l sh -c "$code"; echo $?
"$3" changes discard last
mkdir -p "$2" && mount -t tmpfs -o size=1M,mode=700 none "$2" || exit 9
"$3" run --mount "$1/large:/mnt:stage" -l sh -c "$code"; echo $?
tasks='{"id": "a", "language": "sh", "code": "'$code'; echo a"}
{"id": "b", "language": "sh", "code": "echo b"}'
echo "$tasks" | "$3" batch --mount "$1/large:/mnt:stage" - >/dev/null; echo $?
mount -o remount,size=100M "$2" || exit 9
echo "$tasks" | "$3" batch --resume --mount "$1/large:/mnt:stage" - | grep -x '[ab]')"_s;
    const bool isRoot = ::geteuid() == 0;
    const QStringList own =
        isRoot ? QStringList{u"-m"_s} : QStringList{u"-U"_s, u"-m"_s, u"--map-current-user"_s, u"--keep-caps"_s};
    const auto process =
        m_home.program(own
                       + QStringList{u"sh"_s, u"-c"_s, script, u"sh"_s, at(u"data"_s),
                                     isRoot ? u"/var/lib/glovebox"_s : m_home.path(u"data/staging"_s), programFile()});
    process->setProgram(u"unshare"_s);
    process->start();
    process->closeWriteChannel();
    const Ended ended = finish(*process);
    QVERIFY2(ended.out == "74\n74\n74\na\n", ended.out + ended.err);
    QCOMPARE(ended.err.count("The changes need 2 MB in"), 1);
    QCOMPARE(ended.err.count("can't be kept, so there is nothing to apply"), 1);
    QVERIFY2(ended.err.contains("changes of 1 task in copies of folders can't be kept")
                 && ended.err.contains("--resume to run that task again"),
             ended.err);
}

// Processes that nobody waited for are in no account; what they wrote is held by another, mapped, or under way.
void TestCliSpace::filesWithoutANameCountWhoeverWroteThem_data()
{
    QTest::addColumn<QByteArray>("hold");
    QTest::newRow("open") << QByteArray("pass");
    QTest::newRow("mapped") << QByteArray("kept.append(mmap.mmap(f, 4096)); os.close(f)");
    QTest::newRow("under way") << QByteArray("socket.send_fds(one, [b'x'], [f]); os.close(f)");
}
void TestCliSpace::filesWithoutANameCountWhoeverWroteThem()
{
    QFETCH(QByteArray, hold);
    const QByteArray code = "import mmap, os, signal, socket, time\n"
                            "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\nkept = []\n"
                            "one, other = socket.socketpair()\n"
                            "for i in range(40):\n    f = os.open('/mnt/f', os.O_CREAT | os.O_RDWR)\n"
                            "    os.unlink('/mnt/f')\n    pid = os.fork()\n    if pid == 0:\n"
                            "        for _ in range(4): os.write(f, b'x' * 1000000)\n        os._exit(0)\n"
                            "    try: os.waitpid(pid, 0)\n    except ChildProcessError: pass\n    "
                            + hold + "\ntime.sleep(20)";
    const Ended ended = runs(u"64"_s, u"python"_s, QString::fromLatin1(code));
    QVERIFY2(ended.err.contains("more than 64 MB"), ended.err);
    QCOMPARE(outcome(), u"disk_limit"_s);
}

// What was written isn't what grew.
void TestCliSpace::roomThatOthersTakeStopsNoRun_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::newRow("rewrites") << QByteArray("for i in range(30):\n"
                                            "    with open('/mnt/one', 'wb', 0) as f: f.write(b'x' * 10_000_000)\n"
                                            "    time.sleep(0.02)");
    QTest::newRow("rewrites in place") << QByteArray("f = open('/mnt/one', 'wb', 0)\nfor i in range(12):\n"
                                                     "    os.pwrite(f.fileno(), b'x' * 10_000_000, 0)\n"
                                                     "    os.fsync(f.fileno())");
    QTest::newRow("a file without a name")
        << QByteArray("f = open('/mnt/one', 'wb', 0)\nos.unlink('/mnt/one')\nfor i in range(20):\n"
                      "    f.truncate(0); os.pwrite(f.fileno(), b'x' * 10_000_000, 0)\n    time.sleep(0.05)");
    // To whoever looks without root's rights.
    QTest::newRow("a closed folder") << QByteArray("os.mkdir('/mnt/d'); open('/mnt/d/f', 'w').write('x')\n"
                                                   "os.chmod('/mnt/d', 0)\ntime.sleep(2)");
}
void TestCliSpace::roomThatOthersTakeStopsNoRun()
{
    QFETCH(QByteArray, code);
    const Ended ended = runsBesideOthers(u"64"_s, "import os, time\nprint('up', flush=True)\ntime.sleep(0.3)\n" + code);
    QProcess::execute(u"chmod"_s, {u"-R"_s, u"u+rwX"_s, at(u"data"_s)});
    QVERIFY2(ended.status == 0, ended.err);
    QCOMPARE(outcome(), u"completed"_s);
}

// A walk that comes through both folders meanwhile finds it in each.
void TestCliSpace::aFileThatIsRenamedMeanwhileCountsOnce()
{
    for (int i = 0; i < 2000; ++i) {
        for (const char *folder : {"p", "q", "r"})
            write(u"data/%1/%2"_s.arg(QLatin1StringView(folder)).arg(i), {});
    }
    openToAll(u"data"_s);
    const Ended ended = runs(u"64"_s, u"python"_s,
                             u"import os, time\nopen('/mnt/p/one', 'wb').write(b'x' * 50_000_000)\n"
                             "end = time.time() + 8\nwhile time.time() < end:\n"
                             "    for x, y in 'pq', 'qr', 'rp':\n"
                             "        os.rename(f'/mnt/{x}/one', f'/mnt/{y}/one')\n"
                             "        time.sleep(0.001)"_s);
    QVERIFY2(ended.status == 0, ended.err);
    QCOMPARE(outcome(), u"completed"_s);
}

// The run is told of each folder that is opened, and moves its files out of the way.
void TestCliSpace::filesThatAreMovedAwayFromTheLookCount()
{
    for (int i = 0; i < 3000; ++i) {
        for (const char *folder : {"p", "q"})
            write(u"data/%1/%2"_s.arg(QLatin1StringView(folder)).arg(i), {});
    }
    openToAll(u"data"_s);
    const QByteArray code = "import ctypes, os, signal, struct, time\n"
                            "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
                            "libc = ctypes.CDLL(None, use_errno=True)\n"
                            "told = libc.inotify_init()\nassert told >= 0\nopened = 0x20 # IN_OPEN\n"
                            "for name in b'pq': libc.inotify_add_watch(told, b'/mnt/%c' % name, opened | 0x01000000)\n"
                            "os.chdir('/mnt')\nat, other = 'p', 'q'\n"
                            "files = [open(f'p/+{i}', 'wb', 0) for i in range(5)]\n"
                            "if os.fork() == 0:\n"
                            "    for i in range(100): files[i % 5].write(b'x' * 1_500_000); time.sleep(0.02)\n"
                            "    os._exit(0)\n"
                            "end = time.time() + 6\nwhile time.time() < end:\n    now, i = os.read(told, 4096), 0\n"
                            "    while i < len(now):\n"
                            "        watch, mask, _, length = struct.unpack_from('iIII', now, i); i += 16 + length\n"
                            "        if mask & 0x40000000 and ' pq'[watch] == at:\n"
                            "            for f in range(5): os.rename(f'{at}/+{f}', f'{other}/+{f}')\n"
                            "            at, other = other, at\n";
    const Ended ended = runs(u"64"_s, u"python"_s, QString::fromLatin1(code));
    QVERIFY2(ended.err.contains("more than 64 MB"), ended.err);
    QCOMPARE(outcome(), u"disk_limit"_s);
}

// It stands still for that. Who had stopped by itself stays so, and its parent hears nothing of it.
void TestCliSpace::whoIsLookedAtGoesOnAsBefore()
{
    const QByteArray code =
        "import os, signal, time\nprint('up', flush=True)\nheard = []\n"
        "signal.signal(signal.SIGCHLD, lambda *_: heard.append('child'))\n"
        "pid = os.fork()\nif pid == 0: time.sleep(60)\n"
        "os.kill(pid, signal.SIGSTOP)\nos.waitpid(pid, os.WUNTRACED)\ntime.sleep(0.05)\nheard.clear()\n"
        "f = open('/mnt/one', 'wb', 0); f.write(b'x' * 63_000_000)\n"
        "for i in range(12): f.seek(0); f.write(b'x' * 63_000_000); time.sleep(0.05)\n"
        "print(open(f'/proc/{pid}/stat').read().split()[2], len(heard))\nos.kill(pid, 9)";
    const Ended ended = runsBesideOthers(u"64"_s, code);
    QVERIFY2(ended.status == 0, ended.err);
    QVERIFY2(ended.out.contains("T 0\n"), ended.out);
}

QTEST_GUILESS_MAIN(TestCliSpace)
#include "tst_clispace.moc"
