// SPDX-License-Identifier: Apache-2.0
#include "npmlock.h"

#include <QRegularExpression>
#include <QUrl>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostPackages = 5000;
constexpr qsizetype longestPlace = 1000;
const QString modulesFolder = u"node_modules/"_s;

// What npm needs to install from it, and whether a package has a script for that; programs and words for people it doesn't need.
const QStringList keptFields{u"version"_s,
                             u"resolved"_s,
                             u"integrity"_s,
                             u"name"_s,
                             u"dependencies"_s,
                             u"optionalDependencies"_s,
                             u"peerDependencies"_s,
                             u"peerDependenciesMeta"_s,
                             u"optional"_s,
                             u"devOptional"_s,
                             u"peer"_s,
                             u"inBundle"_s,
                             u"hasInstallScript"_s,
                             u"os"_s,
                             u"cpu"_s,
                             u"libc"_s,
                             u"bundleDependencies"_s};

// "node_modules/a/node_modules/@b/c"
bool isPlace(const QString &place)
{
    if (place.size() > longestPlace || !place.startsWith(modulesFolder))
        return false;
    const QStringList names = place.sliced(modulesFolder.size()).split(u"/node_modules/"_s);
    return std::ranges::all_of(names, isNpmName);
}

// A file of the registry itself: no other host, no user, no query.
bool isOfRegistry(const QString &address, const QString &registry)
{
    const QUrl url(address, QUrl::StrictMode), own(registry);
    return url.isValid() && url.scheme() == u"https"_s && url.userInfo().isEmpty() && !url.hasQuery()
           && !url.hasFragment() && !url.host().isEmpty()
           && (registry.isEmpty() || (url.host() == own.host() && url.port(443) == own.port(443)));
}

// As registries have it: below the package's name.
bool isBelowName(const QString &address, const QString &name)
{
    const QString path = QUrl(address).path(QUrl::FullyDecoded);
    const qsizetype at = path.indexOf(u'/' + name + u'/');
    const bool isOfScope = path.left(at).section(u'/', -1).startsWith(u'@'); // and another one of that name
    return at >= 0 && !isOfScope && !path.contains(u"/../"_s) && !path.contains(u"/./"_s);
}

// In the file of a package that it lies in, whose hash covers it. One that has an address or a hash is a package like others:
// what a bundler names and hasn't, npm gets from the registry.
bool isBundled(const QJsonObject &entry)
{
    return entry[u"inBundle"_s].toBool() && !entry.contains(u"resolved"_s) && !entry.contains(u"integrity"_s);
}

bool liesInBundler(const QJsonObject &all, const QString &place)
{
    for (qsizetype end = place.lastIndexOf(u"/node_modules/"_s); end > 0;
         end = place.lastIndexOf(u"/node_modules/"_s, end - 1)) {
        const QJsonObject outer = all[place.left(end)].toObject();
        const QJsonValue bundled = outer[u"bundleDependencies"_s];
        if (!outer.isEmpty() && !isBundled(outer))
            return bundled == true || !bundled.toArray().isEmpty();
    }
    return false;
}

Text wrong(const char *words, const QString &place)
{
    return {words, {recordable(place.left(200))}};
}

} // namespace

QByteArray placeInCache(const QString &integrity)
{
    static const QRegularExpression form(u"^sha512-([A-Za-z0-9+/]{86}==)$"_s);
    const auto match = form.match(integrity);
    if (!match.hasMatch())
        return {};
    const QByteArray digest = QByteArray::fromBase64(match.captured(1).toLatin1()).toHex();
    return "_cacache/content-v2/sha512/" + digest.first(2) + '/' + digest.sliced(2, 2) + '/' + digest.sliced(4);
}

