// SPDX-License-Identifier: Apache-2.0
#include "foldereditor.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

FolderEditor::FolderEditor(Theme &theme, QWidget *anchor, const Policy &policy, FolderCheck check)
    : Popover(theme, anchor, u"bench.folders"_s, tr("Folders"), 540)
    , m_theme(theme)
    , m_policy(policy)
    , m_check(std::move(check))
    , m_rows(new QWidget(this))
    , m_field(new QLineEdit(this))
    , m_add(makeButton(tr("Add"), u"bench.folders.add"_s, this, tr("Add the folder")))
    , m_remark(makeLabel({}, this, FontRole::Small, Colour::Dim))
{
    content()->addWidget(makeLabel(tr("Folders"), this, FontRole::Strong));
    content()->addWidget(makeLabel(tr("A run sees no folder of this machine but those that you name here. With a copy "
                                      "you review its changes, and decide."),
                                   this, FontRole::Base, Colour::Dim));
    columnIn(m_rows, Space::s);
    content()->addWidget(m_rows);

    auto *row = new QHBoxLayout;
    row->setSpacing(Space::s);
    m_field->setPlaceholderText(tr("Path of a folder"));
    m_field->setLayoutDirection(Qt::LeftToRight);
    setNames(m_field, u"bench.folders.path"_s, tr("Path of a folder to show to the run"));
    row->addWidget(m_field, 1);
    auto *browse = makeButton(tr("Choose…"), u"bench.folders.choose"_s, this, tr("Choose a folder"));
    row->addWidget(browse);
    row->addWidget(m_add);
    content()->addLayout(row);
    m_remark->setObjectName(u"bench.folders.remark"_s);
    content()->addWidget(m_remark);

    connect(m_field, &QLineEdit::returnPressed, this, &FolderEditor::add);
    connect(m_field, &QLineEdit::textEdited, this, [this] { m_remark->hide(); });
    connect(m_add, &QPushButton::clicked, this, &FolderEditor::add);
    connect(browse, &QPushButton::clicked, this, &FolderEditor::browse);
    m_remark->hide();
    showFolders();
    open(m_field);
}

void FolderEditor::showFolders()
{
    clearLayout(m_rows->layout());
    m_rows->setVisible(!m_policy.folders.isEmpty());
    for (int i = 0; i < m_policy.folders.size(); ++i)
        m_rows->layout()->addWidget(makeRow(i));
}

QWidget *FolderEditor::makeRow(int index)
{
    const FolderGrant &folder = m_policy.folders.at(index);
    auto *row = new QWidget(m_rows);
    auto *layout = rowIn(row, Space::s);
    auto *names = new QVBoxLayout;
    names->setSpacing(0);
    for (const auto &[path, colour] : {std::pair(folder.hostPath, Colour::Text), {folder.path, Colour::Dim}}) {
        QLabel *label = makeLabel(withHiddenShown(path), row, FontRole::Code, colour);
        markAsData(label);
        label->setMinimumWidth(1);
        names->addWidget(label);
    }
    layout->addLayout(names, 1);

    auto *mode = new QComboBox(row);
    mode->addItem(tr("Read only"), int(FolderGrant::Mode::ReadOnly));
    mode->addItem(tr("A copy (recommended)"), int(FolderGrant::Mode::Stage));
    mode->addItem(tr("▲ The original, writable"), int(FolderGrant::Mode::ReadWrite));
    mode->setCurrentIndex(mode->findData(int(folder.mode)));
    setNames(mode, u"bench.folders.mode%1"_s.arg(index + 1), tr("Rights of the run in %1").arg(folder.hostPath));
    layout->addWidget(mode);
    connect(mode, &QComboBox::activated, this,
            [this, index, mode](int chosen) { setMode(index, FolderGrant::Mode(mode->itemData(chosen).toInt())); });

    auto *gone = makeIconButton(m_theme.icon(Icon::Close), u"bench.folders.remove%1"_s.arg(index + 1),
                                tr("Remove %1").arg(folder.hostPath), row);
    layout->addWidget(gone);
    connect(gone, &QToolButton::clicked, this, [this, index] { remove(index); });
    return row;
}

