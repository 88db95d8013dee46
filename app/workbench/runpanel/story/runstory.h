// SPDX-License-Identifier: Apache-2.0
// "What it tried": a run told in sentences, from what was observed and nothing else.
#pragma once

#include "engine/engine.h"

#include "app/workbench/shell/notifications.h"

#include <QList>

namespace glovebox {

// Where a sentence leads.
enum class StoryWay {
    Session, // that the run was in
    Undo, // of what the run did to it
    Doctor, // which says what to do
};

struct StorySentence
{
    Tone tone = Tone::Info;
    QString text;
    bool isFact = false; // needs no look: may be folded
    QList<StoryWay> ways = {};

    bool operator==(const StorySentence &) const = default;
};

// What needs a look, by weight: what was blocked, weakened, planted and refused, then the secrets that it printed and the rest. Says
// nothing about the output, which a result that is read from the log doesn't hold.
QList<StorySentence> whatItTried(const RunResult &result, const Policy &policy);
// That, then facts, of which the first is its end. Never claims what wasn't measured.
QList<StorySentence> runStory(const RunResult &result, const Policy &policy);
// How many are told before the person asks for more: all but facts, and of those as many as bring it to six.
qsizetype toldAtFirst(const QList<StorySentence> &story);

// "collect.example.net:443 is not on this run's allowlist."
QString blockedSentence(const EgressAttempt &attempt, const Policy &policy);
// What was denied of it, each place once.
QList<EgressAttempt> blockedOf(const QList<EgressAttempt> &attempts);

} // namespace glovebox
