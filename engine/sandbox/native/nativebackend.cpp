// SPDX-License-Identifier: Apache-2.0
// The native backend: Linux namespaces, seccomp, Landlock and limits, built by glovebox-spawner.
#include "builderchoice.h"
#include "calllistener.h"
#include "controls.h"
#include "mountplan.h"
#include "remedies.h"
#include "sealedrun.h"
#include "setuperror.h"
#include "spawnerlink.h"
#include "warmpool.h"

#include "engine/launcher/packet.h"

#include <QFile>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <optional>
#include <thread>

using namespace glovebox::launcher;

namespace glovebox::native {

namespace {

constexpr std::chrono::seconds setupTimeout{20}; // a machine that is swapping; far beyond what set-up takes
constexpr std::uint64_t openFiles =
    512; // descriptors in flight count against the person, who has twice as many at least
constexpr std::uint64_t pendingSignals = 1024;
// V8 keeps code, stacks and young generation outside of the heap that its own flag bounds.
constexpr qint64 unboundedRuntimeReserve = 512 * mebibyte;

std::uint64_t namespaceInode(const char *name)
{
    struct stat info = {};
    return ::stat((std::string("/proc/self/ns/") + name).c_str(), &info) == 0 ? info.st_ino : 0;
}

std::vector<std::string> strings(const QByteArrayList &list)
{
    std::vector<std::string> all;
    for (const QByteArray &text : list)
        all.push_back(text.toStdString());
    return all;
}

void planLimits(const SandboxSpec &spec, Plan &plan)
{
    const Limits &limits = spec.policy.limits;
    plan.scratchBytes = static_cast<std::uint64_t>(limits.diskBytes);
    plan.scratchInodes = static_cast<std::uint64_t>(limits.diskFiles());
    plan.fileSize = plan.scratchBytes;
    plan.openFiles = openFiles;
    plan.pendingSignals = pendingSignals;
    plan.refuseUnixSockets = !spec.folders.isEmpty() || !spec.granted.isEmpty();
    plan.refuseSetId = !spec.granted.isEmpty();
    if (limits.cpu)
        plan.cpuSeconds = static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::seconds>(*limits.cpu).count());
}

// What a leaf counts and bounds for all processes together. Without one, each process is bounded by itself, memory that none
// of them has is refused, and a watchdog looks at all of them now and then.
void planTreeLimits(const SandboxSpec &spec, LeafKind leaf, Plan &plan)
{
    const Limits &limits = spec.policy.limits;
    plan.leaf = leaf;
    plan.treeMemory = static_cast<std::uint64_t>(limits.memoryBytes + limits.diskBytes);
    plan.treeCpu = static_cast<std::uint64_t>(
        std::chrono::microseconds(limits.cpu.value_or(std::chrono::milliseconds(0))).count());
    const std::uint64_t processes = static_cast<std::uint64_t>(limits.processes) + 1; // PID 1 is not the person's
    if (leaf != LeafKind::None) {
        plan.treeProcesses = processes + (plan.builder == Builder::Bubblewrap ? 1 : 0);
        return;
    }
    plan.refuseUncountedMemory = 1;
    plan.processes = processes;
    if (spec.boundsAddressSpace)
        plan.addressSpace = static_cast<std::uint64_t>(limits.memoryBytes);
    else
        plan.dataSegment = static_cast<std::uint64_t>(limits.memoryBytes + unboundedRuntimeReserve);
}

Result<Plan> planFor(const SandboxSpec &spec)
{
    Plan plan;
    plan.argv = strings(spec.argv);
    plan.environment = strings(spec.environment);
    plan.hasTerminal = spec.terminal.has_value();
    plan.hasChannel = spec.hasDriver;
    for (std::size_t i = 0; i < namespaceNames.size(); ++i)
        plan.hostNamespaces[i] = namespaceInode(namespaceNames[i]);
    planLimits(spec, plan);
    if (Status mounts = planMounts(spec, plan); !mounts)
        return std::unexpected(mounts.error());
    return plan;
}

void planForBubblewrap(const QString &program, Plan &plan)
{
    plan.builder = Builder::Bubblewrap;
    plan.bubblewrap = QFile::encodeName(program).toStdString();
    plan.refuseInotify = 1;
    // It is a link, and a shell that isn't told says where it leads.
    plan.environment.emplace_back("PWD=/work");
}

// What an interpreter that waits has loaded already. /usr is shown to runs as it is, so only that can be out of date: the
// interpreter changed, or a package was installed, upgraded or removed.
std::vector<std::string> filesOf(const SandboxSpec &spec)
{
    std::vector<std::string> files{spec.argv.value(0).toStdString(),
                                   "/usr",
                                   "/usr/bin",
                                   "/usr/lib",
                                   "/usr/local/bin",
                                   "/usr/local/lib",
                                   "/etc/ld.so.cache",
                                   "/etc/alternatives",
                                   "/var/lib/dpkg/status",
                                   "/var/lib/rpm",
                                   "/var/lib/pacman/local"};
    for (const QString &folder : spec.folders)
        files.push_back(QFile::encodeName(folder).toStdString());
    return files;
}

WarmShape shapeOf(const Plan &plan, const SandboxSpec &spec)
{
    WarmShape shape{.plan = plan.encode(),
                    .strict = spec.policy.strict,
                    .memoryBytes = spec.policy.limits.memoryBytes,
                    .watched = filesOf(spec)};
    shape.stamp = stampOf(shape.watched);
    return shape;
}

std::unexpected<Error> noDescriptors()
{
    return fail(ErrorCode::Unavailable,
                Text(QT_TRANSLATE_NOOP("engine",
                                       "This program has too many files open to start another run. Nothing was run.")),
                Text("%1", {errnoText(errno)}));
}

// The ends that go into the run; closed in this process once they are sent.
struct InnerEnds
{
    UniqueFd plan;
    UniqueFd report;
    UniqueFd standardInput;
    UniqueFd standardOutput;
    UniqueFd standardError;
    UniqueFd channel;

