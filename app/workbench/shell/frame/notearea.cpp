// SPDX-License-Identifier: Apache-2.0
#include "notearea.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <chrono>
#include <tuple>

namespace glovebox {
namespace {

using namespace std::chrono_literals;

constexpr int cardWidth = 440;
constexpr auto betweenWays = 200ms; // at what came below the notes

// What somebody may press or type into next. Lists and text are no controls: they can be scrolled.
bool isControl(const QWidget *widget)
{
    return widget->isEnabled()
           && (qobject_cast<const QAbstractButton *>(widget) || qobject_cast<const QLineEdit *>(widget)
               || qobject_cast<const QComboBox *>(widget) || qobject_cast<const QAbstractSpinBox *>(widget)
               || qobject_cast<const QTabBar *>(widget));
}

// What can be seen of it, in the coordinates of the window.
QRect seenOf(const QWidget *widget)
{
    QRect seen(widget->mapTo(widget->window(), QPoint()), widget->size());
    for (const QWidget *each = widget->parentWidget(); each; each = each->isWindow() ? nullptr : each->parentWidget())
        seen &= QRect(each->mapTo(each->window(), QPoint()), each->size());
    return seen;
}

qint64 covered(const QRect &place, const QList<QRect> &controls)
{
    qint64 pixels = 0;
    for (const QRect &control : controls) {
        const QRect both = place & control;
        pixels += qint64(both.width()) * both.height();
    }
    return pixels;
}

// Views stay as long as their note says the same; the others go when the button that was pressed has returned.
QList<const Note *> exchange(QHash<QString, NoteView *> &views, const QList<Note> &notes)
{
    QStringList wanted;
    QList<const Note *> missing;
    for (const Note &note : notes) {
        wanted.append(note.id + QLatin1Char('\n') + note.text);
        if (!views.contains(wanted.last()))
            missing.append(&note);
    }
    for (auto it = views.begin(); it != views.end();) {
        if (wanted.contains(it.key())) {
            ++it;
            continue;
        }
        it.value()->hide();
        it.value()->deleteLater();
        it = views.erase(it);
    }
    return missing;
}

} // namespace

NoteView::NoteView(WorkbenchContext &context, const Note &note, Kind kind, QWidget *parent)
    : QFrame(parent)
    , m_context(context)
    , m_kind(kind)
    , m_tone(note.tone)
    , m_text(note.text)
    , m_brief(note.brief)
    , m_words(makeLabel(note.text, this))
{
    const QString name =
        (kind == Kind::Banner ? QStringLiteral("frame.banner.") : QStringLiteral("frame.note.")) + note.id;
    setNames(this, name, note.text);
    setBackground(this, Colour::Raised);
    setAutoFillBackground(kind == Kind::Banner);

    auto *row = new QHBoxLayout(this);
    if (kind == Kind::Card)
        row->setContentsMargins(Space::m, Space::m, Space::s, Space::m);
    else
        row->setContentsMargins(Space::l, 3, Space::s, 3);
    row->setSpacing(Space::s);
    row->addWidget(new IconView(context.theme(), toneIcon(note.tone), toneColour(note.tone), this), 0,
                   kind == Kind::Banner ? Qt::AlignVCenter : Qt::AlignTop);

    auto *words = new QVBoxLayout;
    words->setSpacing(Space::xs);
    row->addLayout(words, 1);
    words->addWidget(m_words);
    if (!note.detail.isEmpty()) {
        if (kind == Kind::Card)
            words->addWidget(makeLabel(note.detail, this, FontRole::Small, Colour::Dim));
        else
            setToolTip(note.detail);
    } else if (!note.brief.isEmpty()) {
        setToolTip(note.text);
    }
    QBoxLayout *links = row;
    if (kind == Kind::Card && !note.remedies.isEmpty()) {
        links = new QHBoxLayout;
        links->setSpacing(Space::m);
        words->addLayout(links);
    }
    int number = 0;
    for (const Remedy &remedy : note.remedies) {
        auto *button = makeButton(remedy.text, QStringLiteral("%1.remedy-%2").arg(name).arg(++number), this);
        setLook(button, ButtonLook::Link);
        connect(button, &QPushButton::clicked, this, [run = remedy.run] { run(); });
        links->addWidget(button);
    }
    if (links != row)
        static_cast<QHBoxLayout *>(links)->addStretch();

    if (kind == Kind::Card || note.dismissible) {
        auto *close = makeIconButton(context.theme().icon(Icon::Close, Colour::Dim), name + QStringLiteral(".dismiss"),
                                     tr("Dismiss"), this);
        connect(close, &QToolButton::clicked, this, &NoteView::dismissed);
        row->addWidget(close, 0, kind == Kind::Banner ? Qt::AlignVCenter : Qt::AlignTop);
    }
    if (kind == Kind::Card && !note.stays) {
        connect(&m_timer, &QTimer::timeout, this, &NoteView::tick);
        m_timer.start(1000);
    }
}

// Not while it is being read or reached for.
void NoteView::tick()
{
    if (underMouse() || isAncestorOf(QApplication::focusWidget()) || !window()->isActiveWindow())
        return;
    if (--m_secondsLeft <= 0)
        Q_EMIT dismissed();
}

// A page has a use for the lines that a long banner takes.
void NoteView::resizeEvent(QResizeEvent *event)
{
    QFrame::resizeEvent(event);
    if (m_brief.isEmpty())
        return;
    constexpr int tooManyLines = 3;
    const QFontMetrics metrics(m_words->font());
    const QRect lines = metrics.boundingRect(QRect(0, 0, m_words->width(), 0), Qt::TextWordWrap, m_text);
    m_words->setText(lines.height() >= tooManyLines * metrics.lineSpacing() ? m_brief : m_text);
}

void NoteView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme &theme = m_context.theme();
    if (m_kind == Kind::Card) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(theme.colour(Colour::Line));
        painter.setBrush(theme.colour(Colour::Raised));
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), Space::radius, Space::radius);
        return;
    }
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme.colour(Colour::Line));
    const int x = isRightToLeft() ? width() - 3 : 0;
    painter.fillRect(QRect(x, 0, 3, height()), theme.colour(toneColour(m_tone)));
}

