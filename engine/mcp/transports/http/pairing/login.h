// SPDX-License-Identifier: Apache-2.0
// One program's way from /authorize to its token.
#pragma once

#include "answers.h"

#include "engine/approval/approval.h"

#include <chrono>
#include <future>
#include <optional>

namespace glovebox::mcp {

// Used under its owner's lock.
struct Login
{
    QByteArray client, target, redirect, challenge, state, issuer; // as the program asked
    QString question; // its id
    bool isAsked = false; // false: it is about to be, out of the lock, and not to be removed
    std::future<Status> answer; // valid until it is there
    std::optional<Status> answered;
    QByteArray code; // empty until it is given to the browser
    QString paired; // the client that the code gave the token of; empty: it isn't used yet
    std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();

    QByteArray redirectWith(QList<std::pair<QByteArray, QByteArray>> parameters) const
    {
        parameters += {{"state", state}, {"iss", issuer}};
        return redirectAnswer(redirect, parameters);
    }
    QByteArray refuse(const char *error, const QString &sentence) const
    {
        return redirectWith({{"error", error}, {"error_description", sentence.toUtf8()}});
    }
};

} // namespace glovebox::mcp
