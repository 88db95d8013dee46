// SPDX-License-Identifier: Apache-2.0
// What an engine has, for its own files.
#pragma once

#include "engine.h"

#include "engine/run/cells/interpreters.h"
#include "engine/run/queue/intake.h"

#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>

namespace glovebox {

struct Engine::Private
{
    Status openLog();
    void shutDown();
    // The first backend; others when a run wants them.
    void prepare()
    {
        std::call_once(prepared,
                       [this] { backends.first()->prepare(runsOnce ? Backend::Use::Once : Backend::Use::Many); });
    }

    Paths paths;
    Caller caller;
    const Clock *clock = nullptr;
    QString id;
    std::shared_ptr<Settings> settings;
    Backends backends;
    std::once_flag prepared;
    std::unique_ptr<Languages> languages;
    std::unique_ptr<ContentStore> store;
    OwnFolders own;
    std::unique_ptr<Staging> staging;
    std::unique_ptr<Sessions> sessions;
    Interpreters interpreters;
    std::unique_ptr<Packages> packages;
    bool runsOnce = false;
    std::optional<FileLock> lock;
    std::unique_ptr<AuditLog> log;
    Gate gate; // to the log, for what callers' threads do
    std::unique_ptr<ReadinessBoard> readiness;
    std::unique_ptr<Vault> vault;
    std::unique_ptr<Approvals> approvals;
    std::shared_ptr<Intake> intake; // null when read-only

    std::vector<std::shared_ptr<SecretStore>> platformStores() const;
    Result<SigningKey> signingKey(const Patience &patience);
    Result<SigningKey> openSigningKeyOnRecord(const Patience &patience);
    bool hasNoSigningKey() const;
    bool keepsSigningKeyInFile() const;
    void makeSigningKey();
    template<typename Deed> std::invoke_result_t<Deed> recorded(const Deed &deed);
    Error whyNotRecorded() const;
    RetentionRooms retention() { return {*store, *log, paths.auditFile(), paths.deletingFile()}; }
    void finishDeletion();
    void removeLeftSessions(); // of installations

    std::once_flag closing;
    std::promise<void> closed;
    std::shared_future<void> whenClosed = closed.get_future().share();
    std::stop_source stopKeyMaker;
    std::jthread keyMaker; // none, where the key is made at once
    std::stop_source stopDeleting;
    std::stop_source stopDeciding; // about changes of runs
    std::jthread deleter; // of what a program that is gone left to be deleted
    std::jthread closer;
};

} // namespace glovebox
