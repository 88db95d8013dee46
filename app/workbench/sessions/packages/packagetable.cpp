// SPDX-License-Identifier: Apache-2.0
#include "packagetable.h"

#include "app/workbench/editor/file/hiddentext.h"

#include <QUrl>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int languageRole = Qt::UserRole; // of what was asked for
constexpr int nameRole = Qt::UserRole + 1;

QStringList namesAskedFor(const PackageLock &lock)
{
    QStringList names;
    for (const QString &text : lock.requirements) {
        if (const auto requirement = readRequirement(text, lock.language))
            names.append(requirement->name);
    }
    return names;
}

// "5bd9…0e61", of npm without the algorithm: enough to tell two apart.
QString shortHash(const QString &hash)
{
    constexpr qsizetype shown = 4;
    const QString digits = hash.sliced(hash.indexOf(u'-') + 1);
    return digits.size() <= 2 * shown ? digits : digits.first(shown) + u'…' + digits.last(shown);
}

QStandardItem *makeCell(const QString &text, const QString &whole = {})
{
    auto *cell = new QStandardItem(withHiddenShown(text));
    cell->setToolTip(withHiddenShown(whole.isEmpty() ? text : whole));
    cell->setEditable(false);
    return cell;
}

QList<QStandardItem *> rowOf(const LockedPackage &package, const QString &host)
{
    if (package.builtFrom) // the hash of a build is another each time: that of the source tells what it is
        return {makeCell(package.name), makeCell(package.version),
                makeCell(PackageTable::tr("%1, built here", "a host").arg(host)),
                makeCell(shortHash(package.builtFrom->hash), package.builtFrom->hash)};
    return {makeCell(package.name), makeCell(package.version), makeCell(host),
            makeCell(shortHash(package.hash), package.hash)};
}

} // namespace

Result<QList<ShownLock>> locksOf(const QList<SessionPackages> &packages)
{
    QList<ShownLock> locks;
    for (const SessionPackages &each : packages) {
        ASSIGN_OR_RETURN(const PackageLock lock, readPackageLock(each.lock));
        locks.append({lock, each.lock});
    }
    return locks;
}

PackageTable::PackageTable(const Theme &theme, QObject *parent)
    : QStandardItemModel(parent)
    , m_theme(theme)
{
    setHorizontalHeaderLabels({tr("Package"), tr("Version"), tr("Index", "of packages"), tr("Hash")});
}

QVariant PackageTable::data(const QModelIndex &index, int role) const
{
    const bool isPackage = !hasChildren(index.siblingAtColumn(Name));
    switch (role) {
    case Qt::FontRole:
        return m_theme.font(isPackage && index.column() != From ? FontRole::Code : FontRole::Base);
    case Qt::ForegroundRole:
        return m_theme.colour(isPackage && index.column() <= Version ? Colour::Text : Colour::Dim);
    default:
        return QStandardItemModel::data(index, role);
    }
}

std::optional<PackageTable::Named> PackageTable::namedAt(const QModelIndex &index) const
{
    const QModelIndex cell = index.siblingAtColumn(Name);
    if (!cell.data(nameRole).isValid())
        return {};
    return Named{cell.data(languageRole).toString(), cell.data(nameRole).toString()};
}

void PackageTable::setLocks(const QList<ShownLock> &locks)
{
    removeRows(0, rowCount());
    m_packages = 0;
    for (const auto &[lock, text] : locks) {
        const QString host = QUrl(lock.index).host();
        const QStringList names = namesAskedFor(lock);
        QList<LockedPackage> others;
        for (const LockedPackage &package : lock.packages) {
            if (!names.contains(package.name)) {
                others.append(package);
                continue;
            }
            const QList<QStandardItem *> row = rowOf(package, host);
            row.first()->setData(lock.language, languageRole);
            row.first()->setData(package.name, nameRole);
            appendRow(row);
        }
        m_packages += int(lock.packages.size());
        if (others.isEmpty())
            continue;
        QStandardItem *below = makeCell(tr("%Ln that these need", "packages", int(others.size())));
        for (const LockedPackage &package : std::as_const(others))
            below->appendRow(rowOf(package, host));
        appendRow(below);
    }
}

} // namespace glovebox
