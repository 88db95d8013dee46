// SPDX-License-Identifier: Apache-2.0
// Says in words why something could not start, what was not lost, and what to do.
#pragma once

#include "app/workbench/shell/theme.h"

#include "engine/engine.h"

#include <QWidget>

class QHBoxLayout;

namespace glovebox {

class Trouble : public QWidget
{
    Q_OBJECT
public:
    // heading: what didn't work. notLost: a sentence about what is safe; may be empty.
    Trouble(const QString &heading, const Error &error, const QString &notLost, QWidget *parent = nullptr);

    // The first is the main way out.
    void addWayOut(const QString &objectName, const QString &text, std::function<void()> run);

private:
    QHBoxLayout *m_buttons;
    bool m_hasMain = false;
};

} // namespace glovebox
