// SPDX-License-Identifier: Apache-2.0
// What a person is asked, and what they answer.
#pragma once

#include "wants.h"

#include "engine/policy/policy.h"

#include <QByteArrayList>

#include <chrono>
#include <optional>
#include <vector>

namespace glovebox {

// Packages that are to be installed, as a person is shown them. All of it, and their hashes, are in the request's code.
struct AskedPackages
{
    QString source; // where they come from: "pypi.org", "the folder /srv/wheels"
    QStringList packages; // with versions, once these are known: "numpy 2.1.0"
    QStringList doubtful; // names that look like another package's
    QStringList scripts; // with versions: those whose install scripts run
    QStringList scripted; // names of those that have an install script, which is left out
    QString built; // the package whose code is run to build it, with its source and its tools; empty: none

    bool operator==(const AskedPackages &) const = default;
};

// What is to be approved: all that decides what will happen.
struct ApprovalRequest
{
    QString run;
    Caller caller;
    QString language;
    Policy policy;
    QByteArray codeDigest; // SHA-256
    QByteArray code;
    std::vector<SecretGrant> secrets; // that it is to be lent
    QByteArrayList args;
    QList<InnerFile> files; // put inside with the code, which may use them as code
    QList<Want> wants; // that nobody granted yet; known once decide() says Ask
    // Empty: a run is asked for. Else a call of this tool is: code is its arguments as JSON, run only a name for the question, and
    // the rest says nothing.
    QString tool;
    std::vector<Variable> variables; // of its environment
    QString interpreter; // empty: the usual one
    QString session; // empty: none
    QByteArray sessionTree; // Session::digest(): of its files and packages, which the code may use as code
    bool isStateful = false; // the code sees what earlier code left in the session's interpreter
    bool isParallel = false; // what the code leaves isn't the session's
    bool isDetached = false; // a job: may take LimitRange::jobWallMax
    QString packages; // that are lent to the run, by their id
    // One of the two runs that get packages: its code is Glovebox's own, and the person is asked about the packages instead.
    bool getsPackages = false;
    std::optional<AskedPackages> install; // tool is installTool then
    // Nobody waits for an answer after that; none: the approver's own.
    std::optional<std::chrono::milliseconds> patience;

    bool operator==(const ApprovalRequest &) const = default;
};

// SHA-256 of everything in the request but run, caller, wants and patience: an answer is for exactly this. Empty where a part can't be
// written down (half a surrogate pair), which nobody can approve.
QByteArray approvalDigest(const ApprovalRequest &request);

// How far an answer reaches. Session and Always grant what the run wants, whatever the code; Once grants this run alone.
enum class ApprovalScope {
    Once,
    Session, // until the client's connection ends
    Always, // for the paired client, until the person takes it back
    Never, // denied, and so is whatever wants the same from now on; of a client that isn't paired until its connection ends
};

template<>
inline constexpr auto enumNames<ApprovalScope> = namesOf<ApprovalScope>({
    {ApprovalScope::Once, "once"},
    {ApprovalScope::Session, "session"},
    {ApprovalScope::Always, "always"},
    {ApprovalScope::Never, "never"},
});

enum class AnsweredBy {
    Nobody, // a rule, or the time ran out
    Person, // in Glovebox's own window, or on its terminal
    Client, // says that the person did, in a dialog of the client's
};

template<>
inline constexpr auto enumNames<AnsweredBy> = namesOf<AnsweredBy>({
    {AnsweredBy::Nobody, "nobody"},
    {AnsweredBy::Person, "person"},
    {AnsweredBy::Client, "client"},
});

struct ApprovalDecision
{
    bool allowed = false;
    Text reason; // why not; for the result and the log
    ApprovalScope scope = ApprovalScope::Once;
    // approvalDigest() of what the person saw. An allowing answer to anything else is none.
    QByteArray digest;
    AnsweredBy by = AnsweredBy::Nobody;

    bool operator==(const ApprovalDecision &) const = default;
};

// A program that asks to be paired.
struct PairingRequest
{
    QString id; // of this request
    Caller caller; // with its claim, process and program
    QString redirect; // the address that a browser brings the answer to

    bool operator==(const PairingRequest &) const = default;
};

// The end of such a request's id, random: who sees the same in two places sees the same request.
inline QString pairingMark(const QString &id)
{
    return id.right(6);
}

} // namespace glovebox
