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
    Private(Connection connection, const QString &file, const QString &engine, const Clock &clock)
        : writer(std::move(connection), file, engine, clock)
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

    // On the thread; blocks.
    Result<QStringList> run(std::function<Result<QStringList>()> what)
    {
        std::packaged_task<Result<QStringList>()> task(std::move(what));
        auto result = task.get_future();
        {
            const std::lock_guard lock(mutex);
            tasks.push_back(std::move(task));
        }
        wake.notify_one();
        return result.get();
    }

    // Blocks. always: also where the last try went well.
    Status tryWriting(bool always)
    {
        const auto tried = run([this, always]() -> Result<QStringList> {
            const Status written = always || writer.failure() ? writer.tryAgain() : Status();
            return written ? Result<QStringList>() : std::unexpected(written.error());
        });
        return tried ? Status() : std::unexpected(tried.error());
    }

    // What arrives while a batch is being synced waits and becomes the next batch: the busier, the fewer syncs an entry.
    void work()
    {
        blockSignals();
        for (;;) {
            std::vector<Entry> batch;
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
    std::vector<Entry> entries;
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
    ASSIGN_OR_RETURN(auto connection, openLog(file));
    if (closing == Closing::Quick)
        connection.checkpointByHand();
    return std::unique_ptr<AuditLog>(
        new AuditLog(std::make_unique<Private>(std::move(connection), file, engineId, clock)));
}

void AuditLog::append(Entry entry, Done done)
{
    {
        const std::lock_guard lock(d->mutex);
        d->entries.push_back(std::move(entry));
        d->callbacks.push_back(std::move(done));
    }
    d->wake.notify_one();
}

Result<AuditReceipt> AuditLog::appendNow(Entry entry)
{
    // Shared, because the writer may still be inside set_value() when get() has returned.
    const auto promise = std::make_shared<std::promise<Result<AuditReceipt>>>();
    auto receipt = promise->get_future();
    append(std::move(entry), [promise](Result<AuditReceipt> written) { promise->set_value(std::move(written)); });
    return receipt.get();
}

Result<QStringList> AuditLog::recover(const QString &enginesFolder)
{
    return d->run([this, enginesFolder] { return d->writer.recover(enginesFolder); });
}

std::optional<Error> AuditLog::failure()
{
    const Status tried = d->tryWriting(false);
    return tried ? std::nullopt : std::optional(tried.error());
}

Status AuditLog::tryWriting()
{
    return d->tryWriting(true);
}

void AuditLog::settle()
{
    std::ignore = d->run([this] {
        d->writer.settle();
        return Result<QStringList>();
    });
}

} // namespace glovebox
