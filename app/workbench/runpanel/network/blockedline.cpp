// SPDX-License-Identifier: Apache-2.0
#include "blockedline.h"

#include "networkmodel.h"

#include "app/workbench/runpanel/story/runstory.h"
#include "app/workbench/shell/look.h"

#include "engine/network/network.h"

#include <QEvent>
#include <QHBoxLayout>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int roomForWays = 760; // beside the words
constexpr int roomForTwo = 420; // lines: the height of a window

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
    m_words = new QHBoxLayout;
    m_words->setSpacing(Space::s);
    m_words->addWidget(new IconView(theme, Icon::Warning, Colour::Warn, this));
    QLabel *word = makeLabel(tr("Blocked:"), this, FontRole::Strong);
    word->setWordWrap(false);
    m_words->addWidget(word);
    m_sentence->setObjectName(u"bench.blocked.sentence"_s);
    m_sentence->setMinimumWidth(1); // a name that doesn't break must not make the window wider
    m_sentence->installEventFilter(this);
    m_words->addWidget(m_sentence, 1);
    m_lines->addLayout(m_words, 1);
    m_row = new QHBoxLayout;
    m_row->setSpacing(Space::s);
    m_lines->addLayout(m_row);

    auto *ways = rowIn(m_ways, Space::s);
    m_question = makeLabel({}, m_ways, FontRole::Base, Colour::Dim);
    m_question->setWordWrap(false);
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
    m_row->addWidget(m_ways);
    m_choose = addLink(m_row, u"choose"_s, tr("Choose…"));
    m_why = addLink(m_row, u"why"_s, tr("Why?"));
    for (const QPushButton *button : {m_choose, m_why})
        connect(button, &QPushButton::clicked, this, &BlockedLine::reasonWanted);
    m_row->addStretch();
    m_close =
        makeIconButton(theme.icon(Icon::Close, Colour::Dim), u"bench.blocked.close"_s, tr("Hide this line"), this);
    connect(m_close, &QToolButton::clicked, this, [this] {
        m_dismissed = m_run;
        hide();
    });
    m_row->addWidget(m_close);
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
    arrange();
}

// A window that gets higher, or lower, moves what is at its bottom.
void BlockedLine::moveEvent(QMoveEvent *event)
{
    QWidget::moveEvent(event);
    arrange();
}

// The sentence has its place when the line is laid out.
bool BlockedLine::eventFilter(QObject *object, QEvent *event)
{
    if (event->type() == QEvent::Resize)
        showSentence();
    return QWidget::eventFilter(object, event);
}

// Where it is narrow: two lines, and one in a low window, where the output has hardly any room. The ways are in the Network tab then.
// Several hosts are a few words and one way, which have room anywhere.
void BlockedLine::arrange()
{
    const bool beside = m_isSeveral || width() >= m_theme.scaled(roomForWays);
    const bool isLow = !beside && window()->height() < m_theme.scaled(roomForTwo);
    m_lines->setDirection(beside || isLow ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_sentence->setWordWrap(beside);
    if (QHBoxLayout *ends = beside || isLow ? m_row : m_words; ends->indexOf(m_close) < 0)
        ends->addWidget(m_close);
    m_ways->setVisible(!m_rule.isEmpty() && !isLow);
    m_choose->setVisible(m_isSeveral || (isLow && !m_rule.isEmpty()));
    m_choose->setText(m_isSeveral ? tr("Choose…") : tr("Allow…"));
    m_choose->setAccessibleName(m_isSeveral ? tr("Choose…") : tr("Allow %1…").arg(m_rule));
    const QString question = tr("Allow and run again");
    const int others = m_ways->sizeHint().width() - m_question->sizeHint().width() + m_why->sizeHint().width();
    const int needed = others + QFontMetrics(m_question->font()).horizontalAdvance(question) + 5 * Space::s;
    m_question->setText(beside || needed <= width() ? question : tr("Allow"));
    showSentence();
}

// A place that is cut is whole in the tip, and behind "Why?".
void BlockedLine::showSentence()
{
    const QFontMetrics metrics(m_sentence->font());
    const bool fits = m_sentence->wordWrap() || metrics.horizontalAdvance(m_whole) <= m_sentence->width();
    const QString text = fits ? m_whole : metrics.elidedText(m_brief, Qt::ElideMiddle, m_sentence->width());
    if (m_sentence->text() != text)
        m_sentence->setText(text);
    m_sentence->setToolTip(fits ? QString() : m_whole);
    m_sentence->setAccessibleName(m_whole);
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
        m_whole = blockedSentence(blocked.first(), run->policy());
        m_brief = placeOf(blocked.first());
        for (auto *link : m_ways->findChildren<QPushButton *>()) {
            link->setAccessibleName(tr("Allow %1 and run again, %2").arg(m_rule, link->text()));
            link->setToolTip(link->accessibleName());
        }
    } else {
        m_whole = m_brief = tr("%Ln host(s).", "", int(blocked.size()));
    }
    m_isSeveral = blocked.size() > 1;
    m_why->setVisible(blocked.size() == 1);
    setVisible(!blocked.isEmpty() && m_dismissed != run);
    arrange();
}

} // namespace glovebox
