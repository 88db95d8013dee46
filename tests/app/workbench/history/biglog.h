// SPDX-License-Identifier: Apache-2.0
// A log as a busy year leaves it: many runs, made in a second, in the tables that the real log has.
#pragma once

#include "engine/engine.h"

#include <QString>

namespace glovebox {

// Makes the log, or adds to it. Runs are all finished and have no bodies; their first line is "line <number of run>", every
// 1000th is "rare <number>"; every 7th failed; languages and callers take turns.
void addRuns(const QString &file, int count);
// One statement, as somebody might do it to the file.
void execute(const QString &file, const QByteArray &sql);

// Another program that writes the log.
class OtherProgram
{
public:
    explicit OtherProgram(const QString &file);

    // Waits for the commit. Returns the run's id.
    QString accept(const QString &firstLine, const CommittedBody &code = commitTo("print(1)"),
                   const std::vector<SecretGrant> &secrets = {});
    QString acceptPackages(const QString &firstLine); // a run that gets packages
    void finish(const QString &run, Outcome outcome, const QList<EgressAttempt> &attempts = {});

    // As the next program does it when this one was killed.
    void interrupt(const QString &run);

    void append(const Entry &entry);

private:
    QString m_engine;
    std::unique_ptr<AuditLog> m_log;
};

} // namespace glovebox
