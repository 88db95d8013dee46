// SPDX-License-Identifier: Apache-2.0
// Paired clients and their grants: two tables beside the log, which are changed with the entry that says so. Never hold a token.
#pragma once

#include "decision.h"

#include "engine/audit/audit.h"

namespace glovebox {

constexpr qsizetype clientNameMax = 64; // characters

struct PairedClient
{
    QString id;
    QString name; // given by the person, or what it called itself when it was paired; without what can't be seen
    QString program; // that it was then; empty: not known
    qint64 pairedMicroseconds = 0;

    bool operator==(const PairedClient &) const = default;
};

// A person's word about a client. Kinds of entries: client.paired, client.removed, approval.decided.
Entry pairedEntry(const PairedClient &client, const QByteArray &tokenDigest, const Caller &caller);
// NotFound: there is none of that id. Takes its grants with it.
Entry removedEntry(const QString &id, const Caller &caller);
// scope: what was answered. grants: to be kept for the client.
Entry decidedEntry(const ApprovalRequest &request, const ApprovalDecision &decision, const QList<Want> &kept);
// The person takes back what they granted or refused. NotFound.
Entry takenBackEntry(const QString &client, const Want &want, const Caller &caller);

// By name. Empty for a log of an older version, and where there is no log yet.
Result<QList<PairedClient>> readClients(const AuditReader &reader);
Result<QList<StoredGrant>> readGrants(const AuditReader &reader, const QString &client);
Result<std::optional<PairedClient>> readClientOf(const AuditReader &reader, const QByteArray &tokenDigest);
// When its last run was accepted, in microseconds UTC; nothing: it started none. Looks at runs of agents, the youngest first.
Result<std::optional<qint64>> readLastRun(const AuditReader &reader, const QString &client);

// A claimed name as it may be shown and kept: one line, nothing hidden, at most clientNameMax characters.
QString shownName(const QString &claimed);

} // namespace glovebox
