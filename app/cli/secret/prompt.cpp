// SPDX-License-Identifier: Apache-2.0
#include "prompt.h"

#include "app/cli/run/givenfiles.h"
#include "app/cli/terminal/console.h"
#include "app/cli/terminal/terminalmode.h"

#include <QFile>
#include <QSet>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype passphraseMax = 1024; // bytes
constexpr int attempts = 3;

bool areKeysUnseen = false; // an UnseenKeys lives

std::unexpected<Error> cancelled()
{
    return fail(ErrorCode::Cancelled, "Cancelled. Nothing was changed.");
}

std::unexpected<Error> tooLong(qsizetype maximum)
{
    return fail(ErrorCode::InvalidInput,
                Text("The value is too long. The limit is %1 bytes.", {QString::number(maximum)}));
}

// A newline at the end of one line was typed or made by echo; that of several lines belongs to a file, such as a key.
qsizetype withoutLineEnd(const SecretValue &value, qsizetype size)
{
    const QByteArrayView text(value.view().data(), size);
    const qsizetype end = text.indexOf('\n');
    if (end < 0 || end != size - 1)
        return size;
    return end > 0 && text[end - 1] == '\r' ? end - 1 : end;
}

Result<SecretValue> readSecret(int descriptor, qsizetype maximum, bool asItIs)
{
    SecretValue value(maximum + 3);
    qsizetype size = 0;
    while (size < value.size()) {
        const ssize_t count = ::read(descriptor, value.data() + size, size_t(value.size() - size));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN) { // somebody else made it non-blocking
            pollfd ready{descriptor, POLLIN, 0};
            ::poll(&ready, 1, -1);
            continue;
        }
        if (count < 0)
            return fail(ErrorCode::Io, Text("The value can't be read: %1.", {errnoText(errno)}));
        if (count == 0)
            break;
        size += count;
    }
    if (!asItIs)
        size = withoutLineEnd(value, size);
    if (size > maximum)
        return tooLong(maximum);
    return SecretValue::copyOf({value.view().data(), size});
}

} // namespace

UnseenKeys::UnseenKeys()
{
    if (areKeysUnseen)
        return;
    m_terminal.reset(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
    if (!m_terminal)
        return;
    areKeysUnseen = true;
    m_mode = std::make_unique<TerminalMode>(m_terminal.get(), TerminalMode::Ending::Signals);
    ::tcflush(m_terminal.get(), TCIFLUSH);
}

UnseenKeys::~UnseenKeys()
{
    if (!m_mode)
        return;
    ::tcflush(m_terminal.get(), TCIFLUSH);
    areKeysUnseen = false;
}

// Keys come one by one, and those that would end the program come as bytes, so that the terminal is always put back.
Result<SecretValue> askUnseen(const QString &question, qsizetype maximum)
{
    const UniqueFd terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
    if (!terminal)
        return fail(ErrorCode::Unavailable, "There is no terminal to ask on. Start the command in a terminal.");
    SecretValue typed(maximum + 1);
    qsizetype size = 0;
    std::optional<TerminalMode> mode;
    if (!areKeysUnseen) {
        mode.emplace(terminal.get(), TerminalMode::Ending::Signals);
        ::tcflush(terminal.get(), TCIFLUSH);
    }
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
    return readSecret(STDIN_FILENO, maximum, asItIs);
}

Result<SecretValue> askForNewPassphrase()
{
    const UnseenKeys unseen;
    auto passphrase = askUnseen(u"Choose a passphrase (8 characters or more): "_s, passphraseMax);
    if (!passphrase)
        return passphrase;
    const auto again = askUnseen(u"Repeat passphrase: "_s, passphraseMax);
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
        if (right.error().code != ErrorCode::PermissionDenied)
            return std::unexpected(right.error());
        if (i + 1 == attempts)
            return fail(ErrorCode::PermissionDenied,
                        "The passphrase was wrong three times. To try others, start the command again.");
        say(sentenceOf(right.error()));
    }
}

