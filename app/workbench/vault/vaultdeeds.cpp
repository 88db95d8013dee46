// SPDX-License-Identifier: Apache-2.0
// What the page does with secrets: each deed goes to the vault in the background, and its answer to where the person looks.
#include "import/importpane.h"
#include "secret/secretpane.h"
#include "vaultpage.h"

#include <QFileDialog>
#include <QLineEdit>
#include <QStackedWidget>
#include <QTreeView>

namespace glovebox {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

constexpr auto valuePatience = 30s; // somebody may have to unlock a keychain

struct Kept
{
    QString trouble; // empty: all of it is kept
    std::optional<SecretInfo> now; // as it is else; nullopt: there is none of that name
};

Kept failed(const Vault &vault, const QString &name, const QString &trouble)
{
    const auto now = vault.info(name);
    return {trouble, now ? std::optional(*now) : std::nullopt};
}

// Changes of another program, and names that are taken, come first: then nothing is changed.
QString whyNot(const Vault &vault, const SecretForm::Wanted &wanted)
{
    const SecretInfo before = wanted.before.value_or(SecretInfo()); // only a change is asked about
    const auto now = vault.info(before.name);
    if (!now && now.error().code == ErrorCode::NotFound)
        return VaultPage::tr("Another program removed or renamed %1 meanwhile. Your input is still here: with a value, "
                             "Save makes a new secret of it.")
            .arg(before.name);
    if (!now)
        return translated(now.error().message);
    if (now->slot != before.slot || now->note != before.note || now->limits != before.limits)
        return VaultPage::tr("Another program changed %1 meanwhile, and your changes aren't saved yet. Save again to "
                             "overwrite the other version.")
            .arg(before.name);
    if (wanted.name != before.name && vault.info(wanted.name))
        return VaultPage::tr("There is a secret %1 already. Choose another name; nothing was changed.")
            .arg(wanted.name);
    return {};
}

Kept keep(Engine &engine, const SecretForm::Wanted &wanted, const Patience &patience)
{
    Vault &vault = engine.vault();
    if (!wanted.before) {
        const auto added = vault.add(wanted.name, wanted.note, wanted.limits, *wanted.value, engine.caller(), patience);
        return added ? Kept() : Kept{translated(added.error().message), std::nullopt};
    }
    const SecretInfo &before = *wanted.before;
    if (const QString why = whyNot(vault, wanted); !why.isEmpty())
        return failed(vault, before.name, why);
    Status status;
    if (wanted.note != before.note || wanted.limits != before.limits)
        status = vault.edit(before, wanted.note, wanted.limits, engine.caller());
    if (status && wanted.value)
        status = vault.replace(before.name, *wanted.value, engine.caller(), patience);
    if (status && wanted.name != before.name)
        status = vault.rename(before.name, wanted.name, engine.caller());
    return status ? Kept() : failed(vault, before.name, translated(status.error().message));
}

} // namespace

Patience VaultPage::patience() const
{
    return Patience::of(valuePatience, m_closing.get_token());
}

// --- changing

void VaultPage::addSecret()
{
    build();
    if (!mayLeaveForm())
        return;
    openSide(m_form);
    m_form->begin(std::nullopt);
}

void VaultPage::changeSecret(const QString &name)
{
    const int row = m_model ? m_model->rowOf(name) : -1;
    if (row < 0 || !mayLeaveForm())
        return;
    openSide(m_form);
    m_form->begin(m_model->row(row).info);
}

void VaultPage::save(const SecretForm::Wanted &wanted)
{
    Engine *engine = m_context.engine();
    if (!engine)
        return m_form->setBusy(false);
    inBackground(
        m_context.pool(), this, [engine, wanted, patience = patience()] { return keep(*engine, wanted, patience); },
        [this, name = wanted.name](const Kept &kept) {
            m_form->setBusy(false);
            if (!kept.trouble.isEmpty()) {
                m_form->keep(kept.now, kept.trouble);
                refresh(); // some of it may be so already
                return;
            }
            m_form->finish();
            m_search->clear(); // it would be missed else
            m_wantedName = name;
            if (m_sides->currentWidget() == m_form) {
                m_sides->setCurrentWidget(m_pane);
                m_list->setFocus();
            } else if (m_under == m_form) {
                m_under = nullptr; // a passphrase is being typed, and goes on
            }
            refresh();
        });
}

