// SPDX-License-Identifier: Apache-2.0
// The seam for what the run panel shows beside the output: each kind of finding is a tab that registers itself.
#pragma once

#include "shownrun.h"

#include <QWidget>

#include <functional>

namespace glovebox {

class Theme;

class RunTab : public QWidget
{
    Q_OBJECT
public:
    using QWidget::QWidget;

    virtual QString id() const = 0; // "isolation": its object name is "bench.run.isolation"
    virtual QString title() const = 0; // translated
    virtual bool needsLook() const { return false; } // the title is amber; titleChanged() tells that it is news
    // null: no run. Called again when the run has ended.
    virtual void setRun(ShownRun *run) = 0;
    // What goes on here, and what closing the tab or the window does to it, as a sentence; empty: nothing does.
    virtual QString closingEnds() const { return {}; }
    // What goes on here also when the tab is closed, as a sentence; empty: nothing does.
    virtual QString goesOn() const { return {}; }

Q_SIGNALS:
    void titleChanged();
    void roomWanted(); // what is here can't be seen in so low a panel
    // What went on is through. result: a sentence; isWhole: nothing of it is left to look at.
    void wentOn(const QString &result, bool isWhole);
};

using RunTabFactory = std::function<RunTab *(Theme &theme, QWidget *parent)>;

} // namespace glovebox
