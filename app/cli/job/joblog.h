// SPDX-License-Identifier: Apache-2.0
// `glovebox session logs`: what a job prints, and what is kept of one that has ended.
#pragma once

#include "app/cli/command.h"

namespace glovebox {

int showJobLog(const Arguments &arguments);

// The job that a person named by its id, the first characters of one, or "last". ended: of one that runs no more, if the log has such a
// run in a session; of "last" only for "logs". command: "logs" or "stop", for who names a session instead.
struct NamedJob
{
    std::optional<Job> running;
    std::optional<RunRow> ended;
};
Result<NamedJob> jobCalled(const Paths &paths, const QByteArray &wanted, const QString &command);

} // namespace glovebox
