// SPDX-License-Identifier: Apache-2.0
// `glovebox session install` and `uninstall`: packages that each run in a session is shown.
#include "app/cli/run/packageoptions.h"
#include "app/cli/terminal/bell.h"
#include "namedsession.h"
#include "sessioncommands.h"

#include <QFile>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

int isCancelledOr(const Error &error)
{
    const int status = sayFailure(error);
    return error.code == ErrorCode::Cancelled ? ExitStatus::signalled + Bell::firstStop() : status;
}

QList<const Language *> languagesWithPackages()
{
    QList<const Language *> all;
    for (const auto &language : Languages::all()) {
        if (language->takesPackages())
            all.append(language.get());
    }
    return all;
}

QByteArray optionOf(const Language &language)
{
    return "--" + language.id().toLatin1();
}

// What is to be installed for one language.
struct LanguageTask
{
    const Language *language = nullptr;
    PackageOptions options;
};

// One wish for the session's packages and those of the options.
Result<PackageWish> wishIn(const Session &session, const LanguageTask &task, const Caller &caller)
{
    const PackageOptions &options = task.options;
    const SessionPackages *const has = session.packagesOf(task.language->id());
    PackageWish wish{.language = task.language->id(),
                     .requirements = {},
                     .requiresPython = {},
                     .locked = {},
                     .index = options.index,
                     .interpreter = {},
                     .refresh = options.refresh,
                     .caller = caller,
                     .sources = options.sources,
                     .scripts = options.scripts};
    if (!options.locked.isEmpty()) {
        ASSIGN_OR_RETURN(wish.locked, readLockFile(options.locked));
        return wish;
    }
    if (!options.with.isEmpty()) {
        ASSIGN_OR_RETURN(wish.requirements, readRequirements(options.with.join(u'\n'), wish.language));
    }
    if (has && options.with.isEmpty() && !options.refresh) {
        ASSIGN_OR_RETURN(wish, again(*has, caller));
        wish.sources = options.sources;
        wish.scripts += options.scripts;
        return wish;
    }
    return has ? addedTo(*has, std::move(wish), SameName::Replaces) : wish;
}

// session: as it is then.
Status set(Engine &engine, Session &session, const QString &language, const SessionPackages &packages)
{
    const SessionPackages *const before = session.packagesOf(language);
    ASSIGN_OR_RETURN(session, engine.changeSession(session.id, SetPackages{packages, before ? before->id : QString()},
                                                   engine.caller()));
    const QString name = Languages::byId(language).value()->name();
    say(packages.id.isEmpty() ? u"Session %1: runs in it no longer get packages of %2."_s.arg(session.shownName(), name)
                              : u"Session %1: each %2 run in it can import %3."_s.arg(session.shownName(), name,
                                                                                      packages.packages.join(u", "_s)));
    return {};
}

Status obtain(Engine &engine, Session &session, const PackageWish &wish, const PackageOptions &options)
{
    // Before anything is fetched: who is told at the end only has waited for nothing.
    if (engine.sessions().isBusy(session.id))
        return fail(ErrorCode::Busy,
                    Text("The session %1 is in use, so its packages can't be changed now. To see by what: "
                         "glovebox session status %2",
                         {session.shownName(), typedName(session)}));
    ASSIGN_OR_RETURN(const InstalledPackages installed, obtainPackages(engine, wish, options, false));
    if (!options.lock.isEmpty())
        RETURN_IF_ERROR(writeLockFile(options.lock, toBytes(installed.lock)));
    return set(engine, session, wish.language, ofSession(installed));
}

// Options that let code of packages run, and the language of these.
QList<std::pair<const char *, QString>> permissions()
{
    return {{"--allow-source", languageOfSources()}, {"--allow-scripts", languageOfScripts()}};
}

// Options for packages of one language among several.
void keepPermissionsOf(const QString &language, PackageOptions &options)
{
    if (language != languageOfSources())
        options.sources.clear();
    if (language != languageOfScripts())
        options.scripts.clear();
}

