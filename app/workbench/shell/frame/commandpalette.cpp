// SPDX-License-Identifier: Apache-2.0
#include "commandpalette.h"

#include "app/workbench/shell/look.h"
#include "fuzzy.h"

#include <QAbstractItemDelegate>
#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QTextLayout>

#include <algorithm>

namespace glovebox {
namespace {

constexpr int paletteWidth = 560;
constexpr int visibleRows = 10;
constexpr int aboveLetters = 100'000; // in score

// A row: the text with the matched letters in accent, the keys at the end.
class CommandDelegate : public QAbstractItemDelegate
{
public:
    CommandDelegate(const Theme &theme, QObject *parent)
        : QAbstractItemDelegate(parent)
        , m_theme(theme)
    {
    }

    QSize sizeHint(const QStyleOptionViewItem &, const QModelIndex &) const override
    {
        return {0, m_theme.size(Size::Control) + 2};
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (option.state.testFlag(QStyle::State_Selected)) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(m_theme.colour(Colour::AccentWash));
            painter->drawRoundedRect(option.rect, 4, 4);
        }
        const QRect room = option.rect.adjusted(Space::m, 0, -Space::m, 0);
        painter->setFont(m_theme.font(FontRole::Small));
        painter->setPen(m_theme.colour(Colour::Dim));
        painter->setLayoutDirection(Qt::LeftToRight); // keys read as they are written, also where all else is mirrored
        painter->drawText(room, int(Qt::AlignVCenter | QStyle::visualAlignment(option.direction, Qt::AlignRight)),
                          index.data(CommandModel::Keys).toString());

        const QString text = index.data(Qt::DisplayRole).toString();
        const auto positions = index.data(CommandModel::Positions).value<QList<int>>();
        QTextLayout layout(text, m_theme.font(FontRole::Base));
        QList<QTextLayout::FormatRange> formats;
        for (const int at : positions) {
            QTextCharFormat format;
            format.setForeground(m_theme.colour(Colour::Accent));
            format.setFontWeight(QFont::DemiBold);
            formats.append({at, 1, format});
        }
        layout.setFormats(formats);
        QTextOption side(QStyle::visualAlignment(option.direction, Qt::AlignLeft));
        side.setTextDirection(text.isRightToLeft() ? Qt::RightToLeft : Qt::LeftToRight);
        layout.setTextOption(side);
        layout.beginLayout();
        QTextLine line = layout.createLine();
        line.setLineWidth(room.width());
        layout.endLayout();
        painter->setPen(m_theme.colour(Colour::Text));
        layout.draw(painter, QPointF(room.left(), room.top() + (room.height() - line.height()) / 2));
        painter->restore();
    }

private:
    const Theme &m_theme;
};

// Whether each word that was typed begins one of these.
bool hasWords(const QString &words, const QString &typed)
{
    const QStringList all = words.split(u' ', Qt::SkipEmptyParts);
    const QStringList wanted = typed.split(u' ', Qt::SkipEmptyParts);
    return std::ranges::all_of(wanted, [&all](const QString &word) {
        return std::ranges::any_of(
            all, [&word](const QString &other) { return other.startsWith(word, Qt::CaseInsensitive); });
    });
}

} // namespace

CommandModel::CommandModel(ActionRegistry &actions, QObject *parent)
    : QAbstractListModel(parent)
    , m_actions(actions)
{
}

void CommandModel::filter(const QString &pattern)
{
    beginResetModel();
    m_rows.clear();
    const QStringList ids = m_actions.ids();
    for (const QString &id : ids) {
        const QAction *action = m_actions.action(id);
        if (!m_actions.spec(id)->inPalette || !action->isEnabled())
            continue;
        // Words of the text that is shown count most, then other words, then letters here and there.
        const auto match = fuzzyMatch(pattern, action->text());
        if (match && hasWords(action->text(), pattern))
            m_rows.append({id, 2 * aboveLetters + match->score, match->positions});
        else if (hasWords(m_actions.words(id), pattern))
            m_rows.append({id, aboveLetters, {}});
        else if (match)
            m_rows.append({id, match->score, match->positions});
    }
    std::ranges::stable_sort(m_rows, std::greater(), &Row::score);
    endResetModel();
}

QVariant CommandModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row &row = m_rows.at(index.row());
    const QAction *action = m_actions.action(row.id);
    switch (role) {
    case Qt::DisplayRole:
        return action->text();
    case Qt::AccessibleTextRole:
        return ActionRegistry::toolTip(action);
    case Keys:
        return action->shortcut().toString(QKeySequence::NativeText);
    case Positions:
        return QVariant::fromValue(row.positions);
    case ActionId:
        return row.id;
    default:
        return {};
    }
}

