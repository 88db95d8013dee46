// SPDX-License-Identifier: Apache-2.0
#include "sessionsreader.h"

#include <algorithm>

namespace glovebox {

SessionsReader::SessionsReader(WorkbenchContext &context, QObject *parent)
    : QObject(parent)
    , m_context(context)
{
}

const OfferedSession *SessionsReader::find(const QString &id) const
{
    const auto found = std::ranges::find_if(m_sessions, [&](const auto &each) { return each.session.id == id; });
    return found == m_sessions.end() ? nullptr : &*found;
}

void SessionsReader::read()
{
    if (!m_context.engine())
        return;
    if (m_isReading) {
        m_readsAgain = true;
        return;
    }
    m_isReading = true;
    using Offered = std::optional<QList<OfferedSession>>; // nullopt: they can't be read now
    m_context.withEngine(
        this,
        [](Engine &engine) -> Offered {
            const auto all = engine.sessions().list();
            if (!all)
                return std::nullopt;
            QList<OfferedSession> offered;
            for (const Session &session : *all) {
                if (!isOfInstallation(session))
                    offered.append({session, engine.sessions().isBusy(session.id)});
            }
            return offered;
        },
        [this](const Offered &offered) {
            m_isReading = false;
            if (offered) {
                const bool isNew = !std::exchange(m_isKnown, true) || *offered != m_sessions;
                m_sessions = *offered;
                if (isNew)
                    Q_EMIT changed();
            }
            if (std::exchange(m_readsAgain, false))
                read();
        });
}

} // namespace glovebox
