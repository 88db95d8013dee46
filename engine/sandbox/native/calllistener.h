// SPDX-License-Identifier: Apache-2.0
// Answers what the system call filter of a run asks about (launcher/reportedcalls.h), and tells it as events. Diagnosis only:
// what is refused stays refused without it.
#pragma once

#include "engine/sandbox/sandbox.h"

#include <QHash>
#include <QSet>

#include <functional>
#include <optional>

namespace glovebox::native {

// Used by one thread at a time: that which launches the run, then the one that answers (answering.h).
class CallListener
{
public:
    // An invalid descriptor: nothing is ever asked.
    explicit CallListener(UniqueFd listener = {});

    // Readable when somebody inside waits; -1 when nobody is left who could ask.
    int descriptor() const { return m_listener.get(); }
    // What follows is of another piece of code (a cell), for which all is news.
    void tellAnew() { m_told.clear(); }
    // Answers one of those who wait. Tells each deed that was not told before, and after 100 different ones only that there are more:
    // before the answer, so that nothing of what was answered is missing at the end.
    void answer(const std::function<void(RunEvent)> &tell);
    // Who serves these tells of the connections that come there, whatever becomes of them.
    void leaveOut(const QList<InnerSocket> &served) { m_served = served; }
    // From now on counts what the network of this process could send nowhere; nothing where that is the network of this program.
    void count(pid_t process);
    // What was tried there since the last time with addresses that weren't seen: another thread of the run can change one in the middle of
    // a call. Also by another thread than that which answers.
    std::optional<RunEvent> unseen();
    // Answers one that init probes with, of which nobody needs to hear.
    void answerProbe();

private:
    quint64 withoutRoute() const;

    UniqueFd m_listener;
    UniqueFd m_counters, m_counters6; // of the run's network: proc_net(5), snmp and snmp6
    quint64 m_outside = 0; // how often somebody was seen to want to get out
    quint64 m_unseen = 0; // told of them
    QSet<QString> m_told;
    QList<InnerSocket> m_served;
    QHash<int, RunEvent> m_askers; // descriptors of the run that are connected to a name server
};

} // namespace glovebox::native
