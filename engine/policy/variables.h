// SPDX-License-Identifier: Apache-2.0
// Environment variables that the person gives a run. Their values are no secrets: those are lent (secrets.h).
#pragma once

#include "secrets.h"

#include <QByteArray>

namespace glovebox {

constexpr std::size_t variablesMax = 64; // of one run
constexpr qsizetype variableBytesMax = 64 * 1024; // of a value

struct Variable
{
    QString name;
    QByteArray value; // UTF-8

    bool operator==(const Variable &) const = default;
};

// A name has letters, digits and "_", and doesn't begin with a digit.
bool isVariableName(const QString &name);
// Programs obey it before they run a line of the snippet, or don't start without it: LD_PRELOAD, PATH, ...
bool decidesHowProgramsStart(const QString &variable);

// InvalidInput with a sentence: names that make sense, each only once and none that a secret is lent as; values without zero
// bytes, of at most variableBytesMax; no more than variablesMax.
Status checkVariables(const std::vector<Variable> &variables, const std::vector<SecretGrant> &secrets);

} // namespace glovebox
