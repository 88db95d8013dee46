// SPDX-License-Identifier: Apache-2.0
// `glovebox session logs`: what a job prints, and what is kept of one that has ended.
#pragma once

#include "app/cli/command.h"

namespace glovebox {

int showJobLog(const Arguments &arguments);

// The job that a person named by its id, the first characters of one, or "last"; ended ones if the log has such a run in a session, and
// by "last" only for "logs". command: "logs" or "stop", for who names a session instead.
struct NamedJob
{
    QString run; // id
    std::optional<Job> running; // nothing: it has ended
};
Result<NamedJob> jobCalled(const Paths &paths, const QByteArray &wanted, const QString &command);

} // namespace glovebox
