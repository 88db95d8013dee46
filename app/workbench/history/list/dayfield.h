// SPDX-License-Identifier: Apache-2.0
// A field for the days whose runs are shown: typed, or chosen from a menu of words.
#pragma once

#include "days.h"

#include "app/workbench/shell/theme.h"

#include <QLineEdit>
#include <QTimer>

namespace glovebox {

class DayField : public QLineEdit
{
    Q_OBJECT
public:
    DayField(Theme &theme, QWidget *parent = nullptr);

    // Of the last text that could be read, as of today; nothing: all days.
    std::optional<DayRange> days() const;

    void forget(); // all days, without a signal

    QSize sizeHint() const override;

Q_SIGNALS:
    void changed(); // some time after the last key, when it can be read
    void left(); // Escape: on to the list
    void mistaken(const QString &sentence); // empty: no longer. While a person types, nothing is called a mistake.

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    void showMenu();
    void read();
    void settle(); // the person has typed all of it

    QString m_read; // can be read; empty: all days
    QTimer m_pause;
    bool m_isMistaken = false;
};

} // namespace glovebox
