// SPDX-License-Identifier: Apache-2.0
// The workbench's own endpoint: where the person wants that, every `glovebox mcp` hands its client's calls to this window, which asks.
#pragma once

#include "app/workbench/shell/context.h"
#include "calls/livecalls.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace glovebox {

// Lives on the GUI thread, and never waits there: opening and closing are done as lasting work, which is finished before the engine
// shuts down. So no call reaches an engine that refuses it: it ends with the endpoint, and "glovebox mcp" serves the next one itself.
class Endpoint : public QObject
{
    Q_OBJECT
public:
    explicit Endpoint(WorkbenchContext &context);

    // Opens or closes, as the setting mcp.workbench has it. Closing cancels the calls that are under way.
    void follow();
    void close(); // the engine goes

    bool isOpen() const { return m_isOpen; }
    const std::optional<Error> &trouble() const { return m_trouble; } // why it isn't open
    QList<Caller> connected() const; // who has calls made here now, in the order in which they came
    std::shared_ptr<LiveCalls> calls() const { return m_calls; } // that are and were made here

Q_SIGNALS:
    void changed();

private:
    struct Doors;
    struct Visitors;
    void settle(Engine *engine);

    WorkbenchContext &m_context;
    const std::shared_ptr<Visitors> m_visitors;
    const std::shared_ptr<LiveCalls> m_calls;
    const std::shared_ptr<Doors> m_doors;
    bool m_isOpen = false;
    std::optional<Error> m_trouble;
};

} // namespace glovebox
