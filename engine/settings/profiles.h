// SPDX-License-Identifier: Apache-2.0
// Profiles: limits, hosts and strictness under a name, which the command line and the workbench share.
#pragma once

#include "engine/policy/policy.h"

namespace glovebox {

struct Profile
{
    QString name;
    // Those fields of a policy that the profile sets, in the form of toJson(Policy): of "limits" and "network" any, and "strict".
    QJsonObject given;

    // The policy with the profile's fields in place of its own. Hosts are added, and strictness is never taken away. InvalidInput:
    // the profile has another field, or a value that no policy can have.
    Result<Policy> on(const Policy &policy) const;
    bool setsTime() const; // of a run, limits.wall_ms
    bool setsDisk() const;

    bool operator==(const Profile &) const = default;
};

// The profiles of a person, in a file beside the settings: {"profiles": {NAME: Profile::given}}. As the settings file it is obeyed only
// where nobody else can have written it. Thread-safe, also between programs. Blocks for the disk.
class Profiles
{
public:
    explicit Profiles(const Paths &paths);

    const QString &file() const { return m_file; }
    // By name; what they set isn't looked at yet. A file that can't be used is an error that names it.
    Result<QList<Profile>> list() const;
    // NotFound, with the name that was meant. InvalidInput: the profile sets what it can't.
    Result<Profile> find(const QString &name) const;
    // In place of one of the same name. InvalidInput: a name that can't be one, or what it sets.
    Status save(const Profile &profile) const;
    Status remove(const QString &name) const; // NotFound; one that isn't valid can be removed

private:
    QString m_file;
};

} // namespace glovebox
