// SPDX-License-Identifier: Apache-2.0
// An entry, as every kind of entry is handed to the log. A kind is a name here and one file with a function that returns an Entry:
// kinds/ has those of a run, other rooms have theirs (vault: secret.*, identity: key.created, folders: folder.*). Readers show what
// they have no form for by the names of its fields.
#pragma once

#include "engine/base/base.h"

#include <QJsonObject>

#include <functional>
#include <optional>

namespace glovebox {

class Connection;

enum class EntryKind {
    RunAccepted,
    RunFinished,
    RunInterrupted,
    RunScrubbed,
    ToolCalled,
    FolderApplying,
    FolderApplied,
    FolderUndoing,
    FolderUndone,
    FolderDiscarding,
    FolderDiscarded,
    FolderInterrupted,
    ArtifactReleased,
    SecretAdded,
    SecretReplaced,
    SecretEdited,
    SecretRenamed,
    SecretRemoved,
    ApprovalDecided,
    ApprovalTakenBack,
    ClientPaired,
    ClientRemoved,
    SessionCreated,
    SessionChanged,
    SessionDeleted,
    PortOpened,
    PortClosed,
    KeyCreated,
    PackageInstalled,
    PackageRemoved,
    RetentionApplied,
    RetentionFinished,
    RetentionInterrupted
};

template<>
inline constexpr auto enumNames<EntryKind> = namesOf<EntryKind>({
    {EntryKind::RunAccepted, "run.accepted"},
    {EntryKind::RunFinished, "run.finished"},
    {EntryKind::RunInterrupted, "run.interrupted"},
    {EntryKind::RunScrubbed, "run.scrubbed"},
    {EntryKind::ToolCalled, "tool.called"},
    {EntryKind::FolderApplying, "folder.applying"},
    {EntryKind::FolderApplied, "folder.applied"},
    {EntryKind::FolderUndoing, "folder.undoing"},
    {EntryKind::FolderUndone, "folder.undone"},
    {EntryKind::FolderDiscarding, "folder.discarding"},
    {EntryKind::FolderDiscarded, "folder.discarded"},
    {EntryKind::FolderInterrupted, "folder.interrupted"},
    {EntryKind::ArtifactReleased, "artifact.released"},
    {EntryKind::SecretAdded, "secret.added"},
    {EntryKind::SecretReplaced, "secret.replaced"},
    {EntryKind::SecretEdited, "secret.edited"},
    {EntryKind::SecretRenamed, "secret.renamed"},
    {EntryKind::SecretRemoved, "secret.removed"},
    {EntryKind::ApprovalDecided, "approval.decided"},
    {EntryKind::ApprovalTakenBack, "approval.taken_back"},
    {EntryKind::ClientPaired, "client.paired"},
    {EntryKind::ClientRemoved, "client.removed"},
    {EntryKind::SessionCreated, "session.created"},
    {EntryKind::SessionChanged, "session.changed"},
    {EntryKind::SessionDeleted, "session.deleted"},
    {EntryKind::PortOpened, "port.opened"},
    {EntryKind::PortClosed, "port.closed"},
    {EntryKind::KeyCreated, "key.created"},
    {EntryKind::PackageInstalled, "package.installed"},
    {EntryKind::PackageRemoved, "package.removed"},
    {EntryKind::RetentionApplied, "retention.applied"},
    {EntryKind::RetentionFinished, "retention.finished"},
    {EntryKind::RetentionInterrupted, "retention.interrupted"},
});

// About changes to copies of folders.
constexpr bool isFolderDecision(EntryKind kind)
{
    return kind >= EntryKind::FolderApplying && kind <= EntryKind::FolderInterrupted;
}

// Of those: ended by a later one.
constexpr bool isBeginning(EntryKind kind)
{
    return kind == EntryKind::FolderApplying || kind == EntryKind::FolderUndoing || kind == EntryKind::FolderDiscarding;
}

// nullopt: of a newer version.
std::optional<EntryKind> kindOf(const QJsonObject &entry);
// A field in English, for whoever has no form for it.
QString shownField(const QJsonValue &value);
// Without what every entry has.
QJsonObject ownFields(QJsonObject entry);

// What every entry begins with.
struct EntryHead
{
    qint64 seq = 0;
    qint64 timeMicroseconds = 0;
    QString engine; // the one that writes the entry

    bool operator==(const EntryHead &) const = default;
};

struct Entry
{
    // An EntryKind; recovery may write one of a newer version. Empty: no entry is written, and "also" is all that is done.
    QString kind;
    QString run; // empty: the entry belongs to no run
    // What the entry says beside its head, kind and run: hashed, and never changed, so a new field means a new "v". An error
    // refuses the entry.
    Result<QJsonObject> fields = QJsonObject();
    // Rows beside the entry, whole with it or not at all: called on the writer's thread, inside the entry's savepoint. An error
    // refuses the entry.
    std::function<Status(Connection &, const EntryHead &)> also;

    // Something begins with this entry that another entry must end, because it changes what lies outside of the log. When this
    // engine dies in between, recovery ends it with an entry of this kind, with these fields and "began", the number of this one.
    struct Unfinished
    {
        QString kind;
        QJsonObject fields;
    };
    std::optional<Unfinished> begins;
    qint64 ends =
        0; // number of the entry that began what ends with this one; InvalidInput when that has an end already
};

// Where an entry stands in the log.
struct AuditReceipt
{
    qint64 seq = 0; // 0: what was written is no entry
    QByteArray leaf; // 32 bytes

    bool operator==(const AuditReceipt &) const = default;
};

// Canonical JSON. InvalidInput when a text can't be JSON.
Result<QByteArray> entryJson(const EntryHead &head, const Entry &entry);

// RFC 6962, section 2.1: the 0x00 keeps a leaf from being taken for an inner node.
QByteArray leafHash(QByteArrayView json);

} // namespace glovebox
