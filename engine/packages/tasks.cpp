// SPDX-License-Identifier: Apache-2.0
#include "tasks.h"

#include "installer.h"

#include <QJsonDocument>
#include <QRegularExpression>
#include <QUrl>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr quint16 httpsPort = 443;

// Files, and what is said about them.
qint64 trafficOf(const PackageLimits &limits)
{
    return std::max(2 * limits.diskBytes, LimitRange::trafficMin);
}

RunRequest task(const Installer &installer, const PackageWish &wish, const PackageLimits &limits, Policy policy,
                const QString &session)
{
    policy.allow.clear();
    policy.folders.clear();
    policy.limits = {.wall = limits.wall, .memoryBytes = limits.memoryBytes, .diskBytes = limits.diskBytes};
    RunRequest request;
    request.language = installer.language();
    request.interpreter = wish.interpreter;
    request.session = session;
    request.keepsFiles = false;
    request.policy = std::move(policy);
    request.caller = wish.caller;
    request.getsPackages = true;
    request.mayBeWarm = false;
    return request;
}

void showWheels(RunRequest &request, const PackageIndex &index)
{
    if (!index.wheels.isEmpty())
        request.policy.folders = {{.hostPath = index.wheels, .path = QString::fromLatin1(wheelsInside)}};
}

// Words of pip, and what packages and indexes make it say, within quotation marks in a sentence of ours.
QString quoted(const QString &words)
{
    QString shown;
    for (const QChar letter : words.simplified().left(300))
        shown += letter == u'"' ? u'\'' : letter.isPrint() ? letter : u'?';
    return recordable(shown);
}

// Nothing else can stand where a sentence of ours names a package.
QString nameOfPackage(const QString &name)
{
    static const QRegularExpression form(u"^[A-Za-z0-9._-]{1,100}\\z"_s);
    return form.match(name).hasMatch() ? name : u"?"_s;
}

// That the run was kept from, since the index doesn't have it; empty: none.
QString otherHost(const RunResult &result, const PackageIndex &index)
{
    const auto allowed = allowlistFromTexts(index.allow);
    const auto isOther = [&](const EgressAttempt &attempt) {
        return attempt.verdict == EgressAttempt::Verdict::Denied && attempt.port > 0
               && refusedConnection(*allowed, attempt.host, static_cast<quint16>(attempt.port));
    };
    const auto other = allowed ? std::ranges::find_if(result.egress, isOther) : result.egress.end();
    return other == result.egress.end() ? QString() : recordable(other->host.left(253));
}

