// SPDX-License-Identifier: Apache-2.0
#include "runstable.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>

namespace glovebox {
namespace {

constexpr int narrowestCode = 180;

// A line below each row; code, times and durations run from left to right wherever the rest goes.
class RunCells : public QStyledItemDelegate
{
public:
    RunCells(const Theme &theme, QObject *parent)
        : QStyledItemDelegate(parent)
        , m_theme(theme)
    {
    }

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyleOptionViewItem cell(option);
        initStyleOption(&cell, index);
        const QWidget *view = option.widget;
        QStyle *style = view->style();
        style->drawPrimitive(QStyle::PE_PanelItemViewItem, &cell, painter, view);
        painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), Space::line),
                          m_theme.colour(Colour::Line));
        QRect rect = option.rect.adjusted(Space::s, 0, -Space::s, -Space::line);
        if (!cell.icon.isNull()) {
            const int side = m_theme.scaled(Space::m);
            const QRect place(rect.left(), rect.center().y() - side / 2, side, side);
            cell.icon.paint(painter, QStyle::visualRect(option.direction, rect, place));
            rect = option.direction == Qt::RightToLeft ? rect.adjusted(0, 0, -side - 6, 0)
                                                       : rect.adjusted(side + 6, 0, 0, 0);
        }
        painter->setFont(cell.font);
        painter->setPen(cell.palette.color(QPalette::Text));
        const bool isCode = index.column() == RunsModel::CodeColumn;
        const bool isTime = index.column() == RunsModel::TimeColumn || index.column() == RunsModel::DurationColumn;
        const auto previous = painter->layoutDirection();
        if (isCode || isTime)
            painter->setLayoutDirection(Qt::LeftToRight);
        const int alignment =
            int(QStyle::visualAlignment(isCode ? Qt::LeftToRight : option.direction, cell.displayAlignment))
            | Qt::TextSingleLine | Qt::AlignAbsolute;
        painter->drawText(rect, alignment, cell.fontMetrics.elidedText(cell.text, Qt::ElideRight, rect.width()));
        painter->setLayoutDirection(previous);
        // The row has the focus, and shows it once.
        if (option.state.testFlag(QStyle::State_HasFocus) && option.state.testFlag(QStyle::State_KeyboardFocusChange)) {
            painter->fillRect(QRect(view->rect().left(), option.rect.top(), Space::xs, option.rect.height()),
                              m_theme.colour(Colour::Accent));
        }
    }

private:
    const Theme &m_theme;
};

} // namespace

RunsTable::RunsTable(Theme &theme, RunsModel &model, QWidget *parent)
    : QTableView(parent)
    , m_theme(theme)
    , m_model(model)
{
    setItemDelegate(new RunCells(theme, this));
    setFrameShape(QFrame::NoFrame);
    setShowGrid(false);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setSelectionMode(SingleSelection);
    setSelectionBehavior(SelectRows);
    setEditTriggers(NoEditTriggers);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setCornerButtonEnabled(false);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSectionsClickable(false);
    horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    setModel(&model);
    horizontalHeader()->setSectionResizeMode(RunsModel::CodeColumn, QHeaderView::Stretch);
    takeTheme();
    connect(&theme, &Theme::changed, this, &RunsTable::takeTheme);
    connect(&model, &QAbstractItemModel::rowsInserted, this,
            [this](const QModelIndex &, int first, int last) { keepPlace(first, last); });
    connect(this, &QAbstractItemView::doubleClicked, this, &RunsTable::chosen);
}

void RunsTable::takeTheme()
{
    verticalHeader()->setMinimumSectionSize(1);
    verticalHeader()->setDefaultSectionSize(m_theme.size(Size::Row));
    horizontalHeader()->setFixedHeight(m_theme.size(Size::Row));
    verticalScrollBar()->setSingleStep(m_theme.size(Size::Row));
    arrange();
}

// The code has what the others leave; where that is too little, the others give way, the least important first.
void RunsTable::arrange()
{
    const QFontMetrics metrics(m_theme.font(FontRole::Base));
    const auto widthFor = [&](const QString &text) { return metrics.horizontalAdvance(text) + 2 * Space::s; };
    const auto orTitle = [&](int width, int column) {
        return std::max(width, widthFor(m_model.headerData(column, Qt::Horizontal).toString()) + Space::s);
    };
    const int dot = m_theme.scaled(Space::m) + 6;
    const QList<std::pair<int, int>> widths{
        {RunsModel::TimeColumn, widthFor(QStringLiteral("30 MMM 00:00:00")) + Space::s},
        {RunsModel::OutcomeColumn, widthFor(outcomeWord(Outcome::OutOfMemory)) + dot + Space::s},
        {RunsModel::BlockedColumn, widthFor(QStringLiteral("1,000"))},
        {RunsModel::DurationColumn, widthFor(QStringLiteral("00 min 00 s"))},
        {RunsModel::LanguageColumn, widthFor(QStringLiteral("javascript"))},
        {RunsModel::CallerColumn, widthFor(QStringLiteral("Command line")) + Space::s},
    };
    int room = viewport()->width() - m_theme.scaled(narrowestCode);
    for (const auto &[column, width] : widths) {
        const int whole = orTitle(width, column);
        room -= whole;
        setColumnHidden(column, room < 0 && column != RunsModel::TimeColumn && column != RunsModel::OutcomeColumn);
        setColumnWidth(column, whole);
    }
}

void RunsTable::resizeEvent(QResizeEvent *event)
{
    QTableView::resizeEvent(event);
    arrange();
}

void RunsTable::paintEvent(QPaintEvent *event)
{
    // Here it is known for sure what is visible; this only asks, nothing changes now.
    const int height = verticalHeader()->defaultSectionSize();
    const int top = verticalScrollBar()->value() / height;
    m_model.setVisibleRows(top, top + viewport()->height() / height + 1);
    QTableView::paintEvent(event);
}

void RunsTable::scrollContentsBy(int dx, int dy)
{
    QTableView::scrollContentsBy(dx, dy);
    if (m_atNewest != isAtNewest()) {
        m_atNewest = !m_atNewest;
        Q_EMIT newestChanged();
    }
}

bool RunsTable::isAtNewest() const
{
    return verticalScrollBar()->value() == 0;
}

void RunsTable::goToNewest()
{
    verticalScrollBar()->setValue(0);
}

// New rows above push nothing down that somebody looks at. At the very top they come into view, unless a run is chosen.
void RunsTable::keepPlace(int first, int last)
{
    const int height = verticalHeader()->defaultSectionSize();
    const int value = verticalScrollBar()->value();
    const bool above =
        first * height < value || (first == 0 && currentIndex().isValid() && last + 1 < m_model.rowCount());
    if (!above)
        return;
    executeDelayedItemsLayout(); // the scroll bar's range knows them now
    verticalScrollBar()->setValue(value + (last - first + 1) * height);
}

void RunsTable::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape) {
        event->setAccepted(m_dismiss && m_dismiss());
        return;
    }
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && event->modifiers() == Qt::NoModifier
        && currentIndex().isValid()) {
        Q_EMIT chosen(currentIndex());
        return;
    }
    QTableView::keyPressEvent(event);
}

} // namespace glovebox