std::expected<PackageOptions, QString> optionsFor(const Arguments &arguments, const Language &language)
{
    auto options = packageOptions(arguments, optionOf(language).constData(), language.id());
    if (options)
        options->whose = u"The session"_s;
    if (options)
        keepPermissionsOf(language.id(), *options);
    if (options && !options->with.isEmpty() && !options->locked.isEmpty())
        return std::unexpected(
            u"--locked names every package: leave out %1."_s.arg(QLatin1StringView(optionOf(language))));
    return options;
}

// The languages that options name, else that of the lock file, else all that the session has packages of. The error is a sentence.
std::expected<QList<LanguageTask>, QString> tasksOf(const SessionWords &given)
{
    const QByteArray locked = given.arguments.value("--locked").value_or("");
    const auto lock = locked.isEmpty() ? Result<PackageLock>() : readLockFile(QFile::decodeName(locked));
    if (!lock)
        return std::unexpected(lock.error().message.english());
    QList<LanguageTask> tasks;
    const bool namesSome = std::ranges::any_of(languagesWithPackages(), [&](const Language *language) {
        return given.arguments.has(optionOf(*language).constData());
    });
    for (const Language *language : languagesWithPackages()) {
        const auto options = optionsFor(given.arguments, *language);
        if (!options)
            return std::unexpected(options.error());
        const bool isMeant = namesSome          ? !options->with.isEmpty()
                             : locked.isEmpty() ? given.session.packagesOf(language->id()) != nullptr
                                                : lock->language == language->id();
        if (isMeant)
            tasks.append({language, *options});
    }
    for (const auto &[option, language] : permissions()) {
        const auto isIts = [&language](const LanguageTask &task) { return task.language->id() == language; };
        if (given.arguments.has(option) && std::ranges::none_of(tasks, isIts))
            return std::unexpected(u"%1 is for %2 packages, and none are to be installed. Name some by --%3."_s.arg(
                QLatin1StringView(option), Languages::byId(language).value()->name(), language));
    }
    if (tasks.size() > 1 && (given.arguments.has("--lock") || given.arguments.has("--index")))
        return std::unexpected(u"--lock and --index are for one language: install the packages of each by itself."_s);
    return tasks;
}

int installPackages(const SessionWords &given)
{
    const auto tasks = tasksOf(given);
    if (!tasks)
        return sayUsage(tasks.error(), u"session install"_s);
    if (tasks->isEmpty())
        return sayFailure({ErrorCode::InvalidInput,
                           Text("The session %1 has no packages yet. Name some by --python or --node: glovebox session "
                                "install %2 --python numpy --node lodash",
                                {given.session.shownName(), typedName(given.session)}),
                           {}});
    const auto engine = openEngine();
    if (!engine)
        return sayFailure(engine.error());
    Session session = given.session;
    for (const LanguageTask &task : *tasks) {
        const auto wish = wishIn(session, task, (*engine)->caller());
        const Status obtained = wish ? obtain(**engine, session, *wish, task.options) : std::unexpected(wish.error());
        if (!obtained)
            return isCancelledOr(obtained.error());
    }
    return 0;
}

bool isNamedIn(const SessionPackages &has, const QString &name)
{
    const auto left = leftWithout(has, {name}, {});
    return left || left.error().code != ErrorCode::NotFound;
}

