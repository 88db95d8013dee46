// SPDX-License-Identifier: Apache-2.0
// The native backend: Linux namespaces, seccomp, Landlock and limits, built by glovebox-spawner.
#include "cgroups/leafplace.h"
#include "native.h"
#include "probe/builderchoice.h"
#include "probe/remedies.h"
#include "runplan.h"
#include "spawnerlink.h"
#include "warmpool.h"

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

using namespace glovebox::launcher;

namespace glovebox::native {

namespace {

constexpr std::chrono::milliseconds politeDelay{500};
constexpr qsizetype mostWarmListeners = 8; // each is a descriptor of the engine's

class NativeBackend final : public Backend
{
public:
    NativeBackend(QString libexec, QString engineId, NativeOptions options)
        : m_libexec(std::move(libexec))
        , m_engineId(std::move(engineId))
        , m_options(std::move(options))
        , m_choice(m_options.only)
    {
    }
    ~NativeBackend() override { shutdown(); }

    QString name() const override { return QStringLiteral("native"); }
    QString builder() const override
    {
        const auto chosen = m_choice.chosen();
        return chosen ? toString(*chosen) : QString();
    }
    void prepare(Use use) override;
    Result<std::unique_ptr<SealedProcess>> launch(const SandboxShape &shape, const Assignment &assignment,
                                                  std::stop_token stop) override;
    void keepWarm(const WarmLimits &limits) override;
    void expect(const SandboxShape &shape) override;
    int waiting() override;
    BackendReport probe() override;
    QList<BackendReport> probeBuilders() override;
    void shutdown() override;

private:
    Result<std::unique_ptr<SealedProcess>> launchWith(NativeBuilder builder, const SandboxShape &shape,
                                                      const Assignment &assignment, std::stop_token stop);
    BackendReport probeWith(NativeBuilder builder, std::stop_token stop = {});
    Result<std::shared_ptr<SpawnerLink>> spawner();
    // Waits for the spawner: it knows who counts.
    Result<Plan> plannedFor(NativeBuilder builder, const SandboxShape &shape, const Assignment &assignment = {});
    Result<std::unique_ptr<SealedRun>> build(const std::string &plan, bool hasChannel, std::stop_token stop);
    std::shared_ptr<WarmPool> warmPoolFor(const SandboxShape &shape);
    void letGo();

