// SPDX-License-Identifier: Apache-2.0
#include "runresources.h"

#include "engine/mcp/tools/runreply.h"

#include <QJsonDocument>

#include <algorithm>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

namespace {

constexpr auto runsPrefix = "glovebox://runs/"_L1;
constexpr auto auditPrefix = "glovebox://audit/"_L1;
constexpr qsizetype runsOfPage = 25;
constexpr qsizetype completionsMax = 100;
constexpr qint64 contentBytesMax = 4 * mebibyte;

enum class RunPart { Run, Stdout, Stderr, Code };

constexpr std::pair<RunPart, QLatin1StringView> runParts[] = {{RunPart::Run, ""_L1},
                                                              {RunPart::Stdout, "/stdout"_L1},
                                                              {RunPart::Stderr, "/stderr"_L1},
                                                              {RunPart::Code, "/code"_L1}};

std::unexpected<Error> nothingThere(const QString &uri)
{
    return fail(ErrorCode::NotFound,
                QT_TRANSLATE_NOOP(
                    "engine", "Nothing of yours is at \"%1\". List your resources, or give the id of a run of yours."),
                {recordable(uri.left(200))});
}

QString mediaTypeOf(RunPart part)
{
    return part == RunPart::Run ? u"application/json"_s : u"text/plain"_s;
}

Result<ResourceContent> contentOf(const QString &uri, const QString &mediaType, QByteArray bytes)
{
    if (bytes.size() > contentBytesMax)
        return fail(ErrorCode::Unsupported,
                    QT_TRANSLATE_NOOP("engine", "\"%1\" has more than %2 MB. Read it in pages, with wait_run."),
                    {uri, QString::number(contentBytesMax / mebibyte)});
    const bool isText = QString::fromUtf8(bytes).toUtf8() == bytes;
    return ResourceContent{uri, isText ? mediaType : u"application/octet-stream"_s, std::move(bytes), isText};
}

// What is kept of a stream; where bytes are left out, a line says how many.
QByteArray keptOf(const SeenRun &run, OutputStream stream)
{
    QByteArray bytes;
    qint64 next = 0; // offset of the first byte that is not in bytes
    for (qint64 cursor = 0;;) {
        const OutputSlice slice = run.output(cursor, mebibyte);
        if (slice.next == cursor)
            return bytes;
        cursor = slice.next;
        for (const OutputChunk &chunk : slice.chunks) {
            if (chunk.stream != stream)
                continue;
            if (chunk.offset > next)
                bytes += "\n[... " + QByteArray::number(chunk.offset - next) + " bytes left out ...]\n";
            bytes += chunk.bytes;
            next = chunk.offset + chunk.bytes.size();
        }
    }
}

Result<ResourceContent> readPart(const Engine &engine, const SeenRun &run, RunPart part, const QString &uri)
{
    switch (part) {
    case RunPart::Stdout:
    case RunPart::Stderr:
        return contentOf(uri, mediaTypeOf(part),
                         keptOf(run, part == RunPart::Stdout ? OutputStream::Out : OutputStream::Err));
    case RunPart::Code: {
        if (!run.code.isEmpty() && run.secrets.isEmpty()) // else it may have a value in it
            return contentOf(uri, mediaTypeOf(part), run.code);
        ASSIGN_OR_RETURN(auto code, recordedCode(engine, run.id));
        return contentOf(uri, mediaTypeOf(part), std::move(code));
    }
    case RunPart::Run:
        break;
    }
    const QJsonObject object = run.isDone() ? toJson(*run.result) : runReply(run, headAndTail(run.output)).structured;
    return contentOf(uri, mediaTypeOf(part), QJsonDocument(object).toJson(QJsonDocument::Compact));
}

// A file that the run left: what the person hasn't released of it is theirs alone.
Result<ResourceContent> readArtifact(const Engine &engine, const QString &run, const QString &number,
                                     const QString &uri)
{
    ASSIGN_OR_RETURN(const auto reader, engine.auditReader());
    ASSIGN_OR_RETURN(const QList<Artifact> artifacts, artifactsOf(*reader, run));
    bool isNumber = false;
    const qsizetype index = number.toInt(&isNumber);
    if (!isNumber || index < 0 || index >= artifacts.size())
        return nothingThere(uri);
    const Artifact &artifact = artifacts[index];
    if (artifact.isWithheld())
        return fail(ErrorCode::PermissionDenied,
                    QT_TRANSLATE_NOOP("engine", "\"%1\" holds the value of a secret (%2), so it is withheld until the "
                                                "person releases it."),
                    {artifact.path, artifact.secrets.join(u", "_s)});
    if (artifact.isDeleted)
        return wasDeleted(artifact);
    if (artifact.bytes > contentBytesMax)
        return fail(ErrorCode::Unsupported,
                    QT_TRANSLATE_NOOP("engine", "\"%1\" has more than %2 MB, which is too much for a message. Have a "
                                                "run print the part that you need."),
                    {artifact.path, QString::number(contentBytesMax / mebibyte)});
    ASSIGN_OR_RETURN(auto bytes, engine.store().get(artifact.digest));
    return contentOf(uri, artifact.mediaType, std::move(bytes));
}

Result<ResourceContent> readEntry(const Engine &engine, const ClientRuns &runs, const QString &number,
                                  const QString &uri)
{
    bool isNumber = false;
    const qint64 index = number.toLongLong(&isNumber);
    if (!isNumber || index < 1)
        return nothingThere(uri);
    ASSIGN_OR_RETURN(const auto reader, engine.auditReader());
    const auto entry = reader->entry(index);
    if (!entry)
        return nothingThere(uri);
    // Others' entries are as if they were not there.
    if (!runs.isKnown(QJsonDocument::fromJson(entry->json).object()["run"_L1].toString()))
        return nothingThere(uri);
    return contentOf(uri, u"application/json"_s, entry->json);
}

QString withoutPrefix(const QString &text, QLatin1StringView prefix)
{
    return text.startsWith(prefix) ? text.sliced(prefix.size()) : QString();
}

} // namespace

