// SPDX-License-Identifier: Apache-2.0
// The files of a session's newest snapshot as a tree, each with its size and whether the last change touched it.
#pragma once

#include "app/workbench/shell/theme.h"

#include "engine/sessions/sessions.h"

#include <QAbstractItemModel>

#include <memory>

namespace glovebox {

struct ArrangedFiles; // as a tree, ready to be shown

class FilesModel : public QAbstractItemModel
{
    Q_OBJECT
public:
    enum Column { Name, Mark, Bytes };

    explicit FilesModel(const Theme &theme);
    ~FilesModel() override;

    // changes: of the newest snapshot against the one before. Takes a while where there are many, and is for any thread.
    using Files = std::shared_ptr<const ArrangedFiles>;
    static Files arrange(const SessionTree &tree, const QList<FolderChange> &changes);
    // Returns those that were shown, which take a while to go.
    Files setFiles(Files files);
    const SessionTree &tree() const;
    const SessionEntry *entry(const QModelIndex &index) const; // null: there is none
    QModelIndex indexOf(const QByteArray &path) const;
    // The folder that a file put at this place comes into: "" for /work itself, else "data/".
    QByteArray folderAt(const QModelIndex &index) const;

    QModelIndex index(int row, int column, const QModelIndex &parent = {}) const override;
    QModelIndex parent(const QModelIndex &index) const override;
    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;
    QStringList mimeTypes() const override { return {QStringLiteral("text/uri-list")}; }

private:
    struct Node;
    friend struct ArrangedFiles;
    const Node *nodeAt(const QModelIndex &index) const;
    QString text(const Node &node, int column) const;
    QColor colour(const Node &node, int column) const;

    const Theme &m_theme;
    Files m_files;
};

// "+ added", "~ changed", "− removed", and its colour.
QString changeWord(FolderChange::Kind kind);
Colour changeColour(FolderChange::Kind kind);
QString shownPath(const QByteArray &path); // hidden characters can be seen

} // namespace glovebox
