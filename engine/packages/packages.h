// SPDX-License-Identifier: Apache-2.0
// The room's public header: packages of a registry, installed once and lent to runs.
//
// Two ordinary runs get them, each in a fresh sandbox with nothing of the person's. The first reaches the package index and nothing
// else, and downloads wheels, in which nothing is run. The second has no network, and unpacks them. What it leaves is hostile
// content: files of it go into a folder that later runs are shown read-only, and the program that they start is none of these files.
// A package that has no wheel is built from its source only where the person names it, in a sandbox of its own without a network.
// Install scripts of npm's packages are run in the second run, and only those of packages that the person names.
// A lock names each wheel by version and hash. Runs with the same packages and the same interpreter share one folder.
#pragma once

#include "engine/audit/audit.h"
#include "engine/languages/languages.h"
#include "engine/run/run.h"
#include "engine/sessions/sessions.h"
#include "engine/settings/settings.h"

#include <functional>
#include <memory>
#include <optional>

namespace glovebox {

// One package that is wanted, as the language's tool has it
// (https://packaging.python.org/en/latest/specifications/dependency-specifiers/, https://docs.npmjs.com/cli/v11/using-npm/package-spec).
struct Requirement
{
    QString name; // as the index knows it; of Python normalized
    QString text; // "pandas[excel]>=2", "lodash@4", without white space; a marker is as it was written

    bool operator==(const Requirement &) const = default;
};

// "numpy pandas>=2": with white space, or lines, between them. InvalidInput: what is no name of a package of an index (an address,
// a path, an option) is refused.
Result<QList<Requirement>> readRequirements(const QString &text, const QString &language);
// One, as a list of a program has it.
Result<Requirement> readRequirement(const QString &text, const QString &language);
// Of one package, without versions: Requirement::name. InvalidInput.
Result<QString> packageName(const QString &text, const QString &language);
// As the index knows a package by it: lower case, runs of "-", "_" and "." are one "-".
QString normalizedPackageName(const QString &name);

// What code says about itself in a "# /// script" block.
struct InlineMetadata
{
    QList<Requirement> requirements;
    QString requiresPython; // ">=3.11"; empty: it doesn't say

    bool operator==(const InlineMetadata &) const = default;
};

// Nothing: the code has no such block. InvalidInput: it can't be read.
// (https://packaging.python.org/en/latest/specifications/inline-script-metadata/)
Result<std::optional<InlineMetadata>> readInlineMetadata(QByteArrayView code);

// Whether a version of Python ("3.11.2") is one of these (">=3.9,<4"). InvalidInput: they can't be read.
Result<bool> isPythonOf(const QString &version, const QString &specifiers);

// A wheel that a source is built with, as LockedPackage has it.
struct BuildTool
{
    QString name;
    QString version;
    QString file;
    QString hash;
    qint64 bytes = 0;

    bool operator==(const BuildTool &) const = default;
};

// Where a wheel comes from that no index has: a build's own bytes are others each time, so these stand for it.
struct BuiltFrom
{
    QString hash; // of the source: SHA-256 in hexadecimal digits
    qint64 bytes = 0; // of the source
    QList<BuildTool> tools; // by name

    bool operator==(const BuiltFrom &) const = default;
};

struct LockedPackage
{
    QString name; // as of Requirement
    QString version;
    QString file; // of the wheel; of npm the place in the environment ("node_modules/a/node_modules/b")
    QString hash; // of what is downloaded: SHA-256 in hexadecimal digits; of npm its integrity ("sha512-...")
    qint64 bytes = 0; // of what is downloaded
    std::optional<BuiltFrom>
        builtFrom; // then file, hash and bytes are the built wheel's, or empty: a lock file doesn't have them
    bool runsScripts = false; // its install scripts, in the run that installs it

    QList<BuildTool> tools() const { return builtFrom ? builtFrom->tools : QList<BuildTool>(); }
    bool operator==(const LockedPackage &) const = default;
};

struct PackageLock
{
    QString language;
    QString runtime; // version of the language, as far as packages depend on it: "3.11"
    QString index;
    QStringList requirements; // texts of what was asked for, sorted
    QList<LockedPackage> packages; // by name, or by place
    QByteArray tree; // of npm: its own lock file, without what isn't needed; else empty