int uninstallPackages(const SessionWords &given)
{
    Session session = given.session;
    if (session.packages.isEmpty())
        return sayFailure({ErrorCode::NotFound, Text("The session %1 has no packages.", {session.shownName()}), {}});
    const auto options = packageOptions(given.arguments);
    if (!options)
        return sayUsage(options.error(), u"session uninstall"_s);
    QStringList names;
    for (const QByteArray &word : given.words)
        names.append(QString::fromUtf8(word));
    for (const QString &name : std::as_const(names)) {
        const auto hasIt = [&](const SessionPackages &has) { return isNamedIn(has, name); };
        if (std::ranges::none_of(session.packages, hasIt))
            return sayFailure(leftWithout(session.packages.first(), {name}, {}).error());
    }
    const auto engine = openEngine();
    if (!engine)
        return sayFailure(engine.error());
    const QList<SessionPackages> before = session.packages;
    QStringList resolved; // languages whose other packages were
    for (const SessionPackages &has : before) {
        QStringList own = names;
        own.removeIf([&](const QString &name) { return !isNamedIn(has, name); });
        if (own.isEmpty())
            continue;
        PackageOptions ownOptions = *options;
        keepPermissionsOf(has.language, ownOptions);
        auto wish = leftWithout(has, own, (*engine)->caller());
        if (wish)
            wish->sources = ownOptions.sources;
        if (wish)
            wish->scripts += ownOptions.scripts;
        Status done = wish ? Status() : std::unexpected(wish.error());
        if (wish && wish->requirements.isEmpty())
            done = set(**engine, session, has.language, {.language = has.language});
        else if (wish)
            done = obtain(**engine, session, *wish, ownOptions);
        if (!done)
            return isCancelledOr(done.error());
        if (!wish->requirements.isEmpty())
            resolved.append(has.language);
    }
    for (const auto &[option, language] : permissions()) {
        if (given.arguments.has(option) && !resolved.contains(language))
            say(u"%1 had no effect: no %2 packages were installed again."_s.arg(
                QLatin1StringView(option), Languages::byId(language).value()->name()));
    }
    return 0;
}

} // namespace

std::vector<Command> sessionPackageCommands()
{
    const Option yes{"--yes", "", u"install packages without asking"_s};
    return {
        {.name = u"session install"_s,
         .summary = u"install packages that each run in a session can import"_s,
         .synopsis = u"SESSION [--python PACKAGES] [--node PACKAGES] [OPTIONS]"_s,
         .options =
             {{"--python", "PACKAGES", u"Python packages, such as \"numpy pandas>=2\"; repeatable [default: none]"_s},
              {"--node", "PACKAGES", u"Node.js packages, such as \"lodash@4 chalk\"; repeatable [default: none]"_s},
              offeredAllowSource(),
              offeredAllowScripts(),
              {"--lock", "FILE", u"write the packages with their versions and hashes to FILE [default: none]"_s},
              {"--locked", "FILE", u"give the session exactly the packages of this lock file [default: none]"_s},
              {"--index", "URL",
               u"package index [default: the session's, else the setting packages.index or packages.npm_index]"_s},
              {"--refresh", "", u"ask the index again for newer versions (else an answer holds for 7 days)"_s},
              yes},
         .details =
             uR"(The packages add to those that the session has, and all are resolved together. A package that is named again
takes the new versions. Without --python, --node and --locked the session's own packages are installed again, as its lock
names them. If anything fails, the session keeps the packages that it had. Install scripts that --allow-scripts allowed
once may run whenever these packages are installed again. Forks have the same packages; "session rollback" changes files
only.

Examples:
  glovebox session install shop --python "numpy pandas>=2"
  glovebox run --session shop -c 'import pandas; print(pandas.__version__)'
  glovebox session install shop --node lodash@4
  glovebox session install shop
)"_s,
         .run = overSession(
             u"session install"_s, 0, 0,
             u"Name one session. Packages follow --python or --node: glovebox session install SESSION --python numpy"_s,
             installPackages)},
        {.name = u"session uninstall"_s,
         .summary = u"take packages away from a session"_s,
         .synopsis = u"SESSION NAME... [--allow-source NAME] [--allow-scripts NAME] [--yes]"_s,
         .options = {offeredAllowSource(), offeredAllowScripts(), yes},
         .details =
             uR"(NAMEs are packages that "session install" was given. The others are resolved again, so what only a removed
package needed goes with it. The others are built again where they have only a source: name those by --allow-source.
Install scripts that were allowed for the session still run; --allow-scripts allows more.

Example:
  glovebox session uninstall shop pandas
)"_s,
         .run = overSession(u"session uninstall"_s, 1, anyNumberOfWords, u"Name one session, and packages of it."_s,
                            uninstallPackages)},
    };
}

} // namespace glovebox
