// SPDX-License-Identifier: Apache-2.0
// What this machine can do for a run, found out by doing it, and what that means in words.
#pragma once

#include "app/workbench/shell/context.h"

namespace glovebox {

struct LanguageFinding
{
    QString name; // "Python"
    QString package; // what to install when none is usable
    QList<InterpreterCandidate> candidates;

    bool operator==(const LanguageFinding &) const = default;
};

struct Checkup
{
    BackendReport backend; // what runs are built with
    QList<BackendReport> builders; // each that there is
    QList<LanguageFinding> languages;

    bool operator==(const Checkup &) const = default;
};

// Launches a sealed probe and asks interpreters for their versions: blocks, for a second at worst. Thread-safe.
Checkup checkUp(Engine &engine);

// The command in a remedy, as it can be pasted into a terminal; empty when there is none.
QString commandIn(const QString &remedy);
// Names of the controls that are weaker than asked for or missing.
QStringList weakControls(const BackendReport &report);
// "17 of 19 protections are verified; 2 are weaker than asked for."
QString summaryOf(const BackendReport &report);
Tone toneOf(const BackendReport &report);
// The same facts as plain text, for a bug report.
QString asText(const Checkup &checkup, const Paths &paths);

} // namespace glovebox
