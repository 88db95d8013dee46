// SPDX-License-Identifier: Apache-2.0
// Where secrets are kept: unlocked, chosen and changed on the page. scrypt takes half a second, and a keychain that asks
// the person half a minute, so all of it happens in the background.
#include "import/importpane.h"
#include "vaultpage.h"

#include <QStackedWidget>
#include <QTreeView>

namespace glovebox {

using namespace Qt::StringLiterals;

PassphraseStore *VaultPage::passphraseStore() const
{
    Engine *engine = m_context.engine();
    return engine ? dynamic_cast<PassphraseStore *>(engine->vault().store(u"file"_s)) : nullptr;
}

// The keychain asks by a window of its own; after half a minute nobody waits for the answer any more.
void VaultPage::askToUnlock(const QString &kind)
{
    Engine *engine = m_context.engine();
    SecretStore *store = engine ? engine->vault().store(kind) : nullptr;
    if (!store || std::exchange(m_unlocking, true))
        return;
    m_context.notifications().show({.id = u"vault-unlock"_s,
                                    .tone = Tone::Info,
                                    .text = tr("Your desktop asks for the password of the keychain.")});
    inBackground(
        m_context.pool(), this, [store, patience = patience()] { return store->askToUnlock(patience); },
        [this](const Status &unlocked) {
            m_unlocking = false;
            m_context.notifications().dismiss(u"vault-unlock"_s);
            if (!unlocked)
                m_context.notifications().show({.id = u"vault-unlock"_s,
                                                .tone = Tone::Warn,
                                                .text = translated(unlocked.error().message),
                                                .detail = translated(unlocked.error().detail)});
            refresh();
        });
}

void VaultPage::showPassphrase(PassphrasePane::Purpose purpose)
{
    build();
    QWidget *open = m_sides->isHidden() ? nullptr : m_sides->currentWidget();
    if (open != m_passphrase)
        m_under = open == m_form || open == m_import ? open : nullptr;
    showSide(m_passphrase);
    m_passphrase->begin(purpose);
}

void VaultPage::beginPassphrase()
{
    PassphraseStore *store = passphraseStore();
    if (!store)
        return;
    showPassphrase(store->exists() ? PassphrasePane::Purpose::Unlock : PassphrasePane::Purpose::Choose);
}

void VaultPage::lockFile()
{
    letGo();
    PassphraseStore *store = passphraseStore();
    if (!store)
        return;
    inBackground(m_context.pool(), this, [store] { store->lock(); }, [this] { refresh(); });
}

void VaultPage::takePassphrase(const std::shared_ptr<SecretValue> &present, const std::shared_ptr<SecretValue> &next)
{
    PassphraseStore *store = passphraseStore();
    if (!store)
        return m_passphrase->setBusy(false);
    inBackground(
        m_context.pool(), this,
        [store, present, next] {
            if (!present)
                return store->create(*next);
            return next ? store->changePassphrase(*present, *next) : store->unlock(*present);
        },
        [this, changed = present && next](const Status &status) {
            m_passphrase->setBusy(false);
            if (!status) {
                m_passphrase->say(translated(status.error().message));
            } else {
                if (m_sides->currentWidget() == m_passphrase)
                    closeSide();
                if (changed)
                    m_context.notifications().show(
                        {.tone = Tone::Ok, .text = tr("The file of secrets has its new passphrase.")});
            }
            refresh();
        });
}

void VaultPage::beginNewFile()
{
    PassphraseStore *store = passphraseStore();
    if (!store)
        return;
    inBackground(
        m_context.pool(), this, [store] { return store->moveAside(); },
        [this](const Result<QString> &aside) {
            refresh();
            if (!aside) {
                m_context.notifications().show({.tone = Tone::Warn, .text = translated(aside.error().message)});
                return;
            }
            m_context.notifications().show(
                {.tone = Tone::Info, .text = tr("The old file of secrets is %1 now.").arg(*aside), .stays = true});
            beginPassphrase();
        });
}

// What was kept elsewhere stays there and can still be lent.
void VaultPage::keepIn(const QString &kind)
{
    Settings *settings = m_context.settings();
    if (!settings)
        return;
    struct Done
    {
        Status stored;
        bool passphraseWanted = false;
    };
    inBackground(
        m_context.pool(), this,
        [settings, kind, store = m_context.engine()->vault().store(kind)] {
            const auto *file = dynamic_cast<PassphraseStore *>(store);
            return Done{settings->store(u"vault.store"_s, kind), file && store->status({}).state != StoreState::Ready};
        },
        [this, settings, kind](const Done &done) {
            m_context.tellSettings(m_context.settingsError());
            if (!done.stored)
                m_context.notifications().show({.tone = Tone::Warn, .text = translated(done.stored.error().message)});
            else if (settings->value(u"vault.store"_s).value.toString() != kind)
                m_context.notifications().show(
                    {.tone = Tone::Warn,
                     .text = tr("The choice is saved, but the environment variable %1 overrides it.")
                                 .arg(u"GLOVEBOX_VAULT_STORE"_s)});
            else if (done.passphraseWanted)
                beginPassphrase();
        });
}

void VaultPage::followSettings()
{
    Engine *engine = m_context.engine();
    if (!engine)
        return;
    const QString kind = m_context.settings()->value(u"vault.store"_s).value.toString();
    if (engine->vault().store().kind() == kind || !engine->vault().store(kind))
        return;
    std::ignore = engine->vault().prefer(kind);
    refresh();
    sayWhatIsMissing(kind);
}

// Who chooses a keychain that isn't there learns it now, on whatever page, and not by the next secret.
void VaultPage::sayWhatIsMissing(const QString &kind)
{
    m_context.notifications().dismiss(u"vault-place"_s);
    SecretStore *store = m_context.engine()->vault().store(kind);
    if (dynamic_cast<PassphraseStore *>(store)) // the page has its passphrase chosen
        return;
    inBackground(
        m_context.pool(), this, [store, patience = patience()] { return store->status(patience); },
        [this, kind](const StoreStatus &status) {
            const Settings *settings = m_context.settings();
            const bool isKept = status.state == StoreState::Ready || status.state == StoreState::Locked;
            if (isKept || !settings || settings->value(u"vault.store"_s).value.toString() != kind)
                return;
            m_context.notifications().show({.id = u"vault-place"_s,
                                            .tone = Tone::Warn,
                                            .text = tr("New secrets can't be kept there now. %1 %2")
                                                        .arg(translated(status.reason), translated(status.remedy))});
        });
}

void VaultPage::removeStrays()
{
    m_context.withEngine(
        this, [patience = patience()](Engine &engine) { return engine.vault().removeStrays(patience); },
        [this](const Status &removed) {
            if (!removed)
                m_context.notifications().show({.tone = Tone::Warn, .text = translated(removed.error().message)});
            refresh();
        });
}

} // namespace glovebox
