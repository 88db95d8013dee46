// SPDX-License-Identifier: Apache-2.0
#include "result.h"

#include <QJsonArray>

namespace glovebox {
namespace {

QString textOf(const CapturedOutput &output)
{
    QByteArray bytes = output.head;
    if (output.isTruncated()) {
        const qint64 missing = output.totalBytes - output.head.size() - output.tail.size();
        bytes += "\n[... " + QByteArray::number(missing) + " bytes left out ...]\n";
    }
    return textFromBytes(bytes + output.tail);
}

// Controls or events. Their detail is a sentence here, and source and arguments in the audit entry.
template<typename T> QJsonArray arrayOf(const QList<T> &list)
{
    QJsonArray array;
    for (const T &item : list) {
        QJsonObject object = toJson(item);
        object[QLatin1StringView("detail")] = item.detail.english();
        array.append(object);
    }
    return array;
}

QJsonArray egressOf(const RunResult &result)
{
    QJsonArray all;
    for (const EgressAttempt &attempt : result.egress) {
        QJsonObject object = toJson(attempt);
        object[QLatin1StringView("reason")] = attempt.reason.english();
        object[QLatin1StringView("bytes")] = attempt.sent + attempt.received;
        all.append(object);
    }
    return all;
}

QJsonObject usageOf(const RunResult &result)
{
    QJsonObject usage = toJson(result.usage);
    usage.remove(QStringLiteral("source")); // in the audit entry; no part of the contract
    return usage;
}

} // namespace

// "value" and "variables" have nothing to tell yet, and are there so that scripts needn't change when they have.
QJsonObject toJson(const RunResult &result)
{
    const bool isRecorded = result.auditSeq > 0;
    return {
        {QStringLiteral("id"), orNull(result.id)},
        {QStringLiteral("outcome"), toString(result.outcome)},
        {QStringLiteral("reason"), result.reason.english()},
        {QStringLiteral("exit_code"), orNull(result.exitCode)},
        {QStringLiteral("signal"), orNull(result.signal)},
        {QStringLiteral("stdout"), textOf(result.out)},
        {QStringLiteral("stderr"), textOf(result.err)},
        {QStringLiteral("stdout_bytes"), result.out.totalBytes},
        {QStringLiteral("stderr_bytes"), result.err.totalBytes},
        {QStringLiteral("truncated"), result.out.isTruncated() || result.err.isTruncated()},
        {QStringLiteral("value"), QJsonValue()},
        {QStringLiteral("variables"), QJsonObject()},
        {QStringLiteral("artifacts"), jsonArray(result.artifacts)},
        {QStringLiteral("skipped"), jsonArray(result.skipped)},
        {QStringLiteral("session"), orNull(result.session)},
        {QStringLiteral("usage"), usageOf(result)},
        {QStringLiteral("isolation"), QJsonObject{{QStringLiteral("backend"), result.backend},
                                                  {QStringLiteral("builder"), result.builder},
                                                  {QStringLiteral("warm"), result.warm},
                                                  {QStringLiteral("setup_us"), qint64(result.setUp.count())},
                                                  {QStringLiteral("controls"), arrayOf(result.controls)}}},
        {QStringLiteral("egress"), egressOf(result)},
        {QStringLiteral("events"), arrayOf(result.events)},
        {QStringLiteral("changes"), jsonArray(result.changes)},
        {QStringLiteral("audit"),
         QJsonObject{{QStringLiteral("index"), isRecorded ? QJsonValue(result.auditSeq) : QJsonValue()},
                     {QStringLiteral("leaf"),
                      isRecorded ? QJsonValue(QString::fromLatin1(result.auditLeaf.toHex())) : QJsonValue()}}},
    };
}

} // namespace glovebox
