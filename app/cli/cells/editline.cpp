// SPDX-License-Identifier: Apache-2.0
#include "editline.h"

#include <dlfcn.h>

namespace glovebox {

namespace {

// Debian counts the versions of the binary interface itself; both are of the same functions (histedit.h).
constexpr const char *fileNames[] = {"libedit.so.2", "libedit.so.0"};

void *library()
{
    static void *const handle = [] {
        void *opened = nullptr;
        for (const char *const name : fileNames) {
            if (!opened)
                opened = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL);
        }
        return opened;
    }();
    return handle;
}

} // namespace

Editline::Symbol Editline::find(const char *name)
{
    return {library() ? ::dlsym(library(), name) : nullptr};
}

bool Editline::isWhole() const
{
    return init && end && get && set && wget && wset && wgets && wpush && wline && winsertstr && deletestr && cursor
           && resize && historyInit && historyEnd && history;
}

const Editline *Editline::loaded()
{
    static const Editline functions;
    return functions.isWhole() ? &functions : nullptr;
}

} // namespace glovebox
