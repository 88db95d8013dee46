// SPDX-License-Identifier: Apache-2.0
// The room's public header: ten attacks that a person can watch. Each is a snippet that really tries, in a run like any other;
// whether it got through is seen on this machine (a file that is there, a connection that came, a process that lives), never
// taken from what the snippet says.
#pragma once

#include "engine/run/run.h"

#include <stop_token>

namespace glovebox {

struct Attack
{
    QString id; // "read-home"
    Text title; // "Read a file in your home folder"
    Text tried; // what the snippet does, in a sentence

    bool operator==(const Attack &) const = default;
};

struct AttackResult
{
    enum class Verdict {
        Held,
        Escaped,
        NoEvidence, // nothing ran, or the same snippet doesn't get through unsealed either; detail says it
    };
    Attack attack;
    Verdict verdict = Verdict::NoEvidence;
    Text detail; // what was seen here
    bool controlled = false; // the same snippet was also run unsealed, and got through

    bool operator==(const AttackResult &) const = default;
};

template<>
inline constexpr auto enumNames<AttackResult::Verdict> = namesOf<AttackResult::Verdict>({
    {AttackResult::Verdict::Held, "held"},
    {AttackResult::Verdict::Escaped, "escaped"},
    {AttackResult::Verdict::NoEvidence, "no_evidence"},
});

QJsonObject toJson(const AttackResult &result); // {"id","title","tried","verdict","detail","controlled"}

// All of them, in the order in which they are made.
QList<Attack> allAttacks();

struct SelfTest
{
    std::function<std::shared_ptr<Run>(RunRequest)> start; // Engine::start
    Policy policy; // of a run with the person's defaults; folders and hosts are left out
    Caller caller; // who is on record for the runs
    QStringList only; // ids; empty: all
    std::function<void(const AttackResult &)> progress; // after each, on the same thread; may be empty
};

// Blocks for some seconds; not for the thread of a window. A stop request ends it after the attack that is being made; what was
// not made is not in the list. The harmless ones are made unsealed, too, to show that they get through there: their snippets
// are Glovebox's own, and what they leave is removed.
QList<AttackResult> attackItself(const SelfTest &test, std::stop_token stop = {});

} // namespace glovebox
