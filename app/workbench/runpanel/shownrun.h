// SPDX-License-Identifier: Apache-2.0
// A run that the workbench started, as its views follow it: never by waiting, at most 60 times a second.
#pragma once

#include "output/outputlog.h"

#include "engine/engine.h"

#include <QElapsedTimer>
#include <QObject>
#include <QSize>
#include <QTime>
#include <QTimer>

#include <atomic>
#include <memory>

namespace glovebox {

// What the person started, for showing.
struct RunTitle
{
    int number = 0; // of this tab, from 1
    QString language; // "Python 3.11"
    int firstLine = 1; // the line in the editor where the code begins (more than 1 for a selection)
    bool hasTerminal = false; // its streams are a terminal of its own
    QString session; // what the session that it is in is called; empty: none
    QByteArray input; // that it is given at once, and then its end; empty: what the person types
};

// Lives on the GUI thread. Dropping it lets go of the run, but doesn't cancel it.
class ShownRun : public QObject
{
    Q_OBJECT
public:
    // request: what was started.
    ShownRun(std::shared_ptr<Run> run, RunRequest request, RunTitle title, QObject *parent = nullptr);
    ~ShownRun() override;

    const RunTitle &title() const { return m_title; }
    const RunRequest &request() const { return m_request; }
    const Policy &policy() const { return m_request.policy; }
    OutputLog &log() { return m_log; }
    const OutputLog &log() const { return m_log; }
    QString id() const { return m_id; }
    RunState state() const { return m_state; }
    bool waitsForSession() const { return m_waitsForSession; } // that another run uses
    int queuePosition() const { return m_queuePosition; }
    bool isDone() const { return m_result != nullptr; }
    std::shared_ptr<const RunResult> result() const { return m_result; }
    std::chrono::milliseconds elapsed() const; // since it was started, until it was done

    // Input is queued here when the run takes less at once; false when no more is taken.
    bool send(const QByteArray &input);
    void closeInput();
    bool inputClosed() const { return m_inputClosed; }

    // Its terminal, if it has one, is as large as what shows it now.
    void resizeTerminal(QSize cells);

    void stop(); // asks it to end; at the second call it is killed
    bool stopping() const { return m_stopping; }

    std::shared_ptr<Run> run() const { return m_run; }

Q_SIGNALS:
    void stateChanged();
    void inputChanged();
    void finished(); // after its whole output is in log()

private:
    void ring();
    void follow();
    bool drainOutput();
    bool takeOutput();
    void sendWaiting();
    void takeState();
    bool hasBegun(RunState reported) const;
    void begin(RunState reported);
    bool isWaitingForSession(RunState state) const;
    void finish();
    std::optional<std::pair<OutputLine::Kind, QString>> interpreterFate() const;

    std::shared_ptr<Run> m_run;
    const RunRequest m_request;
    const RunTitle m_title;
    OutputLog m_log;
    std::atomic<bool> m_rung = false; // a call of follow() is on its way
    QTimer m_next;
    QElapsedTimer m_sinceLast;
    QElapsedTimer m_sinceStart;
    std::chrono::milliseconds m_elapsed{0};
    qint64 m_cursor = 0;
    QString m_id;
    RunState m_state = RunState::Submitted;
    int m_queuePosition = 0;
    bool m_waitsForSession = false;
    std::shared_ptr<const RunResult> m_result;
    QSize m_terminalSize;
    QByteArray m_input;
    bool m_inputClosed = false;
    bool m_stopping = false;
    bool m_began = false; // its first instruction was reached
};

// Writes everything that is kept of the output, in order of arrival, and returns how many bytes weren't kept; -1: the
// file took less. May be called on any thread.
qint64 writeKeptOutput(const Run &run, QIODevice &file);

// Whether the usage of a run is all that its interpreter used, by the runs before it, too: the run ended an interpreter that stays and
// that an earlier run had started.
bool isUsageOfInterpreter(const RunResult &result);
// "exit 1 · 212 ms · CPU 94 ms · peak 41 MB · sealed in 3.1 ms"; "peak not known".
QString summaryLine(const RunResult &result);
// "sealed in 3.1 ms", "sealed in 1.2 ms, warm"; empty: a later run in an interpreter that stays, which was sealed with the first one.
QString sealedPhrase(const RunResult &result);

} // namespace glovebox
