// SPDX-License-Identifier: Apache-2.0
#include "batchview.h"

#include "app/cli/run/aftermath.h"
#include "app/cli/terminal/console.h"
#include "app/cli/terminal/terminalmode.h"

#include <QJsonDocument>

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

namespace glovebox {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr auto betweenDrawings = 100ms;

// As terminals have drawn lines again since the VT100; one that can't says so.
bool canRedraw()
{
    return isTerminal(STDERR_FILENO) && !qEnvironmentVariableIsEmpty("TERM") && qgetenv("TERM") != "dumb";
}

bool goToOnePlace(int a, int b)
{
    struct stat first = {}, second = {};
    return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev
           && first.st_ino == second.st_ino;
}

QString outcomeOf(const RunResult &result)
{
    if (result.outcome == Outcome::Completed)
        return u"completed"_s;
    if (result.outcome == Outcome::Failed)
        return u"failed with status %1"_s.arg(result.exitCode.value_or(1));
    return reasonLine(result);
}

QString seconds(std::chrono::milliseconds time, int decimals)
{
    return QString::number(double(time.count()) / 1000, 'f', decimals) + u" s"_s;
}

struct OutcomeWords
{
    Outcome outcome;
    const char16_t *words;
};
constexpr OutcomeWords outcomeWords[] = {
    {Outcome::Completed, u"completed"},
    {Outcome::Failed, u"failed"},
    {Outcome::Signalled, u"ended by a signal"},
    {Outcome::TimedOut, u"timed out"},
    {Outcome::CpuLimit, u"over the processor time"},
    {Outcome::OutOfMemory, u"out of memory"},
    {Outcome::DiskLimit, u"out of disk space"},
    {Outcome::Cancelled, u"cancelled"},
    {Outcome::Rejected, u"rejected"},
    {Outcome::Denied, u"denied"},
    {Outcome::SetupFailed, u"not set up"},
    {Outcome::Interrupted, u"interrupted"},
};

} // namespace

qint64 BatchTally::ended() const
{
    qint64 sum = 0;
    for (const auto &[outcome, count] : outcomes)
        sum += count;
    return sum;
}

qint64 BatchTally::notCompleted() const
{
    const auto completed = outcomes.find(Outcome::Completed);
    return ended() - (completed == outcomes.end() ? 0 : completed->second);
}

qint64 BatchTally::notRun() const
{
    qint64 sum = 0;
    for (const auto &[outcome, count] : outcomes) {
        if (nothingRan(outcome) || outcome == Outcome::Interrupted)
            sum += count;
    }
    return sum;
}

QString summaryOf(const BatchTally &tally, std::chrono::milliseconds took)
{
    QStringList parts;
    if (tally.before > 0)
        parts.append(u"%1 done before"_s.arg(tally.before)
                     + (tally.failedBefore > 0 ? u" (%1 of them failed)"_s.arg(tally.failedBefore) : QString()));
    for (const OutcomeWords &known : outcomeWords) {
        if (const auto count = tally.outcomes.find(known.outcome); count != tally.outcomes.end())
            parts.append(u"%1 %2"_s.arg(count->second).arg(QStringView(known.words)));
    }
    if (tally.notStarted() > 0)
        parts.append(u"%1 not started"_s.arg(tally.notStarted()));
    return u"%1: %2; %3"_s.arg(tally.total == 1 ? u"1 task"_s : u"%1 tasks"_s.arg(tally.total), parts.join(u", "_s),
                               seconds(took, 1));
}

BatchView::BatchView(Options options, Bell &bell, std::function<bool()> stop)
    : m_options(options)
    , m_bell(bell)
    , m_stop(std::move(stop))
    , m_hasProgress(canRedraw() && !options.quiet)
    , m_sameSink(goToOnePlace(STDOUT_FILENO, STDERR_FILENO))
{
}

