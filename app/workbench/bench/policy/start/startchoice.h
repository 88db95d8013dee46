// SPDX-License-Identifier: Apache-2.0
// The person's choice for starting a program: arguments, environment variables, and the same input each time.
#pragma once

#include "engine/engine.h"

#include <QString>

#include <expected>
#include <vector>

namespace glovebox {

// As it was typed.
struct StartChoice
{
    QString arguments; // white space between them; quotes and backslashes as in a shell
    QString variables; // NAME=value, one a line
    QString input; // empty: what the person types while it runs

    bool operator==(const StartChoice &) const = default;
};

// As a shell would split them, with nothing filled in; else a sentence.
std::expected<QByteArrayList, QString> argumentsFrom(const QString &text);
// Variables that a run takes; else a sentence about the first that it doesn't.
std::expected<std::vector<Variable>, QString> variablesFrom(const QString &text);

} // namespace glovebox
