// SPDX-License-Identifier: Apache-2.0
// Index and store together. A value goes into the store under a slot of its own before the index names it, and out of it after
// the index forgot it: whoever is killed in between leaves a value too many, never a secret without its value.
#include "vault.h"

#include "vaultdata.h"

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using Change = SecretEntry::Change;

} // namespace

Status checkSecretNote(const QString &note)
{
    if (note.size() <= secretNoteMax && !note.contains(QChar(0)))
        return {};
    return fail(ErrorCode::InvalidInput,
                QT_TRANSLATE_NOOP("engine", "A note has at most %1 characters, and no NUL among them."),
                {QString::number(secretNoteMax)});
}

Status SecretStore::askToUnlock(const Patience &patience)
{
    const StoreStatus now = status(patience);
    if (now.state == StoreState::Ready)
        return {};
    return fail(ErrorCode::Unavailable, Text("%1 %2", {now.reason.english(), now.remedy.english()}));
}

Vault::Private::Private(Rooms given)
    : rooms(std::move(given))
{
    first = rooms.stores.front().get();
}

Result<SecretInfo> Vault::Private::secret(const QString &name) const
{
    RETURN_IF_ERROR(checkSecretName(name));
    ASSIGN_OR_RETURN(const auto all, readSecrets(rooms.auditFile));
    const auto found = std::ranges::find(all, name, &SecretInfo::name);
    if (found == all.end())
        return fail(
            ErrorCode::NotFound,
            QT_TRANSLATE_NOOP("engine", "There is no secret %1. \"glovebox secret list\" lists those that are."),
            {name});
    return *found;
}

Result<QString> Vault::Private::install() const
{
    const auto reader = AuditReader::open(rooms.auditFile);
    return reader ? (*reader)->id() : std::unexpected(reader.error());
}

SecretStore *Vault::Private::storeOf(const QString &kind) const
{
    const auto found = std::ranges::find_if(rooms.stores, [&](const auto &store) { return store->kind() == kind; });
    return found == rooms.stores.end() ? nullptr : found->get();
}

Result<SecretStore *> Vault::Private::storeOf(const SecretInfo &secret) const
{
    if (SecretStore *store = storeOf(secret.store))
        return store;
    return fail(ErrorCode::Unavailable,
                QT_TRANSLATE_NOOP("engine", "The value of the secret %1 is in a place that can't be used here "
                                            "(\"%2\")."),
                {secret.name, secret.store});
}

Result<SecretValue> Vault::Private::valueOf(const SecretInfo &secret, const Patience &patience) const
{
    ASSIGN_OR_RETURN(const auto store, storeOf(secret));
    auto value = store->read(secret.slot, patience);
    if (!value && value.error().code == ErrorCode::NotFound)
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine", "The secret %1 is on the list, but its value is gone. %2"),
                    {secret.name, whyGone(secret).english()});
    return value;
}

Result<Gate::Pass> Vault::Private::writable() const
{
    if (!rooms.log)
        return fail(ErrorCode::Unavailable, rooms.whyReadOnly);
    if (auto pass = gate.enter())
        return pass;
    return fail(ErrorCode::Unavailable, whyClosed);
}

Status Vault::Private::record(Entry entry) const
{
    ASSIGN_OR_RETURN(const auto pass, writable());
    const auto receipt = rooms.log->appendNow(std::move(entry));
    return receipt ? Status() : std::unexpected(receipt.error());
}

Status Vault::Private::change(Change change, const SecretInfo &secret, const Caller &caller, const SecretInfo &expected,
                              const QString &newName) const
{
    SecretEntry entry{change, caller, secret, newName, expected};
    entry.caller.program = recordable(caller.program);
    entry.caller.claimed = recordable(caller.claimed);
    entry.secret.note = recordable(secret.note);
    return record(toEntry(entry));
}

// A new slot for every value, so that a value that is there is never overwritten.
Result<SecretInfo> Vault::Private::store(SecretInfo secret, const SecretValue &value, const Patience &patience) const
{
    RETURN_IF_ERROR(writable());
    ASSIGN_OR_RETURN(const auto own, install());
    SecretStore &store = *first;
    secret.store = store.kind();
    secret.slot = slotName(own, secret.name, newId(*rooms.clock));
    RETURN_IF_ERROR(store.write(secret.slot, value, patience));
    return secret;
}

// A failure leaves a stray, which check() finds.
void Vault::Private::drop(const SecretInfo &secret, const Patience &patience) const
{
    if (SecretStore *store = storeOf(secret.store))
        std::ignore = store->remove(secret.slot, patience);
}

