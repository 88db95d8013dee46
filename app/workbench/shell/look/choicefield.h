// SPDX-License-Identifier: Apache-2.0
// A list to choose from that the wheel doesn't turn: who scrolls the page past it changes nothing.
#pragma once

#include <QComboBox>
#include <QWheelEvent>

namespace glovebox {

class ChoiceField : public QComboBox
{
public:
    using QComboBox::QComboBox;

protected:
    void wheelEvent(QWheelEvent *event) override { event->ignore(); }
};

} // namespace glovebox