void VaultPage::remove(const QString &name)
{
    m_context.withEngine(
        this,
        [name, patience = patience()](Engine &engine) {
            return engine.vault().remove(name, engine.caller(), patience);
        },
        [this, name](const Status &removed) {
            if (removed)
                m_list->setFocus();
            else if (m_pane->name() == name && removed.error().code != ErrorCode::NotFound)
                m_pane->askToForget(translated(removed.error().message));
            refresh();
        });
}

void VaultPage::forget(const QString &name)
{
    m_context.withEngine(
        this, [name](Engine &engine) { return engine.vault().forget(name, engine.caller()); },
        [this](const Status &forgotten) {
            if (forgotten)
                m_list->setFocus();
            else
                m_pane->say(translated(forgotten.error().message));
            refresh();
        });
}

void VaultPage::copy(const QString &name)
{
    withValue(name, [this, name](const SecretValue &value) {
        if (!m_clipboard.copy(value)) {
            m_pane->say(tr("The value of %1 is not text, so a clipboard would change it. Give it to a run as a file.")
                            .arg(name));
            return;
        }
        m_context.notifications().show(
            {.id = u"vault-copied"_s,
             .tone = Tone::Ok,
             .text = SecretClipboard::mayHaveToWait()
                         ? tr("%1 is on the clipboard for 15 s, or until this window is in front again.").arg(name)
                         : tr("%1 is on the clipboard for 15 s.").arg(name)});
    });
}

void VaultPage::withValue(const QString &name, std::function<void(const SecretValue &)> use)
{
    m_pane->say({});
    m_context.withEngine(
        this, [name, patience = patience()](Engine &engine) { return engine.vault().reveal(name, patience); },
        [this, name, use = std::move(use)](const Result<SecretValue> &value) {
            if (value) {
                use(*value);
                return;
            }
            if (m_pane->name() == name)
                m_pane->say(translated(value.error().message));
            refresh(); // the store is not as it was
        });
}

// --- importing

void VaultPage::chooseEnvFile()
{
    build();
    if (!mayLeaveForm())
        return;
    auto *dialog = new QFileDialog(m_widget, tr("Import from a .env file"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setFilter(dialog->filter() | QDir::Hidden);
    connect(dialog, &QFileDialog::fileSelected, this, &VaultPage::importFrom);
    dialog->open();
}

void VaultPage::importFrom(const QString &path)
{
    openSide(m_import);
    inBackground(
        m_context.reading(), this, [path] { return readEnvFile(path); },
        [this, path, reading = m_import->expect(path)](std::optional<std::vector<EnvEntry>> entries) {
            if (!m_import->expects(reading))
                return;
            if (!entries)
                return m_import->say(tr("%1 can't be read, or is not an .env file: those are small.").arg(path));
            QStringList known;
            for (const ShownSecret &secret : m_model->rows())
                known.append(secret.info.name);
            m_import->begin(path, std::move(*entries), known);
        });
}

void VaultPage::importAll(const std::shared_ptr<std::vector<EnvEntry>> &entries)
{
    struct Failed
    {
        std::vector<EnvEntry> entries;
        QStringList sentences;
    };
    m_context.withEngine(
        this,
        [entries, patience = patience()](Engine &engine) {
            Failed failed;
            for (EnvEntry &entry : *entries) {
                const Status added = engine.vault().add(entry.name, {}, {}, entry.value, engine.caller(), patience);
                if (added)
                    continue;
                const QString why = translated(added.error().message);
                if (!failed.sentences.contains(why))
                    failed.sentences.append(why);
                failed.entries.push_back(std::move(entry));
            }
            return failed;
        },
        [this, all = int(entries->size())](Failed failed) {
            const int added = all - int(failed.entries.size());
            if (failed.entries.empty()) {
                if (m_sides->currentWidget() == m_import)
                    closeSide();
                m_context.notifications().show({.tone = Tone::Ok, .text = tr("%Ln secret(s) added.", "", added)});
            } else {
                m_import->keep(
                    std::move(failed.entries),
                    tr("%Ln secret(s) added. These could not be: %1", "", added).arg(failed.sentences.join(u' ')));
            }
            refresh();
        });
}

} // namespace glovebox
