// SPDX-License-Identifier: Apache-2.0
// Shows what Notifications holds: banners across the top, notes above the status bar. Never takes the focus.
#pragma once

#include "app/workbench/shell/context.h"

#include <QFrame>
#include <QHash>
#include <QTimer>
#include <QWidget>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace glovebox {

// One sentence with its ways out.
class NoteView : public QFrame
{
    Q_OBJECT
public:
    enum class Kind { Banner, Card };
    NoteView(WorkbenchContext &context, const Note &note, Kind kind, QWidget *parent);

Q_SIGNALS:
    void dismissed();

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void tick();

    WorkbenchContext &m_context;
    Kind m_kind;
    Tone m_tone;
    const QString m_text;
    const QString m_brief;
    QLabel *m_words;
    QTimer m_timer; // only for notes that pass
    int m_secondsLeft = 8;
};

// All banners, or all notes.
class NoteArea : public QWidget
{
    Q_OBJECT
public:
    NoteArea(WorkbenchContext &context, NoteView::Kind kind, QWidget *parent);

    // Puts itself into the lower end corner of this rectangle of its parent, the window; elsewhere in it while controls of the window
    // are there.
    void place(const QRect &room);

Q_SIGNALS:
    void sizeWanted();

private:
    void rebuild();
    void dismiss(const QString &id);
    QList<QRect> controls() const; // that can be seen in the room
    QRect placeOf(const QSize &size) const;
    void giveWay();

    WorkbenchContext &m_context;
    const NoteView::Kind m_kind;
    QVBoxLayout *m_layout;
    QPushButton *m_clear = nullptr; // of notes, where there are several
    QHash<QString, NoteView *> m_views; // by id and text
    QRect m_room;
    QTimer m_looks; // for controls that came, while there are notes
};

} // namespace glovebox
