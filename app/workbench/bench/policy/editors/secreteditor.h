// SPDX-License-Identifier: Apache-2.0
// Which secrets of the vault the next run is lent, and what each is inside: an environment variable or a file. Shows names, and
// what speaks against lending one; no value comes here.
#pragma once

#include "app/workbench/bench/policy/vaultview.h"
#include "popover.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace glovebox {

class SecretEditor : public Popover
{
    Q_OBJECT
public:
    // Opens itself.
    SecretEditor(Theme &theme, QWidget *anchor, const std::vector<SecretGrant> &lent, const VaultView &vault,
                 const SecretBorrower &borrower);
    ~SecretEditor() override;

    // Something was found out about it meanwhile.
    void setVault(const VaultView &vault);

Q_SIGNALS:
    void chosen(const std::vector<glovebox::SecretGrant> &lent); // after each change
    void vaultPageWanted(bool add); // add: with the form for a new secret

private:
    struct Row;

    void showState();
    void showRows();
    QWidget *makeRow(const QString &name);
    void fillRow(Row &row);
    void filter();
    void lend(const QString &name, bool lent);
    void setWay(const QString &name, bool asFile);
    void setVariable(const QString &name, const QString &variable);
    void showVariable(const QString &name);
    void propose(const QString &name, std::vector<SecretGrant> lent);
    const SecretGrant *grantOf(const QString &name) const;
    QStringList names() const; // of the vault, and those that are lent and aren't there any more

    Theme &m_theme;
    std::vector<SecretGrant> m_lent;
    VaultView m_vault;
    SecretBorrower m_borrower;
    QLabel *m_state;
    QLineEdit *m_search;
    QWidget *m_list;
    std::vector<Row> m_rows;
    QPushButton *m_way;
};

} // namespace glovebox
