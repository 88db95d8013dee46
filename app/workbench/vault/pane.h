// SPDX-License-Identifier: Apache-2.0
// What stands beside the list of secrets: a column that scrolls up and down only.
#pragma once

#include "app/workbench/shell/look.h"

#include <QKeyEvent>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace glovebox {

// Lives on the GUI thread. Whoever fills the column shows it by setWidget(m_body).
class Pane : public QScrollArea
{
    Q_OBJECT

Q_SIGNALS:
    void dismissed(); // Escape

protected:
    Pane(const QString &name, QWidget *parent)
        : QScrollArea(parent)
        , m_body(new QWidget(this))
        , m_column(columnIn(m_body, Space::xs, {Space::l, Space::m, Space::l, Space::m}))
    {
        setObjectName(name);
        scrollDownOnly(this, Colour::Raised);
        setBackground(m_body, Colour::Raised);
        setFocusPolicy(Qt::NoFocus);
    }

    // name: the last part of the object name, behind the pane's.
    QLabel *addLabel(const QString &name, FontRole font, Colour colour = Colour::Text)
    {
        auto *label = makeLabel({}, m_body, font, colour);
        label->setObjectName(objectName() + u'.' + name);
        m_column->addWidget(label);
        return label;
    }

    QPushButton *makeButton(const QString &text, const QString &name, const QString &accessibleName = {})
    {
        return glovebox::makeButton(text, objectName() + u'.' + name, m_body, accessibleName);
    }

    QWidget *addRow(const QList<QPushButton *> &buttons)
    {
        auto *owner = new QWidget(m_body);
        auto *row = rowIn(owner, Space::s);
        for (QPushButton *button : buttons)
            row->addWidget(button);
        row->addStretch();
        m_column->addWidget(owner);
        return owner;
    }

    // Takes back a question that is open. False: there is none.
    virtual bool withdraw() { return false; }

    void keyPressEvent(QKeyEvent *event) override
    {
        if (event->key() != Qt::Key_Escape)
            QScrollArea::keyPressEvent(event);
        else if (!withdraw())
            Q_EMIT dismissed();
    }

    QWidget *const m_body;
    QVBoxLayout *const m_column;
};

} // namespace glovebox
