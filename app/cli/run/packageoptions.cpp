// SPDX-License-Identifier: Apache-2.0
#include "packageoptions.h"

#include "app/cli/terminal/bell.h"
#include "app/cli/terminal/console.h"
#include "givenfiles.h"
#include "runview.h"

#include <QFile>
#include <QFileInfo>

#include <unistd.h>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 largestLock = 4 * mebibyte;

QString namesOf(const QList<Requirement> &requirements)
{
    constexpr qsizetype mostNamed = 5;
    QStringList names;
    for (const Requirement &requirement : requirements)
        names.append(requirement.text);
    const qsizetype more = names.size() - mostNamed;
    return names.mid(0, mostNamed).join(u", "_s) + (more > 0 ? u" and %1 more"_s.arg(more) : QString());
}

QString megabytes(qint64 bytes)
{
    constexpr qint64 least = 100'000;
    return bytes < least ? shownBytes(bytes) : u"%1 MB"_s.arg(double(bytes) / 1e6, 0, 'f', 1);
}

// The wish of the options and of the code together.
Result<PackageWish> wishOf(const PackageOptions &options, const RunRequest &request, const Language &language)
{
    PackageWish wish{.language = language.id(),
                     .requirements = {},
                     .requiresPython = {},
                     .locked = {},
                     .index = options.index,
                     .interpreter = request.interpreter,
                     .refresh = options.refresh,
                     .caller = request.caller,
                     .sources = options.sources,
                     .scripts = options.scripts};
    if (!options.with.isEmpty()) {
        ASSIGN_OR_RETURN(wish.requirements, readRequirements(options.with.join(u'\n'), language.id()));
    }
    RETURN_IF_ERROR(addNamedInCode(wish, request.code));
    if (!options.locked.isEmpty()) {
        ASSIGN_OR_RETURN(wish.locked, readLockFile(options.locked));
        if (wish.locked->language != wish.language)
            return fail(ErrorCode::InvalidInput,
                        Text("The lock file %1 is not for %2.", {options.locked, language.name()}));
    }
    return wish;
}

// Ctrl+C cancels the run, and with it the installation.
std::shared_ptr<const RunResult> followQuietly(const std::shared_ptr<Run> &run)
{
    RunView::Options shown;
    shown.shows = false;
    return RunView(std::move(shown)).follow(run);
}

// Ctrl+C also while what the run left is copied, where no bell is the run's, and until all is noted.
Result<InstalledPackages> installUnlessStopped(const Packages &packages, const FetchedPackages &fetched,
                                               const PackageWish &wish)
{
    std::optional<Bell> bell;
    const auto follow = [&](const std::shared_ptr<Run> &run) {
        auto result = followQuietly(run);
        bell.emplace();
        return result;
    };
    const auto isStopped = [&] { return bell && !bell->takeSignals().isEmpty(); };
    auto installed = packages.install(fetched, wish, follow, {}, isStopped);
    if (installed && isStopped())
        return fail(ErrorCode::Cancelled,
                    Text("This was stopped once the packages were installed. Nothing more was done."));
    return installed;
}

// Of the names that somebody wrote: before anything of them is fetched, and also where nothing will be.
QList<Text> sayDoubtsAbout(const PackageWish &wish)
{
    QStringList names;
    for (const Requirement &requirement : wish.requirements)
        names.append(requirement.name);
    const QList<Text> doubts = doubtsAbout(names, wish.language);
    for (const Text &doubt : doubts)
        say(doubt.english());
    return doubts;
}

// told: doubts that were said already.
bool mayInstall(const PackageOptions &options, const FetchedPackages &fetched, const QList<Text> &told)
{
    for (const Text &doubt : fetched.doubts) {
        if (!told.contains(doubt))
            say(doubt.english());
    }
    if (const QStringList scripts = fetched.lock.scripts(); !scripts.isEmpty())
        say(wordsAboutScriptsToRun(scripts).english());
    if (!fetched.scripted.isEmpty()) {
        say(wordsAboutScripts(fetched.scripted).english());
        say(u"To have one run, sealed and without a network: --allow-scripts %1"_s.arg(fetched.scripted.first()));
    }
    if (!fetched.newNames.isEmpty() && fetched.newNames.size() < fetched.lock.packages.size())
        say(u"New among your packages: %1."_s.arg(fetched.newNames.join(u", "_s)));
    const QString what = u"%1 from %2, %3"_s.arg(fetched.lock.summary().english(), fetched.source.english(),
                                                 megabytes(fetched.lock.bytes()));
    if (options.yes) {
        say(u"Installing %1."_s.arg(what));
        return true;
    }
    return asksWhether(u"Install %1?"_s.arg(what));
}

