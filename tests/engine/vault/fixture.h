// SPDX-License-Identifier: Apache-2.0
// What tests of the vault share: a data folder of their own with its log, and a store whose trouble they choose.
#pragma once

#include "engine/vault/vault.h"

#include "tests/engine/audit/fixture.h"
#include "tests/support/memorystore.h"

#include <QTemporaryDir>

#include <utility>

namespace glovebox::test {

inline QString sentence(const auto &result)
{
    return result ? QString() : result.error().message.english();
}

class SetClock : public Clock
{
public:
    qint64 nowMicroseconds() const override { return now; }
    qint64 now = 1'800'000'000'000'000; // 2027-01-15
};

// A memory store that can be made to fail.
class MoodyStore : public SecretStore
{
public:
    QString kind() const override { return QStringLiteral("memory"); }
    StoreStatus status(const Patience &patience) override
    {
        return trouble ? StoreStatus{StoreState::Locked, Text("It is locked."), Text("Unlock it.")}
                       : m_store->status(patience);
    }
    Result<SecretValue> read(const QString &slot, const Patience &patience) override
    {
        if (whileReading)
            whileReading();
        return trouble ? Result<SecretValue>(failure()) : m_store->read(slot, patience);
    }
    Status write(const QString &slot, const SecretValue &value, const Patience &patience) override
    {
        const Status written = trouble ? Status(failure()) : m_store->write(slot, value, patience);
        return written && whenWritten ? whenWritten() : written;
    }
    Status remove(const QString &slot, const Patience &patience) override
    {
        if (patience.stop.stop_requested())
            return fail(ErrorCode::Cancelled, Text("Nobody waits for it."));
        const Status removed = trouble ? Status(failure()) : m_store->remove(slot, patience);
        if (removed && whenRemoved)
            std::exchange(whenRemoved, {})();
        return removed;
    }
    Result<std::optional<QStringList>> list(const Patience &patience) override
    {
        if (trouble)
            return failure();
        return lists ? m_store->list(patience) : std::nullopt;
    }

    bool trouble = false;
    bool lists = true;
    std::function<void()> whileReading;
    std::function<Status()> whenWritten; // what is told then
    std::function<void()> whenRemoved; // once

private:
    static std::unexpected<Error> failure() { return fail(ErrorCode::Unavailable, Text("It is locked.")); }
    std::shared_ptr<SecretStore> m_store = makeMemoryStore();
};

// One program with its vault.
struct Program
{
    explicit Program(const QString &folder, const Clock &clock, std::shared_ptr<SecretStore> store,
                     std::function<bool(const QString &)> isKeyTooMany = {})
        : file(folder + QStringLiteral("/data/audit.db"))
        , log(AuditLog::open(file, newId(Clock::system()), clock).value())
        , vault({.log = log.get(),
                 .auditFile = file,
                 .clock = &clock,
                 .stores = {std::move(store)},
                 .languages = {QStringLiteral("python"), QStringLiteral("node")},
                 .isKeyTooMany = std::move(isKeyTooMany)})
    {
    }

    Status add(const QString &name, QByteArrayView value, const SecretLimits &limits = {})
    {
        return vault.add(name, {}, limits, SecretValue::copyOf(value), {}, {});
    }

    QString file;
    std::unique_ptr<AuditLog> log;
    Vault vault;
};

} // namespace glovebox::test
