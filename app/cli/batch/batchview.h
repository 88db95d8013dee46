// SPDX-License-Identifier: Apache-2.0
// What a person sees of a batch: each task's outcome and output in one piece, a line of progress, one summary.
#pragma once

#include "task.h"

#include "app/cli/terminal/bell.h"
#include "app/cli/terminal/statusline.h"
#include "app/cli/terminal/terminal.h"

#include <chrono>
#include <map>

namespace glovebox {

// How many tasks came to what.
struct BatchTally
{
    qint64 total = 0; // tasks of the batch
    qint64 before = 0; // ended in an earlier batch, and skipped
    qint64 failedBefore = 0; // of those
    qint64 changes = 0; // runs that left changes in copies of folders, which wait
    qint64 lost = 0; // runs whose changes there can't be kept
    std::map<Outcome, qint64> outcomes; // of this one

    qint64 ended() const; // of this batch
    qint64 notCompleted() const;
    qint64 notRun() const; // could not or was not allowed to
    qint64 notStarted() const { return total - before - ended(); }
};

// "40 tasks: 38 completed, 1 failed, 1 timed out; 12.3 s"
QString summaryOf(const BatchTally &tally, std::chrono::milliseconds took);

// Writes to both standard streams. Waits for a slow reader, but not deaf to signals. Used by one thread.
class BatchView
{
public:
    struct Options
    {
        bool json = false;
        bool quiet = false;
        bool raw = false;
    };

    // bell rings for signals, which go to stop; where that says false, output that nobody reads is given up.
    BatchView(Options options, Bell &bell, std::function<bool()> stop);

    // What is to be shown of a task that ended.
    QList<ShownPiece> pieces(const TaskPlace &place, const RunResult &result, const BatchTally &tally) const;
    // False: they can't be written, see writeError().
    bool show(const QList<ShownPiece> &pieces);
    // Draws the line of progress, where there is one; at most some times a second.
    void progress(const BatchTally &tally, qsizetype running);
    // How long until the line that was held back is due; none is.
    std::optional<std::chrono::milliseconds> nextDrawing() const { return m_line.nextDrawing(); }
    void endProgress() { m_line.end(); }

    // errno; EINTR: given up at a signal; 0: all is written.
    int writeError() const { return m_writeError; }
    bool isJson() const { return m_options.json; }

private:
    bool write(const ShownPiece &piece);
    int writeBytes(int descriptor, QByteArrayView bytes);
    void addStream(QList<ShownPiece> &pieces, OutputStream stream, const CapturedOutput &output) const;

    const Options m_options;
    Bell &m_bell;
    const std::function<bool()> m_stop;
    const bool m_sameSink; // both streams go to one place
    StatusLine m_line; // of progress
    int m_writeError = 0;
};

} // namespace glovebox
