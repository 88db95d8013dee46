// SPDX-License-Identifier: Apache-2.0
#include "wheels.h"

#include <QRegularExpression>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

std::optional<LockedPackage> packageOfWheel(const QString &file)
{
    static const QRegularExpression form(
        uR"(^(?<name>[A-Za-z0-9](?:[A-Za-z0-9._]*[A-Za-z0-9])?)-(?<version>[A-Za-z0-9][A-Za-z0-9.+!_]*)(?:-[0-9][A-Za-z0-9_.]*)?-[A-Za-z0-9_.]+-[A-Za-z0-9_.]+-[A-Za-z0-9_.]+\.whl\z)"_s);
    constexpr qsizetype longestName = 255;
    const auto match = form.match(file);
    if (file.size() > longestName || !match.hasMatch())
        return std::nullopt;
    return LockedPackage{.name = normalizedPackageName(match.captured(u"name"_s)),
                         .version = match.captured(u"version"_s).replace(u'_', u'-'),
                         .file = file,
                         .hash = {},
                         .bytes = 0};
}

bool isInOrder(const QList<LockedPackage> &packages)
{
    return std::ranges::adjacent_find(packages, std::ranges::greater_equal(), &LockedPackage::name) == packages.end();
}

QByteArray hashedRequirements(const QList<LockedPackage> &packages)
{
    QByteArray lines;
    for (const LockedPackage &package : packages)
        lines += (package.name + u"=="_s + package.version + u" --hash=sha256:"_s + package.hash + u'\n').toLatin1();
    return lines;
}

Result<QList<LockedPackage>> wheelsIn(const SessionTree &tree)
{
    QList<LockedPackage> packages;
    for (const SessionEntry &entry : tree) {
        if (entry.type == SessionEntry::Type::Folder && entry.path == "wheels")
            continue;
        if (entry.type == SessionEntry::Type::File && entry.path == "requirements.txt") // given to it
            continue;
        auto package = entry.type == SessionEntry::Type::File && entry.path.startsWith("wheels/")
                           ? packageOfWheel(QString::fromUtf8(entry.path.sliced(sizeof "wheels/" - 1)))
                           : std::nullopt;
        if (!package)
            return fail(ErrorCode::Damaged,
                        QT_TRANSLATE_NOOP("engine", "The download left \"%1\", which is not a wheel. Nothing was "
                                                    "installed."),
                        {textFromBytes(entry.path.left(100))});
        package->hash = QString::fromLatin1(entry.digest.toHex());
        package->bytes = entry.bytes;
        packages.append(*package);
    }
    std::ranges::sort(packages, {}, &LockedPackage::name);
    if (packages.isEmpty())
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine", "None of the packages is for this Python and this machine, so nothing "
                                                "was installed. Check what follows the \";\"."),
                    {});
    if (!isInOrder(packages))
        return fail(ErrorCode::Damaged,
                    QT_TRANSLATE_NOOP("engine", "The download left two wheels of one package. Nothing was installed."),
                    {});
    return packages;
}

} // namespace glovebox
