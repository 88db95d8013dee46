// SPDX-License-Identifier: Apache-2.0
#include "pump.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

namespace glovebox {
namespace {

using namespace std::chrono_literals;
using Time = std::chrono::steady_clock::time_point;

constexpr size_t readSize = 64 * kibibyte;
constexpr auto interruptGrace = 1s; // from Ctrl+C to kill
constexpr auto killGrace = 5s; // a killed sandbox that doesn't report its end by then is lost
constexpr auto drainGrace = 2s; // for output that is still in the pipes when nobody is left to write
constexpr auto inputEndsEvery = 200ms;
constexpr int inputEndsBeforeEnter = 3; // who takes one of them as the end gets no Enter

// By termios(3) of the other side; a line as a whole otherwise.
bool takesKeyByKey(int terminal)
{
    termios mode{};
    return ::tcgetattr(terminal, &mode) == 0 && (mode.c_lflag & ICANON) == 0;
}

class Pump
{
public:
    Pump(SealedProcess &process, LiveRun &run, std::chrono::milliseconds wall, RunNetwork *network,
         std::function<void()> onProgramEnd)
        : m_process(process)
        , m_run(run)
        , m_egress(network ? network->egress.get() : nullptr)
        , m_names(network ? &network->names : nullptr)
        , m_allowlist(allowlistFromTexts(run.request().policy.allow).value_or(network::Allowlist()))
        , m_onProgramEnd(std::move(onProgramEnd))
        , m_started(std::chrono::steady_clock::now())
        , m_deadline(m_started + wall)
        , m_stdin(process.takeStdin())
        , m_stdout(process.takeStdout())
        , m_stderr(process.takeStderr())
        , m_buffer(std::make_unique_for_overwrite<char[]>(readSize))
    {
        if (m_run.request().terminal)
            m_run.setTerminal(m_stdout.get());
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
            m_wake.reset(ends[0]);
            m_wakeWriter.reset(ends[1]);
            m_run.setWakeDescriptor(m_wakeWriter.get());
        }
    }
    ~Pump()
    {
        m_run.setWakeDescriptor(-1);
        m_run.setTerminal(-1);
        m_run.refuseInput();
        if (!m_run.request().secrets.empty())
            wipe(m_buffer.get(), readSize);
    }

    PumpEnd run();

private:
    bool isOver(Time now) const;
    void obey(Time now);
    void kill(Time now);
    void waitForSomething(Time now);
    void readFrom(UniqueFd &pipe, OutputStream stream);
    void feed();
    void endInput(Time now);
    void takeEvents(int max);
    void nameWhatIsMeant(RunEvent &event);
    void takeLookup(const RunEvent &event);
    void answerNames();
    void takeAttempts();
    void takeWhatIsWritten();
    void takeEnd(bool hungUp);

