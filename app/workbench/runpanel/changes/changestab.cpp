// SPDX-License-Identifier: Apache-2.0
#include "changestab.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/look/paddedcells.h"
#include "app/workbench/shell/words/words.h"
#include "diffview.h"

#include <QApplication>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int narrow = 720; // px at which the difference goes below the list, where it leaves a row of the list
constexpr int low = 240; // px of height below which there is room for one of them
constexpr int lowest = 120; // and below which there is none for the list

} // namespace

ChangesTab::ChangesTab(WorkbenchContext &context, const QString &pageId, QWidget *parent)
    : RunTab(parent)
    , m_context(context)
    , m_prefix(pageId + u".changes."_s)
    , m_model(context.theme())
    , m_scroll(new QScrollArea(this))
    , m_summary(makeLabel({}, this, FontRole::Base, Colour::Dim))
    , m_all(new QCheckBox(tr("All"), this))
    , m_review(new QPushButton(tr("Review…"), this))
    , m_instead(new QPushButton(tr("Difference"), this))
    , m_undo(new QPushButton(tr("Undo"), this))
    , m_apply(new QPushButton(tr("Apply…"), this))
    , m_discard(new QPushButton(tr("Discard…"), this))
    , m_yes(new QPushButton(this))
    , m_no(new QPushButton(this))
    , m_stop(new QPushButton(tr("Stop"), this))
    , m_splitter(new QSplitter(Qt::Horizontal, this))
    , m_list(new QTreeView(m_splitter))
    , m_diff(new DiffView(context.theme(), m_splitter))
{
    setBackground(this, Colour::Panel);
    columnIn(this, 0)->addWidget(m_scroll);
    scrollDownOnly(m_scroll, Colour::Panel);
    auto *content = new QWidget;
    setBackground(content, Colour::Panel);
    auto *layout = columnIn(content, 0);
    makeBar(layout);

    showRows(m_list, &m_model);
    setNames(m_list, m_prefix + u"list"_s, tr("Files that the run changed"));
    setFocusProxy(m_list);
    setNames(m_diff, m_prefix + u"difference"_s, tr("Differences in the file"));
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setSizes({560, 560});
    m_splitter->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored); // has what the panel has
    layout->addWidget(m_splitter, 1000);
    m_scroll->setWidget(content);
    layout->addStretch(1); // what is there without a list stands at the top

    // What the list has no room for beside it is shown in its place.
    connect(m_list, &QTreeView::activated, this, [this] { showInstead(true); });
    connect(m_list->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &current) { showFile(current.isValid() ? current.row() : -1); });
    connect(&m_model, &ChangesModel::choiceChanged, this, &ChangesTab::showChoice);
    connect(&context, &WorkbenchContext::engineChanged, this, [this] {
        if (!m_run.isEmpty() && !m_loaded) // the log may be shown before
            load({}, Colour::Dim);
    });
    connect(&context.theme(), &Theme::changed, this, &ChangesTab::arrange);
    ChangesTab::setRun(nullptr);
}

