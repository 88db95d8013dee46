// SPDX-License-Identifier: Apache-2.0
#include "frame.h"

#include "app/workbench/shell/look.h"
#include "commandpalette.h"
#include "messagepane.h"
#include "notearea.h"
#include "rail.h"
#include "statusbar.h"

#include "app/workbench/shell/shortcuts/shortcutstore.h"

#include <QApplication>
#include <QScreen>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

#include <algorithm>

namespace glovebox {
namespace {

constexpr QSize usualSize(1360, 860);
constexpr QSize smallestSize(640, 420);

// Where an area wants the keyboard first, if that is there now.
QWidget *firstStop(const QWidget *area)
{
    QWidget *stop = area->focusProxy();
    while (stop && stop->focusProxy())
        stop = stop->focusProxy();
    return stop && stop->isVisible() && stop->isEnabled() ? stop : nullptr;
}

} // namespace

Frame::Frame(WorkbenchContext &context, std::vector<std::unique_ptr<Page>> pages)
    : m_context(context)
    , m_pages(std::move(pages))
    , m_rail(new Rail(context, this))
    , m_banners(new NoteArea(context, NoteView::Kind::Banner, this))
    , m_stack(new QStackedWidget(this))
    , m_status(new StatusBar(context, this))
    , m_notes(new NoteArea(context, NoteView::Kind::Card, this))
    , m_palette(new CommandPalette(context, this))
    , m_shortcuts(new ShortcutStore(context, this))
{
    setObjectName(QStringLiteral("frame"));
    setAccessibleName(tr("Glovebox"));
    setBackground(this, Colour::Window);
    setWindowIcon(QIcon(QStringLiteral(":/glovebox/icons/io.github.glovebox.Workbench.svg")));
    m_stack->setObjectName(QStringLiteral("frame.pages"));
    setBackground(m_stack, Colour::Panel);

    auto *column = new QVBoxLayout;
    column->setSpacing(0);
    column->addWidget(m_banners);
    column->addWidget(m_stack, 1);
    column->addWidget(makeRule(Qt::Horizontal, this));
    column->addWidget(m_status);
    auto *row = rowIn(this, 0);
    row->addWidget(m_rail);
    row->addWidget(makeRule(Qt::Vertical, this));
    row->addLayout(column, 1);
    setMinimumSize(smallestSize);
    resize(usualSize.boundedTo(screen()->availableSize())); // what lies outside of the screen tells nobody anything

    addActions();
    int number = 0;
    for (const auto &page : m_pages)
        addPage(*page, ++number);
    addWords();
    context.actions().attachTo(this);

    connect(m_stack, &QStackedWidget::currentChanged, this, &Frame::updateStatus);
    connect(m_stack, &QStackedWidget::currentChanged, this, &Frame::placeNotes);
    connect(&context, &WorkbenchContext::navigationRequested, this, &Frame::showPage);
    connect(&context, &WorkbenchContext::engineChanged, this, &Frame::onEngineChanged);
    connect(&context, &WorkbenchContext::readinessChanged, this, &Frame::showEngineState);
    connect(m_notes, &NoteArea::sizeWanted, this, &Frame::placeNotes);
    connect(&context.theme(), &Theme::changed, this, [this] {
        m_context.actions().refresh();
        placeNotes();
        saveSoon();
    });
    m_saveTimer.setSingleShot(true);
    m_saveTimer.setInterval(1000);
    connect(&m_saveTimer, &QTimer::timeout, this, &Frame::saveLayout);

    if (const auto unavailable = context.stash().unavailable())
        context.notifications().setBanner({.id = QStringLiteral("stash"),
                                           .tone = Tone::Warn,
                                           .text = translated(unavailable->message),
                                           .detail = translated(unavailable->detail),
                                           .dismissible = true});
    showEngineState();
    if (!m_pages.empty())
        showPage(m_pages.front()->id());
}

Frame::~Frame()
{
    // Pages know the widgets that the stack owns, and the context's actions: they go first.
    m_current = nullptr;
    m_pages.clear();
}

void Frame::addActions()
{
    ActionRegistry &actions = m_context.actions();
    actions.add({.id = QStringLiteral("frame.palette"),
                 .text = tr("Find a command"),
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P)},
                 .icon = Icon::Search,
                 .inPalette = false},
                [this] { m_palette->open(); });
    actions.add({.id = QStringLiteral("frame.focus"),
                 .text = tr("Go to the next part of the window"),
                 .shortcuts = {QKeySequence(Qt::Key_F6)}},
                [this] { focusNextArea(); });
    actions.add({.id = QStringLiteral("frame.dismiss"),
                 .text = tr("Dismiss the newest note"),
                 .enabled = [this] { return !m_context.notifications().notes().isEmpty(); }},
                [this] { m_context.notifications().dismiss(m_context.notifications().notes().last().id); });
    actions.add({.id = QStringLiteral("frame.dismiss.all"),
                 .text = tr("Clear all notes"),
                 .enabled = [this] { return !m_context.notifications().notes().isEmpty(); }},
                [this] { m_context.notifications().clear(); });
    connect(&m_context.notifications(), &Notifications::changed, &actions, &ActionRegistry::refresh);
    addMenuActions();
    addThemeActions();
    actions.add({.id = QStringLiteral("frame.quit"),
                 .text = tr("Close Glovebox"),
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_Q)}},
                [this] { closeWindow(false); });
}