// Before code of the package is run.
bool mayBuild(const PackageOptions &options, const LockedPackage &package)
{
    const QString what = wordsAboutBuild(package).english();
    const bool hasTools = !package.tools().isEmpty();
    const QList<Text> doubts = doubtsAboutBuild(package);
    for (const Text &doubt : doubts)
        say(doubt.english());
    if (options.yes) {
        say(u"Building %1, sealed and without a network."_s.arg(what));
        return true;
    }
    say(u"The package %1 is to be built from its source: %2."_s.arg(package.name, what));
    return asksWhether(hasTools
                           ? u"Run code of this package and of these tools to build it, sealed and without a network?"_s
                           : u"Run this package's own code to build it, sealed and without a network?"_s);
}

Result<InstalledPackages> installPackages(const Packages &packages, const PackageWish &wish,
                                          const PackageOptions &options, bool quiet)
{
    ASSIGN_OR_RETURN(const Text sources, packages.sources(wish));
    const QString names = !wish.locked               ? namesOf(wish.requirements)
                          : options.locked.isEmpty() ? wish.locked->summary().english()
                                                     : options.locked;
    const QList<Text> told = sayDoubtsAbout(wish);
    if (!options.yes && (!isTerminal(STDIN_FILENO) || !isTerminal(STDERR_FILENO)))
        return fail(ErrorCode::PermissionDenied,
                    Text("%1 wants packages that aren't installed: %2. Add --yes to install them from %3.",
                         {options.whose, names, sources.english()}));
    if (!quiet)
        say(u"Fetching %1 from %2 ..."_s.arg(names, sources.english()));
    ASSIGN_OR_RETURN(const FetchedPackages fetched,
                     packages.fetch(wish, followQuietly, {},
                                    [&](const LockedPackage &package) { return mayBuild(options, package); }));
    PackageWish same = wish;
    same.locked = fetched.lock;
    ASSIGN_OR_RETURN(const auto before, packages.find(same));
    const bool builds = std::ranges::any_of(fetched.lock.packages, [](const auto &each) { return !!each.builtFrom; });
    if (before && builds)
        say(u"The packages were built of the same sources by the same tools before. "
            "Those stay, and the new build isn't used."_s);
    else if (!mayInstall(options, fetched, told))
        return fail(ErrorCode::PermissionDenied, Text("Nothing was installed, as you didn't agree."));
    return installUnlessStopped(packages, fetched, wish);
}

} // namespace

Option offeredAllowSource()
{
    return {"--allow-source", "NAME",
            u"Python package that may be built from its source where no wheel fits; repeatable [default: none]"_s};
}

Option offeredAllowScripts()
{
    return {
        "--allow-scripts", "NAME",
        u"Node.js package whose install scripts may run, sealed and without a network; repeatable [default: none]"_s};
}

std::vector<Option> offeredPackageOptions()
{
    return {
        {"--with",
         "PACKAGES",
         u"packages from the index, such as \"numpy pandas>=2\" or lodash@4; repeatable [default: none]"_s,
         {},
         u"Packages"_s},
        offeredAllowSource(),
        offeredAllowScripts(),
        {"--lock", "FILE", u"write the packages with their versions and hashes to FILE [default: none]"_s},
        {"--locked", "FILE", u"use exactly the packages of this lock file [default: none]"_s},
        {"--index", "URL", u"package index [default: the setting packages.index or packages.npm_index]"_s},
        {"--refresh", "", u"ask the index again for newer versions (else an answer holds for 7 days)"_s},
        {"--yes", "", u"install packages without asking"_s},
    };
}

// Of a run that gets packages of this language, or of none; nothing: its permissions are for that language.
static std::optional<Text> uselessPermission(const PackageOptions &options, const QString &language)
{
    const auto has = [](const char *option, const char *packages) {
        return Text("%1 has no effect: the run wants no %2 packages. Name some by --with.",
                    {QString::fromLatin1(option), QString::fromLatin1(packages)});
    };
    if (!options.sources.isEmpty() && language != languageOfSources())
        return has("--allow-source", "Python");
    if (!options.scripts.isEmpty() && language != languageOfScripts())
        return has("--allow-scripts", "Node.js");
    return std::nullopt;
}

