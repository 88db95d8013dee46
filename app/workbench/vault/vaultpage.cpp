// SPDX-License-Identifier: Apache-2.0
#include "vaultpage.h"

#include "importpane.h"
#include "secretpane.h"
#include "secretsmodel.h"

#include "app/workbench/shell/frame/messagepane.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/look/paddedcells.h"

#include <QEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>

namespace glovebox {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

constexpr int roomBeside = 900; // at the usual size of text
constexpr auto checkPatience = 10s;

} // namespace

struct VaultPage::Stock
{
    StoreStatus store;
    std::optional<Error> error; // the index can't be read
    QList<ShownSecret> secrets;
};

VaultPage::VaultPage(WorkbenchContext &context)
    : m_context(context)
{
    addActions();
    connect(&m_clipboard, &SecretClipboard::cleared, this, [this] {
        m_context.notifications().show(
            {.id = u"vault-copied"_s, .tone = Tone::Ok, .text = tr("The clipboard is empty again.")});
    });
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
                                 .page = id(),
                                 .scope = {},
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
    add(u"refresh"_s, tr("Look at the vault again"), {QKeySequence(Qt::Key_F5)}, Icon::Refresh, open,
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
    auto *row = new QHBoxLayout(head);
    row->setContentsMargins(Space::l, Space::s, Space::l, Space::s);
    row->setSpacing(Space::s);
    m_search = new QLineEdit(head);
    m_search->setPlaceholderText(tr("Find a secret"));
    m_search->addAction(m_context.theme().icon(Icon::Search, Colour::Dim), QLineEdit::LeadingPosition);
    m_search->setClearButtonEnabled(true);
    setNames(m_search, u"vault.search"_s, tr("Show secrets that contain"));
    row->addWidget(m_search, 1);
    for (const auto &[name, text, look] :
         {std::tuple(u"add"_s, tr("Add"), ButtonLook::Primary), {u"import"_s, tr("Import…"), ButtonLook::Normal}}) {
        auto *button = new QPushButton(text, head);
        setLook(button, look);
        button->setAutoDefault(false);
        QAction *action = m_context.actions().action(u"vault."_s + name);
        setNames(button, u"vault.%1-button"_s.arg(name), action->text(), ActionRegistry::toolTip(action));
        button->setEnabled(action->isEnabled());
        connect(action, &QAction::enabledChanged, button, &QPushButton::setEnabled);
        connect(button, &QPushButton::clicked, action, &QAction::trigger);
        row->addWidget(button);
    }
    return head;
}

void VaultPage::build()
{
    if (m_list)
        return;
    widget();
    Theme &theme = m_context.theme();
    auto *column = new QVBoxLayout(m_widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHead());
    auto *notice = new QHBoxLayout;
    notice->setContentsMargins(Space::l, 0, Space::l, 0);
    m_notice = makeLabel({}, m_widget, FontRole::Base, Colour::Warn);
    m_notice->setObjectName(u"vault.notice"_s);
    m_again = new QPushButton(tr("Try again"), m_widget);
    setLook(m_again, ButtonLook::Link);
    m_again->setAutoDefault(false);
    setNames(m_again, u"vault.again"_s, tr("Look at the vault again"));
    notice->addWidget(m_notice, 1);
    notice->addWidget(m_again);
    column->addLayout(notice);
    column->addWidget(makeRule(Qt::Horizontal, m_widget));
    m_stack = new QStackedWidget(m_widget);
    m_message = new MessagePane(u"vault.message"_s, m_stack);
    m_splitter = new QSplitter(Qt::Horizontal, m_stack);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(1);
    m_list = new QTreeView(m_splitter);
    m_model = std::make_unique<SecretsModel>(theme);
    m_shown.setSourceModel(m_model.get());
    m_shown.setFilterKeyColumn(-1);
    m_shown.setFilterCaseSensitivity(Qt::CaseInsensitive);
    showRows(m_list, &m_shown);
    m_list->setAllColumnsShowFocus(true);
    setNames(m_list, u"vault.list"_s, tr("Secrets"));
    m_sides = new QStackedWidget(m_splitter);
    m_pane = new SecretPane(theme, m_sides);
    QList<std::pair<QString, QString>> languages;
    if (Engine *engine = m_context.engine()) {
        for (const auto &language : engine->languages().all())
            languages.append({language->id(), language->name()});
    }
    m_form = new SecretForm(languages, m_sides);
    m_import = new ImportPane(m_sides);
    for (QWidget *side : std::initializer_list<QWidget *>{m_pane, m_form, m_import})
        m_sides->addWidget(side);
    m_splitter->setStretchFactor(0, 3);
    m_splitter->setStretchFactor(1, 2);
    m_stack->addWidget(m_splitter);
    m_stack->addWidget(m_message);
    column->addWidget(m_stack, 1);
    m_widget->installEventFilter(this);
    showSide(nullptr);

    connect(m_search, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_shown.setFilterFixedString(text);
        takeSelection();
    });
    connect(m_again, &QPushButton::clicked, this, &VaultPage::refresh);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &VaultPage::takeSelection);
    connect(m_list, &QTreeView::activated, this, &VaultPage::takeSelection);
    const auto closeSide = [this] {
        m_form->finish();
        m_import->finish();
        showSide(nullptr);
        m_list->setFocus();
    };
    connect(m_pane, &SecretPane::dismissed, this, closeSide);
    connect(m_form, &SecretForm::dismissed, this, closeSide);
    connect(m_import, &ImportPane::dismissed, this, closeSide);
    connect(m_pane, &SecretPane::revealWanted, this, [this](const QString &name) {
        withValue(name, [this, name](const SecretValue &value) { m_pane->reveal(name, value); });
    });
    connect(m_pane, &SecretPane::copyWanted, this, [this](const QString &name) {
        withValue(name, [this, name](const SecretValue &value) {
            m_clipboard.copy(value);
            m_context.notifications().show(
                {.id = u"vault-copied"_s,
                 .tone = Tone::Ok,
                 .text = SecretClipboard::mayHaveToWait()
                             ? tr("%1 is on the clipboard for 15 s, or until this window is in front again.").arg(name)
                             : tr("%1 is on the clipboard for 15 s.").arg(name)});
        });
    });
    connect(m_pane, &SecretPane::changeWanted, this, &VaultPage::changeSecret);
    connect(m_pane, &SecretPane::removeWanted, this, &VaultPage::remove);
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
    m_stack->setCurrentWidget(side || m_model->rowCount() > 0 ? static_cast<QWidget *>(m_splitter) : m_message);
    arrange();
}

