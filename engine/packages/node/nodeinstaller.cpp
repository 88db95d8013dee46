// SPDX-License-Identifier: Apache-2.0
// Node.js: tarballs of a registry, by npm, in a folder node_modules. Scripts of packages are run where the person names them.
#include "modules.h"
#include "npmlock.h"

#include <QJsonDocument>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr char callsOfNpm[] =
#include "node-npm.inc"
    ;
constexpr char fetchTarballs[] =
#include "node-fetch.inc"
    ;
constexpr char installTarballs[] =
#include "node-install.inc"
    ;
constexpr char popularTarballs[] =
#include "node-popular.inc"
    ;

constexpr qint64 mostLock = 8 * mebibyte;

std::unexpected<Error> leftSomethingElse(const Text &why)
{
    return fail(ErrorCode::Damaged,
                QT_TRANSLATE_NOOP("engine", "The packages can't be used: %1 Nothing was installed."), {why.english()});
}

class NodeInstaller : public Installer
{
public:
    QString language() const override { return u"node"_s; }
    QString tool() const override { return u"npm"_s; }
    QString settingOfIndex() const override { return u"packages.npm_index"_s; }
    Result<Requirement> requirement(const QString &text) const override { return npmRequirement(text); }
    bool takesSeveralOfAName() const override { return false; } // package.json has one place for a name
    QStringList words(const QString &text) const override { return text.simplified().split(u' ', Qt::SkipEmptyParts); }
    const QStringList &popularNames() const override
    {
        static const QStringList names = namesInList(popularTarballs);
        return names;
    }
    QString missedModule(const QByteArrayList &lines) const override { return missedNodeModule(lines); }
    const QStringList &ownModules() const override { return nodesOwnModules(); }
    std::optional<QString> packageOf(const QString &module) const override { return packageOfNodeModule(module); }
    bool namesOtherwise(const QString &) const override { return false; }
    QStringList suffixesOfModules() const override { return {}; } // a bare name is never looked for beside the code

    void planFetch(RunRequest &request, const PackageWish &wish, const PackageIndex &index,
                   const PackageLimits &limits) const override
    {
        request.code = QByteArray(callsOfNpm) + fetchTarballs;
        request.fileName = u"fetch.cjs"_s;
        const QJsonObject argument{{u"registry"_s, index.address},
                                   {u"locked"_s, wish.locked.has_value()},
                                   {u"timeout_ms"_s, qint64(std::chrono::milliseconds(limits.silence).count())}};
        request.args = {QJsonDocument(argument).toJson(QJsonDocument::Compact)};
        if (wish.locked)
            giveLock(request, *wish.locked);
        else
            request.files = {{"package.json", packageJson(wish.requirements)}};
    }

    void planInstall(RunRequest &request, const PackageLock &lock) const override
    {
        request.code = QByteArray(callsOfNpm) + installTarballs;
        request.fileName = u"install.cjs"_s;
        QJsonObject scripts;
        for (const LockedPackage &package : lock.packages) {
            if (package.runsScripts)
                scripts[package.file] = package.name;
        }
        request.args = {QJsonDocument(QJsonObject{{u"scripts"_s, scripts}}).toJson(QJsonDocument::Compact)};
        giveLock(request, lock);
    }

