// SPDX-License-Identifier: Apache-2.0
#include "packages.h"

#include "installation.h"
#include "packageplace.h"

#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

#include <algorithm>
#include <chrono>
#include <thread>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype idSize = 36; // of an engine

// Of an engine. A lock that can't be asked about is taken for held. Another program that starts holds it, too, while it records how
// the runs of a killed one ended.
bool isGone(const QString &lockPath)
{
    constexpr int looks = 10;
    for (int i = 0; i < looks; ++i) {
        if (i > 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        const auto lock = FileLock::tryExisting(lockPath);
        if (!lock)
            return false;
        if (lock->has_value() || !QFile::exists(lockPath))
            return true;
    }
    return false;
}

// Nobody goes on with an installation whose engine is gone.
bool isLeftOver(const Session &session, const QString &enginesFolder)
{
    const QString engine = session.name.sliced(std::min(sessionPrefix.size(), session.name.size())).left(idSize);
    return isOfInstallation(session) && session.name.startsWith(sessionPrefix) && isId(engine)
           && isGone(enginesFolder + u'/' + engine + u".lock"_s);
}

std::shared_ptr<const RunResult> resultOf(const std::shared_ptr<Run> &run, const FollowRun &follow)
{
    return follow ? follow(run) : run->wait();
}

QStringList textsOf(const QList<Requirement> &requirements)
{
    QStringList texts;
    for (const Requirement &requirement : requirements)
        texts.append(requirement.text);
    texts.sort();
    texts.removeDuplicates();
    return texts;
}

QString withoutLinks(const QString &interpreter)
{
    return QFileInfo(interpreter).canonicalFilePath();
}

// The same requirements of the same interpreter at the same index have the same answer, for some days.
QString questionOf(const PackageWish &wish, const PackageIndex &index, const QString &program)
{
    return QString::fromLatin1(sha256({textsOf(wish.requirements).join(u'\n').toUtf8(), "\n\n", index.address.toUtf8(),
                                       "\n\n", program.toUtf8(), "\n\n", QFile::encodeName(index.wheels)})
                                   .toHex());
}

Status checkWish(const PackageWish &wish)
{
    RETURN_IF_ERROR(checkNamedOnce(wish.requirements, wish.language));
    if (!wish.locked || wish.requirements.isEmpty() || textsOf(wish.requirements) == wish.locked->requirements)
        return {};
    return fail(ErrorCode::InvalidInput,
                QT_TRANSLATE_NOOP("engine", "The lock file is for \"%1\", not for \"%2\". Write a new one with --lock "
                                            "FILE."),
                {wish.locked->requirements.join(u' '), textsOf(wish.requirements).join(u' ')});
}

// The first one that the code can be run by.
Result<InterpreterCandidate> chooseInterpreter(const Languages &languages, const PackageWish &wish)
{
    ASSIGN_OR_RETURN(const Language *python, Languages::byId(wish.language));
    if (wish.requiresPython.isEmpty())
        return languages.find(*python, wish.interpreter);
    QStringList versions;
    for (const InterpreterCandidate &candidate : languages.candidates(*python)) {
        if (!candidate.usable || (!wish.interpreter.isEmpty() && candidate.path != wish.interpreter))
            continue;
        ASSIGN_OR_RETURN(const bool fits, isPythonOf(candidate.version, wish.requiresPython));
        if (fits)
            return candidate;
        versions.append(candidate.version);
    }
    return fail(ErrorCode::Unsupported,
                QT_TRANSLATE_NOOP("engine", "The code requires Python %1, and this machine has %2."),
                {wish.requiresPython, versions.isEmpty() ? u"none"_s : versions.join(u", "_s)});
}

Text whatIsLent(const PackageLock &lock)
{
    return Text(QT_TRANSLATE_NOOP("engine", "The run could import packages of the lock %1: %2."),
                {lock.id(), lock.summary().english()});
}

Text wordsAboutSource(const PackageIndex &index, bool isFolder, bool isIndex)
{
    if (!isFolder)
        return Text("%1", {index.host});
    const QString folder = recordable(index.wheels);
    return isIndex ? Text(QT_TRANSLATE_NOOP("engine", "%1 and the folder %2"), {index.host, folder})
                   : Text(QT_TRANSLATE_NOOP("engine", "the folder %1"), {folder});
}

// Whether the folder has the very file, whatever the run says of it: somebody else may have sent one of that name.
bool isInFolder(const LockedPackage &package, const QString &folder)
{
    if (folder.isEmpty() || package.builtFrom)
        return false;
    QFile file(folder + u'/' + package.file);
    const QFileInfo info(file);
    if (!info.isFile() || info.size() != package.bytes || !file.open(QIODevice::ReadOnly))
        return false;
    Sha256 hash(file.size());
    QByteArray piece;
    while (!(piece = file.read(mebibyte)).isEmpty())
        hash.add(piece);
    return QString::fromLatin1(hash.result().toHex()) == package.hash;
}

ReadLeft readerOf(const Sessions &sessions, const Session &session)
{
    return [&sessions, session](const SessionEntry &file, qint64 mostBytes) -> Result<QByteArray> {
        QByteArray content;
        if (file.bytes > mostBytes)
            return fail(ErrorCode::Full, Text("%1 bytes", {QString::number(file.bytes)}));
        RETURN_IF_ERROR(sessions.pass(session, file, [&](QByteArrayView piece) {
            content += piece;
            return Status();
        }));
        return content;
    };
}

Entry installedEntry(const Installer &installer, const PackageLock &lock, const QString &id,
                     const FetchedPackages &fetched, const QString &run, const Caller &caller)
{
    Caller recorded = caller;
    recorded.program = recordable(recorded.program);
    recorded.claimed = recordable(recorded.claimed);
    QJsonArray packages;
    for (const LockedPackage &package : lock.packages) {
        QJsonObject object{{u"name"_s, package.name},
                           {u"version"_s, package.version},
                           {lock.tree.isEmpty() ? u"sha256"_s : u"integrity"_s, package.hash},
                           {u"bytes"_s, package.bytes}};
        if (package.builtFrom) // in the form of the lock file
            object[u"source"_s] = installer.toJson(package)[u"source"_s];
        if (package.runsScripts)
            object[u"scripts"_s] = true;
        if (fetched.builders.contains(package.name))
            object[u"built_by"_s] = fetched.builders[package.name];
        packages.append(object);
    }
    return {.kind = toString(EntryKind::PackageInstalled),
            .fields = QJsonObject{{u"caller"_s, toJson(recorded)},
                                  {u"packages"_s, id},
                                  {u"lock"_s, lock.id()},
                                  {u"index"_s, lock.index},
                                  {u"interpreter"_s, recordable(fetched.interpreter)},
                                  {lock.language, lock.runtime},
                                  {u"requirements"_s, QJsonArray::fromStringList(lock.requirements)},
                                  {u"wheels"_s, packages},
                                  {u"fetched_by"_s, fetched.run},
                                  {u"installed_by"_s, run}}};
}

} // namespace

