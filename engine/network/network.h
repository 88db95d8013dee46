// SPDX-License-Identifier: Apache-2.0
// The room's public header: what a person writes into an allowlist, read into rules or answered by a sentence; the program
// that keeps a run to it; and the strict reading of HTTP, for whoever else has to read it.
#pragma once

#include "egress.h"
#include "openedport.h"
#include "ownports.h"
#include "refusals.h"

#include "engine/base/base.h"
#include "engine/network/protocols/http/httpbody.h"
#include "engine/network/protocols/http/httprequest.h"
#include "engine/network/rules/rules.h"

#include <QStringList>

namespace glovebox {

constexpr int allowlistMax = 256; // rules
constexpr int allowedPortsMax = 64; // different ones

// InvalidInput: the sentence names the entry and says what to write instead. Equal entries count once.
Result<network::Rule> ruleFromText(const QString &text);
Result<network::Allowlist> allowlistFromTexts(const QStringList &texts);

// The rule of the place that a run was refused; nothing where none names it.
std::optional<network::Rule> ruleFor(const EgressAttempt &attempt);
// The same where allowing the place would let a run have it: nothing where it was refused for another reason.
std::optional<network::Rule> ruleThatHelps(const EgressAttempt &attempt);

// Hosts that are usually wanted together. opens is all that it opens, as rules in canonical text.
struct NetworkPreset
{
    QString name; // "pypi", as written after --allow
    Text purpose;
    QStringList opens;
};

const QList<NetworkPreset> &networkPresets();

// What a person or a program means by one entry: its rule in canonical text, or all that the preset of this name opens.
// Errors: of ruleFromText().
Result<QStringList> allowedBy(const QString &text);

} // namespace glovebox
