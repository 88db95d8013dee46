// SPDX-License-Identifier: Apache-2.0
// A file that a run left in its workspace, and what became of those that aren't kept.
#pragma once

#include "engine/base/base.h"

#include <QByteArray>
#include <QJsonObject>
#include <QString>
#include <QStringList>

namespace glovebox {

struct Artifact
{
    // Below the workspace, and in its run the only one of this name. For people: a byte that is no UTF-8 is \xNN, the value of a lent
    // secret "[secret NAME]"; controls and line ends are as they were.
    QString path;
    QByteArray
        digest; // SHA-256, 32 bytes: its name in the store. A withheld file's is on no record, as it would tell a short value
    qint64 bytes = 0;
    QString
        mediaType; // "text/csv", by name and first bytes: a hint for how to show it, nobody's word for what is in it
    QStringList
        secrets; // lent ones whose values are in its name or content; not empty: withheld until the person releases it
    bool isReleased = false;
    bool isDeleted = false; // with what other old runs left; nothing of it is there

    bool isWithheld() const { return !secrets.isEmpty() && !isReleased && !isDeleted; }
    bool operator==(const Artifact &) const = default;
};

// PermissionDenied for a withheld one, as nobody gets its content before the person releases it.
Status checkNotWithheld(const Artifact &artifact);

// Why a deleted one can't be had.
std::unexpected<Error> wasDeleted(const Artifact &artifact);

// {"path","sha256","size","media_type"}; of a withheld one sha256 is null, and "withheld" has the secrets' names; a deleted one
// has "deleted".
QJsonObject toJson(const Artifact &artifact);

// Why files are not kept.
enum class NotKept {
    Link, // symbolic
    HardLink, // a file with several names
    Special, // socket, FIFO, device
    TooMany,
    TooLarge, // for what is left of the bytes of one run
    TooDeep, // or with a name that is too long
    Unreadable, // its permissions
    Changed, // while it was read
    SameName, // as another one, when it is shown
    NoSpace, // on this machine's disk
    NotStored, // for another reason of this machine
    Late, // it took too long, or the run was cancelled
};

template<>
inline constexpr auto enumNames<NotKept> = namesOf<NotKept>({
    {NotKept::Link, "link"},
    {NotKept::HardLink, "hard_link"},
    {NotKept::Special, "special"},
    {NotKept::TooMany, "too_many"},
    {NotKept::TooLarge, "too_large"},
    {NotKept::TooDeep, "too_deep"},
    {NotKept::Unreadable, "unreadable"},
    {NotKept::Changed, "changed"},
    {NotKept::SameName, "same_name"},
    {NotKept::NoSpace, "no_space"},
    {NotKept::NotStored, "not_stored"},
    {NotKept::Late, "late"},
});

// All that were not kept for one reason.
struct SkippedFiles
{
    NotKept why = NotKept::Link;
    qint64 count = 0; // of Late at least so many
    QStringList paths; // the first ten, as Artifact::path
    Text sentence; // for a person, with the names

    bool operator==(const SkippedFiles &) const = default;
};

// {"reason","detail","count","paths":[]}
QJsonObject toJson(const SkippedFiles &skipped);

// For sentences, which stay short however a run calls its files, and their own: in quotes, of more than 80 characters without the middle.
QString shortPath(const QString &path);

// By name and first bytes (4096 will do).
QString mediaTypeOf(QStringView path, QByteArrayView beginning);

} // namespace glovebox
