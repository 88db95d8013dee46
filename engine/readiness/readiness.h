// SPDX-License-Identifier: Apache-2.0
// The room's public header: one answer to "can code run here, and why not". Buttons, pages and commands show it, and work out
// nothing of their own.
#pragma once

#include "engine/languages/languages.h"
#include "engine/sandbox/sandbox.h"
#include "engine/settings/settings.h"

#include <mutex>
#include <thread>

namespace glovebox {

// One part of what a run needs.
struct Part
{
    enum class State {
        Unknown, // nobody looked yet: nothing is claimed
        Ready,
        Degraded, // runs start, but with less than was asked for
        Blocked, // no run starts
    };
    State state = State::Unknown;
    Error why; // of Degraded and Blocked: a sentence, and the cause
    Text remedy; // what to do, where the sentence doesn't say it; may be empty
    QString told() const; // both, in English

    bool operator==(const Part &) const = default;
};

struct LanguageReadiness
{
    QString id, name, package; // of Language
    Part part;
    QList<InterpreterCandidate> candidates; // all that were seen, with versions
    // Of the interpreter that runs get; empty: not known.
    QString version() const;

    bool operator==(const LanguageReadiness &) const = default;
};

struct Readiness
{
    bool isLooking = false; // what follows is of an earlier look, and a new one goes on
    Part record; // whether runs can be put on record
    Part policy; // whether the settings' policy can be kept to here
    Part backend;
    BackendReport sandbox; // what runs are sealed with, by the policy
    QList<BackendReport> builders; // each that there is
    QList<LanguageReadiness> languages; // empty before the first look

    // The part that a run of this language would fail with, in the order in which it would meet them; null: none that is known.
    const Part *obstacle(const QString &language) const;
    bool hasObstacles() const; // for runs of some language at least
    // Whether a look found that a run of some language would start.
    bool canRun() const;

    bool operator==(const Readiness &) const = default;
};

// The controls that are weaker than asked for or missing.
QList<ControlId> weakControls(const BackendReport &report);
QStringList idsOf(const QList<ControlId> &controls); // as in JSON

// Keeps the answer, and looks again. Looking launches sealed trials and asks interpreters for their versions; no lock of the
// board is held meanwhile, nor any that a run waits for. Thread-safe.
class ReadinessBoard
{
public:
    // whyUnrecorded: asked at once, and for each look: why nothing can be put on record, if so; may block for the disk. The rooms must
    // outlive the board.
    ReadinessBoard(const Backends &backends, const Languages &languages, const Settings &settings,
                   std::function<std::optional<Error>()> whyUnrecorded);
    ~ReadinessBoard(); // waits for the look that goes on

    Readiness current() const;
    // Looks on this thread: blocks for a second, or for 5 s an interpreter that hangs.
    Readiness look();
    // Looks on a thread of the board's own, if somebody is subscribed; once more when a look goes on. Never blocks.
    void lookAgain();
    // As Run::onChange(): wake is called at once, and then at most once until the next call to current().
    void onChange(std::function<void()> wake);
    // The backend is about to go: what is found out from now on says nothing about this machine. Never blocks.
    void close();

private:
    Readiness lookAt() const;
    void publish(quint64 ticket, const Readiness &found);
    void callWake() const;

    const Backends &m_backends;
    const Languages &m_languages;
    const Settings &m_settings;
    const std::function<std::optional<Error>()> m_whyUnrecorded;

    mutable std::mutex m_wakeMutex; // held while wake is called
    std::function<void()> m_wake;

    mutable std::mutex m_mutex; // guards what follows
    Readiness m_current;
    quint64 m_tickets = 0; // looks that were begun
    quint64 m_published = 0; // the youngest that is shown: an older one that ends later is dropped
    mutable bool m_armed = false; // the next change calls wake
    bool m_isSubscribed = false;
    bool m_isWanted = false; // a look by the thread
    bool m_hasThread = false; // and it will see m_isWanted
    bool m_closed = false;
    std::jthread m_looker;
};

} // namespace glovebox
