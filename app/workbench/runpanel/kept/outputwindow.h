// SPDX-License-Identifier: Apache-2.0
// All output of one run in a window of its own, as it goes on: to be read beside other runs, or other work.
#pragma once

#include "app/workbench/shell/context.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace glovebox {

class FindBar;
class KeptReader;
class OutputView;
class ShownRun;

class OutputWindow : public QWidget
{
    Q_OBJECT
public:
    // Shows itself, and deletes itself when it is closed or the run goes. title: of the window.
    OutputWindow(WorkbenchContext &context, ShownRun *run, const QString &title, QWidget *parent);
    ~OutputWindow() override;

    const ShownRun *run() const { return m_run; }
    OutputView *output() const { return m_output; }

private:
    void addShortcuts();
    void showKept();

    WorkbenchContext &m_context;
    ShownRun *m_run;
    QLabel *m_state;
    QToolButton *m_earlier;
    QToolButton *m_later;
    FindBar *m_find;
    OutputView *m_output;
    KeptReader *m_kept;
};

} // namespace glovebox
