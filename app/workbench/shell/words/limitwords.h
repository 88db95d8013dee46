// SPDX-License-Identifier: Apache-2.0
// The limits of a run as a person reads and writes them: "30 s", "256 MB", "64 processes".
#pragma once

#include "engine/engine.h"

#include <QString>

#include <expected>
#include <optional>

namespace glovebox {

enum class LimitKind { Wall, CpuTime, CpuShare, Memory, Processes, Output, Disk, Traffic, Bandwidth };

template<>
inline constexpr auto enumNames<LimitKind> = namesOf<LimitKind>({
    {LimitKind::Wall, "wall"},
    {LimitKind::CpuTime, "cputime"},
    {LimitKind::CpuShare, "cpushare"},
    {LimitKind::Memory, "memory"},
    {LimitKind::Processes, "processes"},
    {LimitKind::Output, "output"},
    {LimitKind::Disk, "disk"},
    {LimitKind::Traffic, "traffic"},
    {LimitKind::Bandwidth, "bandwidth"},
});

constexpr LimitKind allLimits[] = {LimitKind::Wall,   LimitKind::CpuTime,   LimitKind::CpuShare,
                                   LimitKind::Memory, LimitKind::Processes, LimitKind::Output,
                                   LimitKind::Disk,   LimitKind::Traffic,   LimitKind::Bandwidth};
// Those that count only where there is a network.
constexpr LimitKind networkLimits[] = {LimitKind::Traffic, LimitKind::Bandwidth};

QString limitTitle(LimitKind kind); // "Time"
QString limitExplanation(LimitKind kind); // one or two sentences
struct LimitSpan
{
    qint64 least, most; // as of limitValue()
};
QString limitRange(LimitKind kind,
                   std::optional<LimitSpan> span = {}); // "Between 0.001 s and 60 min."; nothing: all that a run may
QList<qint64> limitSuggestions(LimitKind kind);

// In milliseconds, bytes (a second), percent of one processor or a plain number. 0 of processor time or share and of the
// network: no limit.
qint64 limitValue(const Limits &limits, LimitKind kind);
void setLimit(Limits &limits, LimitKind kind, qint64 value);
// But those of the network only where there are any: a run on record that is older than these lifts no limit.
void takeLimits(Limits &limits, const Limits &from);
bool isMoreThan(LimitKind kind, qint64 value, qint64 usual); // the run may do more: "no limit" is the most

QString limitText(LimitKind kind, qint64 value); // "30 s", "1300 MB": exact, as it is typed
QString limitPhrase(LimitKind kind, qint64 value); // "1 MB of output", as it is in the sentence
// Understands what limitText() writes, other units, and plain numbers in the unit that is usual. The error is
// limitRange() or says that it is no number. told: the span that the error names, where less is taken than a run may.
std::expected<qint64, QString> parseLimit(LimitKind kind, const QString &text, std::optional<LimitSpan> told = {});

// What is to be said of it below the field.
struct LimitRemark
{
    QString text;
    bool isWarning = false; // it can't be taken, or is more than usual
};
LimitRemark limitRemark(LimitKind kind, const std::expected<qint64, QString> &value, qint64 usual);

} // namespace glovebox
