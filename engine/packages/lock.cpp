// SPDX-License-Identifier: Apache-2.0
// A lock as a file, which people keep beside their code: whatever is read from one is checked as strictly as what an index says.
#include "packages.h"

#include "installer.h"

#include <QRegularExpression>
#include <QSaveFile>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// The first one that had it, as an older program would leave it out: of any lock, one with a package that is built, one that runs scripts.
constexpr int firstVersion = 1, buildingVersion = 2, scriptVersion = 3;
constexpr qint64 largestPackage = qint64(1) << 40; // bytes: sums of these are numbers, too

std::unexpected<Error> noLock(const Text &why)
{
    return fail(ErrorCode::InvalidInput,
                QT_TRANSLATE_NOOP("engine", "The lock file can't be used: %1 Write a new one with --lock FILE."),
                {why.english()});
}

bool isBuilt(const LockedPackage &package)
{
    return package.builtFrom.has_value();
}

int versionOf(const PackageLock &lock)
{
    return std::ranges::any_of(lock.packages, &LockedPackage::runsScripts) ? scriptVersion
           : std::ranges::any_of(lock.packages, isBuilt)                   ? buildingVersion
                                                                           : firstVersion;
}

bool isAskedFor(const PackageLock &lock, const LockedPackage &package)
{
    if (package.file.contains(u"/node_modules/"_s)) // another one's own
        return false;
    return std::ranges::any_of(lock.requirements, [&](const QString &text) {
        const auto requirement = readRequirement(text, lock.language);
        return requirement && requirement->name == package.name;
    });
}

} // namespace

QByteArray toBytes(const PackageLock &lock)
{
    const auto installer = installerOf(lock.language);
    if (!installer)
        return {};
    QJsonArray packages;
    for (const LockedPackage &package : lock.packages)
        packages.append((*installer)->toJson(package));
    QJsonObject object{{u"glovebox_lock"_s, versionOf(lock)},
                       {u"language"_s, lock.language},
                       {lock.language, lock.runtime},
                       {u"index"_s, lock.index},
                       {u"requirements"_s, QJsonArray::fromStringList(lock.requirements)},
                       {u"packages"_s, packages}};
    if (!lock.tree.isEmpty())
        object[u"tree"_s] = QString::fromUtf8(lock.tree);
    return canonicalJson(object).value_or(QByteArray()) + '\n';
}

Result<PackageLock> readPackageLock(QByteArrayView bytes)
{
    const auto json = parseStrictJson(bytes.trimmed());
    if (json ? !json->contains(u"glovebox_lock"_s) : !bytes.trimmed().startsWith('{'))
        return noLock(Text(QT_TRANSLATE_NOOP("engine", "those of npm, pnpm, pip, uv and other tools aren't read.")));
    if (!json)
        return noLock(Text(QT_TRANSLATE_NOOP("engine", "it is not a JSON object.")));
    const int version = (*json)[u"glovebox_lock"_s].toInt();
    if (version > scriptVersion)
        return fail(ErrorCode::Newer,
                    QT_TRANSLATE_NOOP("engine", "A newer version of Glovebox wrote the lock file. Update Glovebox."),
                    {});
    PackageLock lock;
    lock.language = (*json)[u"language"_s].toString();
    const auto installer = installerOf(lock.language);
    if (version < firstVersion || !installer)
        return noLock(Text(QT_TRANSLATE_NOOP("engine", "it is not a lock of packages.")));
    lock.runtime = (*json)[lock.language].toString();
    lock.index = (*json)[u"index"_s].toString();
    lock.tree = (*json)[u"tree"_s].toString().toUtf8();
    static const QRegularExpression runtime(uR"(^[0-9]{1,3}(\.[0-9]{1,3})?\z)"_s);
    if (!runtime.match(lock.runtime).hasMatch())
        return noLock(Text(QT_TRANSLATE_NOOP("engine", "its version of the language isn't one.")));
    if (!packageIndex(lock.index, {}))
        return noLock(Text(QT_TRANSLATE_NOOP("engine", "its package index isn't one.")));
    for (const auto requirement : (*json)[u"requirements"_s].toArray()) {
        lock.requirements.append(requirement.toString());
        const auto read = (*installer)->requirement(lock.requirements.last());
        if (!read || read->text != lock.requirements.last())
            return noLock(Text(QT_TRANSLATE_NOOP("engine", "a requirement in it isn't one.")));
    }
    const QJsonArray packages = (*json)[u"packages"_s].toArray();
    for (const auto value : packages) {
        const auto package = (*installer)->readLocked(value.toObject());
        if (!package)
            return noLock(package.error());
        const auto isSize = [](qint64 size) { return size >= 0 && size <= largestPackage; };
        const BuiltFrom from = package->builtFrom.value_or(BuiltFrom());
        if (!isSize(package->bytes) || !isSize(from.bytes)
            || !std::ranges::all_of(from.tools, isSize, &BuildTool::bytes))
            return noLock(Text(QT_TRANSLATE_NOOP("engine", "the size of a file isn't one.")));
        lock.packages.append(*package);
    }
    if (const auto complaint = (*installer)->complaintAbout(lock))
        return noLock(*complaint);
    return lock;
}

