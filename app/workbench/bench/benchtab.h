// SPDX-License-Identifier: Apache-2.0
// One snippet on the bench: its code, the sentence that says what it may, and what became of its runs.
#pragma once

#include "policy/allowsheet.h"
#include "runnerlanguages.h"
#include "sessionsreader.h"
#include "vaultreader.h"

#include "app/workbench/editor/editorpane.h"
#include "app/workbench/runpanel/runpanel.h"

#include <QWidget>

#include <optional>

class QGridLayout;
class QPushButton;
class QSplitter;

namespace glovebox {

class MissingPackages;
class SealBadge;

class BenchTab : public QWidget
{
    Q_OBJECT
public:
    // id: of the stash, unique for good. name: what it is called as long as it has no file.
    BenchTab(WorkbenchContext &context, VaultReader &vault, SessionsReader &sessions,
             const std::vector<RunTabFactory> &runTabs, const QString &id, const QString &name,
             QWidget *parent = nullptr);
    ~BenchTab() override;

    const QString &id() const { return m_id; }
    // The file's, or its own.
    QString name() const { return m_editor->path().isEmpty() ? m_ownName : m_editor->fileName(); }
    EditorPane &editor() { return *m_editor; }
    RunPanel &runs() { return *m_runs; }
    PolicySentence &policy() { return *m_sentence; }
    QSplitter &splitter() { return *m_splitter; }
    // For F6: the bar with Run and the sentence, the code, what became of it.
    QList<QWidget *> areas() const;
    // The findings of the runs have the whole tab, and the code none of it. Sizes come back.
    void setMaximised(bool maximised);
    bool isMaximised() const { return m_editor->isHidden(); }

    QString language() const { return m_chosen.isEmpty() ? m_detected.id : m_chosen; } // what the code will run as
    void chooseLanguage(const QString &id, const QString &interpreter = {}); // id empty: as the code says
    void setFallbackLanguage(const QString &id) { m_fallback = id; }
    void setPolicy(const Policy &policy) { m_sentence->setPolicy(policy, defaultPolicy()); }

    void chooseSession(const QString &id); // empty: none; its runs are in it from the next one on
    void keepInterpreter(bool keeps); // of the session, from run to run (tabs/tabsession.cpp)
    bool canEndInterpreter() const; // it waits for code
    void endInterpreter(); // the next run gets a clean one
    void goBackToDefaults(); // of everything that the sentence says

    bool isPinned() const { return m_pinned; }
    void setPinned(bool pinned);
    bool hasUnsavedWork() const; // closing it would lose text
    QStringList closingEnds() const; // what goes on beside its runs, as Page::closingEnds()
    bool isBlank() const; // nothing was ever done here

    enum class Beside { No, Yes };
    // The selected lines only, when there are any. The run that is shown is stopped first if it goes on, unless this one is
    // to run beside it.
    // alsoAllowed: hosts, for this run alone.
    bool run(bool selectionOnly, Beside beside = Beside::No, const QStringList &alsoAllowed = {});
    // Of a run on record that had these hosts and was kept from this one: asks for how long to allow it, then runs.
    void askToAllow(const QString &host, const QStringList &had);
    bool canRun() const;
    void stop();
    void stopAll(); // runs of this tab
    bool canStop() const { return m_runs->current() && !m_runs->current()->isDone(); }

    void engineReady();
    void engineClosing();

    // For the stash: a line of JSON, then the text of unsaved work.
    QByteArray stashed() const { return stashedNow()(); }
    std::function<QByteArray()> stashedNow() const; // as EditorPane::textNow()
    bool restore(const QByteArray &stashed);

Q_SIGNALS:
    void changed(); // name, unsaved state, language, runs: what the tab and the status bar show
    void stashNeeded();
    void languageChosen(const QString &id);
    void filesDropped(const QStringList &paths);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void showEvent(QShowEvent *) override;

private:
    void makePolicyBar();
    void arrangeBar();
    void takeLanguage();
    QString firstLine() const;
    void expectRun();
    void readVault();
    void readServers();
    // sessions (tabs/tabsession.cpp)
    void followSessions();
    void takeSessions();
    void takeInterpreter();
    // true: it is, and the person was told. The arguments are those of the run that was asked for.
    bool tellSessionGone(bool selectionOnly, Beside beside, const QStringList &alsoAllowed);
    void showSession(const QString &id, const QString &run);
    void followMissingModules();
    void openVault(bool add);
    void takeRuns();
    void takeDefaults();
    void start(RunRequest request, const RunTitle &title);
    void setNext(std::optional<std::pair<RunRequest, RunTitle>> next);
    void startNext();
    void offerHost(ShownRun *run, const QString &host, QWidget *anchor);
    void allowAndRunAgain(const RunRequest &request, RunTitle title, const QString &host, AllowFor howLong);
    void allowHost(const QString &host, AllowFor howLong);
    Policy defaultPolicy() const;

    WorkbenchContext &m_context;
    VaultReader &m_vault;
    SessionsReader &m_sessions;
    const QString m_id;
    QString m_ownName;
    // In the order in which they are read, which is that of the Tab key.
    QWidget *m_bar;
    QGridLayout *m_barLayout;
    QPushButton *m_run;
    QPushButton *m_stop;
    PolicySentence *m_sentence;
    SealBadge *m_badge;
    QSplitter *m_splitter;
    EditorPane *m_editor;
    RunPanel *m_runs;
    MissingPackages *m_missing = nullptr;
    QString m_chosen; // language
    QString m_interpreter; // its path; empty: the usual one
    QString m_fallback;
    DetectedLanguage m_detected;
    QString m_firstLine; // by which it was detected last
    QString m_taken; // the editor and the engine know it
    QTimer m_detection;
    bool m_pinned = false;
    QList<int> m_sizes; // of code and findings, before these had all of it
    int m_runNumber = 0;
    std::optional<std::pair<RunRequest, RunTitle>> m_next; // starts when the run before it has ended
};

} // namespace glovebox
