// SPDX-License-Identifier: Apache-2.0
// Says at a terminal that the command waits for a slow disk, when it has done so for a second: once, and once more after a run.
#pragma once

#include "engine/base/base.h"

#include <functional>
#include <thread>

namespace glovebox {

// One at a time, for as long as a command goes on.
class DiskNotice
{
public:
    // isShown: and standard error is a terminal; else nothing is ever said.
    explicit DiskNotice(bool isShown);
    ~DiskNotice();
    DiskNotice(const DiskNotice &) = delete;
    DiskNotice &operator=(const DiskNotice &) = delete;

    static QString sentence();

    // While one lives, its owner says the sentence, between lines of others on the same terminal. One at a time.
    class Speaker
    {
    public:
        // ring is called on another thread when the sentence is due.
        explicit Speaker(std::function<void()> ring);
        ~Speaker();
        Speaker(const Speaker &) = delete;
        Speaker &operator=(const Speaker &) = delete;

        bool isDue(); // once
        void again(); // and once more, for what is still to come
    };

private:
    std::jthread m_thread;
};

} // namespace glovebox
