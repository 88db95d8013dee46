// SPDX-License-Identifier: Apache-2.0
#include "batchview.h"

#include "app/cli/run/afterwards/aftermath.h"
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

namespace {

bool goToOnePlace(int a, int b)
{
    struct stat first = {}, second = {};
    return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev
           && first.st_ino == second.st_ino;
}

bool isRegularFile(int descriptor)
{
    struct stat info = {};
    return ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
}

QString outcomeOf(const RunResult &result)
{
    if (result.outcome == Outcome::Completed)
        return u"completed"_s;
    if (result.outcome == Outcome::Failed)
        return u"failed with status %1"_s.arg(result.exitCode.value_or(1));
    return reasonLine(result);
}

int descriptorOf(OutputStream stream)
{
    return stream == OutputStream::Out ? STDOUT_FILENO : STDERR_FILENO;
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
    , m_sameSink(goToOnePlace(STDOUT_FILENO, STDERR_FILENO))
    , m_line(!options.quiet)
{
}

QList<ShownPiece> BatchView::pieces(const TaskPlace &place, const RunResult &result, const BatchTally &tally) const
{
    if (m_options.json) {
        QJsonObject object = toJson(result);
        object[u"schema"_s] = jsonSchema;
        object[u"task"_s] =
            QJsonObject{{u"id"_s, place.id}, {u"index"_s, place.index}, {u"line"_s, orNull(place.line)}};
        return {{OutputStream::Out, QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n'}};
    }
    QList<ShownPiece> pieces;
    const auto add = [&pieces](const QString &sentence) {
        pieces.append({OutputStream::Err, asLine(sentence), false});
    };
    if (!m_options.quiet || result.outcome != Outcome::Completed) {
        const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(result.usage.wall);
        add(u"[%1/%2] %3: %4"_s.arg(QString::number(tally.before + tally.ended()), QString::number(tally.total),
                                    place.id, outcomeOf(result))
            + (nothingRan(result.outcome) ? QString() : u" (%1)"_s.arg(seconds(took, 2))));
    }
    addStream(pieces, OutputStream::Out, result.out);
    addStream(pieces, OutputStream::Err, result.err);
    for (const RunEvent &event : result.events) {
        if (event.type == EventType::RecordIncomplete)
            add(event.detail.english());
    }
    if (!m_options.quiet) {
        for (const QString &sentence : aftermathOf(result))
            add(sentence);
    }
    return pieces;
}

void BatchView::addStream(QList<ShownPiece> &pieces, OutputStream stream, const CapturedOutput &output) const
{
    const bool isFiltered = !m_options.raw && isTerminal(descriptorOf(stream));
    const auto add = [&](QByteArray bytes) {
        if (isFiltered) {
            TerminalFilter filter(TerminalFilter::Colours::Pass);
            bytes = filter.filter(bytes) + filter.finish();
        }
        const bool isOpen = !bytes.isEmpty() && !bytes.endsWith('\n');
        if (isOpen
            && (isFiltered || m_sameSink
                || stream == OutputStream::Err)) // a line of ours may follow on the same screen
            bytes += '\n';
        if (!bytes.isEmpty())
            pieces.append({stream, std::move(bytes)});
    };
    if (!output.isTruncated()) {
        add(output.kept());
        return;
    }
    add(output.head);
    const QString name = stream == OutputStream::Out ? u"standard output"_s : u"standard error"_s;
    pieces.append({OutputStream::Err,
                   asLine(u"%1 of %2 were left out here; -o BYTES keeps more."_s.arg(
                       shownBytes(output.totalBytes - output.head.size() - output.tail.size()), name)),
                   false});
    add(output.tail);
}

bool BatchView::show(const QList<ShownPiece> &pieces)
{
    m_line.clear();
    for (const ShownPiece &piece : pieces) {
        if (!piece.isOutput)
            write(piece);
        else if (!write(piece))
            return false;
    }
    return true;
}

void BatchView::progress(const BatchTally &tally, qsizetype running)
{
    const qint64 done = tally.before + tally.ended();
    const qint64 failed = tally.failedBefore + tally.notCompleted();
    QByteArray line = QByteArray::number(done) + " of " + QByteArray::number(tally.total) + " done";
    if (failed > 0)
        line += ", " + QByteArray::number(failed) + " failed";
    m_line.show(line + ", " + QByteArray::number(running) + " running");
}

// An error counts for output only: a batch goes on without anybody who reads sentences.
bool BatchView::write(const ShownPiece &piece)
{
    const int error = writeBytes(descriptorOf(piece.stream), piece.bytes);
    if (error != 0 && (piece.isOutput || error == EINTR))
        m_writeError = error;
    return error == 0;
}

// Returns an errno; 0: all is written.
int BatchView::writeBytes(int descriptor, QByteArrayView bytes)
{
    while (!bytes.isEmpty()) {
        pollfd waiting[2] = {{descriptor, POLLOUT, 0}, {m_bell.descriptor(), POLLIN, 0}};
        if (::poll(waiting, 2, -1) < 0 && errno != EINTR)
            return errno;
        // Rings of runs are taken with the signals; whoever waits for runs asks all of them afterwards.
        const bool goesOn = (waiting[1].revents & POLLIN) == 0 || m_stop();
        if (!goesOn && waiting[0].revents == 0)
            return EINTR;
        if (waiting[0].revents == 0)
            continue;
        // A pipe that is ready takes this much without blocking (POSIX, PIPE_BUF). A file gets everything at once, so that a kill tears no
        // line.
        const qsizetype most = isRegularFile(descriptor) ? bytes.size() : qsizetype(PIPE_BUF);
        const ssize_t count = ::write(descriptor, bytes.data(), size_t(std::min(bytes.size(), most)));
        if (count >= 0)
            bytes = bytes.sliced(count);
        else if (errno != EINTR && errno != EAGAIN)
            return errno;
    }
    return 0;
}

} // namespace glovebox
