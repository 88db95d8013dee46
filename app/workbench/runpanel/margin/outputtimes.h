// SPDX-License-Identifier: Apache-2.0
// Beside the lines of an output view, when each came to this window.
#pragma once

#include "app/workbench/runpanel/output/outputview.h"

namespace glovebox {

class OutputTimes : public QWidget
{
    Q_OBJECT
public:
    OutputTimes(OutputView &view, Theme &theme);

    int wantedWidth() const;
    void place(); // beside the viewport

protected:
    void paintEvent(QPaintEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    OutputView &m_view;
    Theme &m_theme;
};

} // namespace glovebox
