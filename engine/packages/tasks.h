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
    QString wheels; // folder of this machine with more of them; empty: none

    bool operator==(const PackageIndex &) const = default;
};
// example: of an address of that kind, for a refusal.
Result<PackageIndex> packageIndex(const QString &address, const QString &example);

// What a task has to say at its end, as its script words it.
enum class PackageProblem {
    None,
    NoPip,
    NoNpm,
    Missing, // the index doesn't have it
    Unfit, // its wheels are for other machines, or other versions of Python
    Source, // there is no wheel
    BadSource, // which can't be read
    NoSource, // of these versions, neither
    Tool, // that builds a source has no wheel
    Address, // a package requires another one by an address, not by a name
    NoVersion, // the index has it, in other versions
    Conflict,
    Hash,
    Script, // of a package ended otherwise than well
    Hangs,
    Unreachable,
    Space,
    Damaged,
    Name, // a file of packages holds another one than its list says
    Other,
};

template<>
inline constexpr auto enumNames<PackageProblem> = namesOf<PackageProblem>({
    {PackageProblem::None, "none"},
    {PackageProblem::NoPip, "no-pip"},
    {PackageProblem::NoNpm, "no-npm"},
    {PackageProblem::Missing, "missing"},
    {PackageProblem::Unfit, "unfit"},
    {PackageProblem::Source, "source"},
    {PackageProblem::BadSource, "bad-source"},
    {PackageProblem::NoSource, "no-source"},
    {PackageProblem::Tool, "tool"},
    {PackageProblem::Address, "address"},
    {PackageProblem::NoVersion, "no-version"},
    {PackageProblem::Conflict, "conflict"},
    {PackageProblem::Hash, "hash"},
    {PackageProblem::Script, "script"},
    {PackageProblem::Hangs, "hangs"},
    {PackageProblem::Unreachable, "unreachable"},
    {PackageProblem::Space, "space"},
    {PackageProblem::Damaged, "damaged"},
    {PackageProblem::Name, "name"},
    {PackageProblem::Other, "other"},
});

// What a script printed. Code of the sandbox wrote it, so every field is checked where it is used.
struct PackageAnswer
{
    std::optional<PackageProblem> problem; // nothing: it printed no answer
    QString runtime; // PackageLock::runtime
    QString subject; // of the problem: a package, mostly
    QString detail; // more of it, in the tool's words
    QStringList ofFolder; // files that came from PackageIndex::wheels

    bool operator==(const PackageAnswer &) const = default;
};
PackageAnswer packageAnswer(const RunResult &result);

std::unexpected<Error> notInstalledAsCancelled();

class Installer;

// Where that folder is in the run that fetches, which can only read it.
inline constexpr char wheelsInside[] = "/wheels";

// Names of a list that is part of the program: white space between them, comments are lines with #.
QStringList namesInList(const char *list);

// policy: the settings'. session: where the run's files are.
RunRequest fetchRequest(const Installer &installer, const PackageWish &wish, const PackageIndex &index,
                        const PackageLimits &limits, Policy policy, const QString &session);
RunRequest installRequest(const Installer &installer, const PackageLock &lock, const PackageWish &wish,
                          const PackageLimits &limits, Policy policy, const QString &session);

// A source that is to be built.
struct SourceWish
{
    QString name; // as of Requirement
    QString versions; // ">1": whatever of these is the newest; empty: any
    std::optional<LockedPackage> locked; // this one, with these tools

    bool operator==(const SourceWish &) const = default;
};
RunRequest sourceRequest(const Installer &installer, const SourceWish &source, const PackageWish &wish,
                         const PackageIndex &index, const PackageLimits &limits, Policy policy, const QString &session);
RunRequest buildRequest(const Installer &installer, const PackageWish &wish, const PackageLimits &limits, Policy policy,
                        const QString &session);
// Why a build left no wheel. Its words only choose among sentences.
std::unexpected<Error> buildFailed(const RunResult &result, const LockedPackage &package, const PackageLimits &limits);

// A sentence for what went wrong with a task; nothing: it went well. tool: Installer::tool().
Status taskStatus(const RunResult &result, const PackageAnswer &answer, const PackageIndex &from,
                  const PackageLimits &limits, const QString &tool);

} // namespace glovebox