    SealedProcess &m_process;
    LiveRun &m_run;
    Egress *m_egress;
    ClosedNames *m_names;
    const network::Allowlist m_allowlist;
    std::function<void()> m_onProgramEnd; // empty once it was called
    const Time m_started;
    const Time m_deadline;
    AnsweringTime m_answering;
    UniqueFd m_stdin, m_stdout, m_stderr;
    UniqueFd m_wake, m_wakeWriter;
    std::unique_ptr<char[]> m_buffer;
    std::optional<Time> m_interruptedAt, m_killedAt, m_endedAt;
    std::optional<Time> m_inputEndsAgainAt; // of a terminal
    int m_inputEnds = 0; // that were written to it
    bool m_hasBegunLine = false; // in what was written to it
    QList<RunEvent> m_lookups; // of names
    bool m_isLookupNamed = false; // what was asked inside the run's network
    PumpEnd m_end;
};

PumpEnd Pump::run()
{
    // The end is looked for before the clock and the person are: who ended by themselves wasn't stopped.
    Time now = m_started;
    takeEnd(false);
    while (!isOver(now)) {
        if (!m_endedAt)
            obey(now);
        waitForSomething(now);
        now = std::chrono::steady_clock::now();
    }
    if (m_stdout || m_stderr)
        m_run.addEvent({EventType::OutputIncomplete,
                        Text(QT_TRANSLATE_NOOP("engine", "The run's output could not be read to the end."))});
    for (RunEvent &lookup : m_lookups) {
        if (m_names && m_allowlist.empty() && !lookup.destination && !m_isLookupNamed)
            m_run.addEvent(std::move(lookup));
    }
    if (m_end.sandbox.usage.wall == 0us)
        m_end.sandbox.usage.wall =
            std::chrono::duration_cast<std::chrono::microseconds>(m_endedAt.value_or(now) - m_started);
    m_run.endOutput();
    return m_end;
}

bool Pump::isOver(Time now) const
{
    return m_endedAt && ((!m_stdout && !m_stderr) || now >= *m_endedAt + drainGrace);
}

// What the clock and the person ask for.
void Pump::obey(Time now)
{
    const int cancels = m_run.cancelCount();
    if (cancels > 0 && m_end.by == EndedBy::Itself)
        m_end.by = EndedBy::Cancel;
    if (now >= m_deadline && m_end.by == EndedBy::Itself)
        m_end.by = EndedBy::Deadline;

    // An interpreter that stays needn't end with what it does.
    const bool mayGoOn = m_process.isPartOfProgram() && cancels <= 1;
    if (m_killedAt) {
        if (now >= *m_killedAt + killGrace) {
            m_end.sandbox.lost =
                Text(QT_TRANSLATE_NOOP("engine", "The sandbox was killed but did not report its end."));
            m_endedAt = now;
        }
    } else if ((now >= m_deadline && !mayGoOn) || cancels > 1
               || (m_interruptedAt && now >= *m_interruptedAt + interruptGrace)) {
        m_process.kill();
        m_killedAt = now;
    } else if ((cancels == 1 || now >= m_deadline) && !m_interruptedAt) {
        m_process.interrupt();
        m_interruptedAt = now;
    }
}

void Pump::waitForSomething(Time now)
{
    Time until = m_deadline;
    if (m_endedAt)
        until = *m_endedAt + drainGrace;
    else if (m_killedAt)
        until = *m_killedAt + killGrace;
    else if (m_interruptedAt)
        until =
            now >= m_deadline ? *m_interruptedAt + interruptGrace : std::min(until, *m_interruptedAt + interruptGrace);
    const bool answers = !m_endedAt && m_answering.isLeft(now);
    const bool hasNames = m_names && m_names->isThere();
    if (!answers && !m_endedAt && (m_process.eventDescriptor() >= 0 || hasNames))
        until = std::min(until, m_answering.againAt());
    if (!m_wake) // no descriptor was left for it
        until = std::min(until, now + 100ms);
    if (!m_endedAt && m_stdin && m_run.inputIsOver())
        endInput(now);
    if (m_inputEndsAgainAt && m_stdin && !m_endedAt)
        until = std::min(until, *m_inputEndsAgainAt);
    const auto timeout = std::chrono::ceil<std::chrono::milliseconds>(std::max(until - now, Time::duration::zero()));

    if (const auto size = m_run.takeSize())
        m_process.resize(*size);
    const bool toFeed = m_stdin && !m_run.nextInput(1).isEmpty();
    // poll() passes over negative descriptors.
    std::vector<pollfd> waits{
        {m_stdout.get(), POLLIN, 0},
        {m_stderr.get(), POLLIN, 0},
        {toFeed ? m_stdin.get() : -1, POLLOUT, 0},
        {m_endedAt ? -1 : m_process.reportDescriptor(), POLLIN, 0},
        {m_wake.get(), POLLIN, 0},
        {answers ? m_process.eventDescriptor() : -1, POLLIN, 0},
        {m_egress ? m_egress->descriptor() : -1, POLLIN, 0},
    };
    const auto fixed = std::ssize(waits);
    if (!m_endedAt)
        m_process.addTo(waits);
    const std::size_t others = waits.size();
    if (answers && hasNames)
        m_names->addTo(waits);
    if (::poll(waits.data(), waits.size(), static_cast<int>(std::min<qint64>(timeout.count(), INT_MAX))) <= 0)
        return;
    if (waits[4].revents) {
        char bytes[64];
        while (::read(m_wake.get(), bytes, sizeof bytes) == sizeof bytes) { }
    }
    if (waits[0].revents)
        readFrom(m_stdout, OutputStream::Out);
    if (waits[1].revents)
        readFrom(m_stderr, OutputStream::Err);
    if (waits[2].revents)
        feed();
    if (waits[5].revents)
        m_answering.spend([this] { takeEvents(1); });
    if (waits[6].revents)
        takeAttempts();
    const auto isReady = [](const pollfd &source) { return source.revents != 0; };
    if (std::any_of(waits.begin() + static_cast<std::ptrdiff_t>(others), waits.end(), isReady))
        answerNames();
    const bool isPartOver =
        std::any_of(waits.begin() + fixed, waits.begin() + static_cast<std::ptrdiff_t>(others), isReady);
    if (waits[3].revents || isPartOver)
        takeEnd(waits[3].revents & (POLLHUP | POLLERR | POLLNVAL));
}

void Pump::readFrom(UniqueFd &pipe, OutputStream stream)
{
    const ssize_t got = ::read(pipe.get(), m_buffer.get(), readSize);
    if (got > 0) {
        m_run.addOutput(stream, QByteArrayView(m_buffer.get(), got));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        m_run.setTerminal(-1);
        pipe.reset();
    }
}

void Pump::feed()
{
    const QByteArray piece = m_run.nextInput(readSize);
    const ssize_t taken = ::write(m_stdin.get(), piece.constData(), static_cast<size_t>(piece.size()));
    if (taken >= 0) {
        if (taken > 0)
            m_hasBegunLine = !QByteArrayView("\r\n").contains(piece.at(taken - 1));
        m_run.inputTaken(taken);
    } else if (errno != EAGAIN && errno != EINTR) {
        // A program that doesn't read all of its input is no failure of the run.
        const qint64 lost = m_run.refuseInput();
        m_stdin.reset();
        m_run.addEvent(
            {EventType::InputRefused,
             Text(lost == 1 ? QT_TRANSLATE_NOOP("engine", "The run closed its input while 1 byte was waiting.")
                            : QT_TRANSLATE_NOOP("engine", "The run closed its input while %1 bytes were "
                                                          "waiting."),
                  {QString::number(lost)})});
    }
}

// A terminal has no end of file but Ctrl+D. Twice, as the first ends a line that was begun; and again and again, as a shell that reads
// key by key throws away what was typed before, and each further program reads an end of its own. In the middle of a line such a shell
// takes no Ctrl+D: Enter ends the line, as the end of a pipe would.
void Pump::endInput(Time now)
{
    if (!m_run.request().terminal) {
        m_stdin.reset();
        return;
    }
    if (m_inputEndsAgainAt && now < *m_inputEndsAgainAt)
        return;
    const bool isFirst = m_inputEnds++ == 0;
    const bool enters = m_hasBegunLine && m_inputEnds > inputEndsBeforeEnter && takesKeyByKey(m_stdin.get());
    if (enters)
        m_hasBegunLine = false;
    [[maybe_unused]] const ssize_t ignored = ::write(m_stdin.get(), enters ? "\r" : "\4\4", isFirst ? 2 : 1);
    m_inputEndsAgainAt = now + inputEndsEvery;
}

void Pump::takeEvents(int max)
{
    for (RunEvent &event : m_process.takeEvents(max)) {
        if (event.type == EventType::NetworkLookup) {
            takeLookup(event);
            continue;
        }
        auto &to = event.destination;
        if (m_egress && to && event.type == EventType::NetworkConnect)
            nameWhatIsMeant(event);
        auto attempt = to ? refusedConnection(m_allowlist, to->host, to->port) : std::nullopt;
        if (attempt)
            m_run.addRefused(*std::move(attempt));
        else
            m_run.addEvent(std::move(event));
    }
}

// The run's own address for an allowed name leads nowhere outside, so nobody could allow it. Which name, was told before the run knew
// the address.
void Pump::nameWhatIsMeant(RunEvent &event)
{
    if (!event.destination)
        return;
    auto &destination = *event.destination;
    QString host = m_egress->meant(destination.host);
    if (host.isEmpty() && m_egress->descriptor() >= 0) {
        takeAttempts();
        host = m_egress->meant(destination.host);
    }
    if (host.isEmpty())
        return;
    destination.host = host;
    event.detail.args = QStringList(QStringLiteral("%1:%2").arg(host).arg(destination.port));
}

// A name says more than that somebody was asked for one, and is told in its place. Whether there will be one is known at the end.
void Pump::takeLookup(const RunEvent &event)
{
    const bool isClosed = m_names && m_allowlist.empty();
    const auto names =
        isClosed && !event.question.isEmpty()
            ? m_names->overhear({event.question.constData(), static_cast<std::size_t>(event.question.size())})
            : std::nullopt;
    for (const EgressAttempt &attempt : names.value_or(QList<EgressAttempt>()))
        m_run.addRefused(attempt);
    const RunEvent lookup{event.type, event.detail, event.destination, {}};
    const bool isInside = isClosed && !event.destination;
    if (names && isInside) {
        m_isLookupNamed = true;
    } else if (!m_lookups.contains(lookup)) {
        m_lookups.append(lookup);
        if (!isInside)
            m_run.addEvent(lookup);
    }
}

void Pump::answerNames()
{
    m_answering.spend([this] {
        for (EgressAttempt &attempt : m_names->answer(1))
            m_run.addRefused(std::move(attempt));
    });
}

void Pump::takeAttempts()
{
    const bool isThere = m_egress->receive();
    m_run.setEgress(m_egress->attempts());
    tellIfSpent(*m_egress, m_run);
    if (!isThere)
        m_run.addEvent(
            {EventType::EgressLost,
             Text(QT_TRANSLATE_NOOP("engine", "The run's network was closed, because the program that keeps it to "
                                              "the allowlist ended."))});
}

// Of a part of a program. Whatever else that writes is the next part's.
void Pump::takeWhatIsWritten()
{
    for (const auto &[pipe, stream] :
         {std::pair(&m_stdout, OutputStream::Out), std::pair(&m_stderr, OutputStream::Err)}) {
        int waiting = 0; // bytes; others may go on writing
        if (::ioctl(pipe->get(), FIONREAD, &waiting) != 0)
            waiting = 0;
        while (waiting > 0 && *pipe) {
            const ssize_t got = ::read(pipe->get(), m_buffer.get(), std::min(readSize, std::size_t(waiting)));
            if (got <= 0)
                break;
            m_run.addOutput(stream, QByteArrayView(m_buffer.get(), got));
            waiting -= int(got);
        }
        pipe->reset();
    }
}

void Pump::takeEnd(bool hungUp)
{
    auto end = m_process.takeEnd();
    if (m_onProgramEnd && m_process.hasProgramEnded())
        std::exchange(m_onProgramEnd, {})();
    if (end) {
        m_end.sandbox = std::move(*end);
        // What was interrupted at the deadline had no end of its own.
        if (m_process.isPartOfProgram() && m_end.by == EndedBy::Deadline)
            m_end.sandbox.atDeadline = true;
        if (m_process.goesOn())
            takeWhatIsWritten();
    } else if (hungUp) // what had arrived is taken, and nothing can follow
        m_end.sandbox.lost = Text(QT_TRANSLATE_NOOP("engine", "The sandbox's supervisor is gone."));
    else
        return;
    takeEvents(0);
    m_endedAt = std::chrono::steady_clock::now();
}

} // namespace

PumpEnd pump(SealedProcess &process, LiveRun &run, std::chrono::milliseconds wall, RunNetwork *network,
             std::function<void()> onProgramEnd)
{
    return Pump(process, run, wall, network, std::move(onProgramEnd)).run();
}

} // namespace glovebox
