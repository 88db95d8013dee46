// SPDX-License-Identifier: Apache-2.0
// A run's output, and where there is room, beside or below it, the card that tells what the run tried. Where there is none, a button leads
// to the card in place of the output.
#pragma once

#include "runstory.h"

#include "app/workbench/shell/theme.h"

#include <QSplitter>

class QToolButton;

namespace glovebox {

class ShownRun;
class StoryCard;

class StoryPlace : public QSplitter
{
    Q_OBJECT
public:
    StoryPlace(Theme &theme, QWidget *parent);

    void setOutput(QWidget *output); // once
    void setRun(const ShownRun *run); // null: none; again when it has ended
    void showStory(); // also in place of the output
    void setCardHidden(bool isHidden);
    bool isCardHidden() const { return m_isHidden; } // by the person
    // For whoever lays out the panel's header. Shown where the card has no room.
    QToolButton *button() const { return m_button; }

Q_SIGNALS:
    void closed(); // by the person
    void wayWanted(glovebox::StoryWay way);
    void buttonChanged(); // it came or went

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void fit();
    void showCard();

    Theme &m_theme;
    QWidget *m_output = nullptr;
    StoryCard *m_card;
    QToolButton *m_button;
    const ShownRun *m_run = nullptr;
    bool m_isHidden = false;
    bool m_hasRoom = true;
    bool m_hasCard = false; // there is something to tell, or there will be
    bool m_isTold = false;
};

} // namespace glovebox
