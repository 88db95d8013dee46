// SPDX-License-Identifier: Apache-2.0
// One poll(2) loop over standard input, our outputs, and a pipe on which the run and signals ring.
#include "runview.h"

#include "app/cli/terminal/console.h"
#include "app/cli/terminal/disknotice.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 pieceBytes = 64 * kibibyte;
// Reading a terminal from the background would stop us (SIGTTIN).
bool isInBackgroundOf(int terminal)
{
    const pid_t foreground = ::tcgetpgrp(terminal);
    return foreground > 0 && foreground != ::getpgrp();
}

bool isSameFile(int a, int b)
{
    struct stat first = {}, second = {};
    return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev
           && first.st_ino == second.st_ino;
}

} // namespace

RunView::RunView(Options options)
    : m_options(std::move(options))
    , m_ownBell(m_options.bell
                    ? nullptr
                    : std::make_unique<Bell>(m_options.terminal ? Bell::Rings::AlsoForSize : Bell::Rings::ForStopping))
    , m_bell(m_options.bell ? *m_options.bell : *m_ownBell)
{
    m_out.descriptor = STDOUT_FILENO;
    m_err.descriptor = STDERR_FILENO;
    for (Channel *channel : {&m_out, &m_err})
        channel->filtered = !m_options.raw && isTerminal(channel->descriptor);
    if (m_options.terminal)
        m_out.filter = TerminalFilter(TerminalFilter::Colours::Pass, true);
    m_sameSink = isSameFile(STDOUT_FILENO, STDERR_FILENO);
}

RunView::~RunView()
{
    if (m_run)
        m_run->onChange({});
}

std::shared_ptr<const RunResult> RunView::follow(std::shared_ptr<Run> run)
{
    m_run = std::move(run);
    m_run->onChange(m_bell.ringer());
    if (!m_options.input)
        m_run->closeInput();
    else if (m_options.terminal && isTerminal(m_options.input.get()) && !isInBackgroundOf(m_options.input.get()))
        m_mode.emplace(STDIN_FILENO); // which stays open to the end
    DiskNotice::Speaker slowDisk(m_bell.ringer());
    bool hasRun = false;
    for (;;) {
        takeSignals();
        tellWaiting();
        if (slowDisk.isDue())
            note(DiskNotice::sentence());
        if (!hasRun && m_state >= RunState::Running) { // what the run left is put on the disk, too
            hasRun = true;
            slowDisk.again();
        }
        const bool atEnd = takeOutput();
        passInput();
        if (atEnd && m_queue.empty())
            break;
        waitForSomething();
        writeSome();
        takeInput();
    }
    const auto result = m_run->wait();
    m_mode.reset();
    if (m_options.shows) {
        showRest(m_out, result->out, u"standard output"_s);
        showRest(m_err, result->err, u"standard error"_s);
        pause();
        writeQueue();
    }
    return result;
}

void RunView::note(const QString &sentence)
{
    pause();
    QByteArray line = asLine(sentence);
    if (!m_err.atLineStart || (m_sameSink && !m_out.atLineStart))
        line.prepend('\n');
    m_err.atLineStart = true;
    m_out.atLineStart = m_out.atLineStart || m_sameSink;
    enqueue(m_err, line);
    writeQueue();
}

void RunView::endLine()
{
    pause();
    if (!m_err.atLineStart || (m_sameSink && !m_out.atLineStart))
        enqueue(m_err, "\n");
    m_err.atLineStart = true;
    m_out.atLineStart = m_out.atLineStart || m_sameSink;
    writeQueue();
}

void RunView::tellWaiting()
{
    if (m_options.waiting.isEmpty() || m_state == RunState::Running)
        return;
    const QList<RunEvent> events = m_run->events(0).events;
    if (std::ranges::find(events, EventType::SessionWaits, &RunEvent::type) != events.end())
        note(std::exchange(m_options.waiting, QString()));
}

// True when nothing follows.
bool RunView::takeOutput()
{
    m_moreOutput = false;
    // Asking makes the run ring again. While our own output is stuck there is no need, unless input waits for room.
    if (m_queue.empty() || !m_input.isEmpty())
        m_state = m_run->state();
    if (!m_options.shows)
        return m_state == RunState::Done;
    if (!m_queue.empty())
        return false;
    const OutputSlice slice = m_run->output(m_cursor, pieceBytes);
    m_moreOutput = slice.next != m_cursor;
    m_cursor = slice.next;
    for (const OutputChunk &chunk : slice.chunks) {
        // What is beyond the head may yet be left out of the record; it is shown when that is known.
        Channel &channel = chunk.stream == OutputStream::Out ? m_out : m_err;
        const qint64 from = channel.shown - chunk.offset;
        const qint64 to = std::min<qint64>(chunk.bytes.size(), m_options.headBytes - chunk.offset);
        if (from < 0 || from >= to)
            continue;
        show(channel, QByteArrayView(chunk.bytes).sliced(from, to - from));
        channel.shown += to - from;
    }
    return slice.atEnd;
}

