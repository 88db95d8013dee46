// SPDX-License-Identifier: Apache-2.0
// Which builder is taken when one of them can't work, and what a person is told when none can. Each machine that is missing
// something is made for real: this program starts itself again, takes it away from itself, and runs something sealed.
#include "sealed.h"

#include "engine/sandbox/native/mounts/mounttable.h"
#include "engine/sandbox/native/native.h"
#include "engine/sandbox/native/probe/builderchoice.h"
#include "engine/sandbox/native/probe/remedies.h"

#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <future>
#include <span>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

bool loadFilter(std::span<sock_filter> steps)
{
    const sock_fprog program{static_cast<unsigned short>(steps.size()), steps.data()};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// The direct builder's mounts fail, long after it has made its namespaces; bwrap makes them by mount(2).
bool refuseNewMounts()
{
    sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsopen, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    return loadFilter(steps);
}

// A container, or a service with RestrictNamespaces=.
bool refuseNamespacesByFilter()
{
    sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)), // the low half: little-endian
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    return loadFilter(steps);
}

bool write(const char *path, const QByteArray &text)
{
    QFile file(QString::fromLatin1(path));
    return file.open(QIODevice::WriteOnly | QIODevice::Unbuffered) && file.write(text) == text.size();
}

// A machine whose administrator switched user namespaces off.
bool refuseUserNamespaces()
{
    if (::geteuid() == 0 && (::setresgid(61184, 61184, 61184) != 0 || ::setresuid(61184, 61184, 61184) != 0))
        return false;
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
    const QByteArray uid = QByteArray::number(::geteuid());
    return ::unshare(CLONE_NEWUSER) == 0 && write("/proc/self/uid_map", uid + ' ' + uid + " 1")
           && write("/proc/sys/user/max_user_namespaces", "0");
}

// A machine whose users don't see each other's processes (proc(5), hidepid). Takes root.
bool hideProcesses()
{
    return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0
           && ::mount("proc", "/proc", "proc", 0, "hidepid=2") == 0;
}

NativeOptions with(const QString &bubblewrap)
{
    return {.only = {}, .bubblewrap = bubblewrap};
}

void say(const char *what, const QString &text)
{
    std::printf("%s: %s\n", what, qPrintable(text));
}

QElapsedTimer startedTimer()
{
    QElapsedTimer timer;
    timer.start();
    return timer;
}

// In the process that lacks something: argv is its name and the path of bwrap.
int runLacking(const QByteArray &lack, const QString &bubblewrap)
{
    if ((lack.startsWith("new-mounts") && !refuseNewMounts()) || (lack == "user-namespaces" && !refuseUserNamespaces())
        || (lack == "namespaces-by-filter" && !refuseNamespacesByFilter())
        || (lack == "processes-of-others" && !hideProcesses())) {
        std::perror("can't take it away");
        return 1;
    }
    NativeOptions options = with(bubblewrap);
    options.leaves = lack != "processes-of-others"; // which the spawner must count, then
    const auto backend = makeNativeBackend(QStringLiteral(GLOVEBOX_LIBEXEC), u"choice"_s, options);
    if (lack == "new-mounts-and-waits") {
        SealedSpec spec = shellSpec("echo sealed");
        spec.assignment.mayBeWarm = true;
        backend->keepWarm({.memoryIsLow = [] { return false; }});
        backend->expect(spec.shape);
        for (QElapsedTimer timer = startedTimer(); backend->waiting() == 0 && timer.elapsed() < 10'000;)
            ::usleep(5000);
        say("waits", backend->waiting() > 0 ? backend->builder() : u"nothing"_s);
        const auto launched = launchIn(*backend, spec);
        say("warm", launched && (*launched)->isWarm() ? u"yes"_s : u"no"_s);
        return 0;
    }
    if (lack == "processes-of-others") {
        SealedSpec spec = shellSpec("for i in 1 2 3; do while :; do :; done & done; wait");
        spec.shape.limits.cpu = std::chrono::seconds(1);
        const Result<SealedOutcome> outcome = runSealed(*backend, spec);
        say("counted", outcome && outcome->end.cpuExhausted ? u"yes"_s : u"no"_s);
    }
    say("before", backend->builder());
    for (int i = 0; i < 2; ++i) {
        const Result<SealedOutcome> outcome = runSealed(*backend, shellSpec("echo sealed"));
        say("run", outcome ? QString::fromUtf8(outcome->out.trimmed()) : outcome.error().message.english());
        say("after", backend->builder());
    }
    for (const BackendReport &report : backend->probeBuilders())
        say(qPrintable(report.builder), report.usable ? u"usable"_s : report.reason.english());
    return 0;
}

QByteArray outputLacking(const QByteArray &lack, const QString &bubblewrap = u"/usr/bin/bwrap"_s)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(QCoreApplication::applicationFilePath(), {u"--lacking"_s, QString::fromLatin1(lack), bubblewrap});
    process.waitForFinished();
    return process.readAll();
}

} // namespace