    Status readFetched(const SessionTree &tree, const ReadLeft &read, const PackageIndex &index,
                       PackageLock &lock) const override
    {
        const auto lockFile = std::ranges::find(tree, QByteArray("package-lock.json"), &SessionEntry::path);
        for (const SessionEntry &entry : tree) {
            const bool isKnown = entry.path == "cache" || entry.path.startsWith("cache/")
                                 || entry.path == "package.json" || entry.path == "package-lock.json";
            const bool isPlain = entry.type == SessionEntry::Type::File || entry.type == SessionEntry::Type::Folder;
            if (!isKnown || !isPlain)
                return leftSomethingElse(Text(QT_TRANSLATE_NOOP("engine", "the download left \"%1\"."),
                                              {textFromBytes(entry.path.left(100))}));
        }
        if (lockFile == tree.end())
            return leftSomethingElse(Text(QT_TRANSLATE_NOOP("engine", "npm made no list of them.")));
        ASSIGN_OR_RETURN(const QByteArray bytes, read(*lockFile, mostLock));
        const auto npm = readNpmLock(bytes, index.address);
        if (!npm)
            return leftSomethingElse(npm.error());
        for (LockedPackage package : npm->packages) {
            const auto content = std::ranges::find(tree, "cache/" + placeInCache(package.hash), &SessionEntry::path);
            if (content == tree.end() && npm->optional.contains(package.file))
                continue; // for other machines
            if (content == tree.end())
                return leftSomethingElse(
                    Text(QT_TRANSLATE_NOOP("engine", "the file of \"%1\" is missing."), {package.name}));
            package.bytes = content->bytes;
            lock.packages.append(package);
        }
        if (lock.packages.isEmpty())
            return leftSomethingElse(Text(QT_TRANSLATE_NOOP("engine", "there are none.")));
        lock.tree = npm->lockFile;
        return {};
    }

    std::expected<LockedPackage, Text> readLocked(const QJsonObject &object) const override
    {
        LockedPackage package{.name = object[u"name"_s].toString(),
                              .version = object[u"version"_s].toString(),
                              .file = object[u"place"_s].toString(),
                              .hash = object[u"integrity"_s].toString(),
                              .bytes = object[u"bytes"_s].toInteger(),
                              .builtFrom = {},
                              .runsScripts = object[u"scripts"_s].toBool()};
        if (placeInCache(package.hash).isEmpty())
            return std::unexpected(Text(QT_TRANSLATE_NOOP("engine", "a hash isn't one.")));
        return package;
    }

    bool hasScripts() const override { return true; }
    QStringList scripted(const PackageLock &lock) const override
    {
        const auto npm = readNpmLock(lock.tree, {});
        return npm ? npm->scripted : QStringList();
    }

    QJsonObject toJson(const LockedPackage &package) const override
    {
        QJsonObject object{{u"name"_s, package.name},
                           {u"version"_s, package.version},
                           {u"place"_s, package.file},
                           {u"integrity"_s, package.hash},
                           {u"bytes"_s, package.bytes}};
        if (package.runsScripts)
            object[u"scripts"_s] = true;
        return object;
    }

    // The list for people has to be what npm will install.
    std::optional<Text> complaintAbout(const PackageLock &lock) const override
    {
        const auto npm = readNpmLock(lock.tree, {});
        if (!npm)
            return npm.error();
        QList<LockedPackage> listed = lock.packages;
        for (LockedPackage &package : listed) {
            package.bytes = 0;
            if (npm->scripted.contains(package.file))
                package.runsScripts = false; // as the person says
        }
        QList<LockedPackage> needed = npm->packages;
        needed.removeIf([&](const LockedPackage &package) {
            return npm->optional.contains(package.file) && !listed.contains(package);
        });
        if (listed == needed && npm->lockFile == lock.tree)
            return std::nullopt;
        return Text(QT_TRANSLATE_NOOP("engine", "its packages aren't those of its tree."));
    }

    bool isReserved(const QByteArray &path) const override
    {
        return path != "node_modules" && !path.startsWith("node_modules/");
    }

    QList<OwnEntry> ownEntries(const QString &, const PackageLock &) const override
    {
        return {{OwnEntry::Type::Folder, "node_modules", {}}};
    }

    bool runsAtStart(const QByteArray &) const override
    {
        return false;
    } // nothing is imported that the code doesn't name

private:
    static void giveLock(RunRequest &request, const PackageLock &lock)
    {
        const auto npm = readNpmLock(lock.tree, {});
        request.files = {{"package.json", npm ? npm->packageJson : QByteArray("{}")}, {"package-lock.json", lock.tree}};
    }
};

} // namespace

std::unique_ptr<const Installer> makeNodeInstaller()
{
    return std::make_unique<const NodeInstaller>();
}

} // namespace glovebox
