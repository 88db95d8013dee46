// SPDX-License-Identifier: Apache-2.0
// The tree of a session's files: files of other programs are dropped on it, and its own are dragged out.
#pragma once

#include <QTreeView>

namespace glovebox {

class FileTree : public QTreeView
{
    Q_OBJECT
public:
    explicit FileTree(QWidget *parent);

Q_SIGNALS:
    void dropped(const QStringList &paths, const QModelIndex &on); // of this machine
    void dragged(); // the current file, by the mouse; whoever hears it has to have a file for it first
    void removalWanted(); // of the current file, by the key Delete

protected:
    void startDrag(Qt::DropActions) override { Q_EMIT dragged(); }
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dragMoveEvent(QDragMoveEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void take(QDropEvent *event);
};

} // namespace glovebox
