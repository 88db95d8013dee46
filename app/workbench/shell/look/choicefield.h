// SPDX-License-Identifier: Apache-2.0
// A list to choose from that the wheel neither turns nor focuses: who scrolls the page past it changes nothing.
#pragma once

#include <QComboBox>
#include <QWheelEvent>

namespace glovebox {

class ChoiceField : public QComboBox
{
public:
    explicit ChoiceField(QWidget *parent = nullptr)
        : QComboBox(parent)
    {
        setFocusPolicy(Qt::StrongFocus); // without the wheel
    }

protected:
    void wheelEvent(QWheelEvent *event) override { event->ignore(); }
};

} // namespace glovebox
