// SPDX-License-Identifier: Apache-2.0
#include "enginehost.h"

#include "application.h"

#include <QCoreApplication>

namespace glovebox {

namespace {

constexpr int longestRead = 3000; // ms after everything else has ended

} // namespace

EngineHost::EngineHost(WorkbenchContext &context, QObject *parent)
    : QObject(parent)
    , m_context(context)
    , m_settingsWatch(context)
{
    connect(&context, &WorkbenchContext::engineWanted, this, &EngineHost::open);
}

EngineHost::~EngineHost() = default;

void EngineHost::open()
{
    if (m_opening || m_engine || m_closing)
        return;
    m_opening = true;
    m_settingsWatch.engineOpens();
    // m_worker is joined before this object goes, so the result finds it, or is dropped with its pending event.
    m_worker = std::jthread([this, paths = m_context.paths(), stores = m_stores, approver = m_context.approver()] {
        glovebox::blockSignals(); // of this thread, and no QObject's
        Caller caller{.kind = Caller::Kind::Workbench, .pid = QCoreApplication::applicationPid()};
        caller.program = QCoreApplication::applicationFilePath();
        auto result = std::make_shared<Opened>(Engine::open({.paths = paths,
                                                             .caller = caller,
                                                             .settings = {},
                                                             .approver = approver,
                                                             .backends = {},
                                                             .stores = stores,
                                                             .runsSoon = true,
                                                             .keepsWarm = true}),
                                               std::nullopt);
        if (!result->engine) {
            if (const auto file = Settings::load(paths.settingsFile(), {}); !file)
                result->settingsError = file.error();
        }
        QMetaObject::invokeMethod(this, [this, result] { opened(std::move(*result)); }, Qt::QueuedConnection);
    });
}

void EngineHost::opened(Opened result)
{
    m_opening = false;
    if (result.engine)
        m_engine = std::move(*result.engine);
    if (m_closing) {
        m_closing = false;
        close();
        return;
    }
    if (m_engine) {
        qCDebug(lcStart, "engine open");
        m_context.tellSettings(std::nullopt);
        m_engine->expect(
            Languages::fallback().id()); // the first run is the one that a person waits for most attentively
        m_context.setEngine(m_engine.get());
    } else {
        const Error &error = result.engine.error();
        qCDebug(lcStart, "engine not open: %s", qPrintable(error.message.english()));
        m_context.tellSettings(result.settingsError);
        m_context.setEngineError(error);
    }
}

void EngineHost::close()
{
    if (m_closing)
        return;
    m_closing = true;
    if (m_opening)
        return; // opened() comes back to it
    if (m_context.engine())
        m_context.setEngine(nullptr);
    m_context.inbox().close(
        Text(QT_TRANSLATE_NOOP("engine", "The workbench was closed before anybody answered. The person has to open it "
                                         "first; then send this again.")));
    if (m_worker.joinable())
        m_worker.join(); // open() has returned
    m_worker = std::jthread([this] {
        glovebox::blockSignals(); // of this thread, and no QObject's
        m_context.lastingWork().waitForDone();
        // Then the engine: a probe or a query that is going on then ends early.
        if (m_engine)
            m_engine->shutdown().wait();
        m_context.pool().waitForDone();
        const bool isReading = !m_context.reading().waitForDone(longestRead);
        if (!isReading)
            m_engine.reset();
        QMetaObject::invokeMethod(this, [this, isReading] { Q_EMIT closed(isReading); }, Qt::QueuedConnection);
    });
}

} // namespace glovebox
