// SPDX-License-Identifier: Apache-2.0
#include "preparing.h"

#include "app/cli/profile/namedprofile.h"
#include "app/cli/secret/prompt.h"
#include "app/cli/terminal/bell.h"
#include "givenfiles.h"

#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// What the run reads; none: nothing.
Result<UniqueFd> openInput(const RunOptions &options)
{
    if (options.relaysStandardInput())
        return UniqueFd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
    return options.input ? openForReading(*options.input) : UniqueFd();
}

} // namespace

Result<QByteArray> readCode(const RunOptions &options)
{
    switch (options.source) {
    case RunOptions::Source::Argument:
        break;
    case RunOptions::Source::File: {
        const auto file = openForReading(options.file);
        return file ? readUpTo(*file, options.file, maximumCodeBytes) : std::unexpected(file.error());
    }
    case RunOptions::Source::StandardInput:
        if (isTerminal(STDIN_FILENO))
            say(u"Type the code, then Ctrl+D at the start of a line."_s);
        return readUpTo(UniqueFd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)), "standard input", maximumCodeBytes);
    }
    return options.code;
}

int refuse(const RunOptions &options, Outcome outcome, const Error &error)
{
    RunResult result;
    result.outcome = outcome;
    result.reason = error.message;
    if (options.json)
        printJson(toJson(result));
    else
        say(sentenceOf(error));
    return ExitStatus::notRun;
}

std::expected<PreparedRun, int> prepareRun(Engine &engine, const RunOptions &options)
{
    // What can't be read never reaches the engine; what can be, but makes no sense, is for the engine to refuse and record.
    RunRequest request;
    if (!options.artifacts.isEmpty()) {
        if (const Status savable = checkSaveFolder(options.artifacts); !savable)
            return std::unexpected(refuse(options, Outcome::Rejected, savable.error()));
    }
    auto session = SessionOfRun::find(engine.sessions(), options);
    if (!session)
        return std::unexpected(refuse(options, Outcome::Rejected, session.error()));
    const auto usual = usualPolicy(engine, options, session->session());
    if (!usual)
        return std::unexpected(refuse(options, Outcome::Rejected, usual.error()));
    request.policy = options.on(usual->policy);
    if (!usual->told.isEmpty() && !options.quiet && !options.json)
        say(usual->told);
    session->addTo(request);
    request.args = options.args;
    request.secrets = options.secrets;
    // Their values may be in a file with a passphrase. One that isn't given leaves them locked, which the engine refuses on record.
    QStringList lent;
    bool isLockedTold = false;
    for (const SecretGrant &grant : request.secrets)
        lent.append(grant.name);
    if (!lent.isEmpty()) {
        const Status unlocked = unlockFor(engine.vault(), lent, options.passphraseFile);
        if (!unlocked && unlocked.error().code == ErrorCode::Cancelled) {
            refuse(options, Outcome::Cancelled, unlocked.error());
            return std::unexpected(ExitStatus::signalled + SIGINT);
        }
        isLockedTold = !unlocked;
        if (isLockedTold)
            say(sentenceOf(unlocked.error()));
    }
    request.mayBeWarm = options.mayBeWarm;
    request.caller = engine.caller();
    if (options.source == RunOptions::Source::File)
        request.fileName = nameOfCode(options.file);
    auto code = readCode(options);
    if (!code)
        return std::unexpected(refuse(options, Outcome::Rejected, code.error()));
    request.code = *std::move(code);
    auto files = readFiles(options.files, session->diskBytes(request.policy));
    if (!files)
        return std::unexpected(refuse(options, Outcome::Rejected, files.error()));
    request.files = *std::move(files);
    auto input = openInput(options);
    if (!input)
        return std::unexpected(refuse(options, Outcome::Rejected, input.error()));

    request.language = options.language;
    if (request.language.isEmpty() && options.source != RunOptions::Source::File
        && !Languages::detect({}, request.code))
        request.language = Languages::fallback().id();
    if (const Status named = checkCodeHasItsName(request); !named)
        return std::unexpected(sayUsage(sentenceOf(named.error()), u"run"_s));
    if (const Status sound = checkPackageOptions(options.packages, request); !sound)
        return std::unexpected(sayUsage(sentenceOf(sound.error()), u"run"_s));
    if (const Status added =
            addPackages(engine, options.packages, options.quiet || options.json, session->session(), request);
        !added) {
        const bool isCancelled = added.error().code == ErrorCode::Cancelled;
        refuse(options, isCancelled ? Outcome::Cancelled : Outcome::Rejected, added.error());
        return std::unexpected(isCancelled ? ExitStatus::signalled + Bell::firstStop() : ExitStatus::notRun);
    }
    return PreparedRun{std::move(request), *std::move(session), *std::move(input), isLockedTold,
                       options.wall || usual->setsTime};
}

} // namespace glovebox