std::expected<NpmTree, Text> readNpmLock(QByteArrayView lockFile, const QString &registry)
{
    const auto json = parseStrictJson(lockFile.trimmed());
    if (!json || !(*json)[u"packages"_s].isObject() || (*json)[u"lockfileVersion"_s].toInt() != 3)
        return std::unexpected(Text(QT_TRANSLATE_NOOP("engine", "npm's own list of the packages can't be read.")));
    const QJsonObject all = (*json)[u"packages"_s].toObject();
    if (all.size() > mostPackages)
        return std::unexpected(
            Text(QT_TRANSLATE_NOOP("engine", "there are more than %1 packages."), {QString::number(mostPackages)}));
    NpmTree tree;
    QJsonObject kept;
    for (auto it = all.begin(); it != all.end(); ++it) {
        const QString place = it.key();
        const QJsonObject entry = it->toObject();
        if (place.isEmpty()) // what was asked for
            continue;
        if (!isPlace(place))
            return std::unexpected(wrong(QT_TRANSLATE_NOOP("engine", "\"%1\" isn't the place of a package."), place));
        if (entry[u"link"_s].toBool() || entry[u"extraneous"_s].toBool())
            return std::unexpected(wrong(QT_TRANSLATE_NOOP("engine", "\"%1\" leads out of the packages."), place));
        QJsonObject rest;
        for (const QString &field : keptFields) {
            if (entry.contains(field))
                rest[field] = entry[field];
        }
        kept[place] = rest;
        if (isBundled(entry)) {
            if (!liesInBundler(all, place))
                return std::unexpected(wrong(QT_TRANSLATE_NOOP("engine", "\"%1\" has no address and no hash."), place));
            continue;
        }
        const QString own = place.sliced(place.lastIndexOf(modulesFolder) + modulesFolder.size());
        const LockedPackage package{.name = entry[u"name"_s].toString(own),
                                    .version = entry[u"version"_s].toString(),
                                    .file = place,
                                    .hash = entry[u"integrity"_s].toString(),
                                    .bytes = 0};
        static const QRegularExpression version(u"^[0-9A-Za-z.+-]{1,100}$"_s);
        if (!isNpmName(package.name) || !version.match(package.version).hasMatch())
            return std::unexpected(wrong(QT_TRANSLATE_NOOP("engine", "\"%1\" has no version or no name."), place));
        if (!isOfRegistry(entry[u"resolved"_s].toString(), registry))
            return std::unexpected(
                wrong(QT_TRANSLATE_NOOP("engine", "\"%1\" comes from elsewhere than the registry."), place));
        if (!isBelowName(entry[u"resolved"_s].toString(), package.name))
            return std::unexpected(
                wrong(QT_TRANSLATE_NOOP("engine", "the address of \"%1\" names another package."), place));
        if (placeInCache(package.hash).isEmpty())
            return std::unexpected(wrong(QT_TRANSLATE_NOOP("engine", "\"%1\" has no SHA-512."), place));
        tree.packages.append(package);
        if (entry[u"hasInstallScript"_s].toBool())
            tree.scripted.append(place);
        if (entry[u"optional"_s].toBool() || entry[u"devOptional"_s].toBool() || entry[u"peer"_s].toBool())
            tree.optional.append(place);
    }
    QList<Requirement> requirements;
    const QJsonObject asked = all[QString()].toObject()[u"dependencies"_s].toObject();
    for (auto it = asked.begin(); it != asked.end(); ++it) {
        const auto requirement = npmRequirement(it.key() + u'@' + it->toString());
        if (!requirement)
            return std::unexpected(requirement.error().message);
        requirements.append(*requirement);
    }
    kept[QString()] = QJsonObject{{u"name"_s, u"packages"_s}, {u"dependencies"_s, asked}};
    tree.packageJson = packageJson(requirements);
    tree.lockFile =
        canonicalJson(
            {{u"name"_s, u"packages"_s}, {u"lockfileVersion"_s, 3}, {u"requires"_s, true}, {u"packages"_s, kept}})
            .value_or(QByteArray());
    std::ranges::sort(tree.packages, {}, &LockedPackage::file);
    return tree;
}

} // namespace glovebox