    std::vector<int> list() const
    {
        std::vector<int> all{plan.get(), report.get(), standardInput.get(), standardOutput.get(), standardError.get()};
        if (channel)
            all.push_back(channel.get());
        return all;
    }
};

bool makePair(int type, UniqueFd &outer, UniqueFd &inner)
{
    std::array<int, 2> pair{};
    if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair.data()) < 0)
        return false;
    outer.reset(pair[0]);
    inner.reset(pair[1]);
    return true;
}

// Only our end doesn't block: the program inside gets ordinary pipes.
bool makePipe(UniqueFd &readEnd, UniqueFd &writeEnd, bool readIsOurs)
{
    std::array<int, 2> pair{};
    if (::pipe2(pair.data(), O_CLOEXEC) < 0)
        return false;
    readEnd.reset(pair[0]);
    writeEnd.reset(pair[1]);
    const int ours = readIsOurs ? pair[0] : pair[1];
    return ::fcntl(ours, F_SETFL, ::fcntl(ours, F_GETFL) | O_NONBLOCK) == 0;
}

struct Verification
{
    std::chrono::microseconds setupCpu{};
    std::optional<std::vector<Finding>> inside; // by init
    std::optional<std::vector<Finding>> outside; // by the spawner
    UniqueFd scratch; // of the run's tmpfs
    CallListener listener;
    UniqueFd terminal;
};

std::unexpected<Error> endedUnverified()
{
    return fail(ErrorCode::Unavailable, Text(QT_TRANSLATE_NOOP("engine", "The sandbox ended before it was verified. "
                                                                         "Nothing was run; try again.")));
}

