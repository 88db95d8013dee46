// SPDX-License-Identifier: Apache-2.0
// The secrets of the vault, a row each; never a value.
#pragma once

#include "app/workbench/shell/look/tablemodel.h"

#include "engine/vault/vault.h"

namespace glovebox {

struct ShownSecret
{
    SecretInfo info;
    SecretCheck::State state = SecretCheck::State::Unknown;

    bool operator==(const ShownSecret &) const = default;
};

class SecretsModel : public TableModel<ShownSecret>
{
    Q_OBJECT
public:
    enum Column { Name, Limits, LastUsed, Uses, Note };

    explicit SecretsModel(const Theme &theme);

    void setSecrets(const QList<ShownSecret> &secrets);
    int rowOf(const QString &name) const; // -1: there is none

protected:
    QVariant cell(const ShownSecret &shown, int column, int role) const override;
};

// "any run", "Python · no network · until 2027-01-31"
QString limitsPhrase(const SecretLimits &limits);
QString dayOf(qint64 microseconds); // "2026-11-21 09:41"
// "the keychain", "a file with a passphrase", for SecretStore::kind()
QString placeWord(const QString &kind);

} // namespace glovebox