void RunView::takeSignals()
{
    for (const int signal : m_bell.takeSignals()) {
        if (signal == SIGWINCH) {
            const Terminal size = sizeOfTerminal();
            m_run->resize(size.rows, size.columns);
        } else {
            stop(signal);
        }
    }
}

void RunView::stop(int signal)
{
    if (m_stoppedBy == 0)
        m_stoppedBy = signal;
    if (m_run->state() == RunState::Done)
        abandonOutput(EINTR);
    else
        m_run->cancel();
}

void RunView::abandonOutput(int error)
{
    m_queue.clear();
    if (m_writeError == 0)
        m_writeError = error;
}

void RunView::takeInput()
{
    if (!m_input.isEmpty() || !m_options.input)
        return;
    pollfd ready{m_options.input.get(), POLLIN, 0};
    if (m_state != RunState::Running || isInBackgroundOf(ready.fd) || ::poll(&ready, 1, 0) != 1)
        return;
    QByteArray bytes(pieceBytes, Qt::Uninitialized);
    const ssize_t count = ::read(ready.fd, bytes.data(), size_t(bytes.size()));
    if (count > 0) {
        m_input = bytes.first(count);
        if (m_mode && m_leavingKey.isIn(m_input))
            stop(SIGINT);
    } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
        m_options.input.reset();
        m_run->closeInput();
    }
}

void RunView::passInput()
{
    if (!m_input.isEmpty())
        m_input.remove(0, m_run->write(m_input));
}

void RunView::waitForSomething()
{
    pollfd waiting[3] = {{m_bell.descriptor(), POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLOUT, 0}};
    int timeout = m_moreOutput && m_queue.empty() ? 0 : -1;
    if (m_input.isEmpty() && m_options.input && m_state == RunState::Running) {
        constexpr int untilForegroundMs = 500; // nothing tells when a shell brings us to the front
        if (isInBackgroundOf(m_options.input.get()))
            timeout = timeout == 0 ? 0 : untilForegroundMs;
        else
            waiting[1].fd = m_options.input.get();
    }
    if (!m_queue.empty())
        waiting[2].fd = m_queue.front().descriptor;
    ::poll(waiting, 3, timeout);
}

void RunView::show(Channel &channel, QByteArrayView bytes)
{
    if (bytes.isEmpty())
        return;
    channel.atLineStart = bytes.back() == '\n';
    enqueue(channel, channel.filtered ? channel.filter.filter(bytes) : bytes.toByteArray());
}

void RunView::enqueue(const Channel &channel, QByteArray bytes)
{
    if (!bytes.isEmpty() && m_writeError == 0)
        m_queue.push_back({channel.descriptor, std::move(bytes)});
}

void RunView::showRest(Channel &channel, const CapturedOutput &output, const QString &name)
{
    show(channel, QByteArrayView(output.head).sliced(std::min<qint64>(channel.shown, output.head.size())));
    if (output.isTruncated())
        note(u"%1 of %2 were left out here; -o BYTES keeps more."_s.arg(
            shownBytes(output.totalBytes - output.head.size() - output.tail.size()), name));
    show(channel, output.tail);
}

// Ends what is unfinished on the terminal: something else follows.
void RunView::pause()
{
    for (Channel *channel : {&m_out, &m_err}) {
        if (channel->filtered)
            enqueue(*channel, channel->filter.finish());
    }
}

void RunView::writeSome()
{
    if (m_queue.empty())
        return;
    Piece &piece = m_queue.front();
    pollfd ready{piece.descriptor, POLLOUT, 0};
    if (::poll(&ready, 1, 0) != 1)
        return;
    // A pipe that is ready takes this much without blocking (POSIX, PIPE_BUF).
    const size_t most = std::min(size_t(piece.bytes.size()), size_t(PIPE_BUF));
    const ssize_t count = ::write(piece.descriptor, piece.bytes.constData(), most);
    if (count >= 0) {
        piece.bytes.remove(0, count);
    } else if (errno != EINTR && errno != EAGAIN) {
        abandonOutput(errno);
        if (m_writeError == EPIPE && m_stoppedBy == 0)
            m_stoppedBy = SIGPIPE;
        m_run->cancel();
    }
    if (!m_queue.empty() && m_queue.front().bytes.isEmpty())
        m_queue.pop_front();
}

void RunView::writeQueue()
{
    while (!m_queue.empty()) {
        waitForSomething();
        writeSome();
        takeSignals();
    }
}

} // namespace glovebox
