// SPDX-License-Identifier: Apache-2.0
// Lines of a difference, to be read and copied: each with its sign, hidden characters visible, what is too long cut with a word.
#pragma once

#include "linediff.h"

#include "app/workbench/shell/theme.h"

#include <QPlainTextEdit>

namespace glovebox {

class DiffView : public QPlainTextEdit
{
    Q_OBJECT
public:
    explicit DiffView(Theme &theme, QWidget *parent = nullptr);

    void setLines(const QList<DiffLine> &lines);

private:
    Theme &m_theme;
};

} // namespace glovebox
