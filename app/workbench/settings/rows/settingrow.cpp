// SPDX-License-Identifier: Apache-2.0
#include "settingrow.h"

#include "app/workbench/shell/look.h"

#include <QPushButton>
#include <QResizeEvent>
#include <QVBoxLayout>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int narrow = 640; // px at which the field goes below the words
constexpr int sideWidth = 300;

} // namespace

SettingRow::SettingRow(Theme &theme, const QString &id, const QString &title, const QString &explanation,
                       const QString &found, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_id(u"settings."_s + id)
    , m_title(title)
    , m_explanation(explanation)
    , m_found(found)
    , m_columns(new QBoxLayout(QBoxLayout::LeftToRight))
    , m_side(new QVBoxLayout)
    , m_origin(makeLabel({}, this, FontRole::Small, Colour::Dim))
    , m_error(makeLabel({}, this, FontRole::Small, Colour::Warn))
    , m_reset(
          makeButton(tr("Reset to the default"), m_id + u".reset"_s, this, tr("Reset to the default: %1").arg(title)))
{
    auto *words = new QVBoxLayout;
    words->setSpacing(Space::xs);
    words->addWidget(makeLabel(title, this));
    words->addWidget(makeLabel(explanation, this, FontRole::Small, Colour::Dim));
    words->addStretch();
    m_side->setSpacing(Space::xs);
    m_side->addWidget(m_error);
    m_side->addWidget(m_origin);
    m_side->addWidget(m_reset, 0, Qt::AlignLeft);
    m_side->addStretch();
    m_columns->setSpacing(Space::s);
    m_columns->addLayout(words, 1);
    m_columns->addLayout(m_side);
    auto *layout = columnIn(this, Space::s, {0, Space::s, 0, 0});
    layout->addLayout(m_columns);
    layout->addWidget(makeRule(Qt::Horizontal, this));

    m_error->setObjectName(m_id + u".error"_s);
    m_origin->setObjectName(m_id + u".origin"_s);
    m_error->hide();
    setLook(m_reset, ButtonLook::Link);
    setFontRole(m_reset, FontRole::Small);
    m_reset->hide();
    connect(m_reset, &QPushButton::clicked, this, [this] {
        m_field->setFocus(Qt::OtherFocusReason); // the button goes when there is nothing to reset any more
        Q_EMIT resetWanted();
    });
}

void SettingRow::setField(QWidget *field)
{
    m_field = field;
    setNames(field, m_id, m_title);
    m_side->insertWidget(0, field);
    QWidget::setTabOrder(field, m_reset);
    describe();
}

void SettingRow::showOrigin(const QString &sentence, bool canReset)
{
    if (m_origin->text() != sentence) // a label with the same text is laid out again all the same
        m_origin->setText(sentence);
    m_reset->setVisible(canReset);
    describe();
}

void SettingRow::showError(const QString &sentence)
{
    showText(m_error, sentence);
    describe();
}

void SettingRow::describe()
{
    QStringList parts{m_explanation, m_origin->text(), m_error->text()};
    parts.removeAll(QString());
    m_field->setAccessibleDescription(parts.join(u' '));
}

bool SettingRow::matches(const QStringList &words, const QString &section) const
{
    const QString all = section + u'\n' + m_title + u'\n' + m_explanation + u'\n' + m_found;
    return std::ranges::all_of(words, [&](const QString &word) { return all.contains(word, Qt::CaseInsensitive); });
}

void SettingRow::resizeEvent(QResizeEvent *event)
{
    const bool below = event->size().width() < m_theme.scaled(narrow);
    m_columns->setDirection(below ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    m_field->setFixedWidth(std::min(m_theme.scaled(sideWidth), event->size().width()));
    for (QLabel *label : {m_origin, m_error})
        label->setFixedWidth(m_field->width());
}

} // namespace glovebox
