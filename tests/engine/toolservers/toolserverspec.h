// SPDX-License-Identifier: Apache-2.0
// The server that tests of this room start.
#pragma once

#include "engine/toolservers/toolservers.h"

#include <chrono>

namespace glovebox::test {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

inline QString python()
{
    return u"/usr/bin/python3"_s;
}
inline QString serverScript()
{
    return QStringLiteral(GLOVEBOX_SOURCE_DIR "/tests/support/toolserver.py");
}

// A server "t" that may be called by these tools.
inline ToolBroker::Spec spec(const QStringList &tools, const QStringList &deeds = {})
{
    ToolServer server{u"t"_s, QStringList{python(), serverScript()} + deeds, {}, {}};
    for (const QString &tool : tools)
        server.tools.append({tool, {}});
    return {.libexec = QStringLiteral(GLOVEBOX_LIBEXEC), .servers = {server}, .startPatience = 20s, .callPatience = 2s};
}

} // namespace glovebox::test
