// SPDX-License-Identifier: Apache-2.0
// State of a call that the client keeps for us until it calls again ("requestState"): readable for it, but not to be altered,
// kept for long, or brought back with another call.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QString>

#include <chrono>
#include <optional>

namespace glovebox::mcp {

// Thread-safe. The key ends with the program.
class StateSeal
{
public:
    StateSeal();

    // call: what the state belongs to, such as client, method and arguments.
    QString seal(const QJsonObject &state, QByteArrayView call,
                 std::chrono::system_clock::time_point now = std::chrono::system_clock::now()) const;
    // Nothing: it is not of this program and this call, or older than 10 minutes.
    std::optional<QJsonObject> open(const QString &sealed, QByteArrayView call,
                                    std::chrono::system_clock::time_point now = std::chrono::system_clock::now()) const;

private:
    QByteArray codeOf(const QByteArray &payload, QByteArrayView call) const;

    QByteArray m_key;
};

} // namespace glovebox::mcp
