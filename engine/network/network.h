// SPDX-License-Identifier: Apache-2.0
// The room's public header: what a person writes into an allowlist, read into rules or answered by a sentence.
// Not enforced yet: a policy that allows a host is refused by the run's validation until a run has an egress.
#pragma once

#include "engine/base/base.h"
#include "engine/network/rules/rules.h"

#include <QStringList>

namespace glovebox {

constexpr int allowlistMax = 256; // rules

// InvalidInput: the sentence names the entry and says what to write instead. Equal entries count once.
Result<network::Rule> ruleFromText(const QString &text);
Result<network::Allowlist> allowlistFromTexts(const QStringList &texts);

// Hosts that are usually wanted together. opens is all that it opens, as rules in canonical text.
struct NetworkPreset
{
    QString name; // "pypi", as written after --allow
    Text purpose;
    QStringList opens;
};

const QList<NetworkPreset> &networkPresets();

} // namespace glovebox
