// SPDX-License-Identifier: Apache-2.0
#include "record.h"

#include <QJsonArray>

namespace glovebox {
namespace {

constexpr qint64 largestNumber = (qint64(1) << 53) - 1; // canonical JSON has no larger ones

using glovebox::recordable; // of texts

qint64 recordable(qint64 number)
{
    return std::clamp(number, -largestNumber, largestNumber);
}

std::chrono::milliseconds recordable(std::chrono::milliseconds time)
{
    return std::chrono::milliseconds(recordable(qint64(time.count())));
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
    for (QString &tool : policy.tools)
        tool = recordable(tool);
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

// Puts what is kept of a stream into the store; that it could not be kept is on record, as the entry follows.
CommittedBody storeOutput(const ContentStore &store, const CapturedOutput &output, RunResult &result)
{
    const QByteArray kept = output.kept();
    CommittedBody body = commitTo(kept, output.totalBytes);
    if (const Status stored = store.put(body.digest, kept); !stored)
        addIncomplete(result, stored.error().message);
    return body;
}

// Puts the bodies into the store.
Entry finishedEntry(const ContentStore &store, RunResult &result)
{
    FinishedEntry entry;
    entry.run = result.id;
    entry.outcome = result.outcome;
    entry.reason = recordable(result.reason);
    entry.exitCode = result.exitCode;
    entry.signal = result.signal;
    entry.usage = result.usage;
    entry.controls = result.controls;
    entry.out = storeOutput(store, result.out, result);
    entry.err = storeOutput(store, result.err, result);
    entry.egress = jsonArray(result.egress);
    entry.events = result.events;
    entry.artifacts = jsonArray(result.artifacts);
    for (const Artifact &artifact : result.artifacts)
        entry.artifactBodies.append({.digest = artifact.digest, .bytes = artifact.bytes, .kept = artifact.bytes});
    return toEntry(entry);
}

// Locked by another program for longer than the log itself waits: one more try, as the run is over anyway.
bool isWorthAnotherTry(const Result<AuditReceipt> &receipt)
{
    return !receipt && receipt.error().code == ErrorCode::Busy;
}

RunResult closedBy(const Result<AuditReceipt> &receipt, RunResult result)
{
    if (!receipt) {
        addIncomplete(result, Text(QT_TRANSLATE_NOOP("engine", "The end of this run could not be recorded, so the log "
                                                               "can't tell how the run ended.")));
        addIncomplete(result, receipt.error().message);
        return result;
    }
    result.auditSeq = receipt->seq;
    result.auditLeaf = receipt->leaf;
    return result;
}

} // namespace

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
    for (const Variable &variable : request.variables)
        entry.variables.append(recordable(variable.name.left(secretNameMax)));
    entry.session = isId(request.session) ? request.session : QString();
    entry.isStateful = request.isStateful;
    entry.isParallel = request.isParallel;
    entry.isDetached = request.isDetached;
    entry.getsPackages = request.getsPackages;
    entry.interpreter = recordable(request.interpreter);
    entry.terminal = request.terminal;
    entry.packages = isPackagesId(request.packages) ? request.packages : QString();
    // Code that may have a value in it has none until the value is known.
    if (request.secrets.empty())
        entry.firstLine = firstLineOf(recordedCode(request));
    return entry;
}

void addIncomplete(RunResult &result, const Text &reason)
{
    result.events.append({EventType::RecordIncomplete, reason});
}

RunResult unacceptedResult(const Error &error)
{
    RunResult result{.outcome = Outcome::SetupFailed, .reason = error.message};
    if (!error.detail.isEmpty())
        result.events.append({EventType::ErrorDetail, error.detail});
    return result;
}

void closeEntry(const Rooms &rooms, RunResult result, const Closed &closed)
{
    const Entry entry = finishedEntry(rooms.store, result);
    rooms.log.append(entry, [=, &log = rooms.log](const Result<AuditReceipt> &receipt) {
        if (!isWorthAnotherTry(receipt))
            return closed(closedBy(receipt, result));
        log.append(entry, [=](const Result<AuditReceipt> &second) { closed(closedBy(second, result)); });
    });
}

RunResult closeEntry(const Rooms &rooms, RunResult result)
{
    const Entry entry = finishedEntry(rooms.store, result);
    auto receipt = rooms.log.appendNow(entry);
    if (isWorthAnotherTry(receipt))
        receipt = rooms.log.appendNow(entry);
    return closedBy(receipt, std::move(result));
}

} // namespace glovebox