void ChangesTab::makeBar(QVBoxLayout *column)
{
    m_bar = new QBoxLayout(QBoxLayout::LeftToRight);
    m_bar->setContentsMargins(Space::l, Space::s, Space::l, Space::s);
    m_bar->setSpacing(Space::s);
    m_bar->addWidget(m_summary, 1);
    auto *bar = new QHBoxLayout;
    bar->setSpacing(Space::s);
    m_bar->addLayout(bar);
    m_summary->setObjectName(m_prefix + u"summary"_s);
    const auto add = [&](QPushButton *button, const QString &name, auto act) {
        setNames(button, m_prefix + name, button->text());
        button->hide(); // a layout with all of them would be wider than the tab, and its label be cut
        bar->addWidget(button, 0, Qt::AlignTop);
        connect(button, &QPushButton::clicked, this, act);
    };
    setNames(m_all, m_prefix + u"all"_s, tr("Choose all changes"));
    m_all->hide();
    bar->addWidget(m_all, 0, Qt::AlignTop);
    connect(m_all, &QCheckBox::clicked, this, [this] { m_model.chooseAll(m_model.chosenCount() < m_waiting); });
    add(m_review, u"review"_s, [this] {
        review();
        m_isReviewed = true; // where there was no more room
        arrange();
        m_list->setFocus();
        QTimer::singleShot(0, this, [this] { m_scroll->ensureWidgetVisible(m_list); }); // it has a place then
    });
    add(m_instead, u"instead"_s, [this] { showInstead(!m_showsDiff); });
    add(m_undo, u"undo"_s, &ChangesTab::undo);
    add(m_apply, u"apply"_s, &ChangesTab::apply);
    add(m_discard, u"discard"_s, &ChangesTab::discard);
    add(m_yes, u"really"_s, &ChangesTab::answer);
    add(m_no, u"keep"_s, [this] {
        releaseFocus();
        ask(Question::None);
        takeBack();
    });
    add(m_stop, u"stop"_s, &ChangesTab::stopDeed);
    m_progress.setInterval(200);
    connect(&m_progress, &QTimer::timeout, this, &ChangesTab::showProgress);
    m_follow.setInterval(1000);
    m_follow.setTimerType(Qt::CoarseTimer);
    connect(&m_follow, &QTimer::timeout, this, &ChangesTab::lookAgain);
    bar->addStretch();
    column->addLayout(m_bar);
}

QString ChangesTab::title() const
{
    return m_waiting > 0 ? tr("Changes · %L1").arg(m_waiting) : tr("Changes");
}

std::optional<FolderDeed> ChangesTab::underWay() const
{
    return m_loaded && !isBusy() ? m_loaded->underWay : std::nullopt;
}

QString ChangesTab::goesOn() const
{
    return m_deciding.isEmpty() ? QString()
                                : tr("Changes of a run are being carried out. Glovebox goes on when you close the tab, "
                                     "and a note here says what came of it.");
}

void ChangesTab::setRun(ShownRun *run)
{
    const auto result = run ? run->result() : nullptr;
    const bool changed = result && std::ranges::any_of(result->changes, [](const FolderChanges &folder) {
                             return !folder.isWhole || !folder.changes.isEmpty();
                         });
    const bool staged = run && std::ranges::any_of(run->policy().folders, [](const FolderGrant &folder) {
                            return folder.mode == FolderGrant::Mode::Stage;
                        });
    showChangesOf(
        changed ? result->id : QString(),
        changed   ? tr("The changes were applied or discarded.")
        : !staged ? tr("Let a run work on a copy of a folder (\"folders\" in the sentence above). Its changes are then "
                       "listed here for you to apply or discard.")
        : result  ? tr("The run changed nothing in its copies.")
                  : tr("Changes are listed here when the run has ended."));
}

void ChangesTab::setChanges(const QString &run, const QString &whenNone)
{
    if (run.isEmpty() || run != m_run)
        return showChangesOf(run, whenNone);
    m_whenNone = whenNone;
    lookAgain();
}

void ChangesTab::showChangesOf(const QString &run, const QString &whenNone)
{
    ++m_generation;
    m_loaded.reset();
    m_follow.stop();
    m_isReviewed = false;
    m_run = run;
    m_whenNone = whenNone;
    showBusy();
    if (!run.isEmpty())
        return load({}, Colour::Dim);
    m_canUndo = false;
    take(PendingChanges{});
    say(whenNone, Colour::Dim);
}

// Loads anew what is other than it was; a question that is being asked, and check marks, stay where nothing is.
void ChangesTab::lookAgain()
{
    if (m_run.isEmpty() || isBusy() || !m_loaded)
        return;
    m_context.withEngine(
        this, [run = m_run](Engine &engine) { return WaitingChanges::of(engine, run); },
        [this, generation = m_generation](const WaitingChanges &waiting) {
            if (generation == m_generation && waiting != m_loaded)
                load({}, Colour::Dim);
        });
}

