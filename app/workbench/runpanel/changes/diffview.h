// SPDX-License-Identifier: Apache-2.0
// Lines of a difference, to be read and copied: hunks with their place, each line with its sign, its numbers beside, changed words
// marked, hidden characters visible, what is too long cut with a word.
#pragma once

#include "app/workbench/shell/theme.h"

#include "engine/folders/folders.h"

#include <QPlainTextEdit>

namespace glovebox {

class DiffView : public QPlainTextEdit
{
    Q_OBJECT
public:
    explicit DiffView(Theme &theme, QWidget *parent = nullptr);

    void setLines(const QList<DiffLine> &lines);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override; // paints the numbers

private:
    void placeNumbers();
    void paintNumbers(const QRect &area);

    Theme &m_theme;
    QWidget *m_numbers;
    QList<DiffLine> m_lines;
    QList<std::pair<int, int>> m_places; // of each shown line; 0: none
};

} // namespace glovebox