    QString id() const; // SHA-256 of toBytes()
    qint64 bytes() const; // of all wheels, and of sources with what builds them
    QStringList names() const; // "numpy 2.1.0", those that were asked for first
    QStringList scripts() const; // "esbuild 0.25.0": those with LockedPackage::runsScripts
    // "numpy 2.1.0 and 3 others"
    Text summary() const;
    bool operator==(const PackageLock &) const = default;
};

// Canonical JSON with a line break: {"glovebox_lock":1,"language","python","index","requirements":[],"packages":[{"name","version",
// "file","sha256","bytes"}]}; of a package that is built {"name","version","source":{"sha256","bytes","tools":[]}}; of Node.js "node" in
// place of "python", "integrity" in place of "sha256", "tree", and "scripts":true where a package's install scripts are run.
QByteArray toBytes(const PackageLock &lock);
// InvalidInput: it is no lock; Newer: a newer version wrote it.
Result<PackageLock> readPackageLock(QByteArrayView bytes);
// In the place of the one at path, or that one stays.
Status writeLockFile(const QString &path, const QByteArray &bytes);

// What somebody asks for.
struct PackageWish
{
    QString language;
    QList<Requirement> requirements;
    QString requiresPython; // the interpreter has to be one of these; empty: any
    std::optional<PackageLock> locked; // these and no others
    QString index; // https://...; empty: the setting of the language
    QString interpreter; // as RunRequest::interpreter
    bool refresh = false; // asks the index, even if its answer of an earlier day is known
    Caller caller;
    QStringList sources; // Requirement::name of packages that may be built from their source where no wheel fits
    QStringList scripts; // names of packages whose install scripts may run

    bool operator==(const PackageWish &) const = default;
};

// Language::id() of the only one whose packages PackageWish::sources names, and of the one for PackageWish::scripts.
QString languageOfSources();
QString languageOfScripts();

// Installed packages, for RunRequest::packages and ::interpreter.
struct InstalledPackages
{
    QString id;
    QString interpreter;
    PackageLock lock;

    bool operator==(const InstalledPackages &) const = default;
};

// As a session remembers them.
SessionPackages ofSession(const InstalledPackages &installed);
// What a wish becomes in a session that has packages already: all of them together, from the session's index and for its interpreter
// unless the wish names its own. Where install scripts were allowed for the session, they still are.
enum class SameName {
    Both, // what the session and the wish ask of one package holds together
    Replaces, // the wish's word about it takes the place of the session's
};
Result<PackageWish> addedTo(const SessionPackages &has, PackageWish wish, SameName sameName);
// What is left of a session's packages without these names; NotFound: one wasn't asked for. Without requirements: nothing is left.
Result<PackageWish> leftWithout(const SessionPackages &has, const QStringList &names, const Caller &caller);
// What code asks for in a block of its own, if its language has such blocks, is of the wish from then on. InvalidInput.
Status addNamedInCode(PackageWish &wish, QByteArrayView code);
// Exactly those that a session has, by its lock.
Result<PackageWish> again(const SessionPackages &has, const Caller &caller);

// Wheels that were downloaded and wait to be installed. What was downloaded goes with the last copy of this.
struct FetchedPackages
{
    PackageLock lock;
    QStringList newNames; // that no packages of this person had before
    QList<Text> doubts; // of names that look like others
    QStringList scripted; // names of those that have an install script, which is left out
    Text source; // where they came from: "pypi.org", "the folder /srv/wheels", "pypi.org and the folder /srv/wheels"
    QString interpreter;
    QString run; // id of the one that fetched them
    QMap<QString, QString> builders; // ids of the runs that built some of them, by LockedPackage::name
    std::shared_ptr<const QString> session; // id of the temporary one that has them
    int snapshot = 0; // of it, with just them
};

// Packages that lie on this machine's disk.
struct KeptPackages
{
    QString id;
    std::optional<PackageLock> lock; // none: their notes can't be read
    QString program; // the interpreter that they are for
    qint64 usedMicroseconds = 0; // since 1970
    qint64 bytes = 0; // on the disk

    bool operator==(const KeptPackages &) const = default;
};

// {"id","language","requirements","packages","program","used_us","bytes","sessions"}; sessions: ids of those that have them.
QJsonObject toJson(const KeptPackages &kept, const QStringList &sessions);

// Whether a session is just for the two runs of an installation, which takes it away at its end.
bool isOfInstallation(const Session &session);

// Install scripts of these, where they have any, will be run by Packages::install().
void runScriptsOf(FetchedPackages &fetched, const QStringList &names);

// How much a download may take.
struct PackageLimits
{
    qint64 diskBytes = 1024 * mebibyte; // of the wheels, and of what they unpack to
    qint64 memoryBytes = 512 * mebibyte;
    std::chrono::milliseconds wall = std::chrono::minutes(10); // of each run
    std::chrono::seconds silence{20}; // after which the index is given up