Result<Verification> waitForVerification(int report, std::stop_token stop)
{
    // Ends the poll when somebody cancels.
    const std::stop_callback wake(stop, [report] { ::shutdown(report, SHUT_RDWR); });
    const auto deadline = std::chrono::steady_clock::now() + setupTimeout;
    Verification verification;
    for (;;) {
        // The filter that init probes asks us.
        std::array<pollfd, 2> sources{pollfd{report, POLLIN, 0}, {verification.listener.descriptor(), POLLIN, 0}};
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
        const int ready = ::poll(sources.data(), sources.size(), static_cast<int>(std::max<qint64>(left, 0)));
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, Text(QT_TRANSLATE_NOOP("engine", "It was cancelled before it started.")));
        if (ready == 0)
            return fail(ErrorCode::TimedOut,
                        Text(QT_TRANSLATE_NOOP("engine", "The sandbox was not ready after %1 s. Nothing was run; try "
                                                         "again when the machine is less busy."),
                             {QString::number(setupTimeout / std::chrono::seconds(1))}));
        if (sources[1].revents)
            verification.listener.answerProbe();
        if (!sources[0].revents)
            continue;
        Packet packet;
        if (receivePacket(report, packet, false) != 0 || packet.bytes.empty())
            return endedUnverified();
        Reader in(packet.bytes);
        Message kind{};
        in.get(kind);
        if (kind == Message::SetupError)
            return std::unexpected(explainSetupError(packet.bytes));
        if (kind == Message::Listener && packet.descriptors.size() == 1) {
            verification.listener = CallListener(std::move(packet.descriptors.front()));
            continue;
        }
        if (kind == Message::Terminal && packet.descriptors.size() == 1) {
            verification.terminal = std::move(packet.descriptors.front());
            continue;
        }
        std::uint64_t cpu = 0;
        if (kind == Message::Verified)
            in.get(cpu);
        std::vector<Finding> findings;
        in.get(findings);
        if ((kind != Message::Verified && kind != Message::Placed) || !in.done())
            return fail(ErrorCode::Unavailable,
                        Text(QT_TRANSLATE_NOOP("engine", "The sandbox gave an unreadable report. "
                                                         "Nothing was run.")));
        if (kind == Message::Placed) {
            verification.outside = std::move(findings);
        } else {
            verification.inside = std::move(findings);
            verification.setupCpu = std::chrono::microseconds(cpu);
            if (!packet.descriptors.empty())
                verification.scratch = std::move(packet.descriptors.front());
        }
        if (verification.inside && verification.outside)
            return verification;
    }
}

class NativeBackend final : public Backend
{
public:
    NativeBackend(QString libexec, QString engineId, NativeOptions options)
        : m_libexec(std::move(libexec))
        , m_engineId(std::move(engineId))
        , m_bubblewrap(std::move(options.bubblewrap))
        , m_withLeaves(options.leaves)
        , m_choice(options.only)
    {
    }
    ~NativeBackend() override { shutdown(); }

    QString name() const override { return QStringLiteral("native"); }
    QString builder() const override
    {
        const auto chosen = m_choice.chosen();
        return chosen ? toString(*chosen) : QString();
    }
    void prepare() override;
    Result<std::unique_ptr<SealedProcess>> launch(const SandboxSpec &spec, std::stop_token stop) override;
    void keepWarm(WarmLimits limits) override;
    void expect(const SandboxSpec &spec) override;
    int waiting() override;
    BackendReport probe() override;
    QList<BackendReport> probeBuilders() override;
    void shutdown() override;

private:
    Result<std::unique_ptr<SealedProcess>> launchWith(NativeBuilder builder, const SandboxSpec &spec,
                                                      std::stop_token stop);
    BackendReport probeWith(NativeBuilder builder);
    Result<std::shared_ptr<SpawnerLink>> spawner();
    Result<Plan> plannedFor(NativeBuilder builder,
                            const SandboxSpec &spec); // waits for the spawner: it knows who counts
    Result<std::unique_ptr<SealedRun>> build(const std::string &plan, bool hasChannel, std::stop_token stop);
    std::shared_ptr<WarmPool> warmPoolFor(const SandboxSpec &spec);

    const QString m_libexec;
    const QString m_engineId;
    const QString m_bubblewrap;
    const bool m_withLeaves;
    BuilderChoice m_choice;
    std::mutex m_mutex;
    std::shared_ptr<SpawnerLink> m_spawner;
    std::jthread m_preparation;
    std::shared_ptr<WarmPool> m_pool;
    bool m_shutDown = false;
};

void NativeBackend::prepare()
{
    const std::scoped_lock lock(m_mutex);
    if (!m_preparation.joinable() && !m_spawner && !m_shutDown)
        m_preparation = std::jthread([this] {
            static_cast<void>(spawner());
            removeAbandonedPlaces();
        });
}

