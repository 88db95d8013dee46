// SPDX-License-Identifier: Apache-2.0
// What this machine can do for a run, in words.
#pragma once

#include "app/workbench/shell/context.h"

namespace glovebox {

// The consequence for a run where this control is weak or missing, to go on after "here, ".
QString consequenceOf(ControlId control);
// "17 of 19 protections are verified; 2 are weaker than asked for."
QString summaryOf(const Readiness &readiness);
Tone toneOf(const Readiness &readiness);
// The same facts as plain text, for a bug report.
QString asText(const Readiness &readiness, const Paths &paths);

} // namespace glovebox
