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

    int presses() const { return m_presses; } // of the mouse, so far

Q_SIGNALS:
    void dropped(const QStringList &paths, const QModelIndex &on); // of this machine
    // The current file, by the mouse, once for each press. Whoever hears it has to have a file for it first.
    void dragged();
    void removalWanted(); // of the current file, by the key Delete

protected:
    void startDrag(Qt::DropActions actions) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dragMoveEvent(QDragMoveEvent *event) override;
    void dropEvent(QDropEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    bool takes(const QDropEvent &event) const;

    int m_presses = 0;
    int m_dragged = 0; // the press that a drag began with
};

} // namespace glovebox
