// SPDX-License-Identifier: Apache-2.0
#include "filetree.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QUrl>

namespace glovebox {

static QStringList localPaths(const QMimeData *content)
{
    QStringList paths;
    const QList<QUrl> urls = content->urls();
    for (const QUrl &url : urls) {
        if (url.isLocalFile())
            paths.append(url.toLocalFile());
    }
    return paths;
}

FileTree::FileTree(QWidget *parent)
    : QTreeView(parent)
{
    setDragEnabled(true);
    setAcceptDrops(true);
    setDragDropMode(QAbstractItemView::DragDrop);
}

void FileTree::take(QDropEvent *event)
{
    if (event->source() == this || localPaths(event->mimeData()).isEmpty())
        return event->ignore();
    event->setDropAction(Qt::CopyAction);
    event->accept();
}

void FileTree::dragEnterEvent(QDragEnterEvent *event)
{
    take(event);
}

void FileTree::dragMoveEvent(QDragMoveEvent *event)
{
    take(event);
}

void FileTree::dropEvent(QDropEvent *event)
{
    take(event);
    if (event->isAccepted())
        Q_EMIT dropped(localPaths(event->mimeData()), indexAt(event->position().toPoint()));
}

void FileTree::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Delete && event->modifiers() == Qt::NoModifier && currentIndex().isValid())
        Q_EMIT removalWanted();
    else
        QTreeView::keyPressEvent(event);
}

} // namespace glovebox
