// SPDX-License-Identifier: Apache-2.0
#include "limitwords.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <cmath>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

struct LimitWords
{
    Q_DECLARE_TR_FUNCTIONS(Limits)
};

constexpr auto limitTitles = namesOf<LimitKind>({
    {LimitKind::Wall, QT_TRANSLATE_NOOP("Limits", "Time")},
    {LimitKind::CpuTime, QT_TRANSLATE_NOOP("Limits", "Processor time")},
    {LimitKind::CpuShare, QT_TRANSLATE_NOOP("Limits", "Share of the processors")},
    {LimitKind::Memory, QT_TRANSLATE_NOOP("Limits", "Memory")},
    {LimitKind::Processes, QT_TRANSLATE_NOOP("Limits", "Processes")},
    {LimitKind::Output, QT_TRANSLATE_NOOP("Limits", "Output")},
    {LimitKind::Disk, QT_TRANSLATE_NOOP("Limits", "Disk")},
    {LimitKind::Traffic, QT_TRANSLATE_NOOP("Limits", "Traffic")},
    {LimitKind::Bandwidth, QT_TRANSLATE_NOOP("Limits", "Bandwidth")},
});

bool isOfNetwork(LimitKind kind)
{
    return std::ranges::find(networkLimits, kind) != std::end(networkLimits);
}

LimitSpan spanOf(LimitKind kind)
{
    switch (kind) {
    case LimitKind::Wall:
        return {LimitRange::wallMin.count(), LimitRange::wallMax.count()};
    case LimitKind::CpuTime:
        return {LimitRange::cpuMin.count(), LimitRange::cpuMax.count()};
    case LimitKind::CpuShare:
        return {LimitRange::cpuPercentMin, LimitRange::cpuPercentMax};
    case LimitKind::Memory:
        return {LimitRange::memoryMin, LimitRange::memoryMax};
    case LimitKind::Processes:
        return {LimitRange::processesMin, LimitRange::processesMax};
    case LimitKind::Output:
        return {LimitRange::outputMin, LimitRange::outputMax};
    case LimitKind::Traffic:
        return {LimitRange::trafficMin, LimitRange::trafficMax};
    case LimitKind::Bandwidth:
        return {LimitRange::bandwidthMin, LimitRange::bandwidthMax};
    case LimitKind::Disk:
        break;
    }
    return {LimitRange::diskMin, LimitRange::diskMax};
}

// What a unit stands for; 0: none of this kind. An empty unit is the usual one.
double factorOf(LimitKind kind, const QString &unit)
{
    if (kind == LimitKind::Processes)
        return unit.isEmpty() || unit.startsWith(u"p"_s) ? 1 : 0;
    if (kind == LimitKind::CpuShare)
        return unit.isEmpty() || unit == u"%"_s ? 1 : unit.startsWith(u"p"_s) ? 100 : 0;
    if (kind == LimitKind::Wall || kind == LimitKind::CpuTime) {
        if (unit.isEmpty() || unit == u"s"_s || unit == u"sec"_s || unit == u"seconds"_s)
            return 1000;
        if (unit == u"ms"_s)
            return 1;
        if (unit == u"m"_s || unit == u"min"_s || unit == u"minutes"_s)
            return 60'000;
        return unit == u"h"_s ? 3'600'000 : 0;
    }
    if (unit == u"b"_s || unit == u"bytes"_s)
        return 1;
    if (unit == u"k"_s || unit == u"kb"_s || unit == u"kib"_s)
        return double(kibibyte);
    if (unit.isEmpty() && kind == LimitKind::Bandwidth)
        return double(kibibyte);
    if (unit.isEmpty() || unit == u"m"_s || unit == u"mb"_s || unit == u"mib"_s)
        return double(mebibyte);
    return unit == u"g"_s || unit == u"gb"_s || unit == u"gib"_s ? double(1024 * mebibyte) : 0;
}

