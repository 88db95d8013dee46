// SPDX-License-Identifier: Apache-2.0
// `glovebox session install` and `uninstall`: packages that each run in a session is shown.
#include "app/cli/run/packageoptions.h"
#include "namedsession.h"
#include "sessioncommands.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

int isCancelledOr(const Error &error)
{
    const int status = sayFailure(error);
    return error.code == ErrorCode::Cancelled ? ExitStatus::signalled + SIGINT : status;
}

// One wish for the session's packages and those of the options.
Result<PackageWish> wishIn(const Session &session, const QString &language, const PackageOptions &options,
                           const Caller &caller)
{
    const SessionPackages *const has = session.packagesOf(language);
    const bool isRepeated = options.with.isEmpty() && options.locked.isEmpty();
    if (isRepeated && !has)
        return fail(ErrorCode::InvalidInput,
                    Text("The session %1 has no packages yet. Name some: glovebox session install %2 --python "
                         "\"numpy pandas>=2\"",
                         {session.shownName(), typedName(session)}));
    PackageWish wish{.requirements = options.with,
                     .requiresPython = {},
                     .locked = {},
                     .index = options.index,
                     .interpreter = {},
                     .refresh = options.refresh,
                     .caller = caller};
    if (!options.locked.isEmpty()) {
        ASSIGN_OR_RETURN(wish.locked, readLockFile(options.locked));
        return wish;
    }
    if (isRepeated && options.refresh)
        return addedTo(*has, std::move(wish), SameName::Replaces);
    if (isRepeated)
        return again(*has, caller);
    return has ? addedTo(*has, std::move(wish), SameName::Replaces) : wish;
}

int set(Engine &engine, const Session &session, const QString &language, const SessionPackages &packages)
{
    const SessionPackages *const before = session.packagesOf(language);
    const auto changed =
        engine.changeSession(session.id, SetPackages{packages, before ? before->id : QString()}, engine.caller());
    if (!changed)
        return sayFailure(changed.error());
    say(packages.id.isEmpty()
            ? u"Session %1: runs in it no longer get packages."_s.arg(session.shownName())
            : u"Session %1: each run in it can import %2."_s.arg(session.shownName(), packages.packages.join(u", "_s)));
    return 0;
}

// Before anything is fetched: who is told at the end only has waited for nothing.
Status checkFree(const Engine &engine, const Session &session)
{
    if (!engine.sessions().isBusy(session.id))
        return {};
    return fail(ErrorCode::Busy, Text("The session %1 is in use, so its packages can't be changed now. To see by what: "
                                      "glovebox session status %2",
                                      {session.shownName(), typedName(session)}));
}

int obtain(Engine &engine, const Session &session, const PackageWish &wish, const PackageOptions &options)
{
    if (const Status isFree = checkFree(engine, session); !isFree)
        return sayFailure(isFree.error());
    const auto installed = obtainPackages(engine, wish, options, false);
    if (!installed)
        return isCancelledOr(installed.error());
    if (!options.lock.isEmpty()) {
        if (const Status written = writeLockFile(options.lock, installed->lock); !written)
            return sayFailure(written.error());
    }
    return set(engine, session, u"python"_s, ofSession(*installed));
}

std::expected<PackageOptions, QString> optionsOf(const Arguments &arguments)
{
    auto options = packageOptions(arguments, "--python");
    if (options)
        options->whose = u"The session"_s;
    if (options && !options->with.isEmpty() && !options->locked.isEmpty())
        return std::unexpected(u"--locked names every package: leave out --python."_s);
    return options;
}

int installPackages(const SessionWords &given)
{
    const auto options = optionsOf(given.arguments);
    if (!options)
        return sayUsage(options.error(), u"session install"_s);
    const auto engine = openEngine();
    if (!engine)
        return sayFailure(engine.error());
    const auto wish = wishIn(given.session, u"python"_s, *options, (*engine)->caller());
    return wish ? obtain(**engine, given.session, *wish, *options) : sayFailure(wish.error());
}

int uninstallPackages(const SessionWords &given)
{
    const auto options = optionsOf(given.arguments);
    if (!options)
        return sayUsage(options.error(), u"session uninstall"_s);
    const SessionPackages *const has = given.session.packagesOf(u"python"_s);
    if (!has)
        return sayFailure(
            {ErrorCode::NotFound, Text("The session %1 has no packages.", {given.session.shownName()}), {}});
    QStringList names;
    for (const QByteArray &word : given.words)
        names.append(QString::fromUtf8(word));
    const auto engine = openEngine();
    if (!engine)
        return sayFailure(engine.error());
    const auto wish = leftWithout(*has, names, (*engine)->caller());
    if (!wish)
        return sayFailure(wish.error());
    if (wish->requirements.isEmpty())
        return set(**engine, given.session, u"python"_s, {.language = u"python"_s});
    return obtain(**engine, given.session, *wish, *options);
}

} // namespace

std::vector<Command> sessionPackageCommands()
{
    const Option yes{"--yes", "", u"install packages without asking"_s};
    return {
        {.name = u"session install"_s,
         .summary = u"install packages that each run in a session can import"_s,
         .synopsis = u"SESSION [--python PACKAGES] [OPTIONS]"_s,
         .options = {{"--python", "PACKAGES",
                      u"Python packages, such as \"numpy pandas>=2\"; repeatable [default: none]"_s},
                     {"--lock", "FILE", u"write the packages with their versions and hashes to FILE [default: none]"_s},
                     {"--locked", "FILE", u"give the session exactly the packages of this lock file [default: none]"_s},
                     {"--index", "URL", u"package index [default: the session's, else the setting packages.index]"_s},
                     {"--refresh", "", u"ask the index again for newer versions (else an answer holds for 7 days)"_s},
                     yes},
         .details =
             uR"(The packages add to those that the session has, and all are resolved together. A package that is named again
takes the new versions. Without --python and --locked the session's own packages are installed again, as its lock
names them. If anything fails, the session keeps the packages that it had. Forks have the same packages;
"session rollback" changes files only.

Examples:
  glovebox session install shop --python "numpy pandas>=2"
  glovebox run --session shop -c 'import pandas; print(pandas.__version__)'
  glovebox session install shop
)"_s,
         .run = overSession(
             u"session install"_s, 0, 0,
             u"Name one session. Packages follow --python: glovebox session install SESSION --python numpy"_s,
             installPackages)},
        {.name = u"session uninstall"_s,
         .summary = u"take packages away from a session"_s,
         .synopsis = u"SESSION NAME... [--yes]"_s,
         .options = {yes},
         .details =
             uR"(NAMEs are packages that "session install" was given. The others are resolved again, so what only a removed
package needed goes with it.

Example:
  glovebox session uninstall shop pandas
)"_s,
         .run = overSession(u"session uninstall"_s, 1, anyNumberOfWords, u"Name one session, and packages of it."_s,
                            uninstallPackages)},
    };
}

} // namespace glovebox
