// SPDX-License-Identifier: Apache-2.0
// Three examples that run, above the tabs' content at the first start.
#pragma once

#include "examples.h"

#include "app/workbench/shell/context.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QToolButton;

namespace glovebox {

class WelcomeBar : public QWidget
{
    Q_OBJECT
public:
    WelcomeBar(WorkbenchContext &context, QWidget *parent);

    // Where text is large in a small window: a line, beside which output has no room all the same.
    bool isBrief() const { return m_isBrief; }

Q_SIGNALS:
    void chosen(const glovebox::Example &example);
    void closed();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void take(); // what can run
    void arrange(bool isBrief);

    WorkbenchContext &m_context;
    QHBoxLayout *m_head = nullptr;
    QHBoxLayout *m_row = nullptr; // of the examples
    QList<QLabel *> m_words; // that go first
    QList<std::pair<Example, QPushButton *>> m_buttons;
    QToolButton *m_close = nullptr;
    bool m_isBrief = false;
};

} // namespace glovebox
