// SPDX-License-Identifier: Apache-2.0
// Memory of this machine, and of this program.
#pragma once

#include "engine/base/system/descriptor.h"

#include <QtGlobal>

#include <cstddef>
#include <optional>

namespace glovebox {

// How much programs can have before the machine swaps, in bytes. Nothing: it is not known, as by POSIX.
std::optional<qint64> availableMemory();
// Whole pages that are in no core file, nor in a child of fork(2). POSIX has no such promise: a program also forbids core files.
void keepOutOfCopies(void *pages, std::size_t bytes);
// A file that is on no disk, for reading and writing, gone with its descriptors; none with errno. name: for whoever looks for leaks.
UniqueFd openMemoryFile(const char *name);

} // namespace glovebox
