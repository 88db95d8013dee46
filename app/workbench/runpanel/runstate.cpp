// SPDX-License-Identifier: Apache-2.0
// What the panel says about the state of a run that goes on or waits.
#include "runpanel.h"

#include "kept/keptreader.h"

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// A disk that takes its time is told when the person begins to wonder.
bool waitsForDisk()
{
    return DiskWait::lasting() >= std::chrono::seconds(1);
}

} // namespace

QString RunPanel::sessionSentence() const
{
    return tr("Waits for session %1, which another run uses").arg(m_current->title().session);
}

QString RunPanel::queueSentence() const
{
    constexpr qsizetype named = 2;
    const int before = m_current->queuePosition();
    const QStringList names = m_runningNames ? m_runningNames() : QStringList();
    if (names.isEmpty())
        return tr("Waiting: %Ln run(s) before it", "", before);
    QString running = names.first(std::min(named, names.size())).join(tr(", "));
    if (names.size() > named)
        running = tr("%1 and %Ln more", "names of tabs", int(names.size() - named)).arg(running);
    const QString sentence = tr("Waiting while %1 runs", "names of tabs").arg(running);
    return before == 0 ? sentence : tr("%1; %Ln run(s) before it", "", before).arg(sentence);
}

QString RunPanel::stateSentence() const
{
    if (!m_current || m_current->isDone())
        return m_kept->sentence();
    switch (m_current->state()) {
    case RunState::Submitted:
    case RunState::Accepted:
        if (m_current->waitsForSession())
            return sessionSentence();
        return waitsForDisk() ? tr("Waiting for the disk of the log") : tr("Waiting to start");
    case RunState::Waiting:
        return tr("Waiting for your answer on the page of agents");
    case RunState::Queued:
        return m_current->waitsForSession() ? sessionSentence() : queueSentence();
    case RunState::Preparing:
        return waitsForDisk() ? tr("Waiting for the disk of the log") : tr("Sealing");
    case RunState::Running: {
        const auto seconds = m_current->elapsed().count() / 1000;
        if (m_current->stopping())
            return m_nextWaits ? tr("Stopping, then it runs again") : tr("Stopping; stop again to end it at once");
        return seconds < 1 ? tr("Running") : tr("Running · %1 s").arg(seconds);
    }
    case RunState::Collecting:
    case RunState::Done:
        break;
    }
    return waitsForDisk() ? tr("Waiting for the disk of the log") : tr("Finishing");
}

} // namespace glovebox
