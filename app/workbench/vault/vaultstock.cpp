// SPDX-License-Identifier: Apache-2.0
// What the page knows of the vault, and what it says where that is not as it should be.
#include "secret/secretpane.h"
#include "vaultpage.h"

#include "app/workbench/shell/frame/messagepane.h"

#include <QLineEdit>
#include <QStackedWidget>
#include <QTreeView>

namespace glovebox {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

constexpr auto checkPatience = 10s;

} // namespace

// Names first: they are in the database, while a keychain may take its time.
void VaultPage::refresh()
{
    Engine *engine = m_context.engine();
    if (!engine || !m_list)
        return;
    const int generation = ++m_generation;
    inBackground(
        m_context.pool(), this,
        [&vault = engine->vault()] {
            Names names;
            const auto all = vault.list();
            if (!all)
                names.error = all.error();
            for (const SecretInfo &info : all.value_or(QList<SecretInfo>()))
                names.secrets.append({.info = info});
            return names;
        },
        [this, generation](const Names &names) {
            if (generation == m_generation)
                takeNames(names);
        });
    inBackground(
        m_context.pool(), this,
        [&vault = engine->vault(), patience = Patience::of(checkPatience, m_closing.get_token())] {
            Stock stock;
            QStringList kinds{vault.store().kind()};
            for (const SecretInfo &info : vault.list().value_or(QList<SecretInfo>())) {
                if (!kinds.contains(info.store))
                    kinds.append(info.store);
            }
            for (const QString &kind : kinds) {
                if (SecretStore *store = vault.store(kind))
                    stock.places.append({.kind = kind,
                                         .status = store->status(patience),
                                         .passphrase = dynamic_cast<PassphraseStore *>(store) != nullptr,
                                         .chosen = store == &vault.store()});
            }
            if (std::ranges::any_of(stock.places, [](const Place &p) { return p.status.state == StoreState::Ready; }))
                stock.report = vault.check(patience).value_or(VaultReport());
            return stock;
        },
        [this, generation](const Stock &stock) {
            if (generation == m_generation)
                takeStock(stock);
        });
}

void VaultPage::takeNames(const Names &names)
{
    m_known = true;
    m_error = names.error;
    QList<ShownSecret> secrets = names.secrets;
    for (ShownSecret &secret : secrets) { // until the keychain has answered
        const int row = m_model->rowOf(secret.info.name);
        if (row >= 0 && m_model->row(row).info.slot == secret.info.slot)
            secret.state = m_model->row(row).state;
    }
    const QString wanted = std::exchange(m_wantedName, {});
    const QString selected = wanted.isEmpty() ? selectedName() : wanted;
    m_model->setSecrets(secrets);
    for (int column = 0; column < m_model->columnCount() - 1; ++column) // the last one has the rest, and is cut first
        m_list->resizeColumnToContents(column);
    if (!selected.isEmpty())
        showName(selected);
    if (!wanted.isEmpty())
        takeSelection();
    showTroubles();
}

void VaultPage::takeStock(const Stock &stock)
{
    m_places = stock.places;
    askForKeychain();
    m_strays.clear();
    for (const QString &slot : stock.report.strays)
        m_strays.append(slot.section(u'/', 1, 1));
    QList<ShownSecret> secrets;
    for (ShownSecret secret : m_model->rows()) {
        const auto check = std::ranges::find(stock.report.secrets, secret.info.name, &SecretCheck::name);
        secret.state = check == stock.report.secrets.end() ? SecretCheck::State::Unknown : check->state;
        secrets.append(secret);
    }
    const QString selected = selectedName();
    m_model->setSecrets(secrets);
    if (!selected.isEmpty())
        showName(selected);
    showTroubles();
    const QWidget *focused = m_widget->window()->focusWidget();
    if (std::exchange(m_focusWanted, false) && (!focused || focused == m_list || !focused->isVisible()))
        takeFocus();
    if (m_unlockWanted)
        navigate({{u"unlock"_s, true}});
}

// Offered instead of a file that can't be used, where there is one; it may take its time to answer.
void VaultPage::askForKeychain()
{
    const auto isTroubled = [](const Place &each) {
        return each.chosen && each.passphrase && each.status.state != StoreState::Ready;
    };
    SecretStore *keychain = m_context.engine() ? m_context.engine()->vault().store(u"keychain"_s) : nullptr;
    if (!keychain || std::ranges::none_of(m_places, isTroubled))
        return;
    inBackground(
        m_context.pool(), this,
        [keychain, patience = Patience::of(checkPatience, m_closing.get_token())] {
            return keychain->status(patience).state;
        },
        [this, generation = m_generation](StoreState state) {
            if (generation != m_generation)
                return;
            const bool has = state == StoreState::Ready || state == StoreState::Locked;
            if (std::exchange(m_hasKeychain, has) != has)
                showTroubles();
        });
}

