// SPDX-License-Identifier: Apache-2.0
#include "notifications.h"

#include <algorithm>

namespace glovebox {
namespace {

bool removeById(QList<Note> &notes, const QString &id)
{
    return notes.removeIf([&](const Note &note) { return note.id == id; }) > 0;
}

} // namespace

void Notifications::show(Note note)
{
    if (note.id.isEmpty())
        note.id = QStringLiteral("note-%1").arg(++m_nextId);
    m_notes.removeIf([&note](const Note &old) {
        const bool givesWay = !old.stays && (old.tone == Tone::Info || old.tone == Tone::Ok) && old.remedies.isEmpty();
        return old.id == note.id || givesWay || (old.text == note.text && old.detail == note.detail);
    });
    m_notes.append(std::move(note));
    Q_EMIT changed();
}

void Notifications::dismiss(const QString &id)
{
    if (removeById(m_notes, id))
        Q_EMIT changed();
}

void Notifications::clear()
{
    if (m_notes.isEmpty())
        return;
    m_notes.clear();
    Q_EMIT changed();
}

void Notifications::setBanner(Note banner)
{
    removeById(m_banners, banner.id);
    m_banners.append(std::move(banner));
    // What failed is more urgent than what is weaker.
    std::ranges::stable_sort(m_banners, [](const Note &a, const Note &b) { return a.tone > b.tone; });
    Q_EMIT changed();
}

void Notifications::clearBanner(const QString &id)
{
    if (removeById(m_banners, id))
        Q_EMIT changed();
}

} // namespace glovebox
