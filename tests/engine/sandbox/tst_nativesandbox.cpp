// SPDX-License-Identifier: Apache-2.0
// The native sandbox, for real: what a run sees, what it can't do, and how it ends.
#include "sealed.h"

#include "engine/base/system/oserror.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestNativeSandbox : public QObject
{
    Q_OBJECT

private:
    std::unique_ptr<Backend> m_backend = backendUnderTest(u"test"_s);

    QByteArray outputOf(const QByteArray &script)
    {
        const Result<SealedOutcome> r = runSealed(*m_backend, shellSpec(script));
        return r ? r->out + r->err : r.error().message.english().toUtf8() + ": " + r.error().detail.english().toUtf8();
    }

private Q_SLOTS:
    void runsAProgramAndReportsItsStatus()
    {
        const Result<SealedOutcome> r = runSealed(*m_backend, shellSpec("echo out; echo err >&2; exit 3"));
        QVERIFY2(r, qPrintable(r ? QString() : r.error().message.english() + r.error().detail.english()));
        QCOMPARE(r->out, "out\n");
        QCOMPARE(r->err, "err\n");
        QCOMPARE(r->end.exitCode, std::optional(3));
        QVERIFY(r->end.usage.cpu.has_value());
        QVERIFY(r->end.usage.peakMemoryBytes.value_or(0) > 500'000); // pages of files count for whoever read them first
    }

    void tellsThatItsProgramHasEnded()
    {
        const Result<std::unique_ptr<SealedProcess>> process = launchIn(*m_backend, shellSpec("read -r line"));
        QVERIFY(process);
        QVERIFY((*process)->start());
        QVERIFY(!(*process)->takeEnd() && !(*process)->hasProgramEnded());
        (*process)->takeStdin().reset();
        QCOMPARE(endOf(**process).exitCode, std::optional(1));
        QVERIFY((*process)->hasProgramEnded());
    }

    void everyMustControlIsVerified()
    {
        const Result<SealedOutcome> r = runSealed(*m_backend, shellSpec(""));
        QVERIFY(r);
        const QList<ControlId> verified{ControlId::UserNamespace,
                                        ControlId::MountNamespace,
                                        ControlId::PidNamespace,
                                        ControlId::NetworkNamespace,
                                        ControlId::IpcNamespace,
                                        ControlId::RootFilesystem,
                                        ControlId::OwnProc,
                                        ControlId::UnprivilegedUser,
                                        ControlId::NoNewPrivileges,
                                        ControlId::Capabilities,
                                        ControlId::NestedUserNamespaces,
                                        ControlId::Seccomp,
                                        ControlId::Network,
                                        ControlId::TreeKill,
                                        ControlId::Processes};
        for (const ControlId id : verified) {
            const auto control = std::ranges::find(r->controls, id, &Control::id);
            QVERIFY2(control != r->controls.end(), qPrintable(toString(id)));
            QVERIFY2(control->state == Control::State::Verified,
                     qPrintable(toString(id) + u": "_s + control->detail.english()));
        }
    }

    void seesOnlyItself()
    {
        const QByteArray out = outputOf("ps -e -o comm= ; find / /run -mindepth 1 -maxdepth 1 ! -type l -printf "
                                        "'%p\\n'; id -u; id -un; hostname; pwd; echo $HOME");
        QVERIFY2(out.startsWith("glovebox-init\nbash\nps\n"), out);
        for (const char *hidden : {"\n/root\n", "\n/home\n", "/sys\n", "/mnt\n", "/boot\n", "systemd"})
            QVERIFY2(!out.contains(hidden), out);
        QVERIFY2(out.endsWith("1000\nsandbox\nglovebox\n/work\n/run/home\n"), out);
        QCOMPARE(outputOf("tr -d '\\0' < /proc/1/cmdline"), QByteArray("glovebox-init")); // not a path of the host's
    }

    void readsNothingOfTheHosts_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::newRow("shadow") << QByteArray("cat /etc/shadow");
        QTest::newRow("home") << QByteArray("ls /root /home/* 2>&1 | grep . && exit 1");
        QTest::newRow("through init") << QByteArray("ls /proc/1/root/");
        QTest::newRow("through init's cwd") << QByteArray("ls /proc/1/cwd/");
        QTest::newRow("init's memory") << QByteArray("head -c 1 /proc/1/mem");
        QTest::newRow("init's descriptors") << QByteArray("ls /proc/1/fd");
        QTest::newRow("canary") << QByteArray("cat /run/canary");
        QTest::newRow("write /usr") << QByteArray("touch /usr/x");
        QTest::newRow("write /etc") << QByteArray("touch /etc/x");
        QTest::newRow("write /") << QByteArray("touch /x");
        QTest::newRow("mount") << QByteArray("mount -t tmpfs none /tmp");
        QTest::newRow("remount") << QByteArray("mount -o remount,rw /usr");
        QTest::newRow("unmount what is watched") << QByteArray("umount /run/watched");
        QTest::newRow("write to what is watched")
            << QByteArray("touch /run/watched/x || touch /root/x || mkdir /home/x");
        QTest::newRow("answer for what is watched") << QByteArray(": < /dev/fuse");
        QTest::newRow("connections of FUSE") << QByteArray("ls /sys/fs/fuse/connections");
        QTest::newRow("unshare") << QByteArray("unshare -U true");
        QTest::newRow("mknod") << QByteArray("mknod /tmp/sda b 8 0");
        QTest::newRow("loopback connection") << QByteArray("exec 3<>/dev/tcp/127.0.0.1/22");
        QTest::newRow("name lookup") << QByteArray("getent hosts example.org");
        QTest::newRow("kill init") << QByteArray("kill -9 1; sleep 0.05; [ ! -d /proc/1 ]");
    }

    void readsNothingOfTheHosts()
    {
        QFETCH(QByteArray, script);
        const Result<SealedOutcome> r = runSealed(*m_backend, shellSpec(script));
        QVERIFY(r);
        QVERIFY2(r->end.exitCode.value_or(0) != 0, r->out + r->err);
    }

    // As everybody gets who is not root; the kernel's own answer for users that a namespace doesn't know is EINVAL.
    void isToldAsOthersThatItIsNotRoot()
    {
        QCOMPARE(
            outputOf("touch file; exec python3 - <<'E'\n"
                     "import os\n"
                     "for deed in (lambda: os.setuid(0), lambda: os.setgid(1), lambda: os.setreuid(-1, 1001), lambda: "
                     "os.setresgid(1000, -1, 65534), lambda: os.chown('file', 0, -1), lambda: os.chown('file', -1, 5), "
                     "lambda: os.setgroups([1000]), lambda: os.setuid(1000), lambda: os.setresuid(-1, 1000, -1), "
                     "lambda: os.chown('file', 1000, 1000), lambda: os.chown('file', -1, -1)):\n"
                     "    try: deed(); print('done')\n"
                     "    except OSError as error: print(error.errno)\n"
                     "E\n"),
            QByteArray("1\n").repeated(7) + QByteArray("done\n").repeated(4));
    }

    // Which machine this is, and what it is made of. What programs need to know of it is there.
    void readsNothingOfTheMachines()
    {
        const QByteArray hidden =
            "keys key-users cmdline config.gz sys/kernel/random/boot_id interrupts softirqs modules "
            "kallsyms iomem ioports diskstats mdstat partitions";
        QCOMPARE(outputOf("cd /proc; for file in " + hidden + "; do [ ! -e $file ] || cat $file; done"), QByteArray());
        QCOMPARE(outputOf("cd /proc; for folder in acpi asound bus driver fs irq scsi; do "
                          "[ ! -e $folder ] || ls -A $folder; done"),
                 QByteArray());
        QCOMPARE(
            outputOf("cd /proc; for file in cpuinfo meminfo stat uptime loadavg version filesystems self/status "
                     "sys/kernel/pid_max sys/kernel/random/uuid; do [ -n \"$(head -c 1 $file)\" ] || echo $file; done"),
            QByteArray());
    }

    void hasAWritablePlaceOfItsOwn()
    {
        QCOMPARE(
            outputOf("echo a > /work/a; echo b > /tmp/b; echo c > /dev/shm/c; cat /work/a /tmp/b /dev/shm/c; ls /work"),
            "a\nb\nc\na\nmain.sh\n");
        QCOMPARE(outputOf("ls /work /tmp /dev/shm"), "/dev/shm:\n\n/tmp:\n\n/work:\nmain.sh\n");
    }

    void boundsTheDisk()
    {
        SealedSpec spec =
            shellSpec("head -c 3M /dev/zero > /tmp/a; head -c 3M /dev/zero > /work/b; cat /tmp/a /work/b | wc -c");
        spec.shape.workspace = Tmpfs{4 * mebibyte};
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QVERIFY2(r->out.trimmed().toLongLong() <= 4 * mebibyte, r->out);
        QVERIFY2(r->err.contains("No space left"), r->err);
    }

    void boundsTheProcesses()
    {
        // Bash would try again for seconds.
        SealedSpec spec = shellSpec("exec sh -c 'for i in $(seq 50); do sleep 5 & done'");
        spec.shape.limits.processes = 10;
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QVERIFY2(r->err.contains("Cannot fork") || r->err.contains("Resource temporarily unavailable"),
                 r->out + r->err);
    }

    void boundsTheProcessorTime()
    {
        SealedSpec spec = shellSpec("while :; do :; done");
        spec.shape.limits.cpu = std::chrono::seconds(1);
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QVERIFY(r->end.cpuExhausted);
    }

    void endsAtItsDeadlineWhateverItIgnores()
    {
        SealedSpec spec = shellSpec("trap '' TERM INT HUP; setsid sleep 60 & while :; do sleep 1; done");
        spec.assignment.wall = std::chrono::milliseconds(500);
        const auto process = launchIn(*m_backend, spec);
        QVERIFY(process);
        QElapsedTimer timer;
        timer.start();
        QVERIFY((*process)->start());
        const SandboxEnd end = endOf(**process);
        QVERIFY(end.atDeadline);
        QVERIFY(end.signal.has_value());
        QVERIFY2(timer.elapsed() >= 500 && timer.elapsed() < 750, qPrintable(QString::number(timer.elapsed())));
    }

    void takesDaemonsAlongWhenItsProgramEnds()
    {
        QElapsedTimer timer;
        timer.start();
        const Result<SealedOutcome> r =
            runSealed(*m_backend, shellSpec("setsid sleep 77 & (setsid sleep 78 &) ; exit 0"));
        QVERIFY(r);
        QCOMPARE(r->end.exitCode, std::optional(0));
        QVERIFY(timer.elapsed() < 2000);
        QVERIFY(outputOf("ps -e -o args=").count("sleep") == 0);
    }

    void passesCtrlCOn()
    {
        Result<std::unique_ptr<SealedProcess>> process = launchIn(
            *m_backend, shellSpec("trap 'echo got it; exit 7' INT; echo ready; while :; do sleep 0.05; done"), {});
        QVERIFY(process);
        const UniqueFd out = (*process)->takeStdout();
        QVERIFY((*process)->start());
        QVERIFY(waitUntilReadable(**process, out.get()));
        (*process)->interrupt();
        QCOMPARE(endOf(**process).exitCode, std::optional(7));
    }

    void inheritsNoDescriptorAndNoEnvironment()
    {
        qputenv("GLOVEBOX_TEST_CANARY", "host");
        QCOMPARE(outputOf("ls /proc/self/fd | tr '\\n' ' '"), "0 1 2 3 ");
        QVERIFY(!outputOf("env").contains("CANARY"));
    }

    void handsTheJobToItsDriver()
    {
        SealedSpec spec = shellSpec("head -c 5 <&3");
        spec.shape.hasDriver = true;
        spec.assignment.job = "hello";
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QCOMPARE(r->out, "hello");
    }

    void canOpenItsOwnStreams() { QCOMPARE(outputOf("echo hi > /dev/stderr; echo ho > /dev/stdout"), "ho\nhi\n"); }

    void connectsToNoSocketInAFolderThatItIsShown()
    {
        const QTemporaryDir folder(QStringLiteral("/var/tmp/glovebox-test-XXXXXX"));
        QVERIFY(QFile::setPermissions(folder.path(), QFile::Permissions(0x7755)));
        SealedSpec spec = shellSpec("ls -d " + folder.path().toUtf8()
                                    + "; python3 -c 'import socket; socket.socket(socket.AF_UNIX)'");
        spec.shape.folders = {folder.path()};
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY2(r, qPrintable(r ? QString() : r.error().message.english()));
        QCOMPARE(r->out.trimmed(), folder.path().toUtf8());
        QVERIFY2(r->err.contains("PermissionError"), r->err);
        QCOMPARE(outputOf("python3 -c 'import socket; socket.socket(socket.AF_UNIX); print(1)'"), "1\n");
    }

    void showsSupportFilesReadOnly()
    {
        SealedSpec spec = shellSpec("cat /run/glovebox/driver; echo x > /run/glovebox/driver");
        spec.shape.supportFiles = {{"driver", "text\n"}};
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY(r);
        QCOMPARE(r->out, "text\n");
        QVERIFY(r->end.exitCode != 0);
    }

    void saysWhatProgramCouldNotBeStarted_data()
    {
        QTest::addColumn<QByteArray>("content"); // none: there is no such file
        QTest::addColumn<int>("mode");
        QTest::addColumn<qsizetype>("argument");
        QTest::addColumn<int>("error");
        QTest::newRow("missing") << QByteArray() << 0 << qsizetype(0) << ENOENT;
        QTest::newRow("no right to execute") << QByteArray("#!/bin/sh\n") << 0644 << qsizetype(0) << EACCES;
        QTest::newRow("its interpreter is missing")
            << QByteArray("#!/no/interpreter\n") << 0755 << qsizetype(0) << ENOENT;
        // No shell is started in its place.
        QTest::newRow("no program") << QByteArray("echo ran\n") << 0755 << qsizetype(0) << ENOEXEC;
        QTest::newRow("too long an argument") << QByteArray("#!/bin/sh\n") << 0755 << qsizetype(1 << 20) << E2BIG;
    }

    void saysWhatProgramCouldNotBeStarted()
    {
        QFETCH(QByteArray, content);
        QFETCH(int, mode);
        QFETCH(qsizetype, argument);
        QFETCH(int, error);
        const QTemporaryDir folder(u"/var/tmp/glovebox-test-XXXXXX"_s);
        ::chmod(QFile::encodeName(folder.path()).constData(), 0755);
        const QByteArray path = QFile::encodeName(folder.filePath(u"program"_s));
        if (!content.isEmpty()) {
            QFile file(folder.filePath(u"program"_s));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
            ::chmod(path.constData(), mode_t(mode));
        }
        SealedSpec spec = shellSpec("");
        spec.shape.folders = {folder.path()};
        spec.shape.argv = {path};
        if (argument > 0)
            spec.assignment.arguments = {QByteArray(argument, 'x')};
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QVERIFY2(r, qPrintable(r ? QString() : r.error().message.english()));
        const QString said = r->end.notStarted.english();
        QVERIFY2(said.contains(QFile::decodeName(path)), qPrintable(said));
        QVERIFY2(said.contains(errnoText(error)), qPrintable(said));
        QTRY_COMPARE(busyProcesses().size(), 1); // the spawner
    }

    void refusesToRunWhenStrictAndNamesAllThatIsDegraded()
    {
        SealedSpec spec = shellSpec("echo ran");
        QStringList weak;
        const BackendReport report = m_backend->probe();
        for (const Control &control : report.controls) {
            if (control.state != Control::State::Verified && control.state != Control::State::Enforced)
                weak.append(toString(control.id));
        }
        spec.shape.strict = true;
        const Result<SealedOutcome> r = runSealed(*m_backend, spec);
        QCOMPARE(bool(r), weak.isEmpty());
        for (const QString &name : weak) {
            QVERIFY2(r.error().message.english().contains(name), qPrintable(r.error().message.english()));
            QVERIFY2(r.error().detail.english().contains(name + u" ("_s), qPrintable(r.error().detail.english()));
        }
    }

    void cancelsWhileBuilding()
    {
        std::stop_source stop;
        stop.request_stop();
        const auto r = launchIn(*m_backend, shellSpec("echo ran"), stop.get_token());
        QVERIFY(!r);
        QCOMPARE(r.error().code, ErrorCode::Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestNativeSandbox)
#include "tst_nativesandbox.moc"
