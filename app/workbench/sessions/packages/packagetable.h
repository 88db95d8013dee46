// SPDX-License-Identifier: Apache-2.0
// The packages of a session as its locks name them: those that were asked for, and below them what these need.
#pragma once

#include "app/workbench/shell/theme.h"

#include "engine/packages/packages.h"

#include <QStandardItemModel>

#include <optional>

namespace glovebox {

// A lock of a session, and the text that it is kept as.
struct ShownLock
{
    PackageLock lock;
    QByteArray text;

    bool operator==(const ShownLock &) const = default;
};

// The error: one of them can't be read. Blocks for as long as reading takes.
Result<QList<ShownLock>> locksOf(const QList<SessionPackages> &packages);

class PackageTable : public QStandardItemModel
{
    Q_OBJECT
public:
    enum Column { Name, Version, From, Hash };

    PackageTable(const Theme &theme, QObject *parent = nullptr);
    void setLocks(const QList<ShownLock> &locks);
    int packages() const { return m_packages; }
    // Of the row, as somebody asked for it; nothing: another package brought it.
    struct Named
    {
        QString language, name;
    };
    std::optional<Named> namedAt(const QModelIndex &index) const;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

private:
    const Theme &m_theme;
    int m_packages = 0;
};

} // namespace glovebox
