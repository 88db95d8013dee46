// SPDX-License-Identifier: Apache-2.0
// The engine's side of a run: its threads write here what any number of handles read, and read what handles ask for.
#pragma once

#include "engine/run/run.h"
#include "output.h"

#include "engine/vault/vault.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>

namespace glovebox {

// Thread-safe. Holds nothing of the engine's, so a handle may outlive it.
class LiveRun final : public Run
{
public:
    explicit LiveRun(RunRequest request);

    QString id() const override;
    RunState state() const override;
    int queuePosition() const override;
    OutputSlice output(qint64 cursor, qint64 max) const override;
    EventSlice events(qint64 cursor) const override;
    QList<Control> controls() const override;
    QList<EgressAttempt> egress() const override;
    std::shared_ptr<const RunResult> result() const override;
    std::shared_ptr<const RunResult> wait() const override;
    qint64 write(QByteArrayView input) override;
    void closeInput() override;
    void resize(int rows, int columns) override;
    bool hidesInput() const override;
    std::vector<Connector> takeConnectors(std::size_t most) override;
    void cancel() override;
    void onChange(std::function<void()> wake) override;

    // The rest is for the engine.

    const RunRequest &request() const { return m_request; }
    // Requested by the first cancel().
    std::stop_token stopToken() const { return m_stop.get_token(); }
    void cancelBecause(const Text &reason);
    Text cancelReason() const;

    // The accepted entry is durable. kept: whether the code that the entry commits to is, too.
    void setAccepted(const QString &id, Status kept = {});
    // The same, of a run that isn't allowed any more.
    void setDenied(const QString &id, const Text &reason);
    bool isDenied() const;
    // The entry couldn't be committed: the run has none, and must not begin. Handles see nothing of it but its result.
    void setUnrecorded(const Error &error);
    // The run gets its sandbox while its accepted entry is being committed: until then handles see nothing of it.
    void goAhead();
    void stayBehind(); // the run didn't, after all
    // Blocks until a run that went ahead is accepted, with whatever keeps it from beginning.
    Status waitUntilAccepted() const;
    void enter(RunState state);
    // Queued, with so many before it; true if that is news. Doesn't wake anybody, so that the queue can hold its lock: call
    // announce() after.
    bool placeInQueue(int position);
    void announce();
    // From now until the end, what is added is scrubbed first. By the run's thread, before it adds output.
    void scrubWith(std::shared_ptr<const ScrubPlan> plan);
    void addOutput(OutputStream stream, QByteArrayView bytes);
    void endOutput(); // what was kept back comes out: nothing follows
    void addEvent(RunEvent event);
    void setControls(QList<Control> controls);
    void setEgress(QList<EgressAttempt> attempts); // of those that egress tells, as they stand now
    void setConnectors(std::vector<Connector> connectors); // those that nobody took before are closed
    void addRefused(EgressAttempt attempt); // of those that nobody serves
    CapturedOutput captured(OutputStream stream) const;
    QList<RunEvent> allEvents() const;
    // The last word: state Done. Events of the result replace those of the run, which they continue.
    void finish(RunResult result);

    // The pump gives the descriptor to write a byte to when input arrives or cancel() is called; -1 ends that.
    void setWakeDescriptor(int descriptor);
    // The pump's outer side of the terminal, as long as it is open; -1: none.
    void setTerminal(int descriptor);
    int cancelCount() const;
    // The first bytes of what waits to be written; they stay until inputTaken().
    QByteArray nextInput(qint64 max) const;
    void inputTaken(qint64 bytes);
    bool inputIsOver() const; // closed, and all of it taken
    std::optional<Terminal> takeSize(); // the latest, if it is news
    // Nobody reads it any more: drops what waits, and says how many bytes that was.
    qint64 refuseInput();

    static constexpr qint64 inputCapacity = mebibyte;

private:
    void keepOutput(OutputStream stream, QByteArrayView bytes);
    QString withoutSecrets(const QString &host) const;
    void changed(std::unique_lock<std::mutex> lock);
    void callWake() const;
    void wakePump();
    qint64 waitingInput() const { return m_input.size() - m_inputTaken; }

    const RunRequest m_request;
    std::stop_source m_stop;

    std::unique_ptr<Scrubber> m_scrubbers[2]; // used by the run's thread; null: nothing is looked for

    mutable std::mutex m_mutex; // guards everything up to the next mutex
    mutable std::condition_variable m_done;
    mutable std::condition_variable m_caughtUp;
    QString m_id;
    RunState m_state = RunState::Submitted;
    std::optional<RunState> m_ahead; // while nothing is seen: the state that handles see when the run is accepted
    bool m_isDecided = true; // whether it is accepted, where it went ahead
    Status m_accepted;
    bool m_isDenied = false;
    int m_queuePosition = 0;
    std::shared_ptr<const ScrubPlan> m_scrubPlan;
    OutputStore m_output;
    QList<RunEvent> m_events;
    QList<Control> m_controls;
    QList<EgressAttempt> m_egress, m_refused;
    std::vector<Connector> m_connectors;
    std::shared_ptr<const RunResult> m_result;
    QByteArray m_input;
    qint64 m_inputTaken = 0;
    bool m_inputClosed = false;
    bool m_inputShort = false; // somebody waits for room
    std::optional<Terminal> m_newSize;
    int m_cancelCount = 0;
    Text m_cancelReason;
    int m_wakeDescriptor = -1;
    int m_terminal = -1;
    mutable bool m_armed = false; // the next change calls m_wake

    mutable std::mutex m_wakeMutex; // held while m_wake runs, so that a replaced one is not running any more
    std::function<void()> m_wake;
};

} // namespace glovebox
