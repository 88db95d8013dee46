// SPDX-License-Identifier: Apache-2.0
// The page's profiles: those of the command line, and what earlier versions of the workbench kept of such in its own state.
#include "benchpage.h"
#include "benchtab.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// All limits, also those that there are none of.
Profile profileOf(const QString &name, const Limits &limits)
{
    Policy policy;
    policy.limits = limits;
    const QJsonObject all = toJson(policy);
    QJsonObject network = all[u"network"_s].toObject();
    network.remove(u"allow"_s);
    return {name, {{u"limits"_s, all[u"limits"_s]}, {u"network"_s, network}}};
}

// A profile that lifts nothing shouldn't say so.
Profile withoutUsualLifts(Profile profile, const Limits &usual)
{
    const Profile normal = profileOf({}, usual);
    for (const QString &groupName : {u"limits"_s, u"network"_s}) {
        QJsonObject group = profile.given[groupName].toObject();
        for (const QString &field : group.keys()) {
            if (group[field].isNull() && normal.given[groupName][field].isNull())
                group.remove(field);
        }
        profile.given.remove(groupName);
        if (!group.isEmpty())
            profile.given[groupName] = group;
    }
    return profile;
}

// The sheet knows limits only: what the command line gave the profile besides stays.
Profile withHostsAndStrictnessOf(const Profile &before, Profile profile)
{
    if (const QJsonValue hosts = before.given[u"network"_s][u"allow"_s]; hosts.isArray()) {
        QJsonObject network = profile.given[u"network"_s].toObject();
        network.insert(u"allow"_s, hosts);
        profile.given.insert(u"network"_s, network);
    }
    if (before.given[u"strict"_s].toBool())
        profile.given.insert(u"strict"_s, true);
    return profile;
}

struct Moved
{
    QJsonObject left; // for the next start
    Status trouble;
};

// Of two that have one name and other limits, both stay.
Moved moved(const QJsonObject &presets, const Profiles &profiles)
{
    const auto there = profiles.list();
    if (!there)
        return {presets, std::unexpected(there.error())};
    Moved moved;
    QList<Profile> all = *there;
    for (auto preset = presets.begin(); preset != presets.end(); ++preset) {
        const auto policy = policyFromJson(preset->toObject());
        if (!policy) // of no use to earlier versions either
            continue;
        Profile profile = profileOf(preset.key(), policy->limits);
        for (int number = 2; std::ranges::any_of(
                 all, [&](const Profile &other) { return other.name == profile.name && other.given != profile.given; });
             ++number)
            profile.name = u"%1 (%2)"_s.arg(preset.key()).arg(number);
        if (all.contains(profile))
            continue;
        if (const Status saved = profiles.save(profile); saved) {
            all.append(profile);
        } else {
            moved.left.insert(preset.key(), *preset);
            moved.trouble = saved;
        }
    }
    return moved;
}

} // namespace

Limits BenchPage::usualLimits() const
{
    return m_context.settings() ? m_context.settings()->policy().limits : Limits();
}

void BenchPage::followProfiles(BenchTab *tab)
{
    tab->policy().setProfiles([this] { return m_profiles.list(); });
    connect(&tab->policy(), &PolicySentence::profileKept, this, [this](const QString &name, const Limits &limits) {
        changeProfiles([kept = withoutUsualLifts(profileOf(name, limits), usualLimits())](const Profiles &profiles) {
            const auto before = profiles.find(kept.name);
            return profiles.save(before ? withHostsAndStrictnessOf(*before, kept) : kept);
        });
    });
    connect(&tab->policy(), &PolicySentence::profileRemoved, this, [this](const QString &name) {
        changeProfiles([name](const Profiles &profiles) {
            const Status removed = profiles.remove(name);
            return !removed && removed.error().code == ErrorCode::NotFound ? Status()
                                                                           : removed; // the command line was faster
        });
    });
}

// Not on this thread: it waits for the disk.
void BenchPage::changeProfiles(const std::function<Status(const Profiles &profiles)> &change)
{
    inBackground(
        m_context.pool(), this, [change, profiles = m_profiles] { return change(profiles); },
        [this](const Status &changed) { tellProfileTrouble(changed); });
}

void BenchPage::tellProfileTrouble(const Status &status)
{
    if (!status)
        m_context.notifications().show({.tone = Tone::Warn, .text = translated(status.error().message), .stays = true});
}

void BenchPage::moveOldPresets(const QJsonObject &presets)
{
    m_oldPresets = presets; // until they are elsewhere
    if (presets.isEmpty())
        return;
    inBackground(
        m_context.pool(), this, [presets, profiles = m_profiles] { return moved(presets, profiles); },
        [this](const Moved &moved) {
            m_oldPresets = moved.left;
            tellProfileTrouble(moved.trouble);
        });
}

} // namespace glovebox