// Names of one package each. The error is a sentence.
static std::expected<QStringList, QString> permitted(const Arguments &arguments, const char *option,
                                                     const Language &language)
{
    QStringList names;
    for (const QByteArray &text : arguments.values(option)) {
        const auto package = packageName(QString::fromUtf8(text), language.id());
        if (!package)
            return std::unexpected(u"%1 takes the name of one %2 package, without versions, and \"%3\" is none."_s.arg(
                QLatin1StringView(option), language.name(), recordable(QString::fromUtf8(text.left(100)))));
        names.append(*package);
    }
    return names;
}

// What is no list of packages in any language, or not in the one that is named.
static QString faultOf(const QString &words, const QString &named)
{
    QString fault;
    for (const auto &language : Languages::all()) {
        if (!language->takesPackages() || (!named.isEmpty() && language->id() != named))
            continue;
        const auto requirements = readRequirements(words, language->id());
        if (requirements)
            return {};
        if (fault.isEmpty())
            fault = requirements.error().message.english();
    }
    return fault;
}

std::expected<PackageOptions, QString> packageOptions(const Arguments &arguments, const char *with,
                                                      const QString &language)
{
    PackageOptions options;
    for (const QByteArray &text : arguments.values(with)) {
        const QString words = QString::fromUtf8(text);
        if (const QString fault = faultOf(words, language); !fault.isEmpty())
            return std::unexpected(fault);
        options.with.append(words);
    }
    const auto sources = permitted(arguments, "--allow-source", *Languages::byId(languageOfSources()).value());
    const auto scripts = permitted(arguments, "--allow-scripts", *Languages::byId(languageOfScripts()).value());
    if (!sources || !scripts)
        return std::unexpected(!sources ? sources.error() : scripts.error());
    options.sources = *sources;
    options.scripts = *scripts;
    const auto fileOf = [&](const char *option) { return QFile::decodeName(arguments.value(option).value_or("")); };
    options.lock = fileOf("--lock");
    options.locked = fileOf("--locked");
    options.index = QString::fromUtf8(arguments.value("--index").value_or(QByteArray()));
    options.refresh = arguments.has("--refresh");
    options.yes = arguments.has("--yes");
    for (const char *option : {"--lock", "--locked", "--index"}) {
        if (const auto value = arguments.value(option); value && value->isEmpty())
            return std::unexpected(u"%1 has an empty value (an unset variable?)."_s.arg(QLatin1StringView(option)));
    }
    const auto known = Languages::byId(language); // not of an empty one
    if (known && !(*known)->takesPackages() && (!options.with.isEmpty() || !options.locked.isEmpty()))
        return std::unexpected(noPackagesFor(language).english());
    // A session gets packages of several languages at once, and says by itself what has no effect.
    const bool isForRun = QByteArrayView(with) == "--with";
    const auto useless = isForRun && known ? uselessPermission(options, language) : std::nullopt;
    if (useless)
        return std::unexpected(useless->english());
    if (!options.lock.isEmpty() && !options.locked.isEmpty())
        return std::unexpected(u"--lock writes a lock file and --locked repeats one: give one of them."_s);
    if (options.refresh && !options.locked.isEmpty())
        return std::unexpected(u"--refresh has no effect with --locked, which names every version."_s);
    return options;
}

Result<PackageLock> readLockFile(const QString &path)
{
    const QByteArray name = QFile::encodeName(path);
    ASSIGN_OR_RETURN(const UniqueFd file, openForReading(name));
    ASSIGN_OR_RETURN(const QByteArray lock, readUpTo(file, name, largestLock));
    return readPackageLock(lock.first(std::min<qsizetype>(lock.size(), largestLock)));
}

