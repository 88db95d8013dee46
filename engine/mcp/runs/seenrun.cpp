// SPDX-License-Identifier: Apache-2.0
#include "seenrun.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

QStringList namesOf(const std::vector<SecretGrant> &grants)
{
    QStringList names;
    for (const SecretGrant &grant : grants)
        names.append(grant.name);
    return names;
}

Result<QByteArray> keptBody(const ContentStore &store, const StoredBody &body)
{
    if (body.salt.isEmpty())
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine", "The %1 of this run was deleted with what other old runs left."),
                    {body.what});
    return store.get(body.digest);
}

// In what order the two came isn't on record: first all of standard output, then all of standard error.
OutputSource fromRecord(const CapturedOutput &out, const CapturedOutput &err)
{
    QList<OutputChunk> all;
    qint64 bytes = 0;
    for (const auto &[stream, output] : {std::pair(OutputStream::Out, &out), std::pair(OutputStream::Err, &err)}) {
        all.append({stream, 0, output->head});
        all.append({stream, output->totalBytes - output->tail.size(), output->tail});
        bytes += output->head.size() + output->tail.size();
    }
    return [all, bytes](qint64 cursor, qint64 max) {
        OutputSlice slice{.next = std::clamp<qint64>(cursor, 0, bytes)};
        qint64 begin = 0;
        for (const OutputChunk &chunk : all) {
            const qint64 from = std::max<qint64>(slice.next - begin, 0);
            const qint64 length = std::min(chunk.bytes.size() - from, max);
            if (length > 0) {
                slice.chunks.append({chunk.stream, chunk.offset + from, chunk.bytes.sliced(from, length)});
                slice.next += length;
                max -= length;
            }
            begin += chunk.bytes.size();
        }
        slice.atEnd = slice.next == bytes;
        return slice;
    };
}

Result<SeenRun> recordedRun(const Engine &engine, const QString &id)
{
    ASSIGN_OR_RETURN(const auto reader, engine.auditReader());
    ASSIGN_OR_RETURN(const auto entries, reader->entriesOf(id));
    ASSIGN_OR_RETURN(const auto bodies, reader->bodiesOf(id));
    SeenRun run{.id = id};
    RunResult result{.id = id, .outcome = Outcome::Interrupted};
    for (const StoredEntry &entry : entries) {
        const QJsonObject object = QJsonDocument::fromJson(entry.json).object();
        const auto kind = kindOf(object);
        if (kind == EntryKind::RunAccepted) {
            run.language = object["language"_L1].toString();
            run.policy = policyFromJson(object["policy"_L1].toObject(), LimitRange::jobWallMax).value_or(Policy());
            for (const auto secret : object["secrets"_L1].toArray())
                run.secrets.append(secret.isObject() ? secret["name"_L1].toString() : secret.toString());
        } else if (kind == EntryKind::RunFinished || kind == EntryKind::RunInterrupted) {
            takeEnd(result, entry, object);
        }
    }
    for (const StoredBody &body : bodies) {
        CapturedOutput *output = body.what == u"stdout"_s   ? &result.out
                                 : body.what == u"stderr"_s ? &result.err
                                                            : nullptr;
        if (!output)
            continue;
        auto kept = keptBody(engine.store(), body);
        if (!kept)
            return std::unexpected(kept.error());
        const bool isWhole = output->totalBytes <= kept->size();
        const qint64 head = isWhole ? kept->size() : CapturedOutput::headLimit(kept->size());
        output->head = kept->first(head);
        output->tail = kept->sliced(head);
    }
    if (auto artifacts = artifactsOf(*reader, id))
        result.artifacts = *std::move(artifacts);
    run.controls = result.controls;
    run.egress = result.egress;
    run.events = result.events;
    run.output = fromRecord(result.out, result.err);
    run.result = std::make_shared<const RunResult>(std::move(result));
    return run;
}

} // namespace

SeenRun seen(const FollowedRun &followed)
{
    const Run &run = followed.run();
    const RunRequest &request = followed.request();
    SeenRun seen{.id = run.id(),
                 .state = run.state(),
                 .queuePosition = run.queuePosition(),
                 .language = request.language,
                 .policy = request.policy,
                 .secrets = namesOf(request.secrets),
                 .code = request.code,
                 .output = [&run](qint64 cursor, qint64 max) { return run.output(cursor, max); }};
    seen.result = run.result();
    seen.controls = seen.result ? seen.result->controls : run.controls();
    seen.egress = seen.result ? seen.result->egress : run.egress();
    seen.events = seen.result ? seen.result->events : run.events(0).events;
    if (seen.result)
        seen.state = RunState::Done; // it may have ended in between
    return seen;
}

Result<SeenRun> seenRun(const Engine &engine, const ClientRuns &runs, const QString &id)
{
    if (const auto followed = runs.find(id)) {
        SeenRun run = seen(*followed);
        run.output = [followed](qint64 cursor, qint64 max) { return followed->run().output(cursor, max); };
        return run;
    }
    return runs.isKnown(id) ? recordedRun(engine, id) : noSuchRun(id);
}

Result<QByteArray> recordedCode(const Engine &engine, const QString &id)
{
    ASSIGN_OR_RETURN(const auto reader, engine.auditReader());
    ASSIGN_OR_RETURN(const auto bodies, reader->bodiesOf(id));
    const StoredBody *code = nullptr; // the last one: what was kept first may have had a secret's value in it
    for (const StoredBody &body : bodies)
        code = body.what == u"code"_s ? &body : code;
    if (!code)
        return fail(ErrorCode::NotFound, QT_TRANSLATE_NOOP("engine", "The log has no code of this run."), {});
    return keptBody(engine.store(), *code);
}

std::unexpected<Error> noSuchRun(const QString &id)
{
    return fail(
        ErrorCode::NotFound,
        QT_TRANSLATE_NOOP("engine", "No run of yours has the id \"%1\". Give the \"run\" that run_code answered."),
        {recordable(id.left(64))});
}

} // namespace glovebox::mcp
