// SPDX-License-Identifier: Apache-2.0
// One process of glovebox-keychain: started, given its request, heard, and ended in time whatever it does.
#pragma once

#include "engine/vault/store.h"

#include <QByteArray>

namespace glovebox::keychain {

struct Reply
{
    QByteArray line; // its first line
    SecretValue rest;
};

// line without its newline; value: what follows it, or nullptr. Errors: TimedOut, Cancelled, Unavailable (it can't be started, or
// ended without a reply).
Result<Reply> ask(const QString &program, const QByteArray &line, const SecretValue *value, const Patience &patience);

} // namespace glovebox::keychain
