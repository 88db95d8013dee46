// SPDX-License-Identifier: Apache-2.0
#include "context.h"

namespace glovebox {

WorkbenchContext::WorkbenchContext(Paths paths, Theme &theme, QObject *parent)
    : QObject(parent)
    , m_paths(std::move(paths))
    , m_theme(theme)
    , m_stash(m_paths.data + QStringLiteral("/stash"))
{
    // Enough for a page that reads while another probes; runs have threads of their own.
    m_pool.setMaxThreadCount(4);
}

WorkbenchContext::~WorkbenchContext()
{
    m_pool.waitForDone();
}

void WorkbenchContext::navigateTo(const QString &pageId, const QJsonObject &request)
{
    Q_EMIT navigationRequested(pageId, request);
}

void WorkbenchContext::setEngine(Engine *engine)
{
    m_engine = engine;
    if (engine)
        m_engineError.reset();
    Q_EMIT engineChanged();
}

void WorkbenchContext::tellSettings(const std::optional<Error> &error)
{
    m_settingsError = error;
    Q_EMIT settingsChanged();
}

void WorkbenchContext::setEngineError(const Error &error)
{
    m_engineError = error;
    Q_EMIT engineChanged();
}

} // namespace glovebox
