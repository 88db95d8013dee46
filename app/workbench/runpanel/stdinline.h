// SPDX-License-Identifier: Apache-2.0
// The line in which a person answers a running program: Return sends, Up and Down recall, Ctrl+D ends the input. In a
// terminal the program shows itself what it was sent, Ctrl+C interrupts it, and Ctrl+D is a key like others.
#pragma once

#include "shownrun.h"

#include "app/workbench/shell/theme.h"

#include <QLineEdit>
#include <QPointer>

class QToolButton;

namespace glovebox {

// What was typed is recalled for as long as the window lives, and never stored: it may be a password.
class StdinLine : public QWidget
{
    Q_OBJECT
public:
    StdinLine(Theme &theme, QWidget *parent = nullptr);

    void setRun(ShownRun *run); // null: none
    void interrupt(); // Ctrl+C, in a terminal
    void endInput();
    // Keys go to the program from the terminal itself; leave: the key that leads out of it. Empty: they don't.
    void setTypedInView(const QString &leave);

Q_SIGNALS:
    void sent(); // something went to the program: its answer is worth seeing

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void send();
    void sendLine(const QString &line);
    void paste();
    void recall(int step);
    void showState();
    void showEcho();
    bool hidesInput() const { return m_edit->echoMode() == QLineEdit::Password; }

    bool hasTerminal() const { return m_run && m_run->title().hasTerminal; }

    QPointer<ShownRun> m_run;
    QLineEdit *m_edit; // masked while the program asks for a word that the terminal doesn't show
    QTimer m_look; // at that: nobody tells
    QToolButton *m_interrupt; // only in a terminal, as is the other
    QToolButton *m_end;
    QString m_leave; // the terminal that keys go to
    QStringList m_history; // oldest first
    qsizetype m_recalled = 0; // in m_history; its size: what is being typed
    QString m_typed;
    QPointer<QWidget> m_before; // had the focus before the line got it
};

} // namespace glovebox