Text wordsAboutBuild(const LockedPackage &package)
{
    QStringList tools;
    for (const BuildTool &tool : package.tools())
        tools.append(tool.name + u' ' + tool.version);
    const QString what = package.name + u' ' + package.version;
    return tools.isEmpty() ? Text(QT_TRANSLATE_NOOP("engine", "%1 by its own code alone"), {what})
                           : Text(QT_TRANSLATE_NOOP("engine", "%1 with %2"), {what, tools.join(u", "_s)});
}

Status writeLockFile(const QString &path, const QByteArray &bytes)
{
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && commitWhole(file))
        return {};
    return fail(ErrorCode::Io, QT_TRANSLATE_NOOP("engine", "The lock file %1 can't be written: %2."),
                {path, file.errorString()});
}

QString PackageLock::id() const
{
    return QString::fromLatin1(sha256({toBytes(*this)}).toHex());
}

qint64 PackageLock::bytes() const
{
    qint64 sum = 0;
    for (const LockedPackage &package : packages) {
        sum += package.builtFrom ? package.builtFrom->bytes : package.bytes;
        for (const BuildTool &tool : package.tools())
            sum += tool.bytes;
    }
    return sum;
}

QStringList PackageLock::names() const
{
    QStringList asked, others;
    for (const LockedPackage &package : packages)
        (isAskedFor(*this, package) ? asked : others).append(package.name + u' ' + package.version);
    return asked + others;
}

QStringList PackageLock::scripts() const
{
    QStringList run;
    for (const LockedPackage &package : packages) {
        if (package.runsScripts)
            run.append(package.name + u' ' + package.version);
    }
    return run;
}

Text PackageLock::summary() const
{
    if (packages.isEmpty())
        return Text(QT_TRANSLATE_NOOP("engine", "no packages"));
    constexpr qsizetype mostShown = 5;
    const QStringList all = names();
    const qsizetype asked = std::ranges::count_if(packages, [&](const auto &each) { return isAskedFor(*this, each); });
    const QStringList shown = all.first(std::clamp<qsizetype>(asked, 1, mostShown));
    const qsizetype others = packages.size() - shown.size();
    if (others == 0)
        return Text(QT_TRANSLATE_NOOP("engine", "%1"), {shown.join(u", "_s)});
    if (others == 1)
        return Text(QT_TRANSLATE_NOOP("engine", "%1 and 1 other"), {shown.join(u", "_s)});
    return Text(QT_TRANSLATE_NOOP("engine", "%1 and %2 others"), {shown.join(u", "_s), QString::number(others)});
}

} // namespace glovebox
