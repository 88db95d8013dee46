// SPDX-License-Identifier: Apache-2.0
#include "record.h"

#include "app/workbench/editor/code/codeeditor.h"
#include "app/workbench/shell/words/words.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QJsonDocument>
#include <QLocale>
#include <QRect>
#include <QStringDecoder>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int mostCells = 1000; // columns, and rows: a screen of that many is still laid out in no time

// lupdate finds the strings under this name.
struct RunRecordWords
{
    Q_DECLARE_TR_FUNCTIONS(RunRecord)
};

QStringList textsFrom(const QJsonValue &value)
{
    QStringList texts;
    const QJsonArray array = value.toArray();
    for (const auto text : array)
        texts.append(text.toString());
    return texts;
}

void takeAccepted(const QJsonObject &entry, RunRecord &record)
{
    const QJsonValue caller = entry.value("caller"_L1);
    record.caller.kind = record.row.callerKind;
    record.caller.pid = caller["pid"_L1].toInteger();
    record.caller.program = caller["program"_L1].toString();
    record.caller.claimed = caller["claimed"_L1].toString();
    record.policyJson = entry.value("policy"_L1).toObject();
    if (auto policy = policyFromJson(record.policyJson, LimitRange::jobWallMax))
        record.policy = *std::move(policy);
    record.variables = textsFrom(entry.value("variables"_L1));
    record.interpreter = entry.value("interpreter"_L1).toString();
    const QSize cells(entry.value("terminal"_L1)["columns"_L1].toInt(), entry.value("terminal"_L1)["rows"_L1].toInt());
    if (const QRect possible(1, 1, mostCells, mostCells); possible.contains(cells.width(), cells.height()))
        record.terminal = cells;
    const QJsonArray lent = entry.value("lent"_L1).toArray();
    for (const auto secret : lent) {
        const QString name = secret["name"_L1].toString(), place = secret["as"_L1].toString();
        const bool asFile = place.startsWith(u'/');
        record.secrets.push_back({name, asFile || place == name ? QString() : place, asFile});
    }
}

RecordedDecision decisionFrom(EntryKind kind, const QJsonObject &entry)
{
    RecordedDecision decision{.kind = kind,
                              .changes = entry.value("changes"_L1).toInteger(),
                              .refused = entry.value("refused"_L1).toInteger(),
                              .reason = textFrom(entry.value("reason"_L1))};
    decision.folders = textsFrom(entry.value("folders"_L1));
    return decision;
}

RecordedAnswer answerFrom(const QJsonObject &entry)
{
    RecordedAnswer answer{
        .isAllowed = entry.value("allowed"_L1).toBool(),
        .by = fromString<AnsweredBy>(entry.value("by"_L1).toString()).value_or(AnsweredBy::Nobody),
        .scope = fromString<ApprovalScope>(entry.value("scope"_L1).toString()).value_or(ApprovalScope::Once),
        .isOfPaired = !entry.value("caller"_L1)["pairing"_L1].toString().isEmpty(),
        .wants = {}};
    const QJsonArray wants = entry.value("wants"_L1).toArray();
    for (const auto want : wants) {
        if (const auto read = wantFromJson(want.toObject()))
            answer.wants.append(read->words());
    }
    return answer;
}

RecordedBody load(const ContentStore &store, const StoredBody &stored, qint64 deletedMicroseconds)
{
    RecordedBody body;
    body.isCode = stored.what == "code"_L1;
    body.bytes = stored.bytes;
    body.kept = stored.kept;
    if (stored.salt.isEmpty()) {
        body.state = RecordedBody::State::Deleted;
        body.deletedMicroseconds = deletedMicroseconds;
        return body;
    }
    if (stored.kept > biggestShownBody) {
        body.state = RecordedBody::State::TooBig;
        return body;
    }
    auto content = store.get(stored.digest);
    if (content) {
        body.state = RecordedBody::State::Kept;
        body.content = *std::move(content);
    } else {
        body.state =
            content.error().code == ErrorCode::NotFound ? RecordedBody::State::Missing : RecordedBody::State::Damaged;
    }
    return body;
}

QString deletedSentence(const RecordedBody &body)
{
    if (body.deletedMicroseconds == 0)
        return body.isCode ? RunRecordWords::tr("The code was deleted.")
                           : RunRecordWords::tr("The output was deleted.");
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(body.deletedMicroseconds / 1000);
    const QString date = QLocale().toString(time.date(), QLocale::LongFormat);
    return body.isCode ? RunRecordWords::tr("The code was deleted on %1.").arg(date)
                       : RunRecordWords::tr("The output was deleted on %1.").arg(date);
}

} // namespace