// run: its id.
std::unexpected<Error> failed(PackageProblem problem, const PackageAnswer &answer, const QString &index,
                              const PackageLimits &limits, const QString &tool, const QString &run)
{
    const QString subject = quoted(answer.subject);
    const QString detail = quoted(answer.detail);
    const Text said(QT_TRANSLATE_NOOP("engine", "%1"), {detail});
    switch (problem) {
    case PackageProblem::None:
        break;
    case PackageProblem::NoPip:
        return fail(ErrorCode::Unsupported,
                    QT_TRANSLATE_NOOP("engine",
                                      "%1 has no pip, which installs packages. On Debian and Ubuntu: sudo apt "
                                      "install python3-pip"),
                    {subject});
    case PackageProblem::NoNpm:
        return fail(ErrorCode::Unsupported,
                    QT_TRANSLATE_NOOP("engine",
                                      "This machine has no npm, which installs packages. On Debian and Ubuntu: "
                                      "sudo apt install npm"),
                    {});
    case PackageProblem::NoVersion:
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine", "%1 has no such version of \"%2\". Ask for other versions."),
                    {index, subject});
    case PackageProblem::Missing:
        return fail(ErrorCode::NotFound, QT_TRANSLATE_NOOP("engine", "%1 has no package \"%2\". Check its name."),
                    {index, subject});
    case PackageProblem::Unfit:
        return fail(ErrorCode::Unsupported,
                    QT_TRANSLATE_NOOP("engine", "%1 has no wheel of \"%2\" in these versions for Python %3 on this "
                                                "machine. Ask for other versions."),
                    {index, subject, quoted(answer.runtime)});
    case PackageProblem::Source:
        return fail(
            ErrorCode::Unsupported,
            QT_TRANSLATE_NOOP(
                "engine",
                "%1 has \"%2\" only as source code. Glovebox installs wheels, as building one runs its code. To have "
                "it built, sealed and without a network, name it: --allow-source %2 with glovebox run or glovebox "
                "session install, \"allow_source\" for agents."),
            {index, nameOfPackage(answer.subject)});
    case PackageProblem::BadSource:
        return fail(
            ErrorCode::Damaged,
            QT_TRANSLATE_NOOP("engine", "The source of \"%2\" from %1 can't be read: \"%3\". Nothing was installed."),
            {index, nameOfPackage(answer.subject), detail});
    case PackageProblem::NoSource:
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine", "%1 has no source of \"%2\" (.tar.gz) in these versions for Python "
                                                "%3. Ask for other versions."),
                    {index, nameOfPackage(answer.subject), quoted(answer.runtime)});
    case PackageProblem::Tool:
        return fail(ErrorCode::Unsupported,
                    QT_TRANSLATE_NOOP("engine", "%1 has no fitting wheel of \"%2\", which the source is built with. "
                                                "Nothing was installed."),
                    {index, nameOfPackage(answer.subject)});
    case PackageProblem::Address:
        return fail(ErrorCode::PermissionDenied,
                    QT_TRANSLATE_NOOP("engine", "\"%1\" requires \"%2\" from an address, and Glovebox installs "
                                                "packages of an index only. Nothing was installed."),
                    {nameOfPackage(answer.detail), nameOfPackage(answer.subject)});
    case PackageProblem::Conflict:
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "These packages can't be installed together: \"%1\""), {detail}, said);
    case PackageProblem::Hash:
        return fail(ErrorCode::Damaged,
                    QT_TRANSLATE_NOOP("engine", "%1 sent a file with another hash than the one announced. Nothing was "
                                                "installed."),
                    {index}, Text("%1", {subject}));
    case PackageProblem::Script:
        return fail(ErrorCode::Unsupported,
                    QT_TRANSLATE_NOOP("engine",
                                      "The install script of \"%1\" failed or left what can't be used. Nothing "
                                      "was installed. To read what it printed: glovebox audit show %2"),
                    {subject, run});
    case PackageProblem::Hangs:
        return fail(ErrorCode::TimedOut,
                    QT_TRANSLATE_NOOP("engine", "%1 stopped answering for %2 seconds. Try again later."),
                    {index, QString::number(limits.silence.count())});
    case PackageProblem::Unreachable:
        return fail(ErrorCode::Unavailable, QT_TRANSLATE_NOOP("engine", "%1 can't be reached. Check the network."),
                    {index}, said);
    case PackageProblem::Space:
        return fail(ErrorCode::Full,
                    QT_TRANSLATE_NOOP("engine", "The packages need more than %1 MB, or too many files, while they are "
                                                "installed. Nothing was installed."),
                    {QString::number(limits.diskBytes / mebibyte)});
    case PackageProblem::Damaged:
        return fail(ErrorCode::Damaged,
                    QT_TRANSLATE_NOOP("engine", "A package from %1 is damaged. Nothing was installed. %2 says: \"%3\""),
                    {index, tool, detail});
    case PackageProblem::Name:
        return fail(ErrorCode::Damaged,
                    QT_TRANSLATE_NOOP("engine", "The file of \"%1\" holds another package, \"%2\". Nothing was "
                                                "installed. Don't use the package or the lock file that it is from."),
                    {subject, detail});
    case PackageProblem::Other:
        break;
    }
    return fail(ErrorCode::Io, QT_TRANSLATE_NOOP("engine", "The packages can't be installed. %1 says: \"%2\""),
                {tool, detail});
}

} // namespace

Result<PackageIndex> packageIndex(const QString &address, const QString &example)
{
    const QUrl url(address, QUrl::StrictMode);
    const auto refuse = [&](const char *why) {
        static const QRegularExpression credentials(u"//[^/]*@"_s);
        const QString shown = QString(address).replace(credentials, u"//[...]@"_s);
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "\"%1\" is not the address of a package index: %2 Write one as %3."),
                    {recordable(shown.left(200)), Text(why).english(), example});
    };
    if (!url.isValid() || url.host().isEmpty())
        return refuse(QT_TRANSLATE_NOOP("engine", "it can't be read."));
    if (url.scheme() != u"https"_s)
        return refuse(QT_TRANSLATE_NOOP("engine", "only https:// is used."));
    if (!url.userInfo().isEmpty())
        return refuse(QT_TRANSLATE_NOOP("engine", "a user name or password in it would be in the log."));
    if (url.hasQuery() || url.hasFragment())
        return refuse(QT_TRANSLATE_NOOP("engine", "something follows its path."));
    const QString shownHost = url.host().contains(u':') ? u'[' + url.host() + u']' : url.host();
    const QString place = shownHost + u':' + QString::number(url.port(httpsPort));
    PackageIndex index{
        .address = address, .host = url.port(httpsPort) == httpsPort ? url.host() : place, .allow = {}, .wheels = {}};
    ASSIGN_OR_RETURN(index.allow, allowedBy(place));
    for (const NetworkPreset &preset : networkPresets()) { // files of an index may be on a second host
        if (preset.name == u"pypi"_s && preset.opens.contains(place))
            index.allow = preset.opens;
    }
    return index;
}

