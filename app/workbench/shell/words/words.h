// SPDX-License-Identifier: Apache-2.0
// The workbench's words, colours and shapes for what the engine names by ids: the same on every page.
#pragma once

#include "app/workbench/shell/icons.h"
#include "app/workbench/shell/notifications.h"
#include "app/workbench/shell/theme.h"

#include "engine/engine.h"

#include <QString>

#include <chrono>

namespace glovebox {

// A sentence of the engine in the person's language.
QString translated(const Text &text);

// "System call filter" for "seccomp"; an unknown id as it is.
QString controlName(ControlId id);
QString stateWord(Control::State state); // "Verified"
Colour stateColour(Control::State state);
Icon stateIcon(Control::State state);

Colour toneColour(Tone tone);
Icon toneIcon(Tone tone);

QString outcomeWord(Outcome outcome); // "Timed out"
Colour outcomeColour(Outcome outcome);

QString callerWord(Caller::Kind kind); // "Workbench"

QString durationWord(std::chrono::microseconds duration); // "212 ms", "1.2 s", "30 s", "2 min 5 s"
QString sizeWord(qint64 bytes); // "18 KB", "256 MB" (mebibytes, as the command line counts)

// With places to break a line in words that are too long for one: a label would cut their end off, which may be what matters
// ("....evil.example"). For labels only.
QString breakable(const QString &text, int longestPiece = 12);

// "file2" before "file10". A folder stands before what is in it, and that before what comes after the folder.
bool comesBefore(QByteArrayView path, QByteArrayView other);

// What "Start with fresh settings" means for the file that can't be used.
QString freshSettingsSentence(const QString &file);

} // namespace glovebox
