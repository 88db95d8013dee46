// SPDX-License-Identifier: Apache-2.0
// The payload of the containment suite: one static program that tries one deed. It never decides anything: it tries, says
// "ready" and holds still, so that the host can look. Bounded: at most 300 children, 1.5 GiB, 300 MB of output, loopback only.
#pragma once

#include <cstddef>

namespace attack {

struct Words // the arguments after the deed's name
{
    char **first;
    int count;

    const char *at(int i) const { return i < count ? first[i] : ""; }
    long number(int i) const;
};

struct Deed
{
    const char *name;
    void (*run)(Words words);
};

// Text that the host looks for; also the mark by which it finds the processes of an attempt.
extern const char *token;

void say(const char *text);
void say(const void *bytes, std::size_t size);
[[noreturn]] void holdStill(); // until standard input ends
[[noreturn]] void stay(); // a child: until it is killed, or a minute at most

extern const Deed fileDeeds[], kernelDeeds[], processDeeds[], networkDeeds[], resourceDeeds[]; // end with an empty name

} // namespace attack
