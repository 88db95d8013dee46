// SPDX-License-Identifier: Apache-2.0
// Packages that a run wants: by options, and by a "# /// script" block in its code.
#pragma once

#include "app/cli/options.h"

#include "engine/engine.h"

namespace glovebox {

struct PackageOptions
{
    QString whose = QStringLiteral("The run"); // who wants them, in sentences
    QStringList with; // each --with, which is read once the language is known
    QString lock; // file to write; empty: none
    QString locked; // file to repeat; empty: none
    QString index; // empty: the setting's
    QStringList sources; // PackageWish::sources
    QStringList scripts; // PackageWish::scripts
    bool refresh = false;
    bool yes = false;

    bool operator==(const PackageOptions &) const = default;
};

std::vector<Option> offeredPackageOptions();
Option offeredAllowSource(); // one of them
Option offeredAllowScripts(); // another
// with: the option that names packages. language: that these are of; empty: not known yet. The error is a sentence for a person.
std::expected<PackageOptions, QString> packageOptions(const Arguments &arguments, const char *with = "--with",
                                                      const QString &language = {});
Result<PackageLock> readLockFile(const QString &path);

// Packages that answer the wish; those that aren't there yet are installed once the person says so. Blocks for that. quiet: says nothing
// but what it asks.
Result<InstalledPackages> obtainPackages(const Engine &engine, const PackageWish &wish, const PackageOptions &options,
                                         bool quiet);

// With the code at hand, which may name packages itself. The error is a sentence about wrong usage.
Status checkPackageOptions(const PackageOptions &options, const RunRequest &request);
// Puts the packages into the request, with those of its session. An error: the run must not be started.
Status addPackages(const Engine &engine, const PackageOptions &options, bool quiet, const Session *session,
                   RunRequest &request);

} // namespace glovebox
