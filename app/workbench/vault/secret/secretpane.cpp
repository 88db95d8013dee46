// SPDX-License-Identifier: Apache-2.0
#include "secretpane.h"

#include "holdtoshow.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include <QPushButton>
#include <QToolButton>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

const QString dots(12, QChar(0x2022));
constexpr int longestPiece = 24; // of a name or a value, which would make the pane wider than its place
constexpr qsizetype shownMax = 4096; // characters; the rest is told by its size

} // namespace

SecretPane::SecretPane(Theme &theme, QWidget *parent)
    : Pane(u"vault.details"_s, parent)
{
    m_column->setContentsMargins(Space::l, Space::m, Space::m, Space::m);
    m_column->setSpacing(Space::s);
    auto *head = new QHBoxLayout;
    m_title = makeLabel({}, m_body, FontRole::Title);
    markAsData(m_title);
    m_title->setObjectName(u"vault.details.name"_s);
    head->addWidget(m_title, 1);
    auto *close = makeIconButton(theme.icon(Icon::Close, Colour::Dim), u"vault.details.close"_s,
                                 tr("Close the details"), m_body, tr("Close the details (Esc)"));
    close->setFocusPolicy(Qt::StrongFocus);
    head->addWidget(close, 0, Qt::AlignTop);
    m_column->addLayout(head);
    m_value = addLabel(u"value"_s, FontRole::Code);
    markAsData(m_value);
    m_value->setText(dots);
    m_value->setTextInteractionFlags(Qt::NoTextInteraction); // what is selected is on a clipboard, too
    m_show = new HoldToShow(m_body);
    setNames(m_show, u"vault.details.show"_s, m_show->text());
    auto *copy = makeButton(tr("Copy"), u"copy"_s);
    addRow({m_show, copy});
    m_remark = addLabel(u"remark"_s, FontRole::Base, Colour::Warn);
    m_facts = addLabel(u"facts"_s, FontRole::Base, Colour::Dim);
    m_runs = makeButton(tr("Show the runs that asked for it"), u"runs"_s);
    setLook(m_runs, ButtonLook::Link);
    addRow({m_runs});
    auto *change = makeButton(tr("Change…"), u"change"_s);
    auto *remove = makeButton(tr("Remove…"), u"remove"_s);
    m_usual = addRow({change, remove});
    m_question = addLabel(u"question"_s, FontRole::Base, Colour::Warn);
    m_yes = makeButton(tr("Remove it"), u"yes"_s);
    m_no = makeButton(tr("Keep it"), u"no"_s);
    m_answers = addRow({m_yes, m_no});
    m_column->addStretch();
    setWidget(m_body);

    connect(close, &QToolButton::clicked, this, &SecretPane::dismissed);
    connect(m_show, &HoldToShow::held, this, [this] { Q_EMIT revealWanted(m_name); });
    connect(m_show, &HoldToShow::ended, this, [this] { m_value->setText(dots); });
    connect(copy, &QPushButton::clicked, this, [this] { Q_EMIT copyWanted(m_name); });
    connect(m_runs, &QPushButton::clicked, this, [this] { Q_EMIT runsWanted(m_name); });
    connect(change, &QPushButton::clicked, this, [this] { Q_EMIT changeWanted(m_name); });
    connect(remove, &QPushButton::clicked, this, &SecretPane::askToRemove);
    connect(m_no, &QPushButton::clicked, this, [this] { ask({}, {}); });
    connect(m_yes, &QPushButton::clicked, this, [this] {
        const bool forgetting = m_forgetting;
        ask({}, {});
        forgetting ? Q_EMIT forgetWanted(m_name) : Q_EMIT removeWanted(m_name);
    });
    ask({}, {});
    say({});
}

void SecretPane::setSecret(const ShownSecret &secret)
{
    const SecretInfo &info = secret.info;
    if (info.name != m_name) {
        m_show->letGo();
        ask({}, {});
        say({});
    }
    m_name = info.name;
    m_title->setText(breakable(info.name, longestPiece));
    QStringList facts;
    if (!info.note.isEmpty())
        facts << info.note;
    facts << tr("Allowed for: %1").arg(limitsPhrase(info.limits));
    facts << tr("Kept in: %1").arg(placeWord(info.store));
    facts << tr("Added %1").arg(dayOf(info.createdMicroseconds));
    if (info.changedMicroseconds != info.createdMicroseconds)
        facts << tr("Value changed %1").arg(dayOf(info.changedMicroseconds));
    facts << (info.lastUsedMicroseconds
                  ? tr("Used by %Ln run(s), last on %1", "", int(info.uses)).arg(dayOf(*info.lastUsedMicroseconds))
                  : tr("No run has used it"));
    m_facts->setText(facts.join(u'\n'));
    const bool gone = secret.state == SecretCheck::State::Gone;
    if (gone)
        say(tr("The secret's value is no longer where it was stored. Change the secret to give it a new one, or remove "
               "it."));
    else if (m_gone)
        say({});
    m_gone = gone;
}

void SecretPane::reveal(const QString &name, const SecretValue &value)
{
    if (name != m_name || !m_show->isDown())
        return;
    QString text = QString::fromUtf8(value.view());
    if (text.size() > shownMax)
        text = text.left(shownMax) + u'…' + u'\n' + tr("%1 in all").arg(sizeWord(value.size()));
    m_value->setText(breakable(withHiddenShown(text), longestPiece));
}

void SecretPane::askToRemove()
{
    m_forgetting = false;
    ask(tr("Remove %1? Its value is also removed, and nobody can bring it back.").arg(m_name), tr("Remove it"));
}

void SecretPane::askToForget(const QString &reason)
{
    m_forgetting = true;
    ask(tr("%1 Nothing was removed. The secret can be taken off the list all the same; its value then stays where it "
           "is.")
            .arg(reason),
        tr("Take it off the list"));
}

void SecretPane::ask(const QString &question, const QString &yes)
{
    const bool asking = !question.isEmpty();
    const bool hadFocus = m_yes->hasFocus() || m_no->hasFocus();
    showText(m_question, question);
    m_yes->setText(yes);
    m_yes->setAccessibleName(yes);
    m_answers->setVisible(asking);
    m_usual->setVisible(!asking);
    if (asking) {
        m_no->setFocus();
        ensureWidgetVisible(m_answers);
    } else if (hadFocus) {
        m_usual->findChild<QPushButton *>(u"vault.details.remove"_s)->setFocus();
    }
}

bool SecretPane::withdraw()
{
    const bool asking = !m_question->isHidden();
    if (asking)
        ask({}, {});
    return asking;
}

} // namespace glovebox
