// SPDX-License-Identifier: Apache-2.0
// Entries as canonical JSON.
#include "entry.h"

#include <QRandomGenerator>

#include <array>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QJsonObject head(const EntryHead &head, const QString &kind)
{
    return {{u"v"_s, 1},
            {u"seq"_s, head.seq},
            {u"kind"_s, kind},
            {u"time_us"_s, head.timeMicroseconds},
            {u"engine"_s, head.engine}};
}

QJsonObject head(const EntryHead &entryHead, const QString &kind, const QString &run)
{
    QJsonObject object = head(entryHead, kind);
    object[u"run"_s] = run;
    return object;
}

QJsonValue orNull(const QString &text)
{
    return text.isEmpty() ? QJsonValue(QJsonValue::Null) : QJsonValue(text);
}

QJsonValue orNull(std::optional<int> number)
{
    return number ? QJsonValue(*number) : QJsonValue(QJsonValue::Null);
}

bool isWhole(const CommittedBody &body)
{
    return body.commitment.size() == sha256Bytes && body.digest.size() == sha256Bytes && body.salt.size() == sha256Bytes
           && body.kept >= 0 && body.bytes >= body.kept;
}

// A run that never printed (it was rejected) has no commitment at all.
QJsonValue streamJson(const CommittedBody &body)
{
    if (body.commitment.isEmpty())
        return QJsonValue::Null;
    return QJsonObject{{u"commitment"_s, QString::fromLatin1(body.commitment.toHex())},
                       {u"bytes"_s, body.bytes},
                       {u"kept"_s, body.kept}};
}

template<typename List> QJsonArray listJson(const List &list)
{
    QJsonArray array;
    for (const auto &item : list)
        array.append(toJson(item));
    return array;
}

std::unexpected<Error> incompleteBody(const QString &what)
{
    return fail(ErrorCode::InvalidInput,
                Text(QT_TRANSLATE_NOOP("engine", "The commitment to \"%1\" is incomplete."), {what}));
}

// Names, as they are searched for; and what each is inside, which entries of runs that were lent nothing don't have.
void addSecrets(QJsonObject &object, const std::vector<SecretGrant> &secrets)
{
    QJsonArray lent;
    QStringList names;
    for (const SecretGrant &secret : secrets) {
        lent.append(QJsonObject{{u"name"_s, secret.name}, {u"as"_s, secretPlace(secret)}});
        names.append(secret.name);
    }
    names.removeDuplicates(); // one may be lent as a variable and as a file
    object[u"secrets"_s] = QJsonArray::fromStringList(names);
    if (!lent.isEmpty())
        object[u"lent"_s] = lent;
}

} // namespace

CommittedBody commitTo(QByteArrayView body, qint64 totalBytes)
{
    std::array<quint32, sha256Bytes / sizeof(quint32)> random;
    QRandomGenerator::system()->fillRange(random.data(), qsizetype(random.size()));
    CommittedBody committed;
    committed.salt = QByteArray(reinterpret_cast<const char *>(random.data()), sizeof(random));
    committed.commitment = sha256({committed.salt, body});
    committed.digest = sha256({body});
    committed.bytes = totalBytes < 0 ? body.size() : totalBytes;
    committed.kept = body.size();
    return committed;
}

Result<QByteArray> acceptedJson(const EntryHead &entryHead, const AcceptedEntry &entry)
{
    if (!isWhole(entry.code))
        return incompleteBody(u"code"_s);
    QJsonObject object = head(entryHead, u"run.accepted"_s, entry.run);
    object[u"caller"_s] = toJson(entry.caller);
    object[u"language"_s] = orNull(entry.language);
    object[u"session"_s] = orNull(entry.session);
    object[u"policy"_s] = toJson(entry.policy);
    object[u"code"_s] = QJsonObject{{u"commitment"_s, QString::fromLatin1(entry.code.commitment.toHex())},
                                    {u"bytes"_s, entry.code.bytes}};
    addSecrets(object, entry.secrets);
    return canonicalJson(object);
}