void Frame::addThemeActions()
{
    ActionRegistry &actions = m_context.actions();
    Theme &theme = m_context.theme();
    struct Choice
    {
        const char *id;
        QString text;
        SchemeChoice choice;
    };
    const Choice choices[] = {
        {"frame.theme.system", tr("Use the system's colours"), SchemeChoice::System},
        {"frame.theme.light", tr("Use light colours"), SchemeChoice::Light},
        {"frame.theme.dark", tr("Use dark colours"), SchemeChoice::Dark},
        {"frame.theme.contrast", tr("Use high contrast"), SchemeChoice::HighContrast},
    };
    for (const Choice &choice : choices)
        actions.add({.id = QString::fromLatin1(choice.id),
                     .text = choice.text,
                     .enabled = [&theme, wanted = choice.choice] { return theme.choice() != wanted; }},
                    [&theme, wanted = choice.choice] { theme.setChoice(wanted); });
    actions.add(
        {.id = QStringLiteral("frame.theme.switch"),
         .text = tr("Switch between light and dark"),
         .shortcuts = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L)}},
        [&theme] { theme.setChoice(theme.scheme() == Scheme::Light ? SchemeChoice::Dark : SchemeChoice::Light); });
    actions.add({.id = QStringLiteral("frame.zoom.in"),
                 .text = tr("Larger text"),
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_Equal), QKeySequence(Qt::CTRL | Qt::Key_Plus)}},
                [&theme] { theme.setTextScale(theme.textScale() * 1.1); });
    actions.add({.id = QStringLiteral("frame.zoom.out"),
                 .text = tr("Smaller text"),
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_Minus)}},
                [&theme] { theme.setTextScale(theme.textScale() / 1.1); });
    actions.add({.id = QStringLiteral("frame.zoom.reset"),
                 .text = tr("Text at its usual size"),
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_0)}},
                [&theme] { theme.setTextScale(1.0); });
}

void Frame::addPage(Page &page, int number)
{
    const QString id = page.id();
    QList<QKeySequence> keys;
    if (number <= 9)
        keys = {QKeySequence(int(Qt::CTRL) | (int(Qt::Key_0) + number))};
    QAction *go = m_context.actions().add({.id = QStringLiteral("frame.go.") + id,
                                           .text = tr("Go to %1").arg(page.title()),
                                           .shortcuts = keys,
                                           .icon = page.icon()},
                                          [this, id] { showPage(id); });
    m_rail->add(id, page.title(), page.icon(), go, page.isAtRailEnd());
    m_stack->addWidget(page.widget());
    connect(&page, &Page::statusChanged, this, [this, &page] {
        if (&page == m_current)
            updateStatus();
        saveSoon();
    });
    connect(&page, &Page::titleChanged, this, &Frame::updateTitle);
    connect(&page, &Page::waitingChanged, this, [this, &page] { m_rail->setWaiting(page.id(), page.waiting()); });
}

