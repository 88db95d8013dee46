// SPDX-License-Identifier: Apache-2.0
#include "inbox.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace glovebox {

namespace {

std::chrono::milliseconds patienceWith(const ApprovalRequest &request, const Inbox::Patience &patience)
{
    return std::min(patience.ask, request.patience.value_or(patience.ask));
}

Text silence(const ApprovalRequest &request, const Inbox::Patience &own)
{
    const auto patience = patienceWith(request, own);
    if (!request.tool.isEmpty())
        return Text(QT_TRANSLATE_NOOP("engine", "Nobody answered for %1 s whether %2 may be called. Ask the person to "
                                                "open Glovebox's window, then call again."),
                    {QString::number(double(patience.count()) / 1000, 'g', 3), request.tool});
    const QList<Want> &wants = request.wants;
    const QString minutes = QString::number(double(patience.count()) / 60'000, 'g', 3);
    return Text(QT_TRANSLATE_NOOP("engine",
                                  "Nobody answered for %1 min, so this run was denied. The person has to allow "
                                  "%2 in Glovebox; then send it again."),
                {minutes, wants.isEmpty() ? QStringLiteral("it") : wordsOf(wants)});
}

ApprovalDecision denial(const Text &reason)
{
    return {.allowed = false, .reason = reason};
}

} // namespace

struct Inbox::Private
{
    struct WaitingAsk
    {
        Ask ask;
        Answer answer;
    };
    struct WaitingPairing
    {
        Pairing pairing;
        PairingAnswer answer;
    };

    void expire(std::stop_token stop);
    void changed();
    Status answer(const QString &run, const QByteArray &digest, ApprovalDecision decision);

    Patience patience;
    std::mutex mutex; // guards what follows
    std::condition_variable_any wakeThread;
    std::vector<WaitingAsk> asks;
    std::vector<WaitingPairing> pairings;
    std::optional<Text> closed;
    bool isArmed = true;

    std::mutex wakeMutex; // taken after no other
    std::function<void()> wake;

    std::jthread thread; // last: starts when everything else is there
};

Inbox::Inbox()
    : Inbox(Patience())
{
}

Inbox::Inbox(Patience patience)
    : d(std::make_unique<Private>())
{
    d->patience = patience;
    d->thread = std::jthread([d = d.get()](const std::stop_token &stop) {
        blockSignals();
        d->expire(stop);
    });
}

Inbox::~Inbox()
{
    close(Text(QT_TRANSLATE_NOOP("engine", "Glovebox was closed before anybody answered.")));
    onChange({});
    d->thread.request_stop();
    d->thread.join();
}

void Inbox::Private::changed()
{
    {
        const std::lock_guard lock(mutex);
        if (!std::exchange(isArmed, false))
            return;
    }
    const std::lock_guard lock(wakeMutex);
    if (wake)
        wake();
}

void Inbox::Private::expire(std::stop_token stop)
{
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
        std::vector<std::function<void()>> due;
        const auto now = std::chrono::steady_clock::now();
        for (auto it = asks.begin(); it != asks.end();) {
            if (it->ask.until > now) {
                ++it;
                continue;
            }
            due.emplace_back([answer = std::move(it->answer), reason = silence(it->ask.request, patience)] {
                answer(denial(reason));
            });
            it = asks.erase(it);
        }
        for (auto it = pairings.begin(); it != pairings.end();) {
            if (it->pairing.until > now) {
                ++it;
                continue;
            }
            due.emplace_back([answer = std::move(it->answer)] {
                answer(fail(ErrorCode::TimedOut,
                            QT_TRANSLATE_NOOP("engine", "Nobody answered, so this program is not paired. Ask the "
                                                        "person to answer in Glovebox, then connect again."),
                            {}));
            });
            it = pairings.erase(it);
        }
        if (!due.empty()) {
            lock.unlock();
            for (const auto &answer : due)
                answer();
            changed();
            lock.lock();
            continue;
        }
        auto next = Moment::max();
        for (const auto &waiting : asks)
            next = std::min(next, waiting.ask.until);
        for (const auto &waiting : pairings)
            next = std::min(next, waiting.pairing.until);
        // Whatever comes has a time of its own, and wakes the thread.
        if (next == Moment::max())
            wakeThread.wait(lock, stop, [&] { return !asks.empty() || !pairings.empty(); });
        else
            wakeThread.wait_until(lock, stop, next, [&] {
                return std::ranges::any_of(asks, [&](const auto &w) { return w.ask.until < next; })
                       || std::ranges::any_of(pairings, [&](const auto &w) { return w.pairing.until < next; });
            });
    }
}

void Inbox::ask(const ApprovalRequest &request, Answer answer)
{
    std::unique_lock lock(d->mutex);
    std::optional<Text> refusal = d->closed;
    if (!refusal && d->asks.size() >= d->patience.asksMost)
        refusal =
            Text(QT_TRANSLATE_NOOP("engine", "Too many runs wait for the person's answer already. Wait until they "
                                             "answered some, then send this again."));
    if (refusal) {
        lock.unlock();
        return answer(denial(*refusal));
    }
    d->asks.push_back(
        {{request, approvalDigest(request), std::chrono::steady_clock::now() + patienceWith(request, d->patience)},
         std::move(answer)});
    lock.unlock();
    d->wakeThread.notify_one();
    d->changed();
}

