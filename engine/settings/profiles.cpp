// SPDX-License-Identifier: Apache-2.0
#include "profiles.h"

#include "settingsfile.h"

#include <QJsonArray>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

const QString groupOfProfiles = u"profiles"_s;

QString keyOf(const QString &name)
{
    return groupOfProfiles + u'.' + name;
}

Status checkProfileName(const QString &name)
{
    constexpr qsizetype longest = 64;
    const bool isShown = std::ranges::all_of(
        name.toUcs4(), [](uint c) { return QChar::isPrint(char32_t(c)) && !isHiddenCharacter(char32_t(c)); });
    if (name.isEmpty() || name.size() > longest || name != name.trimmed() || !isShown)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine",
                                      "A profile's name has 1 to %1 characters that can be seen, and no space at "
                                      "its ends."),
                    {QString::number(longest)});
    return {};
}

Result<QJsonValue> withHosts(const QJsonValue &usual, const QJsonValue &added)
{
    if (!added.isArray())
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "The profile's field \"network.allow\" must be a list of hosts."));
    QJsonArray all = usual.toArray();
    for (const auto host : added.toArray()) {
        if (!all.contains(host))
            all.append(host);
    }
    return all;
}

std::unexpected<Error> notFound(const QString &name, const QList<Profile> &all)
{
    QStringList names;
    for (const Profile &profile : all)
        names.append(profile.name);
    return fail(ErrorCode::NotFound,
                aboutUnknown(QT_TRANSLATE_NOOP("engine", "Unknown profile \"%1\"."),
                             QT_TRANSLATE_NOOP("engine", "Unknown profile \"%1\". Did you mean \"%2\"?"), {name},
                             names));
}

} // namespace

Result<Policy> Profile::on(const Policy &policy) const
{
    QJsonObject all = toJson(policy);
    for (auto field = given.begin(); field != given.end(); ++field) {
        const bool isGroup = field.key() == u"limits"_s || field.key() == u"network"_s;
        if (!isGroup && field.key() != u"strict"_s)
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine", "The profile's field \"%1\" is not known to this version."),
                        {field.key()});
        if (!isGroup && field->isBool()) {
            all[field.key()] = policy.strict || field->toBool();
            continue;
        }
        if (!isGroup || !field->isObject())
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine", "The profile's field \"%1\" is of a wrong type."), {field.key()});
        QJsonObject group = all[field.key()].toObject();
        const QJsonObject own = field->toObject();
        for (auto value = own.begin(); value != own.end(); ++value) {
            const bool areHosts = field.key() == u"network"_s && value.key() == u"allow"_s;
            ASSIGN_OR_RETURN(group[value.key()],
                             areHosts ? withHosts(group[value.key()], *value) : Result<QJsonValue>(*value));
        }
        all[field.key()] = group;
    }
    return policyFromJson(all);
}

bool Profile::setsTime() const
{
    return given[u"limits"_s].toObject().contains(u"wall_ms"_s);
}

bool Profile::setsDisk() const
{
    return given[u"limits"_s].toObject().contains(u"disk_bytes"_s);
}

Profiles::Profiles(const Paths &paths)
    : m_file(paths.config + u"/profiles.json"_s)
{
}

Result<QList<Profile>> Profiles::list() const
{
    ASSIGN_OR_RETURN(const auto root, SettingsFile(m_file).read());
    const auto notAnObject = [this](const QString &what) {
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine",
                                      "In the profiles %1, \"%2\" must be an object. Correct the file, or move "
                                      "it aside."),
                    {m_file, what});
    };
    QList<Profile> all;
    for (auto group = root.begin(); group != root.end(); ++group) {
        if (group.key() != groupOfProfiles)
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine", "%1: unknown field \"%2\". Correct its name or remove it."),
                        {m_file, group.key()});
        if (!group->isObject())
            return notAnObject(group.key());
        const QJsonObject profiles = group->toObject();
        for (auto profile = profiles.begin(); profile != profiles.end(); ++profile) {
            if (!profile->isObject())
                return notAnObject(profile.key());
            all.append({profile.key(), profile->toObject()});
        }
    }
    return all;
}

Result<Profile> Profiles::find(const QString &name) const
{
    ASSIGN_OR_RETURN(const auto all, list());
    const auto found = std::ranges::find(all, name, &Profile::name);
    if (found == all.end())
        return notFound(name, all);
    if (const auto policy = found->on(Policy()); !policy)
        return fail(policy.error().code,
                    QT_TRANSLATE_NOOP("engine", "The profile \"%1\" in %2 is not valid: %3 Correct the file, or delete "
                                                "the profile."),
                    {name, m_file, policy.error().message.english()});
    return *found;
}

Status Profiles::save(const Profile &profile) const
{
    RETURN_IF_ERROR(checkProfileName(profile.name));
    RETURN_IF_ERROR(profile.on(Policy()));
    RETURN_IF_ERROR(list()); // a file that isn't valid stays as it is
    return SettingsFile(m_file).change(keyOf(profile.name), profile.given);
}

Status Profiles::remove(const QString &name) const
{
    ASSIGN_OR_RETURN(const auto all, list());
    if (std::ranges::find(all, name, &Profile::name) == all.end())
        return notFound(name, all);
    return SettingsFile(m_file).change(keyOf(name), QJsonValue::Undefined);
}

} // namespace glovebox
