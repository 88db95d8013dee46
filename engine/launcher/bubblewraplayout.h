// SPDX-License-Identifier: Apache-2.0
// Where a root file system that bwrap built differs from the direct builder's, for bwrap's arguments and for init's read-back.
// bwrap can't show subfolders of one tmpfs at several places, so that the writable folders are links into it; and it has
// devpts only together with a folder of devices.
#pragma once

#include "plan.h"

namespace glovebox::launcher {

constexpr const char *bubblewrapProgram = "/usr/bin/bwrap"; // the distribution's: all its folders are root's
constexpr const char *bubblewrapScratch = "/scratch";
constexpr const char *bubblewrapDevices = "/.dev"; // not in the plan's rules, so that Landlock denies all but its pts
constexpr const char *bubblewrapNodes[] = {"null", "zero", "full", "random", "urandom", "tty"};

// Where a target of the plan really is: a writable folder, and what is shown below one, is behind a link.
inline std::string bubblewrapPlace(const Plan &plan, const std::string &target)
{
    for (const MountStep &step : plan.steps) {
        if (step.kind == MountStep::Kind::Scratch && (target == step.target || target.starts_with(step.target + "/")))
            return std::string(bubblewrapScratch) + "/" + step.content + target.substr(step.target.size());
    }
    return target;
}

} // namespace glovebox::launcher
