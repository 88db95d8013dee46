// SPDX-License-Identifier: Apache-2.0
// What a person can do on the bench, by key, button or palette.
#include "benchpage.h"

#include "tabs/tabstrip.h"

#include "app/workbench/editor/codesearch.h"
#include "app/workbench/editor/leaks/leakbar.h"
#include "app/workbench/editor/typing/completion.h"
#include "app/workbench/runpanel/artifacts/artifactstab.h"
#include "app/workbench/runpanel/changes/changestab.h"
#include "app/workbench/runpanel/output/outputview.h"
#include "app/workbench/runpanel/stdinline.h"

#include <QApplication>
#include <QStackedWidget>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using Keys = QList<QKeySequence>;

Keys keys(const QKeyCombination &combination)
{
    return {QKeySequence(combination)};
}

// Where findings have the whole tab, the code comes back.
EditorPane &showCode(BenchTab &tab)
{
    tab.setMaximised(false);
    return tab.editor();
}

} // namespace

void BenchPage::forTab(const QString &id, const QString &text, const QList<QKeySequence> &shortcuts, Icon icon,
                       std::function<void(BenchTab &)> act, std::function<bool(BenchTab &)> enabled)
{
    m_context.actions().add(
        {.id = u"bench."_s + id,
         .text = text,
         .shortcuts = shortcuts,
         .icon = icon,
         .page = this->id(),
         .enabled = [this, enabled = std::move(enabled)] { return current() && (!enabled || enabled(*current())); }},
        [this, act = std::move(act)] {
            if (BenchTab *tab = current())
                act(*tab);
        });
}

bool BenchPage::isInRuns() const
{
    const BenchTab *tab = current();
    const QWidget *focus = QApplication::focusWidget();
    return tab && focus && static_cast<const QWidget &>(const_cast<BenchTab *>(tab)->runs()).isAncestorOf(focus);
}

void BenchPage::addActions()
{
    addRunActions();
    forTab(u"new"_s, tr("New code"), keys(Qt::CTRL | Qt::Key_T), Icon::Add, [this](BenchTab &) { addTab(); });
    forTab(u"open"_s, tr("Open files…"), keys(Qt::CTRL | Qt::Key_O), Icon::Open, [this](BenchTab &) { chooseFiles(); });
    forTab(u"save"_s, tr("Save"), keys(Qt::CTRL | Qt::Key_S), Icon::Save, [](BenchTab &tab) { tab.editor().save(); });
    forTab(u"saveas"_s, tr("Save as…"), keys(Qt::CTRL | Qt::SHIFT | Qt::Key_S), Icon::None,
           [](BenchTab &tab) { tab.editor().saveAs(); });
    forTab(u"close"_s, tr("Close tab"), keys(Qt::CTRL | Qt::Key_W), Icon::Close,
           [this](BenchTab &tab) { closeTab(m_stack->indexOf(&tab)); });
    forTab(
        u"reopen"_s, tr("Open the closed tab again"), keys(Qt::CTRL | Qt::SHIFT | Qt::Key_T), Icon::None,
        [this](BenchTab &) { reopen(); }, [this](BenchTab &) { return !m_closed.isEmpty(); });
    forTab(u"pin"_s, tr("Pin or unpin the tab"), {}, Icon::Pin, [this](BenchTab &tab) { pin(&tab, !tab.isPinned()); });
    forTab(u"list"_s, tr("List all tabs"), keys(Qt::CTRL | Qt::Key_E), Icon::None,
           [this](BenchTab &) { showTabList(); });
    forTab(u"welcome"_s, tr("Show or hide the three examples"), {}, Icon::None,
           [this](BenchTab &) { showWelcome(!m_welcome); });
    forTab(u"next"_s, tr("Next tab"), keys(Qt::CTRL | Qt::Key_PageDown) + keys(Qt::CTRL | Qt::Key_Tab), Icon::None,
           [this](BenchTab &) { step(1); });
    forTab(u"previous"_s, tr("Previous tab"),
           keys(Qt::CTRL | Qt::Key_PageUp) + keys(Qt::CTRL | Qt::SHIFT | Qt::Key_Tab), Icon::None,
           [this](BenchTab &) { step(-1); });
    addEditActions();
    addCodeActions();
    addWords();
}

