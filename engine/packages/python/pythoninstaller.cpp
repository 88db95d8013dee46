// SPDX-License-Identifier: Apache-2.0
// Python: wheels, by pip, in a virtual environment.
#include "engine/packages/installer.h"
#include "engine/packages/python/modules.h"
#include "engine/packages/python/sources.h"
#include "engine/packages/python/wheels.h"

#include <QFile>
#include <QJsonDocument>
#include <QRegularExpression>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr char fetchWheels[] =
#include "python-scripts-fetch.inc"
    ;
constexpr char pipAlone[] =
#include "python-scripts-pip.inc"
    ;
constexpr char askIndex[] =
#include "python-scripts-index.inc"
    ;
constexpr char fetchSource[] =
#include "python-scripts-source.inc"
    ;
constexpr char buildWheel[] =
#include "python-scripts-build.inc"
    ;
constexpr char installWheels[] =
#include "python-scripts-install.inc"
    ;
constexpr char popularWheels[] =
#include "python-popular.inc"
    ;

// With index.py behind the line that says what the code does, and pip.py as a text in it. A JSON string of ASCII characters is one of
// Python, too.
QByteArray withIndex(QByteArray code)
{
    const QByteArray list = QJsonDocument(QJsonArray{QLatin1StringView(pipAlone)}).toJson(QJsonDocument::Compact);
    return code.insert(code.indexOf('\n') + 1, "pip_alone = " + list + "[0]\n" + askIndex);
}

void setArgument(RunRequest &request, const QJsonObject &argument)
{
    request.args = {QJsonDocument(argument).toJson(QJsonDocument::Compact)};
}

QString wheelsOf(const PackageIndex &index)
{
    return index.wheels.isEmpty() ? QString() : QString::fromLatin1(wheelsInside);
}

class PythonInstaller : public Installer
{
public:
    QString language() const override { return u"python"_s; }
    QString tool() const override { return u"pip"_s; }
    QString settingOfIndex() const override { return u"packages.index"_s; }
    QString settingOfFolder() const override { return u"packages.wheels"_s; }
    Result<Requirement> requirement(const QString &text) const override { return pythonRequirement(text); }
    QStringList words(const QString &text) const override { return pythonWords(text); }
    const QStringList &popularNames() const override
    {
        static const QStringList names = namesInList(popularWheels);
        return names;
    }
    QString missedModule(const QByteArrayList &lines) const override { return missedPythonModule(lines); }
    const QStringList &ownModules() const override { return pythonsOwnModules(); }
    std::optional<QString> packageOf(const QString &module) const override { return packageOfPythonModule(module); }
    bool namesOtherwise(const QString &module) const override
    {
        return packageOfPythonModule(module) != normalizedPackageName(module);
    }
    QStringList suffixesOfModules() const override { return {u".py"_s}; }

    void planFetch(RunRequest &request, const PackageWish &wish, const PackageIndex &index,
                   const PackageLimits &limits) const override
    {
        request.code = withIndex(fetchWheels);
        QJsonArray requirements;
        for (const Requirement &requirement : wish.requirements)
            requirements.append(requirement.text);
        setArgument(request, {{u"index"_s, index.address},
                              {u"wheels"_s, wheelsOf(index)},
                              {u"requirements"_s, requirements},
                              {u"locked"_s, wish.locked.has_value()},
                              {u"sources"_s, QJsonArray::fromStringList(wish.sources)},
                              {u"timeout_s"_s, qint64(limits.silence.count())}});
        if (wish.locked)
            request.files = {{"requirements.txt", hashedRequirements(wish.locked->packages)}};
    }

    void planInstall(RunRequest &request, const PackageLock &lock) const override
    {
        request.code = installWheels;
        request.files = {{"requirements.txt", hashedRequirements(lock.packages)}};
    }

