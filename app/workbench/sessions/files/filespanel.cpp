// SPDX-License-Identifier: Apache-2.0
#include "filespanel.h"

#include "filetree.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/sessions/rowmenu.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/look/paddedcells.h"
#include "app/workbench/shell/words/sessionwords.h"

#include <QApplication>
#include <QDrag>
#include <QFileDialog>
#include <QMimeData>
#include <QUrl>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// A folder that is open has the icon of one that isn't.
class FileCells : public PaddedCells
{
public:
    using PaddedCells::PaddedCells;

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override
    {
        PaddedCells::initStyleOption(option, index);
        option->state &= ~QStyle::State_Open;
    }
};

} // namespace

FilesPanel::FilesPanel(WorkbenchContext &context, SessionDeeds &deeds, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
    , m_deeds(deeds)
    , m_model(context.theme())
    , m_tree(new FileTree(this))
{
    setBackground(this, Colour::Panel);
    auto *column = columnIn(this, 0);
    makeHead();
    m_remark = makeLabel({}, this, FontRole::Base, Colour::Dim);
    m_remark->setObjectName(u"sessions.files.remark"_s);
    m_remark->setContentsMargins(Space::l, Space::xs, Space::l, Space::s);
    m_remark->hide();
    column->addWidget(m_remark);
    showRows(m_tree, &m_model);
    m_tree->setItemDelegate(new FileCells(m_tree));
    m_tree->setRootIsDecorated(true);
    m_tree->setHeaderHidden(true);
    m_tree->setAllColumnsShowFocus(true);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setSectionResizeMode(FilesModel::Name, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(FilesModel::Mark, QHeaderView::ResizeToContents);
    m_tree->header()->setSectionResizeMode(FilesModel::Bytes, QHeaderView::ResizeToContents);
    setNames(m_tree, u"sessions.files"_s, tr("Files of the session"));
    setFocusProxy(m_tree);
    column->addWidget(m_tree, 1);
    m_question = makeLabel({}, this, FontRole::Base, Colour::Warn);
    m_question->setObjectName(u"sessions.files.question"_s);
    m_question->setContentsMargins(Space::l, Space::s, Space::l, Space::s);
    column->addWidget(m_question);
    m_answers = new QWidget(this);
    auto *row = rowIn(m_answers, Space::s, {Space::l, 0, Space::l, Space::s});
    m_yes = makeButton(tr("Delete"), u"sessions.files.yes"_s, m_answers, tr("Delete it from the session"));
    m_no = makeButton(tr("Keep"), u"sessions.files.no"_s, m_answers, tr("Keep it in the session"));
    row->addWidget(m_yes);
    row->addWidget(m_no);
    row->addStretch();
    column->addWidget(m_answers);
    ask({});

    offerMenu(m_tree, context.actions(), {u"put"_s, u"putfolder"_s, u""_s, u"save"_s, u"removefile"_s});
    connect(m_tree, &FileTree::dropped, this, &FilesPanel::put);
    connect(m_tree, &FileTree::dragged, this, &FilesPanel::dragOut);
    connect(m_tree, &FileTree::removalWanted, this, &FilesPanel::askToRemove);
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &FilesPanel::stateChanged);
    connect(m_yes, &QPushButton::clicked, this, &FilesPanel::removeAsked);
    connect(m_no, &QPushButton::clicked, this, [this] {
        ask({});
        m_tree->setFocus();
    });
}

void FilesPanel::makeHead()
{
    auto *head = new QWidget(this);
    auto *row = rowIn(head, Space::m, {Space::l, Space::s, Space::l, Space::s});
    auto *title = makeLabel(tr("Files"), head, FontRole::Strong);
    title->setWordWrap(false);
    row->addWidget(title);
    m_summary = makeLabel({}, head, FontRole::Base, Colour::Dim);
    m_summary->setObjectName(u"sessions.files.summary"_s);
    m_summary->setWordWrap(false);
    m_summary->setMinimumWidth(1);
    row->addWidget(m_summary, 1);
    for (const auto &[action, text] : {std::pair(u"put"_s, tr("Put in…")), {u"save"_s, tr("Save as…")}}) {
        auto *button = m_context.actions().makeButton(u"sessions."_s + action, u"sessions.files."_s + action, head);
        button->setText(text);
        setLook(button, ButtonLook::Link);
        row->addWidget(button);
    }
    static_cast<QVBoxLayout *>(layout())->addWidget(head);
}

QWidget *FilesPanel::view() const
{
    return m_tree;
}

void FilesPanel::setSession(const ShownSession &shown)
{
    const bool isOther = shown.session.id != m_shown.session.id;
    const bool isNew = isOther || shown.session.head != m_shown.session.head;
    m_shown = shown;
    if (isOther) {
        setFiles(FilesModel::arrange({}, {}));
        m_isLoaded = false;
        m_remark->hide();
        m_summary->clear();
        ask({});
    }
    if (isNew || !m_isLoaded)
        read();
    Q_EMIT stateChanged();
}

void FilesPanel::read()
{
    ++m_generation;
    m_context.withEngine(
        this,
        [session = m_shown.session](Engine &engine) -> Loaded {
            const Sessions &sessions = engine.sessions();
            const auto tree = sessions.tree(session);
            if (!tree)
                return {std::unexpected(tree.error())};
            QList<FolderChange> changes;
            const Snapshot *now = session.snapshot(session.head);
            if (now && session.snapshot(now->parent))
                changes = sessions.difference(session, now->parent, now->number).value_or(changes);
            return {FilesModel::arrange(*tree, changes), !changes.isEmpty()};
        },
        [this, generation = m_generation](const Loaded &loaded) {
            if (generation == m_generation)
                take(loaded);
        });
}

void FilesPanel::take(const Loaded &loaded)
{
    const SessionEntry *current = m_model.entry(m_tree->currentIndex());
    const QByteArray path = current ? current->path : QByteArray();
    QByteArrayList open;
    for (const SessionEntry &entry : m_model.tree()) {
        if (entry.type == SessionEntry::Type::Folder && m_tree->isExpanded(m_model.indexOf(entry.path)))
            open.append(entry.path);
    }
    const bool isFirst = !std::exchange(m_isLoaded, true);
    setFiles(loaded.files ? *loaded.files : FilesModel::arrange({}, {}));
    if (isFirst)
        m_tree->expandToDepth(0);
    for (const QByteArray &folder : std::as_const(open))
        m_tree->expand(m_model.indexOf(folder));
    const QModelIndex again = m_model.indexOf(path);
    m_tree->setCurrentIndex(again.isValid() || !m_tree->hasFocus() ? again : m_model.index(0, 0));
    QString remark;
    if (!loaded.files)
        remark = withHiddenShown(translated(loaded.files.error().message));
    else if (m_model.tree().isEmpty())
        remark = tr("No files yet. Drop some here, or let a run leave them in /work.");
    showText(m_remark, remark);
    setTextColour(m_remark, loaded.files ? Colour::Dim : Colour::Bad);
    const Snapshot *now = m_shown.session.snapshot(m_shown.session.head);
    m_summary->setText(now && loaded.isChanged ? tr("changed %1").arg(momentWord(now->timeMicroseconds)) : QString());
    if (!m_asked.isEmpty() && !m_model.indexOf(m_asked).isValid())
        ask({});
    Q_EMIT stateChanged();
}

void FilesPanel::setFiles(const FilesModel::Files &files)
{
    startIn(m_context.pool(), [before = m_model.setFiles(files)] { });
}

bool FilesPanel::hasFile() const
{
    return m_tree->currentIndex().isValid();
}

bool FilesPanel::canChange() const
{
    return !m_shown.session.id.isEmpty() && !m_shown.damage && !m_shown.isBusy;
}

void FilesPanel::put(const QStringList &paths, const QModelIndex &on)
{
    if (canChange())
        m_deeds.put(m_shown.session.id, paths, m_model.folderAt(on));
    else
        m_context.notifications().show({.id = u"sessions"_s,
                                        .tone = Tone::Warn,
                                        .text = tr("A run uses the session. Put the files in when it has ended.")});
}

QString FilesPanel::placeOfPut() const
{
    return u"/work/"_s + shownPath(m_model.folderAt(m_tree->currentIndex()));
}

// Where the title says, whatever is selected when the dialog closes.
std::function<void(const QStringList &)> FilesPanel::putHere()
{
    return [this, id = m_shown.session.id, folder = m_model.folderAt(m_tree->currentIndex())](
               const QStringList &paths) { m_deeds.put(id, paths, folder); };
}

void FilesPanel::putFiles()
{
    auto *dialog = new QFileDialog(this, tr("Put files into %1", "a folder").arg(placeOfPut()));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, putHere());
    dialog->open();
}

