// SPDX-License-Identifier: Apache-2.0
// Values that a person types unseen, or that a program hands in on standard input; never arguments, which everybody can read.
#pragma once

#include "app/cli/options.h"

#include "engine/engine.h"

#include <functional>
#include <memory>

namespace glovebox {

class TerminalMode;

// Shows no key on the terminal that the program was started from, as long as the object lives. What is typed or pasted between two
// questions, as while the key of the file of secrets is made (a second), is the answer to the next one. What nobody asked for goes at the
// end, and reaches no shell. Where one lives, another does nothing. Does nothing without a terminal. Ctrl+C between questions cancels the
// next one.
class UnseenKeys
{
public:
    UnseenKeys();
    ~UnseenKeys();
    UnseenKeys(const UnseenKeys &) = delete;
    UnseenKeys &operator=(const UnseenKeys &) = delete;

private:
    UniqueFd m_terminal; // of the outermost
    std::unique_ptr<TerminalMode> m_mode;
};

// Asks on the terminal that the program was started from, without echo. Cancelled at Ctrl+C or Ctrl+D on an empty line;
// Unavailable where there is no terminal. The terminal is as before, however this ends (but SIGKILL).
Result<SecretValue> askUnseen(const QString &question, qsizetype maximum);

// All of standard input, without one newline at its end unless it is to stay as it is. InvalidInput beyond maximum bytes.
Result<SecretValue> readValue(qsizetype maximum, bool asItIs);

// Asks for the passphrase of the file of secrets, several times where isRight() says PermissionDenied.
Result<SecretValue> askForPassphrase(const std::function<Status(const SecretValue &)> &isRight);
// Twice, so that nobody locks themselves out by a slip.
Result<SecretValue> askForNewPassphrase();
// The passphrase that a file has. PermissionDenied: others may read the file.
Result<SecretValue> passphraseIn(const QByteArray &path);
// Unlocks file by the passphrase in path, by one that is asked for where path is empty. PermissionDenied: a wrong one.
Result<SecretValue> unlockFile(PassphraseStore &file, const QByteArray &path);

// How servers and CI give the passphrase: --passphrase-file FILE (also /dev/fd/N), else the credential "glovebox-passphrase" of a systemd
// service ($CREDENTIALS_DIRECTORY, systemd.exec(5)). Empty: a person types the passphrase.
Option passphraseFileOption();
QByteArray passphraseFile(const Arguments &arguments);

// Makes the vault ready to give or take values: where they are in a file with a passphrase, asks for that, or reads it from file; where
// they are in a locked keychain, has that ask, if there is a terminal to say so on. mayCreate: where the file of secrets is to be and isn't
// yet, lets the person choose a passphrase. PermissionDenied: a wrong one, or others may read file.
Status unlockStore(SecretStore *store, bool mayCreate, const QByteArray &file);
// Those that have the values of these secrets; names that don't exist are left to whoever needs them.
Status unlockFor(Vault &vault, const QStringList &names, const QByteArray &file);

} // namespace glovebox
