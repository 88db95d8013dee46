// SPDX-License-Identifier: Apache-2.0
// What the person decides in the tab of changes, and how far that is.
#include "changestab.h"

#include "app/workbench/shell/words/words.h"

#include <QApplication>
#include <QCheckBox>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QTreeView>

#include <memory>

namespace glovebox {

using namespace Qt::StringLiterals;

void ChangesTab::showBusy()
{
    const bool busy = isBusy();
    if (busy && isAncestorOf(QApplication::focusWidget()))
        m_summary->setFocus();
    m_list->setEnabled(!busy && m_question == Question::None && !underWay());
    m_undo->setEnabled(m_canUndo && !busy);
    for (QPushButton *button : {m_apply, m_discard})
        button->setEnabled(!busy);
    for (QPushButton *answer : {m_yes, m_no})
        answer->setVisible(answer->isVisibleTo(this) && !busy);
    m_all->setEnabled(!busy);
    const auto going = m_going.value(m_run);
    m_stop->setVisible(busy && going);
    m_stop->setEnabled(going && !going->isStopped());
    if (m_stop->isVisibleTo(this))
        m_progress.start();
    else
        m_progress.stop();
    showChoice();
    m_context.actions().refresh();
}

void ChangesTab::apply()
{
    if (!canDecide())
        return;
    review();
    if (m_model.chosenCount() == 0)
        return say(tr("Choose what to apply: check the changes in the list."), Colour::Warn);
    QStringList folders;
    for (const FolderChanges &folder : m_model.chosen())
        folders << folder.hostPath;
    const int chosen = int(m_model.chosenCount());
    QStringList sentences{tr("Put %Ln change(s) into %1?", "", chosen).arg(folders.join(u", "_s))};
    if (const int marked = int(m_model.chosenMarked()); marked > 0)
        sentences << (chosen == 1 ? tr("▲ The change is marked: review it first.")
                                  : tr("▲ %Ln of them is marked: review it first.", "", marked));
    if (m_waiting > chosen)
        sentences << tr("%Ln other(s) go(es) on waiting.", "", int(m_waiting) - chosen);
    sentences << tr("You can undo this until you apply others.");
    ask(Question::Apply);
    say(sentences.join(u' '), m_model.chosenMarked() > 0 ? Colour::Warn : Colour::Text);
    m_no->setFocus();
}

void ChangesTab::discard()
{
    if (!canDiscard())
        return;
    if (m_waiting > 0)
        review();
    ask(Question::Discard);
    say(m_waiting == 1
            ? tr("Discard the change that waits, checked or not? A discarded change can't be brought back. The "
                 "original stays as it is.")
            : tr("Discard all changes that wait, checked or not? They can't be brought back. The original stays as "
                 "it is."),
        Colour::Warn);
    m_no->setFocus();
}

void ChangesTab::answer()
{
    if (m_question == Question::Discard)
        return decide(FolderDeed::Discard,
                      [](Engine &engine, const QString &run, const ApplyProgress &) -> Result<ApplyReport> {
                          RETURN_IF_ERROR(engine.discardChanges(run, engine.caller()));
                          return ApplyReport();
                      });
    decide(FolderDeed::Apply,
           [chosen = m_model.chosen()](Engine &engine, const QString &run, const ApplyProgress &progress) {
               return engine.applyChanges(run, engine.caller(), chosen, progress);
           });
}

void ChangesTab::stopDeed()
{
    const auto going = m_going.value(m_run);
    if (!going)
        return;
    releaseFocus();
    m_stop->setEnabled(false);
    going->stop();
    showProgress();
}

void ChangesTab::showProgress()
{
    const auto going = m_going.value(m_run);
    if (!going)
        return m_progress.stop(); // another run is shown
    const AppliedUntilNow now = going->now();
    if (going->isStopped())
        return say(tr("Stopping…"), Colour::Text);
    if (const QString words = progressOf(now); !words.isEmpty())
        say(words, Colour::Text);
}

void ChangesTab::undo()
{
    decide(FolderDeed::Undo, [](Engine &engine, const QString &run, const ApplyProgress &progress) {
        return engine.undoChanges(run, engine.caller(), progress);
    });
}

// Nothing is done about changes other than those that the person sees.
void ChangesTab::decide(FolderDeed deed, const Deed &doIt)
{
    if (!m_context.engine() || !m_loaded || isBusy())
        return;
    const QString run = m_run;
    const QString sentence =
        tr("Changes of a run are being carried out. Glovebox goes on for up to 10 s without a window. "
           "Changes that aren't done then wait: see the run in the history.");
    m_deciding.insert(run);
    const auto going = std::make_shared<DeedProgress>(run);
    if (deed != FolderDeed::Discard)
        m_going.insert(run, going);
    ++m_generation;
    showBusy();
    say(deed == FolderDeed::Apply  ? tr("Applying them…")
        : deed == FolderDeed::Undo ? tr("Undoing them…")
                                   : tr("Discarding them…"),
        Colour::Text);
    Q_EMIT titleChanged(); // nothing can be decided now
    m_context.beginDeed(sentence);
    // The result finds the person also where this tab was closed meanwhile.
    m_context.withEngine(
        &m_context,
        [going, seen = *m_loaded, doIt](Engine &engine) -> Result<ApplyReport> {
            if (WaitingChanges::of(engine, going->run) != seen)
                return fail(ErrorCode::NotFound,
                            QT_TRANSLATE_NOOP("engine", "Nothing was done, as changes of this run were applied, "
                                                        "discarded or undone elsewhere. Here is what is left."));
            return doIt(engine, going->run, [going](const AppliedUntilNow &now) { return going->goesOn(now); });
        },
        [&context = m_context, guard = QPointer(this), sentence, run, deed](const Result<ApplyReport> &report) {
            context.endDeed(sentence);
            const QString told = sentenceOf(deed, report);
            const bool isWhole =
                report && report->refused.isEmpty() && !report->isStopped && report->unrecorded.isEmpty();
            if (guard)
                guard->decided(run, told, isWhole);
            else
                tellElsewhere(context, run, tr("A closed tab: %1").arg(told), isWhole);
        });
}

void ChangesTab::decided(const QString &run, const QString &sentence, bool isWhole)
{
    m_deciding.remove(run);
    m_going.remove(run);
    if (run == m_run) {
        m_loaded.reset();
        load(sentence, isWhole ? Colour::Ok : Colour::Warn);
    } else {
        tellElsewhere(m_context, run, tr("Another run: %1").arg(sentence), isWhole);
    }
    Q_EMIT wentOn(run == m_run ? sentence : QString(), isWhole);
}

} // namespace glovebox
