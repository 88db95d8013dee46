// SPDX-License-Identifier: Apache-2.0
// The room's public header: whether a request may run, and the seam through which a person is asked.
#pragma once

#include "engine/policy/policy.h"

#include <functional>
#include <memory>
#include <vector>

namespace glovebox {

// What is to be approved. codeDigest binds the answer to exactly this code.
struct ApprovalRequest
{
    QString run;
    Caller caller;
    QString language;
    Policy policy;
    QByteArray codeDigest; // SHA-256
    QByteArray code;
    std::vector<SecretGrant> secrets; // that it is to be lent

    bool operator==(const ApprovalRequest &) const = default;
};

struct ApprovalDecision
{
    bool allowed = false;
    Text reason; // why not; for the result and the log

    bool operator==(const ApprovalDecision &) const = default;
};

enum class Verdict { Allow, Ask, Deny };

struct AuthorisationDecision
{
    Verdict verdict = Verdict::Deny;
    Text reason;

    bool operator==(const AuthorisationDecision &) const = default;
};

// Pure. granted is what the person's settings give by default: a person at their own CLI or workbench decides by asking
// (Allow); an MCP client gets nothing without being asked for (Ask).
AuthorisationDecision decide(const ApprovalRequest &request, const Policy &granted);

// The seam to the person: the workbench's inbox, the CLI's terminal, or nobody.
class Approver
{
public:
    using Answer = std::function<void(ApprovalDecision)>;
    virtual ~Approver() = default;
    // Never blocks. answer is called once, from any thread, unless the ask was withdrawn first.
    virtual void ask(const ApprovalRequest &request, Answer answer) = 0;
    virtual void withdraw(const QString &run) = 0;
};

// Nobody is there to be asked.
class DenyingApprover : public Approver
{
public:
    void ask(const ApprovalRequest &request, Answer answer) override;
    void withdraw(const QString &run) override;
};

} // namespace glovebox
