// SPDX-License-Identifier: Apache-2.0
#include "limiteditor.h"

#include "app/workbench/bench/policy/flowlayout.h"
#include "app/workbench/shell/look.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

namespace glovebox {

using namespace Qt::StringLiterals;

LimitEditor::LimitEditor(Theme &theme, QWidget *anchor, LimitKind kind, qint64 value, qint64 usual)
    : Popover(theme, anchor, u"bench.limit"_s, limitTitle(kind), 340)
    , m_kind(kind)
    , m_usual(usual)
    , m_field(new QLineEdit(this))
    , m_remark(makeLabel({}, this, FontRole::Small, Colour::Dim))
{
    content()->addWidget(makeLabel(limitTitle(kind), this, FontRole::Strong));
    content()->addWidget(makeLabel(limitExplanation(kind), this, FontRole::Base, Colour::Dim));

    auto *row = new QHBoxLayout;
    row->setSpacing(Space::s);
    m_field->setText(limitText(kind, value));
    m_field->selectAll();
    setNames(m_field, u"bench.limit.value"_s, limitTitle(kind));
    row->addWidget(m_field, 1);
    auto *set = makeButton(tr("Set"), u"bench.limit.set"_s, this);
    row->addWidget(set);
    content()->addLayout(row);
    content()->addWidget(m_remark);

    auto *suggestions = new QWidget(this);
    auto *flow = new FlowLayout(suggestions);
    QList<qint64> values = limitSuggestions(kind);
    if (!values.contains(usual))
        values.prepend(usual);
    for (const qint64 suggestion : values) {
        auto *button = new QToolButton(suggestions);
        const QString text = limitText(kind, suggestion);
        button->setText(suggestion == usual ? tr("%1 (default)").arg(text) : text);
        setLook(button, ButtonLook::Quiet);
        setNames(button, u"bench.limit.suggestion"_s + QString::number(suggestion), button->text());
        connect(button, &QToolButton::clicked, this, [this, suggestion] {
            Q_EMIT chosen(suggestion);
            close(true);
        });
        flow->addWidget(button);
    }
    content()->addWidget(suggestions);

    connect(m_field, &QLineEdit::textChanged, this, &LimitEditor::check);
    connect(m_field, &QLineEdit::returnPressed, this, &LimitEditor::take);
    connect(set, &QPushButton::clicked, this, &LimitEditor::take);
    check();
    open(m_field);
}

void LimitEditor::check()
{
    const LimitRemark remark = limitRemark(m_kind, parseLimit(m_kind, m_field->text()), m_usual);
    m_remark->setText(remark.text);
    setTextColour(m_remark, remark.isWarning ? Colour::Warn : Colour::Dim);
}

void LimitEditor::take()
{
    if (const auto value = parseLimit(m_kind, m_field->text())) {
        Q_EMIT chosen(*value);
        close(true);
    }
}

} // namespace glovebox