NoteArea::NoteArea(WorkbenchContext &context, NoteView::Kind kind, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
    , m_kind(kind)
    , m_layout(columnIn(this, kind == NoteView::Kind::Card ? Space::s : 0))
{
    if (kind == NoteView::Kind::Card)
        setNames(this, QStringLiteral("frame.notes"), tr("Notes"));
    else
        setNames(this, QStringLiteral("frame.banners"), tr("Banners"));
    if (kind == NoteView::Kind::Card) {
        m_clear = makeButton(tr("Clear all"), QStringLiteral("frame.notes.clear"), this, tr("Clear all notes"));
        connect(m_clear, &QPushButton::clicked, &context.notifications(), &Notifications::clear);
        m_layout->addWidget(m_clear, 0, Qt::AlignTrailing);
    }
    connect(&context.notifications(), &Notifications::changed, this, &NoteArea::rebuild);
    connect(&m_looks, &QTimer::timeout, this, &NoteArea::giveWay);
    rebuild();
}

void NoteArea::rebuild()
{
    const Notifications &all = m_context.notifications();
    const QList<Note> &notes = m_kind == NoteView::Kind::Card ? all.notes() : all.banners();
    setVisible(!notes.isEmpty());
    if (m_clear)
        m_clear->setVisible(notes.size() > 1);
    for (const Note *note : exchange(m_views, notes)) {
        auto *view = new NoteView(m_context, *note, m_kind, this);
        connect(view, &NoteView::dismissed, this, [this, id = note->id] { dismiss(id); });
        m_views.insert(note->id + QLatin1Char('\n') + note->text, view);
        m_layout->addWidget(view);
        view->show();
    }
    Q_EMIT sizeWanted();
}

void NoteArea::dismiss(const QString &id)
{
    Notifications &notifications = m_context.notifications();
    if (m_kind == NoteView::Kind::Card)
        return notifications.dismiss(id);
    notifications.clearBanner(id);
    Q_EMIT notifications.bannerDismissed(id);
}

QList<QRect> NoteArea::controls() const
{
    QList<QRect> controls;
    const auto all = window()->findChildren<QWidget *>();
    for (const QWidget *widget : all) {
        if (!widget->isVisible() || widget->window() != window() || isAncestorOf(widget) || !isControl(widget))
            continue;
        if (const QRect seen = seenOf(widget) & m_room; !seen.isEmpty())
            controls.append(seen);
    }
    return controls;
}

// In the lower end corner, else as low as there is a place without a control, else where the least of them is covered.
QRect NoteArea::placeOf(const QSize &size) const
{
    const QRect room = m_room.adjusted(Space::l, Space::l, -Space::l, -Space::l);
    const int left = room.left(), right = room.right() - size.width() + 1, lowest = room.bottom() - size.height() + 1;
    const int end = isRightToLeft() ? left : right, start = isRightToLeft() ? right : left;
    const QList<QRect> controls = this->controls();
    QList<int> tops{lowest};
    for (const QRect &control : controls) {
        if (const int top = control.top() - Space::s - size.height(); top >= room.top() && top < lowest)
            tops.append(top);
    }
    QRect best;
    std::tuple<qint64, int> least;
    for (const int top : std::as_const(tops)) {
        for (const int x : {end, (end + start) / 2, start}) {
            const QRect place(QPoint(x, top), size);
            // To the side before far up.
            const int far = lowest - top + (x == end ? 0 : m_room.height() / 2);
            if (const std::tuple cost(covered(place, controls), far); best.isNull() || cost < least) {
                best = place;
                least = cost;
            }
        }
    }
    return best;
}

void NoteArea::place(const QRect &room)
{
    m_room = room;
    if (m_views.isEmpty())
        return m_looks.stop();
    const int width = qMin(m_context.theme().scaled(cardWidth), room.width() - 2 * Space::l);
    const int height = qMin(m_layout->hasHeightForWidth() ? m_layout->heightForWidth(width) : sizeHint().height(),
                            room.height() - 2 * Space::l);
    setGeometry(placeOf({width, height}));
    raise();
    m_looks.start(betweenWays);
}

// A page may show a control where the notes are. What is being read or reached for stays.
void NoteArea::giveWay()
{
    if (underMouse() || isAncestorOf(QApplication::focusWidget()) || covered(geometry(), controls()) == 0)
        return;
    setGeometry(placeOf(size()));
}

} // namespace glovebox
