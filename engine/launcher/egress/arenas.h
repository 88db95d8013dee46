// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <malloc.h>

namespace glovebox::launcher {

// Before there are threads: a heap for each of them would reserve more addresses than such a program may have.
inline void haveFewArenas()
{
    ::mallopt(M_ARENA_MAX, 4);
}

} // namespace glovebox::launcher
