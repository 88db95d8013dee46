// SPDX-License-Identifier: Apache-2.0
// What can be said of a secret without its value: its name, its limits, and how a run is to get it.
#pragma once

#include "engine/base/base.h"

#include <QJsonObject>
#include <QStringList>

#include <optional>
#include <vector>

namespace glovebox {

constexpr qsizetype secretNameMax = 128; // characters
constexpr qsizetype secretNoteMax = 1000; // characters
constexpr qsizetype secretBytesMin = 4; // what is shorter is found everywhere in output, and so can't be kept out of it
constexpr qsizetype secretBytesMax = 64 * 1024;
constexpr std::size_t grantedSecretsMax = 256; // of one run

// What a secret may be lent to. Without any limit: to every run that the person grants it.
struct SecretLimits
{
    QStringList languages; // ids; empty: any
    // Rules as in Policy::allow: the run's own allowlist may open nothing beyond them. nullopt: any; empty: no network at all.
    std::optional<QStringList> hosts;
    QStringList callers; // of toString(Caller::Kind); empty: any
    std::optional<qint64> expiryMicroseconds; // not lent from this time on (since 1970-01-01 UTC)
    QStringList tools; // Policy::tools whose calls may have the value in their arguments; empty: no call may

    bool operator==(const SecretLimits &) const = default;
};

// A secret as it is listed: all but its value.
struct SecretInfo
{
    QString name;
    QString note; // what the person wrote about it
    QString store; // SecretStore::kind() of the one that has the value
    QString slot; // its name there: another one for every value, so that a change is whole or not at all
    qint64 createdMicroseconds = 0;
    qint64 changedMicroseconds = 0; // when it got its present value
    std::optional<qint64> lastUsedMicroseconds;
    qint64 uses = 0; // runs that it was lent to
    SecretLimits limits;

    bool operator==(const SecretInfo &) const = default;
};

// A secret that a run is to be lent.
struct SecretGrant
{
    QString name;
    QString variable; // the environment variable; empty: called like the secret
    bool asFile = false; // instead: the file /run/secrets/NAME, which only the run can read

    bool operator==(const SecretGrant &) const = default;
};

// InvalidInput with a sentence: names begin with a letter or "_", and have letters, digits, "_", "-" and "." of ASCII.
Status checkSecretName(const QString &name);
// The same of a name that a secret is to have from now on: none of a variable that chooses what a program loads, as a run would refuse
// the secret called so. Secrets that are called so already stay usable, by VARIABLE or as files.
Status checkNewSecretName(const QString &name);
// Names and variables that make sense, each only once; no more than grantedSecretsMax. Variables begin with a letter or "_" and
// have letters, digits and "_"; those that choose what a program loads (LD_PRELOAD, PATH, ...) are none for a secret.
Status checkSecretGrants(const std::vector<SecretGrant> &grants);
// The environment variable of a grant that is none of a file.
QString secretVariable(const SecretGrant &grant);
// Where it is inside: the name of a variable, or the path of a file.
QString secretPlace(const SecretGrant &grant);

// {"callers":[],"expires_us","hosts":[],"languages":[],"tools":[]}; hosts and expires_us are null without such a limit, and tools is
// there only where it isn't empty. Part of the audit entry's format.
QJsonObject toJson(const SecretLimits &limits);
// An unknown or missing field and a wrong type are refused.
Result<SecretLimits> secretLimitsFromJson(const QJsonObject &object);

} // namespace glovebox
