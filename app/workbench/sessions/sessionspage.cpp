// SPDX-License-Identifier: Apache-2.0
#include "sessionspage.h"

#include "form/sessionform.h"
#include "list/sessioncells.h"
#include "rowmenu.h"
#include "sessionpane.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/frame/messagepane.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/sessionwords.h"

#include <QDateTime>
#include <QEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QSplitter>
#include <QStackedWidget>
#include <QTreeView>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int roomBesideList = 1000; // px, at the usual size of text
constexpr int listWidth = 424;
constexpr int diskWidth = 172; // "1,023 bytes of 256 MB"
constexpr int lastUseWidth = 104;
constexpr int refreshEvery = 2000; // ms
constexpr qint64 soon = 5LL * 24 * 3600 * 1'000'000; // until a session expires; microseconds

} // namespace

SessionsPage::SessionsPage(WorkbenchContext &context)
    : m_context(context)
    , m_deeds(context, this)
{
    addActions();
    m_refresh.setInterval(refreshEvery);
    connect(&m_refresh, &QTimer::timeout, this, &SessionsPage::read);
    connect(&m_deeds, &SessionDeeds::changed, this, &SessionsPage::read);
    connect(&m_deeds, &SessionDeeds::doingChanged, this, &SessionsPage::statusChanged);
}

SessionsPage::~SessionsPage() = default;

QWidget *SessionsPage::widget()
{
    if (!m_widget) {
        m_widget = new QWidget;
        m_widget->setObjectName(u"sessions"_s);
        setBackground(m_widget, Colour::Panel);
    }
    return m_widget;
}

void SessionsPage::build()
{
    if (m_list)
        return;
    widget();
    Theme &theme = m_context.theme();
    auto *column = columnIn(m_widget, 0);
    m_head = makeHead();
    column->addWidget(m_head);
    column->addWidget(makeRule(Qt::Horizontal, m_widget));
    m_stack = new QStackedWidget(m_widget);
    m_message = new MessagePane(u"sessions.message"_s, m_stack);
    m_splitter = new QSplitter(Qt::Horizontal, m_stack);
    m_splitter->setChildrenCollapsible(false);
    m_left = new QWidget(m_splitter);
    auto *left = columnIn(m_left, 0);
    m_list = new QTreeView(m_left);
    m_model = std::make_unique<SessionsModel>(theme);
    m_filtered.setSourceModel(m_model.get());
    m_filtered.setFilterKeyColumn(-1);
    m_filtered.setFilterCaseSensitivity(Qt::CaseInsensitive);
    showRows(m_list, &m_filtered);
    m_list->setItemDelegate(new SessionCells(theme, m_list));
    m_list->setAllColumnsShowFocus(true);
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(SessionsModel::Name, QHeaderView::Stretch);
    m_list->header()->setMinimumSectionSize(1);
    takeTextSize();
    connect(&theme, &Theme::changed, this, &SessionsPage::takeTextSize);
    setNames(m_list, u"sessions.list"_s, tr("Sessions"));
    m_list->installEventFilter(this);
    offerMenu(m_list, m_context.actions(), {u"run"_s, u"fork"_s, u""_s, u"remove"_s});
    left->addWidget(m_list, 1);
    m_foot = makeLabel({}, m_left, FontRole::Small, Colour::Dim);
    m_foot->setObjectName(u"sessions.foot"_s);
    m_foot->setContentsMargins(Space::l, Space::s, Space::l, Space::s);
    left->addWidget(m_foot);
    m_sides = new QStackedWidget(m_splitter);
    m_pane = new SessionPane(m_context, m_deeds, m_sides);
    m_form = new SessionForm(m_sides);
    m_sides->addWidget(m_pane);
    m_sides->addWidget(m_form);
    m_splitter->setStretchFactor(0, 0);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({theme.scaled(listWidth), theme.scaled(2 * listWidth)});
    m_stack->addWidget(m_splitter);
    m_stack->addWidget(m_message);
    column->addWidget(m_stack, 1);
    m_widget->installEventFilter(this);
    showSide(nullptr);

    connect(m_search, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_filtered.setFilterFixedString(text);
        takeSelection();
        showList(); // or that none is like that
    });
    connect(m_list->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &SessionsPage::takeSelection);
    connect(m_list, &QTreeView::clicked, this, [this] { showSide(m_pane); });
    connect(m_list, &QTreeView::activated, this, [this] {
        showSide(m_pane);
        m_pane->files().view()->setFocus();
    });
    connect(m_pane, &SessionPane::dismissed, this, &SessionsPage::closeSide);
    connect(m_form, &SessionForm::dismissed, this, &SessionsPage::closeSide);
    connect(m_form, &SessionForm::wanted, this, &SessionsPage::create);
    const auto refreshActions = [this] { m_context.actions().refresh(); };
    connect(&m_pane->files(), &FilesPanel::stateChanged, this, refreshActions);
    connect(&m_pane->snapshots(), &SnapshotsPanel::stateChanged, this, refreshActions);
    connect(&m_pane->packages(), &PackagesPanel::stateChanged, this, refreshActions);
}

