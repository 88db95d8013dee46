// SPDX-License-Identifier: Apache-2.0
#include "vaultpage.h"

#include "import/importpane.h"
#include "secret/holdtoshow.h"
#include "secret/secretpane.h"

#include "app/workbench/shell/frame/messagepane.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/look/paddedcells.h"

#include <QEvent>
#include <QLineEdit>
#include <QMenu>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int roomBeside = 900; // at the usual size of text

} // namespace

VaultPage::VaultPage(WorkbenchContext &context)
    : m_context(context)
{
    addActions();
    connect(&m_clipboard, &SecretClipboard::cleared, this, [this] {
        m_context.notifications().show(
            {.id = u"vault-copied"_s, .tone = Tone::Ok, .text = tr("The clipboard is empty again.")});
    });
    connect(&m_screen, &ScreenLock::locked, this, &VaultPage::letGo);
    connect(&context, &WorkbenchContext::settingsChanged, this, &VaultPage::followSettings);
}

VaultPage::~VaultPage() = default;

void VaultPage::addActions()
{
    const auto add = [&](const QString &name, const QString &text, const QList<QKeySequence> &keys, Icon icon,
                         std::function<bool()> enabled, std::function<void()> run) {
        m_context.actions().add({.id = u"vault."_s + name,
                                 .text = text,
                                 .shortcuts = keys,
                                 .icon = icon,
                                 .page = VaultPage::id(),
                                 .enabled = std::move(enabled)},
                                std::move(run));
    };
    const auto open = [this] { return m_context.engine() != nullptr; };
    const auto selected = [this] { return m_context.engine() && !selectedName().isEmpty(); };
    add(u"add"_s, tr("Add a secret"), {QKeySequence(Qt::CTRL | Qt::Key_N)}, Icon::Add, open, [this] { addSecret(); });
    add(u"import"_s, tr("Import from a .env file…"), {}, Icon::Open, open, [this] { chooseEnvFile(); });
    add(u"find"_s, tr("Find secrets"), {QKeySequence(Qt::CTRL | Qt::Key_F)}, Icon::Search, {}, [this] {
        m_search->setFocus(Qt::ShortcutFocusReason);
        m_search->selectAll();
    });
    add(u"change"_s, tr("Change the secret"), {QKeySequence(Qt::CTRL | Qt::Key_E)}, Icon::None, selected,
        [this] { changeSecret(selectedName()); });
    add(u"remove"_s, tr("Remove the secret…"), {}, Icon::None, selected, [this] {
        if (!mayLeaveForm())
            return;
        openSide(m_pane);
        m_pane->askToRemove();
    });
    add(u"copy"_s, tr("Copy the value of the secret"), {}, Icon::Copy, selected, [this] { copy(selectedName()); });
    add(u"runs"_s, tr("Show the runs that asked for the secret"), {}, Icon::History, selected,
        [this] { m_context.navigateTo(u"history"_s, {{u"secret"_s, selectedName()}}); });
    const auto file = [this](StoreState state) {
        return [this, state] {
            const Place *at = place(u"file"_s);
            return m_context.engine() && at && at->status.state == state;
        };
    };
    add(u"unlock"_s, tr("Unlock the file of secrets…"), {}, Icon::None, file(StoreState::Locked),
        [this] { beginPassphrase(); });
    add(u"lock"_s, tr("Lock the file of secrets"), {}, Icon::None, file(StoreState::Ready), [this] { lockFile(); });
    add(u"passphrase"_s, tr("Change the passphrase of the file of secrets…"), {}, Icon::None, file(StoreState::Ready),
        [this] { showPassphrase(PassphrasePane::Purpose::Change); });
    add(u"refresh"_s, tr("Read the vault again"), {QKeySequence(Qt::Key_F5)}, Icon::Refresh, open,
        [this] { refresh(); });
}

