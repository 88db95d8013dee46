// SPDX-License-Identifier: Apache-2.0
// How the sentence fits into one line: "Python 3.11 may use the usual limits, ▲ 1 host and 2 more".
#include "policysentence.h"

#include "flowlayout.h"

#include "app/workbench/shell/look.h"

#include <QEvent>
#include <QLabel>
#include <QToolButton>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

QList<PolicySentence::Word> PolicySentence::shownWords() const
{
    QList<Word> words = m_words;
    words.removeIf([this](const Word &word) { return !shows(word.button); });
    return words;
}

// A warning, and variables that a run would see.
bool PolicySentence::isNeverFolded(const Word &word) const
{
    return word.button->text().startsWith(u'▲') || (word.button == m_kept && keepsInterpreter() && m_interpreterWaits);
}

QString PolicySentence::between(const Word &, const Word &word) const
{
    return word.button == m_usual ? tr(" and ", "before the usual limits") : tr(", ");
}

// A label draws punctuation from left to right in a mirrored window too, and a comma would stand apart from its word.
QString PolicySentence::inDirection(const QString &text) const
{
    constexpr QChar rightToLeftMark(0x200f);
    return isRightToLeft() && !text.isEmpty() ? rightToLeftMark + text : text;
}

// folded: so many words are left out.
int PolicySentence::lineWidth(const QList<Word> &words, qsizetype folded) const
{
    int width = m_language->sizeHint().width();
    for (const QLabel *text : m_texts)
        width += text->sizeHint().width();
    for (qsizetype i = 0; i < words.size(); ++i) {
        const QString behind = i + 1 < words.size() ? between(words[i], words[i + 1]) : u" "_s;
        width += words[i].button->sizeHint().width() + words[i].behind->fontMetrics().horizontalAdvance(behind);
    }
    if (folded > 0) {
        const int ownWidth = m_more->fontMetrics().horizontalAdvance(m_more->text());
        const QString text = tr("and %Ln more", nullptr, int(folded));
        width += m_more->sizeHint().width() - ownWidth + m_more->fontMetrics().horizontalAdvance(text);
    }
    return width;
}

void PolicySentence::showWords()
{
    QList<Word> words = shownWords();
    QList<QToolButton *> folded;
    int least = lineWidth(words, 0); // how short it could be
    const bool isEnough = least <= width();
    QList<Word> fewer = words;
    for (qsizetype i = words.size() - 1; i >= 0; --i) {
        if (isNeverFolded(words[i]) || fewer.size() == 1) // a word stays: "may use and 5 more" is no sentence
            continue;
        const bool fits = lineWidth(fewer, folded.size()) <= width();
        fewer.removeAt(i);
        least = std::min(least, lineWidth(fewer, words.size() - fewer.size()));
        if (!fits)
            folded.prepend(words[i].button);
    }
    words.removeIf([&](const Word &word) { return folded.contains(word.button); });
    if (isEnough)
        m_isUnfolded = false;
    m_folded = m_isUnfolded ? QList<QToolButton *>() : folded;
    static_cast<FlowLayout *>(layout())->setOneLineFrom(m_isUnfolded ? 0 : least);
    lay(m_isUnfolded ? shownWords() : words, !isEnough);
}

// "1 min and the usual limits, no network": the end has no comma.
void PolicySentence::lay(const QList<Word> &words, bool canFold)
{
    const bool hadFocus = std::ranges::any_of(m_folded, [](const QToolButton *word) { return word->hasFocus(); });
    if (canFold) {
        QStringList texts;
        for (const QToolButton *word : std::as_const(m_folded))
            texts.append(word->text());
        const QString tip = m_isUnfolded ? tr("Show the sentence in one line")
                                         : tr("Show all that it may use: %1").arg(texts.join(tr(", ")));
        m_more->setText(m_isUnfolded ? tr("fewer words") : tr("and %Ln more", nullptr, int(m_folded.size())));
        setNames(m_more, m_more->objectName(), tip, tip);
    }
    m_more->setVisible(canFold);
    for (const Word &word : std::as_const(m_words)) {
        const auto at = std::ranges::find(words, word.button, &Word::button);
        word.button->setVisible(at != words.end());
        word.behind->setVisible(at != words.end());
        if (at == words.end())
            continue;
        const bool isLast = std::next(at) == words.end();
        word.behind->setText(inDirection(!isLast ? between(word, *std::next(at)) : canFold ? u" "_s : QString()));
    }
    if (hadFocus)
        m_more->setFocus(Qt::OtherFocusReason);
    updateGeometry();
}

// The keyboard goes on with the first of those that come, or with this word.
void PolicySentence::toggleFolded()
{
    const QList<QToolButton *> came = m_folded;
    m_isUnfolded = !m_isUnfolded;
    showWords();
    (m_isUnfolded && !came.isEmpty() ? came.first() : m_more)->setFocus(Qt::OtherFocusReason);
}

QToolButton *PolicySentence::anchorOf(QToolButton *word) const
{
    return m_folded.contains(word) ? m_more : word;
}

// A word of another length may fit no more, or again.
bool PolicySentence::event(QEvent *event)
{
    const bool isTaken = QWidget::event(event);
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::LayoutDirectionChange)
        showWords();
    return isTaken;
}

void PolicySentence::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    showWords();
}

} // namespace glovebox
