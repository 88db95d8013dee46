// SPDX-License-Identifier: Apache-2.0
// Opens the engine and ends it, both off the GUI thread: the window is there before it and gone before it.
#pragma once

#include "app/workbench/shell/context.h"
#include "settingswatch.h"

#include <QObject>

#include <thread>

namespace glovebox {

// Lives on the GUI thread.
class EngineHost : public QObject
{
    Q_OBJECT
public:
    explicit EngineHost(WorkbenchContext &context, QObject *parent = nullptr);
    ~EngineHost() override; // waits for what is going on

    // Where secrets are kept, instead of the platform's stores; before open().
    void setStores(std::vector<std::shared_ptr<SecretStore>> stores) { m_stores = std::move(stores); }
    // The context gets the engine, or the error. May be called again after an error.
    void open();
    // The context loses the engine at once; then: background work done, engine shut down, 3 s at most for what is still read, closed().
    // Once.
    void close();

Q_SIGNALS:
    // isReading: a file still is, maybe for ever, on a thread that may use the engine. Only _Exit() ends that.
    void closed(bool isReading);

private:
    struct Opened
    {
        Result<std::unique_ptr<Engine>> engine;
        std::optional<Error> settingsError; // when that is why
    };
    void opened(Opened result);

    WorkbenchContext &m_context;
    SettingsWatch m_settingsWatch;
    std::vector<std::shared_ptr<SecretStore>> m_stores;
    std::unique_ptr<Engine> m_engine;
    std::jthread m_worker;
    bool m_opening = false;
    bool m_closing = false;
};

} // namespace glovebox
