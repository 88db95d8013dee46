// SPDX-License-Identifier: Apache-2.0
// The revisions of the protocol that are spoken, and in what they differ.
#pragma once

#include "engine/base/base.h"

#include <QStringList>

namespace glovebox::mcp {

// In order: later ones compare greater.
enum class Revision { R2024_11_05, R2025_03_26, R2025_06_18, R2025_11_25, R2026_07_28 };

} // namespace glovebox::mcp

template<>
inline constexpr auto glovebox::enumNames<glovebox::mcp::Revision> = glovebox::namesOf<glovebox::mcp::Revision>({
    {glovebox::mcp::Revision::R2024_11_05, "2024-11-05"},
    {glovebox::mcp::Revision::R2025_03_26, "2025-03-26"},
    {glovebox::mcp::Revision::R2025_06_18, "2025-06-18"},
    {glovebox::mcp::Revision::R2025_11_25, "2025-11-25"},
    {glovebox::mcp::Revision::R2026_07_28, "2026-07-28"},
});

namespace glovebox::mcp {

constexpr Revision latestWithHandshake = Revision::R2025_11_25;

// Begins with initialize; later revisions say everything with each request.
constexpr bool hasHandshake(Revision revision)
{
    return revision <= latestWithHandshake;
}
constexpr bool hasBatches(Revision revision)
{
    return revision == Revision::R2025_03_26;
}
constexpr bool hasStructuredContent(Revision revision)
{
    return revision >= Revision::R2025_06_18;
}
constexpr bool hasElicitation(Revision revision)
{
    return revision >= Revision::R2025_06_18;
}
constexpr bool hasTitles(Revision revision)
{
    return revision >= Revision::R2025_06_18;
}
constexpr bool hasAnnotations(Revision revision)
{
    return revision >= Revision::R2025_03_26;
}
constexpr bool hasCompletionsCapability(Revision revision)
{
    return revision >= Revision::R2025_03_26;
}
constexpr bool hasProgressMessages(Revision revision)
{
    return revision >= Revision::R2025_03_26;
}
// Arguments that a schema forbids are a tool's failure, so that the model sees why (SEP-1303); before, the protocol's.
constexpr bool tellsModelOfBadArguments(Revision revision)
{
    return revision >= Revision::R2025_11_25;
}
// Calls that are answered at once and asked about later; experimental there, and an extension of its own since.
constexpr bool hasTasks(Revision revision)
{
    return revision == Revision::R2025_11_25;
}
// Tasks as the extension tasksExtension: the server makes a call a task, for a client that knows of them.
constexpr bool hasTaskExtension(Revision revision)
{
    return revision >= Revision::R2026_07_28;
}
constexpr QLatin1StringView tasksExtension("io.modelcontextprotocol/tasks");
// An error whose request's id couldn't be read has none; before, null.
constexpr bool leavesOutUnknownIds(Revision revision)
{
    return revision >= Revision::R2025_11_25;
}

// Latest first.
inline QStringList revisionNames()
{
    QStringList names;
    for (const std::string_view name : enumNames<Revision>)
        names.prepend(QString::fromLatin1(name.data(), qsizetype(name.size())));
    return names;
}

} // namespace glovebox::mcp