void BenchPage::addRunActions()
{
    const auto canRun = [](BenchTab &tab) { return tab.canRun(); };
    forTab(
        u"run"_s, tr("Run"), {QKeySequence(Qt::CTRL | Qt::Key_Return), QKeySequence(Qt::CTRL | Qt::Key_Enter)},
        Icon::Run, [](BenchTab &tab) { tab.run(false); }, canRun);
    forTab(
        u"runselection"_s, tr("Run selected lines"),
        {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Return), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Enter)},
        Icon::None, [](BenchTab &tab) { tab.run(true); }, canRun);
    forTab(
        u"runbeside"_s, tr("Run beside the run that goes on"),
        {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_Return), QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_Enter)},
        Icon::None, [](BenchTab &tab) { tab.run(false, BenchTab::Beside::Yes); },
        [](BenchTab &tab) { return tab.canRun() && tab.canStop(); });
    const auto hasLive = [this](BenchTab &) { return m_liveRuns > 0; };
    forTab(
        u"stopall"_s, tr("Stop all runs"), keys(Qt::CTRL | Qt::SHIFT | Qt::Key_Period), Icon::None,
        [this](BenchTab &) {
            for (BenchTab *tab : tabs())
                tab->stopAll();
        },
        hasLive);
    forTab(
        u"running"_s, tr("Show the runs that go on"), {}, Icon::None, [this](BenchTab &) { showRunning(); }, hasLive);
    forTab(
        u"stop"_s, tr("Stop"), keys(Qt::CTRL | Qt::Key_Period), Icon::Stop, [](BenchTab &tab) { tab.stop(); },
        [](BenchTab &tab) { return tab.canStop(); });
    forTab(u"language"_s, tr("Choose the language"), {}, Icon::None,
           [](BenchTab &tab) { tab.policy().openLanguage(); });
    forTab(u"limits"_s, tr("Change the limits"), {}, Icon::None, [](BenchTab &tab) { tab.policy().openLimits(); });
    forTab(u"defaults"_s, tr("Everything that a run may use back to the default"), {}, Icon::None,
           [](BenchTab &tab) { tab.goBackToDefaults(); });
    const std::pair<LimitKind, QString> limits[] = {{LimitKind::Wall, tr("Change the time limit")},
                                                    {LimitKind::CpuTime, tr("Change the limit of processor time")},
                                                    {LimitKind::CpuShare, tr("Change the share of the processors")},
                                                    {LimitKind::Memory, tr("Change the memory limit")},
                                                    {LimitKind::Processes, tr("Change the limit of processes")},
                                                    {LimitKind::Output, tr("Change how much output is kept")},
                                                    {LimitKind::Disk, tr("Change the disk limit")}};
    for (const auto &[kind, text] : limits)
        forTab(u"limit."_s + toString(kind), text, {}, Icon::None,
               [kind](BenchTab &tab) { tab.policy().openLimit(kind); });

    forTab(u"hosts"_s, tr("Choose the hosts that it may reach"), {}, Icon::None,
           [](BenchTab &tab) { tab.policy().openHosts(); });
    forTab(u"tools"_s, tr("Choose the tools of MCP servers that it may call"), {}, Icon::None,
           [](BenchTab &tab) { tab.policy().openTools(); });
    forTab(u"secrets"_s, tr("Choose the secrets of the run"), {}, Icon::Vault,
           [](BenchTab &tab) { tab.policy().openSecrets(); });
    forTab(u"session"_s, tr("Choose the session of the run"), {}, Icon::Sessions,
           [](BenchTab &tab) { tab.policy().openSession(); });
    forTab(
        u"interpreter"_s, tr("Keep the interpreter of the session, or not"), {}, Icon::None,
        [](BenchTab &tab) { tab.keepInterpreter(!tab.policy().wantsInterpreter()); },
        [](BenchTab &tab) { return tab.policy().canKeepInterpreter(); });
    forTab(
        u"interpreter.clean"_s, tr("Start a clean interpreter"), keys(Qt::CTRL | Qt::SHIFT | Qt::Key_R), Icon::None,
        [](BenchTab &tab) { tab.endInterpreter(); }, [](BenchTab &tab) { return tab.canEndInterpreter(); });
    forTab(u"folders"_s, tr("Choose the folders that it sees"), {}, Icon::Open,
           [](BenchTab &tab) { tab.policy().openFolders(); });
    forTab(u"terminal"_s, tr("Choose whether it has a terminal"), {}, Icon::None,
           [](BenchTab &tab) { tab.policy().openTerminal(); });
    const std::pair<StartPart, std::pair<QString, QString>> start[] = {
        {StartPart::Arguments, {u"arguments"_s, tr("Set its arguments")}},
        {StartPart::Variables, {u"variables"_s, tr("Set variables of its environment")}},
        {StartPart::Input, {u"fixedinput"_s, tr("Set the input that each run reads")}}};
    for (const auto &[part, action] : start)
        forTab(action.first, action.second, {}, Icon::None, [part](BenchTab &tab) { tab.policy().openStart(part); });
    const auto inTerminal = [](BenchTab &tab) {
        const ShownRun *run = tab.runs().current();
        return run && run->title().hasTerminal && !run->isDone();
    };
    forTab(
        u"terminal.interrupt"_s, tr("Send %1 to the terminal").arg(controlKeyName(Qt::Key_C)), {}, Icon::None,
        [](BenchTab &tab) { tab.runs().input()->interrupt(); }, inTerminal);
    forTab(
        u"terminal.end"_s, tr("Send %1 to the terminal").arg(controlKeyName(Qt::Key_D)), {}, Icon::None,
        [](BenchTab &tab) { tab.runs().input()->endInput(); }, inTerminal);

    forTab(u"input"_s, tr("Answer the running program"), keys(Qt::CTRL | Qt::Key_I), Icon::None,
           [](BenchTab &tab) { tab.runs().input()->setFocus(Qt::ShortcutFocusReason); });
    forTab(u"output.focus"_s, tr("Go to the output"), keys(Qt::CTRL | Qt::Key_J), Icon::None, [](BenchTab &tab) {
        tab.runs().showTab(u"output"_s);
        tab.runs().output()->setFocus(Qt::ShortcutFocusReason);
    });
    forTab(u"isolation"_s, tr("Show the isolation of the run"), {}, Icon::Shield,
           [](BenchTab &tab) { tab.runs().showTab(u"isolation"_s); });
    const auto changes = [](BenchTab &tab) { return qobject_cast<ChangesTab *>(tab.runs().tab(u"changes"_s)); };
    const auto canDecide = [changes](BenchTab &tab) { return changes(tab) && changes(tab)->canDecide(); };
    forTab(u"network"_s, tr("Show the network attempts of the run"), {}, Icon::None,
           [](BenchTab &tab) { tab.runs().showTab(u"network"_s); });
    forTab(u"changes"_s, tr("Show what the run changed in copies"), {}, Icon::None,
           [](BenchTab &tab) { tab.runs().showTab(u"changes"_s); });
    forTab(
        u"changes.apply"_s, tr("Apply what the run changed to the original…"), {}, Icon::None,
        [changes](BenchTab &tab) {
            tab.runs().showTab(u"changes"_s);
            changes(tab)->apply();
        },
        canDecide);
    forTab(
        u"changes.discard"_s, tr("Discard what the run changed…"), {}, Icon::None,
        [changes](BenchTab &tab) {
            tab.runs().showTab(u"changes"_s);
            changes(tab)->discard();
        },
        [changes](BenchTab &tab) { return changes(tab) && changes(tab)->canDiscard(); });
    forTab(
        u"changes.undo"_s, tr("Undo what was applied to the original"), {}, Icon::None,
        [changes](BenchTab &tab) {
            tab.runs().showTab(u"changes"_s);
            changes(tab)->undo();
        },
        [changes](BenchTab &tab) { return changes(tab) && changes(tab)->canUndo(); });
    const auto files = [](BenchTab &tab) { return qobject_cast<ArtifactsTab *>(tab.runs().tab(u"artifacts"_s)); };
    forTab(u"files"_s, tr("Show the files that the run left"), {}, Icon::None,
           [](BenchTab &tab) { tab.runs().showTab(u"artifacts"_s); });
    const auto forFiles = [&](const QString &id, const QString &text, void (ArtifactsTab::*act)(),
                              bool (ArtifactsTab::*can)() const) {
        forTab(
            u"files."_s + id, text, {}, Icon::None,
            [files, act](BenchTab &tab) {
                tab.runs().showTab(u"artifacts"_s);
                (files(tab)->*act)();
            },
            [files, can](BenchTab &tab) { return files(tab) && (files(tab)->*can)(); });
    };
    forFiles(u"save"_s, tr("Save a file that the run left…"), &ArtifactsTab::save, &ArtifactsTab::canSave);
    forFiles(u"saveall"_s, tr("Save all files that the run left…"), &ArtifactsTab::saveAll, &ArtifactsTab::canSaveAll);
    forFiles(u"verify"_s, tr("Verify the files that the run left"), &ArtifactsTab::verify, &ArtifactsTab::canSaveAll);
    forTab(u"output.filter"_s, tr("Filter the output"), keys(Qt::CTRL | Qt::SHIFT | Qt::Key_F), Icon::Filter,
           [](BenchTab &tab) { tab.runs().showFilter(); });
    forTab(u"output.wrap"_s, tr("Wrap long lines of output"), {}, Icon::Wrap,
           [](BenchTab &tab) { tab.runs().setWrap(!tab.runs().wraps()); });
    forTab(u"output.copy"_s, tr("Copy the output"), {}, Icon::Copy, [](BenchTab &tab) { tab.runs().output()->copy(); });
    forTab(
        u"output.save"_s, tr("Save the output…"), {}, Icon::Save, [](BenchTab &tab) { tab.runs().save(); },
        [](BenchTab &tab) { return tab.runs().current() != nullptr; });
    forTab(u"output.maximise"_s, tr("Findings over the whole tab, or back"), keys(Qt::CTRL | Qt::SHIFT | Qt::Key_M),
           Icon::None, [](BenchTab &tab) { tab.setMaximised(!tab.isMaximised()); });
    forTab(
        u"output.window"_s, tr("Show the output in a window of its own"), {}, Icon::None,
        [](BenchTab &tab) { tab.runs().openWindow(); }, [](BenchTab &tab) { return tab.runs().current() != nullptr; });
    forTab(u"output.times"_s, tr("Show or hide when lines of output came"), {}, Icon::None, [this](BenchTab &) {
        m_times = !m_times;
        for (BenchTab *each : tabs())
            each->runs().setTimesShown(m_times);
        Q_EMIT statusChanged(); // and it is kept
    });
    forTab(u"place.next"_s, tr("Next place in the code that the output names"), keys(Qt::Key_F4), Icon::None,
           [](BenchTab &tab) { tab.runs().output()->goToNextPlace(false); });
    forTab(u"place.previous"_s, tr("Previous place in the code that the output names"), keys(Qt::SHIFT | Qt::Key_F4),
           Icon::None, [](BenchTab &tab) { tab.runs().output()->goToNextPlace(true); });
    forTab(u"story"_s, tr("Show or hide attempts"), {}, Icon::Info, [this](BenchTab &tab) {
        m_cardHidden = !tab.runs().isCardHidden();
        tab.runs().setCardHidden(m_cardHidden);
    });
}