// sentence: what was decided just before.
void ChangesTab::load(const QString &sentence, Colour colour)
{
    m_sentence = sentence;
    const int generation = ++m_generation;
    if (!m_context.engine()) {
        take(PendingChanges{});
        return say(tr("Glovebox isn't ready, so changes that wait aren't shown."), Colour::Dim);
    }
    m_context.withEngine(
        this, [run = m_run](Engine &engine) { return WaitingChanges::of(engine, run); },
        [this, generation, colour](const WaitingChanges &loaded) {
            if (generation != m_generation)
                return;
            m_loaded = loaded;
            m_canUndo = loaded.undoable > 0;
            take(loaded.pending);
            showBusy();
            if (!loaded.underWay)
                m_follow.stop();
            else
                m_follow.start();
            QStringList sentences{m_sentence};
            Colour tone = m_sentence.isEmpty() ? Colour::Dim : colour;
            if (!loaded.pending && loaded.pending.error().code != ErrorCode::NotFound && !loaded.isHalfUndone) {
                sentences << translated(loaded.pending.error().message);
                tone = Colour::Warn;
            } else if (!loaded.pending && m_sentence.isEmpty() && !m_canUndo) {
                sentences << m_whenNone;
            }
            if (loaded.underWay) {
                sentences << (loaded.underWay == FolderDeed::Undo
                                  ? tr("Changes are being undone in the original. You can decide about them when that "
                                       "has ended.")
                              : loaded.underWay == FolderDeed::Discard
                                  ? tr("These changes are being discarded.")
                                  : tr("These changes are being applied to the original. You can decide about those "
                                       "that are left when that has ended."));
                tone = Colour::Text;
            } else if (loaded.isHalfUndone) {
                sentences << tr(
                    "▲ Glovebox ended while it undid changes, so some may still be in the original. Undo the "
                    "rest.");
                tone = Colour::Warn;
            } else if (m_canUndo) {
                sentences << tr("%Ln change(s) can be undone until others are applied.", "", int(loaded.undoable));
            } else if (loaded.isUndoOver) {
                sentences << whyNotUndone();
            }
            sentences.removeAll(QString());
            if (!sentences.isEmpty()
                && (!loaded.pending || !m_sentence.isEmpty() || loaded.isHalfUndone || loaded.underWay))
                say(sentences.join(u'\n'), tone);
            if (m_summary->hasFocus() && m_waiting > 0)
                m_list->setFocus();
        });
}

void ChangesTab::take(const Result<PendingChanges> &pending)
{
    const QList<FolderChanges> folders = pending ? pending->folders : QList<FolderChanges>();
    m_model.setFolders(folders);
    m_waiting = m_model.rowCount();
    m_isAnyLeft = pending ? !folders.isEmpty()
                          : pending.error().code == ErrorCode::Damaged || pending.error().code == ErrorCode::Newer;
    sayWhatWaits(folders, pending && pending->isCutShort);
    if (m_waiting == 0 && m_splitter->isAncestorOf(QApplication::focusWidget()))
        m_summary->setFocus();
    arrange();
    ask(Question::None);
    if (m_waiting > 0)
        m_list->setCurrentIndex(m_model.index(0, 0));
    else
        showFile(-1);
    Q_EMIT titleChanged();
    m_context.actions().refresh();
}

void ChangesTab::sayWhatWaits(const QList<FolderChanges> &folders, bool isCutShort)
{
    const auto [sentence, isWeak] = waitingWords(folders, isCutShort);
    say(sentence, isWeak ? Colour::Warn : Colour::Text);
}

// The check marks are the person's, who may have been asked too early.
void ChangesTab::takeBack()
{
    if (!m_loaded || !m_loaded->pending || m_loaded->isHalfUndone || m_loaded->underWay)
        return load({}, Colour::Dim);
    m_sentence.clear();
    sayWhatWaits(m_loaded->pending->folders, m_loaded->pending->isCutShort);
    lookAgain();
}

void ChangesTab::say(const QString &sentence, Colour colour)
{
    m_said = sentence;
    setTextColour(m_summary, colour);
    showSummary();
}

