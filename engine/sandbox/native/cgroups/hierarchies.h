// SPDX-License-Identifier: Apache-2.0
// Where this program is in the machine's cgroup hierarchies (cgroups(7)).
#pragma once

#include <QByteArray>

#include <string>
#include <vector>

namespace glovebox::native {

struct Hierarchy
{
    bool second = false; // cgroup v2
    std::string controllers; // v1: as the kernel lists them, "cpu,cpuacct"; v2: empty
    std::string top; // where it is mounted
    std::string own; // this program's folder in it, or top where that isn't visible
};

// Those that are mounted. Empty when /proc can't be read.
std::vector<Hierarchy> ownCgroups();

// As in /proc/PID/cgroup; process: PID, or "self". Empty when it can't be read.
QByteArray cgroupsOf(const QString &process);

// own, its parent, ... up to top.
std::vector<std::string> upwards(const Hierarchy &hierarchy);

} // namespace glovebox::native
