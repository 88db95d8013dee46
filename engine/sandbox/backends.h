// SPDX-License-Identifier: Apache-2.0
// Which backends an engine has, by the names that policies call them.
#pragma once

#include "engine/base/base.h"

#include <memory>
#include <vector>

namespace glovebox {

class Backend;

// Thread-safe, as it doesn't change once it is made.
class Backends
{
public:
    Backends() = default;
    // The first is for whoever names none.
    explicit Backends(std::vector<std::shared_ptr<Backend>> all)
        : m_all(std::move(all))
    {
    }

    // Unavailable, with the names that there are: a run never gets another backend than its policy's.
    Result<Backend *> of(const QString &name) const;
    const std::shared_ptr<Backend> &first() const { return m_all.front(); }
    // Of each: ends everything that it started.
    void shutdown() const;

private:
    std::vector<std::shared_ptr<Backend>> m_all;
};

} // namespace glovebox
