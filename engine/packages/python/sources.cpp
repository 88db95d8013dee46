// SPDX-License-Identifier: Apache-2.0
#include "sources.h"

#include "wheels.h"

#include <QRegularExpression>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

const QByteArray sourceFolder = "source/", toolsFolder = "tools/", builtFolder = "built/";

// "some_thing-1.0.tar.gz", as source.py calls it.
std::optional<LockedPackage> packageOfSource(const QString &file)
{
    static const QRegularExpression form(
        uR"(^(?<name>[A-Za-z0-9](?:[A-Za-z0-9._]*[A-Za-z0-9])?)-(?<version>[A-Za-z0-9][A-Za-z0-9.+!]*)\.tar\.gz\z)"_s);
    constexpr qsizetype longestName = 255;
    const auto match = form.match(file);
    if (file.size() > longestName || !match.hasMatch())
        return std::nullopt;
    LockedPackage package;
    package.name = normalizedPackageName(match.captured(u"name"_s));
    package.version = match.captured(u"version"_s);
    return package;
}

std::unexpected<Error> leftSomethingElse(const SessionEntry &entry)
{
    return fail(ErrorCode::Damaged,
                QT_TRANSLATE_NOOP("engine", "The download left \"%1\", which nobody asked for. Nothing "
                                            "was installed."),
                {textFromBytes(entry.path.left(100))});
}

QString digestOf(const SessionEntry &entry)
{
    return QString::fromLatin1(entry.digest.toHex());
}

} // namespace

QList<LockedPackage> wheelsOfTools(const QList<BuildTool> &tools)
{
    QList<LockedPackage> wheels;
    for (const BuildTool &tool : tools)
        wheels.append({tool.name, tool.version, tool.file, tool.hash, tool.bytes});
    return wheels;
}

Result<LockedPackage> sourceIn(const SessionTree &tree, const SourceWish &wanted)
{
    std::optional<LockedPackage> package;
    BuiltFrom from;
    for (const SessionEntry &entry : tree) {
        if (entry.path.startsWith(builtFolder) || entry.path + '/' == builtFolder)
            continue;
        if (entry.type == SessionEntry::Type::Folder
            && (entry.path + '/' == sourceFolder || entry.path + '/' == toolsFolder))
            continue;
        if (entry.type == SessionEntry::Type::File && entry.path.startsWith(toolsFolder)) {
            const auto wheel = packageOfWheel(QString::fromUtf8(entry.path.sliced(toolsFolder.size())));
            if (!wheel)
                return leftSomethingElse(entry);
            from.tools.append({wheel->name, wheel->version, wheel->file, digestOf(entry), entry.bytes});
            continue;
        }
        const auto source = entry.type == SessionEntry::Type::File && entry.path.startsWith(sourceFolder) && !package
                                ? packageOfSource(QString::fromUtf8(entry.path.sliced(sourceFolder.size())))
                                : std::nullopt;
        if (!source || source->name != wanted.name)
            return leftSomethingElse(entry);
        package = source;
        from.hash = digestOf(entry);
        from.bytes = entry.bytes;
    }
    if (!package)
        return fail(ErrorCode::Damaged,
                    QT_TRANSLATE_NOOP("engine", "The download left no source of \"%1\". Nothing was installed."),
                    {wanted.name});
    std::ranges::sort(from.tools, {}, &BuildTool::name);
    package->builtFrom = from;
    const bool isLocked =
        !wanted.locked
        || (package->version == wanted.locked->version && package->builtFrom == wanted.locked->builtFrom);
    if (!isLocked || !isInOrder(wheelsOfTools(from.tools)))
        return fail(ErrorCode::Damaged,
                    QT_TRANSLATE_NOOP("engine",
                                      "The source of \"%1\" or what builds it is not what the lock file names. "
                                      "Nothing was installed."),
                    {wanted.name});
    return *package;
}

Result<LockedPackage> builtWheelIn(const SessionTree &tree, const LockedPackage &package)
{
    std::optional<LockedPackage> built;
    for (const SessionEntry &entry : tree) {
        if (entry.type != SessionEntry::Type::File || !entry.path.startsWith(builtFolder))
            continue;
        const auto wheel = packageOfWheel(QString::fromUtf8(entry.path.sliced(builtFolder.size())));
        if (!wheel || wheel->name != package.name || wheel->version != package.version)
            continue;
        if (built)
            return fail(ErrorCode::Damaged, Text("two wheels"));
        built = package;
        built->file = wheel->file;
        built->hash = digestOf(entry);
        built->bytes = entry.bytes;
    }
    if (!built)
        return fail(ErrorCode::Damaged, Text("no wheel"));
    return *built;
}

QJsonObject builtPackageJson(const LockedPackage &package, const BuiltFrom &from)
{
    QJsonArray tools;
    for (const BuildTool &tool : from.tools)
        tools.append(QJsonObject{{u"name"_s, tool.name},
                                 {u"version"_s, tool.version},
                                 {u"file"_s, tool.file},
                                 {u"sha256"_s, tool.hash},
                                 {u"bytes"_s, tool.bytes}});
    return {{u"name"_s, package.name},
            {u"version"_s, package.version},
            {u"source"_s, QJsonObject{{u"sha256"_s, from.hash}, {u"bytes"_s, from.bytes}, {u"tools"_s, tools}}}};
}

std::expected<LockedPackage, Text> readBuiltPackage(const QJsonObject &object)
{
    const QJsonObject source = object[u"source"_s].toObject();
    const QString name = object[u"name"_s].toString(), version = object[u"version"_s].toString();
    auto package = packageOfSource(QString(name).replace(u'-', u'_') + u'-' + version + u".tar.gz"_s);
    BuiltFrom from{source[u"sha256"_s].toString(), source[u"bytes"_s].toInteger(), {}};
    bool isSound = isPackagesId(from.hash) && from.bytes >= 0;
    for (const auto value : source[u"tools"_s].toArray()) {
        const auto tool = packageOfWheel(value[u"file"_s].toString());
        const QString hash = value[u"sha256"_s].toString();
        isSound = isSound && tool && tool->name == value[u"name"_s].toString()
                  && tool->version == value[u"version"_s].toString() && isPackagesId(hash);
        if (isSound)
            from.tools.append({tool->name, tool->version, tool->file, hash, value[u"bytes"_s].toInteger()});
    }
    if (!package || package->name != name || !isSound || !isInOrder(wheelsOfTools(from.tools)))
        return std::unexpected(Text(QT_TRANSLATE_NOOP("engine", "what it says about a source can't be read.")));
    package->builtFrom = from;
    return *package;
}

} // namespace glovebox
