// SPDX-License-Identifier: Apache-2.0
#include "approvalsheet.h"

#include "answerbuttons.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"
#include "askedtext.h"
#include "wanttable.h"

#include <QApplication>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollArea>
#include <QScrollBar>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int sheetWidth = 880;
constexpr int mostQueued = 4;
constexpr int roomForNotes = 600;
constexpr int lookAgainMilliseconds = 3000; // while something can't be granted: the person may just be mending that

} // namespace

ApprovalSheet::ApprovalSheet(WorkbenchContext &context)
    : m_context(context)
{
    setNames(this, u"agents.approval"_s, tr("A run waits for your answer"));
    setFocusPolicy(Qt::StrongFocus);
    hide();
    addActions();
    auto *column = columnIn(this, Space::m, {Space::xl, Space::l, Space::xl, Space::l});
    column->addWidget(makeHead());
    m_origin = makeLabel({}, this, FontRole::Base, Colour::Dim);
    column->addWidget(m_origin);

    m_scroll = new QScrollArea(this);
    scrollDownOnly(m_scroll, Colour::Raised);
    setNames(m_scroll, u"agents.approval.what"_s, tr("Code of the run that waits, and what the run wants"));
    auto *body = new QWidget;
    setBackground(body, Colour::Raised);
    auto *parts = columnIn(body, Space::m);
    m_remark = makeLabel({}, body, FontRole::Base, Colour::Warn);
    m_remark->setObjectName(u"agents.approval.remark"_s);
    parts->addWidget(m_remark);
    m_text = new AskedText(m_context.theme(), body);
    connect(m_text, &AskedText::shownChanged, this, [this] {
        if (!m_isGone)
            showText(m_remark, m_text->sentences().join(u' '));
        arrange();
    });
    parts->addWidget(m_text);
    m_wants = new WantTable(m_context.theme(), body);
    parts->addWidget(m_wants);
    m_reach = makeLabel({}, body, FontRole::Small, Colour::Dim);
    m_reach->setObjectName(u"agents.approval.reach"_s);
    parts->addWidget(m_reach);
    parts->addWidget(makeLabel(
        tr("Escape denies, from anywhere in the window. %1 brings the keyboard here.")
            .arg(m_context.actions().action(u"agents.answer"_s)->shortcut().toString(QKeySequence::NativeText)),
        body, FontRole::Small, Colour::Dim));
    m_after = makeLabel({}, body, FontRole::Small, Colour::Dim);
    m_after->setObjectName(u"agents.approval.after"_s);
    parts->addWidget(m_after);
    parts->addStretch();
    m_scroll->setWidget(body);
    column->addWidget(m_scroll, 1);
    column->addWidget(makeRule(Qt::Horizontal, this));
    m_buttons = new AnswerButtons(m_context.actions(), this);
    column->addWidget(m_buttons);

    m_guard.setSingleShot(true);
    m_guard.setInterval(guardMilliseconds);
    connect(&m_guard, &QTimer::timeout, &context.actions(), &ActionRegistry::refresh);
    m_look.setSingleShot(true);
    m_look.setInterval(lookAgainMilliseconds);
    connect(&m_look, &QTimer::timeout, this, &ApprovalSheet::look);
    m_clock.setInterval(1000);
    connect(&m_clock, &QTimer::timeout, this, &ApprovalSheet::showTime);
    connect(&context.theme(), &Theme::changed, this, &ApprovalSheet::arrange);
}

