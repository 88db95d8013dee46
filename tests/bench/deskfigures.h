// SPDX-License-Identifier: Apache-2.0
// What the window itself costs while it works, measured inside of it.
#pragma once

namespace glovebox::bench {

// A whole workbench in this process: memory while a run prints 1 GiB, and how soon a file of 10 MB can be typed into, against
// a bare editor with the same text. Its own application object; exit status.
int printDeskFigures(int argc, char **argv);

} // namespace glovebox::bench
