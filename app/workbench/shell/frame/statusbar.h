// SPDX-License-Identifier: Apache-2.0
// The line of facts at the bottom of the window: the engine's state, then what the current page has to say.
#pragma once

#include "app/workbench/shell/context.h"
#include "app/workbench/shell/page.h"

#include <QWidget>

class QHBoxLayout;

namespace glovebox {

class StatusBar : public QWidget
{
    Q_OBJECT
public:
    StatusBar(WorkbenchContext &context, QWidget *parent);

    void setEngineState(const QString &text, Colour colour, const QString &description);
    void setItems(const QList<StatusItem> &items);

private:
    void rebuild();
    QWidget *make(const StatusItem &item);
    void fill(QWidget *widget, const StatusItem &item);

    WorkbenchContext &m_context;
    StatusItem m_engine;
    QList<StatusItem> m_items;
    QList<StatusItem> m_shown; // what m_widgets were made for
    QList<QWidget *> m_widgets;
    QHBoxLayout *m_layout;
};

} // namespace glovebox
