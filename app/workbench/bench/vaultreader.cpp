// SPDX-License-Identifier: Apache-2.0
#include "vaultreader.h"

namespace glovebox {

using namespace std::chrono_literals;

namespace {

constexpr auto patience = 10s; // with a store: a keychain may hang

} // namespace

VaultReader::VaultReader(WorkbenchContext &context, QObject *parent)
    : QObject(parent)
    , m_context(context)
{
}

void VaultReader::read()
{
    Engine *engine = m_context.engine();
    if (!engine || m_stop.stop_requested())
        return;
    if (std::exchange(m_reading, true)) {
        m_again = true;
        return;
    }
    inBackground(
        m_context.pool(), this, [&vault = engine->vault()] { return vault.list(); },
        [this](const Result<QList<SecretInfo>> &all) {
            VaultView view = m_view; // of the values nothing new is known yet
            view.isKnown = true;
            view.error = all ? std::nullopt : std::optional(all.error());
            view.secrets = all.value_or(QList<SecretInfo>());
            take(std::move(view));
            readStores();
        });
}

void VaultReader::readStores()
{
    Engine *engine = m_context.engine();
    if (!engine) {
        m_reading = false;
        return;
    }
    struct Values
    {
        StoreStatus store;
        QList<SecretCheck> checks;
    };
    inBackground(
        m_context.pool(), this,
        [&vault = engine->vault(), stop = m_stop.get_token()] {
            const Patience until = Patience::of(patience, stop);
            Values values{.store = vault.store().status(until)};
            if (const auto report = vault.check(until))
                values.checks = report->secrets;
            return values;
        },
        [this](const Values &values) {
            m_reading = false;
            VaultView view = m_view;
            view.store = values.store;
            view.checks = values.checks;
            take(std::move(view));
            if (std::exchange(m_again, false))
                read();
        });
}

void VaultReader::take(VaultView view)
{
    if (view == m_view)
        return;
    m_view = std::move(view);
    Q_EMIT changed();
}

} // namespace glovebox
