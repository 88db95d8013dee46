// SPDX-License-Identifier: Apache-2.0
// The engine: what every program of Glovebox drives. Start one, hand it requests, read its rooms, shut it down.
#pragma once

#include "engine/approval/approval.h"
#include "engine/artifacts/artifacts.h"
#include "engine/audit/audit.h"
#include "engine/folders/folders.h"
#include "engine/identity/identity.h"
#include "engine/jobs/jobs.h"
#include "engine/languages/languages.h"
#include "engine/packages/packages.h"
#include "engine/pictures/pictures.h"
#include "engine/readiness/readiness.h"
#include "engine/run/run.h"
#include "engine/sandbox/sandbox.h"
#include "engine/selftest/selftest.h"
#include "engine/sessions/sessions.h"
#include "engine/settings/settings.h"
#include "engine/toolservers/toolservers.h"
#include "engine/vault/vault.h"

#include <future>
#include <memory>

namespace glovebox {

struct EngineConfig
{
    Paths paths;
    Caller caller; // who opens it
    std::shared_ptr<Settings> settings; // null: loaded from paths with the process environment
    std::shared_ptr<Approver> approver; // null: nobody can be asked
    const Clock *clock = nullptr; // null: the system's
    std::vector<std::shared_ptr<Backend>> backends; // of this engine alone; empty: the platform's native one
    std::vector<std::shared_ptr<SecretStore>> stores; // for secrets, the first for new ones; empty: the platform's
    bool runsSoon = false; // get the backend ready while the log opens; else the first start() does it
    bool runsOnce =
        false; // one run, and then the program ends: nothing is made for a next one, nothing is put in order for it
    bool keepsWarm =
        false; // many runs will come: build sandboxes ahead, so that they start at once; costs memory meanwhile
};

// Thread-safe. Runs its own threads: one a running run, one that writes the log.
class Engine
{
public:
    // Opens settings and log, and closes what programs that died left open. Errors are those of the rooms. A log of a newer
    // version, or one that can't be written, is no error here: runs are then refused with the reason (readiness().current().record).
    static Result<std::unique_ptr<Engine>> open(EngineConfig config);
    // Shuts down, and waits for it.
    ~Engine();

    // Never blocks, never fails: failure is an outcome of the run. run->id() is empty until the request is accepted, that
    // is, committed to the log.
    std::shared_ptr<Run> start(RunRequest request);

    // A run of this engine that isn't Done, for whoever didn't start it; null: there is none. run: its whole id.
    std::shared_ptr<Run> find(const QString &run) const;

    // Runs of this engine that aren't Done, by who asked for them.
    int countRuns(Caller::Kind kind) const;
    // Cancels the runs of this engine that a paired agent started, and says how many.
    int cancelRunsOf(const QString &pairing, const Text &why);

    // The sentence with which start() would reject the request, before there is a run. Looks at nothing on the machine; hashes
    // nothing.
    Status check(const RunRequest &request) const;

    // A run of this language with the settings' policy is likely to come: has a sandbox ready for it, if the engine keepsWarm.
    // Never blocks.
    void expect(const QString &language);

    // Attacks its own sandbox, with runs that are on record as caller()'s (engine/selftest/selftest.h). Blocks for seconds.
    QList<AttackResult> attackItself(std::function<void(const AttackResult &)> progress, std::stop_token stop = {});

    // Refuses new runs and decisions about changes, cancels the running runs, finishes their entries, waits for decisions that are
    // being carried out, stops the threads and the spawner. What a run has left alive after 3 s is killed. May be called again;
    // the future is the same.
    std::shared_future<void> shutdown();

    // Whether runs can start here, and why not. Looks for the first time when it is asked to.
    ReadinessBoard &readiness();

    const QString &id() const;
    // Who opened it: for requests of this program's own, and on record for what the engine does by itself.
    const Caller &caller() const;
    const Paths &paths() const;
    Settings &settings();
    const Languages &languages() const;
    Backend &backend(); // the first
    // Changes of runs to copies of folders, which wait for the person. What they decide is done here, on record from before
    // anything is done until it has ended; both block, on any thread. Nothing is done when it can't be recorded, and shutdown()
    // waits for what has begun.
    Staging &staging();
    // progress is called on this thread, also while nothing moves.
    Result<ApplyReport> applyChanges(const QString &run, const Caller &caller, const ChosenChanges &chosen = {},
                                     const ApplyProgress &progress = {});
    Result<ApplyReport> undoChanges(const QString &run, const Caller &caller, const ApplyProgress &progress = {});
    Status discardChanges(const QString &run, const Caller &caller);
    // Lets go a file of a run that is withheld (artifactsOf()), as changes are applied.
    Status releaseArtifact(const QString &run, qsizetype number, const Caller &caller);
    // Deletes code, output and files of these runs, as far as they are over; entries stay whole. On record from before anything is
    // done; blocks for the disk, file by file. What shutdown(), progress or a kill cuts short the next engine finishes, unless it is
    // one that runsOnce. Busy: another program is deleting, or a run that was chosen isn't over.
    Result<Deletion> deleteBodies(const RunsToGo &runs, const Caller &caller, const DeletionProgress &progress = {});
    // Whether a folder may be shown to a run, before there is one: the refusal that the run would end with. Blocks as long as
    // the folder's file system does, but no longer than 5 s.
    Status checkFolder(const FolderGrant &grant) const;
    const ContentStore &store() const;
    // Workspaces that last, for reading; what is done to them is done here, on record. All of them block for the disk.
    const Sessions &sessions() const;
    Result<Session> createSession(const NewSession &wanted, const Caller &caller);
    Result<Session> forkSession(const QString &id, int number, const NewSession &wanted, const Caller &caller);
    Result<Session> changeSession(const QString &id, const SessionDeed &deed, const Caller &caller);
    Status deleteSession(const QString &id, const Caller &caller, BytesGo bytes = BytesGo::AtOnce);
    // Languages whose interpreter stays in the session (RunRequest::isStateful), and waits for code. Never blocks.
    QStringList waitingInterpreters(const QString &session) const;
    // Ends one that waits, and with it what code left there. Blocks until its processes are gone.
    void endInterpreter(const QString &session, const QString &language);
    // For a process that takes one run as a job, which is this engine's. Errors are those of the disk, and of a log that can't be written.
    Result<JobDoor> makeJobDoor();
    // Packages that runs can be lent.
    const Packages &packages() const;
    // A picture that a run left, decoded in a sandbox of its own. Blocks for seconds. PermissionDenied for a withheld one; the errors of
    // the store, and of decodePicture().
    Result<Picture> picture(const Artifact &artifact) const;
    // Secrets. Lists them also when nothing can be recorded.
    Vault &vault();
    // Agents that the person paired, and what each may do.
    Approvals &approvals();
    // The install's signing key; made when there never was one. Blocks for the disk, or the keychain when it is there.
    Result<SigningKey> signingKey(const Patience &patience = {});
    // Whether the log can be written now, and is whole: for whoever asks what is wrong. False where it is too large to be read
    // through, and was only written. Blocks for the disk.
    Result<bool> checkLog() const;
    // A new read connection, for the caller's thread.
    Result<std::unique_ptr<AuditReader>> auditReader() const;

private:
    struct Private;
    Packages::Ways waysOfPackages();
    explicit Engine(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace glovebox
