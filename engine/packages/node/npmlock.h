// SPDX-License-Identifier: Apache-2.0
// npm's lock file (https://docs.npmjs.com/cli/v11/configuring-npm/package-lock-json), as hostile as whatever wrote it.
#pragma once

#include "engine/packages/installer.h"

namespace glovebox {

// "lodash", "lodash@4", "@scope/name@^1.2"; InvalidInput.
Result<Requirement> npmRequirement(const QString &text);
bool isNpmName(const QString &name);
// {"dependencies": {"lodash": "4"}} of requirements, with a private name.
QByteArray packageJson(const QList<Requirement> &requirements);

struct NpmTree
{
    QByteArray lockFile; // canonical, with what installing needs and nothing else
    QByteArray packageJson; // that fits it
    QList<LockedPackage> packages; // by place; without size
    QStringList scripted; // places of those that have an install script
    QList<QString> optional; // places of those that a machine may leave out

    bool operator==(const NpmTree &) const = default;
};

// The error is a sentence that says what is wrong: what comes from elsewhere than the registry, has no hash, or is a link.
// registry: its address; empty: any https one.
std::expected<NpmTree, Text> readNpmLock(QByteArrayView lockFile, const QString &registry);

// Of an integrity "sha512-...", where npm's cache has the content below its folder; empty: it is no such integrity.
QByteArray placeInCache(const QString &integrity);

} // namespace glovebox