std::unexpected<Error> notInstalledAsCancelled()
{
    return fail(ErrorCode::Cancelled, QT_TRANSLATE_NOOP("engine", "Nothing was installed, as you cancelled it."), {});
}

RunRequest fetchRequest(const Installer &installer, const PackageWish &wish, const PackageIndex &index,
                        const PackageLimits &limits, Policy policy, const QString &session)
{
    RunRequest request = task(installer, wish, limits, std::move(policy), session);
    request.policy.allow = index.allow;
    request.policy.limits.trafficBytes = trafficOf(limits);
    showWheels(request, index);
    installer.planFetch(request, wish, index, limits);
    return request;
}

RunRequest installRequest(const Installer &installer, const PackageLock &lock, const PackageWish &wish,
                          const PackageLimits &limits, Policy policy, const QString &session)
{
    RunRequest request = task(installer, wish, limits, std::move(policy), session);
    installer.planInstall(request, lock);
    return request;
}

RunRequest sourceRequest(const Installer &installer, const SourceWish &source, const PackageWish &wish,
                         const PackageIndex &index, const PackageLimits &limits, Policy policy, const QString &session)
{
    RunRequest request = task(installer, wish, limits, std::move(policy), session);
    request.policy.allow = index.allow;
    request.policy.limits.trafficBytes = trafficOf(limits);
    showWheels(request, index);
    installer.planSource(request, source, index, limits);
    return request;
}

RunRequest buildRequest(const Installer &installer, const PackageWish &wish, const PackageLimits &limits, Policy policy,
                        const QString &session)
{
    RunRequest request = task(installer, wish, limits, std::move(policy), session);
    installer.planBuild(request);
    return request;
}

std::unexpected<Error> buildFailed(const RunResult &result, const LockedPackage &package, const PackageLimits &limits)
{
    const QString &name = package.name, &version = package.version;
    const auto text = [&](const char *words, const QString &more) {
        return fail(ErrorCode::Unsupported, Text(words, {name, version, more}),
                    Text(QT_TRANSLATE_NOOP("engine", "The run of the build: %1"), {result.id}));
    };
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limits.wall).count();
    const QByteArray said = result.err.kept();
    if (result.outcome == Outcome::DiskLimit)
        return text(QT_TRANSLATE_NOOP("engine", "The build of %1 %2 needs more than %3 MB of disk. Nothing was "
                                                "installed."),
                    QString::number(limits.diskBytes / mebibyte));
    switch (result.outcome) {
    case Outcome::OutOfMemory:
        return text(QT_TRANSLATE_NOOP("engine", "The build of %1 %2 needs more than %3 MB of memory. Nothing was "
                                                "installed."),
                    QString::number(limits.memoryBytes / mebibyte));
    case Outcome::TimedOut:
        return text(QT_TRANSLATE_NOOP("engine", "The build of %1 %2 took longer than %3 seconds. Nothing was "
                                                "installed."),
                    QString::number(seconds));
    case Outcome::Cancelled:
        return notInstalledAsCancelled();
    case Outcome::Rejected:
    case Outcome::Denied:
    case Outcome::SetupFailed:
        return fail(ErrorCode::Unavailable, QT_TRANSLATE_NOOP("engine", "The packages can't be installed: %1"),
                    {result.reason.english()});
    case Outcome::Completed:
    case Outcome::Failed:
    case Outcome::Signalled:
    case Outcome::CpuLimit:
    case Outcome::DiskLimit:
    case Outcome::Interrupted:
        break;
    }
    if (said.contains("No space left on device"))
        return text(QT_TRANSLATE_NOOP("engine", "The build of %1 %2 seems to need more disk or more files than it "
                                                "gets. To read what it printed: glovebox audit show %3"),
                    result.id);
    // As setuptools, a shell, Python and meson say it.
    static const QRegularExpression compiler(
        uR"(command '[^'\n]*(cc|\+\+|clang|cargo|rustc|gfortran)' failed: No such file)"
        uR"(|(cc|\+\+|clang|cargo|rustc|cmake|gfortran): (command )?not found)"
        uR"(|No such file or directory: '([^'\n]*/)?(g?cc|[cg]\+\+|clang|cargo|rustc|cmake|gfortran)'|Unknown compiler)"_s);
    if (compiler.match(QString::fromUtf8(said)).hasMatch())
        return text(QT_TRANSLATE_NOOP("engine", "The build of %1 %2 seems to need a compiler that isn't there. "
                                                "To read what it printed: glovebox audit show %3"),
                    result.id);
    return text(QT_TRANSLATE_NOOP("engine", "The build ended without a wheel for %1 %2. Nothing was installed. To "
                                            "read what it printed: glovebox audit show %3"),
                result.id);
}

