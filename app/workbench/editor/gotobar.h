// SPDX-License-Identifier: Apache-2.0
// Asks for a line to go to: "12" or "12:7".
#pragma once

#include <QFrame>

class QLineEdit;

namespace glovebox {

class GoToBar : public QFrame
{
    Q_OBJECT
public:
    explicit GoToBar(QWidget *parent = nullptr);

    void open(int line, int lines); // the current one, of so many

Q_SIGNALS:
    void chosen(int line, int column); // while it is typed
    void closed(bool stay); // false: back to where it was

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QLineEdit *m_field;
};

} // namespace glovebox
