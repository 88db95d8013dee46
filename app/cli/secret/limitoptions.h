// SPDX-License-Identifier: Apache-2.0
// The options of "secret set" and "secret edit" that say what a secret may be lent to, and how limits are shown.
#pragma once

#include "app/cli/options.h"

#include "engine/engine.h"

namespace glovebox {

// What holds where an option isn't given: no limit, or the limit that the secret has.
enum class LimitDefaults { NoLimit, Unchanged };

std::vector<Option> limitOptions(LimitDefaults defaults);
bool hasLimitOptions(const Arguments &arguments);
// What was given replaces the limit of its kind; the rest stays. The error is a sentence for a person.
std::expected<SecretLimits, QString> limitsFrom(const Arguments &arguments, SecretLimits limits);

// "in python; no network; until 2027-01-15"; empty without limits.
QString shownLimits(const SecretLimits &limits);
// "2027-01-15 08:00 UTC"
QString shownTime(qint64 microseconds);

} // namespace glovebox