PackageAnswer packageAnswer(const RunResult &result)
{
    const auto json = parseStrictJson(result.out.kept().trimmed());
    if (!json)
        return {};
    const QString problem = (*json)[u"problem"_s].toString();
    const QJsonArray files = (*json)[u"of_folder"_s].toArray();
    QStringList ofFolder;
    for (const auto file : files)
        ofFolder.append(file.toString());
    return {.problem = problem.isEmpty() ? PackageProblem::None : fromString<PackageProblem>(problem),
            .runtime = (*json)[u"runtime"_s].toString(),
            .subject = (*json)[u"subject"_s].toString(),
            .detail = (*json)[u"detail"_s].toString(),
            .ofFolder = ofFolder};
}

Status taskStatus(const RunResult &result, const PackageAnswer &answer, const PackageIndex &from,
                  const PackageLimits &limits, const QString &tool)
{
    const QString &index = from.host;
    const auto isTraffic = [](const RunEvent &event) { return event.type == EventType::NetworkTraffic; };
    if (std::ranges::any_of(result.events, isTraffic))
        return fail(ErrorCode::Full, QT_TRANSLATE_NOOP("engine", "%1 sent more than %2 MB. Nothing was installed."),
                    {index, QString::number(trafficOf(limits) / mebibyte)});
    switch (result.outcome) {
    case Outcome::Completed:
    case Outcome::Failed:
        break;
    case Outcome::DiskLimit:
        return failed(PackageProblem::Space, {}, index, limits, tool, result.id);
    case Outcome::OutOfMemory:
        return fail(ErrorCode::Full,
                    QT_TRANSLATE_NOOP("engine",
                                      "Installing the packages of %1 takes more than %2 MB of memory. Nothing was "
                                      "installed."),
                    {index, QString::number(limits.memoryBytes / mebibyte)});
    case Outcome::TimedOut:
        return fail(ErrorCode::TimedOut,
                    QT_TRANSLATE_NOOP("engine", "Packages of %1 took longer than %2 seconds. Nothing was installed."),
                    {index, QString::number(std::chrono::duration_cast<std::chrono::seconds>(limits.wall).count())});
    case Outcome::Cancelled:
        return notInstalledAsCancelled();
    case Outcome::Signalled:
    case Outcome::CpuLimit:
    case Outcome::Rejected:
    case Outcome::Denied:
    case Outcome::SetupFailed:
    case Outcome::Interrupted:
        return fail(ErrorCode::Unavailable, QT_TRANSLATE_NOOP("engine", "The packages can't be installed: %1"),
                    {result.reason.english()});
    }
    if (!answer.problem)
        return fail(ErrorCode::Io,
                    QT_TRANSLATE_NOOP("engine", "The run that gets packages didn't say how it ended: glovebox audit "
                                                "show %1"),
                    {result.id});
    const QString other = answer.problem == PackageProblem::Unreachable ? otherHost(result, from) : QString();
    if (!other.isEmpty())
        return fail(ErrorCode::PermissionDenied,
                    QT_TRANSLATE_NOOP("engine", "%1 names a file at %2, and Glovebox gets packages from the hosts of "
                                                "the index only. Nothing was installed."),
                    {index, other}, Text("%1", {quoted(answer.detail)}));
    if (*answer.problem != PackageProblem::None)
        return failed(*answer.problem, answer, index, limits, tool, result.id);
    for (const RunEvent &event : result.events) {
        if (event.type == EventType::SessionLost || event.type == EventType::SessionSkipped)
            return fail(ErrorCode::Damaged,
                        QT_TRANSLATE_NOOP("engine", "The packages can't be kept: %1 Nothing was installed."),
                        {event.detail.english()});
    }
    return result.outcome == Outcome::Completed ? Status()
                                                : failed(PackageProblem::Other, answer, index, limits, tool, result.id);
}

} // namespace glovebox
