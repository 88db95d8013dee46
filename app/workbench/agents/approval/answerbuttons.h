// SPDX-License-Identifier: Apache-2.0
// The answers to an ask in a row: what denies on one side, with the time that is left, and what allows on the other.
#pragma once

#include <QWidget>

class QBoxLayout;
class QLabel;

namespace glovebox {

class ActionRegistry;

class AnswerButtons : public QWidget
{
    Q_OBJECT
public:
    // Buttons of agents.deny, never, once, session and always, which are in the registry already.
    explicit AnswerButtons(const ActionRegistry &actions, QWidget *parent = nullptr);

    void setTime(const QString &words);
    void setAlwaysVisible(bool isVisible);
    void fit(int width); // one side below the other where both have no room beside each other

private:
    QBoxLayout *m_sides;
    QLabel *m_time;
    QWidget *m_always;
};

} // namespace glovebox