Result<QByteArray> finishedJson(const EntryHead &entryHead, const FinishedEntry &entry)
{
    for (const auto &[what, body] : {std::pair(u"stdout"_s, &entry.out), std::pair(u"stderr"_s, &entry.err)}) {
        if (!isWhole(*body) && *body != CommittedBody())
            return incompleteBody(what);
    }
    QJsonObject object = head(entryHead, u"run.finished"_s, entry.run);
    object[u"outcome"_s] = toString(entry.outcome);
    object[u"reason"_s] = toJson(entry.reason);
    object[u"exit_code"_s] = orNull(entry.exitCode);
    object[u"signal"_s] = orNull(entry.signal);
    object[u"usage"_s] = toJson(entry.usage);
    object[u"controls"_s] = listJson(entry.controls);
    object[u"egress"_s] = entry.egress;
    object[u"events"_s] = listJson(entry.events);
    object[u"stdout"_s] = streamJson(entry.out);
    object[u"stderr"_s] = streamJson(entry.err);
    object[u"artifacts"_s] = entry.artifacts;
    return canonicalJson(object);
}

Result<QByteArray> foldersJson(const EntryHead &entryHead, const FoldersEntry &entry)
{
    QJsonObject object = head(entryHead, entry.applied ? u"folder.applied"_s : u"folder.discarded"_s, entry.run);
    object[u"caller"_s] = toJson(entry.caller);
    object[u"folders"_s] = QJsonArray::fromStringList(entry.folders);
    object[u"changes"_s] = entry.changes;
    object[u"refused"_s] = entry.refused;
    return canonicalJson(object);
}

QString kindOf(SecretEntry::Change change)
{
    switch (change) {
    case SecretEntry::Change::Added:
        return u"secret.added"_s;
    case SecretEntry::Change::Replaced:
        return u"secret.replaced"_s;
    case SecretEntry::Change::Edited:
        return u"secret.edited"_s;
    case SecretEntry::Change::Renamed:
        return u"secret.renamed"_s;
    case SecretEntry::Change::Removed:
        return u"secret.removed"_s;
    }
    Q_UNREACHABLE();
}

// Notes are what people wrote, so they are not in an entry.
Result<QByteArray> secretJson(const EntryHead &entryHead, const SecretEntry &entry)
{
    using Change = SecretEntry::Change;
    QJsonObject object = head(entryHead, kindOf(entry.change));
    object[u"caller"_s] = toJson(entry.caller);
    object[u"name"_s] = entry.secret.name;
    if (entry.change == Change::Added || entry.change == Change::Replaced)
        object[u"store"_s] = entry.secret.store;
    if (entry.change == Change::Added || entry.change == Change::Edited)
        object[u"limits"_s] = toJson(entry.secret.limits);
    if (entry.change == Change::Renamed)
        object[u"new_name"_s] = entry.newName;
    return canonicalJson(object);
}

Result<QByteArray> keyJson(const EntryHead &entryHead, const KeyEntry &entry)
{
    QJsonObject object = head(entryHead, u"key.created"_s);
    object[u"caller"_s] = toJson(entry.caller);
    object[u"algorithm"_s] = entry.algorithm;
    object[u"place"_s] = entry.place;
    object[u"public_key"_s] = QString::fromLatin1(entry.publicKey.toHex());
    return canonicalJson(object);
}

Result<QByteArray> interruptedJson(const EntryHead &entryHead, const QString &run)
{
    QJsonObject object = head(entryHead, u"run.interrupted"_s, run);
    object[u"outcome"_s] = toString(Outcome::Interrupted);
    object[u"reason"_s] = toJson(Text(QT_TRANSLATE_NOOP("engine", "Glovebox itself ended before the run did.")));
    return canonicalJson(object);
}

QByteArray leafHash(QByteArrayView json)
{
    return sha256({QByteArrayView("\0", 1), json});
}

} // namespace glovebox
