// SPDX-License-Identifier: Apache-2.0
// The writer's thread and its mailbox.
#include "audit.h"

#include "schema.h"
#include "writer.h"

#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

namespace glovebox {

using namespace Qt::StringLiterals;

struct AuditLog::Private
{
    Private(Connection connection, const QString &engine, const Clock &clock)
        : writer(std::move(connection), engine, clock)
        , thread([this] { work(); })
    {
    }

    ~Private()
    {
        {
            const std::lock_guard lock(mutex);
            stopping = true;
        }
        wake.notify_one();
        thread.join();
    }

    void post(Writer::Entry entry, Done done)
    {
        {
            const std::lock_guard lock(mutex);
            entries.push_back(std::move(entry));
            callbacks.push_back(std::move(done));
        }
        wake.notify_one();
    }

    // What arrives while a batch is being synced waits and becomes the next batch: the busier, the fewer syncs an entry.
    void work()
    {
        for (;;) {
            std::vector<Writer::Entry> batch;
            std::vector<Done> batchCallbacks;
            std::vector<std::packaged_task<Result<QStringList>()>> batchTasks;
            {
                std::unique_lock lock(mutex);
                wake.wait(lock, [this] { return stopping || !entries.empty() || !tasks.empty(); });
                if (entries.empty() && tasks.empty())
                    return;
                batch.swap(entries);
                batchCallbacks.swap(callbacks);
                batchTasks.swap(tasks);
            }
            for (auto &task : batchTasks)
                task();
            if (batch.empty())
                continue;
            auto receipts = writer.append(batch);
            for (size_t i = 0; i < receipts.size(); ++i) {
                if (batchCallbacks[i])
                    batchCallbacks[i](std::move(receipts[i]));
            }
            writer.tidy();
        }
    }

    Writer writer; // used by the thread only
    std::mutex mutex;
    std::condition_variable wake;
    std::vector<Writer::Entry> entries;
    std::vector<Done> callbacks; // of entries, in the same order
    std::vector<std::packaged_task<Result<QStringList>()>> tasks;
    bool stopping = false;
    std::thread thread; // last: starts when everything else is there
};

AuditLog::AuditLog(std::unique_ptr<Private> data)
    : d(std::move(data))
{
}

AuditLog::~AuditLog() = default;

Result<std::unique_ptr<AuditLog>> AuditLog::open(const QString &file, const QString &engineId, const Clock &clock,
                                                 Closing closing)
{
    auto connection = openLog(file);
    if (!connection)
        return std::unexpected(connection.error());
    if (closing == Closing::Quick)
        connection->checkpointByHand();
    return std::unique_ptr<AuditLog>(new AuditLog(std::make_unique<Private>(*std::move(connection), engineId, clock)));
}

void AuditLog::append(AcceptedEntry entry, Done done)
{
    d->post(std::move(entry), std::move(done));
}

void AuditLog::append(FinishedEntry entry, Done done)
{
    d->post(std::move(entry), std::move(done));
}

void AuditLog::append(FoldersEntry entry, Done done)
{
    d->post(std::move(entry), std::move(done));
}

void AuditLog::append(SecretEntry entry, Done done)
{
    d->post(std::move(entry), std::move(done));
}

void AuditLog::append(SecretUses uses, Done done)
{
    d->post(std::move(uses), std::move(done));
}

void AuditLog::append(KeyEntry entry, Done done)
{
    d->post(std::move(entry), std::move(done));
}

Result<QStringList> AuditLog::recover(const QString &enginesFolder)
{
    std::packaged_task<Result<QStringList>()> task([this, enginesFolder] { return d->writer.recover(enginesFolder); });
    auto result = task.get_future();
    {
        const std::lock_guard lock(d->mutex);
        d->tasks.push_back(std::move(task));
    }
    d->wake.notify_one();
    return result.get();
}

} // namespace glovebox