void Inbox::withdraw(const QString &run)
{
    Answer dropped; // what it holds goes outside of the lock
    {
        const std::lock_guard lock(d->mutex);
        const auto found = std::ranges::find_if(d->asks, [&](const auto &w) { return w.ask.request.run == run; });
        if (found == d->asks.end())
            return;
        dropped = std::move(found->answer);
        d->asks.erase(found);
    }
    d->changed();
}

void Inbox::askToPair(const PairingRequest &request, PairingAnswer answer)
{
    std::unique_lock lock(d->mutex);
    std::optional<Text> refusal = d->closed;
    if (!refusal && d->pairings.size() >= d->patience.pairingsMost)
        refusal = Text(QT_TRANSLATE_NOOP("engine", "Too many programs wait to be paired already. Ask the person to "
                                                   "answer them, then connect again."));
    if (refusal) {
        lock.unlock();
        return answer(fail(ErrorCode::Busy, *refusal));
    }
    d->pairings.push_back({{request, std::chrono::steady_clock::now() + d->patience.pairing}, std::move(answer)});
    lock.unlock();
    d->wakeThread.notify_one();
    d->changed();
}

void Inbox::withdrawPairing(const QString &id)
{
    PairingAnswer dropped;
    {
        const std::lock_guard lock(d->mutex);
        const auto found = std::ranges::find_if(d->pairings, [&](const auto &w) { return w.pairing.request.id == id; });
        if (found == d->pairings.end())
            return;
        dropped = std::move(found->answer);
        d->pairings.erase(found);
    }
    d->changed();
}

Inbox::Contents Inbox::contents() const
{
    const std::lock_guard lock(d->mutex);
    d->isArmed = true;
    Contents contents;
    for (const auto &waiting : d->asks)
        contents.asks.append(waiting.ask);
    for (const auto &waiting : d->pairings)
        contents.pairings.append(waiting.pairing);
    return contents;
}

Status Inbox::Private::answer(const QString &run, const QByteArray &digest, ApprovalDecision decision)
{
    Answer answer;
    {
        const std::lock_guard lock(mutex);
        const auto found = std::ranges::find_if(asks, [&](const auto &w) { return w.ask.request.run == run; });
        if (found == asks.end())
            return fail(ErrorCode::NotFound, QT_TRANSLATE_NOOP("engine", "This run no longer waits for an answer."),
                        {});
        if (found->ask.digest != digest)
            return fail(ErrorCode::Busy,
                        QT_TRANSLATE_NOOP("engine", "The request changed meanwhile. Review it again, then answer."),
                        {});
        if (digest.isEmpty() && decision.allowed)
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine", "The request holds text that can't be recorded, so it can only be "
                                                    "denied."),
                        {});
        // A person may come a moment after the time, before the thread did.
        if (found->ask.until <= std::chrono::steady_clock::now())
            decision = denial(silence(found->ask.request, patience));
        decision.digest = digest;
        answer = std::move(found->answer);
        asks.erase(found);
    }
    answer(decision);
    changed();
    return {};
}

Status Inbox::allow(const QString &run, const QByteArray &digest, ApprovalScope scope)
{
    if (scope == ApprovalScope::Never)
        return deny(run, digest, scope);
    return d->answer(run, digest, {.allowed = true, .scope = scope, .by = AnsweredBy::Person});
}

Status Inbox::deny(const QString &run, const QByteArray &digest, ApprovalScope scope)
{
    const Text reason =
        scope == ApprovalScope::Never
            ? Text(QT_TRANSLATE_NOOP("engine", "The person denied this run, and whatever wants the same. Only they can "
                                               "take that back, on the Agents page."))
            : Text(QT_TRANSLATE_NOOP("engine", "The person denied this run. Ask them what they would allow before "
                                               "sending it again."));
    return d->answer(run, digest, {.allowed = false, .reason = reason, .scope = scope, .by = AnsweredBy::Person});
}

Status Inbox::answerPairing(const QString &id, bool isPaired)
{
    PairingAnswer answer;
    {
        const std::lock_guard lock(d->mutex);
        const auto found = std::ranges::find_if(d->pairings, [&](const auto &w) { return w.pairing.request.id == id; });
        if (found == d->pairings.end())
            return fail(ErrorCode::NotFound, QT_TRANSLATE_NOOP("engine", "This program no longer waits to be paired."),
                        {});
        answer = std::move(found->answer);
        d->pairings.erase(found);
    }
    answer(isPaired ? Status()
                    : fail(ErrorCode::PermissionDenied,
                           QT_TRANSLATE_NOOP("engine", "The person refused to pair this program."), {}));
    d->changed();
    return {};
}

void Inbox::close(const Text &why)
{
    std::vector<Private::WaitingAsk> asks;
    std::vector<Private::WaitingPairing> pairings;
    {
        const std::lock_guard lock(d->mutex);
        d->closed = why;
        asks.swap(d->asks);
        pairings.swap(d->pairings);
    }
    for (const auto &waiting : asks)
        waiting.answer(denial(why));
    for (const auto &waiting : pairings)
        waiting.answer(fail(ErrorCode::Cancelled, why));
    if (!asks.empty() || !pairings.empty())
        d->changed();
}

void Inbox::onChange(std::function<void()> wake)
{
    {
        const std::lock_guard lock(d->wakeMutex);
        d->wake = std::move(wake);
    }
    {
        const std::lock_guard lock(d->mutex);
        d->isArmed = d->asks.empty() && d->pairings.empty();
        if (d->isArmed)
            return;
    }
    const std::lock_guard lock(d->wakeMutex);
    if (d->wake)
        d->wake();
}

} // namespace glovebox