void ApprovalSheet::addActions()
{
    ActionRegistry &actions = m_context.actions();
    const auto add = [&](const QString &verb, const QString &text, const QKeySequence &keys, bool isAllowed,
                         ApprovalScope scope, auto isOffered) {
        actions.add({.id = u"agents."_s + verb,
                     .text = text,
                     .shortcuts = keys.isEmpty() ? QList<QKeySequence>() : QList{keys},
                     .scope = verb == u"deny" ? this : nullptr,
                     .enabled = [this, isOffered] { return isAnswering() && isOffered(*current()); },
                     .inPalette = false},
                    [this, isAllowed, scope] { answer(isAllowed, scope); });
    };
    const auto always = [](const Inbox::Ask &) { return true; };
    const auto canBeAllowed = [this](const Inbox::Ask &ask) {
        return !ask.digest.isEmpty() && m_facts.obstacles.isEmpty();
    };
    add(u"deny"_s, tr("Deny"), QKeySequence(Qt::Key_Escape), false, ApprovalScope::Once, always);
    add(u"never"_s, tr("Never"), {}, false, ApprovalScope::Never, always);
    add(u"once"_s, tr("Allow once"), QKeySequence(Qt::ALT | Qt::Key_O), true, ApprovalScope::Once, canBeAllowed);
    add(u"session"_s, tr("Until it disconnects"), QKeySequence(Qt::ALT | Qt::Key_S), true, ApprovalScope::Session,
        [canBeAllowed](const Inbox::Ask &ask) {
            return canBeAllowed(ask) && !ask.request.caller.connection.isEmpty();
        });
    add(u"always"_s, tr("Always"), QKeySequence(Qt::ALT | Qt::Key_A), true, ApprovalScope::Always,
        [canBeAllowed](const Inbox::Ask &ask) { return canBeAllowed(ask) && !ask.request.caller.pairing.isEmpty(); });
    for (const auto &[id, text, key, by] :
         {std::tuple(u"agents.previous"_s, tr("The run that waits before"), Qt::Key_Left, -1),
          std::tuple(u"agents.next"_s, tr("The run that waits next"), Qt::Key_Right, 1)})
        actions.add({.id = id,
                     .text = text,
                     .shortcuts = {QKeySequence(Qt::ALT | key)},
                     .enabled = [this, by] { return isVisible() && place() + by >= 0 && place() + by < m_asks.size(); },
                     .inPalette = false},
                    [this, by] { step(by); });
    actions.add({.id = u"agents.answer"_s,
                 .text = tr("Answer what waits"),
                 .shortcuts = {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_A)},
                 .enabled = [this] { return !m_asks.isEmpty(); }},
                [this] { bringUp(); });
    actions.add({.id = u"agents.later"_s,
                 .text = tr("Answer later"),
                 .icon = Icon::Close,
                 .enabled = [this] { return isVisible(); },
                 .inPalette = false},
                [this] { putAside(); });
}

QWidget *ApprovalSheet::makeHead()
{
    auto *head = new QWidget(this);
    auto *row = rowIn(head, Space::s);
    m_title = makeLabel({}, head, FontRole::Title);
    m_title->setObjectName(u"agents.approval.title"_s);
    row->addWidget(m_title, 1);
    const Theme &theme = m_context.theme();
    const auto button = [&](Icon icon, const QString &id) {
        auto *made = makeIconButton(theme.icon(icon), u"agents.approval."_s + id,
                                    m_context.actions().action(u"agents."_s + id)->text(), head);
        connect(made, &QToolButton::clicked, this, [this, id] { m_context.actions().trigger(u"agents."_s + id); });
        row->addWidget(made);
        return made;
    };
    const bool isMirrored = QApplication::isRightToLeft();
    m_previous = button(isMirrored ? Icon::ChevronRight : Icon::ChevronLeft, u"previous"_s);
    m_number = makeLabel({}, head, FontRole::Base, Colour::Dim);
    m_number->setWordWrap(false);
    row->insertWidget(2, m_number);
    m_next = button(isMirrored ? Icon::ChevronLeft : Icon::ChevronRight, u"next"_s);
    button(Icon::Close, u"later"_s);
    return head;
}

void ApprovalSheet::setWindow(QWidget *window)
{
    if (m_window == window)
        return;
    m_window = window;
    setParent(window);
    window->installEventFilter(this);
    hide();
}

int ApprovalSheet::place() const
{
    const auto found = std::ranges::find_if(
        m_asks, [this](const Inbox::Ask &ask) { return ask.request.run == m_run && ask.digest == m_digest; });
    return found == m_asks.end() ? -1 : int(found - m_asks.begin());
}

const Inbox::Ask *ApprovalSheet::current() const
{
    const int at = place();
    return at < 0 ? nullptr : &m_asks[at];
}

bool ApprovalSheet::isAnswering() const
{
    return isVisible() && !m_isGone && !m_guard.isActive() && current() && window()->isActiveWindow();
}

void ApprovalSheet::setAsks(const QList<Inbox::Ask> &asks, const QHash<QString, QString> &names)
{
    m_asks = asks;
    m_names = names;
    if (!m_run.isEmpty() && place() < 0) {
        // Whoever looks at it is told; nothing else takes its place under their hand.
        if (isVisible()) {
            showGone();
            return;
        }
        m_run.clear();
    }
    if (m_run.isEmpty())
        show(m_asks.isEmpty() ? nullptr : &m_asks.first());
    else if (!m_isGone)
        showQueue();
    m_context.actions().refresh();
}

