// SPDX-License-Identifier: Apache-2.0
#include "textrow.h"

#include "app/workbench/shell/look.h"

#include <QKeyEvent>
#include <QLineEdit>

namespace glovebox {

TextRow::TextRow(Theme &theme, const QString &id, const QString &title, const QString &explanation,
                 const QString &found, Parse parse, QWidget *parent)
    : SettingRow(theme, id, title, explanation, found, parent)
    , m_parse(std::move(parse))
    , m_edit(new QLineEdit(this))
{
    setField(m_edit);
    m_edit->installEventFilter(this);
    connect(m_edit, &QLineEdit::textEdited, this, &TextRow::check);
    connect(m_edit, &QLineEdit::editingFinished, this, &TextRow::take);
}

void TextRow::showText(const QString &text, bool readOnly)
{
    m_shown = text;
    m_edit->setReadOnly(readOnly);
    setTextColour(m_edit, readOnly ? Colour::Dim : Colour::Text);
    if (m_edit->isModified() && !readOnly)
        return;
    m_edit->setText(text);
}

void TextRow::check()
{
    const auto value = m_parse(m_edit->text());
    showError(value ? QString() : value.error());
}

void TextRow::take()
{
    if (!m_edit->isModified())
        return;
    const auto value = m_parse(m_edit->text());
    if (!value) {
        showError(tr("Not saved. %1").arg(value.error()));
        return;
    }
    m_edit->setModified(false);
    Q_EMIT chosen(*value);
}

bool TextRow::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_edit && event->type() == QEvent::KeyPress && m_edit->isModified()
        && static_cast<QKeyEvent *>(event)->key() == Qt::Key_Escape) {
        m_edit->setModified(false);
        showText(m_shown);
        showError({});
        m_edit->selectAll();
        return true;
    }
    return SettingRow::eventFilter(watched, event);
}

} // namespace glovebox
