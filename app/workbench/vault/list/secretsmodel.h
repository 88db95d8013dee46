// SPDX-License-Identifier: Apache-2.0
// The secrets of the vault, a row each; never a value.
#pragma once

#include "app/workbench/shell/theme.h"

#include "engine/vault/vault.h"

#include <QAbstractTableModel>

namespace glovebox {

struct ShownSecret
{
    SecretInfo info;
    SecretCheck::State state = SecretCheck::State::Unknown;

    bool operator==(const ShownSecret &) const = default;
};

class SecretsModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Name, Limits, LastUsed, Uses, Note, columns };

    explicit SecretsModel(const Theme &theme, QObject *parent = nullptr);

    void setSecrets(const QList<ShownSecret> &secrets);
    const ShownSecret &secret(int row) const { return m_secrets.at(row); }
    int rowOf(const QString &name) const; // -1: there is none

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    const Theme &m_theme;
    QList<ShownSecret> m_secrets;
};

// "any run", "Python · no network · until 2027-01-31"
QString limitsPhrase(const SecretLimits &limits);
QString dayOf(qint64 microseconds); // "2026-11-21 09:41"
// "the keychain", "a file with a passphrase", for SecretStore::kind()
QString placeWord(const QString &kind);

} // namespace glovebox
