// SPDX-License-Identifier: Apache-2.0
// Packages that a run wants: by options, and by a "# /// script" block in its code.
#pragma once

#include "app/cli/options.h"

#include "engine/engine.h"

namespace glovebox {

struct PackageOptions
{
    QList<Requirement> with; // of all --with together
    QString lock; // file to write; empty: none
    QString locked; // file to repeat; empty: none
    QString index; // empty: the setting's
    bool refresh = false;
    bool yes = false;

    bool operator==(const PackageOptions &) const = default;
};

std::vector<Option> offeredPackageOptions();
// The error is a sentence for a person.
std::expected<PackageOptions, QString> packageOptions(const Arguments &arguments);

// Puts the packages into the request; those that aren't there yet are installed once the person says so. Blocks for that. quiet: says
// nothing but what it asks. An error: the run must not be started.
Status addPackages(const Engine &engine, const PackageOptions &options, bool quiet, RunRequest &request);

} // namespace glovebox
