// SPDX-License-Identifier: Apache-2.0
// Cells of a table as far from each other as the words of its header.
#pragma once

#include "app/workbench/shell/theme.h"

#include <QGuiApplication>
#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTreeView>

namespace glovebox {

class PaddedCells : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        // The ground of the row has no gaps.
        option.widget->style()->drawPrimitive(QStyle::PE_PanelItemViewItem, &option, painter, option.widget);
        QStyleOptionViewItem padded(option);
        padded.rect.adjust(Space::s, 0, -Space::s, 0);
        QStyledItemDelegate::paint(painter, padded, index);
    }
    // Words run as they are written, also where the window is mirrored: "4 bytes" isn't "bytes 4" (U+2066: isolate).
    QString displayText(const QVariant &value, const QLocale &locale) const override
    {
        const QString text = QStyledItemDelegate::displayText(value, locale);
        return QGuiApplication::isRightToLeft() && !text.isEmpty() && !text.isRightToLeft()
                   ? QChar(0x2066) + text + QChar(0x2069)
                   : text;
    }
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        return QStyledItemDelegate::sizeHint(option, index) + QSize(2 * Space::s, 0);
    }

protected:
    // The colour that a model gives to its words is that of a list which can be used.
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        if (!option->state.testFlag(QStyle::State_Enabled) && option->widget)
            option->palette = option->widget->palette();
    }
};

// A list with columns, of which one row is selected at a time.
inline void showRows(QTreeView *view, QAbstractItemModel *model)
{
    view->setModel(model);
    view->setItemDelegate(new PaddedCells(view));
    view->setRootIsDecorated(false);
    view->setUniformRowHeights(true);
    view->setAllColumnsShowFocus(true); // the ring is closed: around a cell its sides would lie outside of it
    view->setFrameShape(QFrame::NoFrame);
    view->setSelectionMode(QAbstractItemView::SingleSelection);
    view->header()->setStretchLastSection(true);
    view->header()->setSectionsMovable(false);
}

} // namespace glovebox
