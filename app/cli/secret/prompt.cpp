// SPDX-License-Identifier: Apache-2.0
#include "prompt.h"

#include "app/cli/terminal/console.h"
#include "app/cli/terminal/terminalmode.h"

#include <QSet>

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype passphraseMax = 1024; // bytes
constexpr int attempts = 3;

std::unexpected<Error> cancelled()
{
    return fail(ErrorCode::Cancelled, "Cancelled. Nothing was changed.");
}

std::unexpected<Error> tooLong(qsizetype maximum)
{
    return fail(ErrorCode::InvalidInput,
                Text("The value is too long. The limit is %1 bytes.", {QString::number(maximum)}));
}

} // namespace

// Keys come one by one, and those that would end the program come as bytes, so that the terminal is always put back.
Result<SecretValue> askUnseen(const QString &question, qsizetype maximum)
{
    const UniqueFd terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
    if (!terminal)
        return fail(ErrorCode::Unavailable, "There is no terminal to type it on. Start this in a terminal.");
    SecretValue typed(maximum + 1);
    qsizetype size = 0;
    const TerminalMode mode(terminal.get(), TerminalMode::Ending::Signals);
    ::tcflush(terminal.get(), TCIFLUSH);
    writeAll(terminal.get(), question.toUtf8());
    const auto done = [&] { writeAll(terminal.get(), "\r\n"); };
    for (;;) {
        char key = 0;
        const ssize_t count = ::read(terminal.get(), &key, 1);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0 || key == 0x03 || (key == 0x04 && size == 0)) { // Ctrl+C, Ctrl+D
            done();
            return cancelled();
        }
        if (key == '\r' || key == '\n' || key == 0x04)
            break;
        if (key == 0x7f || key == '\b') {
            // A character of UTF-8 goes as a whole.
            bool isWhole = false;
            while (size > 0 && !isWhole) {
                --size;
                isWhole = (typed.data()[size] & 0xc0) != 0x80;
            }
        } else if (key == 0x15) { // Ctrl+U
            size = 0;
        } else if (size < maximum) {
            typed.data()[size++] = key;
        } else {
            done();
            ::tcflush(terminal.get(), TCIFLUSH); // the rest of what was pasted is no command for the shell
            return tooLong(maximum);
        }
    }
    done();
    return SecretValue::copyOf({typed.view().data(), size});
}

Result<SecretValue> readValue(qsizetype maximum, bool asItIs)
{
    SecretValue value(maximum + 3);
    qsizetype size = 0;
    while (size < value.size()) {
        const ssize_t count = ::read(STDIN_FILENO, value.data() + size, size_t(value.size() - size));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN) { // somebody else made it non-blocking
            pollfd ready{STDIN_FILENO, POLLIN, 0};
            ::poll(&ready, 1, -1);
            continue;
        }
        if (count < 0)
            return fail(ErrorCode::Io, Text("Standard input can't be read: %1.", {errnoText(errno)}));
        if (count == 0)
            break;
        size += count;
    }
    if (!asItIs && size > 0 && value.data()[size - 1] == '\n')
        --size;
    if (!asItIs && size > 0 && value.data()[size - 1] == '\r')
        --size;
    if (size > maximum)
        return tooLong(maximum);
    return SecretValue::copyOf({value.view().data(), size});
}

Result<SecretValue> askForNewPassphrase()
{
    auto passphrase = askUnseen(u"Choose a passphrase: "_s, passphraseMax);
    if (!passphrase)
        return passphrase;
    const auto again = askUnseen(u"The same again: "_s, passphraseMax);
    if (!again)
        return std::unexpected(again.error());
    if (*passphrase != *again)
        return fail(ErrorCode::InvalidInput, "The two passphrases differ. Nothing was changed; try again.");
    return passphrase;
}

Result<SecretValue> askForPassphrase(const std::function<Status(const SecretValue &)> &isRight)
{
    for (int i = 0;; ++i) {
        auto passphrase = askUnseen(u"Passphrase of the file of secrets: "_s, passphraseMax);
        if (!passphrase)
            return passphrase;
        const Status right = isRight(*passphrase);
        if (right)
            return passphrase;
        if (right.error().code != ErrorCode::PermissionDenied || i + 1 == attempts)
            return std::unexpected(right.error());
        say(sentenceOf(right.error()));
    }
}

static Status createStore(PassphraseStore &file)
{
    say(u"Secrets will be kept in a file that a passphrase opens. Whoever loses it loses the secrets."_s);
    const auto passphrase = askForNewPassphrase();
    return passphrase ? file.create(*passphrase) : std::unexpected(passphrase.error());
}

// A script gets the sentence at once, and no dialog on somebody's desktop.
static Status unlockKeychain(SecretStore &store)
{
    if (!isTerminal(STDERR_FILENO) || store.status({}).state != StoreState::Locked)
        return {};
    say(u"The keychain is locked. Your desktop asks for its password ..."_s);
    return store.askToUnlock({});
}

Status unlockStore(SecretStore *store, bool mayCreate)
{
    auto *file = dynamic_cast<PassphraseStore *>(store);
    if (!file)
        return store ? unlockKeychain(*store) : Status();
    const StoreStatus status = file->status({});
    if (status.state == StoreState::Absent && mayCreate)
        return createStore(*file);
    if (status.state != StoreState::Locked)
        return {};
    const auto passphrase = askForPassphrase([&](const SecretValue &typed) { return file->unlock(typed); });
    return passphrase ? Status() : std::unexpected(passphrase.error());
}

Status unlockFor(Vault &vault, const QStringList &names)
{
    const auto all = vault.list();
    if (!all)
        return std::unexpected(all.error());
    QSet<QString> kinds;
    for (const SecretInfo &secret : *all) {
        if (names.contains(secret.name))
            kinds.insert(secret.store);
    }
    for (const QString &kind : kinds) {
        if (auto unlocked = unlockStore(vault.store(kind), false); !unlocked)
            return unlocked;
    }
    return {};
}

} // namespace glovebox
