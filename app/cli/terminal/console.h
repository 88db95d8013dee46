// SPDX-License-Identifier: Apache-2.0
// The program's own voice on standard output and standard error, and its exit statuses.
#pragma once

#include "engine/engine.h"

#include <QByteArray>
#include <QString>

namespace glovebox {

// The contract that scripts rely on; "glovebox help" lists it.
namespace ExitStatus {
constexpr int failed = 1; // of commands that run no code
constexpr int usage = 2;
constexpr int outputLost = 74; // EX_IOERR of sysexits(3)
constexpr int timeOrCpu = 124;
constexpr int notRun = 125;
constexpr int signalled = 128; // plus the signal's number
constexpr int memory = 137;
} // namespace ExitStatus

// A descriptor 0, 1 or 2 that the caller closed would be given to the next file opened, the audit log perhaps.
void occupyStandardDescriptors();

bool isTerminal(int descriptor);

// Writes everything, waiting as long as it takes. False with errno when that is impossible.
bool writeAll(int descriptor, QByteArrayView bytes);

// To standard output. A failure is told on standard error, and the program ends: nobody is there to read the rest.
void print(QByteArrayView bytes);
void print(const QString &text);
// One line, control characters escaped.
void printLine(const QString &text);
// The version of the contract in glovebox-json(5): "schema" of every object that --json prints.
constexpr int jsonSchema = 1;
// One JSON object in one line, with its "schema".
void printJson(QJsonObject object);

// "glovebox: sentence" as one line on standard error, control characters escaped.
QByteArray asLine(const QString &sentence);
void say(const QString &sentence);
// The message, and the exact cause in brackets when there is one.
QString sentenceOf(const Error &error);

int sayFailure(const Error &error); // returns ExitStatus::failed
// The sentence, and where help is unless a command to type ends it; returns ExitStatus::usage.
int sayUsage(const QString &sentence, const QString &command);

// Asks at the terminal on standard error; anything but yes is no. unanswered: the sentence that is said where Ctrl+C ends the program.
bool asksWhether(const QString &question, const QString &unanswered = QStringLiteral("Nothing was done."));

// "1 byte", "1048576 bytes"
QString shownBytes(qint64 bytes);

} // namespace glovebox
