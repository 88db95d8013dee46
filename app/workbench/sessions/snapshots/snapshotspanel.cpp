// SPDX-License-Identifier: Apache-2.0
#include "snapshotspanel.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/runpanel/changes/diffview.h"
#include "app/workbench/sessions/rowmenu.h"
#include "app/workbench/shell/look.h"

#include <QLineEdit>
#include <QSplitter>
#include <QStringDecoder>
#include <QTreeView>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int roomForList = 300; // px in height, beside a question
constexpr qint64 mostCompared = 1 * mebibyte; // of a file

// The same text as a difference of lines; nullopt: no text, or too much.
std::optional<QString> asText(const std::optional<QByteArray> &bytes)
{
    if (!bytes)
        return std::nullopt;
    QStringDecoder decoder(QStringDecoder::Utf8);
    const QString text = decoder(*bytes);
    return decoder.hasError() || bytes->contains('\0') ? std::nullopt : std::optional(text);
}

} // namespace

SnapshotsPanel::SnapshotsPanel(WorkbenchContext &context, SessionDeeds &deeds, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
    , m_deeds(deeds)
    , m_model(context.theme())
    , m_changes(context.theme())
    , m_splitter(new QSplitter(Qt::Vertical, this))
    , m_list(new QTreeView(m_splitter))
{
    setBackground(this, Colour::Panel);
    auto *column = columnIn(this, 0);
    makeHead();
    column->addWidget(m_splitter, 1);
    showRows(m_list, &m_model);
    m_list->setItemDelegate(new SnapshotCells(context.theme(), m_list));
    m_list->setHeaderHidden(true);
    m_list->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_list->setAllColumnsShowFocus(true);
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(SnapshotsModel::Time, QHeaderView::ResizeToContents);
    m_list->header()->setSectionResizeMode(SnapshotsModel::Cause, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(SnapshotsModel::Changes, QHeaderView::ResizeToContents);
    m_list->setMinimumHeight(m_context.theme().size(Size::Row));
    setNames(m_list, u"sessions.snapshots"_s, tr("Snapshots, newest first"));
    m_list->setAccessibleDescription(tr("Select two to compare them."));
    offerMenu(m_list, context.actions(), {u"rollback"_s, u"forkfrom"_s, u"history"_s, u""_s, u"label"_s});
    setFocusProxy(m_list);
    m_splitter->addWidget(makeLower());
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setStretchFactor(0, 1);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({1000, 1000});
    connect(m_list->selectionModel(), &QItemSelectionModel::selectionChanged, this, &SnapshotsPanel::takeSelection);
    connect(m_list, &QTreeView::activated, this, [this] { askToGoBack(); });
    ask(Question::None);
}

void SnapshotsPanel::makeHead()
{
    auto *head = new QWidget(this);
    auto *row = rowIn(head, Space::m, {Space::l, Space::s, Space::l, Space::s});
    auto *title = makeLabel(tr("Snapshots"), head, FontRole::Strong);
    title->setWordWrap(false);
    row->addWidget(title);
    auto *remark = makeLabel(tr("one after each change"), head, FontRole::Base, Colour::Dim);
    remark->setWordWrap(false);
    remark->setMinimumWidth(1);
    row->addWidget(remark, 1);
    auto *name = m_context.actions().makeButton(u"sessions.label"_s, u"sessions.snapshots.label"_s, head);
    name->setText(tr("Name it…"));
    setLook(name, ButtonLook::Link);
    row->addWidget(name);
    static_cast<QVBoxLayout *>(layout())->addWidget(head);
}

QWidget *SnapshotsPanel::makeLower()
{
    auto *lower = new QWidget(m_splitter);
    auto *column = columnIn(lower, Space::s, {0, Space::s, 0, 0});
    m_summary = makeLabel({}, lower);
    m_summary->setObjectName(u"sessions.snapshots.summary"_s);
    m_summary->setContentsMargins(Space::l, 0, Space::l, 0);
    column->addWidget(m_summary);
    m_name = new QLineEdit(lower);
    m_name->setPlaceholderText(tr("A few words, for example: clean import"));
    setNames(m_name, u"sessions.snapshots.name"_s, tr("Name of the newest snapshot"));
    auto *nameRow = rowIn(new QWidget(lower), 0, {Space::l, 0, Space::l, 0});
    nameRow->addWidget(m_name);
    column->addWidget(nameRow->parentWidget());
    const auto makeRow = [&] {
        auto *owner = new QWidget(lower);
        rowIn(owner, Space::s, {Space::l, 0, Space::l, 0});
        column->addWidget(owner);
        return owner;
    };
    m_usual = makeRow();
    auto *usual = static_cast<QHBoxLayout *>(m_usual->layout());
    for (const auto &[action, text] : {std::pair(u"rollback"_s, tr("Go back to this…")), {u"forkfrom"_s, tr("Fork")}}) {
        auto *button =
            m_context.actions().makeButton(u"sessions."_s + action, u"sessions.snapshots."_s + action, m_usual);
        button->setText(text);
        usual->addWidget(button);
    }
    auto *run = m_context.actions().makeButton(u"sessions.history"_s, u"sessions.snapshots.run"_s, m_usual);
    run->setText(tr("Show the run"));
    setLook(run, ButtonLook::Link);
    usual->addWidget(run);
    usual->addStretch();
    m_answers = makeRow();
    auto *answers = static_cast<QHBoxLayout *>(m_answers->layout());
    m_yes = makeButton(tr("Go back"), u"sessions.snapshots.yes"_s, m_answers);
    m_no = makeButton(tr("Leave it"), u"sessions.snapshots.no"_s, m_answers, tr("Leave the session as it is"));
    answers->addWidget(m_yes);
    answers->addWidget(m_no);
    answers->addStretch();
    m_changeView = new QTreeView(lower);
    showRows(m_changeView, &m_changes);
    m_changeView->setHeaderHidden(true);
    m_changeView->setAllColumnsShowFocus(true);
    m_changeView->header()->setStretchLastSection(false);
    m_changeView->header()->setSectionResizeMode(ChangeList::Kind, QHeaderView::ResizeToContents);
    m_changeView->header()->setSectionResizeMode(ChangeList::Path, QHeaderView::Stretch);
    m_changeView->header()->setSectionResizeMode(ChangeList::Bytes, QHeaderView::ResizeToContents);
    m_changeView->setMinimumHeight(1);
    setNames(m_changeView, u"sessions.snapshots.changes"_s, tr("Files that are different"));
    auto *listed = new QHBoxLayout; // its words stand below those of the heading
    listed->setContentsMargins(Space::s, 0, Space::s, 0);
    listed->addWidget(m_changeView);
    column->addLayout(listed, 1);
    m_diff = new DiffView(m_context.theme(), lower);
    m_diff->setMinimumHeight(1);
    setNames(m_diff, u"sessions.snapshots.difference"_s, tr("Differences in the file"));
    column->addWidget(m_diff, 1);
    m_diff->hide();
    column->addStretch(); // where nothing is listed
    connect(m_changeView->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &SnapshotsPanel::showContent);
    connect(m_yes, &QPushButton::clicked, this, &SnapshotsPanel::answer);
    connect(m_no, &QPushButton::clicked, this, &SnapshotsPanel::withdraw);
    connect(m_name, &QLineEdit::returnPressed, this, &SnapshotsPanel::answer);
    return lower;
}

QWidget *SnapshotsPanel::view() const
{
    return m_list;
}

void SnapshotsPanel::setSession(const ShownSession &shown)
{
    const bool isOther = shown.session.id != m_shown.session.id;
    const bool isNew = isOther || shown.session.snapshots != m_shown.session.snapshots;
    const int before = isOther || chosen() == m_shown.session.head ? shown.session.head : chosen();
    m_shown = shown;
    if (isNew && m_question != Question::None && (isOther || m_question == Question::GoBack))
        ask(Question::None); // it was about another state
    m_model.setSession(shown);
    if (isNew)
        choose(before);
    Q_EMIT stateChanged();
}

// Alone, whatever modifier is held: the view's own setCurrentIndex() would add it to others while Ctrl is.
void SnapshotsPanel::choose(int number)
{
    if (const int row = m_model.rowOf(number); row >= 0)
        m_list->selectionModel()->setCurrentIndex(m_model.index(row, 0),
                                                  QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

int SnapshotsPanel::chosen() const
{
    const QModelIndex current = m_list->currentIndex();
    return current.isValid() ? m_model.row(current.row()).snapshot.number : 0;
}

QString SnapshotsPanel::runOfChosen() const
{
    const Snapshot *snapshot = m_shown.session.snapshot(chosen());
    return snapshot ? snapshot->run : QString();
}

bool SnapshotsPanel::canGoBack() const
{
    return !m_shown.damage && !m_shown.isBusy && chosen() > 0 && chosen() != m_shown.session.head;
}

QString SnapshotsPanel::titleOf(Pair pair) const
{
    const QModelIndexList rows = m_list->selectionModel()->selectedRows();
    if (rows.size() == 2)
        return tr("From snapshot %1 to %2:").arg(pair.from).arg(pair.to);
    return tr("Snapshot %1, against %2:").arg(pair.to).arg(pair.from);
}

void SnapshotsPanel::takeSelection()
{
    if (m_question != Question::None)
        ask(Question::None);
    QList<int> numbers;
    for (const QModelIndex &index : m_list->selectionModel()->selectedRows())
        numbers.append(m_model.row(index.row()).snapshot.number);
    std::ranges::sort(numbers);
    if (numbers.size() == 2) {
        compare({numbers.first(), numbers.last()}, titleOf({numbers.first(), numbers.last()}));
    } else if (const Snapshot *snapshot = numbers.size() == 1 ? m_shown.session.snapshot(numbers.first()) : nullptr) {
        if (m_shown.session.snapshot(snapshot->parent))
            compare({snapshot->parent, snapshot->number}, titleOf({snapshot->parent, snapshot->number}));
        else
            takeChanges(QList<FolderChange>(),
                        snapshot->parent == 0 ? tr("Snapshot %1 is the first.").arg(snapshot->number)
                                              : tr("The snapshot before %1 is no longer kept.").arg(snapshot->number));
    } else {
        takeChanges(QList<FolderChange>(), numbers.isEmpty() ? QString() : tr("Select two snapshots to compare them."));
    }
    Q_EMIT stateChanged();
}

void SnapshotsPanel::compare(Pair pair, const QString &title)
{
    m_pair = pair;
    ++m_generation;
    m_context.withEngine(
        this,
        [session = m_shown.session, pair](Engine &engine) {
            return engine.sessions().difference(session, pair.from, pair.to);
        },
        [this, title, generation = m_generation](const Result<QList<FolderChange>> &changes) {
            if (generation == m_generation)
                takeChanges(changes, title);
        });
}

void SnapshotsPanel::takeChanges(const Result<QList<FolderChange>> &changes, const QString &title)
{
    ++m_generation;
    setTextColour(m_summary, changes ? Colour::Text : Colour::Bad);
    if (!changes)
        showText(m_summary, withHiddenShown(translated(changes.error().message)));
    else if (m_question == Question::GoBack)
        showText(m_summary,
                 changes->isEmpty()
                     ? tr("Nothing is different in snapshot %1.").arg(m_asked)
                     : tr("Going back to snapshot %1 changes %Ln file(s) or folder(s). Snapshot %2 keeps what "
                          "is there now.",
                          "", int(changes->size()))
                           .arg(m_asked)
                           .arg(m_shown.session.head));
    else if (m_question == Question::Name)
        explainNames();
    else
        showText(m_summary, title.endsWith(u':')
                                ? title + u' ' + tr("%Ln file(s) or folder(s)", "", int(changes->size()))
                                : title);
    m_yes->setEnabled(m_question == Question::Name || (changes && !changes->isEmpty()));
    m_changes.setRows(changes.value_or(QList<FolderChange>()));
    m_changeView->setVisible(m_changes.rowCount() > 0);
    m_diff->hide();
}

// The content of one file, before and after.
void SnapshotsPanel::showContent()
{
    ++m_contentGeneration;
    const QModelIndex current = m_changeView->currentIndex();
    if (!current.isValid())
        return m_diff->hide();
    const QByteArray path = m_changes.row(current.row()).path;
    using Lines = std::optional<QList<DiffLine>>;
    m_context.withEngine(
        this,
        [session = m_shown.session, pair = m_pair, path](Engine &engine) -> Lines {
            const Sessions &sessions = engine.sessions();
            const auto before = sessions.tree(session, pair.from);
            const auto after = sessions.tree(session, pair.to);
            if (!before || !after)
                return std::nullopt;
            const auto has = [&](const SessionTree &tree) {
                return std::ranges::find(tree, path, &SessionEntry::path) != tree.end();
            };
            const auto text = [&](const SessionTree &tree) -> std::optional<QString> {
                if (!has(tree))
                    return QString();
                return asText(contentOf(sessions, session, tree, path, mostCompared).value_or(std::nullopt));
            };
            const auto old = text(*before);
            const auto now = text(*after);
            return old && now ? Lines(lineDiff(*old, *now)) : std::nullopt;
        },
        [this, generation = m_contentGeneration](const Lines &lines) {
            if (generation != m_contentGeneration)
                return;
            m_diff->setLines(lines.value_or(QList<DiffLine>()));
            m_diff->setVisible(lines && !lines->isEmpty());
        });
}

void SnapshotsPanel::ask(Question question)
{
    m_question = question;
    m_name->parentWidget()->setVisible(question == Question::Name);
    m_answers->setVisible(question != Question::None);
    m_usual->setVisible(question == Question::None);
    // Where there is little room, all of it is for the question.
    m_list->setVisible(question == Question::None || height() >= m_context.theme().scaled(roomForList));
    if (question != Question::None)
        Q_EMIT asked();
    const QString yes = question == Question::Name ? tr("Name it") : tr("Go back");
    m_yes->setText(yes);
    m_yes->setAccessibleName(question == Question::Name ? yes : tr("Go back to snapshot %1").arg(m_asked));
}

void SnapshotsPanel::askToGoBack(int number)
{
    m_asked = number == 0 ? chosen() : number;
    if (m_shown.isBusy || m_asked == m_shown.session.head || !m_shown.session.snapshot(m_asked))
        return;
    if (chosen() != m_asked)
        choose(m_asked);
    ask(Question::GoBack);
    m_yes->setEnabled(false); // until it is known what would be different
    m_no->setFocus(Qt::ShortcutFocusReason); // which is seen
    compare({m_shown.session.head, m_asked}, {});
}

void SnapshotsPanel::askToUndo(const QString &run)
{
    const QList<Snapshot> &all = m_shown.session.snapshots;
    const auto found = std::ranges::find(all, run, &Snapshot::run);
    if (found != all.end() && m_shown.session.snapshot(found->parent))
        return askToGoBack(found->parent);
    m_context.notifications().show(
        {.id = u"sessions"_s,
         .tone = Tone::Warn,
         .text = found == all.end() ? tr("The session no longer has a snapshot of this run.")
                                    : tr("The snapshot before this run is no longer kept, so it can't be undone.")});
}

void SnapshotsPanel::explainNames()
{
    showText(m_summary, tr("Name the newest snapshot. One that has a name is kept until the session is deleted."));
}

void SnapshotsPanel::askToName()
{
    if (m_shown.damage || m_shown.isBusy)
        return;
    choose(m_shown.session.head);
    const Snapshot *now = m_shown.session.snapshot(m_shown.session.head);
    m_name->setText(now ? now->label : QString());
    ask(Question::Name);
    explainNames();
    m_yes->setEnabled(true);
    m_name->setFocus();
    m_name->selectAll();
}

void SnapshotsPanel::answer()
{
    const Question question = m_question;
    const QString label = m_name->text().trimmed();
    if (question == Question::Name && label.isEmpty())
        return m_name->setFocus();
    ask(Question::None);
    m_list->setFocus();
    if (question == Question::Name)
        m_deeds.change(m_shown.session.id, LabelSnapshot{label}, tr("Naming the snapshot"));
    else if (question == Question::GoBack)
        m_deeds.rollBack(m_shown.session, m_asked);
}

bool SnapshotsPanel::withdraw()
{
    if (m_question == Question::None)
        return false;
    ask(Question::None);
    takeSelection();
    m_list->setFocus();
    return true;
}

} // namespace glovebox