Result<RunRecord> readRecord(const AuditReader &reader, const ContentStore &store, const QString &run)
{
    const auto row = reader.run(run);
    if (!row)
        return std::unexpected(row.error());
    const auto entries = reader.entriesOf(row->run);
    if (!entries)
        return std::unexpected(entries.error());
    const auto bodies = reader.bodiesOf(row->run);
    if (!bodies)
        return std::unexpected(bodies.error());
    RunRecord record;
    record.row = *row;
    record.result.id = row->run;
    record.result.backend = row->backend;
    record.result.outcome = row->outcome.value_or(Outcome::Interrupted);
    for (const StoredEntry &stored : *entries) {
        const QJsonObject entry = QJsonDocument::fromJson(stored.json).object();
        const auto kind = kindOf(entry);
        if (kind == EntryKind::RunFinished)
            record.calls.clear();
        record.isBroken = record.isBroken || kind == EntryKind::RunInterrupted;
        if (kind == EntryKind::RunAccepted) {
            takeAccepted(entry, record);
        } else if (kind == EntryKind::RunScrubbed) {
            record.scrubbed = textsFrom(entry.value("secrets"_L1));
        } else if (kind == EntryKind::ApprovalDecided) {
            record.answer = answerFrom(entry);
        } else if (kind && isFolderDecision(*kind)) {
            record.decisions.append(decisionFrom(*kind, entry));
        } else if (kind == EntryKind::ToolCalled) {
            record.calls.append(entry.value("tool"_L1).toString());
        } else if (kind == EntryKind::RunFinished || kind == EntryKind::RunInterrupted) {
            record.finishedMicroseconds = entry.value("time_us"_L1).toInteger();
            takeEnd(record.result, stored, entry);
        } else if (kind != EntryKind::ArtifactReleased) { // which the list of files has
            record.others.append(entry);
        }
    }
    if (auto artifacts = artifactsOf(reader, row->run))
        record.result.artifacts = *std::move(artifacts);
    const qint64 deleted = whenDeleted(reader, *row).value_or(std::nullopt).value_or(0);
    for (const StoredBody &stored : *bodies) {
        RecordedBody &body = stored.what == "code"_L1     ? record.code
                             : stored.what == "stdout"_L1 ? record.out
                                                          : record.err;
        body = load(store, stored, deleted);
    }
    return record;
}

bool RunRecord::hasCopies() const
{
    const auto isCopy = [](const FolderGrant &folder) { return folder.mode == FolderGrant::Mode::Stage; };
    return policy && std::ranges::any_of(policy->folders, isCopy);
}

std::expected<QString, QString> codeToRun(const RunRecord &record)
{
    const RecordedBody &code = record.code;
    if (code.state == RecordedBody::State::None)
        return std::unexpected(RunRecordWords::tr("The log has no code of it."));
    if (code.state != RecordedBody::State::Kept || code.isCut())
        return std::unexpected(bodyRemark(code, record.row.run));
    if (!record.scrubbed.isEmpty())
        return std::unexpected(scrubbedRemark(record));
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    QString text = decoder(code.content);
    if (decoder.hasError() || text.contains(QChar::Null))
        return std::unexpected(RunRecordWords::tr("This code isn't text, so the editor can't hold it as it was."));
    if (const qsizetype longest = longestLineOf(text); longest > CodeEditor::longestLine)
        return std::unexpected(
            RunRecordWords::tr("This code has a line of %1 characters, and the editor takes lines up to %2.")
                .arg(longest)
                .arg(CodeEditor::longestLine));
    return text;
}

QString scrubbedRemark(const RunRecord &record)
{
    if (record.scrubbed.isEmpty())
        return {};
    return RunRecordWords::tr(
               "The value of %1 was in this code and was redacted, so this isn't the code byte for byte.")
        .arg(record.scrubbed.join(u", "_s));
}

QString bodyRemark(const RecordedBody &body, const QString &run)
{
    switch (body.state) {
    case RecordedBody::State::Deleted:
        return deletedSentence(body) + u' ' + RunRecordWords::tr("The entry itself is intact.");
    case RecordedBody::State::Missing:
        return RunRecordWords::tr("This is in the log, but its file is missing from the store. The entry itself is "
                                  "still there. A backup of the data folder might have the file.");
    case RecordedBody::State::Damaged:
        return RunRecordWords::tr("The stored file is not the recorded one: the file was changed or damaged, so it "
                                  "isn't shown. The entry itself is still there.");
    case RecordedBody::State::TooBig:
        return RunRecordWords::tr("%1 are too much to be shown here. \"glovebox audit show %2\" prints all of it.")
            .arg(sizeWord(body.kept), run);
    case RecordedBody::State::None:
    case RecordedBody::State::Kept:
        break;
    }
    if (body.isCut())
        return RunRecordWords::tr("%2 of %1 were kept.").arg(sizeWord(body.bytes), sizeWord(body.kept));
    return {};
}

} // namespace glovebox
