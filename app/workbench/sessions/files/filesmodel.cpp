// SPDX-License-Identifier: Apache-2.0
#include "filesmodel.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/words/words.h"

#include <QHash>

#include <vector>

namespace glovebox {

using namespace Qt::StringLiterals;

struct FilesModel::Node
{
    Node *parent = nullptr;
    int row = 0;
    qsizetype entry = -1; // in the tree; -1: /work itself
    qint64 bytes = 0; // of all that is in it
    std::vector<std::unique_ptr<Node>> children = {};
};

struct ArrangedFiles
{
    SessionTree tree;
    QHash<QByteArray, FolderChange::Kind> marks = {};
    FilesModel::Node root = {};
    QHash<QByteArray, FilesModel::Node *> nodes = {};
};

FilesModel::FilesModel(const Theme &theme)
    : m_theme(theme)
    , m_files(arrange({}, {}))
{
}

FilesModel::~FilesModel() = default;

FilesModel::Files FilesModel::arrange(const SessionTree &tree, const QList<FolderChange> &changes)
{
    const auto files = std::make_shared<ArrangedFiles>(tree);
    for (const FolderChange &change : changes)
        files->marks.insert(change.path, change.kind);
    for (const bool isFolder : {true, false}) { // folders first, as in file managers
        for (qsizetype i = 0; i < tree.size(); ++i) {
            const SessionEntry &entry = tree[i];
            if ((entry.type == SessionEntry::Type::Folder) != isFolder)
                continue;
            const qsizetype slash = entry.path.lastIndexOf('/');
            Node *parent = slash < 0 ? &files->root : files->nodes.value(entry.path.first(slash), &files->root);
            auto node = std::make_unique<Node>(Node{.parent = parent, .entry = i});
            files->nodes.insert(entry.path, node.get());
            if (entry.type == SessionEntry::Type::File) {
                node->bytes = entry.bytes;
                for (Node *above = parent; above; above = above->parent)
                    above->bytes += entry.bytes;
            }
            parent->children.push_back(std::move(node));
        }
    }
    const auto order = [&tree](Node &folder) {
        const auto firstFile = std::ranges::find_if(
            folder.children, [&](const auto &child) { return tree[child->entry].type != SessionEntry::Type::Folder; });
        const auto isBefore = [&](const auto &one, const auto &other) {
            return comesBefore(tree[one->entry].path, tree[other->entry].path);
        };
        std::sort(folder.children.begin(), firstFile, isBefore);
        std::sort(firstFile, folder.children.end(), isBefore);
        for (int row = 0; const auto &child : folder.children)
            child->row = row++;
    };
    order(files->root);
    for (Node *node : std::as_const(files->nodes))
        order(*node);
    return files;
}

FilesModel::Files FilesModel::setFiles(Files files)
{
    beginResetModel();
    m_files.swap(files);
    endResetModel();
    return files;
}

const SessionTree &FilesModel::tree() const
{
    return m_files->tree;
}

const FilesModel::Node *FilesModel::nodeAt(const QModelIndex &index) const
{
    return index.isValid() ? static_cast<const Node *>(index.constInternalPointer()) : &m_files->root;
}

const SessionEntry *FilesModel::entry(const QModelIndex &index) const
{
    return index.isValid() ? &m_files->tree[nodeAt(index)->entry] : nullptr;
}

QModelIndex FilesModel::indexOf(const QByteArray &path) const
{
    const Node *node = m_files->nodes.value(path);
    return node ? createIndex(node->row, 0, node) : QModelIndex();
}

QByteArray FilesModel::folderAt(const QModelIndex &index) const
{
    const SessionEntry *at = entry(index);
    if (!at)
        return {};
    if (at->type == SessionEntry::Type::Folder)
        return at->path + '/';
    return at->path.first(at->path.lastIndexOf('/') + 1);
}

QModelIndex FilesModel::index(int row, int column, const QModelIndex &parent) const
{
    const Node *above = nodeAt(parent);
    if (row < 0 || row >= int(above->children.size()) || column < 0 || column >= columnCount() || parent.column() > 0)
        return {};
    return createIndex(row, column, above->children[size_t(row)].get());
}

QModelIndex FilesModel::parent(const QModelIndex &index) const
{
    const Node *above = index.isValid() ? nodeAt(index)->parent : nullptr;
    return !above || above == &m_files->root ? QModelIndex() : createIndex(above->row, 0, above);
}

int FilesModel::rowCount(const QModelIndex &parent) const
{
    return parent.column() > 0 ? 0 : int(nodeAt(parent)->children.size());
}

int FilesModel::columnCount(const QModelIndex &) const
{
    return Bytes + 1;
}

QString FilesModel::text(const Node &node, int column) const
{
    const SessionEntry &entry = m_files->tree[node.entry];
    switch (column) {
    case Name: {
        const QString name = shownPath(entry.path.sliced(entry.path.lastIndexOf('/') + 1));
        if (entry.type == SessionEntry::Type::Link)
            return tr("%1, a link to %2").arg(name, shownPath(entry.target));
        return entry.type == SessionEntry::Type::SameFile ? tr("%1, the same as %2").arg(name, shownPath(entry.target))
                                                          : name;
    }
    case Mark:
        return m_files->marks.contains(entry.path) ? changeWord(m_files->marks.value(entry.path)) : QString();
    default:
        return entry.type == SessionEntry::Type::File || entry.type == SessionEntry::Type::Folder ? sizeWord(node.bytes)
                                                                                                  : QString();
    }
}

QColor FilesModel::colour(const Node &node, int column) const
{
    const QByteArray &path = m_files->tree[node.entry].path;
    if (column == Mark && m_files->marks.contains(path))
        return m_theme.colour(changeColour(m_files->marks.value(path)));
    return m_theme.colour(column == Name ? Colour::Text : Colour::Dim);
}

QVariant FilesModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Node &node = *nodeAt(index);
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return text(node, index.column());
    case Qt::FontRole:
        return m_theme.font(index.column() == Name ? FontRole::Code : FontRole::Small);
    case Qt::ForegroundRole:
        return colour(node, index.column());
    case Qt::TextAlignmentRole:
        return index.column() == Bytes ? QVariant(int(Qt::AlignRight | Qt::AlignVCenter)) : QVariant();
    case Qt::DecorationRole:
        if (index.column() != Name)
            return {};
        return m_theme.icon(m_files->tree[node.entry].type == SessionEntry::Type::Folder ? Icon::Open : Icon::File,
                            Colour::Dim);
    default:
        return {};
    }
}

QVariant FilesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == Name ? tr("Name") : section == Mark ? tr("Change") : tr("Size");
}

Qt::ItemFlags FilesModel::flags(const QModelIndex &index) const
{
    const SessionEntry *at = entry(index);
    const Qt::ItemFlags usual = QAbstractItemModel::flags(index);
    if (!at)
        return usual | Qt::ItemIsDropEnabled;
    return usual | Qt::ItemIsDragEnabled
           | (at->type == SessionEntry::Type::Folder ? Qt::ItemIsDropEnabled : Qt::NoItemFlags);
}

QString changeWord(FolderChange::Kind kind)
{
    return kind == FolderChange::Kind::Added     ? FilesModel::tr("+ added")
           : kind == FolderChange::Kind::Removed ? FilesModel::tr("− removed")
                                                 : FilesModel::tr("~ changed");
}

Colour changeColour(FolderChange::Kind kind)
{
    return kind == FolderChange::Kind::Added     ? Colour::Ok
           : kind == FolderChange::Kind::Removed ? Colour::Bad
                                                 : Colour::Info;
}

QString shownPath(const QByteArray &path)
{
    return withHiddenShown(textFromBytes(path));
}

} // namespace glovebox
