// SPDX-License-Identifier: Apache-2.0
// The two runs that get packages: what each is asked, and what its answer means.
#pragma once

#include "packages.h"

namespace glovebox {

// An https:// address of an index as pip takes it. InvalidInput.
struct PackageIndex
{
    QString address;
    QString host; // for people
    QStringList allow; // Policy::allow, for all that it needs

    bool operator==(const PackageIndex &) const = default;
};
Result<PackageIndex> packageIndex(const QString &address);

// What a task has to say at its end, as its script words it.
enum class PackageProblem {
    None,
    NoPip,
    Missing, // the index doesn't have it
    Unfit, // its wheels are for other machines, or other versions of Python
    Source, // there is no wheel
    Conflict,
    Hash,
    Hangs,
    Unreachable,
    Space,
    Damaged,
    Other,
};

template<>
inline constexpr auto enumNames<PackageProblem> = namesOf<PackageProblem>({
    {PackageProblem::None, "none"},
    {PackageProblem::NoPip, "no-pip"},
    {PackageProblem::Missing, "missing"},
    {PackageProblem::Unfit, "unfit"},
    {PackageProblem::Source, "source"},
    {PackageProblem::Conflict, "conflict"},
    {PackageProblem::Hash, "hash"},
    {PackageProblem::Hangs, "hangs"},
    {PackageProblem::Unreachable, "unreachable"},
    {PackageProblem::Space, "space"},
    {PackageProblem::Damaged, "damaged"},
    {PackageProblem::Other, "other"},
});

// What a script printed. Code of the sandbox wrote it, so every field is checked where it is used.
struct PackageAnswer
{
    std::optional<PackageProblem> problem; // nothing: it printed no answer
    QString python; // "3.11"
    QString subject; // of the problem: a package, mostly
    QString detail; // more of it, in pip's words

    bool operator==(const PackageAnswer &) const = default;
};
PackageAnswer packageAnswer(const RunResult &result);

// policy: the settings'. session: where the run's files are.
RunRequest fetchRequest(const PackageWish &wish, const PackageIndex &index, const PackageLimits &limits, Policy policy,
                        const QString &session);
RunRequest installRequest(const PackageLock &lock, const PackageWish &wish, const PackageLimits &limits, Policy policy,
                          const QString &session);

// A sentence for what went wrong with a task; nothing: it went well. index: its host.
Status taskStatus(const RunResult &result, const PackageAnswer &answer, const QString &index,
                  const PackageLimits &limits);

} // namespace glovebox
