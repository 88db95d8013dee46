// SPDX-License-Identifier: Apache-2.0
// The seam to the person: the workbench's inbox, the CLI's terminal, or nobody.
#pragma once

#include "request.h"

#include <functional>

namespace glovebox {

class Approver
{
public:
    using Answer = std::function<void(ApprovalDecision)>;
    using PairingAnswer = std::function<void(Status)>; // an error: not paired, and why
    virtual ~Approver() = default;
    // Never blocks. answer is called once, from any thread, unless the ask was withdrawn first; one that allows names the
    // approvalDigest() of the request.
    virtual void ask(const ApprovalRequest &request, Answer answer) = 0;
    virtual void withdraw(const QString &run) = 0;
    // The same of a program that wants to be paired. By default nobody is there, who says no at once.
    virtual void askToPair(const PairingRequest &request, PairingAnswer answer);
    virtual void withdrawPairing(const QString &id);
};

// Nobody is there to be asked.
class DenyingApprover : public Approver
{
public:
    void ask(const ApprovalRequest &request, Answer answer) override;
    void withdraw(const QString &run) override;
};

} // namespace glovebox
