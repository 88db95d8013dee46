// SPDX-License-Identifier: Apache-2.0
// The runs of one installation, and the temporary sessions that they are in.
#pragma once

#include "installer.h"

namespace glovebox {

// Id of a session that is deleted with the last copy of this.
using TemporarySession = std::shared_ptr<const QString>;

struct VerifiedSession
{
    TemporarySession session;
    int head = 0; // its snapshot with just the wheels that were built
};

// What a run of an installation left.
struct LeftByTask
{
    std::shared_ptr<const RunResult> result;
    PackageAnswer answer;
    Session session; // as the run left it
    SessionTree tree;
};

// Used by one thread. Blocks for the disk, and for runs.
class Installation
{
public:
    struct Terms
    {
        const Packages::Ways &ways;
        const Installer &installer;
        const PackageWish &wish;
        const PackageIndex &index;
        const PackageLimits &limits;
        const FollowRun &follow;
        const MayBuild &mayBuild;
    };
    explicit Installation(const Terms &terms)
        : m_terms(terms)
    {
    }

    // With the wheels that were built, and nothing else. What a build left is foreign code's: no run with a network begins in its session.
    Result<VerifiedSession> newSession();
    // Of a run that is in a session of newSession(), or after another of these. before: the snapshot that was looked at.
    // Damaged: somebody else changed the session since.
    Result<LeftByTask> run(RunRequest request, int before) const;
    // Two runs: one gets the source and its tools, the other builds. Between them the person is asked.
    Status build(const SourceWish &source);
    const QList<LockedPackage> &built() const { return m_built; }
    const QMap<QString, QString> &builders() const { return m_builders; } // ids of the runs, by LockedPackage::name

private:
    NewSession wantedSession() const;
    TemporarySession temporary(const Session &session) const;

    const Terms m_terms;
    QList<LockedPackage> m_built;
    QMap<QString, QString> m_builders;
    TemporarySession m_builtIn; // the session whose folder "built" has them; null: there are none
};

// Whoever a session belongs to may use it between two runs: what else is in it then is none of the packages.
Status checkOnlyChangedBy(const RunResult &result, const Session &session, int before);

constexpr char installationsAgent[] = "packages"; // in place of a client's id
const QString sessionPrefix = QStringLiteral("packages-"); // and the engine's id

} // namespace glovebox
