// SPDX-License-Identifier: Apache-2.0
// The card that tells a run in a few sentences, beside its output.
#pragma once

#include "runstory.h"

#include "app/workbench/shell/theme.h"

#include <QFrame>

class QVBoxLayout;

namespace glovebox {

class StoryCard : public QFrame
{
    Q_OBJECT
public:
    StoryCard(Theme &theme, QWidget *parent = nullptr);

    void setStory(const QList<StorySentence> &story); // empty: hidden

Q_SIGNALS:
    void closed();

private:
    Theme &m_theme;
    QWidget *m_list;
    QVBoxLayout *m_sentences;
};

} // namespace glovebox