const VaultPage::Place *VaultPage::place(const QString &kind) const
{
    const auto found = std::ranges::find(m_places, kind, &Place::kind);
    return found == m_places.end() ? nullptr : &*found;
}

// Where there is no list, the first is told instead of it.
bool VaultPage::isInsteadOfList(const QList<StoreTrouble> &troubles) const
{
    return m_model->rowCount() == 0 && !troubles.isEmpty() && troubles.first().id != "strays"_L1;
}

// What the page says in the list's place, and what the form for a passphrase is about, isn't said twice.
void VaultPage::showBar()
{
    const QList<StoreTrouble> all = troubles();
    const QWidget *side = m_sides->isHidden() ? nullptr : m_sides->currentWidget();
    const bool isTold = m_stack->currentWidget() == m_message || side == m_passphrase;
    m_bar->show(isTold && isInsteadOfList(all) ? all.sliced(1) : all);
}

void VaultPage::showTroubles()
{
    const QList<StoreTrouble> all = troubles();
    const bool empty = m_model->rowCount() == 0;
    if (isInsteadOfList(all))
        m_message->show(all.first().heading,
                        all.first().sentence.isEmpty() ? QStringList() : QStringList{all.first().sentence}, {},
                        all.first().steps);
    else if (empty)
        m_message->show(tr("No secrets yet"),
                        {tr("Store keys and passwords here, and give them to single runs. No command line and no log "
                            "has the value of a secret, and it is redacted from the run's output."),
                         tr("Code that has both a secret and a network can give the secret away. Choose code that you "
                            "trust that far.")},
                        {}, {{u"add"_s, tr("Add a secret"), [this] { addSecret(); }}});
    else
        m_message->show(tr("No matching secrets"), {}, {}, {{u"all"_s, tr("Show all secrets"), [this] {
                                                                 m_search->clear();
                                                                 m_list->setFocus();
                                                             }}});
    QWidget *side = m_sides->isHidden() ? nullptr : m_sides->currentWidget();
    showSide(side == m_pane && selectedName().isEmpty() ? nullptr : side);
    m_context.actions().refresh();
    Q_EMIT statusChanged();
}

QList<StoreTrouble> VaultPage::troubles()
{
    const MessagePane::Step again{u"again"_s, tr("Try again"), [this] { refresh(); }};
    QList<StoreTrouble> troubles;
    if (m_error)
        troubles.append({u"index"_s, translated(m_error->message), {}, {}});
    for (const Place &place : m_places) {
        if (place.status.state == StoreState::Ready)
            continue;
        troubles.append({place.kind, translated(place.status.reason), translated(place.status.remedy), waysOut(place)});
    }
    if (!troubles.isEmpty())
        troubles.first().steps.append(again); // of all of them
    if (!m_strays.isEmpty())
        troubles.append(
            {u"strays"_s,
             tr("%Ln value(s) belong to no secret: %1.", "", int(m_strays.size())).arg(m_strays.join(u", "_s)),
             tr("Another program, or one that was ended at a bad moment, left that."),
             {{u"remove"_s, tr("Remove for good"), [this] { removeStrays(); }}}});
    return troubles;
}

QList<MessagePane::Step> VaultPage::waysOut(const Place &place)
{
    QList<MessagePane::Step> steps;
    const bool locked = place.status.state == StoreState::Locked;
    if (place.passphrase) {
        if (locked)
            steps.append({u"unlock"_s, tr("Unlock…"), [this] { beginPassphrase(); }});
        else if (place.status.state == StoreState::Absent)
            steps.append({u"choose"_s, tr("Choose a passphrase…"), [this] { beginPassphrase(); }});
        else
            steps.append({u"new"_s, tr("Begin a new file"), [this] { beginNewFile(); }});
    } else if (locked) {
        steps.append({u"unlock"_s, tr("Unlock…"), [this, kind = place.kind] { askToUnlock(kind); }});
    }
    if (place.chosen && !place.passphrase && passphraseStore())
        steps.append({u"file"_s, tr("Keep secrets in a file with a passphrase…"),
                      [this, kind = passphraseStore()->kind()] { keepIn(kind); }});
    else if (place.chosen && place.passphrase && m_hasKeychain)
        steps.append({u"keychain"_s, tr("Keep secrets in the keychain"), [this] { keepIn(u"keychain"_s); }});
    return steps;
}

} // namespace glovebox
