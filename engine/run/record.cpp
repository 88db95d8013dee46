// SPDX-License-Identifier: Apache-2.0
#include "record.h"

#include <QJsonArray>

#include <future>

namespace glovebox {
namespace {

constexpr qint64 largestNumber = (qint64(1) << 53) - 1; // canonical JSON has no larger ones

qint64 recordable(qint64 number)
{
    return std::clamp(number, -largestNumber, largestNumber);
}

std::chrono::milliseconds recordable(std::chrono::milliseconds time)
{
    return std::chrono::milliseconds(recordable(qint64(time.count())));
}

QString recordable(const QString &text)
{
    return QString::fromUtf8(text.toUtf8()); // replaces half surrogate pairs
}

Policy recordable(Policy policy)
{
    Limits &limits = policy.limits;
    limits.wall = recordable(limits.wall);
    if (limits.cpu)
        limits.cpu = recordable(*limits.cpu);
    limits.memoryBytes = recordable(limits.memoryBytes);
    limits.outputBytes = recordable(limits.outputBytes);
    limits.diskBytes = recordable(limits.diskBytes);
    for (std::optional<qint64> *number : {&limits.trafficBytes, &limits.bandwidthBytes}) {
        if (*number)
            *number = recordable(**number);
    }
    policy.backend = recordable(policy.backend);
    for (QString &host : policy.allow)
        host = recordable(host);
    for (FolderGrant &folder : policy.folders) {
        folder.hostPath = recordable(folder.hostPath);
        folder.path = recordable(folder.path);
    }
    return policy;
}

Caller recordable(Caller caller)
{
    caller.pid = recordable(caller.pid);
    caller.program = recordable(caller.program);
    caller.claimed = recordable(caller.claimed);
    return caller;
}

Text recordable(Text text)
{
    for (QString &argument : text.args)
        argument = recordable(argument);
    return text;
}

// The first line that says something, for the history's list.
QString firstLineOf(QByteArrayView code)
{
    constexpr qint64 longest = 200;
    while (!code.isEmpty()) {
        const qsizetype end = std::find(code.begin(), code.end(), '\n') - code.begin();
        const QByteArrayView line = code.first(end).trimmed();
        if (!line.isEmpty())
            return textFromBytes(line.first(std::min<qint64>(line.size(), 4 * longest))).left(longest);
        code = code.sliced(std::min(end + 1, code.size()));
    }
    return {};
}

void addIncomplete(RunResult &result, const Text &reason)
{
    result.events.append({EventType::RecordIncomplete, reason});
}

// Puts what is kept of a stream into the store; that it could not be kept is on record, as the entry follows.
CommittedBody storeOutput(const ContentStore &store, const CapturedOutput &output, RunResult &result)
{
    const QByteArray kept = output.kept();
    CommittedBody body = commitTo(kept, output.totalBytes);
    if (const Status stored = store.put(body.digest, kept); !stored)
        addIncomplete(result, stored.error().message);
    return body;
}

void append(AuditLog &log, const FinishedEntry &entry, const std::shared_ptr<RunResult> &result, const Closed &closed,
            bool again)
{
    log.append(toEntry(entry), [=, &log](Result<AuditReceipt> receipt) {
        // Locked by another program for longer than the log itself waits: one more try, as the run is over anyway.
        if (!receipt && receipt.error().code == ErrorCode::Busy && again)
            return append(log, entry, result, closed, false);
        if (receipt) {
            result->auditSeq = receipt->seq;
            result->auditLeaf = receipt->leaf;
        } else {
            addIncomplete(*result, receipt.error().message);
        }
        closed(std::move(*result));
    });
}

} // namespace

QByteArrayView recordedCode(const RunRequest &request)
{
    return QByteArrayView(request.code).first(std::min<qint64>(request.code.size(), maximumCodeBytes));
}

AcceptedEntry acceptedEntry(const QString &id, const RunRequest &request, const Language *language)
{
    AcceptedEntry entry;
    entry.run = id;
    entry.caller = recordable(request.caller);
    if (language)
        entry.language = language->id();
    entry.policy = recordable(request.policy);
    entry.code = commitTo(recordedCode(request), request.code.size());
    for (const SecretGrant &secret : request.secrets)
        entry.secrets.push_back({recordable(secret.name.left(secretNameMax)),
                                 recordable(secret.variable.left(secretNameMax)), secret.asFile});
    entry.firstLine = firstLineOf(recordedCode(request));
    return entry;
}

void closeEntry(const Rooms &rooms, RunResult result, const Closed &closed)
{
    FinishedEntry entry;
    entry.run = result.id;
    entry.outcome = result.outcome;
    entry.reason = recordable(result.reason);
    entry.exitCode = result.exitCode;
    entry.signal = result.signal;
    entry.usage = result.usage;
    entry.controls = result.controls;
    entry.out = storeOutput(rooms.store, result.out, result);
    entry.err = storeOutput(rooms.store, result.err, result);
    for (const EgressAttempt &attempt : result.egress)
        entry.egress.append(toJson(attempt));
    entry.events = result.events;
    append(rooms.log, entry, std::make_shared<RunResult>(std::move(result)), closed, true);
}

RunResult closeEntry(const Rooms &rooms, RunResult result)
{
    // Shared, because the writer may still be inside set_value() when get() has returned.
    const auto promise = std::make_shared<std::promise<RunResult>>();
    auto closed = promise->get_future();
    closeEntry(rooms, std::move(result), [promise](RunResult done) { promise->set_value(std::move(done)); });
    return closed.get();
}

} // namespace glovebox
