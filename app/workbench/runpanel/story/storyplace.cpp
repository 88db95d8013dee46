// SPDX-License-Identifier: Apache-2.0
#include "storyplace.h"

#include "storycard.h"

#include "app/workbench/runpanel/shownrun.h"
#include "app/workbench/shell/look.h"

#include <QToolButton>

#include <algorithm>
#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int narrowPlace = 720; // px at which the card goes below the output
constexpr int cardWidth = 320;
constexpr int cardHeight = 130; // below the output, which keeps as much

} // namespace

StoryPlace::StoryPlace(Theme &theme, QWidget *parent)
    : QSplitter(Qt::Horizontal, parent)
    , m_theme(theme)
    , m_card(new StoryCard(theme, this))
    , m_button(makeToolButton(tr("What it tried"), u"bench.output.story"_s,
                              tr("Show attempts of the run in place of its output"),
                              parent)) // a child of a splitter is a pane of it
{
    setChildrenCollapsible(false);
    m_card->hide();
    m_button->hide();
    m_button->setCheckable(true);
    connect(m_button, &QToolButton::toggled, this, &StoryPlace::showCard);
    connect(m_card, &StoryCard::wayWanted, this, &StoryPlace::wayWanted);
    connect(m_card, &StoryCard::closed, this, [this] {
        if (!m_hasRoom)
            return m_button->setChecked(false);
        setCardHidden(true);
        Q_EMIT closed();
    });
    connect(&theme, &Theme::changed, this, &StoryPlace::fit);
}

void StoryPlace::setOutput(QWidget *output)
{
    m_output = output;
    insertWidget(0, output);
    setStretchFactor(0, 1);
    setStretchFactor(1, 0);
    setSizes({m_theme.scaled(900), m_theme.scaled(cardWidth)});
    setFocusProxy(output);
    setTabOrder(output, m_card);
}

void StoryPlace::setRun(const ShownRun *run)
{
    m_isTold = run && run->result();
    // Beside a terminal the card has its place from the beginning: if the card came at the end, the output would be narrower than the
    // lines of a program that fills the terminal.
    m_hasCard = m_isTold || (run && run->title().hasTerminal);
    const QList<StorySentence> story =
        m_isTold
            ? runStory(*run->result(), run->policy())
            : QList<StorySentence>{{Tone::Info, tr("When the run has ended, this card tells what it tried."), true}};
    m_card->setStory(story);
    const bool needsLook = std::ranges::any_of(
        story, [](const StorySentence &sentence) { return sentence.tone == Tone::Warn || sentence.tone == Tone::Bad; });
    m_button->setText(needsLook ? u"▲ "_s + tr("What it tried") : tr("What it tried"));
    setTextColour(m_button, needsLook ? Colour::Warn : Colour::Text);
    if (std::exchange(m_run, run) != run)
        m_button->setChecked(false); // its output comes first
    showCard();
}

void StoryPlace::setCardHidden(bool isHidden)
{
    m_isHidden = isHidden;
    showCard();
}

void StoryPlace::showStory()
{
    m_button->setChecked(!m_hasRoom);
    setCardHidden(false);
}

void StoryPlace::showCard()
{
    const bool isWanted = m_hasCard && !m_isHidden;
    const bool needsButton = isWanted && !m_hasRoom && m_isTold;
    const bool isInstead = needsButton && m_button->isChecked();
    m_card->setVisible(isWanted && (m_hasRoom || isInstead));
    if (m_output)
        m_output->setVisible(!isInstead);
    setFocusProxy(isInstead ? m_button : m_output);
    if (needsButton == m_button->isHidden()) {
        m_button->setVisible(needsButton);
        Q_EMIT buttonChanged();
    }
}

void StoryPlace::fit()
{
    const bool isBelow = width() < m_theme.scaled(narrowPlace);
    const int card = m_theme.scaled(isBelow ? cardHeight : cardWidth);
    const int room = isBelow ? height() : width();
    m_hasRoom = !isBelow || room > 2 * card;
    if ((orientation() == Qt::Vertical) != isBelow) {
        setOrientation(isBelow ? Qt::Vertical : Qt::Horizontal);
        setSizes({std::max(1, room - card), card});
    }
    showCard();
}

void StoryPlace::resizeEvent(QResizeEvent *event)
{
    QSplitter::resizeEvent(event);
    fit();
}

} // namespace glovebox