void runScriptsOf(FetchedPackages &fetched, const QStringList &names)
{
    const auto installer = installerOf(fetched.lock.language);
    const QStringList scripted = installer ? (*installer)->scripted(fetched.lock) : QStringList();
    fetched.scripted.clear();
    for (LockedPackage &package : fetched.lock.packages) {
        if (!scripted.contains(package.file))
            continue;
        package.runsScripts = package.runsScripts || names.contains(package.name);
        if (!package.runsScripts && !fetched.scripted.contains(package.name))
            fetched.scripted.append(package.name);
    }
}

QJsonObject toJson(const KeptPackages &kept, const QStringList &sessions)
{
    return {{u"id"_s, kept.id},
            {u"language"_s, orNull(kept.lock ? kept.lock->language : QString())},
            {u"requirements"_s, QJsonArray::fromStringList(kept.lock ? kept.lock->requirements : QStringList())},
            {u"packages"_s, QJsonArray::fromStringList(kept.lock ? kept.lock->names() : QStringList())},
            {u"program"_s, orNull(kept.program)},
            {u"used_us"_s, kept.usedMicroseconds},
            {u"bytes"_s, kept.bytes},
            {u"sessions"_s, QJsonArray::fromStringList(sessions)}};
}

bool isOfInstallation(const Session &session)
{
    return session.agent == QLatin1StringView(installationsAgent);
}

Packages::Packages(Ways ways)
    : m_ways(std::move(ways))
    , m_place(std::make_unique<PackagePlace>(m_ways.paths, m_ways.owner))
{
}

Packages::~Packages() = default;