void VaultPage::activate()
{
    build();
    refresh();
    if (m_stack->currentWidget() == m_message && m_message->mainButton())
        m_message->mainButton()->setFocus(Qt::ShortcutFocusReason);
    else if (m_sides->isHidden())
        m_list->setFocus(Qt::ShortcutFocusReason);
}

void VaultPage::deactivate()
{
    if (m_pane)
        m_pane->hideValue();
}

void VaultPage::engineReady()
{
    if (m_list)
        refresh();
}

void VaultPage::engineClosing()
{
    if (m_form)
        m_form->finish();
    if (m_import)
        m_import->finish();
}

QList<StatusItem> VaultPage::status() const
{
    if (!m_known)
        return {};
    return {{u"secrets"_s, tr("%n secret(s)", "", m_model->rowCount()), Colour::Dim, false, {}, {}}};
}

// --- reading

void VaultPage::refresh()
{
    Engine *engine = m_context.engine();
    if (!engine || !m_list)
        return;
    m_again->setEnabled(false);
    inBackground(
        m_context.pool(), this,
        [&vault = engine->vault()] {
            const Patience patience = Patience::of(checkPatience);
            Stock stock{.store = vault.store().status(patience), .error = {}, .secrets = {}};
            const auto all = vault.list();
            if (!all) {
                stock.error = all.error();
                return stock;
            }
            for (const SecretInfo &info : *all)
                stock.secrets.append({.info = info});
            if (stock.store.state != StoreState::Ready || all->isEmpty())
                return stock;
            if (const auto report = vault.check(patience)) {
                for (ShownSecret &shown : stock.secrets) {
                    for (const SecretCheck &check : report->secrets)
                        shown.state = check.name == shown.info.name ? check.state : shown.state;
                }
            }
            return stock;
        },
        [this](const Stock &stock) { take(stock); });
}

void VaultPage::take(const Stock &stock)
{
    m_known = true;
    m_again->setEnabled(true);
    const QString selected = m_wantedName.isEmpty() ? selectedName() : std::exchange(m_wantedName, {});
    m_model->setSecrets(stock.secrets);
    m_state = stock.store.state;
    QString notice = stock.error ? translated(stock.error->message) : QString();
    if (!stock.error && m_state != StoreState::Ready)
        notice = (translated(stock.store.reason) + u' ' + translated(stock.store.remedy)).trimmed();
    m_notice->setText(notice);
    m_notice->setVisible(!notice.isEmpty());
    m_again->setVisible(!notice.isEmpty());
    if (m_model->rowCount() == 0)
        m_message->show(tr("No secrets yet"),
                        {tr("Keep keys and passwords here, and lend one to a single run. It stands in no file and no "
                            "command line, and "
                            "is taken out of whatever the run prints."),
                         tr("Code that has both a secret and a network can give the secret away; lend it to what you "
                            "trust that far.")},
                        {}, {{u"add"_s, tr("Add a secret"), [this] { addSecret(); }}});
    for (int column = 0; column < SecretsModel::columns; ++column)
        m_list->resizeColumnToContents(column);
    if (!selected.isEmpty())
        showName(selected);
    const QWidget *side = m_sides->isHidden() ? nullptr : m_sides->currentWidget();
    showSide(side == m_pane && selectedName().isEmpty() ? nullptr
             : m_sides->isHidden()                      ? nullptr
                                                        : m_sides->currentWidget());
    m_context.actions().refresh();
    Q_EMIT statusChanged();
}

QString VaultPage::selectedName() const
{
    const QModelIndex current = m_list ? m_shown.mapToSource(m_list->currentIndex()) : QModelIndex();
    return current.isValid() ? m_model->secret(current.row()).info.name : QString();
}

void VaultPage::showName(const QString &name)
{
    const int row = m_model->rowOf(name);
    const QModelIndex index = row < 0 ? QModelIndex() : m_shown.mapFromSource(m_model->index(row, 0));
    m_list->setCurrentIndex(index);
    if (index.isValid() && m_sides->currentWidget() == m_pane)
        m_pane->setSecret(m_model->secret(row));
}

void VaultPage::takeSelection()
{
    const QModelIndex current = m_shown.mapToSource(m_list->currentIndex());
    const bool busy = !m_sides->isHidden() && m_sides->currentWidget() != m_pane; // what is typed stays
    if (current.isValid()) {
        m_pane->setSecret(m_model->secret(current.row()));
        if (!busy)
            showSide(m_pane);
    }
    m_context.actions().refresh();
}

} // namespace glovebox