class TestBuilderChoice : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // The list is kept until it changes.
    void noticesWhatIsMountedMeanwhile()
    {
        if (::geteuid() != 0)
            QSKIP("Only root can mount something.");
        const QTemporaryDir folder;
        const std::string place = QFile::encodeName(folder.path()).toStdString();
        const auto isThere = [&] {
            return std::ranges::any_of(*native::readMounts(), [&](const auto &mount) { return mount.point == place; });
        };
        QVERIFY(!isThere());
        QCOMPARE(::mount("none", place.c_str(), "tmpfs", 0, nullptr), 0);
        const bool wasNoticed = isThere();
        QCOMPARE(::umount(place.c_str()), 0);
        QVERIFY(wasNoticed);
        QVERIFY(!isThere());
    }

    void whatIsExpectedBeforeTheFirstRunIsBuiltByWhoeverCan()
    {
        QCOMPARE(outputLacking("new-mounts-and-waits"), "waits: bwrap\nwarm: yes\n"_ba);
    }

    // Who shows the reason shows no remedy beside it then.
    void aReasonThatHasTheRemedySaysSo()
    {
        const auto explained = [](launcher::Stage stage, int error) {
            launcher::SetupError failure;
            failure.stage = stage;
            failure.error = error;
            return native::explainSetupError(failure);
        };
        const Error refused = explained(launcher::Stage::Clone, EPERM);
        QVERIFY(refused.saysRemedy);
        QCOMPARE(refused.message.args, QStringList{native::userNamespaceRemedy().english()});
        QVERIFY(explained(launcher::Stage::BubblewrapMissing, 0).saysRemedy);
        QVERIFY(!explained(launcher::Stage::BubblewrapSetuid, 0).saysRemedy);
        QVERIFY(!explained(launcher::Stage::OpenTree, EIO).saysRemedy);
        const Advice install = native::builderRemedy(NativeBuilder::Bubblewrap, u"/no/such/bwrap"_s);
        QCOMPARE(install.command, native::installCommand(u"bubblewrap"_s));
        QVERIFY(install.english().contains(install.command));
        if (isInUserNamespace())
            return; // which is then the reason
        for (const bool isToo : {false, true}) {
            native::BuilderChoice choice({});
            const BackendReport report = choice.probe([&](NativeBuilder builder) {
                const bool isDirect = builder == NativeBuilder::Direct;
                return BackendReport{.reason = isDirect ? Text("No. Do it.") : Text("Neither."),
                                     .remedy =
                                         isDirect ? Advice(Text("Do it.")) : Advice(Text("Install it."), u"get it"_s),
                                     .isRemedyInReason = isDirect || isToo};
            });
            QCOMPARE(report.isRemedyInReason, isToo);
            QCOMPARE(report.remedy.english(), u"Do it. (Install it.)"_s);
            QCOMPARE(report.remedy.command, u"get it"_s);
        }
    }

    void noLaunchWaitsForALookAtTheBuilders()
    {
        native::BuilderChoice choice({});
        std::promise<void> looks, goesOn;
        const auto hangs = [&](NativeBuilder) {
            looks.set_value();
            goesOn.get_future().wait();
            return BackendReport{.usable = true};
        };
        auto look = std::async(std::launch::async, [&] { return choice.probe(hangs); });
        looks.get_future().wait();
        auto launch = std::async(std::launch::async, [&] {
            return choice.launch([](NativeBuilder) { return std::unique_ptr<SealedProcess>(); }, {}).has_value();
        });
        const auto state = launch.wait_for(std::chrono::seconds(3));
        goesOn.set_value();
        QCOMPARE(state, std::future_status::ready);
        QVERIFY(launch.get() && look.get().usable);
    }

    void aLaunchThatWaitsForTheChoiceCanBeStopped()
    {
        native::BuilderChoice choice({});
        std::promise<void> tries, goesOn;
        const auto fails = [](NativeBuilder) -> Result<std::unique_ptr<SealedProcess>> {
            return fail(ErrorCode::Unsupported, Text("no"));
        };
        auto first = std::async(std::launch::async, [&] {
            return choice.launch(fails, [&, looks = 0](NativeBuilder) mutable {
                if (++looks == 1) {
                    tries.set_value();
                    goesOn.get_future().wait();
                }
                return BackendReport();
            });
        });
        tries.get_future().wait();
        std::stop_source stop;
        auto second = std::async(std::launch::async, [&] {
            return choice.launch(fails, [](NativeBuilder) { return BackendReport(); }, stop.get_token()).error().code;
        });
        QCOMPARE(second.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
        stop.request_stop();
        const auto state = second.wait_for(std::chrono::seconds(2));
        goesOn.set_value();
        QVERIFY(!first.get());
        QCOMPARE(state, std::future_status::ready);
        QCOMPARE(second.get(), ErrorCode::Cancelled);
    }

    void takesTheDirectBuilderAndNeverLooksAtTheOther()
    {
        const QByteArray said = outputLacking("nothing", u"/no/bwrap"_s);
        QVERIFY2(said.startsWith("before: \nrun: sealed\nafter: direct\nrun: sealed\nafter: direct\ndirect: usable\n"
                                 "bwrap: bubblewrap, which can seal code off as well, is not installed (/no/bwrap)"),
                 said);
    }

    void takesBwrapWhenALaterStepOfTheDirectOneFails()
    {
        const QByteArray said = outputLacking("new-mounts");
        QVERIFY2(said.startsWith("before: \nrun: sealed\nafter: bwrap\nrun: sealed\nafter: bwrap\ndirect: The sandbox"),
                 said);
        QVERIFY2(said.endsWith("bwrap: usable\n"), said);
    }

    void refusesWhenTheOtherIsMissingAndSaysWhatToInstall()
    {
        const QByteArray said = outputLacking("new-mounts", u"/no/bwrap"_s);
        QVERIFY2(said.contains("\nrun: The sandbox could not be built (fsopen tmpfs: Operation not permitted)"), said);
        QVERIFY2(said.contains("install bubblewrap)\nafter: \n"), said);
        QVERIFY2(!said.contains("run: sealed"), said);
    }

    void countsWhereProcessesAreHidden()
    {
        if (::geteuid() != 0)
            QSKIP("Only root can mount a /proc that hides processes.");
        const QByteArray said = outputLacking("processes-of-others", u"/no/bwrap"_s);
        QVERIFY2(said.startsWith("counted: yes\nbefore: direct\nrun: sealed\nafter: direct\n"), said);
    }

    void refusesWithoutUserNamespacesAndSaysHowToAllowThem()
    {
        const QByteArray said = outputLacking("user-namespaces");
        QVERIFY2(
            said.contains(
                "\nrun: This machine doesn't let Glovebox make user namespaces, so nothing was run. An "
                "administrator can allow them: sudo sysctl user.max_user_namespaces=15000 (until the next boot; to "
                "keep it, put user.max_user_namespaces=15000 into /etc/sysctl.d/60-glovebox.conf)."),
            said);
        QVERIFY2(!said.contains("run: sealed"), said);
    }

    void refusesInAContainerAndSaysToRunOutsideOfIt()
    {
        const QByteArray said = outputLacking("namespaces-by-filter");
        QVERIFY2(
            said.contains("\nrun: This machine doesn't let Glovebox make user namespaces, so nothing was run. If this "
                          "is inside a container, run Glovebox outside of it. (bubblewrap isn't let make user "
                          "namespaces on this machine."),
            said);
        QVERIFY2(!said.contains("run: sealed"), said);
    }

    void usesNoBwrapThatSomebodyCouldHaveChanged_data()
    {
        QTest::addColumn<int>("mode");
        QTest::addColumn<bool>("owned"); // by root
        QTest::addColumn<QByteArray>("sentence");
        QTest::newRow("somebody else's") << 0755 << false << QByteArray("could have been changed by somebody other");
        if (::geteuid() != 0) // nobody else can make a program of root's
            return;
        QTest::newRow("writable by all") << 0757 << true << QByteArray("could have been changed by somebody other");
        QTest::newRow("setuid") << 04755 << true << QByteArray("runs as root (it is setuid)");
        QTest::newRow("setgid") << 02755 << true << QByteArray("runs as root (it is setuid)");
    }

    void usesNoBwrapThatSomebodyCouldHaveChanged()
    {
        QFETCH(int, mode);
        QFETCH(bool, owned);
        QFETCH(QByteArray, sentence);
        const QTemporaryDir folder(u"/var/tmp/glovebox-test-XXXXXX"_s);
        const QString path = folder.filePath(u"bwrap"_s);
        QVERIFY(::chmod(QFile::encodeName(folder.path()).constData(), 0755) == 0);
        QVERIFY(QFile::copy(u"/usr/bin/bwrap"_s, path));
        if (!owned && ::geteuid() == 0)
            QVERIFY(::chown(QFile::encodeName(path).constData(), 65534, 65534) == 0);
        QVERIFY(::chmod(QFile::encodeName(path).constData(), static_cast<mode_t>(mode)) == 0);
        const auto backend = makeNativeBackend(QStringLiteral(GLOVEBOX_LIBEXEC), u"foreign"_s,
                                               {.only = NativeBuilder::Bubblewrap, .bubblewrap = path});
        const Result<SealedOutcome> outcome = runSealed(*backend, shellSpec("echo ran"));
        QVERIFY(!outcome);
        QCOMPARE(outcome.error().code, ErrorCode::Unsupported);
        QVERIFY2(outcome.error().message.english().contains(QString::fromUtf8(sentence)),
                 qPrintable(outcome.error().message.english()));
    }

    // The distribution's own, but nothing that builds sandboxes.
    void startsNoOtherProgramAsBwrap()
    {
        const auto backend = makeNativeBackend(QStringLiteral(GLOVEBOX_LIBEXEC), u"other"_s,
                                               {.only = NativeBuilder::Bubblewrap, .bubblewrap = u"/usr/bin/env"_s});
        const Result<SealedOutcome> outcome = runSealed(*backend, shellSpec("echo ran"));
        QVERIFY(!outcome);
        QVERIFY2(outcome.error().message.english().contains(u"/usr/bin/env could have been changed"_s),
                 qPrintable(outcome.error().message.english()));
    }

    void saysWhatIsWeakerUnderBwrap()
    {
        const auto backend =
            makeNativeBackend(QStringLiteral(GLOVEBOX_LIBEXEC), u"weaker"_s, {.only = NativeBuilder::Bubblewrap});
        const BackendReport report = backend->probe();
        QVERIFY2(report.usable, qPrintable(report.reason.english()));
        QCOMPARE(report.builder, u"bwrap"_s);
        const auto disk = std::ranges::find(report.controls, ControlId::Disk, &Control::id);
        QVERIFY(disk != report.controls.end());
        QVERIFY(disk->state == Control::State::Degraded);
        QCOMPARE(disk->detail.english(), u"256 MB, no limit on the number of files"_s);
        // What is the builder's own doing has one way out; /dev/fuse is none.
        for (const ControlId id : {ControlId::Disk, ControlId::DenialEvents}) {
            const QString remedy = report.remedies.value(id).english();
            QVERIFY2(remedy.startsWith(
                         u"bubblewrap builds sandboxes here, and lacks this protection. Glovebox's own builder "
                         "has it, where it may make user namespaces. "_s)
                         && !remedy.contains("/dev/fuse"_L1),
                     qPrintable(remedy));
        }
    }
};

int main(int argc, char **argv)
{
    if (argc == 4 && QByteArrayView(argv[1]) == "--lacking")
        return runLacking(argv[2], QString::fromLocal8Bit(argv[3]));
    QCoreApplication application(argc, argv);
    TestBuilderChoice test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_builderchoice.moc"
