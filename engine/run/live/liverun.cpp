// SPDX-License-Identifier: Apache-2.0
#include "liverun.h"

#include <termios.h>
#include <unistd.h>

#include <algorithm>

namespace glovebox {

LiveRun::LiveRun(RunRequest request)
    : m_request(std::move(request))
    , m_output(m_request.policy.limits.outputBytes)
{
}

// --- what handles read. Each of these arms the wake under the same lock under which it looks, so that every change is either
// --- in its answer or wakes.

QString LiveRun::id() const
{
    std::lock_guard lock(m_mutex);
    return m_id;
}

RunState LiveRun::state() const
{
    std::lock_guard lock(m_mutex);
    m_armed = true;
    return m_state;
}

int LiveRun::queuePosition() const
{
    std::lock_guard lock(m_mutex);
    return m_queuePosition;
}

OutputSlice LiveRun::output(qint64 cursor, qint64 max) const
{
    std::lock_guard lock(m_mutex);
    m_armed = true;
    OutputSlice slice = m_output.read(cursor, max);
    slice.atEnd = m_state == RunState::Done && slice.next == m_output.size();
    return slice;
}

EventSlice LiveRun::events(qint64 cursor) const
{
    std::lock_guard lock(m_mutex);
    m_armed = true;
    if (m_ahead)
        return {{}, std::max<qint64>(cursor, 0)};
    return {m_events.mid(std::clamp<qint64>(cursor, 0, m_events.size())), m_events.size()};
}

QList<Control> LiveRun::controls() const
{
    std::lock_guard lock(m_mutex);
    m_armed = true;
    return m_ahead ? QList<Control>() : m_controls;
}

QList<EgressAttempt> LiveRun::egress() const
{
    std::lock_guard lock(m_mutex);
    m_armed = true;
    return m_egress + m_refused;
}

std::shared_ptr<const RunResult> LiveRun::result() const
{
    std::lock_guard lock(m_mutex);
    m_armed = true;
    return m_result;
}

std::shared_ptr<const RunResult> LiveRun::wait() const
{
    std::unique_lock lock(m_mutex);
    m_done.wait(lock, [this] { return m_result != nullptr; });
    return m_result;
}

// --- what handles ask for

qint64 LiveRun::write(QByteArrayView input)
{
    std::lock_guard lock(m_mutex);
    if (m_inputClosed)
        return 0;
    const qint64 taken = std::min<qint64>(input.size(), inputCapacity - waitingInput());
    m_input.append(input.first(taken));
    if (taken < input.size()) {
        m_inputShort = true;
        m_armed = true; // who only writes must hear of room, too
    }
    if (taken > 0)
        wakePump();
    return taken;
}

void LiveRun::closeInput()
{
    std::lock_guard lock(m_mutex);
    m_inputClosed = true;
    wakePump();
}

void LiveRun::resize(int rows, int columns)
{
    std::lock_guard lock(m_mutex);
    m_newSize = Terminal{.rows = rows, .columns = columns};
    wakePump();
}

void LiveRun::setTerminal(int descriptor)
{
    std::lock_guard lock(m_mutex);
    m_terminal = descriptor;
}

bool LiveRun::hidesInput() const
{
    std::lock_guard lock(m_mutex);
    termios now = {};
    return m_terminal >= 0 && ::tcgetattr(m_terminal, &now) == 0 && (now.c_lflag & (ECHO | ICANON)) == ICANON;
}

std::vector<Connector> LiveRun::takeConnectors(std::size_t most)
{
    std::lock_guard lock(m_mutex);
    std::vector<Connector> taken;
    while (taken.size() < most && !m_connectors.empty()) {
        taken.push_back(std::move(m_connectors.back()));
        m_connectors.pop_back();
    }
    return taken;
}

void LiveRun::cancel()
{
    cancelBecause(Text(QT_TRANSLATE_NOOP("engine", "The run was stopped.")));
}

void LiveRun::cancelBecause(const Text &reason)
{
    {
        std::lock_guard lock(m_mutex);
        if (m_cancelCount == 0)
            m_cancelReason = reason;
    }
    // Runs the engine's callbacks, hence without the lock; and first, since what follows may end the run at once.
    m_stop.request_stop();
    std::lock_guard lock(m_mutex);
    ++m_cancelCount;
    wakePump();
}

void LiveRun::onChange(std::function<void()> wake)
{
    {
        std::lock_guard lock(m_wakeMutex);
        m_wake = std::move(wake);
    }
    {
        std::lock_guard lock(m_mutex);
        const bool somethingThere = m_state != RunState::Submitted;
        m_armed = !somethingThere;
        if (!somethingThere)
            return;
    }
    callWake();
}

void LiveRun::callWake() const
{
    std::lock_guard lock(m_wakeMutex);
    if (m_wake)
        m_wake();
}

// Every change ends here. The wake runs without the lock: its owner may hold one of its own while it calls us.
void LiveRun::changed(std::unique_lock<std::mutex> lock)
{
    const bool wake = !m_ahead && std::exchange(m_armed, false);
    lock.unlock();
    if (wake)
        callWake();
}

// --- what the engine reports

Text LiveRun::cancelReason() const
{
    std::lock_guard lock(m_mutex);
    return m_cancelReason;
}

void LiveRun::setAccepted(const QString &id, Status kept)
{
    std::unique_lock lock(m_mutex);
    m_id = id;
    m_state = std::exchange(m_ahead, std::nullopt).value_or(RunState::Accepted);
    m_isDecided = true;
    m_accepted = std::move(kept);
    m_caughtUp.notify_all();
    changed(std::move(lock));
}

void LiveRun::setDenied(const QString &id, const Text &reason)
{
    {
        std::lock_guard lock(m_mutex);
        m_isDenied = true;
    }
    setAccepted(id, std::unexpected(Error{ErrorCode::PermissionDenied, reason, {}}));
}

bool LiveRun::isDenied() const
{
    std::lock_guard lock(m_mutex);
    return m_isDenied;
}

void LiveRun::setUnrecorded(const Error &error)
{
    std::lock_guard lock(m_mutex);
    m_isDecided = true;
    m_accepted = std::unexpected(error);
    m_caughtUp.notify_all();
}

void LiveRun::goAhead()
{
    std::lock_guard lock(m_mutex);
    m_ahead = RunState::Accepted;
    m_isDecided = false;
}

void LiveRun::stayBehind()
{
    std::lock_guard lock(m_mutex);
    m_ahead.reset();
    m_isDecided = true;
}

Status LiveRun::waitUntilAccepted() const
{
    std::unique_lock lock(m_mutex);
    m_caughtUp.wait(lock, [this] { return m_isDecided; });
    return m_accepted;
}

void LiveRun::enter(RunState state)
{
    std::unique_lock lock(m_mutex);
    if (m_ahead) {
        m_ahead = state;
        return;
    }
    m_state = state;
    m_queuePosition = 0;
    changed(std::move(lock));
}

bool LiveRun::placeInQueue(int position)
{
    std::lock_guard lock(m_mutex);
    const bool isNews = m_state != RunState::Queued || m_queuePosition != position;
    m_state = RunState::Queued;
    m_queuePosition = position;
    return isNews;
}

void LiveRun::announce()
{
    changed(std::unique_lock(m_mutex));
}

void LiveRun::scrubWith(std::shared_ptr<const ScrubPlan> plan)
{
    for (auto &scrubber : m_scrubbers)
        scrubber = std::make_unique<Scrubber>(plan);
    std::lock_guard lock(m_mutex);
    m_scrubPlan = std::move(plan);
}

void LiveRun::addOutput(OutputStream stream, QByteArrayView bytes)
{
    const auto &scrubber = m_scrubbers[static_cast<size_t>(stream)];
    if (!scrubber)
        return keepOutput(stream, bytes);
    QByteArray harmless;
    scrubber->feed(bytes, harmless);
    if (!harmless.isEmpty())
        keepOutput(stream, harmless);
}

void LiveRun::endOutput()
{
    QMap<QString, qint64> marks;
    for (const OutputStream stream : {OutputStream::Out, OutputStream::Err}) {
        const auto scrubber = std::exchange(m_scrubbers[static_cast<size_t>(stream)], nullptr);
        if (!scrubber)
            continue;
        QByteArray rest;
        scrubber->finish(rest);
        if (!rest.isEmpty())
            keepOutput(stream, rest);
        for (const auto &[name, times] : scrubber->marks().asKeyValueRange())
            marks[name] += times;
    }
    for (const auto &[name, times] : marks.asKeyValueRange()) {
        if (times > 0)
            addEvent({EventType::SecretPrinted,
                      times == 1
                          ? Text(QT_TRANSLATE_NOOP("engine", "The run printed %1 once; shown as [secret %1]."), {name})
                          : Text(QT_TRANSLATE_NOOP("engine", "The run printed %1 %2 times; shown as [secret %1]."),
                                 {name, QString::number(times)})});
    }
}

void LiveRun::keepOutput(OutputStream stream, QByteArrayView bytes)
{
    std::unique_lock lock(m_mutex);
    const bool wasTruncated = m_output.isTruncated(stream);
    m_output.append(stream, bytes);
    if (!wasTruncated && m_output.isTruncated(stream)) {
        m_events.append(
            {EventType::OutputTruncated,
             Text(QT_TRANSLATE_NOOP("engine", "%1 is longer than %2 bytes; only its beginning and its end are kept."),
                  {toString(stream), QString::number(m_request.policy.limits.outputBytes)})});
    }
    changed(std::move(lock));
}

void LiveRun::addEvent(RunEvent event)
{
    std::unique_lock lock(m_mutex);
    if (m_scrubPlan) {
        event.detail = m_scrubPlan->scrubbed(std::move(event.detail));
        if (event.files)
            event.files->name = m_scrubPlan->scrubbed(event.files->name);
    }
    m_events.append(std::move(event));
    changed(std::move(lock));
}

void LiveRun::setControls(QList<Control> controls)
{
    std::unique_lock lock(m_mutex);
    m_controls = std::move(controls);
    changed(std::move(lock));
}

// With the lock. Names are escaped where they are read, and a value has none of these escapes.
QString LiveRun::withoutSecrets(const QString &host) const
{
    if (!m_scrubPlan)
        return host;
    const QByteArray name = bytesOfHost(host);
    const QByteArray harmless = m_scrubPlan->scrubbedName(name);
    return harmless == name ? host : shownHost(harmless);
}

void LiveRun::setEgress(QList<EgressAttempt> attempts)
{
    std::unique_lock lock(m_mutex);
    for (qsizetype i = 0; m_scrubPlan && i < attempts.size(); ++i) {
        // The list grows, and comes anew with every attempt.
        const bool isKnown = i < m_egress.size() && m_egress[i].reason.source == attempts[i].reason.source;
        attempts[i].host = isKnown ? m_egress[i].host : withoutSecrets(attempts[i].host);
        attempts[i].reason = isKnown ? m_egress[i].reason : m_scrubPlan->scrubbed(attempts[i].reason);
    }
    m_egress = std::move(attempts);
    changed(std::move(lock));
}

void LiveRun::setConnectors(std::vector<Connector> connectors)
{
    std::lock_guard lock(m_mutex);
    m_connectors = std::move(connectors);
}

void LiveRun::addRefused(EgressAttempt attempt)
{
    std::unique_lock lock(m_mutex);
    attempt.host = withoutSecrets(attempt.host);
    m_refused.append(std::move(attempt));
    changed(std::move(lock));
}

CapturedOutput LiveRun::captured(OutputStream stream) const
{
    std::lock_guard lock(m_mutex);
    return m_output.captured(stream);
}

QList<RunEvent> LiveRun::allEvents() const
{
    std::lock_guard lock(m_mutex);
    return m_events;
}

void LiveRun::finish(RunResult result)
{
    std::unique_lock lock(m_mutex);
    m_events = result.events;
    result.session = isId(m_request.session) ? m_request.session : QString();
    m_result = std::make_shared<const RunResult>(std::move(result));
    m_ahead.reset();
    m_state = RunState::Done;
    m_queuePosition = 0;
    m_input.clear();
    m_inputTaken = 0;
    m_inputClosed = true;
    m_scrubPlan.reset(); // a handle may outlive the run for long
    m_done.notify_all();
    changed(std::move(lock));
}

// --- what the pump needs

void LiveRun::setWakeDescriptor(int descriptor)
{
    std::lock_guard lock(m_mutex);
    m_wakeDescriptor = descriptor;
}

// A full pipe has woken it already.
void LiveRun::wakePump()
{
    if (m_wakeDescriptor >= 0) [[maybe_unused]]
        const ssize_t ignored = ::write(m_wakeDescriptor, "", 1);
}

int LiveRun::cancelCount() const
{
    std::lock_guard lock(m_mutex);
    return m_cancelCount;
}

QByteArray LiveRun::nextInput(qint64 max) const
{
    std::lock_guard lock(m_mutex);
    return m_input.mid(m_inputTaken, max);
}

void LiveRun::inputTaken(qint64 bytes)
{
    std::unique_lock lock(m_mutex);
    m_inputTaken += bytes;
    if (m_inputTaken > inputCapacity / 2 || waitingInput() == 0) {
        m_input.remove(0, m_inputTaken);
        m_inputTaken = 0;
    }
    if (std::exchange(m_inputShort, false))
        changed(std::move(lock));
}

bool LiveRun::inputIsOver() const
{
    std::lock_guard lock(m_mutex);
    return m_inputClosed && waitingInput() == 0;
}

std::optional<Terminal> LiveRun::takeSize()
{
    std::lock_guard lock(m_mutex);
    return std::exchange(m_newSize, std::nullopt);
}

qint64 LiveRun::refuseInput()
{
    std::lock_guard lock(m_mutex);
    const qint64 lost = waitingInput();
    m_inputClosed = true;
    m_input.clear();
    m_inputTaken = 0;
    return lost;
}

} // namespace glovebox