QWidget *VaultPage::widget()
{
    if (!m_widget) {
        m_widget = new QWidget;
        m_widget->setObjectName(u"vault"_s);
        setBackground(m_widget, Colour::Panel);
    }
    return m_widget;
}

QWidget *VaultPage::makeHead()
{
    auto *head = new QWidget(m_widget);
    auto *row = rowIn(head, Space::s, {Space::l, Space::s, Space::l, Space::s});
    m_search = new QLineEdit(head);
    m_search->setPlaceholderText(tr("Find a secret"));
    m_search->addAction(m_context.theme().icon(Icon::Search, Colour::Dim), QLineEdit::LeadingPosition);
    m_search->setClearButtonEnabled(true);
    setNames(m_search, u"vault.search"_s, tr("Show secrets that contain"));
    row->addWidget(m_search, 1);
    for (const auto &[name, text, look] :
         {std::tuple(u"add"_s, tr("Add"), ButtonLook::Primary), {u"import"_s, tr("Import…"), ButtonLook::Normal}}) {
        auto *button = m_context.actions().makeButton(u"vault."_s + name, u"vault.%1-button"_s.arg(name), head);
        button->setText(text);
        setLook(button, look);
        row->addWidget(button);
    }
    auto *more = makeIconButton(m_context.theme().icon(Icon::More, Colour::Dim), u"vault.more"_s,
                                tr("More that can be done here"), head, tr("More"));
    more->setFocusPolicy(Qt::StrongFocus);
    auto *menu = new QMenu(more);
    for (const auto &name : {u"copy"_s, u"runs"_s, u"change"_s, u"remove"_s, u""_s, u"unlock"_s, u"lock"_s,
                             u"passphrase"_s, u""_s, u"refresh"_s})
        name.isEmpty() ? menu->addSeparator()
                       : (menu->addAction(m_context.actions().action(u"vault."_s + name)), nullptr);
    connect(more, &QToolButton::clicked, this, [more, menu] {
        const QPoint below(more->isRightToLeft() ? 0 : more->width() - menu->sizeHint().width(), more->height());
        menu->popup(more->mapToGlobal(below));
    });
    row->addWidget(more);
    return head;
}

void VaultPage::build()
{
    if (m_list)
        return;
    widget();
    Theme &theme = m_context.theme();
    auto *column = columnIn(m_widget, 0);
    column->addWidget(makeHead());
    m_bar = new StoreBar(theme, m_widget->findChild<QWidget *>(u"vault.more"_s), m_widget);
    column->addWidget(m_bar);
    column->addWidget(makeRule(Qt::Horizontal, m_widget));
    m_stack = new QStackedWidget(m_widget);
    m_message = new MessagePane(u"vault.message"_s, m_stack);
    m_splitter = new QSplitter(Qt::Horizontal, m_stack);
    m_splitter->setChildrenCollapsible(false);
    m_list = new QTreeView(m_splitter);
    m_model = std::make_unique<SecretsModel>(theme);
    m_shown.setSourceModel(m_model.get());
    m_shown.setFilterKeyColumn(-1);
    m_shown.setFilterCaseSensitivity(Qt::CaseInsensitive);
    showRows(m_list, &m_shown);
    // Gives way when the details come, which a section that is only stretched doesn't do.
    m_list->header()->setSectionResizeMode(m_shown.columnCount() - 1, QHeaderView::Stretch);
    m_list->setAllColumnsShowFocus(true);
    setNames(m_list, u"vault.list"_s, tr("Secrets"));
    m_sides = new QStackedWidget(m_splitter);
    m_pane = new SecretPane(theme, m_sides);
    QList<std::pair<QString, QString>> languages;
    for (const auto &language : Languages::all())
        languages.append({language->id(), language->name()});
    m_form = new SecretForm(m_context.reading(), languages, m_sides);
    m_import = new ImportPane(m_sides);
    m_passphrase = new PassphrasePane(m_sides);
    for (QWidget *side : std::initializer_list<QWidget *>{m_pane, m_form, m_import, m_passphrase})
        m_sides->addWidget(side);
    m_splitter->setStretchFactor(0, 3);
    m_splitter->setStretchFactor(1, 2);
    m_stack->addWidget(m_splitter);
    m_stack->addWidget(m_message);
    column->addWidget(m_stack, 1);
    m_widget->installEventFilter(this);
    showSide(nullptr);
    connectSides();
    m_screen.start();
}