void FilesPanel::putFolder()
{
    auto *dialog = new QFileDialog(this, tr("Put a folder into %1", "a folder").arg(placeOfPut()));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::filesSelected, this, putHere());
    dialog->open();
}

void FilesPanel::save()
{
    const SessionEntry *entry = m_model.entry(m_tree->currentIndex());
    const QByteArray path = entry ? entry->path : QByteArray();
    auto *dialog = new QFileDialog(this, entry ? tr("Save %1").arg(shownPath(path)) : tr("Save all files in a folder"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->selectFile(entry ? QFile::decodeName(path.sliced(path.lastIndexOf('/') + 1))
                             : sessionName(m_shown.session));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, session = m_shown.session, tree = m_model.tree(), path](const QString &target) {
                m_deeds.save(session, tree, path, target);
            });
    dialog->open();
}

// The copy is made first, since whoever the file is dropped on reads it at once.
void FilesPanel::dragOut()
{
    const SessionEntry *entry = m_model.entry(m_tree->currentIndex());
    if (!entry)
        return;
    const QString folder = m_copies.filePath(newId(Clock::system()));
    const QString target = folder + u'/' + QFile::decodeName(entry->path.sliced(entry->path.lastIndexOf('/') + 1));
    if (!makePrivateFolder(folder))
        return;
    m_deeds.save(m_shown.session, m_model.tree(), entry->path, target, [this, target, press = m_tree->presses()] {
        if (press != m_tree->presses() || !(QApplication::mouseButtons() & Qt::LeftButton)) {
            m_context.notifications().show(
                {.id = u"sessions"_s,
                 .tone = Tone::Warn,
                 .text = tr("The copy wasn't there before the mouse let go. Drag more slowly, or save the file.")});
            return;
        }
        // By itself, since a window that closes while the mouse drags takes all of this with it.
        const auto drag = [tree = m_tree, target] {
            auto *content = new QMimeData;
            content->setUrls({QUrl::fromLocalFile(target)});
            auto *dragged = new QDrag(tree); // goes by itself
            dragged->setMimeData(content);
            dragged->exec(Qt::CopyAction);
        };
        QMetaObject::invokeMethod(m_tree, drag, Qt::QueuedConnection);
    });
}

