// SPDX-License-Identifier: Apache-2.0
// What a request wants beyond the person's settings, as values that a grant can be compared with.
#pragma once

#include "engine/policy/policy.h"

#include <QJsonObject>
#include <QList>

#include <optional>
#include <vector>

namespace glovebox {

// What is to be approved.
struct ApprovalRequest;

// One thing. Two wants are about the same when kind and what are the same.
struct Want
{
    enum class Kind {
        AnyRun, // to run code at all, within the usual limits
        Tool, // to call a tool that starts no run
        Host,
        Secret,
        Folder,
        Limit, // more than usual
        Weakness, // weaker protections than the settings demand
        Backend,
        Packages, // to install packages of an index
        ServerTool, // to call a tool of an MCP server of the person's
    };
    Kind kind = Kind::AnyRun;
    // Name of the tool, of a server's with the server's; rule of the host; name and place of the secret; the folder, its place and mode; id
    // of the limit; the backend; host of the index, with what is built there from which source by what, and with the names that look like
    // others, so that whoever was granted the host wasn't granted these.
    QString what;
    std::optional<qint64> amount; // Limit, in the unit of Policy's JSON form; none: no limit
    // Secret, Folder, ServerTool: hosts that the run may reach, and as "tool NAME" the other tools of servers that it may call. What was
    // granted along with these is not granted along with others, to which the run could carry it.
    QStringList hosts;

    bool isAbout(const Want &other) const { return kind == other.kind && what == other.what; }
    // As words for the person: "the network: example.org", "512 MB of memory".
    QString words() const;

    bool operator==(const Want &) const = default;
};

template<>
inline constexpr auto enumNames<Want::Kind> = namesOf<Want::Kind>({
    {Want::Kind::AnyRun, "run"},
    {Want::Kind::Tool, "tool"},
    {Want::Kind::Host, "host"},
    {Want::Kind::Secret, "secret"},
    {Want::Kind::Folder, "folder"},
    {Want::Kind::Limit, "limit"},
    {Want::Kind::Weakness, "weakness"},
    {Want::Kind::Backend, "backend"},
    {Want::Kind::Packages, "packages"},
    {Want::Kind::ServerTool, "server_tool"},
});

// Whether who was granted the one may have the other.
bool covers(const Want &granted, const Want &wanted);

// {"kind","what","amount","hosts"}; amount is null where there is none. Part of the audit entry's format.
QJsonObject toJson(const Want &want);
// An unknown or missing field and a wrong type are refused.
Result<Want> wantFromJson(const QJsonObject &object);

// In the order in which a person looks at them. granted: what the settings give.
QList<Want> wantsOf(const ApprovalRequest &request, const Policy &granted);
QString wordsOf(const QList<Want> &wants); // "512 MB of memory; the secret API_KEY"

} // namespace glovebox
