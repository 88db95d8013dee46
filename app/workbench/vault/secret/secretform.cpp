// SPDX-License-Identifier: Apache-2.0
#include "secretform.h"

#include "limitsform.h"
#include "valuefield.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include <QLineEdit>
#include <QPushButton>

namespace glovebox {

using namespace Qt::StringLiterals;

SecretForm::SecretForm(QThreadPool &pool, const QList<std::pair<QString, QString>> &languages, QWidget *parent)
    : Pane(u"vault.form"_s, parent)
{
    m_title = addLabel(u"title"_s, FontRole::Title);
    m_column->addSpacing(Space::xs);
    const auto addField = [&](const QString &title, const QString &name) {
        m_column->addWidget(makeLabel(title, m_body, FontRole::Small, Colour::Dim));
        auto *field = new QLineEdit(m_body);
        setNames(field, u"vault.form."_s + name, title);
        m_column->addWidget(field);
        return field;
    };
    m_name = addField(tr("Name, which is the variable's name too"), u"name"_s);
    m_name->setPlaceholderText(tr("Letters, digits and _, for example %1").arg(u"API_KEY"_s));
    m_name->setLayoutDirection(Qt::LeftToRight);
    m_column->addWidget(makeLabel(tr("Value"), m_body, FontRole::Small, Colour::Dim));
    m_value = new ValueField(pool, m_body);
    m_column->addWidget(m_value);
    m_note = addField(tr("Note"), u"note"_s);
    m_column->addSpacing(Space::s);
    m_column->addWidget(makeLabel(tr("Allowed for"), m_body, FontRole::Strong));
    m_limits = new LimitsForm(languages, m_body);
    m_column->addWidget(m_limits);
    m_trouble = addLabel(u"trouble"_s, FontRole::Base, Colour::Warn);
    m_save = makeButton(tr("Save"), u"save"_s, tr("Save the secret"));
    setLook(m_save, ButtonLook::Primary);
    auto *cancel = makeButton(tr("Cancel"), u"cancel"_s);
    addRow({m_save, cancel});
    m_column->addStretch();
    setWidget(m_body);

    connect(m_save, &QPushButton::clicked, this, &SecretForm::save);
    connect(cancel, &QPushButton::clicked, this, &SecretForm::dismissed);
    connect(m_value, &ValueField::troubled, this, &SecretForm::say);
    for (QLineEdit *field : m_body->findChildren<QLineEdit *>())
        connect(field, &QLineEdit::returnPressed, this, &SecretForm::save);
}

void SecretForm::begin(const std::optional<SecretInfo> &secret)
{
    m_before = secret;
    m_title->setText(secret ? tr("Change %1").arg(secret->name) : tr("New secret"));
    m_name->setText(secret ? secret->name : QString());
    m_value->clear();
    m_value->setHint(secret ? tr("stays as it is") : tr("hidden as you type, never in the log"));
    m_note->setText(secret ? secret->note : QString());
    m_limits->setLimits(secret ? secret->limits : SecretLimits());
    setBusy(false);
    say({});
    m_name->setFocus();
    m_name->selectAll();
    ensureVisible(0, 0);
}

bool SecretForm::isTouched() const
{
    const SecretInfo before = m_before.value_or(SecretInfo());
    const auto limits = m_limits->limits();
    return m_name->text() != before.name || m_note->text() != before.note || !m_value->isEmpty()
           || !m_value->fileBeingRead().isEmpty() || !limits || *limits != before.limits;
}

void SecretForm::say(const QString &sentence)
{
    showText(m_trouble, sentence);
    if (!sentence.isEmpty())
        ensureWidgetVisible(m_trouble);
}

void SecretForm::keep(const std::optional<SecretInfo> &now, const QString &sentence)
{
    m_before = now;
    m_title->setText(now ? tr("Change %1").arg(now->name) : tr("New secret"));
    say(sentence);
}

void SecretForm::finish()
{
    m_value->clear();
}

void SecretForm::save()
{
    Wanted secret{
        .before = m_before, .name = m_name->text().trimmed(), .note = m_note->text(), .limits = {}, .value = {}};
    const bool keepsName = m_before && m_before->name == secret.name;
    if (const auto sound = keepsName ? Status() : checkNewSecretName(secret.name); !sound)
        return say(translated(sound.error().message));
    const auto limits = m_limits->limits();
    if (!limits)
        return say(limits.error());
    secret.limits = *limits;
    if (const QString path = m_value->fileBeingRead(); !path.isEmpty())
        return say(tr("%1 is still being read. Wait for it, or put in another value.").arg(path));
    if (!m_before && m_value->isEmpty())
        return say(tr("The secret has no value yet."));
    if (!m_value->isEmpty()) {
        secret.value = std::make_shared<SecretValue>(m_value->value());
        if (const auto fits = checkSecretValue(secret.value->view()); !fits)
            return say(translated(fits.error().message));
    }
    say({});
    setBusy(true);
    Q_EMIT wanted(secret);
}

} // namespace glovebox
