// SPDX-License-Identifier: Apache-2.0
// Ranges and the JSON form of a policy.
#include "policy.h"

#include "folders.h"

#include <QJsonArray>

#include <algorithm>
#include <limits>

namespace glovebox {

using namespace Qt::StringLiterals;
using std::chrono::milliseconds;

namespace {

std::unexpected<Error> refuse(const char *source, QStringList args = {})
{
    return fail(ErrorCode::InvalidInput, Text(source, std::move(args)));
}

Status checkLimits(const Limits &limits, std::chrono::milliseconds wallMax)
{
    using Range = LimitRange;
    constexpr qint64 second = 1000;
    const auto inMs = [](std::chrono::milliseconds duration) { return qint64(duration.count()); };
    const struct
    {
        std::optional<qint64> value; // none: not limited
        qint64 minimum, maximum, unit;
        const char *sentence; // %1: lowest, %2: highest, %3: what was asked for
    } ranges[] = {
        {inMs(limits.wall), inMs(Range::wallMin), inMs(wallMax), second,
         QT_TRANSLATE_NOOP("engine", "The time limit must be between %1 and %2 seconds, not %3.")},
        {limits.cpu ? std::optional(inMs(*limits.cpu)) : std::nullopt, inMs(Range::cpuMin), inMs(Range::cpuMax), second,
         QT_TRANSLATE_NOOP("engine", "The processor time limit must be between %1 and %2 seconds, not %3.")},
        {limits.cpuPercent, Range::cpuPercentMin, Range::cpuPercentMax, 1,
         QT_TRANSLATE_NOOP("engine", "The processor share must be between %1 and %2 percent, not %3.")},
        {limits.memoryBytes, Range::memoryMin, Range::memoryMax, mebibyte,
         QT_TRANSLATE_NOOP("engine", "The memory limit must be between %1 and %2 MB, not %3.")},
        {limits.processes, Range::processesMin, Range::processesMax, 1,
         QT_TRANSLATE_NOOP("engine", "The number of processes must be between %1 and %2, not %3.")},
        {limits.outputBytes, Range::outputMin, Range::outputMax, 1,
         QT_TRANSLATE_NOOP("engine", "The output limit must be between %1 and %2 bytes, not %3.")},
        {limits.diskBytes, Range::diskMin, Range::diskMax, mebibyte,
         QT_TRANSLATE_NOOP("engine", "The disk limit must be between %1 and %2 MB, not %3.")},
        {limits.trafficBytes, Range::trafficMin, Range::trafficMax, mebibyte,
         QT_TRANSLATE_NOOP("engine", "The limit of traffic must be between %1 and %2 MB, not %3.")},
        {limits.bandwidthBytes, Range::bandwidthMin, Range::bandwidthMax, kibibyte,
         QT_TRANSLATE_NOOP("engine", "The limit of bandwidth must be between %1 and %2 KB a second, not %3.")},
    };
    for (const auto &range : ranges) {
        if (!range.value || (*range.value >= range.minimum && *range.value <= range.maximum))
            continue;
        const auto shown = [&range](qint64 number) {
            return QString::number(double(number) / double(range.unit), 'g', 15); // "0.001", "3600"
        };
        return refuse(range.sentence, {shown(range.minimum), shown(range.maximum), shown(*range.value)});
    }
    return {};
}

// Takes the fields of one object one by one. The first that is missing or of a wrong type is remembered; finish() tells it,
// or a field that nobody asked for: it may be a limit of a newer version, which must not get lost in silence.
class Fields
{
public:
    Fields(QJsonObject object, QString where)
        : m_object(std::move(object))
        , m_where(std::move(where))
    {
    }

    QJsonValue take(const QString &name, QJsonValue::Type type)
    {
        const QJsonValue value = takeAny(name);
        if (value.type() != type)
            complain(QT_TRANSLATE_NOOP("engine", "The policy's field \"%1\" is missing or of a wrong type."), name);
        return value;
    }