// The person's word or setting. A lock file may come from whoever wrote the code, so it alone chooses no host.
static Result<PackageIndex> indexOf(const PackageWish &wish, const Settings &settings)
{
    ASSIGN_OR_RETURN(const Installer *const installer, installerOf(wish.language));
    const QString usual = settings.value(installer->settingOfIndex()).value.toString();
    if (wish.index.isEmpty() && wish.locked && wish.locked->index != usual)
        return fail(ErrorCode::PermissionDenied,
                    QT_TRANSLATE_NOOP("engine", "The lock file names the package index %1, and yours is %2. To use the "
                                                "first: --index %1"),
                    {recordable(wish.locked->index.left(200)), usual});
    ASSIGN_OR_RETURN(const SettingInfo *const info, Settings::info(installer->settingOfIndex()));
    ASSIGN_OR_RETURN(PackageIndex index,
                     packageIndex(wish.index.isEmpty() ? usual : wish.index, info->defaultValue.toString()));
    if (!installer->settingOfFolder().isEmpty())
        index.wheels = settings.value(installer->settingOfFolder()).value.toString();
    return index;
}

Result<QString> Packages::indexHost(const PackageWish &wish) const
{
    ASSIGN_OR_RETURN(const PackageIndex index, indexOf(wish, m_ways.settings));
    return index.host;
}

Result<Text> Packages::sources(const PackageWish &wish) const
{
    ASSIGN_OR_RETURN(const PackageIndex index, indexOf(wish, m_ways.settings));
    return wordsAboutSource(index, !index.wheels.isEmpty(), true);
}

Result<QString> Packages::interpreterFor(const PackageWish &wish) const
{
    if (wish.requiresPython.isEmpty())
        return wish.interpreter;
    ASSIGN_OR_RETURN(const InterpreterCandidate interpreter, chooseInterpreter(m_ways.languages, wish));
    return interpreter.path;
}

Result<std::optional<InstalledPackages>> Packages::find(const PackageWish &wish) const
{
    RETURN_IF_ERROR(checkWish(wish));
    ASSIGN_OR_RETURN(const PackageIndex index, indexOf(wish, m_ways.settings));
    ASSIGN_OR_RETURN(const InterpreterCandidate interpreter, chooseInterpreter(m_ways.languages, wish));
    const QString program = withoutLinks(interpreter.path);
    std::optional<PackageLock> lock = wish.locked;
    if (!lock && !wish.refresh)
        lock = m_place->resolved(questionOf(wish, index, program), m_ways.clock.nowMicroseconds());
    if (!lock)
        return std::nullopt;
    if (!wish.scripts.isEmpty()) { // those that are installed may have run none
        FetchedPackages permitted;
        permitted.lock = *lock;
        runScriptsOf(permitted, wish.scripts);
        lock = permitted.lock;
    }
    const QString id = PackagePlace::idOf(*lock, program);
    const auto installed = m_place->find(id);
    if (!installed || installed->program != program)
        return std::nullopt;
    return InstalledPackages{id, interpreter.path, *lock};
}

Status Packages::checkReady(const QString &language, bool looks) const
{
    const QString obstacle = m_ways.obstacle(language, looks);
    return obstacle.isEmpty() ? Status()
                              : fail(ErrorCode::Unavailable,
                                     QT_TRANSLATE_NOOP("engine", "The packages can't be installed: %1"), {obstacle});
}

