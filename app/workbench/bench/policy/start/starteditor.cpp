// SPDX-License-Identifier: Apache-2.0
#include "starteditor.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>

namespace glovebox {

using namespace Qt::StringLiterals;

StartEditor::StartEditor(Theme &theme, QWidget *anchor, const StartChoice &current, StartPart part)
    : Popover(theme, anchor, u"bench.start"_s, tr("Arguments, variables and input"), 440)
    , m_theme(theme)
    , m_arguments(new QLineEdit(current.arguments, this))
{
    content()->addWidget(makeLabel(tr("Arguments"), this, FontRole::Strong));
    setFontRole(m_arguments, FontRole::Code);
    setNames(m_arguments, u"bench.start.arguments"_s, tr("Arguments, with spaces between them"));
    m_arguments->setPlaceholderText(tr("--name \"two words\""));
    m_arguments->setLayoutDirection(Qt::LeftToRight);
    content()->addWidget(m_arguments);
    m_variables = addText(
        tr("Environment variables"),
        tr("NAME=value, one a line. Give secrets from the vault instead: these values are stored in plain text."),
        u"bench.start.variables"_s, current.variables);
    m_secret = makeLabel({}, this, FontRole::Base, Colour::Warn);
    content()->addWidget(m_secret);
    m_input = addText(tr("Input"), tr("Each run reads this, and then its end. Empty: what you type while it runs."),
                      u"bench.start.input"_s, current.input);
    m_wrong = makeLabel({}, this, FontRole::Base, Colour::Bad);
    m_wrong->setObjectName(u"bench.start.wrong"_s);
    content()->addWidget(m_wrong);
    m_wrong->hide();
    auto *row = new QHBoxLayout;
    row->setSpacing(Space::s);
    auto *none = makeButton(tr("None of these"), u"bench.start.none"_s, this);
    auto *set = makeButton(tr("Set"), u"bench.start.set"_s, this);
    row->addWidget(none);
    row->addStretch(1);
    row->addWidget(set);
    content()->addLayout(row);
    connect(m_arguments, &QLineEdit::returnPressed, this, &StartEditor::take);
    connect(m_variables, &QPlainTextEdit::textChanged, this, &StartEditor::warnOfSecrets);
    connect(set, &QPushButton::clicked, this, &StartEditor::take);
    connect(none, &QPushButton::clicked, this, [this] {
        Q_EMIT chosen({});
        close(true);
    });
    warnOfSecrets();
    open(part == StartPart::Arguments   ? static_cast<QWidget *>(m_arguments)
         : part == StartPart::Variables ? m_variables
                                        : m_input);
}

QPlainTextEdit *StartEditor::addText(const QString &title, const QString &about, const QString &name,
                                     const QString &text)
{
    content()->addWidget(makeLabel(title, this, FontRole::Strong));
    content()->addWidget(makeLabel(about, this, FontRole::Base, Colour::Dim));
    auto *field = new QPlainTextEdit(text, this);
    setFontRole(field, FontRole::Code);
    setNames(field, name, title);
    field->setTabChangesFocus(true);
    field->setLayoutDirection(Qt::LeftToRight);
    field->setLineWrapMode(QPlainTextEdit::NoWrap);
    field->setFixedHeight(m_theme.scaled(76));
    content()->addWidget(field);
    return field;
}

void StartEditor::warnOfSecrets()
{
    const QList<Leak> leaks = findLeaks(m_variables->toPlainText().toUtf8());
    showText(m_secret, leaks.isEmpty()
                           ? QString()
                           : tr("This looks like a secret: %1. Give it from the vault, which keeps its value safe.")
                                 .arg(translated(leakName(leaks.first().kind))));
}

void StartEditor::take()
{
    const StartChoice start{m_arguments->text().trimmed(), m_variables->toPlainText(), m_input->toPlainText()};
    const auto arguments = argumentsFrom(start.arguments);
    const auto variables = variablesFrom(start.variables);
    if (arguments && variables) {
        Q_EMIT chosen(start);
        return close(true);
    }
    showText(m_wrong, arguments ? variables.error() : arguments.error());
    if (arguments)
        m_variables->setFocus();
    else
        m_arguments->setFocus();
}

} // namespace glovebox
