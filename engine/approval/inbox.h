// SPDX-License-Identifier: Apache-2.0
// What waits for the person: asks and programs to pair, in the order in which they came, each until its time is over.
#pragma once

#include "approver.h"

#include <chrono>
#include <memory>
#include <vector>

namespace glovebox {

// Thread-safe. Has one thread, which denies what nobody answered.
//
// Each ask is answered exactly once: by decide(), by its time, or by close(); or never, where it was withdrawn first. Whichever
// comes first takes it off the list, under one lock, and answers outside of that lock.
class Inbox : public Approver
{
public:
    using Moment = std::chrono::steady_clock::time_point;
    struct Ask
    {
        ApprovalRequest request;
        QByteArray digest; // approvalDigest() of the request: decide() must name it
        Moment until; // denied then

        bool operator==(const Ask &) const = default;
    };
    struct Pairing
    {
        PairingRequest request;
        Moment until; // refused then

        bool operator==(const Pairing &) const = default;
    };
    struct Contents
    {
        QList<Ask> asks;
        QList<Pairing> pairings;

        bool operator==(const Contents &) const = default;
    };
    struct Patience
    {
        std::chrono::milliseconds ask = std::chrono::minutes(5);
        std::chrono::milliseconds pairing = std::chrono::minutes(2);
        std::size_t asksMost = 256; // that wait at once; more are denied
        std::size_t pairingsMost = 8;
    };

    Inbox();
    explicit Inbox(Patience patience);
    // As close().
    ~Inbox() override;

    void ask(const ApprovalRequest &request, Answer answer) override;
    void withdraw(const QString &run) override;
    void askToPair(const PairingRequest &request, PairingAnswer answer) override;
    void withdrawPairing(const QString &id) override;

    Contents contents() const;

    // The person's answer to the ask of this run as they saw it. NotFound: it doesn't wait any more; Busy: it is not what they saw,
    // and still waits. An allowing answer to an ask without a digest is InvalidInput: nobody can approve that.
    Status allow(const QString &run, const QByteArray &digest, ApprovalScope scope);
    Status deny(const QString &run, const QByteArray &digest, ApprovalScope scope = ApprovalScope::Once);
    Status answerPairing(const QString &id, bool isPaired);

    // Nobody will look any more: denies everything that waits and that comes.
    void close(const Text &why);

    // wake is called, from any thread, when something came or went; at most once until the next contents(). It must not block
    // or call back. When this returned, an earlier wake is not called any more, so an empty one ends it.
    void onChange(std::function<void()> wake);

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace glovebox
