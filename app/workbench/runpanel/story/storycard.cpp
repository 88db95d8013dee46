// SPDX-License-Identifier: Apache-2.0
#include "storycard.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>

#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int longestPiece = 24; // of a path or a hash, which would make all sentences wider than the card

} // namespace

StoryCard::StoryCard(Theme &theme, QWidget *parent)
    : QFrame(parent)
    , m_theme(theme)
{
    setObjectName(u"bench.story"_s);
    setAccessibleName(tr("What it tried"));
    setBackground(this, Colour::Raised);
    auto *layout = columnIn(this, Space::s, {Space::s, Space::m, Space::s, Space::s}); // and around the sentences

    auto *head = new QHBoxLayout;
    head->setContentsMargins(Space::xs, 0, Space::xs, 0);
    head->addWidget(makeLabel(tr("What it tried"), this, FontRole::Strong), 1);
    auto *close =
        makeIconButton(theme.icon(Icon::Close, Colour::Dim), u"bench.story.close"_s, tr("Hide this card"), this);
    connect(close, &QToolButton::clicked, this, &StoryCard::closed);
    head->addWidget(close);
    layout->addLayout(head);

    m_area = new QScrollArea(this);
    scrollDownOnly(m_area, Colour::Raised);
    setNames(m_area, u"bench.story.sentences"_s, tr("Attempts of the run, sentence by sentence"));
    m_area->setFocusPolicy(Qt::NoFocus);
    connect(m_area->verticalScrollBar(), &QScrollBar::rangeChanged, this,
            [this](int, int hidden) { m_area->setFocusPolicy(hidden > 0 ? Qt::TabFocus : Qt::NoFocus); });
    m_list = new QWidget(m_area);
    setBackground(m_list, Colour::Raised);
    m_sentences = columnIn(m_list, Space::s, {Space::xs, Space::xs, Space::xs, Space::xs}); // the area's ring
    m_area->setWidget(m_list);
    layout->addWidget(m_area, 1);
    setFocusProxy(m_area);
    setMinimumWidth(200);
}

void StoryCard::setStory(const QList<StorySentence> &story)
{
    m_story = story;
    tell(toldAtFirst(story));
    m_area->verticalScrollBar()->setValue(0); // the run before may have been read to its end
}

void StoryCard::tell(qsizetype count)
{
    clearLayout(m_sentences);
    m_last = m_area;
    for (const StorySentence &sentence : m_story.first(count)) {
        auto *row = new QWidget(m_list);
        auto *line = rowIn(row, Space::s);
        // A shape with each tone: colour alone says nothing.
        const Colour colour = sentence.tone == Tone::Info ? Colour::Dim : toneColour(sentence.tone);
        line->addWidget(new IconView(m_theme, toneIcon(sentence.tone), colour, row), 0, Qt::AlignTop);
        auto *words = new QVBoxLayout;
        words->setSpacing(Space::xs);
        words->addWidget(makeLabel(breakable(sentence.text, longestPiece), row, FontRole::Base,
                                   sentence.tone == Tone::Info ? Colour::Dim : Colour::Text));
        if (!sentence.ways.isEmpty())
            words->addWidget(makeWays(sentence.ways, row));
        line->addLayout(words, 1);
        m_sentences->addWidget(row);
    }
    if (const qsizetype more = m_story.size() - count; more > 0) {
        auto *all = makeButton(tr("and %Ln more", "", int(more)), u"bench.story.more"_s, m_list,
                               tr("%Ln more fact(s) about this run", "", int(more)));
        setLook(all, ButtonLook::Link);
        QWidget::setTabOrder(m_last, all);
        connect(all, &QPushButton::clicked, this, [this] {
            m_area->setFocus(); // the button goes, and the keyboard would with it
            tell(m_story.size());
        });
        m_sentences->addWidget(all, 0, Qt::AlignLeft);
    }
    m_sentences->addStretch(1);
}

QWidget *StoryCard::makeWays(const QList<StoryWay> &ways, QWidget *parent)
{
    auto *owner = new QWidget(parent);
    auto *row = rowIn(owner, Space::m);
    for (const StoryWay way : ways) {
        const auto [text, name] = way == StoryWay::Undo ? std::pair(tr("Undo this run…"), u"bench.story.undo"_s)
                                  : way == StoryWay::Session
                                      ? std::pair(tr("Show the session"), u"bench.story.session"_s)
                                      : std::pair(tr("Show the page Doctor"), u"bench.story.doctor"_s);
        auto *link = makeButton(text, name, owner);
        setLook(link, ButtonLook::Link);
        connect(link, &QPushButton::clicked, this, [this, way] { Q_EMIT wayWanted(way); });
        row->addWidget(link);
        QWidget::setTabOrder(m_last, link);
        m_last = link;
    }
    row->addStretch();
    return owner;
}

} // namespace glovebox
