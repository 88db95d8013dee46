// SPDX-License-Identifier: Apache-2.0
// The runs of one client.
#pragma once

namespace glovebox::mcp {

// Thread-safe.
class ClientRuns
{
};

} // namespace glovebox::mcp