void BenchPage::addEditActions()
{
    forTab(u"find"_s, tr("Find"), keys(Qt::CTRL | Qt::Key_F), Icon::Search, [this](BenchTab &tab) {
        if (isInRuns())
            tab.runs().showFind();
        else
            showCode(tab).showFind(false);
    });
    forTab(u"replace"_s, tr("Replace"), keys(Qt::CTRL | Qt::Key_H), Icon::None,
           [](BenchTab &tab) { showCode(tab).showFind(true); });
    const auto findNext = [this](BenchTab &tab, bool backward) {
        if (isInRuns())
            tab.runs().findNext(backward);
        else
            tab.editor().search().next(backward);
    };
    forTab(u"find.next"_s, tr("Find next"), keys(Qt::Key_F3), Icon::None,
           [findNext](BenchTab &tab) { findNext(tab, false); });
    forTab(u"find.previous"_s, tr("Find previous"), keys(Qt::SHIFT | Qt::Key_F3), Icon::None,
           [findNext](BenchTab &tab) { findNext(tab, true); });
    forTab(u"goto"_s, tr("Go to line"), keys(Qt::CTRL | Qt::Key_G), Icon::None,
           [](BenchTab &tab) { showCode(tab).showGoTo(); });
    forTab(u"comment"_s, tr("Comment or uncomment"), keys(Qt::CTRL | Qt::Key_Slash), Icon::None,
           [](BenchTab &tab) { tab.editor().editor().commentOrUncomment(); });
    const auto hasLeaks = [](BenchTab &tab) { return tab.editor().leaks().marks().count() > 0; };
    forTab(
        u"leak.next"_s, tr("Go to what looks like a secret"), {}, Icon::None,
        [](BenchTab &tab) { tab.editor().leaks().marks().goToNext(); }, hasLeaks);
    forTab(
        u"leak.vault"_s, tr("Put what looks like a secret into the vault"), {}, Icon::Vault,
        [](BenchTab &tab) { tab.editor().leaks().openVault(); }, hasLeaks);
    forTab(u"fold"_s, tr("Fold"), keys(Qt::CTRL | Qt::SHIFT | Qt::Key_BracketLeft), Icon::None,
           [](BenchTab &tab) { tab.editor().editor().foldHere(); });
    forTab(u"unfold"_s, tr("Unfold"), keys(Qt::CTRL | Qt::SHIFT | Qt::Key_BracketRight), Icon::None,
           [](BenchTab &tab) { tab.editor().editor().unfoldHere(); });
    forTab(u"fold.all"_s, tr("Fold everything"), {}, Icon::None,
           [](BenchTab &tab) { tab.editor().editor().foldEverything(); });
    forTab(u"unfold.all"_s, tr("Unfold everything"), {}, Icon::None,
           [](BenchTab &tab) { tab.editor().editor().unfoldEverything(); });
}

