// SPDX-License-Identifier: Apache-2.0
#include "passphrasepane.h"

#include "app/workbench/shell/look.h"

#include <QLineEdit>
#include <QPushButton>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int passphraseMax = 1024; // characters, as at the prompt of the command line

std::shared_ptr<SecretValue> typedIn(const QLineEdit &field)
{
    QByteArray typed = field.text().toUtf8();
    auto value = std::make_shared<SecretValue>(SecretValue::copyOf(typed));
    wipe(typed.data(), std::size_t(typed.size()));
    return value;
}

} // namespace

PassphrasePane::PassphrasePane(QWidget *parent)
    : Pane(u"vault.passphrase"_s, parent)
{
    m_title = addLabel(u"title"_s, FontRole::Title);
    m_remark = addLabel(u"remark"_s, FontRole::Base, Colour::Dim);
    m_column->addSpacing(Space::s);
    const auto addField = [&](const QString &title, const QString &name, QLabel *&label) {
        label = makeLabel(title, m_body, FontRole::Small, Colour::Dim);
        m_column->addWidget(label);
        auto *field = new QLineEdit(m_body);
        field->setEchoMode(QLineEdit::Password);
        field->setLayoutDirection(Qt::LeftToRight);
        field->setContextMenuPolicy(Qt::NoContextMenu);
        field->setMaxLength(passphraseMax);
        setNames(field, u"vault.passphrase."_s + name, title);
        m_column->addWidget(field);
        connect(field, &QLineEdit::returnPressed, this, &PassphrasePane::done);
        return field;
    };
    m_present = addField(tr("Passphrase"), u"present"_s, m_presentTitle);
    m_next = addField(tr("New passphrase: several words make a good one"), u"next"_s, m_nextTitle);
    m_again = addField(tr("Repeat passphrase"), u"again"_s, m_againTitle);
    m_trouble = addLabel(u"trouble"_s, FontRole::Base, Colour::Warn);
    m_column->addSpacing(Space::s);
    m_done = makeButton({}, u"done"_s);
    setLook(m_done, ButtonLook::Primary);
    auto *cancel = makeButton(tr("Cancel"), u"cancel"_s);
    addRow({m_done, cancel});
    m_newFile = makeButton(tr("Forgotten, or the file is damaged?"), u"new"_s);
    setLook(m_newFile, ButtonLook::Link);
    addRow({m_newFile});
    m_question = addLabel(u"question"_s, FontRole::Base, Colour::Warn);
    m_question->setText(tr("Begin with a new file? The old file stays beside it, whole and under another name. Its "
                           "secrets have no values until you put it back."));
    auto *yes = makeButton(tr("Begin a new file"), u"yes"_s);
    auto *no = makeButton(tr("Keep this one"), u"no"_s);
    m_answers = addRow({yes, no});
    m_column->addStretch();
    setWidget(m_body);

    connect(m_done, &QPushButton::clicked, this, &PassphrasePane::done);
    connect(cancel, &QPushButton::clicked, this, &PassphrasePane::dismissed);
    connect(m_newFile, &QPushButton::clicked, this, [this] { ask(true); });
    connect(no, &QPushButton::clicked, this, [this] {
        ask(false);
        m_present->setFocus();
    });
    connect(yes, &QPushButton::clicked, this, [this] {
        ask(false);
        Q_EMIT newFileWanted();
    });
}

void PassphrasePane::begin(Purpose purpose)
{
    m_purpose = purpose;
    finish();
    const bool unlock = purpose == Purpose::Unlock;
    m_title->setText(unlock                       ? tr("Unlock the file of secrets")
                     : purpose == Purpose::Choose ? tr("A file for secrets")
                                                  : tr("Change the passphrase"));
    m_remark->setText(unlock ? tr("The file stays open until Glovebox ends, or until you lock it.")
                      : purpose == Purpose::Choose
                          ? tr("Secrets will be kept in a file that a passphrase opens. If you forget the passphrase, "
                               "the secrets can't be recovered.")
                          : tr("Other programs that have the file open will ask for the new one."));
    m_presentTitle->setText(unlock ? tr("Passphrase") : tr("Current passphrase"));
    m_present->setAccessibleName(m_presentTitle->text());
    for (QWidget *widget : {static_cast<QWidget *>(m_presentTitle), static_cast<QWidget *>(m_present)})
        widget->setVisible(purpose != Purpose::Choose);
    for (QWidget *widget : {static_cast<QWidget *>(m_nextTitle), static_cast<QWidget *>(m_next),
                            static_cast<QWidget *>(m_againTitle), static_cast<QWidget *>(m_again)})
        widget->setVisible(!unlock);
    setBusy(false);
    ask(false);
    m_newFile->setVisible(unlock);
    (purpose == Purpose::Choose ? m_next : m_present)->setFocus();
}

void PassphrasePane::setBusy(bool busy)
{
    m_busy = busy;
    m_done->setEnabled(!busy);
    m_done->setText(busy                           ? tr("Working…")
                    : m_purpose == Purpose::Unlock ? tr("Unlock")
                    : m_purpose == Purpose::Choose ? tr("Make the file")
                                                   : tr("Change it"));
    m_done->setAccessibleName(m_done->text());
    if (busy)
        say({});
}

void PassphrasePane::say(const QString &sentence)
{
    showText(m_trouble, sentence);
    if (sentence.isEmpty() || !isVisible()) // it may have been closed meanwhile, and the focus is elsewhere
        return;
    QLineEdit *first = m_purpose == Purpose::Choose ? m_next : m_present;
    first->setFocus();
    first->selectAll();
    ensureWidgetVisible(m_trouble);
}

void PassphrasePane::finish()
{
    for (QLineEdit *field : {m_present, m_next, m_again})
        field->setText({}); // clear() could be undone: it keeps what was there
    say({});
}

void PassphrasePane::done()
{
    if (m_busy)
        return;
    if (m_purpose != Purpose::Choose && m_present->text().isEmpty())
        return say(tr("Type the passphrase first."));
    if (m_purpose != Purpose::Unlock && m_next->text() != m_again->text())
        return say(tr("The two passphrases differ. Nothing was changed; type them again."));
    setBusy(true);
    Q_EMIT wanted(m_purpose == Purpose::Choose ? nullptr : typedIn(*m_present),
                  m_purpose == Purpose::Unlock ? nullptr : typedIn(*m_next));
}

void PassphrasePane::ask(bool asking)
{
    m_question->setVisible(asking);
    m_answers->setVisible(asking);
    m_newFile->setVisible(!asking && m_purpose == Purpose::Unlock);
    if (asking) {
        m_answers->findChild<QPushButton *>(u"vault.passphrase.no"_s)->setFocus();
        ensureWidgetVisible(m_answers);
    }
}

bool PassphrasePane::withdraw()
{
    const bool asking = !m_question->isHidden();
    if (asking)
        ask(false);
    return asking;
}

} // namespace glovebox