Page *Frame::page(const QString &id) const
{
    for (const auto &page : m_pages) {
        if (page->id() == id)
            return page.get();
    }
    return nullptr;
}

void Frame::showPage(const QString &id, const QJsonObject &request)
{
    Page *wanted = page(id);
    if (!wanted || m_closing)
        return;
    if (wanted != m_current) {
        if (m_current)
            m_current->deactivate();
        m_current = wanted;
        m_context.actions().setCurrentPage(id);
    }
    m_rail->setCurrent(id);
    m_stack->setCurrentWidget(wanted->widget());
    wanted->activate();
    if (!request.isEmpty())
        wanted->navigate(request);
    updateStatus();
    updateTitle();
    saveSoon();
}

void Frame::openFiles(const QStringList &paths)
{
    for (const auto &page : m_pages) {
        if (!paths.isEmpty() && page->openFiles(paths)) {
            showPage(page->id());
            return;
        }
    }
}

void Frame::updateStatus()
{
    const bool pageShown = m_current && m_stack->currentWidget() == m_current->widget();
    m_status->setItems(pageShown ? m_current->status() : QList<StatusItem>());
}

void Frame::updateTitle()
{
    // The window's name for task bars and screen readers: where you are, then what it is.
    setWindowTitle(m_current ? tr("%1 - Glovebox").arg(m_current->title()) : tr("Glovebox"));
}

void Frame::onEngineChanged()
{
    if (m_context.engine() && !m_engineSeen) {
        m_engineSeen = true;
        if (m_trouble) {
            const bool shown = m_stack->currentWidget() == m_trouble;
            m_stack->removeWidget(m_trouble);
            m_trouble->deleteLater();
            m_trouble.clear();
            if (shown && m_current)
                m_stack->setCurrentWidget(m_current->widget());
        }
        for (const auto &page : m_pages)
            page->engineReady();
    } else if (!m_context.engine() && m_engineSeen) {
        m_engineSeen = false;
        for (const auto &page : m_pages)
            page->engineClosing();
    } else if (const auto error = m_context.engineError()) {
        showTrouble(*error);
    }
    m_context.actions().refresh();
    showEngineState();
}

void Frame::showEngineState()
{
    if (const auto error = m_context.engineError())
        m_status->setEngineState(tr("Not ready"), Colour::Bad, translated(error->message));
    else if (!m_context.engine())
        m_status->setEngineState(tr("Starting"), Colour::Dim, tr("The engine is being opened."));
    else if (const Part *obstacle = m_context.readiness().obstacle({}))
        m_status->setEngineState(obstacle == &m_context.readiness().record ? tr("Read-only") : tr("Can't run"),
                                 Colour::Bad, translated(obstacle->why.message));
    else
        m_status->setEngineState(tr("Ready"), Colour::Ok, tr("The engine is open and runs are recorded."));
}

void Frame::showTrouble(const Error &error)
{
    if (!m_trouble) {
        m_trouble = new MessagePane(QStringLiteral("frame.trouble"), m_stack);
        m_stack->addWidget(m_trouble);
    }
    QStringList paragraphs{translated(error.message),
                           tr("Your texts and the log of earlier runs are untouched. You can go on editing.")};
    QList<MessagePane::Step> steps{{QStringLiteral("retry"), tr("Try again"), [this] { m_context.retryEngine(); }},
                                   {QStringLiteral("edit"), tr("Go on editing"), [this] {
                                        if (m_current) {
                                            m_stack->setCurrentWidget(m_current->widget());
                                            m_current->activate();
                                        }
                                    }}};
    const auto freshId = QStringLiteral("settings.fresh");
    if (QAction *fresh = m_context.actions().action(freshId); fresh && m_context.settingsError()) {
        paragraphs.append(freshSettingsSentence(m_context.paths().settingsFile()));
        steps.append(
            {QStringLiteral("fresh"), fresh->text(), [this, freshId] { m_context.actions().trigger(freshId); }});
    }
    m_trouble->show(tr("Glovebox can't run anything yet"), paragraphs, translated(error.detail), steps);
    m_stack->setCurrentWidget(m_trouble);
}

