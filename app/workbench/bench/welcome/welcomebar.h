// SPDX-License-Identifier: Apache-2.0
// Three examples that run, above the tabs' content at the first start.
#pragma once

#include "examples.h"

#include "app/workbench/shell/context.h"

#include <QWidget>

class QPushButton;

namespace glovebox {

class WelcomeBar : public QWidget
{
    Q_OBJECT
public:
    WelcomeBar(WorkbenchContext &context, QWidget *parent);

Q_SIGNALS:
    void chosen(const glovebox::Example &example);
    void closed();

private:
    void take(); // what can run

    WorkbenchContext &m_context;
    QList<std::pair<Example, QPushButton *>> m_buttons;
};

} // namespace glovebox
