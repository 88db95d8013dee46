// SPDX-License-Identifier: Apache-2.0
// "What it tried": a run told in three to six sentences, from what was observed and nothing else.
#pragma once

#include "engine/engine.h"

#include "app/workbench/shell/notifications.h"

#include <QList>

namespace glovebox {

struct StorySentence
{
    Tone tone = Tone::Info;
    QString text;

    bool operator==(const StorySentence &) const = default;
};

// The end first, then what needs a look, then the rest. Never claims what wasn't measured.
QList<StorySentence> runStory(const RunResult &result, const Policy &policy);
constexpr int longestStory = 6;

} // namespace glovebox
