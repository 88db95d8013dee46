// SPDX-License-Identifier: Apache-2.0
// For programs under ThreadSanitizer, whose own clone() (LLVM 19) takes every child for one with a copy of its parent's memory. The
// children of QProcess share it until they execute their program, and then the parent ends with "CHECK failed: !thr->slot". So they
// get a copy here, too.
#include <sched.h>

#include <cstdarg>

extern "C" {

int clonedByTheSanitizer(int (*child)(void *), void *stack, int flags, void *argument, pid_t *parentId, void *storage,
                         pid_t *childId) __asm__("__interceptor_clone");

int clone(int (*child)(void *), void *stack, int flags, void *argument, ...) noexcept
{
    va_list more;
    va_start(more, argument);
    const auto parentId = va_arg(more, pid_t *);
    const auto storage = va_arg(more, void *);
    const auto childId = va_arg(more, pid_t *);
    va_end(more);
    if (flags & CLONE_VFORK)
        flags &= ~CLONE_VM;
    return clonedByTheSanitizer(child, stack, flags, argument, parentId, storage, childId);
}
}
