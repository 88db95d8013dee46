// SPDX-License-Identifier: Apache-2.0
#include "storycard.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>

namespace glovebox {

using namespace Qt::StringLiterals;

StoryCard::StoryCard(Theme &theme, QWidget *parent)
    : QFrame(parent)
    , m_theme(theme)
{
    setObjectName(u"bench.story"_s);
    setAccessibleName(tr("What it tried"));
    setBackground(this, Colour::Raised);
    auto *layout = columnIn(this, Space::s, {Space::m, Space::m, Space::m, Space::m});

    auto *head = new QHBoxLayout;
    head->addWidget(makeLabel(tr("What it tried"), this, FontRole::Strong), 1);
    auto *close =
        makeIconButton(theme.icon(Icon::Close, Colour::Dim), u"bench.story.close"_s, tr("Hide this card"), this);
    connect(close, &QToolButton::clicked, this, &StoryCard::closed);
    head->addWidget(close);
    layout->addLayout(head);

    m_area = new QScrollArea(this);
    scrollDownOnly(m_area, Colour::Raised);
    m_area->setFocusPolicy(Qt::NoFocus);
    m_list = new QWidget(m_area);
    setBackground(m_list, Colour::Raised);
    m_sentences = columnIn(m_list, Space::s);
    m_area->setWidget(m_list);
    layout->addWidget(m_area, 1);
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
    for (const StorySentence &sentence : m_story.first(count)) {
        auto *row = new QWidget(m_list);
        auto *line = rowIn(row, Space::s);
        // A shape with each tone: colour alone says nothing.
        const Colour colour = sentence.tone == Tone::Info ? Colour::Dim : toneColour(sentence.tone);
        line->addWidget(new IconView(m_theme, toneIcon(sentence.tone), colour, row), 0, Qt::AlignTop);
        auto *words = new QVBoxLayout;
        words->setSpacing(Space::xs);
        words->addWidget(
            makeLabel(sentence.text, row, FontRole::Base, sentence.tone == Tone::Info ? Colour::Dim : Colour::Text));
        if (!sentence.ways.isEmpty())
            words->addWidget(makeWays(sentence.ways, row));
        line->addLayout(words, 1);
        m_sentences->addWidget(row);
    }
    if (const qsizetype more = m_story.size() - count; more > 0) {
        auto *all = makeButton(tr("and %n more", "", int(more)), u"bench.story.more"_s, m_list,
                               tr("%n more fact(s) about this run", "", int(more)));
        setLook(all, ButtonLook::Link);
        connect(all, &QPushButton::clicked, this, [this] { tell(m_story.size()); });
        m_sentences->addWidget(all, 0, Qt::AlignLeft);
    }
    m_sentences->addStretch(1);
}

QWidget *StoryCard::makeWays(const QList<StoryWay> &ways, QWidget *parent)
{
    auto *owner = new QWidget(parent);
    auto *row = rowIn(owner, Space::m);
    for (const StoryWay way : ways) {
        const bool isUndo = way == StoryWay::Undo;
        auto *link = makeButton(isUndo ? tr("Undo this run…") : tr("Show the session"),
                                isUndo ? u"bench.story.undo"_s : u"bench.story.session"_s, owner);
        setLook(link, ButtonLook::Link);
        connect(link, &QPushButton::clicked, this, [this, way] { Q_EMIT wayWanted(way); });
        row->addWidget(link);
    }
    row->addStretch();
    return owner;
}

} // namespace glovebox
