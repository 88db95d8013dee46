// SPDX-License-Identifier: Apache-2.0
// A lock as a file, which people keep beside their code: whatever is read from one is checked as strictly as what an index says.
#include "packages.h"

#include "tasks.h"
#include "wheels.h"

#include <QRegularExpression>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int lockVersion = 1;
constexpr qint64 largestWheel = qint64(1) << 40; // bytes: sums of these are numbers, too

std::unexpected<Error> noLock(const char *why)
{
    return fail(ErrorCode::InvalidInput,
                QT_TRANSLATE_NOOP("engine", "The lock file can't be used: %1 Write a new one with --lock FILE."),
                {Text(why).english()});
}

bool isAskedFor(const PackageLock &lock, const LockedPackage &package)
{
    return std::ranges::any_of(lock.requirements, [&](const QString &text) {
        const auto requirement = readRequirement(text);
        return requirement && requirement->name == package.name;
    });
}

} // namespace

QByteArray toBytes(const PackageLock &lock)
{
    QJsonArray packages;
    for (const LockedPackage &package : lock.packages)
        packages.append(QJsonObject{{u"name"_s, package.name},
                                    {u"version"_s, package.version},
                                    {u"file"_s, package.file},
                                    {u"sha256"_s, package.sha256},
                                    {u"bytes"_s, package.bytes}});
    const auto json = canonicalJson({{u"glovebox_lock"_s, lockVersion},
                                     {u"language"_s, u"python"_s},
                                     {u"python"_s, lock.python},
                                     {u"index"_s, lock.index},
                                     {u"requirements"_s, QJsonArray::fromStringList(lock.requirements)},
                                     {u"packages"_s, packages}});
    return json.value_or(QByteArray()) + '\n';
}

Result<PackageLock> readPackageLock(QByteArrayView bytes)
{
    const auto json = parseStrictJson(bytes.trimmed());
    if (!json)
        return noLock(QT_TRANSLATE_NOOP("engine", "it is not a JSON object."));
    const int version = (*json)[u"glovebox_lock"_s].toInt();
    if (version > lockVersion)
        return fail(ErrorCode::Newer,
                    QT_TRANSLATE_NOOP("engine", "A newer version of Glovebox wrote the lock file. Update Glovebox."),
                    {});
    if (version < 1 || (*json)[u"language"_s] != u"python"_s)
        return noLock(QT_TRANSLATE_NOOP("engine", "it is not a lock of Python packages."));
    PackageLock lock;
    lock.python = (*json)[u"python"_s].toString();
    lock.index = (*json)[u"index"_s].toString();
    static const QRegularExpression pythonVersion(uR"(^[0-9]{1,3}\.[0-9]{1,3}\z)"_s);
    if (!pythonVersion.match(lock.python).hasMatch())
        return noLock(QT_TRANSLATE_NOOP("engine", "its version of Python isn't one."));
    if (!packageIndex(lock.index))
        return noLock(QT_TRANSLATE_NOOP("engine", "its package index isn't one."));
    for (const QJsonValue &requirement : (*json)[u"requirements"_s].toArray()) {
        lock.requirements.append(requirement.toString());
        const auto read = readRequirement(lock.requirements.last());
        if (!read || read->text != lock.requirements.last())
            return noLock(QT_TRANSLATE_NOOP("engine", "a requirement in it isn't one."));
    }
    const QJsonArray packages = (*json)[u"packages"_s].toArray();
    for (const QJsonValue &value : packages) {
        const QJsonObject object = value.toObject();
        auto package = packageOfWheel(object[u"file"_s].toString());
        if (!package || package->name != object[u"name"_s].toString()
            || package->version != object[u"version"_s].toString())
            return noLock(QT_TRANSLATE_NOOP("engine", "a package's file has another package's name."));
        package->sha256 = object[u"sha256"_s].toString();
        package->bytes = object[u"bytes"_s].toInteger();
        if (!isPackagesId(package->sha256))
            return noLock(QT_TRANSLATE_NOOP("engine", "a hash isn't one."));
        if (package->bytes < 0 || package->bytes > largestWheel)
            return noLock(QT_TRANSLATE_NOOP("engine", "the size of a file isn't one."));
        lock.packages.append(*package);
    }
    if (!isInOrder(lock.packages))
        return noLock(QT_TRANSLATE_NOOP("engine", "its packages aren't in order, or one is there twice."));
    return lock;
}

QString PackageLock::id() const
{
    return QString::fromLatin1(sha256({toBytes(*this)}).toHex());
}

qint64 PackageLock::bytes() const
{
    qint64 sum = 0;
    for (const LockedPackage &package : packages)
        sum += package.bytes;
    return sum;
}

QStringList PackageLock::names() const
{
    QStringList asked, others;
    for (const LockedPackage &package : packages)
        (isAskedFor(*this, package) ? asked : others).append(package.name + u' ' + package.version);
    return asked + others;
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
