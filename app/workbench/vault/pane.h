// SPDX-License-Identifier: Apache-2.0
// What stands beside the list of secrets: a column that scrolls up and down only.
#pragma once

#include "app/workbench/shell/look.h"

#include <QScrollArea>
#include <QVBoxLayout>

namespace glovebox {

// Lives on the GUI thread. Whoever fills the column shows it by setWidget(m_body).
class Pane : public QScrollArea
{
protected:
    Pane(const QString &name, QWidget *parent)
        : QScrollArea(parent)
        , m_body(new QWidget(this))
        , m_column(new QVBoxLayout(m_body))
    {
        setObjectName(name);
        setFrameShape(QFrame::NoFrame);
        setWidgetResizable(true);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setFocusPolicy(Qt::NoFocus);
        for (QWidget *each : {viewport(), m_body})
            setBackground(each, Colour::Raised);
        m_column->setContentsMargins(Space::l, Space::m, Space::l, Space::m);
        m_column->setSpacing(Space::xs);
    }

    QWidget *const m_body;
    QVBoxLayout *const m_column;
};

} // namespace glovebox