void FolderEditor::browse()
{
    auto *dialog = new QFileDialog(window(), tr("Choose a folder"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    const QPointer<FolderEditor> guard(this);
    connect(dialog, &QFileDialog::fileSelected, this, [guard](const QString &path) {
        if (guard) {
            guard->m_field->setText(path);
            guard->add();
        }
    });
    dialog->open();
}

void FolderEditor::add()
{
    QString path = m_field->text().trimmed();
    if (path.isEmpty())
        return refuse(tr("Name a folder, for example %1.").arg(QDir::homePath() + u"/project"_s));
    if (path == u"~"_s || path.startsWith(u"~/"_s))
        path.replace(0, 1, QDir::homePath());
    if (path.startsWith(u'/'))
        path = QDir::cleanPath(path);
    if (std::ranges::any_of(m_policy.folders, [&](const FolderGrant &folder) { return folder.hostPath == path; }))
        return refuse(tr("This folder is in the list already."));
    const FolderGrant folder{path, placeInside(path, m_policy.folders), FolderGrant::Mode::Stage};
    propose(m_policy.folders + QList{folder}, folder);
}

void FolderEditor::remove(int index)
{
    ++m_generation;
    m_policy.folders.removeAt(index);
    m_remark->hide();
    m_field->setFocus();
    showFolders();
    Q_EMIT chosen(m_policy.folders);
}

void FolderEditor::setMode(int index, FolderGrant::Mode mode)
{
    QList<FolderGrant> folders = m_policy.folders;
    folders[index].mode = mode;
    const FolderGrant changed = folders[index];
    propose(folders, changed);
}

void FolderEditor::propose(const QList<FolderGrant> &folders, const FolderGrant &changed)
{
    Policy policy = m_policy;
    policy.folders = folders;
    const int generation = ++m_generation;
    if (const Status sound = validate(policy); !sound)
        return refuse(translated(sound.error().message));
    const QPointer<FolderEditor> guard(this);
    const auto answer = [guard, generation, folders, changed](const QString &refusal) {
        if (!guard || guard->m_generation != generation)
            return;
        if (!refusal.isEmpty())
            return guard->refuse(refusal);
        const bool isNew = folders.size() > guard->m_policy.folders.size();
        guard->m_policy.folders = folders;
        if (isNew) {
            guard->m_field->clear();
            guard->m_field->setFocus();
            guard->showFolders();
        }
        guard->m_remark->setVisible(changed.mode == FolderGrant::Mode::ReadWrite);
        guard->m_remark->setText(tr("▲ The run may change and remove what is in this folder, and nothing is asked."));
        setTextColour(guard->m_remark, Colour::Warn);
        Q_EMIT guard->chosen(folders);
    };
    if (m_check)
        m_check(changed, answer);
    else
        answer({});
}

// Everything stays as it was, and the lists say so.
void FolderEditor::refuse(const QString &sentence)
{
    m_remark->setText(sentence);
    setTextColour(m_remark, Colour::Warn);
    m_remark->show();
    for (int i = 0; i < m_policy.folders.size(); ++i) {
        if (auto *mode = m_rows->findChild<QComboBox *>(u"bench.folders.mode%1"_s.arg(i + 1)))
            mode->setCurrentIndex(mode->findData(int(m_policy.folders.at(i).mode)));
    }
}

QString foldersPhrase(const QList<FolderGrant> &folders)
{
    if (folders.isEmpty())
        return FolderEditor::tr("no folders");
    const QString count = FolderEditor::tr("%Ln folder(s)", "", int(folders.size()));
    return areWritable(folders) ? FolderEditor::tr("%1, writable").arg(count) : count;
}

bool areWritable(const QList<FolderGrant> &folders)
{
    return std::ranges::any_of(folders,
                               [](const FolderGrant &folder) { return folder.mode == FolderGrant::Mode::ReadWrite; });
}

QString placeInside(const QString &hostPath, const QList<FolderGrant> &others)
{
    QString name = hostPath.section(u'/', -1);
    if (name.isEmpty() || name == u"."_s || name == u".."_s)
        name = u"folder"_s;
    const auto isTaken = [&](const QString &path) {
        return std::ranges::any_of(others, [&](const FolderGrant &folder) { return folder.path == path; });
    };
    QString path = u"/work/"_s + name;
    for (int i = 2; isTaken(path); ++i)
        path = u"/work/%1-%2"_s.arg(name).arg(i);
    return path;
}

} // namespace glovebox