void ChangesTab::showSummary()
{
    const bool isBrief = m_room != Room::Both && m_waiting > 0 && m_question == Question::None && m_sentence.isEmpty()
                         && m_loaded && m_loaded->pending && !m_loaded->isHalfUndone && !m_loaded->underWay;
    m_summary->setText(isBrief ? briefWords(*m_loaded->pending, m_room == Room::List) : m_said);
    // A scroll area knows nothing of how high wrapped words are.
    QWidget *content = m_scroll->widget();
    content->setMinimumHeight(std::max(content->layout()->minimumHeightForWidth(m_scroll->viewport()->width()), 0));
}

// Where a button goes that has the keyboard, Qt gives it to the next one: a key pressed twice would decide something.
void ChangesTab::releaseFocus()
{
    const auto *button = qobject_cast<QAbstractButton *>(QApplication::focusWidget());
    if (!button || !isAncestorOf(button))
        return;
    m_list->setEnabled(!isBusy());
    if (m_list->isVisible() && m_list->isEnabled())
        m_list->setFocus();
    else
        m_summary->setFocus();
}

void ChangesTab::ask(Question question)
{
    const bool isAsked = question != Question::None;
    if (std::exchange(m_question, question) != question)
        arrange();
    if (isAsked) {
        const bool isOne = (question == Question::Apply ? m_model.chosenCount() : m_waiting) == 1;
        m_yes->setText(question == Question::Apply ? (isOne ? tr("Apply it") : tr("Apply them"))
                                                   : (isOne ? tr("Discard it") : tr("Discard them")));
        m_no->setText(question == Question::Apply ? tr("Not yet") : isOne ? tr("Keep it") : tr("Keep them"));
        for (QPushButton *button : {m_yes, m_no})
            button->setAccessibleName(button->text());
    }
    const bool isReviewed = m_waiting > 0 && m_room != Room::None;
    const bool isOffered = isReviewed && !isAsked && !underWay();
    m_review->setVisible(m_waiting > 0 && !isReviewed && !isAsked);
    m_instead->setVisible(isReviewed && m_room == Room::List && !isAsked);
    m_all->setVisible(isOffered);
    m_apply->setVisible(isOffered);
    m_discard->setVisible(isOffered || (m_isAnyLeft && m_waiting == 0 && !isAsked && !underWay()));
    const bool isUndoOver = m_loaded && m_loaded->isUndoOver;
    m_undo->setVisible((m_canUndo || isUndoOver) && !isAsked && !underWay());
    m_undo->setEnabled(m_canUndo && !isBusy());
    m_undo->setToolTip(isUndoOver ? whyNotUndone() : QString());
    m_yes->setVisible(m_isAnyLeft && isAsked && !isBusy());
    m_no->setVisible(m_isAnyLeft && isAsked && !isBusy());
    m_list->setEnabled(!isAsked && !underWay());
    showSummary();
}

QString ChangesTab::whyNotUndone()
{
    return tr("Applied changes of this run can no longer be undone: only those that were applied last can be.");
}

// Nothing is decided about what can't be seen.
void ChangesTab::review()
{
    if (m_room != Room::None)
        return;
    Q_EMIT roomWanted();
    m_list->setFocus();
}

void ChangesTab::showInstead(bool diff)
{
    if (m_room != Room::List)
        return;
    m_showsDiff = diff;
    arrange();
    (diff ? static_cast<QWidget *>(m_diff) : m_list)->setFocus();
}

void ChangesTab::showChoice()
{
    const qsizetype chosen = m_model.chosenCount();
    m_apply->setText(chosen == m_model.rowCount() ? tr("Apply all…")
                                                  : tr("Apply %L1 of %L2…").arg(chosen).arg(m_model.rowCount()));
    m_apply->setAccessibleName(m_apply->text());
    m_apply->setEnabled(chosen > 0 && !isBusy());
    m_all->setCheckState(chosen == 0                    ? Qt::Unchecked
                         : chosen == m_model.rowCount() ? Qt::Checked
                                                        : Qt::PartiallyChecked);
}

