// SPDX-License-Identifier: Apache-2.0
// What a person has to know of an ask, in words: the same on the sheet and on the page. Whatever a client wrote is cut and made
// visible here, and shown as plain text.
#pragma once

#include "engine/engine.h"

#include <QHash>
#include <QString>

namespace glovebox {

constexpr qsizetype longestShownWord = 300; // characters of a name, a host, a path

// One line of a client's: hidden characters and line breaks visible, what is too long cut, with how much is missing.
QString plainWord(const QString &text);

// A row of what a run wants.
struct AskRow
{
    bool isNew = false; // nobody granted it yet
    QString title; // "Network"
    QString value; // "api.github.com:443"; "none"
    bool isData = false; // the value is no words
    QString note; // "not allowed for it so far"; may be empty
    QString obstacle; // why it can't be granted, whatever the person answers; may be empty

    bool operator==(const AskRow &) const = default;
};

// What can't be granted first, then what is new or weaker. Network, keys, folders and limits are always there, if only with "none".
// obstacles: of AskFacts.
QList<AskRow> rowsOf(const ApprovalRequest &request, const QHash<QString, Text> &obstacles = {});
// What the row of a queue says beside the name: what is new and weighs most, and how much else is.
QString wantsInShort(const ApprovalRequest &request);
// How far each answer reaches, and what ends it.
QString reachWords(const ApprovalRequest &request);
QString wantWords(const Want &want); // "key GITHUB", "host example.org"

// client: the paired one, if it is known. "Codex"; never what it claims where it is paired under another name.
QString callerName(const Caller &caller, const QString &client);
QString askTitle(const ApprovalRequest &request, const QString &client); // "Codex wants to run Python"
// "Process 48213, /usr/bin/codex, started in /home/ann/shop. The name is ..." moved: folder of the log, where the environment moved it.
QString askOrigin(const Caller &caller, const QString &client, const QString &moved = {});

// Code as it can be judged: hidden characters visible, cut where it is too long to be laid out. sentences: what to know of it.
struct ShownCode
{
    QString text;
    QStringList sentences;

    bool operator==(const ShownCode &) const = default;
};
ShownCode shownCodeOf(const ApprovalRequest &request);
ShownCode shownFileOf(const InnerFile &file);
QByteArray shownPartOf(const QByteArray &text); // of which the rest is not shown

QString timeLeft(std::chrono::milliseconds left); // "4:48"

} // namespace glovebox