std::vector<ResourceTemplate> runTemplates()
{
    return {
        {u"glovebox://runs/{id}"_s, u"run"_s, u"A run"_s,
         u"All that is known of a run of yours: outcome, output, limits, protections, attempts."_s,
         u"application/json"_s},
        {u"glovebox://runs/{id}/stdout"_s, u"stdout"_s, u"Standard output of a run"_s, u"As much as is kept of it."_s,
         u"text/plain"_s},
        {u"glovebox://runs/{id}/stderr"_s, u"stderr"_s, u"Standard error of a run"_s, u"As much as is kept of it."_s,
         u"text/plain"_s},
        {u"glovebox://runs/{id}/code"_s, u"code"_s, u"Code of a run"_s, u"As it was run; without values of secrets."_s,
         u"text/plain"_s},
        {u"glovebox://runs/{id}/artifacts/{number}"_s, u"artifact"_s, u"A file that a run left"_s,
         u"By its place in the run's \"artifacts\", from 0."_s, u"application/octet-stream"_s},
        {u"glovebox://audit/{index}"_s, u"audit entry"_s, u"An entry of the log"_s,
         u"The entry with this number, if it belongs to a run of yours."_s, u"application/json"_s},
    };
}

// A run has four addresses, which stay on one page. cursor: the last run of the page before.
Result<ResourcePage> listRunResources(const Call &call, const QString &cursor)
{
    const QStringList ids = call.client().runs.ids();
    qsizetype begin = 0;
    if (!cursor.isEmpty()) {
        begin = ids.indexOf(cursor) + 1;
        if (begin == 0)
            return fail(
                ErrorCode::InvalidInput,
                QT_TRANSLATE_NOOP("engine", "No page of your resources begins there. List them from the beginning."),
                {});
    }
    ResourcePage page;
    const qsizetype end = std::min(ids.size(), begin + runsOfPage);
    for (const QString &id : ids.sliced(begin, end - begin)) {
        for (const auto &[part, path] : runParts) {
            const QString name = part == RunPart::Run ? u"run "_s + id : QString(path.sliced(1)) + u" of run "_s + id;
            page.resources.append({runsPrefix + id + path, name, {}, {}, mediaTypeOf(part), {}});
        }
    }
    if (end < ids.size())
        page.next = ids.at(end - 1);
    return page;
}

Result<QList<ResourceContent>> readRunResource(const Call &call, const QString &uri)
{
    const ClientRuns &runs = call.client().runs;
    if (const QString number = withoutPrefix(uri, auditPrefix); !number.isEmpty()) {
        ASSIGN_OR_RETURN(Engine *const engine, call.engine());
        ASSIGN_OR_RETURN(const auto entry, readEntry(*engine, runs, number, uri));
        return QList{entry};
    }
    const QString path = withoutPrefix(uri, runsPrefix);
    const QString id = path.section(u'/', 0, 0);
    if (const QString number = withoutPrefix(path.sliced(id.size()), "/artifacts/"_L1);
        !number.isEmpty() && runs.isKnown(id)) {
        ASSIGN_OR_RETURN(Engine *const engine, call.engine());
        ASSIGN_OR_RETURN(const auto artifact, readArtifact(*engine, id, number, uri));
        return QList{artifact};
    }
    const auto *const part =
        std::ranges::find(runParts, path.sliced(id.size()), [](const auto &named) { return QString(named.second); });
    if (part == std::end(runParts) || !runs.isKnown(id))
        return nothingThere(uri);
    ASSIGN_OR_RETURN(Engine *const engine, call.engine());
    ASSIGN_OR_RETURN(const SeenRun run, seenRun(*engine, runs, id));
    ASSIGN_OR_RETURN(const auto read, readPart(*engine, run, part->first, uri));
    return QList{read};
}

std::optional<quint64> changesOfRun(Client &client, const QString &uri)
{
    const QString path = withoutPrefix(uri, runsPrefix);
    const QString id = path.section(u'/', 0, 0);
    const auto *const part =
        std::ranges::find(runParts, path.sliced(id.size()), [](const auto &named) { return QString(named.second); });
    if (part == std::end(runParts) || !client.runs.isKnown(id))
        return std::nullopt;
    const auto run = client.runs.find(id);
    return run ? run->changes() : 0;
}

Result<Completion> completeId(const Call &call, const CompletionQuestion &question)
{
    const ClientRuns &runs = call.client().runs;
    QStringList known;
    if (question.argument == u"id"_s || question.argument == u"run"_s) {
        known = runs.ids();
    } else if (question.argument == u"language"_s) {
        known = Languages::ids();
    } else if (question.argument == u"index"_s) {
        for (const QString &id : runs.ids()) {
            const auto run = runs.find(id);
            const auto result = run ? run->run().result() : nullptr;
            if (result && result->auditSeq > 0)
                known.append(QString::number(result->auditSeq));
        }
    }
    Completion completion;
    for (const QString &value : known) {
        if (value.startsWith(question.value))
            completion.values.append(value);
    }
    completion.total = completion.values.size();
    completion.hasMore = completion.values.size() > completionsMax;
    completion.values.resize(std::min(completion.values.size(), completionsMax));
    return completion;
}

} // namespace glovebox::mcp
