// SPDX-License-Identifier: Apache-2.0
// What QtKeychain can't tell: the state of the Secret Service (freedesktop.org's Secret Service API draft), and what is in it.
#pragma once

#include <QByteArray>
#include <QStringList>

#include <optional>

namespace glovebox::keychain {

struct ServiceState
{
    QByteArray word; // toString(StoreState)
    QByteArray detail;
};

// Never asks the person anything, and never starts an unlocking dialog.
ServiceState lookAtService();
// Has a locked service ask the person, and waits for the answer, or until this program is ended after longestRequest; then the
// dialog stays. The word is "dismissed" when they didn't want to, or when the service could show them no dialog; else the state
// that came of it.
ServiceState unlockService();

// The keys of all entries of one program; nullopt where the keychain isn't a Secret Service or doesn't answer.
std::optional<QStringList> slotsOf(const QString &whose);

} // namespace glovebox::keychain
