// SPDX-License-Identifier: Apache-2.0
// The bench: snippets in tabs, each with what it may and what became of it.
//
// navigate() knows {"code": text, "language": id, "policy": object, "run": bool}: a new tab with that code and the limits
// of that policy, run at once if asked, and with "host": a rule, asks whether to allow that and runs; {"path": text, "line": number}: that
// file; {"input": base64}: bytes from elsewhere, in a new tab if they are code; {"session": id}: the next runs of the
// current tab are in that session.
#pragma once

#include "benchtab.h"

#include "app/workbench/shell/context.h"
#include "app/workbench/shell/page.h"

#include <QPointer>

#include <functional>

class QStackedWidget;

namespace glovebox {

class TabStrip;
class WelcomeBar;
struct Example;

class BenchPage : public Page
{
    Q_OBJECT
public:
    explicit BenchPage(WorkbenchContext &context);
    ~BenchPage() override;

    // A further kind of finding beside Output and Isolation; before widget().
    void addRunTab(RunTabFactory factory) { m_runTabs.push_back(std::move(factory)); }

    QString id() const override { return QStringLiteral("bench"); }
    QString title() const override { return tr("Bench"); }
    Icon icon() const override { return Icon::Bench; }
    QWidget *widget() override;
    void activate() override;
    QList<QWidget *> areas() const override;
    void fillMenu(QMenu &menu) override;
    void engineReady() override;
    void engineClosing() override;
    QList<StatusItem> status() const override;
    void navigate(const QJsonObject &request) override;
    bool openFiles(const QStringList &paths) override;
    QJsonObject saveState() const override;
    void restoreState(const QJsonObject &state) override;
    void stashUnsaved() override;
    QString closingEnds() const override;

    BenchTab *current() const;
    QList<BenchTab *> tabs() const; // as they stand in the strip

private:
    // actions (benchactions.cpp)
    void addActions();
    void addEditActions();
    void addCodeActions();
    void addRunActions();
    void forTab(const QString &id, const QString &text, const QList<QKeySequence> &shortcuts, Icon icon,
                std::function<void(BenchTab &)> act, std::function<bool(BenchTab &)> enabled = {});
    bool isInRuns() const; // the focus

    // the window's menu (benchmenu.cpp)
    void addRecent(QMenu &menu);
    void addExamples(QMenu &menu);
    void openExample(const Example &example, bool run);
    void showWelcome(bool shown);
    void takeWelcome(); // the room that the examples have
    void noteRecent(const QString &path);
    void addWords();
    void showRunning();
    void showEncodings();
    void showLineEnds();
    void showIndentations();
    void showTabList();
    void popUp(QMenu &menu, const QString &statusItem); // above that item of the status bar
    QStringList runningNames() const; // tabs of which runs have a place

    // tabs
    QString freeName() const;
    BenchTab *addTab(const QString &stashId = {}, bool show = true);
    void showTab(int index);
    void step(int by);
    void closeTab(int index);
    void closeWhenDone(BenchTab *tab); // of what goes on without it
    void removeTab(BenchTab *tab);
    void reopen();
    void pin(BenchTab *tab, bool pinned);
    void keepPinnedFirst();
    void takeCodeChoices();
    QSet<QString> wordsFor(const BenchTab &tab, const QString &prefix) const; // of all tabs
    void followTab(BenchTab *tab);
    void updateTab(BenchTab *tab);
    void showMenu(int index, const QPoint &position);
    void readFiles(const QStringList &paths, int line); // line: of the first; 0: none
    void tellRefused(const QString &sentence, bool isData);
    bool showOpenFile(const QString &path, int line);
    void showFile(const QString &path, const CodeFile &file, int line);
    void openInput(const QByteArray &bytes);
    void chooseFiles();

    // profiles (benchprofiles.cpp)
    Limits usualLimits() const;
    void followProfiles(BenchTab *tab);
    void changeProfiles(const std::function<Status(const Profiles &profiles)> &change);
    void tellProfileTrouble(const Status &status);
    void moveOldPresets(const QJsonObject &presets);

    // stash, and the window's end (benchstash.cpp)
    int keptInterpreters() const;
    void restoreTabs();
    void stashSoon(BenchTab *tab);
    void stash(BenchTab *tab);
    void stashOrder();
    void stashPending();
    void stashSmall();
    void tellStashTrouble();

    WorkbenchContext &m_context;
    VaultReader m_vault;
    SessionsReader m_sessions;
    Profiles m_profiles;
    std::vector<RunTabFactory> m_runTabs;
    QPointer<QWidget> m_widget;
    TabStrip *m_strip = nullptr;
    QStackedWidget *m_stack = nullptr;
    WelcomeBar *m_welcome = nullptr; // while it is shown
    QString m_lastLanguage; // for new tabs
    QJsonObject m_oldPresets; // limits under names, of an earlier version, that aren't profiles so far
    QStringList m_recent; // files, the latest first
    QList<QByteArray> m_closed; // stashes of tabs that were closed, the latest last
    QList<QPointer<BenchTab>> m_unstashed;
    QTimer m_stashTimer; // of texts that are written out at once
    QTimer m_largeTimer; // of all
    bool m_restoring = false;
    bool m_cardHidden = false;
    bool m_wrap = true;
    bool m_times = false; // beside the output
    // of code
    bool m_wrapsCode = false;
    bool m_closesPairs = true;
    bool m_suggests = true;
    QByteArray m_splitter; // of the tab shown last, for the next one
    int m_liveRuns = 0;
};

} // namespace glovebox