// The one spawner, started again if it is gone.
Result<std::shared_ptr<SpawnerLink>> NativeBackend::spawner()
{
    const std::scoped_lock lock(m_mutex);
    if (m_shutDown)
        return fail(ErrorCode::Unavailable,
                    Text(QT_TRANSLATE_NOOP("engine", "Glovebox is shutting down. Nothing was run.")));
    if (m_spawner && m_spawner->isAlive())
        return m_spawner;
    const std::optional<HostIdentity> identity = runIdentity();
    if (!identity)
        return fail(
            ErrorCode::Unsupported,
            Text(QT_TRANSLATE_NOOP("engine", "There is no unprivileged user left to run code as. Create one named "
                                             "glovebox, or run Glovebox as an ordinary user.")));
    Result<std::shared_ptr<SpawnerLink>> started = SpawnerLink::start(m_libexec, *identity, m_engineId, m_withLeaves);
    if (started)
        m_spawner = *started;
    return started;
}

Result<std::unique_ptr<SealedProcess>> NativeBackend::launch(const SandboxSpec &spec, std::stop_token stop)
{
    return m_choice.launch([&](NativeBuilder builder) { return launchWith(builder, spec, stop); },
                           [this](NativeBuilder builder) { return probeWith(builder); });
}

Result<Plan> NativeBackend::plannedFor(NativeBuilder builder, const SandboxSpec &spec)
{
    Result<Plan> plan = planFor(spec);
    if (plan && builder == NativeBuilder::Bubblewrap)
        planForBubblewrap(m_bubblewrap, *plan);
    const Result<std::shared_ptr<SpawnerLink>> link = spawner();
    if (!link)
        return std::unexpected(link.error());
    if (plan)
        planTreeLimits(spec, (*link)->leafKind(), *plan);
    return plan;
}

Result<std::unique_ptr<SealedProcess>> NativeBackend::launchWith(NativeBuilder builder, const SandboxSpec &spec,
                                                                 std::stop_token stop)
{
    const Result<Plan> plan = plannedFor(builder, spec);
    if (!plan)
        return std::unexpected(plan.error());
    const std::shared_ptr<WarmPool> pool = warmPoolFor(spec);
    WarmShape shape;
    std::unique_ptr<SealedRun> run;
    if (pool) {
        shape = shapeOf(*plan, spec);
        run = pool->take(shape);
        pool->want(shape, true);
    }
    if (!run) {
        auto built = build(plan->encode(), plan->hasChannel, stop);
        if (!built)
            return std::unexpected(built.error());
        run = *std::move(built);
    }
    if (Status assigned = run->assign(spec); !assigned)
        return std::unexpected(assigned.error());
    if (pool)
        run->onEnd([weak = std::weak_ptr(pool)] {
            if (const auto alive = weak.lock())
                alive->runEnded();
        });
    return run;
}

// Sealed, verified, and nobody's yet.
Result<std::unique_ptr<SealedRun>> NativeBackend::build(const std::string &plan, bool hasChannel, std::stop_token stop)
{
    const Result<std::shared_ptr<SpawnerLink>> link = spawner();
    if (!link)
        return std::unexpected(link.error());

    SealedRunParts parts;
    InnerEnds inner;
    inner.plan = sealedMemory("glovebox-plan", plan);
    if (!inner.plan || !makePair(SOCK_SEQPACKET, parts.report, inner.report)
        || !makePipe(inner.standardInput, parts.standardInput, false)
        || !makePipe(parts.standardOutput, inner.standardOutput, true)
        || !makePipe(parts.standardError, inner.standardError, true)
        || (hasChannel && !makePair(SOCK_STREAM, parts.channel, inner.channel)))
        return noDescriptors();

    // The pipes are root's otherwise, and the run couldn't open its own /dev/stdout.
    if (::geteuid() == 0) {
        const HostIdentity owner = (*link)->identity();
        for (int fd : {inner.standardInput.get(), inner.standardOutput.get(), inner.standardError.get()}) {
            if (::fchown(fd, owner.uid, owner.gid) < 0)
                return noDescriptors();
        }
    }

    parts.spawner = *link;
    parts.id = parts.spawner->nextId();
    if (Status s = parts.spawner->send(Writer().put(Message::Launch).put(parts.id).bytes(), inner.list()); !s)
        return std::unexpected(s.error());
    inner = {};
    // From here on the destructor kills what was launched.
    const int report = parts.report.get();
    auto run = std::make_unique<SealedRun>(std::move(parts));
    Result<Verification> verification = waitForVerification(report, stop);
    if (!verification)
        return std::unexpected(verification.error());
    run->verified(merged(*std::move(verification->inside), *verification->outside), verification->setupCpu,
                  std::move(verification->listener), std::move(verification->scratch));
    if (verification->terminal && !run->useTerminal(std::move(verification->terminal)))
        return noDescriptors();
    return run;
}