    bool operator==(const PackageLimits &) const = default;
};

// Asked before the code of a package is run to build it, of a package with builtFrom and no wheel yet. Empty: nobody may.
using MayBuild = std::function<bool(const LockedPackage &package)>;
// Told before fetch() fails as a package has only its source and the wish's sources don't name it.
using LacksWheel = std::function<void(const QString &name)>;
// "sdistonly 1.0 with setuptools 68.1, wheel 0.41"
Text wordsAboutBuild(const LockedPackage &package);

// Asked again and again by who can't be woken; true: it ends with ErrorCode::Cancelled. Empty: never.
using IsCancelled = std::function<bool()>;

// How to wait for a run; empty: Run::wait().
using FollowRun = std::function<std::shared_ptr<const RunResult>(const std::shared_ptr<Run> &run)>;

// How long an answer of the index is good enough: within it, the same requirements give the same packages without asking again.
constexpr std::chrono::days resolutionAge{7};

class PackagePlace;

// Thread-safe, also between programs. Blocks for the disk, and for runs.
class Packages
{
public:
    struct Ways // of the engine
    {
        const Paths &paths;
        const QString &engine; // its id, as that of its lock
        const Languages &languages;
        const Settings &settings;
        const Sessions &sessions;
        const Clock &clock;
        AuditLog *log; // null: nothing can be recorded, and hence installed
        std::function<std::shared_ptr<Run>(RunRequest request)> start;
        std::function<Result<Session>(const NewSession &wanted, const Caller &caller)> createSession;
        std::function<Result<Session>(const QString &id, const NewSession &wanted, const Caller &caller)> forkSession;
        std::function<Status(const QString &id, const Caller &caller, BytesGo bytes)> deleteSession;
        std::function<std::optional<HostIdentity>()> owner; // of runs
        // Why runs of a language don't start, and what to do; empty: nothing is known. looks: at the machine, for a second or more.
        std::function<QString(const QString &language, bool looks)> obstacle;
    };
    explicit Packages(Ways ways);
    ~Packages();

    // Those that answer the wish already, without a network; nothing: they have to be fetched. InvalidInput: they never can be.
    Result<std::optional<InstalledPackages>> find(const PackageWish &wish) const;
    // The first run, and before it two for each package of the wish's sources that has no fitting wheel: one downloads the source and
    // its tools, as data, and one without a network builds it. Where nothing can be had, the error says why, and nothing is left of it.
    // What readiness knows already is said before anything starts.
    Result<FetchedPackages> fetch(const PackageWish &wish, const FollowRun &follow = {},
                                  const PackageLimits &limits = {}, const MayBuild &mayBuild = {},
                                  const LacksWheel &lacksWheel = {}) const;
    // The second run, and a copy of what it left. On record as package.installed. isCancelled: ends the copy; the run is for follow to
    // cancel. Cancelled: nothing was installed.
    Result<InstalledPackages> install(const FetchedPackages &fetched, const PackageWish &wish,
                                      const FollowRun &follow = {}, const PackageLimits &limits = {},
                                      const IsCancelled &isCancelled = {}) const;
    // Rooms::lendPackages.
    Result<LentPackages> lend(const QString &id) const;
    // The interpreter for the versions of Python that a wish requires, whatever its packages.
    Result<QString> interpreterFor(const PackageWish &wish) const;
    // Ids of those that installations left whose engine is gone: it was killed.
    QStringList leftSessions() const;
    // All that are installed, those used last first.
    QList<KeptPackages> list() const;
    // On record as package.removed, once they are. A run that is shown them has their files no more. NotFound.
    Status remove(const KeptPackages &kept, const Caller &caller) const;
    // Host of the index that a wish is answered by: "pypi.org". InvalidInput: it is no address of an index.
    Result<QString> indexHost(const PackageWish &wish) const;
    // The same, and the folder of this machine that is looked into, too, if the settings name one.
    Result<Text> sources(const PackageWish &wish) const;

private:
    Status checkReady(const QString &language, bool looks) const;

    Ways m_ways;
    std::unique_ptr<const PackagePlace> m_place;
};

// Names that look like a much used package's, and are another's: a sentence each.
QList<Text> doubtsAbout(const QStringList &names, const QString &language);
// A sentence about FetchedPackages::scripted, of which there are some.
Text wordsAboutScripts(const QStringList &names);
// A sentence about PackageLock::scripts(), of which there are some.
Text wordsAboutScriptsToRun(const QStringList &packages);
// About the names of a package with builtFrom and of what builds it.
QList<Text> doubtsAboutBuild(const LockedPackage &package);

// Where a module that isn't there comes from.
enum class ModuleSource {
    Package,
    SeveralPackages, // or the system's own: the module's name doesn't tell which
    Language, // its own, of another version or build
    FileBesideCode, // the person's own, which the run wasn't shown
};

// A module for want of which a run ended. The code chose its name.
struct MissingModule
{
    QString language;
    QString module; // as the code names it: "cv2", "@a/b/c"
    ModuleSource source = ModuleSource::Package;
    QString package; // as the index knows it: "opencv-python"; empty but for ModuleSource::Package
    QList<Text> doubts; // about that package: it looks like another one, or few use it; empty: many do

    bool operator==(const MissingModule &) const = default;
};

struct CodeOfRun
{
    QString language; // Language::id(); empty: any that has packages
    bool hasTerminal = false; // its streams are a terminal's
    QString folder; // of this machine, that has the file of the code; empty: it is from none

    bool operator==(const CodeOfRun &) const = default;
};

// Nothing: the run ended otherwise than by the interpreter's own last words about a module. Looks into the folder.
std::optional<MissingModule> missingModule(const RunResult &result, const CodeOfRun &code);
// A sentence: "cv2 isn't here. The package opencv-python has it."
Text wordsAbout(const MissingModule &missing);

} // namespace glovebox
