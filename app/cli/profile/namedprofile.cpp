// SPDX-License-Identifier: Apache-2.0
#include "namedprofile.h"

#include "app/cli/session/namedsession.h"

#include <QJsonArray>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// A field of a policy, and the option that sets it.
struct Field
{
    const char16_t *group;
    const char16_t *name;
    const char16_t *option;
    qint64 unit; // of the option's numbers: an option of bytes can have K instead, one of seconds ms
    const char16_t *smaller; // unit behind numbers that are no whole ones
};
constexpr Field profileFields[] = {
    {u"limits", u"wall_ms", u"-t", 1000, u"ms"},
    {u"limits", u"cpu_ms", u"--cpu", 1000, u"ms"},
    {u"limits", u"cpu_percent", u"--cpu-share", 1, u""},
    {u"limits", u"memory_bytes", u"-m", mebibyte, u"K"},
    {u"limits", u"processes", u"--procs", 1, u""},
    {u"limits", u"output_bytes", u"-o", 1, u""},
    {u"limits", u"disk_bytes", u"--disk", mebibyte, u"K"},
    {u"network", u"traffic_bytes", u"--traffic", mebibyte, u"K"},
    {u"network", u"bandwidth_bytes", u"--bandwidth", kibibyte, u""},
};

QString optionOf(const Field &field, const QJsonValue &value)
{
    const QString option = QString::fromUtf16(field.option);
    if (value.isNull())
        return u"no "_s + option;
    const qint64 number = value.toInteger();
    if (number % field.unit == 0)
        return u"%1 %2"_s.arg(option).arg(number / field.unit);
    const qint64 smaller = field.unit == mebibyte ? number / kibibyte : number;
    return u"%1 %2%3"_s.arg(option).arg(smaller).arg(QString::fromUtf16(field.smaller));
}

// No limit is the most.
bool isMore(const QJsonValue &value, const QJsonValue &than)
{
    return !than.isNull() && (value.isNull() || value.toInteger() > than.toInteger());
}

} // namespace

Result<Profile> profileCalled(const Paths &paths, const QByteArray &typed)
{
    auto profile = Profiles(paths).find(QString::fromUtf8(typed));
    if (!profile && profile.error().code == ErrorCode::NotFound)
        return fail(ErrorCode::NotFound,
                    Text("%1 To list all: glovebox profile list", {profile.error().message.english()}));
    return profile;
}

QStringList optionsOf(const Profile &profile)
{
    QStringList options;
    for (const Field &field : profileFields) {
        const QJsonObject group = profile.given[QString::fromUtf16(field.group)].toObject();
        if (const auto value = group.constFind(QString::fromUtf16(field.name)); value != group.constEnd())
            options.append(optionOf(field, *value));
    }
    for (const auto host : profile.given["network"_L1]["allow"_L1].toArray())
        options.append(u"--allow "_s + host.toString());
    if (profile.given["strict"_L1].toBool())
        options.append(u"--strict"_s);
    return options;
}

QString moreThan(const Policy &policy, const Profile &profile, const Policy *granted)
{
    const QJsonObject usual = toJson(policy);
    const QJsonObject has = granted ? toJson(*granted) : QJsonObject();
    const auto isGranted = [&](const QString &group, const QString &field, const QJsonValue &value) {
        return !granted || has[group][field] == value;
    };
    QJsonObject more;
    for (const QString &name : {u"limits"_s, u"network"_s}) {
        QJsonObject group = profile.given[name].toObject();
        const QJsonObject usualGroup = usual[name].toObject();
        for (const QString &field : group.keys()) {
            if (field != u"allow"_s
                && (!isMore(group[field], usualGroup[field]) || !isGranted(name, field, group[field])))
                group.remove(field);
        }
        QJsonArray hosts;
        for (const auto host : group["allow"_L1].toArray()) {
            if (!policy.allow.contains(host.toString()) && (!granted || granted->allow.contains(host.toString())))
                hosts.append(host);
        }
        if (group.contains("allow"_L1))
            group["allow"_L1] = hosts;
        more[name] = group;
    }
    const QStringList options = optionsOf({.name = {}, .given = more});
    return options.isEmpty()
               ? QString()
               : u"The profile %1 gives more than the settings: %2"_s.arg(profile.name, options.join(u' '));
}

Profile profileOf(const QString &name, const RunOptions &options)
{
    QJsonObject limits, network, given;
    const auto set = [](QJsonObject &group, const QString &field, std::optional<qint64> value) {
        if (value)
            group[field] = *value;
    };
    const auto inMs = [](std::optional<std::chrono::milliseconds> time) {
        return time ? std::optional<qint64>(time->count()) : std::nullopt;
    };
    set(limits, u"wall_ms"_s, inMs(options.wall));
    set(limits, u"cpu_ms"_s, inMs(options.cpu));
    set(limits, u"cpu_percent"_s, options.cpuPercent);
    set(limits, u"memory_bytes"_s, options.memoryBytes);
    set(limits, u"processes"_s, options.processes);
    set(limits, u"output_bytes"_s, options.outputBytes);
    set(limits, u"disk_bytes"_s, options.diskBytes);
    set(network, u"traffic_bytes"_s, options.trafficBytes);
    set(network, u"bandwidth_bytes"_s, options.bandwidthBytes);
    if (!options.allow.isEmpty())
        network[u"allow"_s] = QJsonArray::fromStringList(options.allow);
    if (!limits.isEmpty())
        given[u"limits"_s] = limits;
    if (!network.isEmpty())
        given[u"network"_s] = network;
    if (options.strict)
        given[u"strict"_s] = true;
    return {name, given};
}

Result<UsualPolicy> usualPolicy(Engine &engine, const RunOptions &options, const Session *session, bool isStateful)
{
    const Policy settings = engine.settings().policy();
    const bool isSessions = options.profile.isEmpty() && session && !session->profile.isEmpty();
    if (options.profile.isEmpty() && !isSessions)
        return UsualPolicy{.policy = settings};
    const auto profile = profileCalled(engine.paths(), isSessions ? session->profile.toUtf8() : options.profile);
    if (!profile && isSessions && profile.error().code == ErrorCode::NotFound)
        return fail(
            ErrorCode::NotFound,
            Text("Session %1 has the profile \"%2\", which is gone. Save it again by \"glovebox profile save\", "
                 "or name another one: --profile NAME",
                 {session->shownName(), session->profile}));
    if (!profile)
        return std::unexpected(profile.error());
    ASSIGN_OR_RETURN(const Policy policy, profile->on(settings));
    Policy granted = options.on(policy);
    if (session)
        granted.limits.diskBytes = session->diskBytes;
    if (isSessions && isStateful)
        granted.allow.clear();
    return UsualPolicy{policy, profile->setsTime(), moreThan(settings, *profile, &granted)};
}

} // namespace glovebox
