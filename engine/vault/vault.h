// SPDX-License-Identifier: Apache-2.0
// The room's public header: secrets of the person, kept in a store and lent to single runs.
//
// Names, notes, limits and counts of uses are in the index (secretindex.h), a table beside the log; values are in the store and
// nowhere else. Every change is an entry of the log, which never holds a value.
#pragma once

#include "formernames.h"
#include "leaks/leaks.h"
#include "scrub/scrub.h"
#include "secretvalue.h"
#include "store.h"

#include "engine/audit/audit.h"
#include "engine/policy/policy.h"

#include <QList>

#include <functional>
#include <memory>
#include <vector>

namespace glovebox {

// A secret as one run gets it.
struct GrantedSecret
{
    QString name;
    QString variable; // never empty, unless it is a file
    bool asFile = false;
    SecretValue value;
    QStringList tools = {}; // SecretLimits::tools
    SecretInfo info = {}; // as it was before this use was counted
};

// The run that is to be lent secrets.
struct SecretBorrower
{
    Caller::Kind caller = Caller::Kind::Cli;
    QString language; // id
    QStringList allow; // Policy::allow
    QStringList tools = {}; // Policy::tools

    bool operator==(const SecretBorrower &) const = default;
};

// Whether the secret's limits let it be lent: pure. PermissionDenied with the limit that forbids it.
Status mayLend(const SecretInfo &secret, const SecretBorrower &borrower, qint64 nowMicroseconds);

// What became of one secret's value.
struct SecretCheck
{
    enum class State {
        Present,
        Gone, // in the index, but not in its store any more
        Unknown, // the store can't be asked; reason says why
    };
    QString name;
    State state = State::Unknown;
    Text reason; // empty when Present

    bool operator==(const SecretCheck &) const = default;
};

template<>
inline constexpr auto enumNames<SecretCheck::State> = namesOf<SecretCheck::State>({
    {SecretCheck::State::Present, "present"},
    {SecretCheck::State::Gone, "gone"},
    {SecretCheck::State::Unknown, "unknown"},
});

struct VaultReport
{
    QList<SecretCheck> secrets; // of the index, by name
    QStringList
        strays; // values of this install in a store that no secret of the index has any more; where the store can list

    bool operator==(const VaultReport &) const = default;
};

// Thread-safe; any number of programs may share a data folder. Functions that take a Patience ask a store and block; the others
// block for the log's database only. Messages are sentences for a person.
class Vault
{
public:
    struct Rooms
    {
        AuditLog *log = nullptr; // null: nothing can be recorded, hence nothing changed or lent; used until close()
        Text whyReadOnly; // with a null log
        QString auditFile;
        const Clock *clock = nullptr;
        std::vector<std::shared_ptr<SecretStore>> stores; // not empty; new values go into the first, until prefer()
        QStringList languages; // ids that a limit may name; empty: any
        std::function<bool(const QString &slot)> isKeyTooMany; // a stray that is no secret (identity.h); null: none is
    };
    explicit Vault(Rooms rooms);
    ~Vault();

    // From here on nothing is changed or lent, and why says the reason; the log may go when this returned. Once.
    void close(const Text &why);

    // The store for new values.
    SecretStore &store() const;
    // The one that has the values of this kind, or nullptr.
    SecretStore *store(const QString &kind) const;
    // New values go into the store of this kind from now on; those that are there stay where they are. NotFound: there is none.
    Status prefer(const QString &kind);

    // By name. Asks no store.
    Result<QList<SecretInfo>> list() const;
    Result<SecretInfo> info(const QString &name) const; // NotFound

    // InvalidInput for a name, value or limit that makes no sense or a name that is taken; nothing is changed then.
    // With a new value it is in the store before it is in the index: what fails in between leaves no secret without its value.
    Status add(const QString &name, const QString &note, const SecretLimits &limits, const SecretValue &value,
               const Caller &caller, const Patience &patience);
    Status replace(const QString &name, const SecretValue &value, const Caller &caller, const Patience &patience);
    // before: as the person saw it; Busy when another program changed it since.
    Status edit(const SecretInfo &before, const QString &note, const SecretLimits &limits, const Caller &caller);
    Status rename(const QString &name, const QString &newName, const Caller &caller);
    Status remove(const QString &name, const Caller &caller, const Patience &patience);
    // Takes it off the list only, for when its store is gone for good: its value stays where it is.
    Status forget(const QString &name, const Caller &caller);
    // Removes values that no secret has any more.
    Status removeStrays(const Patience &patience);

    Result<VaultReport> check(const Patience &patience) const;
    // For the person's own eyes. Not counted as a use.
    Result<SecretValue> reveal(const QString &name, const Patience &patience) const;

    // What a run may have, in the order of the grants: all or nothing. Counts one use of each, durably, before it returns. Every
    // error is a reason for Outcome::Denied: NotFound, PermissionDenied (a limit), and those of the stores.
    Result<std::vector<GrantedSecret>> grant(const std::vector<SecretGrant> &grants, const SecretBorrower &borrower,
                                             const Patience &patience);

    // The code of the run that they were granted to never began, so they had no use: uncounts it.
    Status takeBack(const QList<SecretInfo> &granted);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

constexpr qsizetype lentBytesMax =
    1024 * 1024; // to one run; the kernel hands a program 2 MiB of arguments and variables at most

// InvalidInput with the reason: too short or too long.
Status checkSecretNote(const QString &note);
Status checkSecretValue(QByteArrayView value);
Status checkSecretLimits(const SecretLimits &limits, const QStringList &languages);

} // namespace glovebox
