// SPDX-License-Identifier: Apache-2.0
// Starts one of the person's own programs, an MCP server, and takes everything that it started along when the run is over, also when
// the engine was killed. Not sealed: the server is to work as it does for the person.
//
// A part of the spawner's program, executed once more with toolHostArgument, and so static: the environment is the server's, and nothing
// in it is to load here. Descriptors: report.h.
#pragma once

namespace glovebox::launcher {

// argv: FOLDER PROGRAM [ARGUMENT]..., and a null pointer. Returns the exit status of the process, which has one thread.
int beToolHost(char **argv);

} // namespace glovebox::launcher