Result<FetchedPackages> Packages::fetch(const PackageWish &wished, const FollowRun &follow, const PackageLimits &limits,
                                        const MayBuild &mayBuild, const LacksWheel &lacksWheel) const
{
    RETURN_IF_ERROR(checkWish(wished));
    PackageWish wish = wished;
    ASSIGN_OR_RETURN(const Installer *const installer, installerOf(wish.language));
    RETURN_IF_ERROR(checkReady(wish.language, false));
    ASSIGN_OR_RETURN(const PackageIndex index, indexOf(wish, m_ways.settings));
    ASSIGN_OR_RETURN(const InterpreterCandidate interpreter, chooseInterpreter(m_ways.languages, wish));
    wish.interpreter = interpreter.path;
    Installation installation({m_ways, *installer, wish, index, limits, follow, mayBuild});
    for (qsizetype at = 0; wish.locked && at < wish.locked->packages.size(); ++at) {
        LockedPackage &package = wish.locked->packages[at];
        if (package.runsScripts && !wish.scripts.contains(package.name))
            return fail(ErrorCode::PermissionDenied,
                        QT_TRANSLATE_NOOP("engine",
                                          "The lock has \"%1\" with its install scripts, which run its code. To have "
                                          "them run, sealed and without a network, add --allow-scripts %1."),
                        {package.name});
        if (!package.builtFrom)
            continue;
        if (!wish.sources.contains(package.name)) {
            if (lacksWheel)
                lacksWheel(package.name);
            return fail(ErrorCode::PermissionDenied,
                        QT_TRANSLATE_NOOP("engine",
                                          "The lock has \"%1\" as built from its source, which runs its code. "
                                          "To have it built, sealed and without a network, add "
                                          "--allow-source %1."),
                        {package.name});
        }
        RETURN_IF_ERROR(installation.build({package.name, {}, package}));
        package = installation.built().last(); // a lock file has no hash of what a build makes
    }
    FetchedPackages fetched;
    LeftByTask last;
    VerifiedSession made;
    while (true) {
        ASSIGN_OR_RETURN(made, installation.newSession());
        fetched.session = made.session;
        ASSIGN_OR_RETURN(last, installation.run(fetchRequest(*installer, wish, index, limits, m_ways.settings.policy(),
                                                             *fetched.session),
                                                made.head));
        const PackageAnswer &answer = last.answer;
        const QString lacks = normalizedPackageName(answer.subject);
        if (lacksWheel && answer.problem == PackageProblem::Source && !wish.sources.contains(lacks))
            lacksWheel(lacks);
        if (answer.problem != PackageProblem::Source || !wish.sources.contains(lacks))
            break;
        if (std::ranges::find(installation.built(), lacks, &LockedPackage::name) != installation.built().end())
            return fail(ErrorCode::Unsupported,
                        QT_TRANSLATE_NOOP("engine",
                                          "The wheel that was built of \"%1\" doesn't fit this machine, its Python "
                                          "or the other packages. Nothing was installed."),
                        {lacks});
        RETURN_IF_ERROR(installation.build({lacks, answer.detail, std::nullopt}));
    }
    const RunResult &result = *last.result;
    const PackageAnswer &answer = last.answer;
    if (result.outcome == Outcome::SetupFailed)
        RETURN_IF_ERROR(checkReady(wish.language, true));
    RETURN_IF_ERROR(taskStatus(result, answer, index, limits, installer->tool()));
    static const QRegularExpression version(uR"(^[0-9]{1,3}(\.[0-9]{1,3})?\z)"_s);
    if (!version.match(answer.runtime).hasMatch())
        return fail(ErrorCode::Damaged,
                    QT_TRANSLATE_NOOP("engine", "The run that gets packages didn't say how it ended: glovebox audit "
                                                "show %1"),
                    {result.id});
    if (wish.locked && wish.locked->runtime != answer.runtime)
        return fail(ErrorCode::Unsupported,
                    QT_TRANSLATE_NOOP("engine", "The lock file is for %1 %2, and this is %1 %3. Write a new one "
                                                "with --lock FILE."),
                    {Languages::byId(wish.language).value()->name(), wish.locked->runtime, answer.runtime});
    RETURN_IF_ERROR(checkOnlyChangedBy(result, last.session, made.head));
    fetched.snapshot = last.session.head;
    fetched.lock = {.language = wish.language,
                    .runtime = answer.runtime,
                    .index = index.address,
                    .requirements = wish.locked ? wish.locked->requirements : textsOf(wish.requirements),
                    .packages = {},
                    .tree = {}};
    RETURN_IF_ERROR(installer->readFetched(last.tree, readerOf(m_ways.sessions, last.session), index, fetched.lock));
    for (LockedPackage &package : fetched.lock.packages) {
        const auto built = std::ranges::find(installation.built(), package.hash, &LockedPackage::hash);
        if (built != installation.built().end())
            package = *built;
        const auto locked = [&](const LockedPackage &each) { return each.file == package.file && each.runsScripts; };
        package.runsScripts = wish.locked && std::ranges::any_of(wish.locked->packages, locked);
    }
    if (wish.locked && wish.locked->packages != fetched.lock.packages)
        return fail(ErrorCode::Damaged,
                    QT_TRANSLATE_NOOP("engine", "%1 sent other files than the lock file names. Nothing was installed."),
                    {index.host});
    if (wish.locked)
        fetched.lock = *wish.locked; // as it is on record, whichever mirror it came from
    fetched.interpreter = interpreter.path;
    fetched.run = result.id;
    fetched.builders = installation.builders();
    const qsizetype fromFolder = std::ranges::count_if(fetched.lock.packages, [&](const LockedPackage &package) {
        return answer.ofFolder.contains(package.file) && isInFolder(package, index.wheels);
    });
    fetched.source = wordsAboutSource(index, fromFolder > 0, fromFolder < fetched.lock.packages.size());
    const QStringList known = m_place->knownNames(wish.language);
    QStringList names;
    for (const LockedPackage &package : fetched.lock.packages) {
        names.append(package.name);
        if (!known.contains(package.name))
            fetched.newNames.append(package.name);
    }
    fetched.doubts = doubtsAbout(names, wish.language);
    runScriptsOf(fetched, wish.scripts);
    return fetched;
}