// Before anything is fetched. Only an empty file or a lock file, whole or not, is replaced.
static Status checkLockPlace(const QString &path)
{
    const QFileInfo file(path);
    const QString folder = QFileInfo(file.absolutePath()).filePath();
    if (!QFileInfo(folder).isDir())
        return fail(
            ErrorCode::NotFound,
            Text("There is no folder \"%1\" for the lock file. Make that one first, or name another.", {folder}));
    if (!QFileInfo(folder).isWritable())
        return fail(ErrorCode::PermissionDenied,
                    Text("You may not write the lock file to the folder \"%1\". Name another.", {folder}));
    if (!file.exists())
        return {};
    const QByteArray name = QFile::encodeName(path);
    QByteArray content;
    if (file.isFile()) {
        ASSIGN_OR_RETURN(const UniqueFd opened, openForReading(name));
        ASSIGN_OR_RETURN(content, readUpTo(opened, name, largestLock));
    }
    if (file.isFile() && (content.isEmpty() || content.contains("\"glovebox_lock\"")))
        return {};
    return fail(ErrorCode::InvalidInput,
                Text("\"%1\" is not a lock file, so it isn't replaced. Name another file, or a new one.", {path}));
}

Result<InstalledPackages> obtainPackages(const Engine &engine, const PackageWish &wish, const PackageOptions &options,
                                         bool quiet)
{
    RETURN_IF_ERROR(options.lock.isEmpty() ? Status() : checkLockPlace(options.lock));
    ASSIGN_OR_RETURN(const auto found, engine.packages().find(wish));
    const auto installed =
        found ? Result<InstalledPackages>(*found) : installPackages(engine.packages(), wish, options, quiet);
    for (const QString &name : installed ? options.sources : QStringList()) {
        const auto package = std::ranges::find(installed->lock.packages, name, &LockedPackage::name);
        if (package == installed->lock.packages.end())
            say(u"--allow-source %1 had no effect: no package of that name is among those that are installed."_s.arg(
                name));
    }
    for (const QString &name : installed ? options.scripts : QStringList()) {
        const auto ran = [&](const LockedPackage &each) { return each.name == name && each.runsScripts; };
        if (std::ranges::none_of(installed->lock.packages, ran))
            say(u"--allow-scripts %1 had no effect: no package of that name had an install script to run."_s.arg(name));
    }
    return installed;
}

static auto languageOf(const RunRequest &request)
{
    return request.language.isEmpty() ? Languages::detect(request.fileName, request.code)
                                      : Languages::byId(request.language);
}

static Status refuseUseless(const PackageOptions &options, const QString &language)
{
    const auto useless = uselessPermission(options, language);
    return useless ? Status(fail(ErrorCode::InvalidInput, *useless)) : Status();
}

static bool mayWantPackages(const PackageOptions &options, const RunRequest &request)
{
    return !options.with.isEmpty() || !options.locked.isEmpty() || request.code.contains("# /// script");
}

Status checkPackageOptions(const PackageOptions &options, const RunRequest &request)
{
    QString of; // no language, where no package is wanted
    if (mayWantPackages(options, request)) {
        const auto language = languageOf(request);
        if (!language)
            return {}; // the engine refuses code of no language
        of = (*language)->id();
        const bool isAsked = !options.with.isEmpty() || !options.locked.isEmpty();
        if (isAsked && !(*language)->takesPackages())
            return fail(ErrorCode::Unsupported, noPackagesFor(of));
    }
    return refuseUseless(options, of);
}

Status addPackages(const Engine &engine, const PackageOptions &options, bool quiet, const Session *session,
                   RunRequest &request)
{
    const auto language = languageOf(request);
    if (!mayWantPackages(options, request) || !language || !(*language)->takesPackages())
        return {};
    ASSIGN_OR_RETURN(PackageWish wish, wishOf(options, request, **language));
    if (wish.requirements.isEmpty() && !wish.locked) {
        RETURN_IF_ERROR(refuseUseless(options, {}));
        ASSIGN_OR_RETURN(request.interpreter, engine.packages().interpreterFor(wish));
        return {};
    }
    if (const SessionPackages *has = session ? session->packagesOf((*language)->id()) : nullptr) {
        if (!wish.locked) {
            ASSIGN_OR_RETURN(wish, addedTo(*has, std::move(wish), SameName::Both));
        }
        if (!quiet)
            say((wish.locked
                     ? u"The run gets the packages of %2, and none of the session %1."_s
                     : u"The packages of the session %1 and those of the run were resolved together for this run."_s)
                    .arg(session->shownName(), options.locked));
    }
    ASSIGN_OR_RETURN(const InstalledPackages installed, obtainPackages(engine, wish, options, quiet));
    request.packages = installed.id;
    request.interpreter = installed.interpreter;
    return options.lock.isEmpty() ? Status() : writeLockFile(options.lock, toBytes(installed.lock));
}

} // namespace glovebox