    const QString m_libexec;
    const QString m_engineId;
    const NativeOptions m_options;
    BuilderChoice m_choice;
    std::mutex m_mutex;
    Use m_use = Use::Many;
    std::shared_ptr<SpawnerLink> m_spawner;
    std::jthread m_preparation;
    std::jthread m_leaving;
    std::shared_ptr<WarmPool> m_pool;
    bool m_shutDown = false;
    bool m_hasLaunched = false;
    std::condition_variable_any m_launched;
};

void NativeBackend::prepare(Use use)
{
    const std::scoped_lock lock(m_mutex);
    m_use = use;
    if (m_preparation.joinable() || m_spawner || m_shutDown)
        return;
    try {
        m_preparation = std::jthread([this](std::stop_token stop) {
            blockSignals();
            static_cast<void>(spawner());
            // What dead engines left is in nobody's way; the first run has the processors until it is launched.
            std::unique_lock waiting(m_mutex);
            m_launched.wait_for(waiting, stop, politeDelay, [this] { return m_hasLaunched; });
            waiting.unlock();
            removeAbandonedPlaces();
        });
    } catch (const std::system_error &) {
        m_preparation = {}; // no more threads: what isn't prepared is done by launch(), or refused there
    }
}

// The one spawner, started again if it is gone.
Result<std::shared_ptr<SpawnerLink>> NativeBackend::spawner()
{
    const std::scoped_lock lock(m_mutex);
    if (m_shutDown)
        return fail(ErrorCode::Unavailable, QT_TRANSLATE_NOOP("engine", "Glovebox is shutting down. Nothing was run."));
    if (m_spawner && m_spawner->isAlive())
        return m_spawner;
    const bool makesAhead = m_options.ahead && m_options.only != NativeBuilder::Bubblewrap; // what only the other needs
    const auto ahead = !makesAhead ? Ahead::Never : m_use == Use::Once ? Ahead::Once : Ahead::Always;
    Result<std::shared_ptr<SpawnerLink>> started = SpawnerLink::start(m_libexec, m_engineId, m_options.leaves, ahead);
    if (started)
        m_spawner = *started;
    return started;
}

Result<std::unique_ptr<SealedProcess>> NativeBackend::launch(const SandboxShape &shape, const Assignment &assignment,
                                                             std::stop_token stop)
{
    return m_choice.launch([&](NativeBuilder builder) { return launchWith(builder, shape, assignment, stop); },
                           [&](NativeBuilder builder) { return probeWith(builder, stop); }, stop);
}

Result<Plan> NativeBackend::plannedFor(NativeBuilder builder, const SandboxShape &shape, const Assignment &assignment)
{
    Result<Plan> plan = planFor(shape, assignment);
    if (plan && builder == NativeBuilder::Bubblewrap)
        planForBubblewrap(m_options.bubblewrap, *plan);
    ASSIGN_OR_RETURN(const std::shared_ptr<SpawnerLink> link, spawner());
    if (plan)
        planTreeLimits(shape, link->leafKind(), link->boundsCpuShare(), *plan);
    return plan;
}

Result<std::unique_ptr<SealedProcess>> NativeBackend::launchWith(NativeBuilder builder, const SandboxShape &shape,
                                                                 const Assignment &assignment, std::stop_token stop)
{
    ASSIGN_OR_RETURN(const Plan plan, plannedFor(builder, shape, assignment));
    // A granted folder is looked at for this run, and mounted while the sandbox is built.
    const bool suits = assignment.mayBeWarm && assignment.granted.isEmpty() && assignment.copies.isEmpty();
    const std::shared_ptr<WarmPool> pool = suits ? warmPoolFor(shape) : nullptr;
    std::unique_ptr<SealedRun> run;
    if (pool) {
        const WarmShape warm = warmShape(shape, plan);
        run = pool->take(warm);
        pool->want(warm, true);
    }
    if (run && !run->readAgain(stop)) // it ended meanwhile; nothing of the person was inside
        run.reset();
    if (!run) {
        ASSIGN_OR_RETURN(run, build(plan.encode(), plan.hasChannel, stop));
    }
    RETURN_IF_ERROR(run->assign(shape, assignment));
    bool isOnly = false;
    {
        const std::scoped_lock lock(m_mutex);
        m_hasLaunched = true;
        isOnly = m_use == Use::Once;
    }
    m_launched.notify_all();
    if (isOnly)
        run->onEnd([this] { letGo(); });
    if (pool)
        run->onEnd([weak = std::weak_ptr(pool)] {
            if (const auto alive = weak.lock())
                alive->runEnded();
        });
    return run;
}

// The one run is over: the spawner's end, which is the kernel's work, has the time that the record takes.
void NativeBackend::letGo()
{
    const std::scoped_lock lock(m_mutex);
    if (m_shutDown || m_leaving.joinable())
        return;
    std::shared_ptr<SpawnerLink> link = std::move(m_spawner);
    try {
        m_leaving = std::jthread([link = std::move(link)]() mutable {
            blockSignals();
            link.reset();
        });
    } catch (const std::system_error &) {
        link.reset(); // no more threads: then this one waits
    }
}

Result<std::unique_ptr<SealedRun>> NativeBackend::build(const std::string &plan, bool hasChannel, std::stop_token stop)
{
    ASSIGN_OR_RETURN(std::shared_ptr<SpawnerLink> link, spawner());
    return launchSealed(std::move(link), plan, hasChannel, std::move(stop));
}

// Null where a sandbox must be the run's own from the beginning: processor time that the interpreter needs to start would count
// against a limit on it. One with sockets for an allowed network waits with nobody behind them: which hosts there are is
// settled with the run.
std::shared_ptr<WarmPool> NativeBackend::warmPoolFor(const SandboxShape &shape)
{
    const bool suits =
        !shape.hasTerminal && !shape.limits.cpu && shape.connectors == 0 && shape.listeners.size() <= mostWarmListeners;
    const std::scoped_lock lock(m_mutex);
    return suits ? m_pool : nullptr;
}

void NativeBackend::keepWarm(const WarmLimits &limits)
{
    const std::scoped_lock lock(m_mutex);
    if (m_shutDown || m_pool)
        return;
    m_pool = std::make_shared<WarmPool>(
        limits, [this](const WarmShape &shape, std::stop_token stop) -> Result<std::unique_ptr<SealedRun>> {
            Plan plan;
            if (!plan.decode(shape.plan))
                return fail(ErrorCode::Internal, Text("unreadable plan"));
            auto run = build(shape.plan, plan.hasChannel, stop);
            // Without a driver there is nothing to start before the code is there; it is sealed and verified all the same.
            if (run && plan.hasChannel)
                RETURN_IF_ERROR((*run)->prepare(stop));
            if (run)
                (*run)->builtAhead();
            return run;
        });
}

void NativeBackend::expect(const SandboxShape &shape)
{
    const std::shared_ptr<WarmPool> pool = warmPoolFor(shape);
    if (!pool)
        return;
    // What is planned for one builder the other can't build: found out now what the first run would.
    if (!m_choice.chosen())
        static_cast<void>(probe());
    const auto builder = m_choice.chosen();
    if (!builder) // the first run says why
        return;
    if (const Result<Plan> plan = plannedFor(*builder, shape))
        pool->want(warmShape(shape, *plan), false);
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

BackendReport NativeBackend::probeWith(NativeBuilder builder, std::stop_token stop)
{
    BackendReport report{.backend = name(), .builder = toString(builder)};
    const Result<std::unique_ptr<SealedProcess>> probe =
        launchWith(builder, {.argv = {"/bin/true"}}, {}, std::move(stop));
    if (probe) {
        report.usable = true;
        report.controls = (*probe)->controls();
        report.remedies = controlRemedies(report.controls, builder);
        return report;
    }
    report.reason = probe.error().message;
    report.isRemedyInReason = probe.error().saysRemedy;
    if (probe.error().code == ErrorCode::Unsupported)
        report.remedy = builderRemedy(builder, m_options.bubblewrap);
    return report;
}

void NativeBackend::shutdown()
{
    std::jthread preparation;
    std::jthread leaving;
    std::shared_ptr<SpawnerLink> link;
    std::shared_ptr<WarmPool> pool; // ends first: what waits in it holds on to the spawner
    {
        const std::scoped_lock lock(m_mutex);
        m_shutDown = true;
        preparation = std::move(m_preparation);
        leaving = std::move(m_leaving);
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

std::unique_ptr<Backend> makePlatformBackend(const QString &libexec, const QString &engineId)
{
    return makeNativeBackend(libexec, engineId);
}

} // namespace glovebox