void VaultPage::connectSides()
{
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_shown.setFilterFixedString(text);
        takeSelection();
        showTroubles(); // or that none is like that
    });
    connect(m_list->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &VaultPage::takeSelection);
    connect(m_list, &QTreeView::activated, this, &VaultPage::takeSelection);
    for (const Pane *pane : std::initializer_list<const Pane *>{m_pane, m_form, m_passphrase})
        connect(pane, &Pane::dismissed, this, &VaultPage::closeSide);
    connect(m_import, &ImportPane::dismissed, this, &VaultPage::closeSide);
    connect(m_passphrase, &PassphrasePane::wanted, this, &VaultPage::takePassphrase);
    connect(m_passphrase, &PassphrasePane::newFileWanted, this, &VaultPage::beginNewFile);
    connect(m_pane, &SecretPane::revealWanted, this, [this](const QString &name) {
        withValue(name, [this, name](const SecretValue &value) { m_pane->reveal(name, value); });
    });
    connect(m_pane, &SecretPane::copyWanted, this, &VaultPage::copy);
    connect(m_pane, &SecretPane::changeWanted, this, &VaultPage::changeSecret);
    connect(m_pane, &SecretPane::removeWanted, this, &VaultPage::remove);
    connect(m_pane, &SecretPane::forgetWanted, this, &VaultPage::forget);
    connect(m_pane, &SecretPane::runsWanted, this,
            [this](const QString &name) { m_context.navigateTo(u"history"_s, {{u"secret"_s, name}}); });
    connect(m_form, &SecretForm::wanted, this, &VaultPage::save);
    connect(m_import, &ImportPane::wanted, this, &VaultPage::importAll);
}

bool VaultPage::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_widget && event->type() == QEvent::Resize)
        arrange();
    return Page::eventFilter(watched, event);
}

// Where there is no room for both, what is open is instead of the list.
void VaultPage::arrange()
{
    const bool beside = m_widget->width() >= m_context.theme().scaled(roomBeside);
    const bool open = m_sides->currentWidget() && !m_sides->isHidden();
    m_list->setVisible(beside || !open);
}

void VaultPage::showSide(QWidget *side)
{
    if (side)
        m_sides->setCurrentWidget(side);
    m_sides->setVisible(side != nullptr);
    m_stack->setCurrentWidget(side || m_shown.rowCount() > 0 ? static_cast<QWidget *>(m_splitter) : m_message);
    showBar();
    arrange();
}

void VaultPage::openSide(QWidget *side)
{
    m_under = nullptr;
    m_import->finish();
    m_passphrase->finish();
    showSide(side);
}

bool VaultPage::isFormUnsaved() const
{
    const bool open = m_sides && (m_sides->currentWidget() == m_form || m_under == m_form);
    return open && !m_sides->isHidden() && m_form->isTouched();
}

QString VaultPage::closingEnds() const
{
    return isFormUnsaved() ? tr("A secret on the vault's page isn't saved. Closing the window loses what you typed.")
                           : QString();
}

bool VaultPage::mayLeaveForm()
{
    if (!isFormUnsaved())
        return true;
    if (m_under == m_form)
        closeSide(); // to where it is said
    m_form->say(tr("This isn't saved yet. Save it or cancel it first."));
    return false;
}

