// SPDX-License-Identifier: Apache-2.0
#include "context.h"

#include <QTimer>

namespace glovebox {

using namespace std::chrono_literals;

static constexpr auto firstLook = 300ms; // after the engine came: the start is left to what the person waits for

WorkbenchContext::WorkbenchContext(Paths paths, Theme &theme, QObject *parent)
    : QObject(parent)
    , m_paths(std::move(paths))
    , m_theme(theme)
    , m_stash(m_paths.data + QStringLiteral("/stash"))
{
    // Enough for a page that reads while another probes; runs have threads of their own.
    m_pool.setMaxThreadCount(4);
    m_reading.setMaxThreadCount(4);
    m_lastingWork.setMaxThreadCount(16); // mostly they wait for runs, of which no more go on at once
}

WorkbenchContext::~WorkbenchContext()
{
    m_lastingWork.waitForDone();
    m_pool.waitForDone();
    m_reading.waitForDone();
}

void WorkbenchContext::setEngine(Engine *engine)
{
    if (m_engine)
        m_engine->readiness().onChange({});
    m_engine = engine;
    if (engine) {
        m_engineError.reset();
        engine->readiness().onChange(
            [this] { QMetaObject::invokeMethod(this, &WorkbenchContext::takeReadiness, Qt::QueuedConnection); });
        m_readiness = engine->readiness().current();
        QTimer::singleShot(firstLook, this, &WorkbenchContext::lookAgain);
    }
    Q_EMIT engineChanged();
}

void WorkbenchContext::endDeed(const QString &sentence)
{
    if (--m_deeds[sentence] == 0)
        m_deeds.remove(sentence);
}

void WorkbenchContext::lookAgain()
{
    if (m_engine)
        m_engine->readiness().lookAgain();
}

void WorkbenchContext::takeReadiness()
{
    if (!m_engine)
        return; // found out while it was closing: says nothing about this machine
    m_readiness = m_engine->readiness().current();
    m_actions.refresh();
    Q_EMIT readinessChanged();
}

void WorkbenchContext::tellSettings(const std::optional<Error> &error)
{
    m_settingsError = error;
    lookAgain(); // they hold the policy
    Q_EMIT settingsChanged();
}

void WorkbenchContext::setEngineError(const Error &error)
{
    m_engineError = error;
    Q_EMIT engineChanged();
}

} // namespace glovebox
