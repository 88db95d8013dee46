// SPDX-License-Identifier: Apache-2.0
// The list of files, out of which one can be dragged into other programs.
#pragma once

#include <QTreeView>

namespace glovebox {

class FileList : public QTreeView
{
    Q_OBJECT
public:
    explicit FileList(QWidget *parent)
        : QTreeView(parent)
    {
        setDragEnabled(true);
        setDragDropMode(QAbstractItemView::DragOnly);
    }

Q_SIGNALS:
    void dragged(); // the current file, by the mouse; whoever hears it has to have a file for it first

protected:
    void startDrag(Qt::DropActions) override { Q_EMIT dragged(); }
};

} // namespace glovebox
