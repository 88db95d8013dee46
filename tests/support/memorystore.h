// SPDX-License-Identifier: Apache-2.0
// A store of secrets that ends with the program.
#pragma once

#include "engine/vault/vault.h"

#include <map>
#include <mutex>

namespace glovebox {

class MemoryStore : public SecretStore
{
public:
    QString kind() const override { return QStringLiteral("memory"); }
    StoreStatus status(const Patience &) override { return {StoreState::Ready, {}, {}}; }

    Result<SecretValue> read(const QString &slot, const Patience &) override
    {
        const std::lock_guard lock(m_mutex);
        const auto found = m_values.find(slot);
        if (found == m_values.end())
            return noSlot(slot);
        return found->second.clone();
    }

    Status write(const QString &slot, const SecretValue &value, const Patience &) override
    {
        const std::lock_guard lock(m_mutex);
        m_values[slot] = value.clone();
        return {};
    }

    Status remove(const QString &slot, const Patience &) override
    {
        const std::lock_guard lock(m_mutex);
        if (m_values.erase(slot) == 0)
            return noSlot(slot);
        return {};
    }

    Result<std::optional<QStringList>> list(const Patience &) override
    {
        const std::lock_guard lock(m_mutex);
        QStringList slotNames;
        for (const auto &[slot, value] : m_values)
            slotNames.append(slot);
        return slotNames;
    }

private:
    static std::unexpected<Error> noSlot(const QString &slot)
    {
        return fail(ErrorCode::NotFound, "There is no value \"%1\".", {slot});
    }

    std::mutex m_mutex;
    std::map<QString, SecretValue> m_values;
};

inline std::shared_ptr<SecretStore> makeMemoryStore()
{
    return std::make_shared<MemoryStore>();
}

} // namespace glovebox
