// SPDX-License-Identifier: Apache-2.0
#include "blockedline.h"

#include "app/workbench/runpanel/story/runstory.h"
#include "app/workbench/shell/look.h"

#include "engine/network/network.h"

#include <QHBoxLayout>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int roomForWays = 760; // beside the words

} // namespace

BlockedLine::BlockedLine(Theme &theme, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_sentence(makeLabel({}, this))
    , m_ways(new QWidget(this))
{
    setObjectName(u"bench.blocked"_s);
    setBackground(this, Colour::Panel);
    auto *column = columnIn(this, 0);
    column->addWidget(makeRule(Qt::Horizontal, this));
    auto *whole = new QHBoxLayout;
    whole->setSpacing(0);
    column->addLayout(whole);
    whole->addWidget(makeStripe(Colour::Warn, this));
    m_lines = new QBoxLayout(QBoxLayout::TopToBottom);
    m_lines->setContentsMargins(Space::m, Space::xs, Space::s, Space::xs);
    m_lines->setSpacing(Space::s);
    whole->addLayout(m_lines, 1);
    auto *words = new QHBoxLayout;
    words->setSpacing(Space::s);
    words->addWidget(new IconView(theme, Icon::Warning, Colour::Warn, this));
    QLabel *word = makeLabel(tr("Blocked:"), this, FontRole::Strong);
    word->setWordWrap(false);
    words->addWidget(word);
    m_sentence->setObjectName(u"bench.blocked.sentence"_s);
    m_sentence->setMinimumWidth(1); // a name that doesn't break must not make the window wider
    words->addWidget(m_sentence, 1);
    m_lines->addLayout(words, 1);
    auto *row = new QHBoxLayout;
    row->setSpacing(Space::s);
    m_lines->addLayout(row);

    auto *ways = rowIn(m_ways, Space::s);
    m_question = makeLabel(tr("Allow and run again"), m_ways, FontRole::Base, Colour::Dim);
    ways->addWidget(m_question);
    const struct
    {
        AllowFor howLong;
        QString name, text;
    } links[] = {{AllowFor::NextRun, u"once"_s, tr("for the next run")},
                 {AllowFor::Session, u"session"_s, tr("in this tab")},
                 {AllowFor::Always, u"always"_s, tr("always")}};
    for (const auto &link : links) {
        connect(addLink(ways, link.name, link.text), &QPushButton::clicked, this, [this, howLong = link.howLong] {
            if (m_run && !m_rule.isEmpty())
                Q_EMIT allowed(m_run, m_rule, howLong);
        });
    }
    row->addWidget(m_ways);
    m_choose = addLink(row, u"choose"_s, tr("Choose…"));
    m_why = addLink(row, u"why"_s, tr("Why?"));
    for (const QPushButton *button : {m_choose, m_why})
        connect(button, &QPushButton::clicked, this, &BlockedLine::reasonWanted);
    row->addStretch();
    auto *close =
        makeIconButton(theme.icon(Icon::Close, Colour::Dim), u"bench.blocked.close"_s, tr("Hide this line"), this);
    connect(close, &QToolButton::clicked, this, [this] {
        m_dismissed = m_run;
        hide();
    });
    row->addWidget(close);
    hide();
}

QPushButton *BlockedLine::addLink(QHBoxLayout *row, const QString &name, const QString &text)
{
    auto *link = makeButton(text, u"bench.blocked."_s + name, this);
    setLook(link, ButtonLook::Link);
    row->addWidget(link);
    return link;
}

void BlockedLine::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    const bool beside = width() >= m_theme.scaled(roomForWays);
    m_question->setWordWrap(!beside);
    m_lines->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void BlockedLine::setRun(ShownRun *run)
{
    m_run = run;
    const auto blocked =
        run ? blockedOf(run->result() ? run->result()->egress : run->run()->egress()) : QList<EgressAttempt>();
    m_rule.clear();
    if (blocked.size() == 1) {
        if (const auto rule = ruleThatHelps(blocked.first()))
            m_rule = QString::fromStdString(network::toText(*rule));
        m_sentence->setText(blockedSentence(blocked.first(), run->policy()));
        for (auto *link : m_ways->findChildren<QPushButton *>())
            link->setAccessibleName(tr("Allow %1 and run again, %2").arg(m_rule, link->text()));
    } else {
        m_sentence->setText(tr("%n host(s).", "", int(blocked.size())));
    }
    m_ways->setVisible(!m_rule.isEmpty());
    m_choose->setVisible(blocked.size() > 1);
    m_why->setVisible(blocked.size() == 1);
    setVisible(!blocked.isEmpty() && m_dismissed != run);
}

} // namespace glovebox
