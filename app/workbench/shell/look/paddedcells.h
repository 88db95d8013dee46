// SPDX-License-Identifier: Apache-2.0
// Cells of a table as far from each other as the words of its header.
#pragma once

#include "app/workbench/shell/theme.h"

#include <QStyledItemDelegate>

namespace glovebox {

class PaddedCells : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        QStyleOptionViewItem padded(option);
        padded.rect.adjust(Space::s, 0, -Space::s, 0);
        QStyledItemDelegate::paint(painter, padded, index);
    }
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        return QStyledItemDelegate::sizeHint(option, index) + QSize(2 * Space::s, 0);
    }
};

} // namespace glovebox