void SessionsPage::takeTextSize()
{
    const Theme &theme = m_context.theme();
    for (const auto &[column, width] :
         {std::pair(SessionsModel::Disk, diskWidth), {SessionsModel::LastUse, lastUseWidth}}) {
        m_list->header()->setSectionResizeMode(column, QHeaderView::Fixed);
        m_list->header()->resizeSection(column, theme.scaled(width));
    }
}

bool SessionsPage::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_widget && event->type() == QEvent::Resize)
        arrange();
    if (watched == m_list && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Delete)
            return m_context.actions().trigger(u"sessions.remove"_s);
        if (key == Qt::Key_Escape && !m_sides->isHidden()) {
            closeSide();
            return true;
        }
    }
    return Page::eventFilter(watched, event);
}

bool SessionsPage::isBeside() const
{
    return m_widget->width() >= m_context.theme().scaled(roomBesideList);
}

// Where there is no room for both, what is open is instead of the list.
void SessionsPage::arrange()
{
    m_left->setVisible(isBeside() || m_sides->isHidden());
}

void SessionsPage::showSide(QWidget *side)
{
    if (side)
        m_sides->setCurrentWidget(side);
    m_sides->setVisible(side != nullptr);
    m_stack->setCurrentWidget(side || m_filtered.rowCount() > 0 ? static_cast<QWidget *>(m_splitter) : m_message);
    arrange();
    m_context.actions().refresh();
}

bool SessionsPage::isFormOpen() const
{
    return m_form && !m_sides->isHidden() && m_sides->currentWidget() == m_form;
}

void SessionsPage::closeSide()
{
    m_isForBench = m_isForBench && m_sides->currentWidget() != m_form;
    const bool wasForm = m_sides->currentWidget() == m_form;
    m_sides->setCurrentWidget(m_pane);
    showSide(wasForm && selected() && isBeside() ? m_pane : nullptr);
    if (m_stack->currentWidget() == m_message && m_message->mainButton())
        m_message->mainButton()->setFocus();
    else
        m_list->setFocus();
}

QList<QWidget *> SessionsPage::areas() const
{
    if (!m_list || m_stack->currentWidget() == m_message)
        return {};
    QList<QWidget *> areas{m_head, m_list};
    if (!m_sides->isHidden())
        areas += m_sides->currentWidget() == m_pane ? m_pane->areas() : QList<QWidget *>{m_form};
    areas.removeIf([](const QWidget *area) { return !area->isVisible(); });
    return areas;
}

void SessionsPage::activate()
{
    build();
    read();
    m_refresh.start();
    takeFocus();
    m_focusBefore = m_widget->window()->focusWidget();
    m_isFocusWanted = true; // what is there to do is known later
}

void SessionsPage::takeFocus()
{
    if (m_stack->currentWidget() == m_message && m_message->mainButton())
        m_message->mainButton()->setFocus(Qt::ShortcutFocusReason);
    else if (m_left->isVisible())
        m_list->setFocus(Qt::ShortcutFocusReason);
}

void SessionsPage::deactivate()
{
    m_isFocusWanted = false;
    m_refresh.stop();
}

void SessionsPage::engineReady()
{
    if (m_list)
        read();
}

void SessionsPage::read()
{
    if (!m_list)
        return;
    if (m_isReading) {
        m_readsAgain = true;
        return;
    }
    if (!m_context.engine())
        return;
    m_isReading = true;
    m_context.withEngine(this, readSessions, [this](const SessionStock &stock) {
        m_isReading = false;
        take(stock);
        if (std::exchange(m_readsAgain, false))
            read();
    });
}

void SessionsPage::take(const SessionStock &stock)
{
    const QString current = !m_wanted.isEmpty() ? m_wanted : selected() ? selected()->session.id : QString();
    m_isKnown = true;
    m_error = stock.error;
    m_model->setSessions(stock.sessions);
    int row = m_model->rowOf(current);
    if (current.isEmpty() && isBeside() && m_model->rowCount() > 0 && m_search->text().isEmpty())
        row = 0;
    if (row >= 0)
        m_list->setCurrentIndex(m_filtered.mapFromSource(m_model->index(row, 0)));
    takeSelection();
    showList();
    if (row >= 0 && current == m_wanted)
        takeWanted();
    const QWidget *focused = m_widget->window()->focusWidget();
    if (std::exchange(m_isFocusWanted, false) && (!focused || focused == m_focusBefore || !focused->isVisible()))
        takeFocus();
}