// As they are read: the rail, what stands above the page, the page or its parts, and what lies below.
QList<QWidget *> Frame::areas() const
{
    QList<QWidget *> parts;
    if (m_current && m_stack->currentWidget() == m_current->widget())
        parts = m_current->areas();
    if (parts.isEmpty())
        parts.append(m_stack->currentWidget());
    return QList<QWidget *>{m_rail, m_banners} + parts + QList<QWidget *>{m_notes, m_status};
}

// Qt goes through widgets in the order in which they were made, and tabs, notes and rail buttons come and go.
bool Frame::focusNextPrevChild(bool next)
{
    const QList<QWidget *> parts = areas();
    std::vector<QList<QWidget *>> inPart(size_t(parts.size()));
    for (QWidget *widget = nextInFocusChain(); widget != this; widget = widget->nextInFocusChain()) {
        const auto part = std::ranges::find_if(
            parts, [widget](const QWidget *area) { return area && (area == widget || area->isAncestorOf(widget)); });
        if (part != parts.end())
            inPart[size_t(part - parts.begin())].append(widget);
    }
    QList<QWidget *> all;
    for (const QList<QWidget *> &widgets : inPart)
        all += widgets;
    const auto isStop = [](const QWidget *widget) {
        return (widget->focusPolicy() & Qt::TabFocus) && widget->isVisible() && widget->isEnabled()
               && !widget->focusProxy() && !qobject_cast<QTabBar *>(widget->parentWidget());
    };
    const qsizetype count = all.size();
    const qsizetype from = all.indexOf(QApplication::focusWidget());
    if (from < 0)
        return QWidget::focusNextPrevChild(next);
    for (qsizetype step = 1; step < count; ++step) {
        QWidget *widget = all.at((from + (next ? step : count - step)) % count);
        if (isStop(widget)) {
            widget->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
            return true;
        }
    }
    return false;
}

void Frame::focusNextArea()
{
    const QList<QWidget *> areas = this->areas();
    const QWidget *focus = QApplication::focusWidget();
    qsizetype now = -1;
    for (qsizetype i = 0; i < areas.size(); ++i) {
        if (areas.at(i) && focus && (areas.at(i) == focus || areas.at(i)->isAncestorOf(focus)))
            now = i;
    }
    for (qsizetype step = 1; step <= areas.size(); ++step) {
        QWidget *area = areas.at((now + step) % areas.size());
        if (!area || !area->isVisible())
            continue;
        if (area == m_stack->currentWidget() && m_current && area == m_current->widget()) {
            m_current->activate();
            if (area->isAncestorOf(QApplication::focusWidget()))
                return;
        }
        if (area == m_rail && m_rail->currentButton()) {
            m_rail->currentButton()->setFocus(Qt::TabFocusReason);
            return;
        }
        if (QWidget *first = firstStop(area)) {
            first->setFocus(Qt::TabFocusReason);
            return;
        }
        QList<QWidget *> within = area->findChildren<QWidget *>();
        within.append(area); // a list has nothing in it that takes the keyboard
        for (QWidget *widget : std::as_const(within)) {
            if (widget->isVisible() && widget->isEnabled() && (widget->focusPolicy() & Qt::TabFocus)) {
                widget->setFocus(Qt::TabFocusReason);
                return;
            }
        }
    }
}

void Frame::placeNotes()
{
    m_notes->place(m_stack->geometry());
    if (m_palette->isVisible())
        m_palette->raise();
}

void Frame::resizeEvent(QResizeEvent *)
{
    placeNotes();
    saveSoon();
}

void Frame::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::LayoutDirectionChange)
        placeNotes();
    // Whatever was in the way may have been mended in another window.
    if (event->type() == QEvent::ActivationChange && isActiveWindow() && m_context.readiness().hasObstacles())
        m_context.lookAgain();
    QWidget::changeEvent(event);
}

} // namespace glovebox
