// SPDX-License-Identifier: Apache-2.0
// What the page says where there is no list: what will be here, or what is wrong, and the first step.
#pragma once

#include <QWidget>

#include <functional>

class QLabel;
class QPushButton;

namespace glovebox {

class MessagePane : public QWidget
{
    Q_OBJECT
public:
    explicit MessagePane(QWidget *parent = nullptr);

    // detail: the exact cause, may be empty. step: empty: there is nothing to do.
    void show(const QString &heading, const QString &text, const QString &detail, const QString &step,
              std::function<void()> run);
    QPushButton *button() const { return m_button; }

private:
    QLabel *m_heading;
    QLabel *m_text;
    QLabel *m_detail;
    QPushButton *m_button;
    std::function<void()> m_run;
};

} // namespace glovebox
