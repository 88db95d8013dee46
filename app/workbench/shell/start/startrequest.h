// SPDX-License-Identifier: Apache-2.0
// What this start of the program was asked for, by its arguments.
#pragma once

#include <QByteArray>
#include <QStringList>

#include <optional>

class QCommandLineParser;

namespace glovebox {

struct StartRequest
{
    QStringList files; // absolute
    std::optional<QByteArray> code; // all of standard input, where "-" is among the arguments
    int startedDescriptor = -1; // gets a byte once the window is there or has taken the request

    bool operator==(const StartRequest &) const = default;
};

// The first of the arguments (without the program's name) that is no option of ours or of the toolkit; nothing: there is none.
std::optional<QString> unknownOption(const QStringList &arguments);
// The first of them that asks for help or the version, which needs no display; nothing: none does.
std::optional<QString> wordsAskedFor(const QStringList &arguments);
// Defines the arguments: help names them.
void addArguments(QCommandLineParser &parser);
// Of a parser that has parsed them. Reads standard input where that was asked for, and then blocks.
StartRequest requestFrom(const QCommandLineParser &parser);

// Whoever waits for the window goes on, and has its terminal for itself from here on.
void tellStarted(const StartRequest &request);

} // namespace glovebox