    qint64 takeInteger(const QString &name)
    {
        constexpr qint64 none = std::numeric_limits<qint64>::min();
        const qint64 number = take(name, QJsonValue::Double).toInteger(none);
        if (number == none)
            complain(QT_TRANSLATE_NOOP("engine", "The policy's field \"%1\" must be a whole number."), name);
        return number;
    }

    // Nothing for null, and where there is none.
    std::optional<qint64> takeOptional(const QString &name)
    {
        const QJsonValue value = m_object.value(name);
        if (!value.isNull() && !value.isUndefined())
            return takeInteger(name);
        takeAny(name);
        return std::nullopt;
    }

    QJsonValue takeAny(const QString &name)
    {
        m_taken.append(name);
        return m_object.value(name);
    }

    void complain(const char *source, const QString &name)
    {
        if (m_status)
            m_status = refuse(source, {m_where + name});
    }

    Status finish()
    {
        for (const QString &name : m_object.keys()) {
            if (!m_taken.contains(name))
                complain(QT_TRANSLATE_NOOP("engine", "The policy's field \"%1\" is not known to this version."), name);
        }
        return m_status;
    }

private:
    QJsonObject m_object;
    QString m_where;
    QStringList m_taken;
    Status m_status;
};

Result<Limits> limitsFromJson(const QJsonObject &object)
{
    Fields fields(object, u"limits."_s);
    Limits limits;
    limits.wall = milliseconds(fields.takeInteger(u"wall_ms"_s));
    if (object.value(u"cpu_ms"_s).isNull())
        fields.takeAny(u"cpu_ms"_s);
    else
        limits.cpu = milliseconds(fields.takeInteger(u"cpu_ms"_s));
    // Before it is cut to an int, which could bring it back into range.
    const auto small = [](qint64 number, int most) { return int(std::clamp<qint64>(number, 0, most + 1)); };
    if (const auto share = fields.takeOptional(u"cpu_percent"_s))
        limits.cpuPercent = small(*share, LimitRange::cpuPercentMax);
    limits.memoryBytes = fields.takeInteger(u"memory_bytes"_s);
    limits.processes = small(fields.takeInteger(u"processes"_s), LimitRange::processesMax);
    limits.outputBytes = fields.takeInteger(u"output_bytes"_s);
    limits.diskBytes = fields.takeInteger(u"disk_bytes"_s);
    RETURN_IF_ERROR(fields.finish());
    return limits;
}

Result<FolderGrant> folderFromJson(const QJsonValue &value)
{
    if (!value.isObject())
        return refuse(QT_TRANSLATE_NOOP("engine", "Each of the policy's folders must be an object."));
    Fields fields(value.toObject(), u"folders."_s);
    FolderGrant folder;
    folder.hostPath = fields.take(u"host"_s, QJsonValue::String).toString();
    folder.path = fields.take(u"path"_s, QJsonValue::String).toString();
    const auto mode = fromString<FolderGrant::Mode>(fields.take(u"mode"_s, QJsonValue::String).toString());
    if (!mode)
        fields.complain(QT_TRANSLATE_NOOP("engine", "The policy's field \"%1\" must be \"ro\", \"stage\" or \"rw\"."),
                        u"mode"_s);
    RETURN_IF_ERROR(fields.finish());
    folder.mode = mode.value_or(FolderGrant::Mode::ReadOnly);
    return folder;
}

} // namespace

Status validate(const Policy &policy, std::chrono::milliseconds wallMax)
{
    RETURN_IF_ERROR(checkLimits(policy.limits, wallMax));
    RETURN_IF_ERROR(checkToolNames(policy.tools));
    return checkFolders(policy.folders);
}

QJsonObject toJson(const Policy &policy)
{
    const Limits &limits = policy.limits;
    QJsonArray folders;
    for (const FolderGrant &folder : policy.folders)
        folders.append(
            QJsonObject{{u"host"_s, folder.hostPath}, {u"mode"_s, toString(folder.mode)}, {u"path"_s, folder.path}});
    const QJsonObject limitsObject{{u"cpu_ms"_s, limits.cpu ? QJsonValue(qint64(limits.cpu->count())) : QJsonValue()},
                                   {u"cpu_percent"_s, orNull(limits.cpuPercent)},
                                   {u"disk_bytes"_s, limits.diskBytes},
                                   {u"memory_bytes"_s, limits.memoryBytes},
                                   {u"output_bytes"_s, limits.outputBytes},
                                   {u"processes"_s, limits.processes},
                                   {u"wall_ms"_s, qint64(limits.wall.count())}};
    QJsonObject object{{u"backend"_s, policy.backend},
                       {u"folders"_s, folders},
                       {u"limits"_s, limitsObject},
                       {u"network"_s, QJsonObject{{u"allow"_s, QJsonArray::fromStringList(policy.allow)},
                                                  {u"bandwidth_bytes"_s, orNull(limits.bandwidthBytes)},
                                                  {u"traffic_bytes"_s, orNull(limits.trafficBytes)}}},
                       {u"strict"_s, policy.strict}};
    // What was approved before there were tools keeps its digest.
    if (!policy.tools.isEmpty())
        object[u"tools"_s] = QJsonArray::fromStringList(policy.tools);
    return object;
}

Result<Policy> policyFromJson(const QJsonObject &object, std::chrono::milliseconds wallMax)
{
    Fields fields(object, {});
    Policy policy;
    policy.backend = fields.take(u"backend"_s, QJsonValue::String).toString();
    policy.strict = fields.take(u"strict"_s, QJsonValue::Bool).toBool();
    const QJsonArray folders = fields.take(u"folders"_s, QJsonValue::Array).toArray();
    const QJsonObject limits = fields.take(u"limits"_s, QJsonValue::Object).toObject();
    const QJsonObject network = fields.take(u"network"_s, QJsonValue::Object).toObject();
    const QJsonArray tools =
        object.contains(u"tools"_s) ? fields.take(u"tools"_s, QJsonValue::Array).toArray() : QJsonArray();
    for (const QJsonValueConstRef tool : tools) {
        if (!tool.isString())
            fields.complain(QT_TRANSLATE_NOOP("engine", "The policy's field \"%1\" must hold only texts."), u"tools"_s);
        policy.tools.append(tool.toString());
    }
    RETURN_IF_ERROR(fields.finish());

    Fields networkFields(network, u"network."_s);
    const QJsonArray allow = networkFields.take(u"allow"_s, QJsonValue::Array).toArray();
    for (const QJsonValueConstRef host : allow) {
        if (!host.isString())
            networkFields.complain(QT_TRANSLATE_NOOP("engine", "The policy's field \"%1\" must hold only texts."),
                                   u"allow"_s);
        policy.allow.append(host.toString());
    }
    const auto bandwidth = networkFields.takeOptional(u"bandwidth_bytes"_s);
    const auto traffic = networkFields.takeOptional(u"traffic_bytes"_s);
    RETURN_IF_ERROR(networkFields.finish());

    for (const QJsonValueConstRef value : folders) {
        ASSIGN_OR_RETURN(auto folder, folderFromJson(value));
        policy.folders.append(std::move(folder));
    }
    ASSIGN_OR_RETURN(policy.limits, limitsFromJson(limits));
    policy.limits.bandwidthBytes = bandwidth;
    policy.limits.trafficBytes = traffic;
    RETURN_IF_ERROR(validate(policy, wallMax));
    return policy;
}

QString partyOf(const Caller &caller)
{
    if (!caller.pairing.isEmpty())
        return u"pairing "_s + caller.pairing;
    if (!caller.connection.isEmpty())
        return u"connection "_s + caller.connection;
    return u"%1 %2"_s.arg(toString(caller.kind), QString::number(caller.pid));
}

QJsonObject toJson(const Caller &caller)
{
    QJsonObject object{{u"kind"_s, toString(caller.kind)},
                       {u"pid"_s, caller.pid > 0 ? QJsonValue(caller.pid) : QJsonValue()},
                       {u"program"_s, orNull(caller.program)},
                       {u"claimed"_s, orNull(caller.claimed)}};
    if (caller.way != Caller::Way::Unknown)
        object[u"way"_s] = toString(caller.way);
    if (!caller.pairing.isEmpty())
        object[u"pairing"_s] = caller.pairing;
    return object;
}

} // namespace glovebox
