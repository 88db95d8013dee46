// SPDX-License-Identifier: Apache-2.0
#include "filetree.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QUrl>

namespace glovebox {

static constexpr int folderOpensAfter = 700; // ms, that files are held over it

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
    setDragDropOverwriteMode(true); // a frame around the folder that files come into, no line between rows
    setAutoExpandDelay(folderOpensAfter);
}

void FileTree::mousePressEvent(QMouseEvent *event)
{
    ++m_presses;
    QTreeView::mousePressEvent(event);
}

void FileTree::startDrag(Qt::DropActions)
{
    m_dragged = m_presses;
    Q_EMIT dragged();
}

// Until the copy is there the mouse moves on, which would select other rows.
void FileTree::mouseMoveEvent(QMouseEvent *event)
{
    if (m_dragged == m_presses && event->buttons() != Qt::NoButton)
        event->accept();
    else
        QTreeView::mouseMoveEvent(event);
}

bool FileTree::takes(const QDropEvent &event) const
{
    return event.source() != this && !localPaths(event.mimeData()).isEmpty();
}

// The view itself draws the frame and scrolls at the edges. Of what isn't taken it must not know, as nobody tells it the end.
void FileTree::dragEnterEvent(QDragEnterEvent *event)
{
    if (!takes(*event))
        return event->ignore();
    QTreeView::dragEnterEvent(event);
    event->setDropAction(Qt::CopyAction);
    event->accept();
}

void FileTree::dragMoveEvent(QDragMoveEvent *event)
{
    if (!takes(*event))
        return event->ignore();
    QTreeView::dragMoveEvent(event);
    event->setDropAction(Qt::CopyAction);
    event->accept();
}

void FileTree::dropEvent(QDropEvent *event)
{
    if (!takes(*event))
        return event->ignore();
    setState(NoState); // no frame any more
    viewport()->update();
    event->setDropAction(Qt::CopyAction);
    event->accept();
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
