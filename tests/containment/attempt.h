// SPDX-License-Identifier: Apache-2.0
// One attempt: the payload, started sealed by the real engine or raw as the positive control, and what the host sees of it.
#pragma once

#include "engine/engine.h"

#include <QTemporaryDir>

namespace containment {

// Which deed of payloads/attack, and how it is let loose.
struct Payload
{
    QByteArray deed;
    QByteArrayList words;
    bool unprivileged = false; // raw: as the user of runs also when root started the suite
    bool namespaces = false; // raw: inside namespaces of its own, where it is privileged; no filter, no Landlock
    glovebox::Policy policy; // sealed only
    QByteArray language = "bash"; // sealed only: who executes it
    QByteArray code; // sealed only: instead of a deed
    std::vector<glovebox::SecretGrant> secrets; // sealed only
};

// How a sealed payload gets going.
enum class Start {
    Cold,
    Warm, // in a sandbox that was built ahead
    Terminal, // cold, with a terminal of its own instead of pipes
    Session, // cold, in a session of its own
};

class Attempt
{
public:
    virtual ~Attempt() = default;

    virtual const QByteArray &token() const { return m_token; }
    // Waits for the payload to say "ready" (it has done its deed and holds still) or for its end.
    bool isReady(std::chrono::milliseconds patience = std::chrono::seconds(10));
    // Lets it go on to its end, and waits for it.
    virtual void finish() = 0;
    virtual void stop() { } // now, and waits for the end
    virtual bool hasEnded() = 0;
    virtual QByteArray output() = 0; // both streams, so far
    // Of the payload: found by the token in their command lines, in the pid namespace of the host.
    QList<qint64> processes() const;
    virtual std::shared_ptr<const glovebox::RunResult> result() const { return nullptr; } // null: raw

protected:
    Attempt();
    const QByteArray m_token;
};

std::unique_ptr<Attempt> startRaw(const Payload &payload, const QString &folder);
// Warm: waits a moment for a sandbox that was built ahead; result()->warm says if it got one.
std::unique_ptr<Attempt> startSealed(glovebox::Engine &engine, const Payload &payload, Start start);

QByteArray attackProgram(); // its path
QByteArray newToken(); // long, random, harmless in any language

} // namespace containment
