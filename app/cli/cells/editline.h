// SPDX-License-Identifier: Apache-2.0
// libedit (editline(3)), loaded where a person types: Debian's file has a name of its own, and no other command waits for the library.
#pragma once

#include <histedit.h>

namespace glovebox {

class Editline
{
    // A name, never the function itself, whose address would have to be linked.
    struct Symbol
    {
        void *address;
        template<typename Function> operator Function *() const { return reinterpret_cast<Function *>(address); }
    };
    static Symbol find(const char *name);

public:
    // Loaded by the first call, and never unloaded. Nothing: the system has no libedit, or one that lacks a function.
    static const Editline *loaded();

    decltype(&::el_init) init = find("el_init");
    decltype(&::el_end) end = find("el_end");
    decltype(&::el_get) get = find("el_get");
    decltype(&::el_set) set = find("el_set");
    decltype(&::el_wget) wget = find("el_wget");
    decltype(&::el_wset) wset = find("el_wset");
    decltype(&::el_wgets) wgets = find("el_wgets");
    decltype(&::el_wpush) wpush = find("el_wpush");
    decltype(&::el_wline) wline = find("el_wline");
    decltype(&::el_winsertstr) winsertstr = find("el_winsertstr");
    decltype(&::el_deletestr) deletestr = find("el_deletestr"); // characters, also of a wide line
    decltype(&::el_cursor) cursor = find("el_cursor");
    decltype(&::el_resize) resize = find("el_resize");
    decltype(&::history_winit) historyInit = find("history_winit");
    decltype(&::history_wend) historyEnd = find("history_wend");
    decltype(&::history_w) history = find("history_w");

private:
    Editline() = default;
    bool isWhole() const;
};

} // namespace glovebox
