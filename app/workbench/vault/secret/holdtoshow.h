// SPDX-License-Identifier: Apache-2.0
// A button that shows a value while it is held, by pointer or by the space bar, and never longer.
#pragma once

#include <QPushButton>
#include <QTimer>

#include <chrono>

namespace glovebox {

// It is let go by itself when the focus or the window goes, when the program isn't in front any more, and when it was held so
// long that nobody can be there: something lies on the key, or the release never came.
class HoldToShow : public QPushButton
{
    Q_OBJECT
public:
    explicit HoldToShow(QWidget *parent = nullptr);

    void letGo(); // whoever holds it: the screen was locked
    void setPatience(std::chrono::milliseconds patience) { m_longest.setInterval(patience); }

Q_SIGNALS:
    void held();
    void ended();

protected:
    bool event(QEvent *event) override;

private:
    QTimer m_longest{this};
    bool m_spent = false; // it was let go while the pointer may still hold it: that has to press anew
};

} // namespace glovebox
