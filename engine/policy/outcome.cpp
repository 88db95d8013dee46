// SPDX-License-Identifier: Apache-2.0
// The words and the JSON of what was observed.
#include "outcome.h"

#include <QJsonArray>

#include <array>
#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr std::array<std::pair<Outcome, QStringView>, 12> outcomeWords = {{
    {Outcome::Completed, u"completed"},
    {Outcome::Failed, u"failed"},
    {Outcome::Signalled, u"signalled"},
    {Outcome::TimedOut, u"timed_out"},
    {Outcome::CpuLimit, u"cpu_limit"},
    {Outcome::OutOfMemory, u"out_of_memory"},
    {Outcome::DiskLimit, u"disk_limit"},
    {Outcome::Cancelled, u"cancelled"},
    {Outcome::Rejected, u"rejected"},
    {Outcome::Denied, u"denied"},
    {Outcome::SetupFailed, u"setup_failed"},
    {Outcome::Interrupted, u"interrupted"},
}};

QJsonValue orNull(std::optional<qint64> number)
{
    return number ? QJsonValue(*number) : QJsonValue(QJsonValue::Null);
}

template<typename Duration> qint64 inMilliseconds(Duration duration)
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

} // namespace

QString toString(Outcome outcome)
{
    for (const auto &[value, word] : outcomeWords) {
        if (value == outcome)
            return word.toString();
    }
    return {};
}

std::optional<Outcome> outcomeFromString(const QString &text)
{
    for (const auto &[value, word] : outcomeWords) {
        if (word == text)
            return value;
    }
    return std::nullopt;
}

bool nothingRan(Outcome outcome)
{
    return outcome == Outcome::Rejected || outcome == Outcome::Denied || outcome == Outcome::SetupFailed;
}

QString toString(Control::State state)
{
    switch (state) {
    case Control::State::Verified:
        return u"verified"_s;
    case Control::State::Enforced:
        return u"enforced"_s;
    case Control::State::Degraded:
        return u"degraded"_s;
    case Control::State::Missing:
        break;
    }
    return u"missing"_s;
}

QJsonObject toJson(const Control &control)
{
    return {{u"name"_s, control.name},
            {u"requested"_s, control.requested},
            {u"state"_s, toString(control.state)},
            {u"detail"_s, toJson(control.detail)}};
}

QJsonObject toJson(const RunEvent &event)
{
    return {{u"type"_s, event.type}, {u"detail"_s, toJson(event.detail)}};
}

QJsonObject toJson(const Usage &usage)
{
    return {{u"wall_ms"_s, inMilliseconds(usage.wall)},
            {u"cpu_ms"_s, usage.cpu ? QJsonValue(inMilliseconds(*usage.cpu)) : QJsonValue(QJsonValue::Null)},
            {u"peak_memory_bytes"_s, orNull(usage.peakMemoryBytes)},
            {u"processes"_s, orNull(usage.processes)},
            {u"source"_s, usage.source}};
}

QJsonObject toJson(const Text &text)
{
    return {{u"source"_s, text.source}, {u"args"_s, QJsonArray::fromStringList(text.args)}};
}

} // namespace glovebox
