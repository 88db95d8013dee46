// SPDX-License-Identifier: Apache-2.0
// What the bench knows of the vault: names, their limits, and what speaks against lending one. Never a value.
#pragma once

#include "engine/vault/vault.h"

#include <QString>

namespace glovebox {

struct VaultView
{
    bool isKnown = false; // it was read at least once
    std::optional<Error> error; // why the secrets can't be listed
    QList<SecretInfo> secrets;
    QList<SecretCheck> checks; // of the values; later than the names, because a store may take its time
    StoreStatus store{.state = StoreState::Ready, .reason = {}, .remedy = {}}; // for new ones, as far as it was asked

    bool operator==(const VaultView &) const = default;
};

// As a sentence; empty: nothing is known that does. A store that isn't ready is none: it may ask the person when the run starts.
QString whyNotLent(const QString &name, const VaultView &vault, const SecretBorrower &borrower);

// "no secrets", "secret API_KEY", "secrets API_KEY, TOKEN as file"
QString secretsPhrase(const std::vector<SecretGrant> &secrets);

// How a secret is lent unless the person says otherwise: as the variable that is called like it, or the nearest there is.
SecretGrant usualGrant(const QString &name, const std::vector<SecretGrant> &others);

} // namespace glovebox
