// SPDX-License-Identifier: Apache-2.0
// What can be done on the page by key, button and command palette, and which runs' changes wait for that.
#include "details/command.h"
#include "details/detailspane.h"
#include "historypage.h"
#include "list/filterbar.h"
#include "list/runsmodel.h"
#include "list/runstable.h"

#include "app/workbench/runpanel/changes/changestab.h"

#include <QClipboard>
#include <QGuiApplication>

#include <algorithm>
#include <functional>
#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

void HistoryPage::addActions()
{
    ActionRegistry &actions = m_context.actions();
    const auto add = [&](const QString &name, const QString &text, const QList<QKeySequence> &keys, Icon icon,
                         std::function<bool()> enabled, std::function<void()> run) {
        actions.add({.id = u"history."_s + name,
                     .text = text,
                     .shortcuts = keys,
                     .icon = icon,
                     .page = id(),
                     .enabled = std::move(enabled)},
                    std::move(run));
    };
    const auto hasCode = [this] { return m_record && codeToRun(*m_record).has_value(); };
    add(u"open"_s, tr("Open in editor"), {QKeySequence(Qt::CTRL | Qt::Key_E)}, Icon::Open, hasCode,
        [this] { open(false); });
    add(
        u"rerun"_s, tr("Run again"), {QKeySequence(Qt::CTRL | Qt::Key_Return)}, Icon::Run,
        [this] { return canRunAgain(); }, [this] { open(true); });
    add(u"copycommand"_s, tr("Copy command"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C)}, Icon::Copy, hasCode,
        [this] { copyCommand(); });
    add(
        u"changes.next"_s, tr("Show the next run whose changes wait"), {}, Icon::None,
        [this] { return !m_waiting.isEmpty() && m_context.engine() && m_details; }, [this] { showNextWaiting(); });
    const auto forChanges = [&](const QString &name, const QString &text, void (ChangesTab::*act)(),
                                bool (ChangesTab::*can)() const) {
        add(
            u"changes."_s + name, text, {}, Icon::None,
            [this, can] { return m_record && m_details && (m_details->changes().*can)(); },
            [this, act] {
                m_details->showChanges();
                (m_details->changes().*act)();
            });
    };
    forChanges(u"apply"_s, tr("Apply what the run changed to the original…"), &ChangesTab::apply,
               &ChangesTab::canDecide);
    forChanges(u"discard"_s, tr("Discard what the run changed…"), &ChangesTab::discard, &ChangesTab::canDiscard);
    forChanges(u"undo"_s, tr("Undo what was applied to the original"), &ChangesTab::undo, &ChangesTab::canUndo);
    add(u"find"_s, tr("Find runs"), {QKeySequence(Qt::CTRL | Qt::Key_F)}, Icon::Search, {}, [this] {
        if (m_filter->isHidden()) // a small window shows the run instead of the list
            closeDetails();
        m_filter->focusText();
    });
    add(
        u"clear"_s, tr("Show all runs"), {}, Icon::Clear, [this] { return m_model && m_model->isFiltered(); },
        [this] { m_filter->showAll(); });
    add(
        u"newest"_s, tr("Go to the newest run"), {QKeySequence(Qt::CTRL | Qt::Key_Home)}, Icon::ChevronUp,
        [this] { return m_model && m_model->rowCount() > 0; },
        [this] {
            m_table->goToNewest();
            m_table->setFocus();
        });
    add(
        u"refresh"_s, tr("Read the log again"), {QKeySequence(Qt::Key_F5)}, Icon::Refresh,
        [this] { return m_model && !m_closing; },
        [this] {
            m_recordLog->reopen();
            m_model->reload();
        });
}

bool HistoryPage::canRunAgain() const
{
    return m_record && codeToRun(*m_record) && m_context.engine()
           && !m_context.readiness().obstacle(m_record->row.language);
}

void HistoryPage::open(bool run, const QString &host)
{
    if (!m_record)
        return;
    const auto code = codeToRun(*m_record);
    if (!code)
        return;
    QJsonObject request{{u"code"_s, *code},
                        {u"language"_s, m_record->row.language},
                        {u"policy"_s, m_record->policyJson},
                        {u"terminal"_s, m_record->terminal.has_value()},
                        {u"run"_s, run}};
    if (const QString without = notTakenAlong(*m_record, !host.isEmpty()); !without.isEmpty())
        request[u"without"_s] = without;
    if (!host.isEmpty())
        request[u"host"_s] = host;
    m_context.navigateTo(u"bench"_s, request);
}

void HistoryPage::copyCommand()
{
    if (!m_record)
        return;
    const auto command = commandOf(*m_record, m_context.settings() ? m_context.settings()->policy().limits : Limits());
    if (command)
        QGuiApplication::clipboard()->setText(*command);
    m_context.notifications().show({.id = u"history-copied"_s,
                                    .tone = command ? Tone::Ok : Tone::Warn,
                                    .text = command ? tr("The command is on the clipboard.") : command.error()});
}

// Any program may leave some, and decide about them.
void HistoryPage::countWaiting()
{
    m_context.withEngine(
        this,
        [](Engine &engine) {
            QStringList runs;
            for (const PendingChanges &changes : engine.staging().pending())
                runs.append(changes.run);
            for (const PendingChanges &changes : engine.staging().undoable()) {
                if (changes.isCutShort && !runs.contains(changes.run))
                    runs.append(changes.run);
            }
            std::ranges::sort(runs, std::greater<>());
            return runs;
        },
        [this](const QStringList &runs) {
            if (std::exchange(m_waiting, runs) == runs)
                return;
            m_context.actions().refresh();
            Q_EMIT statusChanged();
        });
}

// After the one that is shown, and then the first again.
void HistoryPage::showNextWaiting()
{
    if (m_waiting.isEmpty())
        return;
    const QString run = m_waiting.value(m_waiting.indexOf(m_run) + 1, m_waiting.first());
    m_showsChangesOf = run;
    m_detailsOpen = true;
    showRun(run);
    arrange();
}

} // namespace glovebox
