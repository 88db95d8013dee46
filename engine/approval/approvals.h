// SPDX-License-Identifier: Apache-2.0
// What a person decided about programs that call: who is paired, what each may do, and the record of each answer.
#pragma once

#include "approver.h"
#include "clients.h"

#include "engine/audit/audit.h"
#include "engine/settings/settings.h"

#include <memory>

namespace glovebox {

// What a client shows to be the one that was paired. The person's word was for whoever has it: only its digest is kept.
struct NewPairing
{
    PairedClient client;
    QByteArray token; // 43 characters of base64url; given out this once

    bool operator==(const NewPairing &) const = default;
};

// Thread-safe.
class Approvals
{
public:
    struct Rooms
    {
        AuditLog *log = nullptr; // null: nothing can be recorded, so nobody is paired and nothing is granted
        Text whyReadOnly;
        QString auditFile;
        Settings *settings = nullptr; // read again for each run of an agent: a pause is of all programs
        const Clock *clock = nullptr;
        std::shared_ptr<Approver> approver;
    };
    explicit Approvals(Rooms rooms);
    ~Approvals(); // as close()

    // A run of a client counts from here until runEnded(): Busy when it has too many at once or started too many within a minute, or all
    // without a pairing have: those can't be told apart, and one that comes again and again has no more than they have together. Of a
    // person nothing is counted.
    Status admit(const ApprovalRequest &request);
    void runEnded(const QString &run);

    // What holds for all agents at this moment, whatever program it was set in.
    Result<AgentSwitches> rules() const;
    // decide() with what is known of the caller at this moment, whatever program it was decided in. Reads the log for a paired one.
    AuthorisationDecision decide(const ApprovalRequest &request) const;
    // Asks the person. The answer is on record, with what it grants, before anybody acts on it; an answer to another request
    // than this one, or one that can't be recorded, is a denial.
    void ask(const ApprovalRequest &request, Approver::Answer answer);
    void withdraw(const QString &run);

    // A program asks to be paired; answered once, from any thread, perhaps before this returns, unless withdrawn. redirect: the
    // address that a browser brings the answer to. Returns the id for the next two. PermissionDenied: the person said no.
    QString requestPairing(const Caller &caller, const QString &redirect, std::function<void(Status)> answer);
    // Pairs it, once, after the person's yes. On record from here on only: who never comes for the token was never paired, whatever ended
    // it. Where the name that it claims is another's, it gets a number. NotFound: there is no yes, or it was withdrawn.
    Result<NewPairing> pairRequested(const QString &id);
    void withdrawPairing(const QString &id); // also a yes that nobody came for
    // The person pairs a program by a name of theirs. InvalidInput: the name is empty, too long, or holds what can't be seen.
    // Busy: a paired client has that name.
    Result<NewPairing> pair(const QString &name, const Caller &caller);
    // Whose token this is; nothing: nobody's. Takes as long for a token that is nearly right.
    Result<std::optional<PairedClient>> clientOf(QByteArrayView token) const;
    // What was granted for this connection ends with it.
    void connectionEnded(const QString &connection);

    // For the person.
    Result<QList<PairedClient>> clients() const;
    Result<QList<StoredGrant>> grantsOf(const QString &client) const;
    Result<std::optional<qint64>> lastRunOf(const QString &client) const; // microseconds UTC; nothing: it started none
    Status takeBack(const QString &client, const Want &want, const Caller &caller);
    // Whose token is none from now on. Its runs are whoever's business who has them.
    Status remove(const QString &client, const Caller &caller);

    // Records nothing from here on; returns when nobody uses the log any more.
    void close(const Text &why);

private:
    struct Private;
    // Not in Private: an answer that comes late may be the last to hold that, on a thread of the approver's own, which can't end
    // itself.
    const std::shared_ptr<Approver> m_approver;
    std::shared_ptr<Private> d; // also held by answers that come late
};

} // namespace glovebox
