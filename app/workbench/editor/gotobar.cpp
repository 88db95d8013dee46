// SPDX-License-Identifier: Apache-2.0
#include "gotobar.h"

#include "app/workbench/shell/look.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QRegularExpressionValidator>

namespace glovebox {

using namespace Qt::StringLiterals;

GoToBar::GoToBar(QWidget *parent)
    : QFrame(parent)
    , m_field(new QLineEdit(this))
{
    setObjectName(u"bench.goto"_s);
    setBackground(this, Colour::Raised);
    auto *layout = rowIn(this, Space::s, {Space::m, Space::xs, Space::m, Space::xs});
    layout->addWidget(m_field);
    layout->addStretch(1);
    m_field->setMaximumWidth(220);
    m_field->setValidator(new QRegularExpressionValidator(QRegularExpression(u"\\d{1,7}(:\\d{0,5})?"_s), m_field));
    m_field->installEventFilter(this);
    setNames(m_field, u"bench.goto.line"_s, tr("Go to line"));
    connect(m_field, &QLineEdit::textEdited, this, [this](const QString &text) {
        if (!text.isEmpty())
            Q_EMIT chosen(text.section(u':', 0, 0).toInt(), text.section(u':', 1, 1).toInt());
    });
    hide();
}

void GoToBar::open(int line, int lines)
{
    m_field->setPlaceholderText(tr("Line 1 to %1").arg(lines));
    m_field->setText(QString::number(line));
    show();
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
}

bool GoToBar::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Escape) {
            hide();
            Q_EMIT closed(key != Qt::Key_Escape);
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

} // namespace glovebox