bool BatchView::show(const TaskPlace &place, const RunResult &result, const BatchTally &tally)
{
    clearProgress();
    if (m_options.json) {
        QJsonObject object = toJson(result);
        object[u"schema"_s] = jsonSchema;
        object[u"task"_s] =
            QJsonObject{{u"id"_s, place.id}, {u"index"_s, place.index}, {u"line"_s, orNull(place.line)}};
        return write(STDOUT_FILENO, QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n');
    }
    if (!m_options.quiet || result.outcome != Outcome::Completed)
        note(u"[%1/%2] %3: %4"_s.arg(QString::number(tally.before + tally.ended()), QString::number(tally.total),
                                     place.id, outcomeOf(result))
             + (nothingRan(result.outcome)
                    ? QString()
                    : u" (%1)"_s.arg(
                          seconds(std::chrono::duration_cast<std::chrono::milliseconds>(result.usage.wall), 2))));
    if (!showStream(STDOUT_FILENO, result.out, u"standard output"_s)
        || !showStream(STDERR_FILENO, result.err, u"standard error"_s))
        return false;
    for (const RunEvent &event : result.events) {
        if (event.type == EventType::RecordIncomplete)
            note(event.detail.english());
    }
    if (!m_options.quiet) {
        for (const QString &sentence : aftermathOf(result))
            note(sentence);
    }
    return m_writeError == 0;
}

bool BatchView::showStream(int descriptor, const CapturedOutput &output, const QString &name)
{
    const bool isFiltered = !m_options.raw && isTerminal(descriptor);
    const auto shown = [&](const QByteArray &bytes) {
        if (!isFiltered)
            return bytes;
        TerminalFilter filter(TerminalFilter::Colours::Pass);
        const QByteArray text = filter.filter(bytes);
        return text + filter.finish();
    };
    const auto lineEnd = [&](const QByteArray &bytes) { // something else follows on the same screen
        const bool isOpen = !bytes.isEmpty() && !bytes.endsWith('\n');
        return !isOpen || !(isFiltered || m_sameSink || descriptor == STDERR_FILENO) || write(descriptor, "\n");
    };
    if (!write(descriptor, shown(output.head)))
        return false;
    if (output.isTruncated()) {
        if (!lineEnd(output.head))
            return false;
        note(u"%1 of %2 were left out here; -o BYTES keeps more."_s.arg(
            shownBytes(output.totalBytes - output.head.size() - output.tail.size()), name));
    }
    return write(descriptor, shown(output.tail)) && lineEnd(output.tail.isEmpty() ? output.head : output.tail);
}

void BatchView::note(const QString &sentence)
{
    clearProgress();
    const int before = m_writeError; // standard error is for people: the batch goes on without one
    write(STDERR_FILENO, asLine(sentence));
    m_writeError = before;
}

void BatchView::progress(const BatchTally &tally, qsizetype running)
{
    if (!m_hasProgress)
        return;
    const qint64 done = tally.before + tally.ended();
    const qint64 failed = tally.failedBefore + tally.notCompleted();
    m_line = QByteArray::number(done) + " of " + QByteArray::number(tally.total) + " done";
    if (failed > 0)
        m_line += ", " + QByteArray::number(failed) + " failed";
    m_line += ", " + QByteArray::number(running) + " running";
    m_isDue = true;
    if (std::chrono::steady_clock::now() - m_drawn < betweenDrawings)
        return;
    m_drawn = std::chrono::steady_clock::now();
    m_isDue = false;
    m_isShown = true;
    std::ignore = writeAll(STDERR_FILENO,
                           "\r\x1b[K" + m_line.first(std::min<qsizetype>(m_line.size(), sizeOfTerminal().columns - 1)));
}

std::optional<std::chrono::milliseconds> BatchView::nextDrawing() const
{
    if (!m_isDue)
        return std::nullopt;
    const auto left = m_drawn + betweenDrawings - std::chrono::steady_clock::now();
    return std::max(std::chrono::ceil<std::chrono::milliseconds>(left), 0ms);
}

void BatchView::clearProgress()
{
    if (std::exchange(m_isShown, false))
        std::ignore = writeAll(STDERR_FILENO, "\r\x1b[K");
}

void BatchView::endProgress()
{
    clearProgress();
    m_isDue = false;
}

bool BatchView::write(int descriptor, QByteArrayView bytes)
{
    while (!bytes.isEmpty()) {
        pollfd waiting[2] = {{descriptor, POLLOUT, 0}, {m_bell.descriptor(), POLLIN, 0}};
        if (::poll(waiting, 2, -1) < 0 && errno != EINTR) {
            m_writeError = errno;
            return false;
        }
        // Rings of runs are taken with the signals; whoever waits for runs asks all of them afterwards.
        if ((waiting[1].revents & POLLIN) != 0 && !m_stop()) {
            m_writeError = EINTR;
            return false;
        }
        if (waiting[0].revents == 0)
            continue;
        // A pipe that is ready takes this much without blocking (POSIX, PIPE_BUF).
        const ssize_t count = ::write(descriptor, bytes.data(), std::min(size_t(bytes.size()), size_t(PIPE_BUF)));
        if (count >= 0) {
            bytes = bytes.sliced(count);
        } else if (errno != EINTR && errno != EAGAIN) {
            m_writeError = errno;
            return false;
        }
    }
    return true;
}

} // namespace glovebox
