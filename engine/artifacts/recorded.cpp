// SPDX-License-Identifier: Apache-2.0
#include "recorded.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

Artifact artifactFrom(const QJsonValue &recorded, const QByteArray &digest)
{
    Artifact artifact{.path = recorded["path"_L1].toString(),
                      .digest = digest,
                      .bytes = recorded["size"_L1].toInteger(),
                      .mediaType = recorded["media_type"_L1].toString()};
    for (const auto secret : recorded["withheld"_L1].toArray())
        artifact.secrets.append(secret.toString());
    // A recorded digest can't be changed unseen.
    if (const QString hex = recorded["sha256"_L1].toString(); !hex.isEmpty())
        artifact.digest = QByteArray::fromHex(hex.toLatin1());
    return artifact;
}

Entry releasedEntry(const QString &run, qsizetype number, const Artifact &artifact, Caller caller)
{
    caller.program = recordable(caller.program);
    caller.claimed = recordable(caller.claimed);
    return {.kind = toString(EntryKind::ArtifactReleased),
            .run = run,
            .fields = QJsonObject{{u"caller"_s, toJson(caller)},
                                  {u"number"_s, qint64(number)},
                                  {u"path"_s, artifact.path},
                                  {u"sha256"_s, QString::fromLatin1(artifact.digest.toHex())},
                                  {u"size"_s, artifact.bytes},
                                  {u"secrets"_s, QJsonArray::fromStringList(artifact.secrets)}}};
}

} // namespace

QList<Artifact> artifactsIn(const QList<QJsonObject> &entries, const QMap<qsizetype, QByteArray> &digests)
{
    QList<Artifact> artifacts;
    for (const QJsonObject &entry : entries) {
        const auto kind = kindOf(entry);
        if (kind == EntryKind::RunFinished) {
            artifacts.clear();
            for (const auto recorded : entry.value("artifacts"_L1).toArray()) {
                const auto digest = digests.constFind(artifacts.size());
                const bool isKnown = digest != digests.constEnd();
                artifacts.append(artifactFrom(recorded, isKnown ? *digest : QByteArray()));
                artifacts.last().isDeleted = isKnown && digest->isEmpty();
            }
        }
        const qint64 number = kind == EntryKind::ArtifactReleased ? entry.value("number"_L1).toInteger(-1) : -1;
        if (number >= 0 && number < artifacts.size())
            artifacts[number].isReleased = true;
    }
    return artifacts;
}

Result<QList<Artifact>> artifactsOf(const AuditReader &reader, const QString &run)
{
    ASSIGN_OR_RETURN(const QList<StoredEntry> stored, reader.entriesOf(run));
    ASSIGN_OR_RETURN(const auto digests, reader.artifactDigests(run));
    QList<QJsonObject> entries;
    for (const StoredEntry &entry : stored)
        entries.append(QJsonDocument::fromJson(entry.json).object());
    return artifactsIn(entries, digests);
}

QList<Text> whyNotKept(const QList<RunEvent> &events)
{
    QList<Text> sentences;
    for (const RunEvent &event : events) {
        if (event.type == EventType::ArtifactSkipped || event.type == EventType::HomeLeft)
            sentences.append(event.detail);
    }
    return sentences;
}

Result<QList<Text>> whyNotKept(const AuditReader &reader, const QString &run)
{
    ASSIGN_OR_RETURN(const QList<StoredEntry> stored, reader.entriesOf(run));
    QList<Text> sentences;
    for (const StoredEntry &entry : stored) {
        const QJsonArray events = QJsonDocument::fromJson(entry.json)["events"_L1].toArray();
        for (const auto event : events) {
            const QString type = event["type"_L1].toString();
            if (type == toString(EventType::ArtifactSkipped) || type == toString(EventType::HomeLeft))
                sentences.append(textFrom(event["detail"_L1]));
        }
    }
    return sentences;
}

Status verifyArtifact(const ContentStore &store, const QString &run, const Artifact &artifact)
{
    if (artifact.isDeleted)
        return wasDeleted(artifact);
    if (artifact.isWithheld() && artifact.bytes > 0) {
        const Status there = store.verifyWithheld({artifact.digest, run});
        if (there || there.error().code != ErrorCode::NotFound)
            return there;
    }
    return store.pass(artifact.digest, {}); // also of one whose content was released under another name
}

Status releaseOnRecord(const ContentStore &store, AuditLog &log, const AuditReader &reader, const QString &run,
                       qsizetype number, const Caller &caller)
{
    ASSIGN_OR_RETURN(const QList<Artifact> artifacts, artifactsOf(reader, run));
    if (number < 0 || number >= artifacts.size())
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine",
                                      "The run %1 left no such file. \"glovebox artifact list %1\" lists those "
                                      "that it left."),
                    {run});
    const Artifact &artifact = artifacts[number];
    if (artifact.secrets.isEmpty())
        return {};
    if (const Status there = verifyArtifact(store, run, artifact); !there)
        return there.error().code != ErrorCode::NotFound
                   ? there
                   : fail(ErrorCode::NotFound,
                          QT_TRANSLATE_NOOP("engine", "The withheld file %1 no longer exists: what is withheld is "
                                                      "removed after 30 days. Run its code again."),
                          {artifact.path});
    if (!artifact.isReleased) {
        if (const auto written = log.appendNow(releasedEntry(run, number, artifact, caller)); !written)
            return std::unexpected(written.error());
    }
    return artifact.bytes == 0 ? Status() : store.release({artifact.digest, run});
}

} // namespace glovebox
