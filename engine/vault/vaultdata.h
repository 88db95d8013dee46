// SPDX-License-Identifier: Apache-2.0
// What the functions of the vault share.
#pragma once

#include "secretindex.h"
#include "vault.h"

#include <atomic>

namespace glovebox {

// "INSTALL/NAME/ID": whose it is, what it was called when it was stored, and an id that knows its time (newId()).
QString slotName(const QString &install, const QString &name, const QString &id);
// What is said of a value that its store hasn't. Who took it out can't be known: another program, or the person.
Text whyGone(const SecretInfo &secret);

struct Vault::Private
{
    explicit Private(Rooms given);

    Result<SecretInfo> secret(const QString &name) const;
    Result<QString> install() const; // its id
    SecretStore *storeOf(const QString &kind) const;
    Result<SecretStore *> storeOf(const SecretInfo &secret) const;
    Result<SecretValue> valueOf(const SecretInfo &secret, const Patience &patience) const;
    Result<QStringList> straysIn(SecretStore &store, const QStringList &known, const Patience &patience) const;

    Result<Gate::Pass> writable() const; // hold it while rooms.log is used
    Status record(Entry entry) const;
    Status change(SecretEntry::Change change, const SecretInfo &secret, const Caller &caller,
                  const SecretInfo &expected = {}, const QString &newName = {}) const;
    Result<SecretInfo> store(SecretInfo secret, const SecretValue &value, const Patience &patience) const;
    void drop(const SecretInfo &secret, const Patience &patience) const;

    Rooms rooms;
    std::atomic<SecretStore *> first; // of rooms.stores: where new values go
    mutable Gate gate; // to rooms.log
    Text whyClosed; // written before the gate is closed, read after
};

} // namespace glovebox
