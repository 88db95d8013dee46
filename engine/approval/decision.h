// SPDX-License-Identifier: Apache-2.0
// The rule: who may run what without being asked, who is asked about, and who is refused.
#pragma once

#include "request.h"
#include "rules/agentswitches.h"

namespace glovebox {

enum class Verdict { Allow, Ask, Deny };

struct AuthorisationDecision
{
    Verdict verdict = Verdict::Deny;
    Text reason;
    QList<Want> wants; // Ask: what nobody granted yet

    bool operator==(const AuthorisationDecision &) const = default;
};

// What a person granted a client for longer than one run, or refused it.
struct StoredGrant
{
    Want want;
    bool allowed = false; // false: never
    qint64 sinceMicroseconds = 0;

    bool operator==(const StoredGrant &) const = default;
};

// What is known of the one who asks, beside the request.
struct Standing
{
    AgentSwitches rules; // of all agents
    bool isPaired = false; // the caller's pairing is one that the person made and didn't take back
    QString name; // of the paired client
    QList<StoredGrant> grants; // to this pairing, and to this connection

    bool operator==(const Standing &) const = default;
};

// Pure. granted is what the person's settings give by default. A person at their own CLI or workbench decides by asking
// (Allow). A client of MCP needs nobody's word for what the settings give anyway, if it came over stdio, as a program that the
// person started, or is paired. Whatever wants more is asked about (Ask), unless a grant or a rule covers it or refuses it.
AuthorisationDecision decide(const ApprovalRequest &request, const Policy &granted, const Standing &standing = {});

// A name for sentences to the person: the paired client's, else the program's.
QString nameOf(const Caller &caller, const Standing &standing);

} // namespace glovebox
