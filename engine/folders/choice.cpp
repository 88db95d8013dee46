// SPDX-License-Identifier: Apache-2.0
#include "folders.h"

#include <vector>

namespace glovebox {

ChangeChoice::ChangeChoice(const QList<FolderChange> &changes)
    : m_changes(changes)
    , m_isChosen(changes.size(), false)
{
    for (qsizetype i = 0; i < changes.size(); ++i)
        m_places[changes[i].path].append(i);
}

bool ChangeChoice::isNewAt(qsizetype i) const
{
    return m_changes[i].kind == FolderChange::Kind::Added;
}

bool ChangeChoice::isRemovedFolder(qsizetype i) const
{
    return m_changes[i].kind == FolderChange::Kind::Removed && m_changes[i].type == FolderChange::Type::Folder;
}

QList<qsizetype> ChangeChoice::above(qsizetype i) const
{
    QList<qsizetype> found;
    QByteArray path = m_changes[i].path;
    for (qsizetype slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/')) {
        path.truncate(slash);
        found += m_places.value(path);
    }
    return found;
}

QList<qsizetype> ChangeChoice::below(qsizetype i) const
{
    QList<qsizetype> found;
    const QByteArray prefix = m_changes[i].path + '/';
    for (auto place = m_places.lowerBound(prefix); place != m_places.end() && place.key().startsWith(prefix); ++place)
        found += *place;
    return found;
}

// A new file needs the new folder that it is in; a folder can go only with all that was in it; what takes another's place needs its place.
QList<qsizetype> ChangeChoice::bound(qsizetype i, bool isChosen) const
{
    const bool isRemoved = m_changes[i].kind == FolderChange::Kind::Removed;
    QList<qsizetype> all = m_places.value(m_changes[i].path);
    const auto add = [&](const QList<qsizetype> &others, auto isBound) {
        for (const qsizetype other : others) {
            if (isBound(other))
                all.append(other);
        }
    };
    const auto wasRemoved = [this](qsizetype other) { return m_changes[other].kind == FolderChange::Kind::Removed; };
    if (isChosen && !isRemoved)
        add(above(i), [this](qsizetype other) { return isNewAt(other); });
    if (isChosen && isRemovedFolder(i))
        add(below(i), wasRemoved);
    if (!isChosen && isNewAt(i))
        add(below(i), [&](qsizetype other) { return !wasRemoved(other); });
    if (!isChosen && isRemoved)
        add(above(i), [this](qsizetype other) { return isRemovedFolder(other); });
    return all;
}

void ChangeChoice::choose(qsizetype i, bool isChosen)
{
    QList<qsizetype> next{i};
    while (!next.isEmpty()) {
        const qsizetype one = next.takeLast();
        if (m_isChosen[one] == isChosen)
            continue;
        m_isChosen[one] = isChosen;
        m_count += isChosen ? 1 : -1;
        next += bound(one, isChosen);
    }
}

QList<FolderChange> ChangeChoice::chosen() const
{
    QList<FolderChange> all;
    for (qsizetype i = 0; i < m_changes.size(); ++i) {
        if (m_isChosen[i])
            all.append(m_changes[i]);
    }
    return all;
}

} // namespace glovebox