Result<SecretValue> passphraseIn(const QByteArray &path)
{
    const QString name = QFile::decodeName(path);
    ASSIGN_OR_RETURN(const UniqueFd file, openWhenWritten(path));
    struct stat info = {};
    if (::fstat(file.get(), &info) != 0)
        return fail(ErrorCode::NotFound, Text("The passphrase can't be read from %1: %2.", {name, errnoText(errno)}));
    if (S_ISREG(info.st_mode) && (info.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return fail(ErrorCode::PermissionDenied,
                    Text("Others may read or write the file of the passphrase, %1. Run: chmod 600 %1", {name}));
    auto passphrase = readSecret(file.get(), passphraseMax, false);
    if (passphrase && passphrase->size() == 0)
        return fail(ErrorCode::InvalidInput, Text("The file of the passphrase, %1, is empty.", {name}));
    return passphrase;
}

Result<SecretValue> unlockFile(PassphraseStore &file, const QByteArray &path)
{
    if (path.isEmpty())
        return askForPassphrase([&](const SecretValue &typed) { return file.unlock(typed); });
    auto passphrase = passphraseIn(path);
    if (!passphrase)
        return passphrase;
    if (const Status unlocked = file.unlock(*passphrase); !unlocked) {
        if (unlocked.error().code == ErrorCode::PermissionDenied)
            return fail(ErrorCode::PermissionDenied, Text("The passphrase in %1 is wrong.", {QFile::decodeName(path)}));
        return std::unexpected(unlocked.error());
    }
    return passphrase;
}

namespace {

Result<SecretValue> newPassphrase(const QByteArray &path)
{
    if (!path.isEmpty())
        return passphraseIn(path);
    say(u"Secrets will be stored in an encrypted file. If you forget the passphrase, they can't be recovered."_s);
    return askForNewPassphrase();
}

// A script gets the sentence at once, and no dialog on somebody's desktop.
Status unlockKeychain(SecretStore &store)
{
    if (!isTerminal(STDERR_FILENO) || store.status({}).state != StoreState::Locked)
        return {};
    say(u"The keychain is locked. Your desktop asks for its password ..."_s);
    return store.askToUnlock({});
}

} // namespace

Option passphraseFileOption()
{
    return {"--passphrase-file", "FILE", u"read the passphrase of the secrets file from FILE [default: ask]"_s};
}

QByteArray passphraseFile(const Arguments &arguments)
{
    if (const auto given = arguments.value("--passphrase-file"))
        return *given;
    const QByteArray folder = qgetenv("CREDENTIALS_DIRECTORY");
    const QByteArray credential = folder + "/glovebox-passphrase";
    return !folder.isEmpty() && ::access(credential.constData(), F_OK) == 0 ? credential : QByteArray();
}

Status unlockStore(SecretStore *store, bool mayCreate, const QByteArray &file)
{
    auto *withPassphrase = dynamic_cast<PassphraseStore *>(store);
    if (!withPassphrase)
        return store ? unlockKeychain(*store) : Status();
    const StoreStatus status = withPassphrase->status({});
    const bool isNew = status.state == StoreState::Absent && mayCreate;
    if (!isNew && status.state != StoreState::Locked)
        return {};
    const Status done = [&]() -> Status {
        if (!isNew) {
            const auto unlocked = unlockFile(*withPassphrase, file);
            return unlocked ? Status() : std::unexpected(unlocked.error());
        }
        const auto passphrase = newPassphrase(file);
        return passphrase ? withPassphrase->create(*passphrase) : std::unexpected(passphrase.error());
    }();
    if (!done && done.error().code == ErrorCode::Unavailable && file.isEmpty())
        return fail(
            ErrorCode::Unavailable,
            "There is no terminal to ask for the passphrase on. Name a file that has it: --passphrase-file FILE");
    return done;
}

Status unlockFor(Vault &vault, const QStringList &names, const QByteArray &file)
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
        if (auto unlocked = unlockStore(vault.store(kind), false, file); !unlocked)
            return unlocked;
    }
    return {};
}

} // namespace glovebox
