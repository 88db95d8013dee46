// SPDX-License-Identifier: Apache-2.0
#include "secretpane.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words.h"

#include <QGuiApplication>
#include <QKeyEvent>
#include <QLocale>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace glovebox {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

const QString dots(12, QChar(0x2022));

} // namespace

SecretPane::SecretPane(Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
{
    setObjectName(u"vault.details"_s);
    setBackground(this, Colour::Raised);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(Space::l, Space::m, Space::m, Space::m);
    column->setSpacing(Space::s);
    auto *head = new QHBoxLayout;
    m_title = makeLabel({}, this, FontRole::Title);
    markAsData(m_title);
    m_title->setObjectName(u"vault.details.name"_s);
    head->addWidget(m_title, 1);
    auto *close = new QToolButton(this);
    setLook(close, ButtonLook::Quiet);
    close->setIcon(theme.icon(Icon::Close, Colour::Dim));
    close->setFocusPolicy(Qt::StrongFocus);
    setNames(close, u"vault.details.close"_s, tr("Close the details"), tr("Close the details (Esc)"));
    head->addWidget(close, 0, Qt::AlignTop);
    column->addLayout(head);
    m_value = makeLabel(dots, this, FontRole::Code);
    markAsData(m_value);
    m_value->setObjectName(u"vault.details.value"_s);
    m_value->setTextInteractionFlags(Qt::NoTextInteraction); // what is selected is on a clipboard, too
    column->addWidget(m_value);
    auto *valueRow = new QHBoxLayout;
    valueRow->setSpacing(Space::s);
    const auto makeButton = [this](const QString &text, const QString &name, QWidget *owner) {
        auto *button = new QPushButton(text, owner);
        button->setAutoDefault(false);
        setNames(button, u"vault.details."_s + name, text);
        return button;
    };
    m_show = makeButton(tr("Hold to show"), u"show"_s, this);
    auto *copy = makeButton(tr("Copy"), u"copy"_s, this);
    valueRow->addWidget(m_show);
    valueRow->addWidget(copy);
    valueRow->addStretch();
    column->addLayout(valueRow);
    m_remark = makeLabel({}, this, FontRole::Base, Colour::Warn);
    m_remark->setObjectName(u"vault.details.remark"_s);
    column->addWidget(m_remark);
    m_facts = makeLabel({}, this, FontRole::Base, Colour::Dim);
    m_facts->setObjectName(u"vault.details.facts"_s);
    column->addWidget(m_facts);

    m_usual = new QWidget(this);
    auto *usual = new QHBoxLayout(m_usual);
    usual->setContentsMargins(0, 0, 0, 0);
    usual->setSpacing(Space::s);
    auto *change = makeButton(tr("Change…"), u"change"_s, m_usual);
    auto *remove = makeButton(tr("Remove…"), u"remove"_s, m_usual);
    usual->addWidget(change);
    usual->addWidget(remove);
    usual->addStretch();
    column->addWidget(m_usual);
    m_question = makeLabel({}, this, FontRole::Base, Colour::Warn);
    m_question->setObjectName(u"vault.details.question"_s);
    column->addWidget(m_question);
    m_answers = new QWidget(this);
    auto *answers = new QHBoxLayout(m_answers);
    answers->setContentsMargins(0, 0, 0, 0);
    answers->setSpacing(Space::s);
    auto *yes = makeButton(tr("Remove it"), u"yes"_s, m_answers);
    auto *no = makeButton(tr("Keep it"), u"no"_s, m_answers);
    answers->addWidget(yes);
    answers->addWidget(no);
    answers->addStretch();
    column->addWidget(m_answers);
    column->addStretch();

    connect(close, &QToolButton::clicked, this, &SecretPane::dismissed);
    connect(m_show, &QPushButton::pressed, this, [this] { Q_EMIT revealWanted(m_name); });
    connect(m_show, &QPushButton::released, this, &SecretPane::hideValue);
    connect(copy, &QPushButton::clicked, this, [this] { Q_EMIT copyWanted(m_name); });
    connect(change, &QPushButton::clicked, this, [this] { Q_EMIT changeWanted(m_name); });
    connect(remove, &QPushButton::clicked, this, [this] { ask(true); });
    connect(no, &QPushButton::clicked, this, [this] { ask(false); });
    connect(yes, &QPushButton::clicked, this, [this] {
        ask(false);
        Q_EMIT removeWanted(m_name);
    });
    m_longest.setSingleShot(true);
    m_longest.setInterval(30s);
    connect(&m_longest, &QTimer::timeout, this, &SecretPane::hideValue);
    connect(qGuiApp, &QGuiApplication::applicationStateChanged, this, &SecretPane::hideValue);
    m_show->installEventFilter(this);
    ask(false);
    say({});
}

void SecretPane::setSecret(const ShownSecret &secret)
{
    const SecretInfo &info = secret.info;
    if (info.name != m_name) {
        hideValue();
        ask(false);
        say({});
    }
    m_name = info.name;
    m_title->setText(info.name);
    QStringList facts;
    if (!info.note.isEmpty())
        facts << info.note;
    facts << tr("Lent to: %1").arg(limitsPhrase(info.limits));
    facts << tr("Added %1").arg(dayOf(info.createdMicroseconds));
    if (info.changedMicroseconds != info.createdMicroseconds)
        facts << tr("Its value is of %1").arg(dayOf(info.changedMicroseconds));
    facts << (info.lastUsedMicroseconds
                  ? tr("Used by %n run(s), last on %1", "", int(info.uses)).arg(dayOf(*info.lastUsedMicroseconds))
                  : tr("No run has used it"));
    m_facts->setText(facts.join(u'\n'));
    if (secret.state == SecretCheck::State::Gone)
        say(tr(
            "Its value is gone: another program removed it from where it was kept. Change it to give it a new one, or "
            "remove it."));
}

void SecretPane::reveal(const QString &name, const SecretValue &value)
{
    if (name != m_name || !m_show->isDown())
        return;
    m_value->setText(withHiddenShown(QString::fromUtf8(value.view())));
    m_longest.start();
}

void SecretPane::hideValue()
{
    m_longest.stop();
    m_value->setText(dots);
}

void SecretPane::say(const QString &sentence)
{
    m_remark->setText(sentence);
    m_remark->setVisible(!sentence.isEmpty());
}

void SecretPane::ask(bool asking)
{
    m_question->setText(tr("Remove %1? Its value is removed too, and nobody can bring it back.").arg(m_name));
    m_question->setVisible(asking);
    m_answers->setVisible(asking);
    m_usual->setVisible(!asking);
    if (asking)
        m_answers->findChild<QPushButton *>(u"vault.details.no"_s)->setFocus();
}

void SecretPane::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        m_question->isHidden() ? Q_EMIT dismissed() : ask(false);
    else
        QWidget::keyPressEvent(event);
}

bool SecretPane::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_show && (event->type() == QEvent::FocusOut || event->type() == QEvent::Hide)) {
        m_show->setDown(false);
        hideValue();
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace glovebox
