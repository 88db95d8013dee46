// SPDX-License-Identifier: Apache-2.0
// A system call filter as a search tree over the calls' numbers. Each run loads its filters, which the kernel first translates,
// instruction by instruction: libseccomp, which has a comparison and a return for each number, writes five times as many.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <linux/filter.h>

namespace glovebox::launcher {

using FilterSteps = std::vector<sock_filter>;

// SECCOMP_RET_*, with its data.
FilterSteps filterReturn(std::uint32_t answer);

// What follows for each of these numbers, and for all others. Each but others ends with a return; where others is empty, the
// filter goes on behind these steps. A call of another architecture is ENOSYS. Throws std::length_error where a jump would be
// longer than a filter's jumps can be.
FilterSteps callTree(std::uint32_t architecture, const std::map<std::uint32_t, FilterSteps> &calls,
                     const FilterSteps &others);

} // namespace glovebox::launcher
