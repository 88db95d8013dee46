// SPDX-License-Identifier: Apache-2.0
// Reads what the bench shows of the vault: the names at once, and whether their values are there when the store has said so.
#pragma once

#include "policy/vaultview.h"

#include "app/workbench/shell/context.h"

#include <QObject>

#include <stop_token>

namespace glovebox {

// Lives on the GUI thread; the vault is asked in the pool. One for all tabs.
class VaultReader : public QObject
{
    Q_OBJECT
public:
    explicit VaultReader(WorkbenchContext &context, QObject *parent = nullptr);

    const VaultView &view() const { return m_view; }
    // Again, soon: who shows it asks when it comes into sight, because other pages and programs change the vault.
    void read();
    void engineClosing() { m_stop.request_stop(); } // no store is waited for any longer

Q_SIGNALS:
    void changed();

private:
    void take(VaultView view);
    void readStores();

    WorkbenchContext &m_context;
    VaultView m_view;
    std::stop_source m_stop;
    bool m_reading = false;
    bool m_again = false;
};

} // namespace glovebox
