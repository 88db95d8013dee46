// SPDX-License-Identifier: Apache-2.0
// Starts a plain child process where a sealed one is expected: for tests of everything around the sandbox, on any POSIX
// system. It protects from nothing and says so; no program of Glovebox links it.
#pragma once

#include "engine/sandbox/sandbox.h"

#include <atomic>
#include <functional>

namespace glovebox {

class UnsealedBackend : public Backend
{
public:
    // The name of the backend in whose place it stands.
    explicit UnsealedBackend(QString name = QStringLiteral("native"))
        : m_name(std::move(name))
    {
    }

    QString name() const override { return m_name; }
    QString builder() const override { return QStringLiteral("fork"); }
    void prepare(Use) override { ++prepared; }
    Result<std::unique_ptr<SealedProcess>> launch(const SandboxShape &shape, const Assignment &assignment,
                                                  std::stop_token stop) override;
    BackendReport probe() override;
    void shutdown() override { ++shutDown; }

    // Called first in launch(), on the run's thread; its error becomes launch()'s. Set it before the first run.
    std::function<Status(const Assignment &, std::stop_token)> beforeLaunch;
    std::atomic<int> prepared = 0, launched = 0, shutDown = 0;

private:
    const QString m_name;
};

} // namespace glovebox
