// SPDX-License-Identifier: Apache-2.0
// The words and the JSON of what was observed.
#include "outcome.h"

#include <QJsonArray>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

template<typename Duration> qint64 inMilliseconds(Duration duration)
{
    // Begun ones don't count, as in the column of the history and wherever a duration is shown.
    return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

} // namespace

bool nothingRan(Outcome outcome)
{
    return outcome == Outcome::Rejected || outcome == Outcome::Denied || outcome == Outcome::SetupFailed;
}

std::optional<Text> whyLooksAreUntold(const QList<Control> &controls)
{
    const auto telling = std::ranges::find(controls, ControlId::DenialEvents, &Control::id);
    if (telling == controls.end() || telling->state != Control::State::Enforced)
        return std::nullopt;
    return telling->detail;
}

QJsonObject toJson(const Control &control)
{
    return {{u"name"_s, toString(control.id)},
            {u"requested"_s, control.requested},
            {u"state"_s, toString(control.state)},
            {u"detail"_s, toJson(control.detail)}};
}

QJsonObject toJson(const RunEvent &event)
{
    QJsonObject object{{u"type"_s, toString(event.type)}, {u"detail"_s, toJson(event.detail)}};
    if (event.unseen)
        object[u"unseen"_s] = *event.unseen;
    if (event.sensitive)
        object[u"sensitive"_s] = *event.sensitive;
    return object;
}

QJsonObject toJson(const Usage &usage)
{
    return {{u"wall_ms"_s, inMilliseconds(usage.wall)},
            {u"cpu_ms"_s, usage.cpu ? QJsonValue(inMilliseconds(*usage.cpu)) : QJsonValue()},
            {u"peak_memory_bytes"_s, orNull(usage.peakMemoryBytes)},
            {u"processes"_s, orNull(usage.processes)},
            {u"source"_s, usage.source ? toString(*usage.source) : QString()}};
}

QJsonObject toJson(const Text &text)
{
    return {{u"source"_s, text.source}, {u"args"_s, QJsonArray::fromStringList(text.args)}};
}

Text textFrom(const QJsonValue &value)
{
    Text text;
    text.source = value["source"_L1].toString();
    const QJsonArray arguments = value["args"_L1].toArray();
    for (const auto argument : arguments)
        text.args.append(argument.toString());
    return text;
}

} // namespace glovebox