void VaultPage::closeSide()
{
    if (m_sides->currentWidget() == m_passphrase && m_under) {
        m_passphrase->finish();
        showSide(std::exchange(m_under, nullptr));
        QWidget *last = m_sides->currentWidget()->focusWidget();
        (last ? last : m_sides->currentWidget())->setFocus();
        return;
    }
    m_form->finish();
    openSide(nullptr);
    if (m_stack->currentWidget() == m_message && m_message->mainButton())
        m_message->mainButton()->setFocus();
    else
        m_list->setFocus();
}

void VaultPage::letGo()
{
    if (!m_widget)
        return;
    for (HoldToShow *button : m_widget->findChildren<HoldToShow *>())
        button->letGo();
}

void VaultPage::activate()
{
    build();
    refresh();
    takeFocus();
    m_focusWanted = true; // what is there to do is known later
}

void VaultPage::takeFocus()
{
    if (m_stack->currentWidget() == m_message && m_message->mainButton())
        m_message->mainButton()->setFocus(Qt::ShortcutFocusReason);
    else if (m_sides->isHidden())
        m_list->setFocus(Qt::ShortcutFocusReason);
}

void VaultPage::deactivate()
{
    m_focusWanted = false;
    letGo();
}

void VaultPage::engineReady()
{
    if (m_list)
        refresh();
}

void VaultPage::engineClosing()
{
    m_closing.request_stop();
    if (!m_form)
        return;
    letGo();
    m_form->finish();
    m_import->finish();
    m_passphrase->finish();
}

QList<StatusItem> VaultPage::status() const
{
    if (!m_known)
        return {};
    QList<StatusItem> items;
    if (!m_error) // else nobody knows how many
        items.append({u"secrets"_s, tr("%Ln secret(s)", "", m_model->rowCount()), Colour::Dim, false, {}, {}});
    const auto chosen = std::ranges::find(m_places, true, &Place::chosen);
    if (chosen != m_places.end() && chosen->status.state == StoreState::Ready)
        items.append({u"vault-place"_s,
                      chosen->passphrase ? tr("In a file") : tr("In the keychain"),
                      Colour::Dim,
                      false,
                      {},
                      tr("New secrets go into %1").arg(placeWord(chosen->kind))});
    return items;
}

void VaultPage::navigate(const QJsonObject &request)
{
    build();
    m_unlockWanted = false;
    if (request.value(u"add"_s).toBool() && m_context.engine())
        addSecret();
    if (const QString name = request.value(u"secret"_s).toString(); !name.isEmpty()) {
        m_search->clear();
        m_wantedName = name;
        showName(name);
        takeSelection();
    }
    if (!request.value(u"unlock"_s).toBool())
        return;
    const auto locked =
        std::ranges::find_if(m_places, [](const Place &at) { return at.status.state == StoreState::Locked; });
    if (m_places.isEmpty())
        m_unlockWanted = true;
    else if (locked != m_places.end())
        locked->passphrase ? beginPassphrase() : askToUnlock(locked->kind);
}

QString VaultPage::selectedName() const
{
    const QModelIndex current = m_list ? m_shown.mapToSource(m_list->currentIndex()) : QModelIndex();
    return current.isValid() ? m_model->row(current.row()).info.name : QString();
}

void VaultPage::showName(const QString &name)
{
    const int row = m_model->rowOf(name);
    const QModelIndex index = row < 0 ? QModelIndex() : m_shown.mapFromSource(m_model->index(row, 0));
    m_list->setCurrentIndex(index);
    if (index.isValid() && m_sides->currentWidget() == m_pane)
        m_pane->setSecret(m_model->row(row));
}

void VaultPage::takeSelection()
{
    const QModelIndex current = m_shown.mapToSource(m_list->currentIndex());
    const bool busy = !m_sides->isHidden() && m_sides->currentWidget() != m_pane; // what is typed stays
    if (current.isValid()) {
        m_pane->setSecret(m_model->row(current.row()));
        if (!busy)
            showSide(m_pane);
    }
    m_context.actions().refresh();
}

} // namespace glovebox