void ApprovalSheet::show(const Inbox::Ask *ask)
{
    m_isGone = false;
    if (!ask) {
        m_run.clear();
        m_digest.clear();
        m_isAside = false;
        m_clock.stop();
        const bool hadFocus = isAncestorOf(QApplication::focusWidget()) || hasFocus();
        hide();
        if (hadFocus && m_focusBefore)
            m_focusBefore->setFocus(Qt::OtherFocusReason);
        return;
    }
    m_run = ask->request.run;
    m_digest = ask->digest;
    const ApprovalRequest &request = ask->request;
    const QString client = m_names.value(request.caller.pairing);
    const QString origin = askOrigin(request.caller, client, movedHome(m_context.paths()));
    m_title->setText(breakable(askTitle(request, client)));
    m_reach->setText(reachWords(request));
    m_origin->setText(breakable(origin));
    m_facts = {};
    m_wants->setRows(rowsOf(request));
    m_text->setRequest(request);
    showQueue();
    m_scroll->verticalScrollBar()->setValue(0);
    m_buttons->setAlwaysVisible(!request.caller.pairing.isEmpty());
    setAccessibleDescription(askTitle(request, client) + u". "_s + origin);
    if (!m_isAside) {
        QFrame::show();
        raise();
    }
    m_clock.start();
    arrange();
    guard();
    look();
}

// The record and the vault are asked in the background; what comes late is of another ask.
void ApprovalSheet::look()
{
    const Inbox::Ask *ask = current();
    if (!ask || m_isGone)
        return;
    m_context.withEngine(
        this, [request = ask->request](Engine &engine) { return factsOf(engine, request); },
        [this, run = m_run, digest = m_digest](const AskFacts &facts) {
            const Inbox::Ask *shown = current();
            if (run != m_run || digest != m_digest || m_isGone || !shown)
                return;
            if (!facts.obstacles.isEmpty())
                m_look.start();
            if (facts == m_facts)
                return;
            if (facts.obstacles != m_facts.obstacles)
                m_wants->setRows(rowsOf(shown->request, facts.obstacles));
            m_facts = facts;
            m_text->setEarlier(facts.earlier);
            arrange();
            guard(); // rows and buttons moved
        });
}

void ApprovalSheet::showQueue()
{
    const int at = place();
    m_number->setText(tr("%1 of %2").arg(at + 1).arg(m_asks.size()));
    for (QWidget *widget :
         {static_cast<QWidget *>(m_number), static_cast<QWidget *>(m_previous), static_cast<QWidget *>(m_next)})
        widget->setVisible(m_asks.size() > 1);
    QStringList others;
    for (int i = 0; i < m_asks.size() && others.size() < mostQueued; ++i) {
        const ApprovalRequest &request = m_asks[i].request;
        if (i != at)
            others.append(breakable(
                tr("%1: %2").arg(askTitle(request, m_names.value(request.caller.pairing)), wantsInShort(request))));
    }
    const qsizetype more = m_asks.size() - 1 - others.size();
    if (more > 0)
        others.append(tr("and %1 more").arg(more));
    showText(m_after, others.isEmpty() ? QString() : tr("Also waiting:\n%1").arg(others.join(u'\n')));
    showTime();
}

void ApprovalSheet::showTime()
{
    const Inbox::Ask *ask = current();
    if (ask)
        m_buttons->setTime(
            tr("Denied by itself in %1")
                .arg(timeLeft(std::chrono::ceil<std::chrono::milliseconds>(ask->until - Inbox::Moment::clock::now()))));
}

void ApprovalSheet::showGone()
{
    m_isGone = true;
    m_title->setText(tr("This question no longer waits"));
    m_buttons->setTime(tr("Click here to go on"));
    showText(m_remark,
             tr("The agent withdrew or changed the request, or its time was over. Nothing of it was allowed here."));
    m_scroll->verticalScrollBar()->setValue(0);
    arrange();
    m_context.actions().refresh();
}

void ApprovalSheet::step(int by)
{
    const int at = place() + by;
    if (at >= 0 && at < m_asks.size())
        show(&m_asks[at]);
}

void ApprovalSheet::answer(bool isAllowed, ApprovalScope scope)
{
    const Inbox::Ask *ask = current();
    if (!isAnswering() || !ask)
        return;
    const QString run = ask->request.run;
    const QByteArray digest = ask->digest;
    const int at = place();
    m_run.clear(); // its going is no surprise
    Inbox &inbox = m_context.inbox();
    const Status answered = isAllowed ? inbox.allow(run, digest, scope) : inbox.deny(run, digest, scope);
    if (!answered) {
        m_run = run;
        showGone();
        return;
    }
    m_asks.removeAt(at);
    show(m_asks.isEmpty() ? nullptr : &m_asks[std::min<qsizetype>(at, m_asks.size() - 1)]);
    m_context.actions().refresh();
}

