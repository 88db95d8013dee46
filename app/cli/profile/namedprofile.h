// SPDX-License-Identifier: Apache-2.0
// The profile that a person named, and its words: those of the options that would give the same.
#pragma once

#include "app/cli/run/runoptions.h"

namespace glovebox {

// NotFound: with the name that was meant, and how to list all.
Result<Profile> profileCalled(const Paths &paths, const QByteArray &typed);

// "-m 1024", "--allow pypi.org": an option for each field that the profile sets. A limit that it lifts is "no --cpu".
QStringList optionsOf(const Profile &profile);
// A sentence with those that grant more than a policy; of a run, with those of them that it has (granted). Empty: none does.
QString moreThan(const Policy &policy, const Profile &profile, const Policy *granted = nullptr);
// What the options set, for a profile of that name.
Profile profileOf(const QString &name, const RunOptions &options);

// What a run has before its options are looked at.
struct UsualPolicy
{
    Policy policy;
    bool setsTime = false; // the profile does
    QString told; // what a person should know of the profile; empty: nothing
};
// The settings, and over them the profile that the options name, else the session's. Hosts of the session's are not for an interpreter
// that stays.
Result<UsualPolicy> usualPolicy(Engine &engine, const RunOptions &options, const Session *session,
                                bool isStateful = false);

} // namespace glovebox