    bool buildsSources() const override { return true; }
    void planSource(RunRequest &request, const SourceWish &source, const PackageIndex &index,
                    const PackageLimits &limits) const override
    {
        request.code = withIndex(fetchSource);
        const LockedPackage locked = source.locked.value_or(LockedPackage());
        const BuiltFrom from = locked.builtFrom.value_or(BuiltFrom());
        setArgument(request, {{u"index"_s, index.address},
                              {u"wheels"_s, wheelsOf(index)},
                              {u"name"_s, source.name},
                              {u"versions"_s, source.versions},
                              {u"version"_s, locked.version},
                              {u"sha256"_s, from.hash},
                              {u"timeout_s"_s, qint64(limits.silence.count())},
                              {u"most_bytes"_s, limits.diskBytes / 2}});
        if (locked.builtFrom)
            request.files = {{"tools.txt", hashedRequirements(wheelsOfTools(from.tools))}};
    }
    void planBuild(RunRequest &request) const override { request.code = buildWheel; }
    Result<LockedPackage> readSource(const SessionTree &tree, const SourceWish &source) const override
    {
        return sourceIn(tree, source);
    }
    Result<LockedPackage> readBuilt(const SessionTree &tree, const LockedPackage &package) const override
    {
        return builtWheelIn(tree, package);
    }

    Status readFetched(const SessionTree &tree, const ReadLeft &, const PackageIndex &,
                       PackageLock &lock) const override
    {
        ASSIGN_OR_RETURN(lock.packages, wheelsIn(tree));
        return {};
    }

    std::expected<LockedPackage, Text> readLocked(const QJsonObject &object) const override
    {
        if (object.contains(u"source"_s))
            return readBuiltPackage(object);
        auto package = packageOfWheel(object[u"file"_s].toString());
        if (!package || package->name != object[u"name"_s].toString()
            || package->version != object[u"version"_s].toString())
            return std::unexpected(Text(QT_TRANSLATE_NOOP("engine", "a package's file has another package's name.")));
        package->hash = object[u"sha256"_s].toString();
        package->bytes = object[u"bytes"_s].toInteger();
        if (!isPackagesId(package->hash))
            return std::unexpected(Text(QT_TRANSLATE_NOOP("engine", "a hash isn't one.")));
        return *package;
    }

    QJsonObject toJson(const LockedPackage &package) const override
    {
        if (package.builtFrom)
            return builtPackageJson(package, *package.builtFrom);
        return {{u"name"_s, package.name},
                {u"version"_s, package.version},
                {u"file"_s, package.file},
                {u"sha256"_s, package.hash},
                {u"bytes"_s, package.bytes}};
    }

    std::optional<Text> complaintAbout(const PackageLock &lock) const override
    {
        if (isInOrder(lock.packages))
            return std::nullopt;
        return Text(QT_TRANSLATE_NOOP("engine", "its packages aren't in order, or one is there twice."));
    }

    // What the environment of a Python has of its own, and what Python reads beside its program to find its own modules before anything
    // else (https://github.com/python/cpython/blob/3.11/Modules/getpath.py).
    bool isReserved(const QByteArray &path) const override
    {
        return path == "pyvenv.cfg" || path == "lib64" || path == "bin/python" || path == "bin/python3"
               || path == "bin/pyvenv.cfg" || path == "bin/pybuilddir.txt"
               || (path.startsWith("bin/") && path.endsWith("._pth"));
    }

    QList<OwnEntry> ownEntries(const QString &interpreter, const PackageLock &lock) const override
    {
        using Type = OwnEntry::Type;
        const QByteArray program = QFile::encodeName(interpreter);
        const QByteArray configuration =
            "home = " + program.first(program.lastIndexOf('/'))
            + "\ninclude-system-site-packages = false\nversion = " + lock.runtime.toLatin1() + '\n';
        return {{Type::Folder, "bin", {}},
                {Type::Folder, "lib", {}},
                {Type::File, "pyvenv.cfg", configuration},
                {Type::Link, "bin/python3", program},
                {Type::Link, "bin/python", "python3"},
                {Type::Link, "lib64", "lib"}};
    }

    // Python runs lines of such files before anything else (https://docs.python.org/3/library/site.html).
    bool runsAtStart(const QByteArray &path) const override
    {
        const QByteArray name = path.sliced(path.lastIndexOf('/') + 1);
        return path.count('/') == 3 // lib/python3.11/site-packages/NAME
               && (name.endsWith(".pth") || name.startsWith("sitecustomize") || name.startsWith("usercustomize"));
    }
};

} // namespace

std::unique_ptr<const Installer> makePythonInstaller()
{
    return std::make_unique<const PythonInstaller>();
}

} // namespace glovebox
