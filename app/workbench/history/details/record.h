// SPDX-License-Identifier: Apache-2.0
// Everything that is on record about one run, read back from the log and the content store.
#pragma once

#include "engine/engine.h"

#include <QJsonObject>
#include <QSize>

#include <vector>

namespace glovebox {

// Code or output, with what became of it.
struct RecordedBody
{
    enum class State {
        None, // there never was any
        Kept,
        Deleted, // with what other old runs left
        Missing,
        Damaged,
        TooBig, // to be shown here
    };
    State state = State::None;
    QByteArray content; // of a kept one
    qint64 bytes = 0; // before a cap
    qint64 kept = 0;
    bool isCode = false; // else output
    qint64 deletedMicroseconds = 0; // 0: when isn't known

    bool isCut() const { return bytes > kept; }
    bool operator==(const RecordedBody &) const = default;
};

// What became of the run's changes to copies of folders: an entry about it.
struct RecordedDecision
{
    EntryKind kind; // one of folder.*
    QStringList folders; // the originals
    qint64 changes = 0;
    qint64 refused = 0;
    Text reason; // of folder.interrupted

    bool operator==(const RecordedDecision &) const = default;
};

// What was answered to the question whether it may run.
struct RecordedAnswer
{
    bool isAllowed = false;
    AnsweredBy by = AnsweredBy::Nobody;
    ApprovalScope scope = ApprovalScope::Once;
    bool isOfPaired = false; // else "never" ends with the connection
    QStringList wants; // "the network: example.org"

    bool operator==(const RecordedAnswer &) const = default;
};

constexpr qint64 biggestShownBody = 16 * mebibyte;

struct RunRecord
{
    RunRow row;
    Caller caller;
    QJsonObject policyJson; // as it is in the entry
    std::optional<Policy> policy; // nullopt: this version can't read it
    std::vector<SecretGrant> secrets; // in the order in which they were lent
    QStringList variables; // names of its environment that the person set
    QString interpreter; // that was chosen; empty: the usual one
    std::optional<QSize> terminal; // columns and rows, when it began; nullopt: it had none, or its size isn't known
    QStringList scrubbed; // of those: whose values stood in the code, which is kept without them
    RunResult result; // of a finished run; its output isn't filled in
    bool isBroken = false; // Glovebox ended in the middle of it, so that nobody put on record what became of it
    qint64 finishedMicroseconds = 0;
    RecordedBody code, out, err;
    QStringList calls; // of tools, one name a call; empty in a finished run, whose events tell how each call ended
    QList<RecordedDecision> decisions;
    qint64 waiting =
        0; // changes in copies of folders that a person can apply or discard now; readRecord() knows of none
    bool isHalfUndone = false; // undoing them was cut short, and waits for the person; the same
    std::optional<RecordedAnswer> answer; // nullopt: nobody was asked
    QList<QJsonObject> others; // entries about it that have no form here: opened ports, kinds of a newer version

    bool isFinished() const { return row.finishedSeq > 0; }
    bool hasCopies() const; // of folders, as far as this version can read its policy
    bool operator==(const RunRecord &) const = default;
};

// Blocks: for the log's thread.
Result<RunRecord> readRecord(const AuditReader &reader, const ContentStore &store, const QString &run);

// The code as text, if it can be edited and run again as it was; else why not, as a sentence.
std::expected<QString, QString> codeToRun(const RunRecord &record);
// Says that the code is kept without the values of secrets; empty: it is kept as it was written.
QString scrubbedRemark(const RunRecord &record);
// Why a body can't be shown, or not all of it; empty: all of it can.
QString bodyRemark(const RecordedBody &body, const QString &run);

} // namespace glovebox
