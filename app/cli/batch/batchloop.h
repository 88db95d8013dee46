// SPDX-License-Identifier: Apache-2.0
// Runs the tasks of a batch, as many at once as wanted, and hands each result to journal and view as it comes.
#pragma once

#include "batchview.h"
#include "journal.h"
#include "tasklist.h"

#include <list>

namespace glovebox {

// While it lives, SIGINT, SIGTERM and SIGHUP stop the batch: the first cancels what runs, a second one kills. Holds no more than the
// tasks that run. Used by one thread.
class BatchLoop
{
public:
    struct Options
    {
        int jobs = 1; // tasks at once
        bool keepsGoing = false; // after a failure
        BatchView::Options view;
    };

    // skips: by index - 1, tasks that ended before; shorter than the list: the rest don't. journal may be null.
    BatchLoop(Engine &engine, TaskList &tasks, std::vector<bool> skips, Journal *journal, Options options);
    ~BatchLoop();

    // What a batch of this journal was about to show when it was killed. Before run().
    void showAgain(const Journal::Unshown &unshown);
    // Until all have ended that were started.
    void run(BatchTally &tally);

    const BatchView &view() const { return m_view; }
    int stoppedBy() const { return m_stoppedBy; } // the first signal that came; 0: none
    const std::optional<Error> &journalError() const { return m_journalError; }

private:
    struct Active
    {
        TaskPlace place;
        std::shared_ptr<Run> run;
        QByteArray input; // that is not passed on yet
        bool isInputClosed = false;
    };

    bool takeSignals();
    void stop();
    bool mayStart() const;
    void startMore(BatchTally &tally);
    void passInput(Active &active);
    void takeEnded(BatchTally &tally);
    void show(const QList<ShownPiece> &pieces, bool isInJournal);
    void ended(const TaskPlace &place, const RunResult &result, BatchTally &tally);

    Engine &m_engine;
    TaskList &m_tasks;
    const std::vector<bool> m_skips;
    Journal *const m_journal;
    const Options m_options;
    Bell m_bell;
    BatchView m_view;
    std::list<Active> m_active;
    bool m_rang = false; // since the runs were last asked, as somebody may have taken the rings
    bool m_atEnd = false; // of the list
    bool m_failed = false; // a task did, and the rest isn't started
    int m_stoppedBy = 0;
    int m_signals = 0;
    std::optional<Error> m_journalError;
};

} // namespace glovebox
