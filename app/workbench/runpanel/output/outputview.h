// SPDX-License-Identifier: Apache-2.0
// Shows the lines of a log on a grid of cells: only what is visible is laid out, so its size doesn't matter.
#pragma once

#include "outputlayout.h"
#include "outputlog.h"
#include "sourceplaces.h"

#include "app/workbench/runpanel/find/linematcher.h"

#include "app/workbench/shell/theme.h"

#include <QAbstractScrollArea>
#include <QPointer>
#include <QTimer>

#include <algorithm>
#include <optional>
#include <utility>

namespace glovebox {

// A character of a line.
struct OutputPosition
{
    qint64 line = 0;
    int character = 0;

    auto operator<=>(const OutputPosition &) const = default;
};

class OutputTimes;

class OutputView : public QAbstractScrollArea
{
    Q_OBJECT
public:
    OutputView(Theme &theme, QWidget *parent = nullptr);
    ~OutputView() override;

    // The log must outlive its being shown. Scrolls to its end.
    void setLog(OutputLog *log);
    OutputLog *log() const { return m_log; }
    // Shown, dim, while there is nothing else.
    void setPlaceholder(const QString &text);

    void setWrap(bool wrap);
    bool wraps() const { return m_wrap; }
    QSize cells() const; // columns and rows that there is room for
    void setFilter(const QString &text);
    qint64 shownLines() const { return m_layout.lineCount(); }

    bool isAtBottom() const;
    void scrollToBottom();
    void showTop();

    bool hasSelection() const { return m_log && m_anchor != m_cursor; }
    QString selectedText() const;
    void selectAll();
    void beginSelection(const QPoint &point); // of the viewport; the mouse goes on with it
    void clearSelection() { setSelection(m_cursor, m_cursor); }
    void copy(); // the selection, else everything
    QString text() const; // all lines
    QString visibleText() const;

    // The marked matches, and the current one among them, which OutputSearch found.
    void setMarked(const LineMatcher &matcher);
    void showMatch(OutputPosition match);
    void clearCurrentMatch();
    void clearFind(); // nothing is marked
    const std::optional<OutputPosition> &currentMatch() const { return m_currentMatch; }
    bool isShown(qint64 line) const; // under the filter

    struct Cell
    {
        qint64 line = -1; // -1: there is none
        int column = 0; // from the line's beginning
    };
    Cell cellAt(const QPoint &point) const; // of the viewport

    // When lines came, beside them.
    void setTimesShown(bool shown);
    bool showsTimes() const { return m_times != nullptr; }
    int rowHeight() const { return m_rowHeight; }
    std::optional<qint64>
    lineBeginningAt(int row) const; // of the rows that are seen, from 0; nullopt: a line goes on there

    // Goes to the next place in the snippet that a message names, from the one that was visited last.
    bool goToNextPlace(bool backward);

Q_SIGNALS:
    void logChanged(); // another one is shown
    void placeActivated(const glovebox::SourcePlace &place);
    void selectionChanged();
    void copiedAll(); // without a selection
    void cellsChanged();
    void contextMenuWanted(const QPoint &globalPosition);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void changeEvent(QEvent *event) override;
    bool viewportEvent(QEvent *event) override;

private:
    struct RowView;

    void syncLog(qint64 changed);
    void relayout();
    void takeFont();
    void updateScrollBars();
    int wrapColumns() const { return m_wrap ? cells().width() : 0; }
    void tellCells();
    RowView rowView(qint64 row) const;
    void paintRow(QPainter &painter, const RowView &row, int y) const;
    void paintCursor(QPainter &painter) const;
    void paintBehind(QPainter &painter, const RowView &row, int y, int from, int to, const QColor &colour) const;
    OutputPosition positionAt(const QPoint &point) const;
    std::optional<SourcePlace> placeAt(const QPoint &point) const;
    void setSelection(OutputPosition anchor, OutputPosition cursor);
    void showPosition(OutputPosition position);
    QString textBetween(OutputPosition from, OutputPosition to) const;
    std::pair<OutputPosition, OutputPosition> selection() const { return std::minmax(m_anchor, m_cursor); }
    double cellLeft(int column) const;

    Theme &m_theme;
    QPointer<OutputLog> m_log;
    OutputLayout m_layout;
    QString m_placeholder;
    double m_cellWidth = 8;
    int m_rowHeight = 20;
    int m_ascent = 14;
    QSize m_cells; // that were told last
    bool m_wrap = true;
    bool m_stick = true; // the end is shown, and stays shown when more comes
    OutputPosition m_anchor, m_cursor; // of the selection
    bool m_selecting = false;
    QTimer m_autoScroll; // while a selection is dragged beyond the edge
    OutputTimes *m_times = nullptr;
    LineMatcher m_marked;
    std::optional<OutputPosition> m_currentMatch;
    std::optional<OutputPosition> m_visitedPlace;
};

// Lets assistive technology read OutputViews. Called once, early.
void installOutputAccessibility();

} // namespace glovebox
