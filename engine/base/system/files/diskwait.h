// SPDX-License-Identifier: Apache-2.0
// Says that a thread waits until a disk has written: on a slow one fsync(2) takes seconds, and a person who waits for it is to be
// told what for.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>

namespace glovebox {

// While one lives, its thread waits for the disk of Glovebox's own files. Thread-safe.
class DiskWait
{
public:
    DiskWait();
    ~DiskWait();
    DiskWait(const DiskWait &) = delete;
    DiskWait &operator=(const DiskWait &) = delete;

    // How long this program has waited, of any thread; waits that follow each other are one. None: nobody waits now.
    static std::optional<std::chrono::milliseconds> lasting();
    // Returns when somebody waits, or when it is stopped. False: nobody waits.
    static bool await(const std::stop_token &stop);
};

} // namespace glovebox
