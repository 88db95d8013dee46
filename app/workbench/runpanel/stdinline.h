// SPDX-License-Identifier: Apache-2.0
// The line in which a person answers a running program: Return sends, Up and Down recall, Ctrl+D ends the input.
#pragma once

#include "shownrun.h"

#include "app/workbench/shell/theme.h"

#include <QLineEdit>
#include <QPointer>

class QLabel;

namespace glovebox {

// What was typed is recalled for as long as the window lives, and never stored: it may be a password.
class StdinLine : public QWidget
{
    Q_OBJECT
public:
    StdinLine(Theme &theme, QWidget *parent = nullptr);

    void setRun(ShownRun *run); // null: none

Q_SIGNALS:
    void sent(); // something went to the program: its answer is worth seeing

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void send();
    void sendLine(const QString &line);
    void endInput();
    void paste();
    void recall(int step);
    void showState();

    QPointer<ShownRun> m_run;
    QLineEdit *m_edit;
    QStringList m_history; // oldest first
    qsizetype m_recalled = 0; // in m_history; its size: what is being typed
    QString m_typed;
};

} // namespace glovebox