// Nothing is rounded and thousands aren't grouped: what stands in a field is taken as it stands there.
QString exactTime(qint64 ms)
{
    constexpr qint64 hour = 3'600'000;
    if (ms > hour && ms % hour == 0)
        return LimitWords::tr("%1 h").arg(ms / hour);
    QStringList parts;
    if (ms >= 60'000)
        parts << LimitWords::tr("%1 min").arg(ms / 60'000);
    if (ms % 60'000 != 0 || parts.isEmpty())
        parts << LimitWords::tr("%1 s").arg(double(ms % 60'000) / 1000);
    return parts.join(u' ');
}

QString exactSize(qint64 bytes)
{
    if (bytes == 0 || bytes % kibibyte != 0)
        return LimitWords::tr("%1 bytes").arg(bytes);
    if (bytes % mebibyte != 0)
        return LimitWords::tr("%1 KB").arg(bytes / kibibyte);
    if (bytes % (1024 * mebibyte) != 0)
        return LimitWords::tr("%1 MB").arg(bytes / mebibyte);
    return LimitWords::tr("%1 GB").arg(bytes / (1024 * mebibyte));
}

bool mayBeNone(LimitKind kind)
{
    return kind == LimitKind::CpuTime || kind == LimitKind::CpuShare || isOfNetwork(kind);
}

} // namespace

QString limitTitle(LimitKind kind)
{
    return LimitWords::tr(QByteArrayView(limitTitles[size_t(kind)]).toByteArray());
}

QString limitExplanation(LimitKind kind)
{
    switch (kind) {
    case LimitKind::Wall:
        return LimitWords::tr("Real time from the first instruction. When it is over, everything inside is ended.");
    case LimitKind::CpuTime:
        return LimitWords::tr("Processor time of all processes together. Waiting doesn't count. When it is used up, "
                              "everything inside is ended.");
    case LimitKind::CpuShare:
        return LimitWords::tr(
            "The share of the processors for all processes together, in percent of one: 200% are two. "
            "The run is slowed down, not stopped.");
    case LimitKind::Memory:
        return LimitWords::tr("Memory of all processes of a run together. Their files count as disk space.");
    case LimitKind::Processes:
        return LimitWords::tr("Processes and threads at the same time, the interpreter included.");
    case LimitKind::Output:
        return LimitWords::tr(
            "Kept of standard output and of standard error each: the beginning and the end. The rest is "
            "counted, not kept.");
    case LimitKind::Traffic:
        return LimitWords::tr(
            "How much the run may move over the network, both ways and all connections together. When it is "
            "used up, nothing more gets through.");
    case LimitKind::Bandwidth:
        return LimitWords::tr("How much of that in a second, both ways and all connections together.");
    case LimitKind::Disk:
        break;
    }
    return LimitWords::tr("Files in /work, /tmp and /dev/shm together. They are gone when the run is, but for those in "
                          "/work that the log keeps.");
}

QString limitRange(LimitKind kind, std::optional<LimitSpan> span)
{
    const auto [least, most] = span.value_or(spanOf(kind));
    if (kind == LimitKind::CpuShare)
        return LimitWords::tr("From %1% of a processor to %L2 processors, or \"%3\".")
            .arg(least)
            .arg(most / 100)
            .arg(limitText(kind, 0));
    if (mayBeNone(kind))
        return LimitWords::tr("Between %1 and %2, or \"%3\".")
            .arg(limitText(kind, least), limitText(kind, most), limitText(kind, 0));
    return LimitWords::tr("Between %1 and %2.").arg(limitText(kind, least), limitText(kind, most));
}

QList<qint64> limitSuggestions(LimitKind kind)
{
    switch (kind) {
    case LimitKind::Wall:
        return {5'000, 30'000, 120'000, 600'000};
    case LimitKind::CpuTime:
        return {0, 10'000, 60'000};
    case LimitKind::CpuShare:
        return {0, 50, 100, 200};
    case LimitKind::Memory:
        return {128 * mebibyte, 256 * mebibyte, 1024 * mebibyte, 4096 * mebibyte};
    case LimitKind::Processes:
        return {1, 16, 64, 256};
    case LimitKind::Output:
        return {64 * kibibyte, mebibyte, 16 * mebibyte, 64 * mebibyte};
    case LimitKind::Traffic:
        return {0, 10 * mebibyte, 100 * mebibyte, 1024 * mebibyte};
    case LimitKind::Bandwidth:
        return {0, 100 * kibibyte, mebibyte, 10 * mebibyte};
    case LimitKind::Disk:
        break;
    }
    return {16 * mebibyte, 256 * mebibyte, 1024 * mebibyte, 4096 * mebibyte};
}

qint64 limitValue(const Limits &limits, LimitKind kind)
{
    switch (kind) {
    case LimitKind::Wall:
        return limits.wall.count();
    case LimitKind::CpuTime:
        return limits.cpu.value_or(std::chrono::milliseconds(0)).count();
    case LimitKind::CpuShare:
        return limits.cpuPercent.value_or(0);
    case LimitKind::Memory:
        return limits.memoryBytes;
    case LimitKind::Processes:
        return limits.processes;
    case LimitKind::Output:
        return limits.outputBytes;
    case LimitKind::Traffic:
        return limits.trafficBytes.value_or(0);
    case LimitKind::Bandwidth:
        return limits.bandwidthBytes.value_or(0);
    case LimitKind::Disk:
        break;
    }
    return limits.diskBytes;
}

void setLimit(Limits &limits, LimitKind kind, qint64 value)
{
    switch (kind) {
    case LimitKind::Wall:
        limits.wall = std::chrono::milliseconds(value);
        return;
    case LimitKind::CpuTime:
        limits.cpu = value > 0 ? std::optional(std::chrono::milliseconds(value)) : std::nullopt;
        return;
    case LimitKind::CpuShare:
        limits.cpuPercent = value > 0 ? std::optional(int(value)) : std::nullopt;
        return;
    case LimitKind::Memory:
        limits.memoryBytes = value;
        return;
    case LimitKind::Processes:
        limits.processes = int(value);
        return;
    case LimitKind::Output:
        limits.outputBytes = value;
        return;
    case LimitKind::Disk:
        limits.diskBytes = value;
        return;
    case LimitKind::Traffic:
        limits.trafficBytes = value > 0 ? std::optional(value) : std::nullopt;
        return;
    case LimitKind::Bandwidth:
        limits.bandwidthBytes = value > 0 ? std::optional(value) : std::nullopt;
        return;
    }
}

void takeLimits(Limits &limits, const Limits &from)
{
    for (const LimitKind kind : allLimits) {
        if (const qint64 value = limitValue(from, kind); value != 0 || !isOfNetwork(kind))
            setLimit(limits, kind, value);
    }
}

bool isMoreThan(LimitKind kind, qint64 value, qint64 usual)
{
    if (mayBeNone(kind) && (value == 0 || usual == 0))
        return value == 0 && usual != 0;
    return value > usual;
}

QString limitText(LimitKind kind, qint64 value)
{
    if (mayBeNone(kind) && value == 0)
        return kind == LimitKind::CpuShare ? LimitWords::tr("all") : LimitWords::tr("no limit");
    switch (kind) {
    case LimitKind::Processes:
        return QString::number(value);
    case LimitKind::CpuShare:
        return QString::number(value) + u'%';
    case LimitKind::Wall:
    case LimitKind::CpuTime:
        return exactTime(value);
    case LimitKind::Bandwidth:
        return LimitWords::tr("%1/s").arg(exactSize(value));
    case LimitKind::Memory:
    case LimitKind::Output:
    case LimitKind::Disk:
    case LimitKind::Traffic:
        break;
    }
    return exactSize(value);
}

QString limitPhrase(LimitKind kind, qint64 value)
{
    QString text = limitText(kind, value);
    switch (kind) {
    case LimitKind::Wall:
    case LimitKind::Memory:
    case LimitKind::Bandwidth:
        return text;
    case LimitKind::Traffic:
        return value == 0 ? LimitWords::tr("no limit of traffic") : LimitWords::tr("%1 of traffic").arg(text);
    case LimitKind::CpuTime:
        return value == 0 ? LimitWords::tr("no limit of processor time")
                          : LimitWords::tr("%1 of processor time").arg(text);
    case LimitKind::CpuShare:
        if (value == 0)
            return LimitWords::tr("all processors");
        if (value % 100 == 0)
            return LimitWords::tr("%Ln processor(s)", "", int(value / 100));
        return LimitWords::tr("%1 of a processor").arg(text);
    case LimitKind::Processes:
        return LimitWords::tr("%Ln process(es)", "", int(value));
    case LimitKind::Output:
        return LimitWords::tr("%1 of output").arg(text);
    case LimitKind::Disk:
        break;
    }
    return LimitWords::tr("%1 of disk").arg(text);
}

std::expected<qint64, QString> parseLimit(LimitKind kind, const QString &text, std::optional<LimitSpan> told)
{
    // "2 min 5 s" is two parts.
    static const QRegularExpression part(u"\\s*([0-9]+(?:[.,][0-9]+)?)\\s*([a-z%]*)"_s);
    QString typed = text.trimmed().toLower();
    if (mayBeNone(kind) && (typed == u"0"_s || typed == limitText(kind, 0).toLower()))
        return 0;
    if (kind == LimitKind::Bandwidth && typed.endsWith("/s"_L1))
        typed.chop(2);
    double sum = 0;
    qsizetype at = 0;
    while (at < typed.size()) {
        const QRegularExpressionMatch match =
            part.match(typed, at, QRegularExpression::NormalMatch, QRegularExpression::AnchorAtOffsetMatchOption);
        const double factor = match.hasMatch() ? factorOf(kind, match.captured(2)) : 0;
        if (factor == 0)
            break;
        sum += match.captured(1).replace(u',', u'.').toDouble() * factor;
        at = match.capturedEnd();
    }
    if (typed.isEmpty() || at < typed.size())
        return std::unexpected(
            LimitWords::tr("Write it like this: %1").arg(limitText(kind, limitSuggestions(kind).at(1))));
    const auto [least, most] = spanOf(kind);
    if (sum < double(least) || sum > double(most))
        return std::unexpected(limitRange(kind, told));
    return qint64(std::llround(sum));
}

LimitRemark limitRemark(LimitKind kind, const std::expected<qint64, QString> &value, qint64 usual)
{
    if (!value)
        return {value.error(), true};
    if (isMoreThan(kind, *value, usual))
        return {LimitWords::tr("▲ More than the default of %1: the run may do more than usual.")
                    .arg(limitText(kind, usual)),
                true};
    return {limitRange(kind), false};
}

} // namespace glovebox