Vault::Vault(Rooms rooms)
    : d(std::make_unique<Private>(std::move(rooms)))
{
}

Vault::~Vault() = default;

void Vault::close(const Text &why)
{
    d->whyClosed = why;
    d->gate.close();
}

SecretStore &Vault::store() const
{
    return *d->first;
}

SecretStore *Vault::store(const QString &kind) const
{
    return d->storeOf(kind);
}

Status Vault::prefer(const QString &kind)
{
    SecretStore *store = d->storeOf(kind);
    if (!store)
        return fail(ErrorCode::NotFound, QT_TRANSLATE_NOOP("engine", "Secrets can't be kept here: there is no \"%1\"."),
                    {kind});
    d->first = store;
    return {};
}

Result<QList<SecretInfo>> Vault::list() const
{
    return readSecrets(d->rooms.auditFile);
}

Result<SecretInfo> Vault::info(const QString &name) const
{
    return d->secret(name);
}

Status Vault::add(const QString &name, const QString &note, const SecretLimits &limits, const SecretValue &value,
                  const Caller &caller, const Patience &patience)
{
    for (const Status &sound : {checkNewSecretName(name), checkSecretNote(note), checkSecretValue(value.view()),
                                checkSecretLimits(limits, d->rooms.languages)}) {
        if (!sound)
            return sound;
    }
    ASSIGN_OR_RETURN(const auto all, list()); // before the store is asked, which may take long
    if (std::ranges::find(all, name, &SecretInfo::name) != all.end())
        return nameTaken(name);
    ASSIGN_OR_RETURN(const auto stored, d->store({.name = name, .note = note, .limits = limits}, value, patience));
    const Status added = d->change(Change::Added, stored, caller);
    if (!added)
        d->drop(stored, patience);
    return added;
}

Status Vault::replace(const QString &name, const SecretValue &value, const Caller &caller, const Patience &patience)
{
    RETURN_IF_ERROR(checkSecretValue(value.view()));
    ASSIGN_OR_RETURN(const auto present, d->secret(name));
    ASSIGN_OR_RETURN(const auto stored, d->store(present, value, patience));
    const Status replaced = d->change(Change::Replaced, stored, caller, present);
    d->drop(replaced ? present : stored, patience);
    return replaced;
}

Status Vault::edit(const SecretInfo &before, const QString &note, const SecretLimits &limits, const Caller &caller)
{
    for (const Status &sound : {checkSecretNote(note), checkSecretLimits(limits, d->rooms.languages)}) {
        if (!sound)
            return sound;
    }
    SecretInfo edited = before;
    edited.note = note;
    edited.limits = limits;
    return d->change(Change::Edited, edited, caller, before);
}

Status Vault::rename(const QString &name, const QString &newName, const Caller &caller)
{
    ASSIGN_OR_RETURN(const auto present, d->secret(name));
    if (name == newName)
        return {};
    RETURN_IF_ERROR(checkNewSecretName(newName));
    return d->change(Change::Renamed, present, caller, present, newName);
}

// The value first: a person who removes a secret wants that gone. When only that could be done, the secret is shown without its
// value, and can be removed again.
Status Vault::remove(const QString &name, const Caller &caller, const Patience &patience)
{
    RETURN_IF_ERROR(d->writable());
    ASSIGN_OR_RETURN(const auto present, d->secret(name));
    ASSIGN_OR_RETURN(const auto store, d->storeOf(present));
    if (auto removed = store->remove(present.slot, patience); !removed && removed.error().code != ErrorCode::NotFound)
        return removed;
    Status forgotten = d->change(Change::Removed, present, caller, present);
    // Another program may have renamed the secret meanwhile: a name whose value is gone must not stay. A value put in its place
    // has a slot of its own, and stays.
    while (!forgotten && (forgotten.error().code == ErrorCode::NotFound || forgotten.error().code == ErrorCode::Busy)) {
        ASSIGN_OR_RETURN(const auto all, list());
        const auto renamed = std::ranges::find(all, present.slot, &SecretInfo::slot);
        if (renamed == all.end())
            break;
        forgotten = d->change(Change::Removed, *renamed, caller, *renamed);
    }
    return forgotten;
}

Status Vault::forget(const QString &name, const Caller &caller)
{
    ASSIGN_OR_RETURN(const auto present, d->secret(name));
    return d->change(Change::Removed, present, caller, present);
}

Result<SecretValue> Vault::reveal(const QString &name, const Patience &patience) const
{
    const auto present = d->secret(name);
    return present ? d->valueOf(*present, patience) : std::unexpected(present.error());
}

} // namespace glovebox
