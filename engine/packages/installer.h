// SPDX-License-Identifier: Apache-2.0
// The seam to the tool that gets packages of a language: pip, npm. A folder for each language.
#pragma once

#include "tasks.h"

#include <QByteArrayList>

namespace glovebox {

// What an environment has beside the files of packages, in the order in which it is made.
struct OwnEntry
{
    enum class Type { Folder, File, Link };
    Type type = Type::Folder;
    QByteArray path;
    QByteArray content; // of a file; where a link leads

    bool operator==(const OwnEntry &) const = default;
};

// The content of a file that a fetch left, up to so many bytes.
using ReadLeft = std::function<Result<QByteArray>(const SessionEntry &file, qint64 mostBytes)>;

// Stateless and thread-safe.
class Installer
{
public:
    virtual ~Installer() = default;
    virtual QString language() const = 0; // Language::id()
    virtual QString tool() const = 0; // "pip"
    virtual QString settingOfIndex() const = 0;
    virtual QString settingOfFolder() const { return {}; } // PackageIndex::wheels; empty: it takes none
    virtual Result<Requirement> requirement(const QString &text) const = 0;
    virtual bool takesSeveralOfAName() const { return true; } // and heeds all of them
    // Pieces of text that are a requirement each, where they can be.
    virtual QStringList words(const QString &text) const = 0;
    virtual const QStringList &popularNames() const = 0;

    // The module that an uncaught error at the end of these lines of a run names; empty: they end otherwise.
    virtual QString missedModule(const QByteArrayList &lines) const = 0;
    virtual const QStringList &ownModules() const = 0; // of the language, in any version
    // Whose module it is, as the index knows it. Empty: that can't be told by the module's name. Nothing: no package's.
    virtual std::optional<QString> packageOf(const QString &module) const = 0;
    virtual bool namesOtherwise(const QString &module) const = 0; // it is known that the package has another name
    virtual QStringList suffixesOfModules() const = 0; // of files beside the code: ".py"; empty: none are looked for

    // Code, arguments and files of the two runs.
    virtual void planFetch(RunRequest &request, const PackageWish &wish, const PackageIndex &index,
                           const PackageLimits &limits) const = 0;
    virtual void planInstall(RunRequest &request, const PackageLock &lock) const = 0;
    // Of a package that is built from its source, where that is possible.
    virtual bool buildsSources() const { return false; }
    virtual void planSource(RunRequest &, const SourceWish &, const PackageIndex &, const PackageLimits &) const { }
    virtual void planBuild(RunRequest &) const { }
    // Which source is in the folder "source", and the tools in the folder "tools". Damaged: another one, or something else is there.
    virtual Result<LockedPackage> readSource(const SessionTree &tree, const SourceWish &source) const;
    // The only new wheel in the folder "built", which is of that package. Damaged.
    virtual Result<LockedPackage> readBuilt(const SessionTree &tree, const LockedPackage &package) const;
    // Packages, and what else the lock has of them, of what a fetch left. Damaged: it left something else.
    virtual Status readFetched(const SessionTree &tree, const ReadLeft &read, const PackageIndex &index,
                               PackageLock &lock) const = 0;
    // One package of a lock file; the error is a sentence that says what is wrong.
    virtual std::expected<LockedPackage, Text> readLocked(const QJsonObject &package) const = 0;
    virtual bool hasScripts() const { return false; } // its packages may have install scripts
    // LockedPackage::file of those that have one.
    virtual QStringList scripted(const PackageLock &) const { return {}; }
    virtual QJsonObject toJson(const LockedPackage &package) const = 0;
    virtual std::optional<Text> complaintAbout(const PackageLock &lock) const = 0; // beyond that; nothing: it is sound

    // path: below the environment. Whether no file of a package may be there.
    virtual bool isReserved(const QByteArray &path) const = 0;
    virtual QList<OwnEntry> ownEntries(const QString &program, const PackageLock &lock) const = 0;
    virtual bool runsAtStart(const QByteArray &path) const = 0;
};

std::unique_ptr<const Installer> makePythonInstaller();
std::unique_ptr<const Installer> makeNodeInstaller();

// InvalidInput: one package with different versions, of which the tool would heed the last alone.
Status checkNamedOnce(const QList<Requirement> &requirements, const QString &language);

// Unsupported: packages can't be installed for it.
Result<const Installer *> installerOf(const QString &language);

} // namespace glovebox
