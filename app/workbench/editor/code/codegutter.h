// SPDX-License-Identifier: Apache-2.0
// Beside the code: line numbers, and a chevron where lines can be folded.
#pragma once

#include "codeeditor.h"

namespace glovebox {

class CodeGutter : public QWidget
{
    Q_OBJECT
public:
    CodeGutter(CodeEditor &editor, Theme &theme);

    int wantedWidth() const;

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;

private:
    QTextBlock blockAt(int y) const;
    int foldColumn() const; // where the chevrons begin

    CodeEditor &m_editor;
    Theme &m_theme;
    bool m_hovered = false;
    int m_pressedBlock = 0;
};

} // namespace glovebox