// What navigate() asked for is in the list now.
void SessionsPage::takeWanted()
{
    m_wanted.clear();
    const QString run = std::exchange(m_undoWanted, {});
    const auto packages = std::exchange(m_installWanted, {});
    if (isFormOpen() && m_form->isTouched())
        return m_form->say(tr("This session isn't made yet. Create it or cancel first."));
    showSide(m_pane);
    if (!run.isEmpty())
        m_pane->snapshots().askToUndo(run);
    else if (packages)
        m_pane->packages().askToInstall(packages->first, packages->second);
    else
        m_list->setFocus();
}

void SessionsPage::showList()
{
    const bool isEmpty = m_model->rowCount() == 0;
    if (m_error)
        m_message->show(tr("The sessions can't be read"), {withHiddenShown(translated(m_error->message))}, {},
                        {{u"again"_s, tr("Try again"), [this] { read(); }}});
    else if (isEmpty)
        m_message->show(tr("No sessions yet"),
                        {tr("A session keeps files from run to run; all else is as sealed as ever."),
                         tr("Each change leaves a snapshot, so that you can go back.")},
                        {},
                        {{u"add"_s, tr("New session"), [this] { m_context.actions().trigger(u"sessions.add"_s); }}});
    else
        m_message->show(tr("No matching sessions"), {}, {}, {{u"all"_s, tr("Show all sessions"), [this] {
                                                                  m_search->clear();
                                                                  m_list->setFocus();
                                                              }}});
    QStringList expiring;
    const qint64 now = QDateTime::currentMSecsSinceEpoch() * 1000;
    for (const ShownSession &shown : m_model->rows()) {
        if (const qint64 expiry = expiryOf(shown.session); expiry > 0 && !shown.damage && expiry - now < soon)
            expiring.append(sessionName(shown.session));
    }
    showText(m_foot,
             expiring.isEmpty() ? QString() : tr("Deleted within 5 days unless used: %1").arg(expiring.join(tr(", "))));
    QWidget *side = m_sides->isHidden() ? nullptr : m_sides->currentWidget();
    showSide(side == m_pane && !selected() ? nullptr : side);
    m_context.actions().refresh();
    Q_EMIT statusChanged();
}

const ShownSession *SessionsPage::selected() const
{
    const QModelIndex current = m_list ? m_filtered.mapToSource(m_list->currentIndex()) : QModelIndex();
    return current.isValid() ? &m_model->row(current.row()) : nullptr;
}

void SessionsPage::takeSelection()
{
    const ShownSession *shown = selected();
    if (shown) {
        const bool isOther = shown->session.id != m_pane->shown().session.id;
        m_pane->setSession(*shown);
        if (!isFormOpen() && isBeside() && isOther)
            showSide(m_pane);
    }
    m_context.actions().refresh();
}

QList<StatusItem> SessionsPage::status() const
{
    if (!m_isKnown)
        return {};
    QList<StatusItem> items;
    qint64 stored = 0;
    bool areShared = false; // some count more than once
    for (const ShownSession &shown : m_model->rows()) {
        stored += shown.session.storedBytes;
        areShared = areShared || shown.isShared;
    }
    if (!m_error) // else nobody knows how many there are
        items.append({u"sessions"_s, tr("%Ln session(s)", "", m_model->rowCount()), Colour::Dim, false, {}, {}});
    if (m_model->rowCount() > 0)
        items.append({u"sessions-disk"_s,
                      (areShared ? tr("at most %1 on this machine") : tr("%1 on this machine")).arg(sizeWord(stored)),
                      Colour::Dim,
                      false,
                      {},
                      {}});
    if (!m_deeds.doing().isEmpty())
        items.append({u"sessions-doing"_s, m_deeds.doing(), Colour::Accent, false, {}, {}});
    return items;
}

QString SessionsPage::closingEnds() const
{
    QStringList ends;
    if (const QString name = m_pane ? m_pane->packages().installsInto() : QString(); !name.isEmpty())
        ends
            << tr("Packages are being installed into session %1; closing cancels that, and the session stays as it is.")
                   .arg(name);
    if (!m_deeds.doing().isEmpty())
        ends << tr("%1: Glovebox ends that before it goes, without a window.", "what goes on").arg(m_deeds.doing());
    return ends.join(u'\n');
}

void SessionsPage::navigate(const QJsonObject &request)
{
    build();
    m_installWanted.reset();
    if (request.contains(u"install"_s))
        m_installWanted = {request.value(u"language"_s).toString(), request.value(u"install"_s).toString()};
    if (request.value(u"add"_s).toBool() && m_context.engine()) {
        beginForm();
        m_isForBench = !m_installWanted;
        return;
    }
    const QString session = request.value(u"session"_s).toString();
    if (session.isEmpty())
        return;
    m_search->clear();
    m_wanted = session;
    m_undoWanted = request.value(u"undo"_s).toString();
    read();
}

} // namespace glovebox