void ApprovalSheet::putAside()
{
    m_isAside = true;
    const bool hadFocus = isAncestorOf(QApplication::focusWidget()) || hasFocus();
    hide();
    if (m_isGone)
        m_run.clear();
    if (hadFocus && m_focusBefore)
        m_focusBefore->setFocus(Qt::OtherFocusReason);
    m_context.actions().refresh();
}

void ApprovalSheet::bringUp()
{
    if (m_asks.isEmpty())
        return;
    m_isAside = false;
    const Inbox::Ask *ask = current();
    show(ask ? ask : &m_asks.first());
    if (!isAncestorOf(QApplication::focusWidget()) && QApplication::focusWidget() != this)
        m_focusBefore = QApplication::focusWidget();
    setFocus(Qt::ShortcutFocusReason);
}

void ApprovalSheet::guard()
{
    m_guard.start();
    m_context.actions().refresh();
}

bool ApprovalSheet::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_window && event->type() == QEvent::Resize)
        arrange();
    // Who comes back to the window sees it first, then answers.
    if (watched == m_window && event->type() == QEvent::WindowActivate && isVisible())
        guard();
    return watched == m_window && event->type() == QEvent::KeyPress && takeEscape(*static_cast<QKeyEvent *>(event));
}

// The window gets only what nothing nearer to the focus took: a search bar closes, an editor has no use for it. Denying is safe, so
// the focus may be anywhere. A key that is held was meant for what had the focus before.
bool ApprovalSheet::takeEscape(const QKeyEvent &key)
{
    if (key.key() != Qt::Key_Escape || key.modifiers() != Qt::NoModifier || !isVisible())
        return false;
    if (key.isAutoRepeat())
        return true;
    if (m_isGone)
        goOn();
    else
        m_context.actions().trigger(u"agents.deny"_s);
    return true;
}

void ApprovalSheet::goOn()
{
    m_run.clear();
    show(m_asks.isEmpty() ? nullptr : &m_asks.first());
    m_context.actions().refresh();
}

void ApprovalSheet::mousePressEvent(QMouseEvent *event)
{
    event->accept(); // nothing behind the sheet gets it
    if (m_isGone)
        goOn();
}

void ApprovalSheet::keyPressEvent(QKeyEvent *event)
{
    if (m_isGone)
        return goOn();
    // Return, Space and letters mean nothing here, and nothing behind the sheet.
    if (event->key() == Qt::Key_Tab || event->key() == Qt::Key_Backtab)
        QFrame::keyPressEvent(event);
}

void ApprovalSheet::arrange()
{
    if (!m_window || !isVisible())
        return;
    const Theme &theme = m_context.theme();
    const int width = std::min(theme.scaled(sheetWidth), m_window->width() - 2 * Space::l);
    setFixedWidth(width);
    const int inner = width - 2 * Space::xl;
    m_wants->setNotesVisible(inner >= theme.scaled(roomForNotes));
    m_text->fit();
    m_buttons->fit(inner);
    const auto height = [](QLayout *layout, int forWidth) {
        layout->invalidate();
        return layout->hasHeightForWidth() ? layout->totalHeightForWidth(forWidth) : layout->totalSizeHint().height();
    };
    m_scroll->setFixedHeight(0);
    const int around = height(layout(), width);
    const int wanted = height(m_scroll->widget()->layout(), inner);
    const int room = m_window->height() - 2 * Space::l;
    // Where not everything is seen at once, what the run wants comes before its code.
    auto *parts = qobject_cast<QBoxLayout *>(m_scroll->widget()->layout());
    const int wantsAt = wanted > room - around ? 0 : 2;
    if (parts->indexOf(m_wants) != wantsAt) {
        parts->removeWidget(m_wants);
        parts->insertWidget(wantsAt, m_wants);
    }
    m_scroll->setFixedHeight(std::max(theme.scaled(60), std::min(wanted, room - around)));
    const int all = around + m_scroll->height();
    setGeometry((m_window->width() - width) / 2, std::max<int>(Space::s, (m_window->height() - all) / 3), width, all);
}

void ApprovalSheet::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_context.theme().colour(hasFocus() ? Colour::Accent : Colour::Line),
                        hasFocus() ? Space::focusRing : Space::line));
    painter.setBrush(m_context.theme().colour(Colour::Raised));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), Space::dialogRadius, Space::dialogRadius);
}

} // namespace glovebox
