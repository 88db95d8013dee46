// SPDX-License-Identifier: Apache-2.0
#include "result.h"

#include "engine/audit/audit.h"

#include <QJsonArray>

namespace glovebox {

using namespace Qt::StringLiterals;

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

std::optional<qint64> countFrom(const QJsonValue &value)
{
    return value.isDouble() ? std::optional(value.toInteger()) : std::nullopt;
}

std::optional<int> statusFrom(const QJsonValue &value)
{
    return value.isDouble() ? std::optional(value.toInt()) : std::nullopt;
}

Usage usageFrom(const QJsonValue &value)
{
    const auto milliseconds = [](const QJsonValue &number) {
        return std::chrono::microseconds(qint64(number.toDouble() * 1000));
    };
    Usage usage{.wall = milliseconds(value["wall_ms"_L1]),
                .peakMemoryBytes = countFrom(value["peak_memory_bytes"_L1]),
                .processes = countFrom(value["processes"_L1]),
                .source = fromString<UsageSource>(value["source"_L1].toString())};
    if (value["cpu_ms"_L1].isDouble())
        usage.cpu = milliseconds(value["cpu_ms"_L1]);
    return usage;
}

Control controlFrom(const QJsonValue &value)
{
    const QString id = value["name"_L1].toString();
    const auto known = fromString<ControlId>(id);
    const Text detail = textFrom(value["detail"_L1]);
    return {.id = known.value_or(ControlId::Unknown),
            .requested = value["requested"_L1].toString(),
            .state = fromString<Control::State>(value["state"_L1].toString()).value_or(Control::State::Missing),
            .detail = known ? detail : Text("%1: %2", {id, detail.english()})}; // told all the same, by its id
}

EgressAttempt attemptFrom(const QJsonValue &value)
{
    using Way = EgressAttempt::Way;
    using Verdict = EgressAttempt::Verdict;
    // Older versions logged these two reasons alone.
    const QString reason = value["reason"_L1]["source"_L1].toString();
    const bool wasOffAllowlist = reason == "no host was allowed"_L1 || reason == "not on the allowlist"_L1;
    return {.way = fromString<Way>(value["way"_L1].toString()).value_or(Way::Direct),
            .host = value["host"_L1].toString(),
            .port = value["port"_L1].toInt(),
            .verdict = fromString<Verdict>(value["verdict"_L1].toString()).value_or(Verdict::Denied),
            .reason = textFrom(value["reason"_L1]),
            .isOffAllowlist = value["off_allowlist"_L1].toBool(wasOffAllowlist),
            .sent = value["sent"_L1].toInteger(),
            .received = value["received"_L1].toInteger(),
            .duration = std::chrono::milliseconds(value["ms"_L1].toInteger())};
}

} // namespace

// "variables" has nothing to tell yet, and is there so that scripts needn't change when it has.
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
        {QStringLiteral("value"), result.value ? QJsonValue(textFromBytes(result.value->text)) : QJsonValue()},
        {QStringLiteral("value_truncated"), result.value && result.value->isCut},
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

void takeEnd(RunResult &result, const StoredEntry &stored, const QJsonObject &entry)
{
    result.auditSeq = stored.seq;
    result.auditLeaf = stored.leaf;
    result.outcome = fromString<Outcome>(entry["outcome"_L1].toString()).value_or(Outcome::Interrupted);
    result.reason = textFrom(entry["reason"_L1]);
    result.exitCode = statusFrom(entry["exit_code"_L1]);
    result.signal = statusFrom(entry["signal"_L1]);
    result.usage = usageFrom(entry["usage"_L1]);
    for (const auto control : entry["controls"_L1].toArray())
        result.controls.append(controlFrom(control));
    for (const auto attempt : entry["egress"_L1].toArray())
        result.egress.append(attemptFrom(attempt));
    for (const auto event : entry["events"_L1].toArray())
        result.events.append({.type = fromString<EventType>(event["type"_L1].toString()).value_or(EventType::Unknown),
                              .detail = textFrom(event["detail"_L1]),
                              .unseen = countFrom(event["unseen"_L1]),
                              .sensitive = countFrom(event["sensitive"_L1])});
    // Older versions said of runs that never began that they were shown what was asked for.
    if (nothingRan(result.outcome))
        result.events.removeIf([](const RunEvent &event) { return isOfBegunRun(event.type); });
    result.out.totalBytes = entry["stdout"_L1]["bytes"_L1].toInteger();
    result.err.totalBytes = entry["stderr"_L1]["bytes"_L1].toInteger();
}

} // namespace glovebox
