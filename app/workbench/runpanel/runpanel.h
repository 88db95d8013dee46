// SPDX-License-Identifier: Apache-2.0
// What became of a tab's runs: output, isolation and whatever else registers itself, with the line for input below.
#pragma once

#include "network/blockedline.h"
#include "output/sourceplaces.h"
#include "runtab.h"

#include "app/workbench/shell/context.h"

#include <QPointer>
#include <QWidget>

#include <functional>
#include <memory>
#include <vector>

class QLabel;
class QLineEdit;
class QStackedWidget;
class QTabBar;
class QToolButton;

namespace glovebox {

class FindBar;
class KeptReader;
class OutputView;
class OutputWindow;
class RunStrip;
class StdinLine;
class StoryPlace;
class TerminalKeys;

// Keeps the latest runs of its tab; which of them is shown, the strip says when there are several.
class RunPanel : public QWidget
{
    Q_OBJECT
public:
    // tabs: beside Output and Isolation.
    RunPanel(WorkbenchContext &context, const std::vector<RunTabFactory> &tabs, QWidget *parent = nullptr);
    ~RunPanel() override;

    void addRun(std::unique_ptr<ShownRun> run); // and shows it
    ShownRun *current() const { return m_current; }
    std::vector<ShownRun *> runs() const; // oldest first
    int liveRuns() const;
    QStringList closingEnds() const; // sentences of its tabs
    QStringList goesOn() const; // the same
    void leave(); // nobody looks at it any more: what goes on is told elsewhere
    void showRun(int number); // RunTitle::number
    // Another run starts when the one that is shown has ended.
    void setNextWaits(bool waits);
    // Whose runs have a place, for a run that waits for one.
    void setRunningNames(std::function<QStringList()> names) { m_runningNames = std::move(names); }
    void letGo(); // of all handles; the engine closes
    void addBelow(QWidget *note); // all that is shown of a run

    OutputView *output() const { return m_output; }
    StdinLine *input() const { return m_input; }
    void showTab(const QString &id); // "output", "isolation", ...
    RunTab *tab(const QString &id) const; // null: there is none
    void showFind();
    void findNext(bool backward);
    void showFilter();
    void save();
    void setWrap(bool wrap);
    bool wraps() const;
    void setTimesShown(bool shown);
    void openWindow(); // with the output of the shown run
    void setMaximised(bool maximised); // as the button says
    void setCardHidden(bool hidden);
    bool isCardHidden() const;

Q_SIGNALS:
    // line: in the editor
    void placeActivated(int line, int column);
    void runsChanged(); // added, changed its state, ended, or another one is shown
    void choiceChanged(); // wrap or card
    void maximiseWanted(); // or back
    void roomWanted(); // as a tab's
    void wentOn(const QString &result, bool isWhole); // the same
    void sessionWanted(const QString &id, const QString &run); // run: to undo; empty: none
    void hostAllowed(glovebox::ShownRun *run, const QString &host,
                     glovebox::AllowFor howLong); // and it is to run again

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void makeHeader(const std::vector<RunTabFactory> &tabs);
    void makeOutputPage();
    void show(ShownRun *run);
    void showState();
    void showInput();
    void showTools();
    void showTabColours();
    void showKept();
    void tellCopied();
    void showMenu(const QPoint &position);
    void forgetOldRuns();
    void writeTo(const QString &path);
    QString stateSentence() const;
    QString queueSentence() const;
    QString sessionSentence() const;

    WorkbenchContext &m_context;
    Theme &m_theme;
    std::vector<std::unique_ptr<ShownRun>> m_runs;
    ShownRun *m_current = nullptr;
    RunStrip *m_strip;
    QTabBar *m_tabs = nullptr;
    QStackedWidget *m_pages = nullptr;
    std::vector<RunTab *> m_runTabs;
    QLabel *m_state = nullptr;
    QWidget *m_tools = nullptr; // of the output
    QLineEdit *m_filter = nullptr;
    QToolButton *m_filterButton = nullptr;
    QToolButton *m_wrapButton = nullptr;
    QToolButton *m_copyButton = nullptr;
    QToolButton *m_saveButton = nullptr;
    QToolButton *m_maximiseButton = nullptr;
    FindBar *m_find = nullptr;
    StoryPlace *m_outputPage = nullptr;
    OutputView *m_output = nullptr;
    KeptReader *m_kept = nullptr;
    TerminalKeys *m_keys = nullptr;
    QToolButton *m_earlier = nullptr;
    QToolButton *m_later = nullptr;
    QList<QPointer<OutputWindow>> m_windows;
    std::function<QStringList()> m_runningNames;
    bool m_nextWaits = false;
    StdinLine *m_input;
    QWidget *m_inputRule = nullptr;
    BlockedLine *m_blocked;
    QTimer m_clock; // for "Running, 3 s"
};

} // namespace glovebox