// Null where a sandbox must be the run's own from the beginning: a granted folder is looked at for this run, and processor time
// that the interpreter needs to start would count against a limit on it.
std::shared_ptr<WarmPool> NativeBackend::warmPoolFor(const SandboxSpec &spec)
{
    const bool suits = spec.mayBeWarm && spec.granted.isEmpty() && !spec.terminal && !spec.policy.limits.cpu;
    const std::scoped_lock lock(m_mutex);
    return suits ? m_pool : nullptr;
}

void NativeBackend::keepWarm(WarmLimits limits)
{
    const std::scoped_lock lock(m_mutex);
    if (m_shutDown || m_pool)
        return;
    m_pool = std::make_shared<WarmPool>(
        std::move(limits), [this](const WarmShape &shape, std::stop_token stop) -> Result<std::unique_ptr<SealedRun>> {
            Plan plan;
            if (!plan.decode(shape.plan))
                return fail(ErrorCode::Internal, Text("unreadable plan"));
            auto run = build(shape.plan, plan.hasChannel, stop);
            // Without a driver there is nothing to start before the code is there; it is sealed and verified all the same.
            if (run && plan.hasChannel) {
                if (Status waits = (*run)->prepare(stop); !waits)
                    return std::unexpected(waits.error());
            }
            if (run)
                (*run)->builtAhead();
            return run;
        });
}

void NativeBackend::expect(const SandboxSpec &spec)
{
    const std::shared_ptr<WarmPool> pool = warmPoolFor(spec);
    if (!pool)
        return;
    if (const Result<Plan> plan = plannedFor(m_choice.chosen().value_or(NativeBuilder::Direct), spec))
        pool->want(shapeOf(*plan, spec), false);
}

int NativeBackend::waiting()
{
    const std::scoped_lock lock(m_mutex);
    return m_pool ? m_pool->waiting() : 0;
}

BackendReport NativeBackend::probe()
{
    return m_choice.probe([this](NativeBuilder builder) { return probeWith(builder); });
}

QList<BackendReport> NativeBackend::probeBuilders()
{
    return {probeWith(NativeBuilder::Direct), probeWith(NativeBuilder::Bubblewrap)};
}

BackendReport NativeBackend::probeWith(NativeBuilder builder)
{
    BackendReport report{.backend = name(), .builder = toString(builder)};
    SandboxSpec spec;
    spec.argv = {"/bin/true"};
    const Result<std::unique_ptr<SealedProcess>> probe = launchWith(builder, spec, {});
    if (probe) {
        report.usable = true;
        report.controls = (*probe)->controls();
        report.remedies = controlRemedies(report.controls, builder);
        return report;
    }
    report.reason = probe.error().message;
    if (probe.error().code == ErrorCode::Unsupported)
        report.remedy = builderRemedy(builder, m_bubblewrap);
    return report;
}

void NativeBackend::shutdown()
{
    std::jthread preparation;
    std::shared_ptr<SpawnerLink> link;
    std::shared_ptr<WarmPool> pool; // ends first: what waits in it holds on to the spawner
    {
        const std::scoped_lock lock(m_mutex);
        m_shutDown = true;
        preparation = std::move(m_preparation);
        link = std::move(m_spawner);
        pool = std::move(m_pool);
    }
    if (pool)
        pool->stop();
}

} // namespace

} // namespace glovebox::native

namespace glovebox {

std::unique_ptr<Backend> makeNativeBackend(const QString &libexec, const QString &engineId, NativeOptions options)
{
    return std::make_unique<native::NativeBackend>(libexec, engineId, std::move(options));
}

} // namespace glovebox