CommandPalette::CommandPalette(WorkbenchContext &context, QWidget *parent)
    : QFrame(parent)
    , m_context(context)
    , m_model(new CommandModel(context.actions(), this))
    , m_field(new QLineEdit(this))
    , m_list(new QListView(this))
    , m_nothing(makeLabel(tr("No matching commands."), this, FontRole::Base, Colour::Dim))
{
    setNames(this, QStringLiteral("frame.palette"), tr("Commands"));
    setNames(m_field, QStringLiteral("frame.palette.field"), tr("Command"));
    m_field->setPlaceholderText(tr("Type a command"));
    setNames(m_list, QStringLiteral("frame.palette.list"), tr("Matching commands"));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new CommandDelegate(context.theme(), this));
    m_list->setFocusPolicy(Qt::NoFocus); // the arrow keys reach it from the field
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setUniformItemSizes(true);
    setBackground(m_list, Colour::Raised);
    m_nothing->setContentsMargins(Space::m, Space::s, Space::m, Space::s);

    auto *layout = columnIn(this, Space::s, {Space::s, Space::s, Space::s, Space::s});
    layout->addWidget(m_field);
    layout->addWidget(m_list);
    layout->addWidget(m_nothing);

    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_list, &QListView::clicked, this, &CommandPalette::runCurrent);
    m_field->installEventFilter(this);
    parent->installEventFilter(this);
    hide();
}

void CommandPalette::open()
{
    if (isVisible()) {
        close();
        return;
    }
    m_focusBefore = QApplication::focusWidget();
    m_field->clear();
    filter({});
    show();
    raise();
    m_field->setFocus(Qt::ShortcutFocusReason);
}

void CommandPalette::close()
{
    const bool hadFocus = isAncestorOf(QApplication::focusWidget());
    hide();
    if (hadFocus && m_focusBefore)
        m_focusBefore->setFocus(Qt::OtherFocusReason);
}

void CommandPalette::filter(const QString &pattern)
{
    m_model->filter(pattern);
    m_list->setCurrentIndex(m_model->index(0, 0));
    m_field->setAccessibleDescription(m_list->currentIndex().data(Qt::AccessibleTextRole).toString());
    place();
}

void CommandPalette::place()
{
    const int rows = qMin(visibleRows, m_model->rowCount());
    m_list->setVisible(rows > 0);
    m_nothing->setVisible(rows == 0);
    m_list->setFixedHeight(qMax(1, rows) * (m_context.theme().size(Size::Control) + 2));
    const int width = qMin(m_context.theme().scaled(paletteWidth), parentWidget()->width() - 2 * Space::xl);
    setFixedWidth(width);
    layout()->activate();
    const int height = qMin(sizeHint().height(), parentWidget()->height() - 2 * Space::xl);
    setGeometry((parentWidget()->width() - width) / 2, qMin(2 * Space::xl, parentWidget()->height() / 10), width,
                height);
}

void CommandPalette::move(int rows)
{
    const int count = m_model->rowCount();
    if (count == 0)
        return;
    const int row = m_list->currentIndex().row() + rows;
    // One step goes around the ends, a page stops there.
    const int target = qAbs(rows) == 1 ? (row + count) % count : qBound(0, row, count - 1);
    m_list->setCurrentIndex(m_model->index(target, 0));
    m_field->setAccessibleDescription(m_list->currentIndex().data(Qt::AccessibleTextRole).toString());
}

void CommandPalette::runCurrent()
{
    const QString id = m_list->currentIndex().data(CommandModel::ActionId).toString();
    close();
    if (!id.isEmpty())
        m_context.actions().trigger(id);
}

bool CommandPalette::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == parentWidget() && event->type() == QEvent::Resize && isVisible())
        place();
    if (watched != m_field)
        return false;
    if (event->type() == QEvent::FocusOut && isVisible()
        && static_cast<QFocusEvent *>(event)->reason() != Qt::ActiveWindowFocusReason
        && static_cast<QFocusEvent *>(event)->reason() != Qt::PopupFocusReason) {
        hide(); // the person went on elsewhere
        return false;
    }
    if (event->type() != QEvent::KeyPress)
        return false;
    switch (static_cast<QKeyEvent *>(event)->key()) {
    case Qt::Key_Escape:
        close();
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        runCurrent();
        return true;
    case Qt::Key_Up:
        move(-1);
        return true;
    case Qt::Key_Down:
        move(1);
        return true;
    case Qt::Key_PageUp:
        move(-visibleRows);
        return true;
    case Qt::Key_PageDown:
        move(visibleRows);
        return true;
    case Qt::Key_Tab:
    case Qt::Key_Backtab: // nowhere else to go while it is open
        return true;
    default:
        return false;
    }
}

void CommandPalette::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(m_context.theme().colour(Colour::Line));
    painter.setBrush(m_context.theme().colour(Colour::Raised));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), Space::dialogRadius, Space::dialogRadius);
}

} // namespace glovebox
