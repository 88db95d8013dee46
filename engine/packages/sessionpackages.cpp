// SPDX-License-Identifier: Apache-2.0
// What sessions remember of their packages, how that grows and shrinks, and what code adds to a wish.
#include "packages.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

Result<QList<Requirement>> requirementsOf(const SessionPackages &has)
{
    QList<Requirement> requirements;
    for (const QString &text : has.requirements) {
        ASSIGN_OR_RETURN(const Requirement requirement, readRequirement(text, has.language));
        requirements.append(requirement);
    }
    return requirements;
}

// The index was the person's word when the session got its packages.
Result<PackageWish> wishAs(const SessionPackages &has, PackageWish wish)
{
    ASSIGN_OR_RETURN(const PackageLock lock, readPackageLock(has.lock));
    wish.language = has.language;
    if (wish.index.isEmpty())
        wish.index = lock.index;
    if (wish.interpreter.isEmpty())
        wish.interpreter = has.interpreter;
    for (const LockedPackage &package : lock.packages) {
        if (package.runsScripts && !wish.scripts.contains(package.name))
            wish.scripts.append(package.name);
    }
    return wish;
}

} // namespace

SessionPackages ofSession(const InstalledPackages &installed)
{
    return {.language = installed.lock.language,
            .id = installed.id,
            .interpreter = installed.interpreter,
            .requirements = installed.lock.requirements,
            .packages = installed.lock.names(),
            .lock = toBytes(installed.lock)};
}

Result<PackageWish> addedTo(const SessionPackages &has, PackageWish wish, SameName sameName)
{
    ASSIGN_OR_RETURN(QList<Requirement> requirements, requirementsOf(has));
    if (sameName == SameName::Replaces)
        requirements.removeIf([&](const Requirement &old) {
            return std::ranges::find(wish.requirements, old.name, &Requirement::name) != wish.requirements.end();
        });
    for (const Requirement &added : std::as_const(wish.requirements)) {
        if (!requirements.contains(added))
            requirements.append(added);
    }
    wish.requirements = requirements;
    return wishAs(has, std::move(wish));
}

Status addNamedInCode(PackageWish &wish, QByteArrayView code)
{
    ASSIGN_OR_RETURN(const Language *const language, Languages::byId(wish.language));
    if (!language->namesPackagesInCode())
        return {};
    ASSIGN_OR_RETURN(const auto metadata, readInlineMetadata(code));
    if (!metadata)
        return {};
    wish.requiresPython = metadata->requiresPython;
    for (const Requirement &requirement : metadata->requirements) {
        if (!wish.requirements.contains(requirement))
            wish.requirements.append(requirement);
    }
    return {};
}

Result<PackageWish> leftWithout(const SessionPackages &has, const QStringList &names, const Caller &caller)
{
    PackageWish wish;
    wish.caller = caller;
    ASSIGN_OR_RETURN(wish.requirements, requirementsOf(has));
    for (const QString &name : names) {
        const auto named = readRequirement(name, has.language);
        const QString wanted = named ? named->name : name;
        if (wish.requirements.removeIf([&](const Requirement &each) { return each.name == wanted; }) == 0)
            return fail(ErrorCode::NotFound,
                        QT_TRANSLATE_NOOP("engine",
                                          "Nobody installed \"%1\" into the session by name. The session has: "
                                          "%2"),
                        {recordable(name.left(100)), has.requirements.join(u", "_s)});
    }
    return wishAs(has, std::move(wish));
}

Result<PackageWish> again(const SessionPackages &has, const Caller &caller)
{
    PackageWish wish;
    wish.caller = caller;
    ASSIGN_OR_RETURN(wish.locked, readPackageLock(has.lock));
    return wishAs(has, std::move(wish));
}

} // namespace glovebox
