// SPDX-License-Identifier: Apache-2.0
// Reads which sessions the bench can offer.
#pragma once

#include "app/workbench/shell/context.h"

#include <QObject>

namespace glovebox {

// A session as the bench lists it.
struct OfferedSession
{
    Session session;
    bool isBusy = false;

    bool operator==(const OfferedSession &) const = default;
};

// Lives on the GUI thread; the engine is asked in the pool. One for all tabs.
class SessionsReader : public QObject
{
    Q_OBJECT
public:
    explicit SessionsReader(WorkbenchContext &context, QObject *parent = nullptr);

    const QList<OfferedSession> &sessions() const { return m_sessions; } // newest use first
    bool isKnown() const { return m_isKnown; } // they were read once
    const OfferedSession *find(const QString &id) const; // null: there is none
    // Again, soon: who shows them asks when it comes into sight, because runs, other pages and programs change them.
    void read();

Q_SIGNALS:
    void changed();

private:
    WorkbenchContext &m_context;
    QList<OfferedSession> m_sessions;
    bool m_isKnown = false;
    bool m_isReading = false;
    bool m_readsAgain = false;
};

} // namespace glovebox
