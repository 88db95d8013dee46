// SPDX-License-Identifier: Apache-2.0
#include "intake.h"

#include "engine/run/record.h"
#include "engine/run/validate.h"

#include <QCryptographicHash>

#include <atomic>

namespace glovebox {

// The store's part and the log's part of accepting, which go on at the same time; the later one goes on with the run. So
// the entry may be there for a moment without its body, but nobody hears of it before both are durable.
struct Intake::Acceptance
{
    ApprovalRequest request;
    Status stored;
    Result<AuditReceipt> logged;
    std::atomic<int> open = 2;
};

Intake::Intake(Rooms rooms, const Settings &settings, const Clock &clock, std::shared_ptr<Approver> approver)
    : m_rooms(rooms)
    , m_settings(settings)
    , m_clock(clock)
    , m_approver(std::move(approver))
    , m_queue(std::make_unique<Queue>(
          settings.maxConcurrent(), settings.queueLimit(),
          [this](LiveRun &run, const std::function<void()> &freeSlot) {
              passThroughCorridor(m_rooms, run, run.stopToken(), freeSlot);
              forget(run);
          },
          [this](const RunPointer &run, const Error &error) {
              endUnstarted(run, error.code == ErrorCode::Busy ? Outcome::Rejected : Outcome::SetupFailed, error.message,
                           error.detail);
          }))
    , m_work(std::make_unique<WorkThread>())
{
}

std::shared_ptr<Run> Intake::start(RunRequest request)
{
    const auto run = std::make_shared<LiveRun>(std::move(request));
    std::unique_lock lock(m_mutex);
    if (m_closed) {
        lock.unlock();
        return refuse(run->request(),
                      Error{ErrorCode::Unavailable,
                            Text(QT_TRANSLATE_NOOP("engine", "Glovebox is closing. Start it again to run this.")),
                            {}});
    }
    Guest &guest = m_guests[run.get()];
    guest.run = run;
    // Weak: a handle may be cancelled when nothing else holds the run, and the guest list holds the callback.
    guest.onCancel = std::make_unique<std::stop_callback<std::function<void()>>>(run->stopToken(),
                                                                                 [this, weak = std::weak_ptr(run)] {
                                                                                     if (const auto live = weak.lock())
                                                                                         cancelled(live);
                                                                                 });
    m_work->post([this, run] { accept(run); });
    return run;
}

void Intake::expect(const QString &language)
{
    std::lock_guard lock(m_mutex);
    if (m_closed)
        return;
    m_work->post([this, language] {
        const auto known = m_rooms.languages.byId(language);
        const auto interpreter = known ? m_rooms.languages.find(**known) : std::unexpected(known.error());
        if (!interpreter)
            return; // the run that comes says so
        const Policy policy = m_settings.policy();
        if (const auto backend = m_rooms.backends.of(policy.backend))
            (*backend)->expect(shapeFor((*known)->recipe(*interpreter, {}, policy.limits, {}), policy));
    });
}

std::shared_ptr<Run> Intake::refuse(RunRequest request, const Error &error)
{
    const auto run = std::make_shared<LiveRun>(std::move(request));
    RunResult result;
    result.outcome = Outcome::SetupFailed;
    result.reason = error.message;
    if (!error.detail.isEmpty())
        result.events.append({QStringLiteral("error.detail"), error.detail});
    run->finish(std::move(result));
    return run;
}

void Intake::accept(const RunPointer &run)
{
    const RunRequest &request = run->request();
    const AcceptedEntry entry = acceptedEntry(newId(m_clock), request, m_rooms.languages);
    const auto acceptance = std::make_shared<Acceptance>();
    // An approval is bound to all of the code, also where only its beginning is on record.
    const bool isWhole = entry.code.kept == entry.code.bytes;
    acceptance->request = {entry.run,
                           entry.caller,
                           entry.language,
                           request.policy,
                           isWhole ? entry.code.digest
                                   : QCryptographicHash::hash(request.code, QCryptographicHash::Sha256),
                           request.code,
                           request.secrets};
    const auto partDone = [this, run, acceptance] {
        if (--acceptance->open == 0)
            accepted(run, *acceptance);
    };
    m_rooms.log.append(toEntry(entry), [acceptance, partDone](Result<AuditReceipt> receipt) {
        acceptance->logged = std::move(receipt);
        partDone();
    });
    acceptance->stored = m_rooms.store.put(entry.code.digest, recordedCode(request));
    partDone();
}

// On the intake's thread or the log's.
void Intake::accepted(const RunPointer &run, const Acceptance &acceptance)
{
    if (!acceptance.logged) {
        RunResult result;
        result.outcome = Outcome::SetupFailed;
        result.reason = acceptance.logged.error().message;
        if (!acceptance.logged.error().detail.isEmpty())
            result.events.append({QStringLiteral("error.detail"), acceptance.logged.error().detail});
        return finish(run, std::move(result));
    }
    run->setAccepted(acceptance.request.run);
    if (!acceptance.stored)
        return endUnstarted(run, Outcome::SetupFailed, acceptance.stored.error().message,
                            acceptance.stored.error().detail);
    if (run->stopToken().stop_requested())
        return endUnstarted(run, Outcome::Cancelled, run->cancelReason());

    // decide() would deny it; but it is the request that makes no sense.
    if (const auto sound = validate(run->request().policy); !sound)
        return endUnstarted(run, Outcome::Rejected, sound.error().message, sound.error().detail);
    if (const auto backend = m_rooms.backends.of(run->request().policy.backend); !backend)
        return endUnstarted(run, Outcome::Rejected, backend.error().message, backend.error().detail);

    const AuthorisationDecision decision = decide(acceptance.request, m_settings.policy());
    switch (decision.verdict) {
    case Verdict::Allow:
        return admit(run);
    case Verdict::Ask:
        return ask(run, acceptance.request);
    case Verdict::Deny:
        return endUnstarted(run, Outcome::Denied, decision.reason);
    }
}

void Intake::ask(const RunPointer &run, const ApprovalRequest &request)
{
    // Nobody is asked about what would be rejected anyway.
    if (const auto sound = checkRequest(run->request()); !sound)
        return endUnstarted(run, Outcome::Rejected, sound.error().message, sound.error().detail);
    {
        std::lock_guard lock(m_mutex);
        m_guests.at(run.get()).isAsked = true;
    }
    run->enter(RunState::Waiting);
    m_approver->ask(request, [weak = weak_from_this(), run](const ApprovalDecision &decision) {
        if (const auto self = weak.lock())
            self->answered(run, decision);
    });
    if (run->stopToken().stop_requested())
        cancelled(run);
}

void Intake::answered(const RunPointer &run, const ApprovalDecision &decision)
{
    if (!takeAsked(*run))
        return; // cancelled meanwhile
    if (decision.allowed)
        admit(run);
    else
        endUnstarted(run, Outcome::Denied, decision.reason);
}

void Intake::admit(const RunPointer &run)
{
    m_queue->admit(run);
    if (run->stopToken().stop_requested())
        cancelled(run);
}

// Whoever takes a run out of where it waits goes on with it. A run that waits nowhere is being accepted or has its own thread:
// both look at the stop token themselves.
void Intake::cancelled(const RunPointer &run)
{
    if (takeAsked(*run))
        m_approver->withdraw(run->id());
    else if (!m_queue->remove(*run))
        return;
    endUnstarted(run, Outcome::Cancelled, run->cancelReason());
}

bool Intake::takeAsked(const LiveRun &run)
{
    std::lock_guard lock(m_mutex);
    const auto guest = m_guests.find(&run);
    return guest != m_guests.end() && std::exchange(guest->second.isAsked, false);
}

// Accepted, hence closed with an entry; on the intake's thread, as it may write to the store.
void Intake::endUnstarted(const RunPointer &run, Outcome outcome, const Text &reason, const Text &detail)
{
    m_work->post([this, run, outcome, reason, detail] {
        if (!detail.isEmpty())
            run->addEvent({QStringLiteral("error.detail"), detail});
        RunResult result;
        result.id = run->id();
        result.outcome = outcome;
        result.reason = reason;
        result.events = run->allEvents();
        closeEntry(m_rooms, std::move(result), [this, run](RunResult closed) { finish(run, std::move(closed)); });
    });
}

void Intake::finish(const RunPointer &run, RunResult result)
{
    run->finish(std::move(result));
    forget(*run);
}

void Intake::forget(const LiveRun &run)
{
    std::unique_lock lock(m_mutex);
    auto onCancel = std::move(m_guests.at(&run).onCancel);
    lock.unlock();
    // Waits for a cancel() that is inside the callback on another thread. Only then the run is off the list: when the list is
    // empty, nobody uses the queue and the work thread any more.
    onCancel.reset();
    lock.lock();
    m_guests.erase(&run);
    if (m_guests.empty())
        m_empty.notify_all();
}

void Intake::close()
{
    std::vector<RunPointer> runs;
    {
        std::lock_guard lock(m_mutex);
        m_closed = true;
        for (const auto &[key, guest] : m_guests)
            runs.push_back(guest.run);
    }
    for (const auto &run : runs)
        run->cancelBecause(Text(QT_TRANSLATE_NOOP("engine", "Glovebox was closed before it ended.")));
}

bool Intake::waitUntilEmpty(std::chrono::milliseconds atMost)
{
    std::unique_lock lock(m_mutex);
    return m_empty.wait_for(lock, atMost, [this] { return m_guests.empty(); });
}

void Intake::stop()
{
    m_queue.reset();
    m_work.reset();
}

} // namespace glovebox