// Actions for the code, where the focus isn't below the code.
void BenchPage::addCodeActions()
{
    const auto forLines = [this](const QString &id, const QString &text, const Keys &shortcuts, auto change) {
        forTab(id, text, shortcuts, Icon::None, [this, change](BenchTab &tab) {
            if (!isInRuns())
                tab.editor().editor().changeLines(change);
        });
    };
    forLines(u"lines.up"_s, tr("Move lines up"), keys(Qt::ALT | Qt::Key_Up),
             [](QTextCursor &cursor) { return moveLines(cursor, false); });
    forLines(u"lines.down"_s, tr("Move lines down"), keys(Qt::ALT | Qt::Key_Down),
             [](QTextCursor &cursor) { return moveLines(cursor, true); });
    forLines(u"lines.duplicate"_s, tr("Duplicate lines"), keys(Qt::CTRL | Qt::SHIFT | Qt::Key_D), duplicateLines);
    forLines(u"lines.sort"_s, tr("Sort lines"), keys(Qt::Key_F9), sortLines);
    forLines(u"lines.trim"_s, tr("Remove white space at the end of lines"), keys(Qt::SHIFT | Qt::Key_F9), trimLines);
    using More = CodeEditor::MoreCursors;
    const auto forCursors = [this](const QString &id, const QString &text, const Keys &shortcuts, More which) {
        forTab(id, text, shortcuts, Icon::None, [this, which](BenchTab &tab) {
            if (!isInRuns())
                tab.editor().editor().addCursors(which);
        });
    };
    forCursors(u"cursors.next"_s, tr("Add a cursor at the next place with this text"), keys(Qt::CTRL | Qt::Key_D),
               More::NextMatch);
    forCursors(u"cursors.all"_s, tr("Put a cursor at every place with this text"), keys(Qt::CTRL | Qt::Key_F2),
               More::AllMatches);
    forCursors(u"cursors.above"_s, tr("Add a cursor above"), keys(Qt::ALT | Qt::SHIFT | Qt::Key_Up), More::Above);
    forCursors(u"cursors.below"_s, tr("Add a cursor below"), keys(Qt::ALT | Qt::SHIFT | Qt::Key_Down), More::Below);
    const auto hasSeveral = [](BenchTab &tab) { return tab.editor().editor().cursors().count() > 1; };
    forTab(
        u"cursors.one"_s, tr("Go back to one cursor"), {}, Icon::None,
        [](BenchTab &tab) { tab.editor().editor().keepOneCursor(); }, hasSeveral);
    forTab(u"complete"_s, tr("Complete the word"), keys(Qt::CTRL | Qt::Key_Space), Icon::None, [this](BenchTab &tab) {
        if (!isInRuns())
            tab.editor().editor().completion().ask();
    });
    const auto addSwitch = [this](const QString &id, const QString &text, const Keys &shortcuts,
                                  bool BenchPage::*choice) {
        forTab(id, text, shortcuts, Icon::None, [this, choice](BenchTab &) {
            this->*choice = !(this->*choice);
            takeCodeChoices();
            Q_EMIT statusChanged(); // and it is kept
        });
    };
    addSwitch(u"wrap"_s, tr("Wrap long lines of code, or not"), keys(Qt::ALT | Qt::Key_Z), &BenchPage::m_wrapsCode);
    addSwitch(u"pairs"_s, tr("Close brackets and quotes while typing, or not"), {}, &BenchPage::m_closesPairs);
    addSwitch(u"suggest"_s, tr("Suggest words while typing, or not"), {}, &BenchPage::m_suggests);
    forTab(u"encoding"_s, tr("Change the encoding of the text"), {}, Icon::None,
           [this](BenchTab &) { showEncodings(); });
    forTab(u"lineends"_s, tr("Change how lines end"), {}, Icon::None, [this](BenchTab &) { showLineEnds(); });
    forTab(u"indentation"_s, tr("Change the indentation"), {}, Icon::None, [this](BenchTab &) { showIndentations(); });
}

} // namespace glovebox
