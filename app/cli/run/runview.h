// SPDX-License-Identifier: Apache-2.0
// Connects a live run with the person at the terminal or the programs at the other ends of our pipes.
#pragma once

#include "app/cli/terminal/bell.h"
#include "app/cli/terminal/terminal.h"
#include "app/cli/terminal/terminalmode.h"

#include "engine/engine.h"

#include <deque>

namespace glovebox {

// One per run; used by the thread that made it. While it lives, SIGINT, SIGTERM and SIGHUP cancel the run instead of ending
// the program: the first softly, a second one kills.
class RunView
{
public:
    struct Options
    {
        bool shows = true; // stream output; off with --json
        bool raw = false;
        bool terminal = false; // the run has one: keys are passed on one by one
        qint64 headBytes = 0; // what is surely kept of each stream, and so can be shown at once
        QString waiting; // to be said while the run waits for its session; empty: nothing is said
        UniqueFd input; // relayed to the run; none: the run's input is empty
        Bell *bell = nullptr; // of several runs, one after the other; null: one of its own
    };

    // Takes over the signals; make it before the run is started.
    explicit RunView(Options options);
    ~RunView();

    // Until the run is done and all that is kept of its output was written.
    std::shared_ptr<const RunResult> follow(std::shared_ptr<Run> run);
    // A line on standard error, apart from the run's own.
    void note(const QString &sentence);
    // Begins a new line where what was shown ended within one.
    void endLine();
    // The first of SIGINT, SIGTERM, SIGHUP that came, or SIGPIPE when nobody reads our output any more; 0: none.
    int stoppedBy() const { return m_stoppedBy; }
    // errno of the failed write of output; EINTR when a signal came while only output was left to do; 0: all is written.
    int writeError() const { return m_writeError; }

private:
    struct Channel // one of our two outputs
    {
        int descriptor = -1;
        bool filtered = false;
        TerminalFilter filter{TerminalFilter::Colours::Pass};
        qint64 shown = 0; // bytes of the run's stream
        bool atLineStart = true;
    };
    struct Piece
    {
        int descriptor;
        QByteArray bytes;
    };

    void tellWaiting();
    bool takeOutput();
    void takeSignals();
    void stop(int signal);
    void abandonOutput(int error);
    void takeInput();
    void passInput();
    void waitForSomething();
    void show(Channel &channel, QByteArrayView bytes);
    void enqueue(const Channel &channel, QByteArray bytes);
    void showRest(Channel &channel, const CapturedOutput &output, const QString &name);
    void pause();
    void writeSome();
    void writeQueue();

    std::shared_ptr<Run> m_run;
    Options m_options;
    std::unique_ptr<Bell> m_ownBell;
    Bell &m_bell;
    std::optional<TerminalMode> m_mode;
    LeavingKey m_leavingKey;
    Channel m_out, m_err;
    bool m_sameSink = false; // both outputs go to the same terminal, pipe or file
    std::deque<Piece> m_queue; // in order of arrival over both streams
    RunState m_state = RunState::Submitted;
    qint64 m_cursor = 0;
    bool m_moreOutput = false; // the last look at the output did not see its end
    QByteArray m_input; // read but not yet taken by the run
    int m_stoppedBy = 0;
    int m_writeError = 0;
};

} // namespace glovebox
