// SPDX-License-Identifier: Apache-2.0
// Folders of this machine that are shown to a run: what is refused before anything starts, and what a run can't do with one.
// Verdicts are taken on the host.
#include "sealed.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;
using Mode = FolderGrant::Mode;

class TestGrantedFolders : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<Backend> m_backend = backendUnderTest(u"test"_s);
    QTemporaryDir m_room{u"/var/tmp/glovebox-test-XXXXXX"_s}; // not /tmp: one of the rows grants what is above

    QString at(const QString &name) const { return m_room.filePath(name); }

    // Whom runs belong to as root must be able to reach and, where a test writes, to change it.
    QString makeFolder(const QString &name) const
    {
        QDir().mkpath(at(name));
        ::chmod(QFile::encodeName(at(name)).constData(), 0777);
        return at(name);
    }

    QString makeFile(const QString &name, const QByteArray &content) const
    {
        QFile file(at(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("A test file can't be written.");
        return file.fileName();
    }

    static QByteArray contentOf(const QString &path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(can't be read)");
    }

    OwnFolders own() const { return {{at(u"own"_s)}, {at(u"programs/bin"_s)}}; }

    // The error's sentence, or empty.
    QString refusal(const QString &path, Mode mode = Mode::ReadOnly) const
    {
        const auto folder = openFolder({path, u"/mnt/x"_s, mode}, own());
        return folder ? QString() : folder.error().message.english();
    }

    SealedSpec specFor(const QByteArray &script, const QString &hostPath, Mode mode) const
    {
        SealedSpec spec = shellSpec(script);
        const auto folder = openFolder({hostPath, u"/mnt/x"_s, mode}, own());
        if (folder)
            spec.assignment.granted = {*folder};
        return spec;
    }

    // What a script prints that is shown a folder at /mnt/x.
    QByteArray outputOf(const QByteArray &script, const QString &hostPath, Mode mode = Mode::ReadOnly) const
    {
        const auto r = runSealed(*m_backend, specFor(script, hostPath, mode));
        return r ? r->out + r->err : r.error().message.english().toUtf8() + ": " + r.error().detail.english().toUtf8();
    }

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(::chmod(QFile::encodeName(m_room.path()).constData(), 0755) == 0);
        makeFolder(u"home"_s);
        for (const char *name :
             {"home/.ssh", "home/.gnupg", "home/.config/app", "home/project", "own/store", "programs/bin"})
            makeFolder(QString::fromLatin1(name));
        qputenv("HOME", QFile::encodeName(at(u"home"_s)));
    }

    void showsAFolderReadOnly()
    {
        const QString folder = makeFolder(u"ro"_s);
        makeFile(u"ro/a"_s, "hello\n");
        makeFolder(u"ro/sub"_s);
        QCOMPARE(outputOf("cat /mnt/x/a; ls /mnt/x", folder), "hello\na\nsub\n");
        for (const char *attempt :
             {"echo x > /mnt/x/a", "echo x > /mnt/x/new", "rm -rf /mnt/x/a", "mv /mnt/x/a /mnt/x/b",
              "chmod 777 /mnt/x/a", "touch /mnt/x/a", "mkdir /mnt/x/sub/y", "ln -s a /mnt/x/l", "mv /mnt/x /mnt/y",
              "rmdir /mnt/x", "mount -o remount,rw,bind /mnt/x", "umount -l /mnt/x", "mount --bind /tmp /mnt/x",
              "ln /mnt/x/a /tmp/a"}) {
            const auto r = runSealed(*m_backend, specFor(attempt, folder, Mode::ReadOnly));
            QVERIFY2(r && r->end.exitCode.value_or(0) != 0, attempt);
        }
        QCOMPARE(contentOf(at(u"ro/a"_s)), "hello\n");
        QCOMPARE(QDir(folder).entryList(QDir::NoDotAndDotDot | QDir::AllEntries | QDir::Hidden),
                 (QStringList{u"a"_s, u"sub"_s}));
    }

    void showsASingleFile()
    {
        const QString file = makeFile(u"one.txt"_s, "one\n");
        makeFile(u"two.txt"_s, "two\n");
        QCOMPARE(outputOf("cat /mnt/x; ls /mnt; (echo y > /mnt/x) 2>/dev/null || echo no", file), "one\nx\nno\n");
        QCOMPARE(contentOf(file), "one\n");
    }

    void showsItAlsoAmongTheFilesOfTheRun()
    {
        const QString folder = makeFolder(u"below"_s);
        makeFile(u"below/a"_s, "a\n");
        for (const QString &place :
             {u"/work/src/a"_s, u"/tmp/x"_s, u"/var/tmp/x"_s, u"/home/me/project"_s, u"/opt/x y"_s}) {
            SealedSpec spec = shellSpec("cat \"$1/a\"; touch \"$1/b\" /work/c");
            spec.shape.argv.append(place.toUtf8());
            const auto opened = openFolder({folder, place, Mode::ReadOnly}, own());
            QVERIFY(opened);
            spec.assignment.granted = {*opened};
            const auto r = runSealed(*m_backend, spec);
            QVERIFY2(r, qPrintable(r ? QString() : r.error().detail.english()));
            QCOMPARE(r->out, "a\n");
            QVERIFY2(r->err.contains("Read-only file system") && r->err.count('\n') == 1, r->err);
        }
        QVERIFY(!QFile::exists(folder + u"/b"_s));
    }

    void writesOnlyWhatIsGrantedWritable()
    {
        const QString folder = makeFolder(u"rw/granted"_s);
        makeFile(u"rw/outside"_s, "mine\n");
        QVERIFY(QFile::link(at(u"rw/outside"_s), folder + u"/absolute"_s));
        QVERIFY(QFile::link(u"../outside"_s, folder + u"/relative"_s));
        QVERIFY(QFile::link(u"/etc"_s, folder + u"/etc"_s));
        const QByteArray out = outputOf(
            "echo new > /mnt/x/new && echo wrote\n"
            "cd /mnt/x; for f in absolute relative ../outside etc/passwd ../../../../../../../../etc/passwd; do\n"
            "  (echo changed > $f) 2>/dev/null; cat $f 2>/dev/null | head -1; done\n"
            "mv /mnt/x /mnt/y 2>/dev/null || echo stays",
            folder, Mode::ReadWrite);
        QVERIFY2(out.startsWith("wrote\n") && out.endsWith("stays\n"), out);
        QVERIFY2(out.contains("root:x:0:0") && !out.contains("mine"), out); // the sandbox's own passwd
        QCOMPARE(contentOf(folder + u"/new"_s), "new\n");
        QCOMPARE(contentOf(at(u"rw/outside"_s)), "mine\n");
    }

    void aFolderForACopyIsFilledBeforeAndReadAfterwards()
    {
        SealedSpec spec = shellSpec("cat /mnt/x/given > /work/y/got; head -c 64M /dev/zero > /mnt/x/large");
        spec.shape.workspace = Tmpfs{16 * mebibyte, 1024};
        spec.assignment.copies = {u"/mnt/x"_s, u"/work/y"_s};
        auto process = launchIn(*m_backend, spec);
        QVERIFY2(process, process ? "" : qPrintable(process.error().detail.english()));
        const std::vector<UniqueFd> copies = (*process)->takeCopies();
        QCOMPARE(copies.size(), std::size_t(2));
        const bool isRoot = ::geteuid() == 0; // who can make nothing in a file system of the run's
        const HostIdentity owner = runIdentity().value();
        if (isRoot) {
            ::syscall(SYS_setfsgid, owner.gid);
            ::syscall(SYS_setfsuid, owner.uid);
        }
        UniqueFd given(::openat(copies[0].get(), "given", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
        if (isRoot) {
            ::syscall(SYS_setfsuid, 0);
            ::syscall(SYS_setfsgid, 0);
        }
        QVERIFY(given && writeWhole(given.get(), "given\n"));
        given.reset();
        QVERIFY((*process)->start());
        std::optional<SandboxEnd> end;
        while (!end) {
            QVERIFY(waitUntilReadable(**process, (*process)->reportDescriptor()));
            end = (*process)->takeEnd();
        }
        process->reset();
        std::array<char, 16> got{};
        const UniqueFd file(::openat(copies[1].get(), "got", O_RDONLY | O_CLOEXEC));
        QCOMPARE(::read(file.get(), got.data(), got.size()), ssize_t(6));
        QCOMPARE(QByteArray(got.data()), QByteArray("given\n"));
        struct stat large = {};
        QCOMPARE(::fstatat(copies[0].get(), "large", &large, 0), 0);
        QVERIFY2(large.st_size < 16 * mebibyte, qPrintable(QString::number(large.st_size)));
    }

    void refusesWhatMustStayClosed_data()
    {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("says");
        QTest::newRow("everything") << u"/"_s << u"whole machine"_s;
        QTest::newRow("dots") << u"/var/tmp/../.."_s << u"whole machine"_s;
        QTest::newRow("home") << at(u"home"_s) << u"home folder"_s;
        QTest::newRow("above home") << m_room.path() << u"home folder"_s;
        for (const char *name : {".ssh", ".gnupg", ".config", ".config/app"})
            QTest::newRow(name) << at(u"home/"_s + QString::fromLatin1(name)) << u"keys and settings"_s;
        for (const char *path : {"/proc", "/proc/self/root/proc", "/proc/1/net", "/sys", "/sys/kernel", "/dev",
                                 "/dev/shm", "/dev/pts", "/run", "/var/run"})
            QTest::newRow(path) << QString::fromLatin1(path) << u"running system"_s;
        QTest::newRow("own data") << at(u"own"_s) << u"Glovebox keeps"_s;
        QTest::newRow("in own data") << at(u"own/store"_s) << u"Glovebox keeps"_s;
        QTest::newRow("missing") << at(u"nothing"_s) << u"There is no folder"_s;
        QTest::newRow("device") << u"/dev/null"_s << u"it is a device"_s;
        QTest::newRow("relative") << u"home/project"_s << u"not the name of a folder"_s;
        QTest::newRow("empty") << QString() << u"not the name of a folder"_s;
        QTest::newRow("NUL") << QString(at(u"home/project"_s) + QChar(0)) << u"not the name of a folder"_s;
        QTest::newRow("half a surrogate pair") << QString(at(u"x"_s) + QChar(0xd800)) << u"not the name of a folder"_s;
    }

    void refusesWhatMustStayClosed()
    {
        QFETCH(QString, path);
        QFETCH(QString, says);
        for (const Mode mode : {Mode::ReadOnly, Mode::Stage, Mode::ReadWrite})
            QVERIFY2(refusal(path, mode).contains(says), qPrintable(refusal(path, mode)));
        QCOMPARE(refusal(at(u"home/project"_s)), QString());
    }

    void followsLinksBeforeItLooks()
    {
        QVERIFY(QFile::link(at(u"home/.ssh"_s), at(u"innocent"_s)));
        QVERIFY2(refusal(at(u"innocent"_s)).contains(u"keys and settings"_s), qPrintable(refusal(at(u"innocent"_s))));
        QVERIFY(QFile::link(u"/"_s, at(u"root"_s)));
        QVERIFY(refusal(at(u"root"_s)).contains(u"whole machine"_s));
        QVERIFY(QFile::link(at(u"home/project"_s), at(u"project"_s)));
        const auto folder = openFolder({at(u"project"_s), u"/mnt/x"_s, Mode::ReadOnly}, own());
        QVERIFY(folder);
        QCOMPARE(folder->hostPath, at(u"home/project"_s));
        // ~/.config may itself be a link, and is closed all the same where it leads to
        QVERIFY(QDir(at(u"home/.gnupg"_s)).removeRecursively());
        QVERIFY(QFile::link(makeFolder(u"keyring"_s), at(u"home/.gnupg"_s)));
        QVERIFY(refusal(at(u"keyring"_s)).contains(u"keys and settings"_s));
    }

    void refusesWhatIsNoFolder()
    {
        QVERIFY(::mkfifo(QFile::encodeName(at(u"fifo"_s)).constData(), 0644) == 0);
        QVERIFY2(refusal(at(u"fifo"_s)).contains(u"it is a FIFO"_s), qPrintable(refusal(at(u"fifo"_s))));
        const UniqueFd listener = listenAt(at(u"socket"_s), SOCK_STREAM);
        QVERIFY2(refusal(at(u"socket"_s)).contains(u"it is a socket"_s), qPrintable(refusal(at(u"socket"_s))));
        makeFile(u"file"_s, "");
        QCOMPARE(refusal(at(u"file"_s)), QString());
        QVERIFY(refusal(at(u"file"_s), Mode::ReadWrite).contains(u"read-only"_s));
        QVERIFY(refusal(at(u"file"_s), Mode::Stage).contains(u"read-only"_s));
    }

    void showsItsOwnProgramsOnlyReadOnly()
    {
        QCOMPARE(refusal(at(u"programs"_s), Mode::ReadOnly), QString());
        QCOMPARE(refusal(at(u"programs"_s), Mode::Stage), QString());
        for (const char *name : {"programs", "programs/bin"})
            QVERIFY(refusal(at(QString::fromLatin1(name)), Mode::ReadWrite).contains(u"Glovebox's own programs"_s));
    }

    void refusesWhatWasChangedInBetween_data()
    {
        QTest::addColumn<QByteArray>("change"); // in the folder that holds parent/granted and other/granted
        QTest::newRow("removed") << QByteArray("rm -r parent/granted");
        QTest::newRow("made anew") << QByteArray("rm -r parent/granted && mkdir parent/granted");
        QTest::newRow("another") << QByteArray("mv parent/granted x && mv other/granted parent/granted");
        QTest::newRow("a link") << QByteArray("mv parent/granted x && ln -s ../other/granted parent/granted");
        QTest::newRow("a link to the same") << QByteArray("mv parent/granted x && ln -s ../x parent/granted");
        QTest::newRow("a link above") << QByteArray("mv parent x && ln -s other parent");
        QTest::newRow("a file") << QByteArray("rm -r parent/granted && touch parent/granted");
        QTest::newRow("moved") << QByteArray("mv parent/granted x");
    }

    void refusesWhatWasChangedInBetween()
    {
        QFETCH(QByteArray, change);
        const QTemporaryDir room(u"/var/tmp/glovebox-test-XXXXXX"_s);
        const auto shell = [&](const QByteArray &script) {
            return QProcess::execute(
                u"/bin/sh"_s, {u"-c"_s, u"chmod 755 \"$0\"; cd \"$0\"; "_s + QString::fromUtf8(script), room.path()});
        };
        QCOMPARE(
            shell(
                "mkdir -p parent/granted other/granted && echo good > parent/granted/a && echo bad > other/granted/a"),
            0);
        SealedSpec spec = specFor("cat /mnt/x/a", room.filePath(u"parent/granted"_s), Mode::ReadOnly);
        QCOMPARE(spec.assignment.granted.size(), 1);
        const auto before = runSealed(*m_backend, spec);
        QVERIFY(before);
        QCOMPARE(before->out, "good\n");
        QCOMPARE(shell(change), 0);
        const auto r = runSealed(*m_backend, spec);
        QVERIFY2(!r, r ? r->out.constData() : "");
        const QString sentence = r.error().message.english();
        QVERIFY2(sentence.contains(u"parent/granted"_s) && sentence.contains(u"Nothing was run"_s),
                 qPrintable(sentence));
    }

    // A swap in a loop, against the builder: a run sees the granted folder or doesn't start.
    void losesNoRaceAgainstSwaps()
    {
        const QTemporaryDir room(u"/var/tmp/glovebox-test-XXXXXX"_s);
        ::chmod(QFile::encodeName(room.path()).constData(), 0755);
        const QString granted = room.filePath(u"granted"_s);
        const QString other = room.filePath(u"other"_s);
        for (const QString &folder : {granted, other}) {
            QVERIFY(QDir().mkpath(folder));
            QFile file(folder + u"/a"_s);
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(folder == granted ? "good" : "bad") > 0);
        }
        const SealedSpec spec = specFor("cat /mnt/x/a", granted, Mode::ReadOnly);
        std::jthread swapper([a = QFile::encodeName(granted), b = QFile::encodeName(other)](std::stop_token stop) {
            while (!stop.stop_requested()) {
                ::renameat2(AT_FDCWD, a.constData(), AT_FDCWD, b.constData(), RENAME_EXCHANGE);
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
        });
        int shown = 0;
        int refused = 0;
        for (int i = 0; i < 60; ++i) {
            const auto r = runSealed(*m_backend, spec);
            QVERIFY2(!r || r->out == "good", r ? r->out.constData() : "");
            ++(r ? shown : refused);
        }
        QVERIFY2(shown > 0 && refused > 0, qPrintable(u"%1 shown, %2 refused"_s.arg(shown).arg(refused)));
    }

    void connectsToNoSocketThere()
    {
        const QString folder = makeFolder(u"sockets"_s);
        const UniqueFd stream = listenAt(folder + u"/stream"_s, SOCK_STREAM);
        const UniqueFd datagram = listenAt(folder + u"/datagram"_s, SOCK_DGRAM);
        const QByteArray attempts =
            "import socket, sys\n"
            "def attempt(f):\n"
            "    try: f(); print('reached')\n"
            "    except OSError as e: print(e.errno)\n"
            "def stream():\n"
            "    socket.socket(socket.AF_UNIX).connect(sys.argv[1] + '/stream')\n"
            "def datagram():\n"
            "    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', sys.argv[1] + '/datagram')\n"
            "def pair(kind, name):\n"
            "    socket.socketpair(socket.AF_UNIX, kind)[0].sendto(b'x', sys.argv[1] + name)\n"
            "attempt(stream)\n"
            "attempt(datagram)\n"
            "attempt(lambda: pair(socket.SOCK_DGRAM, '/datagram'))\n"
            "attempt(lambda: pair(socket.SOCK_RAW, '/datagram'))\n"
            "attempt(lambda: pair(socket.SOCK_SEQPACKET, '/datagram'))\n"
            "a, b = socket.socketpair(); a.send(b'still there')\n";
        // The same attempts from the host reach them: else this proves nothing.
        QProcess outside;
        outside.start(u"python3"_s, {u"-c"_s, QString::fromUtf8(attempts), folder});
        QVERIFY(outside.waitForFinished());
        const QByteArray reached = outside.readAllStandardOutput();
        QVERIFY2(reached.startsWith("reached\nreached\nreached\n"), reached + outside.readAllStandardError());
        while (arrivedAt(datagram) || arrivedAt(stream)) { }

        SealedSpec spec = specFor("exec python3 attempts.py /mnt/x", folder, Mode::ReadOnly);
        spec.assignment.files.append({"attempts.py", attempts});
        const auto r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QCOMPARE(r->end.exitCode, std::optional(0));
        QVERIFY2(!r->out.contains("reached") || r->out.endsWith("reached\n"),
                 r->out + r->err); // a pair that talks to itself
        QVERIFY2(!arrivedAt(datagram) && !arrivedAt(stream), r->out);
    }

    void makesNoSetIdFile()
    {
        const QString folder = makeFolder(u"setid"_s);
        const QByteArray attempts =
            "import ctypes, os, stat\n"
            "os.chdir('/mnt/x'); os.umask(0); libc = ctypes.CDLL(None, use_errno=True)\n"
            "for bit in (stat.S_ISUID, stat.S_ISGID):\n"
            "    mode = 0o755 | bit\n"
            "    n = iter(range(100))\n"
            "    def made():\n"
            "        name = f'f{bit}-{next(n)}'; open(name, 'w').close(); return name\n"
            "    for f in (lambda: os.chmod(made(), mode), lambda: os.chmod(os.open(made(), os.O_RDWR), mode),\n"
            "              lambda: os.chmod(made(), mode, dir_fd=os.open('.', os.O_RDONLY)),\n"
            "              lambda: os.open(f'o{bit}', os.O_CREAT | os.O_WRONLY, mode),\n"
            "              lambda: os.link('/proc/self/fd/%d' % os.open('.', os.O_TMPFILE | os.O_WRONLY, mode), "
            "f't{bit}'),\n"
            "              lambda: os.mkdir(f'd{bit}', mode), lambda: os.mknod(f'n{bit}', mode | stat.S_IFREG),\n"
            "              lambda: os.chmod(os.open(made(), os.O_RDWR), mode | 1 << 20)):\n"
            "        try: f()\n"
            "        except OSError as e: pass\n"
            "    name = made().encode()\n"
            "    libc.syscall(2, f's{bit}'.encode(), os.O_CREAT | os.O_WRONLY, ctypes.c_long(mode | 1 << 40))\n" // open
            "    libc.syscall(85, f'c{bit}'.encode(), mode)\n" // creat
            "    libc.syscall(90, name, ctypes.c_long(mode | 1 << 40))\n" // chmod
            "    libc.syscall(452, -100, name, mode, 0)\n" // fchmodat2
            "    how = (ctypes.c_ulonglong * 3)(os.O_CREAT | os.O_WRONLY, mode, 0)\n"
            "    libc.syscall(437, -100, f'h{bit}'.encode(), how, 24)\n" // openat2
            "open('done', 'w').close(); os.chmod('done', 0o755)\n";
        SealedSpec spec = specFor("exec python3 attempts.py", folder, Mode::ReadWrite);
        spec.assignment.files.append({"attempts.py", attempts});
        const auto r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QVERIFY2(QFile::exists(folder + u"/done"_s), r->err);
        const QFileInfoList found = QDir(folder).entryInfoList(QDir::NoDotAndDotDot | QDir::AllEntries);
        QVERIFY(found.size() > 10);
        for (const QFileInfo &entry : found) {
            struct stat info = {};
            QCOMPARE(::lstat(QFile::encodeName(entry.filePath()).constData(), &info), 0);
            QVERIFY2(!(info.st_mode & (S_ISUID | S_ISGID)), qPrintable(entry.filePath()));
        }
    }

    void plantsNoSocketDeviceOrFifo()
    {
        // Asks for the version (landlock_create_ruleset(2)).
        if (::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) < 1)
            QSKIP("This kernel has no Landlock, which keeps them out.");
        const QString folder = makeFolder(u"nodes"_s);
        const auto r = runSealed(*m_backend, specFor("", folder, Mode::ReadWrite));
        QVERIFY(r);
        const auto landlock = std::ranges::find(r->controls, ControlId::Landlock, &Control::id);
        QVERIFY(landlock != r->controls.end());
        QCOMPARE(toString(landlock->state), u"verified"_s);
        outputOf("cd /mnt/x; mkfifo fifo; mknod null c 1 3; mknod white c 0 0; "
                 "python3 -c 'import os, stat; os.mknod(\"socket\", stat.S_IFSOCK | 0o644)'; touch file",
                 folder, Mode::ReadWrite);
        QCOMPARE(QDir(folder).entryList(QDir::NoDotAndDotDot | QDir::AllEntries | QDir::System),
                 QStringList{u"file"_s});
    }

    void givesASentenceWhenTheRunsUserMayNot()
    {
        const bool isRoot = ::geteuid() == 0; // whose runs belong to somebody else
        const QString folder = makeFolder(u"private"_s);
        makeFolder(u"private/inner"_s);
        const auto setMode = [&](mode_t mode) { return ::chmod(QFile::encodeName(folder).constData(), mode) == 0; };
        QVERIFY(setMode(isRoot ? 0700 : 0));
        QVERIFY2(outputOf("echo ran", folder).contains("may not read " + QFile::encodeName(folder)),
                 outputOf("", folder));
        if (isRoot)
            QVERIFY2(outputOf("echo ran", folder + u"/inner"_s).contains("may not read"), "inner");
        else
            QVERIFY2(refusal(folder + u"/inner"_s).contains(u"You may not open"_s), "inner");
        QVERIFY(setMode(isRoot ? 0755 : 0555));
        QVERIFY2(outputOf("echo ran", folder, Mode::ReadWrite).contains("may not write"),
                 outputOf("", folder, Mode::ReadWrite));
        QCOMPARE(outputOf("echo ran", folder), "ran\n");
        QVERIFY(setMode(0755));
    }

    void liesOverNothingThatTheLanguageNeeds()
    {
        const QString runtime = makeFolder(u"runtime/python"_s);
        SealedSpec spec = shellSpec("");
        spec.shape.folders = {runtime};
        for (const QString &place : {runtime, at(u"runtime"_s), runtime + u"/lib"_s}) {
            const auto opened = openFolder({at(u"home/project"_s), place, Mode::ReadOnly}, own());
            QVERIFY(opened);
            spec.assignment.granted = {*opened};
            const auto r = runSealed(*m_backend, spec);
            QVERIFY(!r);
            QVERIFY2(r.error().message.english().contains(u"which the language needs"_s),
                     qPrintable(r.error().message.english()));
        }
    }

private:
    static UniqueFd listenAt(const QString &path, int type)
    {
        UniqueFd fd(::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        sockaddr_un address{.sun_family = AF_UNIX};
        qstrncpy(address.sun_path, QFile::encodeName(path).constData(), sizeof address.sun_path);
        if (::bind(fd.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0
            || (type == SOCK_STREAM && ::listen(fd.get(), 8) != 0))
            qFatal("A socket can't be made.");
        ::chmod(address.sun_path, 0777);
        return fd;
    }

    static bool arrivedAt(const UniqueFd &fd)
    {
        char byte = 0;
        const UniqueFd accepted(::accept4(fd.get(), nullptr, nullptr, SOCK_CLOEXEC));
        return accepted.isValid() || ::recv(fd.get(), &byte, 1, MSG_DONTWAIT) > 0;
    }
};

QTEST_GUILESS_MAIN(TestGrantedFolders)
#include "tst_grantedfolders.moc"
