// SPDX-License-Identifier: Apache-2.0
// The card that tells a run in a few sentences, beside its output.
#pragma once

#include "runstory.h"

#include "app/workbench/shell/theme.h"

#include <QFrame>

class QScrollArea;
class QVBoxLayout;

namespace glovebox {

class StoryCard : public QFrame
{
    Q_OBJECT
public:
    StoryCard(Theme &theme, QWidget *parent = nullptr);

    void setStory(const QList<StorySentence> &story); // facts beyond the first few: on demand

Q_SIGNALS:
    void closed();
    void wayWanted(glovebox::StoryWay way);

private:
    void tell(qsizetype count);
    QWidget *makeWays(const QList<StoryWay> &ways, QWidget *parent);

    Theme &m_theme;
    QScrollArea *m_area = nullptr;
    QWidget *m_list;
    QWidget *m_last = nullptr; // in the order of the keyboard, so far
    QVBoxLayout *m_sentences;
    QList<StorySentence> m_story;
};

} // namespace glovebox
