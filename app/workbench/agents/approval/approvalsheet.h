// SPDX-License-Identifier: Apache-2.0
// The question whether an agent's run may happen: what it is, from where, and what it wants. Lies over the page and takes no focus:
// no button is the default, and none answers in the first moment, so that nothing is allowed by a key that was meant for the editor.
// Escape denies wherever the focus is, unless something nearer has a use for it.
#pragma once

#include "askfacts.h"

#include "app/workbench/shell/context.h"

#include <QFrame>
#include <QHash>
#include <QPointer>
#include <QTimer>

class QLabel;
class QScrollArea;
class QToolButton;

namespace glovebox {

class AnswerButtons;
class AskedText;
class WantTable;

class ApprovalSheet : public QFrame
{
    Q_OBJECT
public:
    static constexpr int guardMilliseconds = 700; // after it came to the front or changed

    // Adds its actions. Hidden until there is something to ask.
    explicit ApprovalSheet(WorkbenchContext &context);

    void setWindow(QWidget *window); // that it lies over
    // What waits, in its order. names: of paired clients, by id.
    void setAsks(const QList<Inbox::Ask> &asks, const QHash<QString, QString> &names);
    // Shows it again when it was put aside, with the focus.
    void bringUp();
    bool isAnswering() const; // a key or a click counts

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void addActions();
    QWidget *makeHead();
    const Inbox::Ask *current() const;
    int place() const; // of the current one in the queue; -1: it doesn't wait any more
    void show(const Inbox::Ask *ask);
    void look();
    void showQueue();
    void showTime();
    void showGone();
    bool takeEscape(const QKeyEvent &key); // whether it was meant for the sheet
    void goOn();
    void step(int by);
    void answer(bool isAllowed, ApprovalScope scope);
    void putAside();
    void guard();
    void arrange();

    WorkbenchContext &m_context;
    QPointer<QWidget> m_window;
    QList<Inbox::Ask> m_asks;
    QHash<QString, QString> m_names;
    QString m_run; // of the one that is shown; empty: none
    QByteArray m_digest;
    bool m_isGone = false; // it was withdrawn while it was shown
    bool m_isAside = false;
    QPointer<QWidget> m_focusBefore;
    AskFacts m_facts; // of the one that is shown; none until they are read
    QTimer m_guard, m_clock, m_look;

    QLabel *m_title, *m_number, *m_origin, *m_remark, *m_reach, *m_after;
    QToolButton *m_previous, *m_next;
    QScrollArea *m_scroll;
    AskedText *m_text;
    WantTable *m_wants;
    AnswerButtons *m_buttons;
};

} // namespace glovebox
