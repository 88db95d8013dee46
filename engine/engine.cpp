// SPDX-License-Identifier: Apache-2.0
#include "engineprivate.h"

#include "engine/run/grants/folderopener.h"
#include "engine/run/record/keptcode.h"
#include "engine/run/soundrequest.h"
#include "engine/run/versionquestion.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QProcessEnvironment>

#include <algorithm>
#include <functional>
#include <system_error>
#include <thread>

namespace glovebox {
namespace {

using namespace std::chrono_literals;

constexpr auto shutdownGrace = 3s; // for runs to end by themselves, before the sandboxes are taken away

} // namespace

Result<std::unique_ptr<Engine>> Engine::open(EngineConfig config)
{
    auto d = std::make_unique<Private>();
    d->paths = config.paths;
    d->caller = config.caller;
    d->clock = config.clock ? config.clock : &Clock::system();
    d->id = newId(*d->clock);
    d->runsOnce = config.runsOnce;
    if (config.backends.empty())
        config.backends = {makePlatformBackend(config.paths.libexec, d->id)};
    d->backends = Backends(std::move(config.backends));
    if (config.keepsWarm)
        d->backends.first()->keepWarm({});
    if (config.runsSoon)
        d->prepare();

    d->settings = config.settings;
    if (!d->settings) {
        ASSIGN_OR_RETURN(d->settings, Settings::load(d->paths.settingsFile(),
                                                     QProcessEnvironment::systemEnvironment().toStringList()));
    }
    d->languages = std::make_unique<Languages>(runIdentity, d->paths.data + QStringLiteral("/interpreters.json"),
                                               askSealed(d->backends.first()), d->paths.libexec);
    d->store = std::make_unique<ContentStore>(d->paths.storeFolder());
    d->own.data = {d->paths.data, d->paths.config, d->paths.runtime, QStringLiteral("/var/lib/glovebox")};
    d->staging =
        std::make_unique<Staging>(d->paths, d->id, runIdentity,
                                  [rooms = d.get()](FolderDeed deed, const QString &run, const Staging::Begin &begin,
                                                    const ChosenChanges &chosen, const ApplyProgress &progress) {
                                      FolderOpener opener(rooms->paths.libexec, rooms->stopDeciding.get_token());
                                      return opener.decide(rooms->paths.data, deed, run, begin, chosen, progress);
                                  });
    d->sessions = std::make_unique<Sessions>(d->paths.sessionsFolder(), *d->clock, runIdentity);
    d->own.programs = {d->paths.libexec, QCoreApplication::applicationDirPath()};
    const Status opened = d->openLog();
    d->readiness = std::make_unique<ReadinessBoard>(d->backends, *d->languages, *d->settings,
                                                    [rooms = d.get(), opened]() -> std::optional<Error> {
                                                        if (!opened)
                                                            return opened.error();
                                                        const auto pass = rooms->gate.enter();
                                                        return pass ? rooms->log->failure() : std::nullopt;
                                                    });
    d->vault = std::make_unique<Vault>(Vault::Rooms{
        .log = d->log.get(),
        .whyReadOnly = opened ? Text() : opened.error().message,
        .auditFile = d->paths.auditFile(),
        .clock = d->clock,
        .stores = config.stores.empty() ? d->platformStores() : config.stores,
        .languages = Languages::ids(),
        .isKeyTooMany = [file = d->paths.auditFile()](const QString &slot) { return isKeyTooMany(slot, file); }});
    d->approvals = std::make_unique<Approvals>(
        Approvals::Rooms{.log = d->log.get(),
                         .whyReadOnly = opened ? Text() : opened.error().message,
                         .auditFile = d->paths.auditFile(),
                         .settings = d->settings.get(),
                         .clock = d->clock,
                         .approver = config.approver ? config.approver : std::make_shared<DenyingApprover>()});
    if (opened)
        d->intake = std::make_shared<Intake>(
            Rooms{*d->languages, d->backends, *d->store, *d->log, d->own, *d->staging, d->paths.libexec,
                  d->paths.runtime, *d->settings, *d->vault, *d->readiness, *d->approvals, *d->sessions,
                  [rooms = d.get()](const QString &id) { return rooms->packages->lend(id); }, d->interpreters,
                  d->paths.toolServersFile()},
            *d->clock);
    if (opened && !d->runsOnce) // a program of one run doesn't wait for it
        d->makeSigningKey();
    if (opened && !d->runsOnce)
        d->finishDeletion();
    if (opened && !d->runsOnce)
        recoverOnRecord(*d->sessions, *d->log, d->caller);
    std::unique_ptr<Engine> engine(new Engine(std::move(d)));
    engine->d->packages = std::make_unique<Packages>(engine->waysOfPackages());
    if (opened && !engine->d->runsOnce)
        engine->d->removeLeftSessions();
    return engine;
}

Status Engine::Private::openLog()
{
    for (const QString &folder : {paths.data, paths.storeFolder(), paths.enginesFolder()})
        RETURN_IF_ERROR(makePrivateFolder(folder));
    // The lock comes first: an entry of an engine without one counts as left over.
    ASSIGN_OR_RETURN(lock, FileLock::create(paths.enginesFolder() + QLatin1Char('/') + id + QStringLiteral(".lock")));
    auto opened =
        AuditLog::open(paths.auditFile(), id, *clock, runsOnce ? AuditLog::Closing::Quick : AuditLog::Closing::InOrder);
    if (!opened) {
        lock->removeAndRelease();
        lock.reset();
        return std::unexpected(opened.error());
    }
    log = std::move(*opened);
    staging->recover(paths.enginesFolder());
    // What stays open is closed by the next start, and no reason to refuse new runs, unless a damaged log is why.
    const auto recovered = log->recover(paths.enginesFolder());
    if (!recovered && recovered.error().code == ErrorCode::Damaged) {
        log.reset();
        lock->removeAndRelease();
        lock.reset();
        return std::unexpected(recovered.error());
    }
    if (!recovered)
        qCWarning(lcAudit).noquote() << recovered.error().message.english() << recovered.error().detail.english();
    settleLeftCode(*store, *log, paths.auditFile());
    store->recover();
    return {};
}

// The one that the person chose takes new values; the other still gives what it has.
std::vector<std::shared_ptr<SecretStore>> Engine::Private::platformStores() const
{
    std::vector<std::shared_ptr<SecretStore>> stores{makeKeychainStore(paths.libexec),
                                                     makeFileStore(paths.vaultFile())};
    if (settings->value(QStringLiteral("vault.store")).value.toString() == QStringLiteral("file"))
        std::ranges::reverse(stores);
    return stores;
}

// Where the system has no more threads it is done right here: closing can't be refused.
static std::jthread apart(const std::function<void()> &job)
{
    try {
        return std::jthread([job] {
            blockSignals();
            job();
        });
    } catch (const std::system_error &) {
        job();
        return {};
    }
}

Result<SigningKey> Engine::Private::openSigningKeyOnRecord(const Patience &patience)
{
    return openSigningKey({.file = paths.signingKeyFile(),
                           .keychain = vault->store(QStringLiteral("keychain")),
                           .chosen = settings->value(QStringLiteral("vault.signing_key")).value.toString()},
                          paths.auditFile(), *log, caller, patience);
}

bool Engine::Private::hasNoSigningKey() const
{
    const auto reader = AuditReader::open(paths.auditFile());
    const auto known = reader ? recordedKey(**reader) : std::unexpected(reader.error());
    return known && known->place.isEmpty();
}

bool Engine::Private::keepsSigningKeyInFile() const
{
    return settings->value(QStringLiteral("vault.signing_key")).value.toString() == QStringLiteral("file");
}

// Nothing needs the key yet, and whoever needs it is told why it can't be had. A keychain may take long, and ask the person something.
void Engine::Private::makeSigningKey()
{
    if (!hasNoSigningKey())
        return;
    if (keepsSigningKeyInFile())
        std::ignore = signingKey({});
    else
        keyMaker = apart([this] { std::ignore = signingKey({.stop = stopKeyMaker.get_token()}); });
}

void Engine::Private::finishDeletion()
{
    if (!QFileInfo::exists(paths.deletingFile()))
        return;
    deleter = apart([this] {
        const auto finished = glovebox::finishDeletion(retention(), caller, stopDeleting.get_token());
        if (!finished && finished.error().code != ErrorCode::Cancelled)
            qCWarning(lcAudit).noquote() << finished.error().message.english() << finished.error().detail.english();
    });
}

Engine::Engine(std::unique_ptr<Private> data)
    : d(std::move(data))
{
}

Engine::~Engine()
{
    shutdown().wait();
}

Packages::Ways Engine::waysOfPackages()
{
    return {.paths = d->paths,
            .engine = d->id,
            .languages = *d->languages,
            .settings = *d->settings,
            .sessions = *d->sessions,
            .clock = *d->clock,
            .log = d->log.get(),
            .start = [this](RunRequest request) { return start(std::move(request)); },
            .createSession = [this](const NewSession &wanted, const Caller &by) { return createSession(wanted, by); },
            .forkSession = [this](const QString &session, const NewSession &wanted,
                                  const Caller &by) { return forkSession(session, 0, wanted, by); },
            .deleteSession = [this](const QString &session, const Caller &by,
                                    BytesGo bytes) { return deleteSession(session, by, bytes); },
            .owner = runIdentity,
            .obstacle =
                [this](const QString &language, bool looks) {
                    Readiness ready = looks ? d->readiness->look() : d->readiness->current();
                    if (!looks && ready.obstacle(language)) // which may be gone since
                        ready = d->readiness->look();
                    const Part *part = ready.obstacle(language);
                    return part ? part->told() : QString();
                }};
}

const Packages &Engine::packages() const
{
    return *d->packages;
}

std::shared_ptr<Run> Engine::start(RunRequest request)
{
    if (!d->intake)
        return Intake::refuse(std::move(request), d->whyNotRecorded());
    d->prepare();
    return d->intake->start(std::move(request));
}

std::shared_ptr<Run> Engine::find(const QString &run) const
{
    return d->intake ? d->intake->find(run) : nullptr;
}

int Engine::countRuns(Caller::Kind kind) const
{
    return d->intake ? d->intake->countRuns(kind) : 0;
}

int Engine::cancelRunsOf(const QString &pairing, const Text &why)
{
    return d->intake ? d->intake->cancelRunsOf(pairing, why) : 0;
}

Status Engine::check(const RunRequest &request) const
{
    const auto sound = SoundRequest::check(request, languageOf(request), d->backends);
    return sound ? Status() : std::unexpected(sound.error());
}

void Engine::expect(const QString &language)
{
    if (d->intake)
        d->intake->expect(language);
}

QList<AttackResult> Engine::attackItself(std::function<void(const AttackResult &)> progress, std::stop_token stop)
{
    Caller caller = d->caller;
    caller.claimed = QString::fromLatin1(selfTestName);
    return glovebox::attackItself({.start = [this](RunRequest request) { return start(std::move(request)); },
                                   .policy = settings().policy(),
                                   .caller = caller,
                                   .progress = std::move(progress)},
                                  stop);
}

std::shared_future<void> Engine::shutdown()
{
    std::call_once(d->closing, [this] {
        d->readiness->close();
        d->gate.shut();
        d->stopDeleting.request_stop();
        d->stopDeciding.request_stop();
        if (d->intake)
            d->intake->close();
        d->closer = apart([this] {
            d->shutDown();
            d->closed.set_value();
        });
    });
    return d->whenClosed;
}

// One that is in use yet goes at the next start.
void Engine::Private::removeLeftSessions()
{
    for (const QString &left : packages->leftSessions())
        static_cast<void>(deleteOnRecord(*sessions, *log, left, caller));
}

// Everything has been cancelled, and nothing new comes.
void Engine::Private::shutDown()
{
    if (intake) {
        if (!intake->waitUntilEmpty(shutdownGrace)) {
            backends.shutdown();
            while (!intake->waitUntilEmpty(1min)) { }
        }
        intake->stop();
    }
    interpreters.close();
    // What expired goes when the run's result is out: some people start nothing but runs.
    if (runsOnce && log) {
        recoverOnRecord(*sessions, *log, caller);
        removeLeftSessions();
    }
    // Closing the log waits for the disk, and the spawner for the kernel: both at once.
    {
        const std::jthread spawnerGoes = apart([this] { backends.shutdown(); });
        stopKeyMaker.request_stop();
        if (keyMaker.joinable())
            keyMaker.join();
        if (deleter.joinable())
            deleter.join();
        gate.close(); // a person's folders are not left half changed, unless that takes 10 s (FolderOpener::decide)
        // A program of one run makes the key when the run's result is out. What looks like a key is the key, or is taken over later.
        if (runsOnce && log && keepsSigningKeyInFile()
            && (QFileInfo::exists(paths.signingKeyFile()) ? !looksLikeKey(paths.signingKeyFile())
                                                          : hasNoSigningKey())) {
            // What the machine is short of, the run itself told.
            if (const auto key = openSigningKeyOnRecord({}); !key && key.error().code != ErrorCode::Unavailable)
                qCWarning(lcAudit).noquote()
                    << QString(key.error().message.english() + u' ' + key.error().detail.english()).trimmed();
        }
        vault->close(whyNotRecorded().message);
        approvals->close(whyNotRecorded().message);
        log.reset();
    }
    if (lock)
        lock->removeAndRelease();
}

ReadinessBoard &Engine::readiness()
{
    return *d->readiness;
}

const QString &Engine::id() const
{
    return d->id;
}

const Caller &Engine::caller() const
{
    return d->caller;
}

const Paths &Engine::paths() const
{
    return d->paths;
}

Settings &Engine::settings()
{
    return *d->settings;
}

const Languages &Engine::languages() const
{
    return *d->languages;
}

Backend &Engine::backend()
{
    return *d->backends.first();
}

Staging &Engine::staging()
{
    return *d->staging;
}

const Sessions &Engine::sessions() const
{
    return *d->sessions;
}

Result<Picture> Engine::picture(const Artifact &artifact) const
{
    RETURN_IF_ERROR(checkNotWithheld(artifact));
    if (artifact.isDeleted)
        return wasDeleted(artifact);
    if (!isDecodable(artifact.mediaType) || artifact.bytes > mostPictureFileBytes)
        return fail(ErrorCode::Unsupported,
                    QT_TRANSLATE_NOOP("engine", "Pictures of other types, or of more than %1 MB, aren't shown. Save "
                                                "it, or open it elsewhere."),
                    {QString::number(mostPictureFileBytes / mebibyte)});
    ASSIGN_OR_RETURN(const QByteArray content, d->store->get(artifact.digest));
    return decodePicture(*d->backends.first(), d->paths.libexec, artifact.mediaType, content);
}

Status Engine::checkFolder(const FolderGrant &grant) const
{
    const auto folder = FolderOpener(d->paths.libexec, {}).open(grant, d->own);
    return folder ? Status() : std::unexpected(folder.error());
}

Vault &Engine::vault()
{
    return *d->vault;
}

Approvals &Engine::approvals()
{
    return *d->approvals;
}

const ContentStore &Engine::store() const
{
    return *d->store;
}

Result<bool> Engine::checkLog() const
{
    if (d->log)
        RETURN_IF_ERROR(d->log->tryWriting());
    ASSIGN_OR_RETURN(const auto reader, auditReader());
    return reader->check();
}

Result<std::unique_ptr<AuditReader>> Engine::auditReader() const
{
    return AuditReader::open(d->paths.auditFile());
}

} // namespace glovebox
