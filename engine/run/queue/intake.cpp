// SPDX-License-Identifier: Apache-2.0
#include "intake.h"

#include "engine/run/pipeline.h"
#include "engine/run/record/keptcode.h"

#include <QCryptographicHash>

#include <algorithm>
#include <atomic>
#include <system_error>

namespace glovebox {

// The store's part and the log's part of accepting, which go on at the same time; the later one goes on with the run. So
// the entry may be there for a moment without its body, but nobody hears of it, and nothing runs, before both are durable.
struct Intake::Acceptance
{
    explicit Acceptance(Result<SoundRequest> checked)
        : request(std::move(checked))
    {
    }

    ApprovalRequest approval;
    ContentStore::Held held; // its code, if it asks for secrets
    Result<SoundRequest> request;
    std::optional<Status> admitted; // nothing: not asked yet
    bool wentAhead = false;
    Status stored;
    Result<AuditReceipt> logged;
    std::atomic<int> open = 2;
};

Intake::Intake(const Rooms &rooms, const Clock &clock)
    : m_rooms(rooms)
    , m_clock(clock)
    , m_work(std::make_unique<WorkThread>())
    , m_queue(std::make_unique<Queue>(
          rooms.settings.maxConcurrent(), rooms.settings.queueLimit(),
          [this](LiveRun &run, const std::function<void()> &freeSlot) {
              std::unique_lock lock(m_mutex);
              const SoundRequest request = *m_guests.at(&run).request;
              lock.unlock();
              passThroughCorridor(m_rooms, run, request, run.stopToken(), freeSlot);
              forget(run);
          },
          [this](const RunPointer &run, const Error &error) {
              if (move(*run, Stage::Admitted, Stage::Closing))
                  end(run, {error.code == ErrorCode::Busy ? Outcome::Rejected : Outcome::SetupFailed, error.message},
                      error.detail);
          }))
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

std::shared_ptr<Run> Intake::find(const QString &id)
{
    std::lock_guard lock(m_mutex);
    for (const auto &[key, guest] : m_guests) {
        if (!id.isEmpty() && guest.run->id() == id)
            return guest.run;
    }
    return nullptr;
}

int Intake::countRuns(Caller::Kind kind)
{
    const std::lock_guard lock(m_mutex);
    return int(std::ranges::count_if(m_guests,
                                     [&](const auto &each) { return each.second.run->request().caller.kind == kind; }));
}

int Intake::cancelRunsOf(const QString &pairing, const Text &why)
{
    std::vector<RunPointer> runs;
    {
        std::lock_guard lock(m_mutex);
        for (const auto &[key, guest] : m_guests) {
            if (!pairing.isEmpty() && guest.run->request().caller.pairing == pairing)
                runs.push_back(guest.run);
        }
    }
    for (const auto &run : runs)
        run->cancelBecause(why);
    return int(runs.size());
}

void Intake::expect(const QString &language)
{
    std::lock_guard lock(m_mutex);
    if (m_closed)
        return;
    try {
        if (!m_ahead)
            m_ahead = std::make_unique<WorkThread>();
    } catch (const std::system_error &) {
        return; // no more threads: the run that comes finds what it needs by itself
    }
    m_ahead->post([this, language] {
        const auto known = Languages::byId(language);
        const auto interpreter =
            known ? m_rooms.languages.find(**known, m_stopAhead.get_token()) : std::unexpected(known.error());
        if (!interpreter)
            return; // the run that comes says so
        const Policy policy = m_rooms.settings.policy();
        if (const auto backend = m_rooms.backends.of(policy.backend))
            (*backend)->expect(shapeFor((*known)->recipe(*interpreter, {}, policy.limits, {}), policy));
    });
}

std::shared_ptr<Run> Intake::refuse(RunRequest request, const Error &error)
{
    const auto run = std::make_shared<LiveRun>(std::move(request));
    run->finish(unacceptedResult(error));
    return run;
}

void Intake::accept(const RunPointer &run)
{
    const RunRequest &request = run->request();
    const auto language = languageOf(request);
    const AcceptedEntry entry = acceptedEntry(newId(m_clock), request, language ? *language : nullptr);
    const auto acceptance = std::make_shared<Acceptance>(SoundRequest::check(request, language, m_rooms.backends));
    // An approval is bound to all of the code, also where only its beginning is on record.
    const bool isWhole = entry.code.kept == entry.code.bytes;
    acceptance->approval = {entry.run,
                            entry.caller,
                            entry.language,
                            request.policy,
                            isWhole ? entry.code.digest
                                    : QCryptographicHash::hash(request.code, QCryptographicHash::Sha256),
                            request.code,
                            request.secrets,
                            request.args,
                            request.files,
                            {},
                            {},
                            request.variables,
                            request.interpreter,
                            request.session,
                            request.sessionTree,
                            request.isStateful,
                            request.isParallel,
                            request.isDetached,
                            request.packages,
                            request.getsPackages};
    acceptance->held = {entry.code.digest, entry.run};
    const auto partDone = [this, run, acceptance] {
        if (--acceptance->open == 0)
            accepted(run, *acceptance);
    };
    m_rooms.log.append(toEntry(entry), [acceptance, partDone](Result<AuditReceipt> receipt) {
        acceptance->logged = std::move(receipt);
        partDone();
    });
    {
        std::lock_guard lock(m_mutex);
        Guest &guest = m_guests.at(run.get());
        guest.entry = entry.run;
        if (acceptance->request)
            guest.request = *acceptance->request;
    }
    acceptance->wentAhead = goesAhead(run, *acceptance);
    acceptance->stored = storeCode(m_rooms.store, entry, request);
    partDone();
}

// Whether the run gets its sandbox while its entry is being committed. The corridor waits for the entry before the first
// instruction of the code; until then nothing may happen that anybody sees.
bool Intake::goesAhead(const RunPointer &run, Acceptance &acceptance)
{
    const RunRequest &request = run->request();
    const bool isPrivate = request.secrets.empty() && request.policy.folders.isEmpty() && request.session.isEmpty();
    if (!acceptance.request || !isPrivate || run->stopToken().stop_requested())
        return false;
    acceptance.admitted = m_rooms.approvals.admit(acceptance.approval);
    if (!*acceptance.admitted || m_rooms.approvals.decide(acceptance.approval).verdict != Verdict::Allow)
        return false;
    move(*run, Stage::Accepting, Stage::Admitted);
    run->goAhead();
    if (m_queue->startNow(run))
        return true;
    run->stayBehind();
    move(*run, Stage::Admitted, Stage::Accepting);
    return false;
}

// On the intake's thread or the log's. Whatever follows moves the run on from Accepting, and nobody else does.
void Intake::accepted(const RunPointer &run, const Acceptance &acceptance)
{
    if (acceptance.wentAhead)
        return caughtUp(*run, acceptance);
    if (!acceptance.logged) {
        std::ignore = m_rooms.store.drop(acceptance.held); // no entry would ever lead to it
        m_rooms.readiness.lookAgain();
        return finish(run, unacceptedResult(acceptance.logged.error()));
    }
    run->setAccepted(acceptance.approval.run);
    const auto endBecause = [&](Outcome outcome, const Text &reason, const Text &detail = {}) {
        move(*run, Stage::Accepting, Stage::Closing);
        end(run, {outcome, reason}, detail);
    };
    if (!acceptance.stored)
        return endBecause(Outcome::SetupFailed, acceptance.stored.error().message, acceptance.stored.error().detail);
    if (run->stopToken().stop_requested())
        return endBecause(Outcome::Cancelled, run->cancelReason());
    if (!acceptance.request)
        return endBecause(Outcome::Rejected, acceptance.request.error().message, acceptance.request.error().detail);
    const Status admitted = acceptance.admitted ? *acceptance.admitted : m_rooms.approvals.admit(acceptance.approval);
    if (!admitted)
        return endBecause(Outcome::Rejected, admitted.error().message);
    const AuthorisationDecision decision = m_rooms.approvals.decide(acceptance.approval);
    switch (decision.verdict) {
    case Verdict::Allow:
        move(*run, Stage::Accepting, Stage::Admitted);
        return admit(run);
    case Verdict::Ask:
        move(*run, Stage::Accepting, Stage::Asking);
        return ask(run, acceptance.approval, decision.wants);
    case Verdict::Deny:
        return endBecause(Outcome::Denied, decision.reason);
    }
}

// A run whose sandbox is made already. An agent may have been paused or removed while the entry was on its way to the disk.
void Intake::caughtUp(LiveRun &run, const Acceptance &acceptance)
{
    if (!acceptance.logged) {
        m_rooms.readiness.lookAgain();
        return run.setUnrecorded(acceptance.logged.error());
    }
    if (acceptance.stored && acceptance.approval.caller.kind == Caller::Kind::Mcp) {
        const AuthorisationDecision decision = m_rooms.approvals.decide(acceptance.approval);
        if (decision.verdict != Verdict::Allow)
            return run.setDenied(
                acceptance.approval.run,
                decision.reason.isEmpty()
                    ? Text(QT_TRANSLATE_NOOP("engine", "The permission for this run was taken back while "
                                                       "the run waited for the log. Send the request again."))
                    : decision.reason);
    }
    run.setAccepted(acceptance.approval.run, acceptance.stored);
}

void Intake::ask(const RunPointer &run, ApprovalRequest request, const QList<Want> &wants)
{
    run->enter(RunState::Waiting);
    request.wants = wants;
    m_rooms.approvals.ask(request, [weak = weak_from_this(), run](const ApprovalDecision &decision) {
        if (const auto self = weak.lock())
            self->answered(run, decision);
    });
    if (run->stopToken().stop_requested())
        cancelled(run); // a cancel that came before the stage was Asking
}

void Intake::answered(const RunPointer &run, const ApprovalDecision &decision)
{
    if (!move(*run, Stage::Asking, decision.allowed ? Stage::Admitted : Stage::Closing))
        return; // cancelled meanwhile
    if (decision.allowed)
        admit(run);
    else
        end(run, {Outcome::Denied, decision.reason});
}

void Intake::admit(const RunPointer &run)
{
    m_queue->admit(run);
    if (run->stopToken().stop_requested())
        cancelled(run); // a cancel that came before the queue had it
}

// A run that is being accepted, or that has its own thread, looks at the stop token itself.
void Intake::cancelled(const RunPointer &run)
{
    if (move(*run, Stage::Asking, Stage::Closing))
        m_rooms.approvals.withdraw(run->id());
    else if (!m_queue->remove(*run) || !move(*run, Stage::Admitted, Stage::Closing))
        return;
    end(run, {Outcome::Cancelled, run->cancelReason()});
}

bool Intake::move(const LiveRun &run, Stage from, Stage to)
{
    std::lock_guard lock(m_mutex);
    const auto guest = m_guests.find(&run);
    if (guest == m_guests.end() || guest->second.stage != from)
        return false;
    guest->second.stage = to;
    return true;
}

// Of a run that was accepted and never began. On the intake's thread, as it may write to the store.
void Intake::end(const RunPointer &run, const Ending &ending, const Text &detail)
{
    m_work->post([this, run, ending, detail] {
        if (!detail.isEmpty())
            run->addEvent({EventType::ErrorDetail, detail});
        if (ending.outcome == Outcome::Cancelled)
            run->addEvent(codeNotRun());
        RunResult result;
        result.id = run->id();
        result.outcome = ending.outcome;
        result.reason = ending.reason;
        result.events = run->allEvents();
        if (const Status kept = KeptCode(m_rooms, *run).settle(nullptr); !kept)
            addIncomplete(result, kept.error().message);
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
    Guest &guest = m_guests.at(&run);
    auto onCancel = std::move(guest.onCancel);
    const QString entry = guest.entry;
    lock.unlock();
    // Waits for a cancel() that is inside the callback on another thread. Only then the run is off the list: when the list is
    // empty, nobody uses the queue and the work thread any more.
    onCancel.reset();
    m_rooms.approvals.runEnded(entry);
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
        m_stopAhead.request_stop();
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
    m_ahead.reset();
    m_queue.reset();
    m_work.reset();
}

} // namespace glovebox