Result<InstalledPackages> Packages::install(const FetchedPackages &fetched, const PackageWish &wished,
                                            const FollowRun &follow, const PackageLimits &limits,
                                            const IsCancelled &isCancelled) const
{
    PackageWish wish = wished;
    wish.interpreter = fetched.interpreter;
    ASSIGN_OR_RETURN(const Installer *const installer, installerOf(wish.language));
    ASSIGN_OR_RETURN(const PackageIndex index, indexOf(wish, m_ways.settings));
    if (!m_ways.log)
        return fail(ErrorCode::Unavailable, QT_TRANSLATE_NOOP("engine", "Nothing can be recorded now."), {});
    const QString program = withoutLinks(fetched.interpreter);
    const QString id = PackagePlace::idOf(fetched.lock, program);
    if (!m_place->find(id)) {
        const auto result = resultOf(m_ways.start(installRequest(*installer, fetched.lock, wish, limits,
                                                                 m_ways.settings.policy(), *fetched.session)),
                                     follow);
        RETURN_IF_ERROR(taskStatus(*result, packageAnswer(*result), index, limits, installer->tool()));
        ASSIGN_OR_RETURN(const Session left, m_ways.sessions.find(*fetched.session));
        RETURN_IF_ERROR(checkOnlyChangedBy(*result, left, fetched.snapshot));
        const auto record = [&]() -> Status {
            const auto written =
                m_ways.log->appendNow(installedEntry(*installer, fetched.lock, id, fetched, result->id, wish.caller));
            return written ? Status() : std::unexpected(written.error());
        };
        const Status copied = m_place->install(id, fetched.lock, program, m_ways.sessions, left, {isCancelled, record});
        if (!copied && copied.error().code == ErrorCode::Cancelled) // who cancelled waits for the answer
            static_cast<void>(m_ways.deleteSession(*fetched.session, wish.caller, BytesGo::Meanwhile));
        RETURN_IF_ERROR(copied);
    }
    m_place->noteNames(fetched.lock);
    if (!wish.locked)
        m_place->noteResolved(questionOf(wish, index, program), fetched.lock, m_ways.clock.nowMicroseconds());
    return InstalledPackages{id, fetched.interpreter, fetched.lock};
}

QStringList Packages::leftSessions() const
{
    QStringList left;
    const auto sessions = m_ways.sessions.list();
    for (const Session &session : sessions.value_or(QList<Session>())) {
        if (isLeftOver(session, m_ways.paths.enginesFolder()))
            left.append(session.id);
    }
    return left;
}

QList<KeptPackages> Packages::list() const
{
    return m_place->list();
}

Status Packages::remove(const KeptPackages &kept, const Caller &caller) const
{
    if (!m_ways.log)
        return fail(ErrorCode::Unavailable, QT_TRANSLATE_NOOP("engine", "Nothing can be recorded now."), {});
    Caller recorded = caller;
    recorded.program = recordable(recorded.program);
    recorded.claimed = recordable(recorded.claimed);
    RETURN_IF_ERROR(m_place->remove(kept.id));
    const auto written =
        m_ways.log->appendNow({.kind = toString(EntryKind::PackageRemoved),
                               .fields = QJsonObject{{u"caller"_s, toJson(recorded)},
                                                     {u"packages"_s, kept.id},
                                                     {u"lock"_s, orNull(kept.lock ? kept.lock->id() : QString())}}});
    if (written)
        return {};
    return fail(written.error().code,
                Text(QT_TRANSLATE_NOOP("engine", "The packages were removed, but the log doesn't have that: %1"),
                     {written.error().message.english()}),
                written.error().detail);
}

Result<LentPackages> Packages::lend(const QString &id) const
{
    ASSIGN_OR_RETURN(const PackagePlace::Installed installed, m_place->find(id));
    if (PackagePlace::idOf(installed.lock, installed.program) != id) // the interpreter is another version now
        return PackagePlace::notInstalled();
    return LentPackages{.folder = m_place->environment(id),
                        .program = installed.program,
                        .contents = whatIsLent(installed.lock),
                        .runsAtStart = installed.runsAtStart};
}

} // namespace glovebox