void FilesPanel::askToRemove()
{
    const SessionEntry *entry = m_model.entry(m_tree->currentIndex());
    if (!entry || !canChange())
        return;
    m_asked = entry->path;
    ask(entry->type == SessionEntry::Type::Folder
            ? tr("Delete %1 and all that is in it from the session? Going back to a snapshot brings it back.")
                  .arg(shownPath(entry->path))
            : tr("Delete %1 from the session? Going back to a snapshot brings it back.").arg(shownPath(entry->path)));
    m_no->setFocus(Qt::ShortcutFocusReason); // which is seen
}

void FilesPanel::ask(const QString &question)
{
    if (question.isEmpty())
        m_asked.clear();
    showText(m_question, question);
    m_answers->setVisible(!question.isEmpty());
    if (!question.isEmpty())
        Q_EMIT asked();
}

void FilesPanel::removeAsked()
{
    const QByteArray path = m_asked;
    ask({});
    m_tree->setFocus();
    m_deeds.change(m_shown.session.id, RemoveFile{path}, tr("Deleting %1").arg(shownPath(path)));
}

bool FilesPanel::withdraw()
{
    const bool isAsking = !m_asked.isEmpty();
    if (isAsking) {
        ask({});
        m_tree->setFocus();
    }
    return isAsking;
}

} // namespace glovebox
