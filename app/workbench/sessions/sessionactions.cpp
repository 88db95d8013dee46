// SPDX-License-Identifier: Apache-2.0
// What can be done on the page, by key, button and menu.
#include "form/sessionform.h"
#include "sessionpane.h"
#include "sessionspage.h"

#include "app/workbench/shell/look.h"

#include <QLineEdit>
#include <QStackedWidget>
#include <QTreeView>

namespace glovebox {

using namespace Qt::StringLiterals;

void SessionsPage::addActions()
{
    const auto add = [&](const QString &name, const QString &text, const QList<QKeySequence> &keys, Icon icon,
                         std::function<bool()> enabled, std::function<void()> run) {
        m_context.actions().add({.id = u"sessions."_s + name,
                                 .text = text,
                                 .shortcuts = keys,
                                 .icon = icon,
                                 .page = SessionsPage::id(),
                                 .enabled = std::move(enabled)},
                                std::move(run));
    };
    const auto open = [this] { return m_context.engine() != nullptr; };
    const auto sound = [this] { return m_context.engine() && selected() && !selected()->damage && !isFormOpen(); };
    const auto free = [this, sound] { return sound() && !selected()->isBusy; };
    add(u"add"_s, tr("New session…"), {QKeySequence(Qt::CTRL | Qt::Key_N)}, Icon::Add, open, [this] {
        m_isForBench = false;
        m_installWanted.reset();
        beginForm();
    });
    add(u"find"_s, tr("Find sessions"), {QKeySequence(Qt::CTRL | Qt::Key_F)}, Icon::Search, {}, [this] {
        m_search->setFocus(Qt::ShortcutFocusReason);
        m_search->selectAll();
    });
    add(u"run"_s, tr("Run in the session"), {QKeySequence(Qt::CTRL | Qt::Key_Return)}, Icon::None, sound,
        [this] { runInIt(selected()->session); });
    add(u"fork"_s, tr("Fork the session…"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F)}, Icon::None, free,
        [this] { beginForm(selected()->session); });
    add(
        u"remove"_s, tr("Delete the session…"), {}, Icon::None,
        [this] { return m_context.engine() && selected() && !selected()->isBusy; },
        [this] {
            showSide(m_pane);
            m_pane->askToRemove();
        });
    const auto canChange = [this, sound] { return sound() && m_pane->files().canChange(); };
    add(u"put"_s, tr("Put files into the session…"), {QKeySequence(Qt::CTRL | Qt::Key_O)}, Icon::Open, canChange,
        [this] { m_pane->files().putFiles(); });
    add(u"putfolder"_s, tr("Put a folder into the session…"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O)},
        Icon::None, canChange, [this] { m_pane->files().putFolder(); });
    add(u"save"_s, tr("Save files from the session…"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)}, Icon::Save,
        sound, [this] { m_pane->files().save(); });
    add(
        u"removefile"_s, tr("Delete the file of the session…"), {}, Icon::None,
        [this, canChange] { return canChange() && m_pane->files().hasFile(); },
        [this] { m_pane->files().askToRemove(); });
    add(u"install"_s, tr("Install packages into the session…"), {QKeySequence(Qt::CTRL | Qt::Key_I)}, Icon::None, sound,
        [this] {
            showSide(m_pane);
            m_pane->packages().askToInstall();
        });
    add(
        u"uninstall"_s, tr("Remove the package from the session…"), {}, Icon::None,
        [this, sound] { return sound() && m_pane->packages().canRemove(); },
        [this] { m_pane->packages().askToRemove(); });
    add(u"label"_s, tr("Name the newest snapshot…"), {QKeySequence(Qt::CTRL | Qt::Key_L)}, Icon::Pin, free,
        [this] { m_pane->snapshots().askToName(); });
    add(
        u"rollback"_s, tr("Go back to the snapshot…"), {QKeySequence(Qt::CTRL | Qt::Key_B)}, Icon::None,
        [this, sound] { return sound() && m_pane->snapshots().canGoBack(); },
        [this] { m_pane->snapshots().askToGoBack(); });
    add(
        u"forkfrom"_s, tr("Fork the snapshot…"), {}, Icon::None,
        [this, free] { return free() && m_pane->snapshots().chosen() > 0; },
        [this] { beginForm(selected()->session, m_pane->snapshots().chosen()); });
    add(
        u"history"_s, tr("Show the run that left the snapshot"), {QKeySequence(Qt::CTRL | Qt::Key_H)}, Icon::History,
        [this, sound] { return sound() && !m_pane->snapshots().runOfChosen().isEmpty(); },
        [this] { m_context.navigateTo(u"history"_s, {{u"run"_s, m_pane->snapshots().runOfChosen()}}); });
    add(u"refresh"_s, tr("Read the sessions again"), {QKeySequence(Qt::Key_F5)}, Icon::Refresh, open,
        [this] { read(); });
}

QWidget *SessionsPage::makeHead()
{
    auto *head = new QWidget(m_widget);
    auto *row = rowIn(head, Space::s, {Space::l, Space::s, Space::l, Space::s});
    m_search = new QLineEdit(head);
    m_search->setPlaceholderText(tr("Find a session"));
    m_search->addAction(m_context.theme().icon(Icon::Search, Colour::Dim), QLineEdit::LeadingPosition);
    m_search->setClearButtonEnabled(true);
    setNames(m_search, u"sessions.search"_s, tr("Show sessions that contain"));
    row->addWidget(m_search, 1);
    auto *button = m_context.actions().makeButton(u"sessions.add"_s, u"sessions.add-button"_s, head);
    button->setText(tr("New session"));
    setLook(button, ButtonLook::Primary);
    row->addWidget(button);
    return head;
}

void SessionsPage::beginForm(const std::optional<Session> &of, int number)
{
    build();
    if (isFormOpen() && m_form->isTouched())
        return m_form->say(tr("This session isn't made yet. Create it or cancel first."));
    showSide(m_form);
    m_form->begin(of, number);
}

void SessionsPage::create(const NewSession &wanted)
{
    if (!m_context.engine()) {
        m_form->setBusy(false);
        return m_form->say(tr("Glovebox isn't ready, so the session wasn't made. Create it again in a moment."));
    }
    const auto then = [this](const Result<Session> &made) {
        m_form->setBusy(false);
        if (!made)
            return m_form->say(translated(made.error().message));
        m_search->clear(); // it would be missed else
        m_wanted = made->id;
        const bool isForBench = std::exchange(m_isForBench, false);
        closeSide();
        if (isForBench)
            runInIt(*made);
    };
    if (const auto &of = m_form->origin()) {
        NewSession fork = wanted;
        fork.profile = of->profile;
        m_deeds.fork(of->id, m_form->number(), fork, then);
    } else {
        m_deeds.create(wanted, then);
    }
}

void SessionsPage::runInIt(const Session &session)
{
    m_context.navigateTo(u"bench"_s, {{u"session"_s, session.id}});
}

} // namespace glovebox