void ChangesTab::showFile(int row)
{
    m_shown = {};
    showDiff();
    if (row < 0)
        return;
    const FolderChange change = m_model.row(row).change;
    if (change.type != FolderChange::Type::File) {
        m_shown = std::unexpected(tr("Only files are shown line by line."));
        return showDiff();
    }
    const int generation = m_generation;
    m_context.withEngine(
        this,
        [run = m_run, folder = m_model.row(row).folderPath, change](Engine &engine) {
            return changedLines(engine.staging(), run, folder, change);
        },
        [this, generation, row, change](const Result<QList<DiffLine>> &lines) {
            if (generation != m_generation || m_list->currentIndex().row() != row)
                return;
            if (!lines)
                m_shown = std::unexpected(translated(lines.error().message));
            else if (lines->isEmpty())
                m_shown = std::unexpected(translated(whyNoLines(change)));
            else
                m_shown = *lines;
            showDiff();
        });
}

void ChangesTab::showDiff()
{
    m_diff->setPlaceholderText(m_shown ? QString() : m_shown.error());
    m_diff->setLines(m_shown.value_or(QList<DiffLine>()));
}

bool ChangesTab::event(QEvent *event)
{
    // Qt tells all that is visible in a window when the window becomes active.
    if ((event->type() == QEvent::WindowActivate || event->type() == QEvent::Show) && isVisible())
        lookAgain();
    return RunTab::event(event);
}

void ChangesTab::resizeEvent(QResizeEvent *event)
{
    RunTab::resizeEvent(event);
    arrange();
}

// What doesn't fit the panel is reached by scrolling: no warning is cut, and there is always a list to see. Where list and difference
// don't fit beside each other, one of them has all of the room; where not even a list does, the panel is made larger for it, or scrolled
// where that isn't enough and while there is a question about it.
void ChangesTab::arrange()
{
    m_all->setMinimumHeight(m_apply->sizeHint().height()); // stands in the middle of their line
    constexpr int fewestLines = 4;
    const Theme &theme = m_context.theme();
    const bool isNarrow = width() < theme.scaled(narrow);
    const bool isLow = height() < theme.scaled(lowest);
    m_isReviewed = m_isReviewed && isLow;
    const Room room = !isNarrow || height() >= theme.scaled(low)               ? Room::Both
                      : !isLow || m_question != Question::None || m_isReviewed ? Room::List
                                                                               : Room::None;
    const bool isOther = std::exchange(m_room, room) != room, isList = room == Room::List;
    m_showsDiff = m_showsDiff && isList;
    m_splitter->setOrientation(isNarrow && !isList ? Qt::Vertical : Qt::Horizontal);
    m_bar->setDirection(isNarrow && room != Room::None ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    m_list->setVisible(!m_showsDiff);
    m_diff->setVisible(!isList || m_showsDiff);
    m_list->setHeaderHidden(isList);
    const int header = m_list->header()->sizeHint().height();
    m_list->setMinimumHeight(isList ? 2 * theme.size(Size::Row) : header + 3 * theme.size(Size::Row));
    m_diff->setMinimumHeight(fewestLines * QFontMetrics(m_diff->font()).lineSpacing());
    m_splitter->setMinimumHeight(m_splitter->minimumSizeHint().height());
    m_splitter->setVisible(m_waiting > 0 && room != Room::None);
    m_instead->setText(m_showsDiff ? tr("List") : tr("Difference"));
    m_instead->setAccessibleName(m_instead->text());
    if (isOther)
        ask(m_question);
    // The notes have what the others leave, and tell by an ellipsis that there is more of them; a scroll bar would hide that.
    for (const int column : {ChangesModel::Kind, ChangesModel::Path})
        m_list->resizeColumnToContents(column);
    // By the width of the tab: that of a list which comes into sight isn't known yet.
    const int widest = width() / (isList || m_splitter->orientation() == Qt::Vertical ? 2 : 4);
    m_list->setColumnWidth(ChangesModel::Path, std::min(m_list->columnWidth(ChangesModel::Path), widest));
    showSummary();
}

} // namespace glovebox
