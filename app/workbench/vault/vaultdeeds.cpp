// SPDX-License-Identifier: Apache-2.0
// What the page does with secrets: each deed goes to the vault in the background, and its answer to where the person looks.
#include "importpane.h"
#include "secretpane.h"
#include "secretsmodel.h"
#include "vaultpage.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileDialog>
#include <QStackedWidget>
#include <QTreeView>

namespace glovebox {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

constexpr auto valuePatience = 30s; // somebody may have to unlock a keychain

Caller workbench()
{
    return {Caller::Kind::Workbench, QCoreApplication::applicationPid(), QCoreApplication::applicationFilePath(), {}};
}

Status keep(Vault &vault, const SecretForm::Wanted &wanted)
{
    const Patience patience = Patience::of(valuePatience);
    if (!wanted.before)
        return vault.add(wanted.name, wanted.note, wanted.limits, *wanted.value, workbench(), patience);
    const SecretInfo &before = *wanted.before;
    // Whether another program changed it meanwhile comes first: then nothing is changed.
    if (wanted.note != before.note || wanted.limits != before.limits) {
        if (auto status = vault.edit(before, wanted.note, wanted.limits, workbench()); !status)
            return status;
    }
    if (wanted.value) {
        if (auto status = vault.replace(before.name, *wanted.value, workbench(), patience); !status)
            return status;
    }
    return wanted.name == before.name ? Status() : vault.rename(before.name, wanted.name, workbench());
}

} // namespace

// --- changing

void VaultPage::addSecret()
{
    build();
    showSide(m_form);
    m_form->begin(std::nullopt);
}

void VaultPage::changeSecret(const QString &name)
{
    const int row = m_model ? m_model->rowOf(name) : -1;
    if (row < 0)
        return;
    showSide(m_form);
    m_form->begin(m_model->secret(row).info);
}

void VaultPage::save(const SecretForm::Wanted &wanted)
{
    Engine *engine = m_context.engine();
    if (!engine)
        return m_form->setBusy(false);
    inBackground(
        m_context.pool(), this, [&vault = engine->vault(), wanted] { return keep(vault, wanted); },
        [this, name = wanted.name](const Status &status) {
            m_form->setBusy(false);
            if (!status) {
                m_form->say(translated(status.error().message));
                refresh(); // some of it may be so already
                return;
            }
            m_form->finish();
            m_sides->setCurrentWidget(m_pane);
            m_wantedName = name;
            m_list->setFocus();
            refresh();
        });
}

void VaultPage::remove(const QString &name)
{
    Engine *engine = m_context.engine();
    if (!engine)
        return;
    inBackground(
        m_context.pool(), this,
        [&vault = engine->vault(), name] { return vault.remove(name, workbench(), Patience::of(valuePatience)); },
        [this](const Status &status) {
            if (!status)
                m_pane->say(translated(status.error().message));
            else
                m_list->setFocus();
            refresh();
        });
}

void VaultPage::withValue(const QString &name, std::function<void(const SecretValue &)> use)
{
    Engine *engine = m_context.engine();
    if (!engine)
        return;
    m_pane->say({});
    inBackground(
        m_context.pool(), this,
        [&vault = engine->vault(), name] { return vault.reveal(name, Patience::of(valuePatience)); },
        [this, name, use = std::move(use)](const Result<SecretValue> &value) {
            if (value)
                use(*value);
            else if (m_pane->name() == name)
                m_pane->say(translated(value.error().message));
        });
}

// --- importing

void VaultPage::chooseEnvFile()
{
    build();
    auto *dialog = new QFileDialog(m_widget, tr("Import from a .env file"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setFilter(dialog->filter() | QDir::Hidden);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        QFile file(path);
        if (!QFileInfo(path).isFile() || QFileInfo(path).size() > envFileMax
            || !file.open(QIODevice::ReadOnly | QIODevice::Unbuffered)) {
            m_context.notifications().show(
                {.tone = Tone::Warn, .text = tr("%1 can't be read, or is no .env file: those are small.").arg(path)});
            return;
        }
        SecretValue bytes(envFileMax);
        bytes.truncate(std::max<qint64>(file.read(bytes.data(), bytes.size()), 0));
        QStringList known;
        for (int row = 0; row < m_model->rowCount(); ++row)
            known.append(m_model->secret(row).info.name);
        showSide(m_import);
        m_import->begin(path, readEnv(bytes.view()), known);
    });
    dialog->open();
}

void VaultPage::importAll(const std::shared_ptr<std::vector<EnvEntry>> &entries)
{
    Engine *engine = m_context.engine();
    if (!engine)
        return;
    inBackground(
        m_context.pool(), this,
        [&vault = engine->vault(), entries] {
            QStringList problems;
            for (const EnvEntry &entry : *entries) {
                if (const auto status =
                        vault.add(entry.name, {}, {}, entry.value, workbench(), Patience::of(valuePatience));
                    !status)
                    problems.append(u"%1: %2"_s.arg(entry.name, translated(status.error().message)));
            }
            return problems;
        },
        [this, entries](const QStringList &problems) {
            const qsizetype added = qsizetype(entries->size()) - problems.size();
            m_import->finish();
            showSide(nullptr);
            m_context.notifications().show({.tone = problems.isEmpty() ? Tone::Ok : Tone::Warn,
                                            .text = tr("%n secret(s) added.", "", int(added)),
                                            .detail = problems.join(u'\n'),
                                            .stays = !problems.isEmpty()});
            refresh();
        });
}

} // namespace glovebox
