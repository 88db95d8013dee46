// SPDX-License-Identifier: Apache-2.0
// One chip a run of this tab, when there are several: which goes on, which ended how, and which is shown.
#pragma once

#include "shownrun.h"

#include "app/workbench/shell/theme.h"

#include <QWidget>

#include <vector>

class QButtonGroup;
class QHBoxLayout;

namespace glovebox {

class RunStrip : public QWidget
{
    Q_OBJECT
public:
    RunStrip(Theme &theme, QWidget *parent = nullptr);

    // Hidden with fewer than two.
    void setRuns(const std::vector<ShownRun *> &runs, const ShownRun *current);

Q_SIGNALS:
    void chosen(int number); // RunTitle::number

protected:
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void fit();

    Theme &m_theme;
    QButtonGroup *m_group;
    QHBoxLayout *m_layout;
};

// "Run 2 · exit 0", "Run 3 · running"
QString chipText(const ShownRun &run);

} // namespace glovebox
