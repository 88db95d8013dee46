// SPDX-License-Identifier: Apache-2.0
// The seam to where values of secrets are kept: the system's keychain, or a file with a passphrase; in tests, memory.
#pragma once

#include "secretvalue.h"

#include "engine/base/base.h"

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>

namespace glovebox {

enum class StoreState {
    Ready,
    Locked, // the person can unlock it
    Absent, // this machine or this session has none
    Denied, // it is there and refuses us
    NotAnswering, // it is there and doesn't answer in time
};
template<>
inline constexpr auto enumNames<StoreState> = namesOf<StoreState>({
    {StoreState::Ready, "ready"},
    {StoreState::Locked, "locked"},
    {StoreState::Absent, "absent"},
    {StoreState::Denied, "denied"},
    {StoreState::NotAnswering, "not-answering"},
});

struct StoreStatus
{
    StoreState state = StoreState::Absent;
    Text reason; // empty when Ready
    Text remedy; // what the person can do about it; empty when Ready

    bool operator==(const StoreStatus &) const = default;
};

// How long a store may take. Ends at the deadline (TimedOut) or when stopped (Cancelled), whichever comes first.
struct Patience
{
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    std::stop_token stop;

    static Patience of(std::chrono::milliseconds duration, std::stop_token stop = {})
    {
        return {std::chrono::steady_clock::now() + duration, std::move(stop)};
    }
};

// All functions block, may be called from any thread, and by several at once; other programs may use the same store. A slot is a
// short printable name, made by the vault. Errors: NotFound (no such slot), Unavailable (state() tells why), PermissionDenied,
// TimedOut, Cancelled, Full, Damaged, Io; no message or detail ever holds a value.
class SecretStore
{
public:
    virtual ~SecretStore() = default;

    virtual QString kind() const = 0; // "keychain", "file", "memory": in the index, so it never changes
    virtual StoreStatus status(const Patience &patience) = 0;
    virtual Result<SecretValue> read(const QString &slot, const Patience &patience) = 0;
    // Durable on return. Replaces what was there.
    virtual Status write(const QString &slot, const SecretValue &value, const Patience &patience) = 0;
    virtual Status remove(const QString &slot, const Patience &patience) = 0;
    // The slots of all our installs; nullopt where a store can't list.
    virtual Result<std::optional<QStringList>> list(const Patience &patience) = 0;

    // Has the store ask the person to unlock it, in a dialog of its own, and waits for that. Done when it is ready, also when it
    // wasn't locked. PermissionDenied: dismissed; TimedOut: nobody answered; Unavailable: it has no such dialog, or is not there.
    virtual Status askToUnlock(const Patience &patience);
};

// The system's keychain. libexec: Paths::libexec. Costs nothing until it is asked.
std::shared_ptr<SecretStore> makeKeychainStore(const QString &libexec);

// Values in a file that a passphrase opens (scrypt and AES-256-GCM), for who has no keychain. Locked until unlock() of this
// object; several programs may use the file.
class PassphraseStore : public SecretStore
{
public:
    virtual bool exists() const = 0;
    // Makes the file, and unlocks it. InvalidInput: there is one already, or the passphrase is shorter than 8 bytes.
    virtual Status create(const SecretValue &passphrase) = 0;
    // Takes about half a second. PermissionDenied: not its passphrase; Damaged: not the file that was written; NotFound; Newer.
    virtual Status unlock(const SecretValue &passphrase) = 0;
    // The same values under another one, in one step on the disk; unlocked then. Takes about a second. Other programs that had it
    // open find it locked. Errors: those of unlock(), and InvalidInput for one that is too short.
    virtual Status changePassphrase(const SecretValue &present, const SecretValue &next) = 0;
    virtual void lock() = 0;
    // For a file that is damaged, or whose passphrase nobody knows any more: gives it another name beside it, which is returned, so
    // that a new one can be made. Nothing in it is lost.
    virtual Result<QString> moveAside() = 0;
};
// scryptLog2N: the cost of guessing a passphrase, of a new file; 17 takes 128 MiB for about half a second (RFC 7914, section 2).
std::shared_ptr<PassphraseStore> makeFileStore(const QString &file, int scryptLog2N = 17);

} // namespace glovebox
