// SPDX-License-Identifier: Apache-2.0
// Nothing is drawn green that was not read back: each control is left out once, and that is seen.
#include "engine/sandbox/native/native.h"

#include "tests/support/controlgroups.h"

#include <QTest>

#include <poll.h>

#include <algorithm>
#include <thread>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestReadback : public QObject
{
    Q_OBJECT

private:
    // Nothing is made ahead: what is left out is known only by the plan. What init reads back: with the limits that it sets itself.
    std::unique_ptr<Backend> m_direct =
        makeNativeBackend(QStringLiteral(GLOVEBOX_OMITTING), u"direct"_s,
                          {.only = NativeBuilder::Direct, .ahead = false, .leaves = false});
    std::unique_ptr<Backend> m_bubblewrap =
        makeNativeBackend(QStringLiteral(GLOVEBOX_OMITTING), u"bwrap"_s,
                          {.only = NativeBuilder::Bubblewrap, .ahead = false, .leaves = false});
    // What the spawner reads back from outside, where this machine gives it cgroups.
    std::unique_ptr<Backend> m_counted = makeNativeBackend(QStringLiteral(GLOVEBOX_OMITTING), u"counted"_s,
                                                           {.only = NativeBuilder::Direct, .ahead = false});

    static Result<std::unique_ptr<SealedProcess>> launchWithout(Backend &backend, const QByteArray &step)
    {
        SandboxShape shape;
        shape.argv = {"/bin/true"};
        shape.limits.cpu = std::chrono::seconds(5);
        shape.limits.cpuPercent = 50;
        if (!step.isEmpty())
            shape.environment = {"GLOVEBOX_OMIT=" + step};
        return backend.launch(shape, {}, {});
    }

    static void row(const char *step, const char *control)
    {
        QTest::newRow(step) << QByteArray(step) << QByteArray(control);
    }

private Q_SLOTS:
    void verifiesWhenNothingIsLeftOut()
    {
        for (Backend *backend : {m_direct.get(), m_bubblewrap.get()}) {
            const auto process = launchWithout(*backend, {});
            QVERIFY2(process, qPrintable(process ? QString() : process.error().message.english()));
            for (const Control &control : (*process)->controls())
                QVERIFY2(control.state != Control::State::Missing, qPrintable(toString(control.id)));
        }
    }

    void refusesToRunWithout_data()
    {
        QTest::addColumn<QByteArray>("step");
        QTest::addColumn<QByteArray>("control");
        row("network namespace", "network-namespace");
        row("network namespace", "network");
        row("ipc namespace", "ipc-namespace");
        row("read-only root", "root-filesystem");
        row("read-only system", "root-filesystem");
        row("no set-id programs", "root-filesystem");
        row("covers of files", "root-filesystem");
        row("covers of folders", "root-filesystem");
        row("own proc", "own-proc");
        row("user of the run", "unprivileged-user");
        row("no new privileges", "no-new-privileges");
        row("bounding set", "capabilities");
        row("securebits", "capabilities");
        row("bound of user namespaces", "nested-user-namespaces");
        row("filters", "seccomp");
        row("bounds of inotify", "inotify");
        row("death with the launcher", "tree-kill");
        row("limit of processes", "processes");
        row("size of the disk", "disk");
        if (std::thread::hardware_concurrency() > 1)
            row("processors", "cpu-share");
    }

    void refusesToRunWithout()
    {
        QFETCH(QByteArray, step);
        QFETCH(QByteArray, control);
        const auto process = launchWithout(*m_direct, step);
        QVERIFY(!process);
        const QString message = process.error().message.english();
        QVERIFY2(message.startsWith(u"Nothing was run: these protections could not be verified: "_s),
                 qPrintable(message));
        QVERIFY2(message.contains(u' ' + QString::fromUtf8(control) + u" ("_s), qPrintable(message));
    }

    // Without them the next step of building fails already.
    void canNotEvenBuildWithout_data()
    {
        QTest::addColumn<QByteArray>("step");
        for (const char *step : {"user namespace", "mount namespace", "pid namespace"})
            QTest::newRow(step) << QByteArray(step);
    }

    void canNotEvenBuildWithout()
    {
        QFETCH(QByteArray, step);
        QVERIFY(!launchWithout(*m_direct, step));
    }

    void saysThatItRunsWithout_data()
    {
        QTest::addColumn<QByteArray>("step");
        QTest::addColumn<QByteArray>("control");
        row("uts namespace", "uts-namespace");
        row("cgroup namespace", "cgroup-namespace");
        row("landlock", "landlock");
        row("listener", "denial-events");
    }

    void saysThatItRunsWithout()
    {
        QFETCH(QByteArray, step);
        QFETCH(QByteArray, control);
        const auto process = launchWithout(*m_direct, step);
        QVERIFY2(process, qPrintable(process ? QString() : process.error().message.english()));
        const QList<Control> &controls = (*process)->controls();
        const auto found =
            std::ranges::find(controls, *fromString<ControlId>(QString::fromUtf8(control)), &Control::id);
        QVERIFY(found != controls.end());
        QVERIFY2(found->state == Control::State::Missing, qPrintable(toString(found->state)));
    }

    void saysThatNobodyWatchesThePlacesOfSecrets()
    {
        const auto process = launchWithout(*m_direct, "watched places");
        QVERIFY2(process, qPrintable(process ? QString() : process.error().message.english()));
        const QList<Control> &controls = (*process)->controls();
        const auto told = std::ranges::find(controls, ControlId::DenialEvents, &Control::id);
        QVERIFY(told != controls.end());
        QVERIFY2(told->detail.english().startsWith(u"places of secrets are not watched ("_s),
                 qPrintable(told->detail.english()));
    }

    void saysThatItsFilesAreNotBounded()
    {
        const auto process = launchWithout(*m_direct, "files of the disk");
        QVERIFY2(process, qPrintable(process ? QString() : process.error().message.english()));
        const QList<Control> &controls = (*process)->controls();
        const auto disk = std::ranges::find(controls, ControlId::Disk, &Control::id);
        QVERIFY(disk != controls.end());
        QCOMPARE(toString(disk->state), u"degraded"_s);
        QVERIFY2(disk->detail.english().contains(u"files"_s), qPrintable(disk->detail.english()));
    }

    void refusesToRunInALeafWithout_data()
    {
        QTest::addColumn<QByteArray>("step");
        QTest::addColumn<QByteArray>("control");
        row("memory of the tree", "memory");
        row("swap of the tree", "memory");
        row("count of memory", "memory");
        row("processes of the tree", "processes");
        row("share of the tree", "cpu-share");
        row("the leaf", "memory");
        row("the leaf", "processes");
        row("the leaf", "cpu-time");
    }

    void refusesToRunInALeafWithout()
    {
        QFETCH(QByteArray, step);
        QFETCH(QByteArray, control);
        const test::ControlGroups &machine = test::controlGroups();
        const QString &why = step == "share of the tree"  ? machine.shareMissing
                             : step == "swap of the tree" ? machine.swapMissing
                                                          : machine.missing;
        if (!why.isEmpty())
            QSKIP(qPrintable(why));
        const auto whole = launchWithout(*m_counted, {});
        QVERIFY2(whole, qPrintable(whole ? QString() : whole.error().message.english()));
        const QList<Control> &controls = (*whole)->controls();
        const auto whatIsLeftOut =
            std::ranges::find(controls, *fromString<ControlId>(QString::fromUtf8(control)), &Control::id);
        QVERIFY(whatIsLeftOut != controls.end());
        if (machine.swapMissing.isEmpty())
            QCOMPARE(toString(whatIsLeftOut->state), u"verified"_s);
        QVERIFY2(whatIsLeftOut->detail.english().contains(u"cgroup"), qPrintable(whatIsLeftOut->detail.english()));
        const auto process = launchWithout(*m_counted, step);
        QVERIFY(!process);
        QVERIFY2(process.error().message.english().contains(u' ' + QString::fromUtf8(control) + u" ("_s),
                 qPrintable(process.error().message.english()));
    }

    void aCountThatCanNotBeReadIsNoUseOfProcessorTime_data()
    {
        QTest::addColumn<QByteArray>("step");
        QTest::newRow("at the start") << QByteArray("count at the start");
        QTest::newRow("from then on") << QByteArray("count of processor time");
    }

    void aCountThatCanNotBeReadIsNoUseOfProcessorTime()
    {
        QFETCH(QByteArray, step);
        if (const QString &why = test::controlGroups().missing; !why.isEmpty())
            QSKIP(qPrintable(why));
        SandboxShape shape;
        shape.argv = {"/bin/sleep", "0.2"};
        shape.limits.cpu = std::chrono::seconds(5);
        shape.environment = {"GLOVEBOX_OMIT=" + step};
        // A spawner that has no other run to count.
        const auto backend = makeNativeBackend(QStringLiteral(GLOVEBOX_OMITTING), u"alone"_s,
                                               {.only = NativeBuilder::Direct, .ahead = false});
        const auto process = backend->launch(shape, {}, {});
        QVERIFY2(process, qPrintable(process ? QString() : process.error().message.english()));
        QVERIFY((*process)->start());
        std::optional<SandboxEnd> end;
        for (pollfd report{(*process)->reportDescriptor(), POLLIN, 0}; !end && ::poll(&report, 1, 10'000) == 1;)
            end = (*process)->takeEnd();
        QVERIFY(end);
        QVERIFY(!end->cpuExhausted);
        QCOMPARE(end->exitCode, std::optional(0));
        QVERIFY2(!end->usage.cpu, "a processor time is told that nobody could read");
        QVERIFY(end->usage.peakMemoryBytes);
    }

    // init seals itself and reads back the same whoever built.
    void refusesBwrapsSandboxWithout_data()
    {
        QTest::addColumn<QByteArray>("step");
        QTest::addColumn<QByteArray>("control");
        row("filters", "seccomp");
        row("securebits", "capabilities");
        row("bounding set", "capabilities");
        row("death with the launcher", "tree-kill");
        row("limit of processes", "processes");
    }

    void refusesBwrapsSandboxWithout()
    {
        QFETCH(QByteArray, step);
        QFETCH(QByteArray, control);
        const auto process = launchWithout(*m_bubblewrap, step);
        QVERIFY(!process);
        QVERIFY2(process.error().message.english().contains(u' ' + QString::fromUtf8(control) + u" ("_s),
                 qPrintable(process.error().message.english()));
    }
};

QTEST_GUILESS_MAIN(TestReadback)
#include "tst_readback.moc"
