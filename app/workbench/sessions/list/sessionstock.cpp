// SPDX-License-Identifier: Apache-2.0
#include "sessionstock.h"

#include "sessionsmodel.h"

#include "app/workbench/editor/file/hiddentext.h"

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int latestRuns = 300; // enough to know who is in a session now, and who was last

QString runnerOf(const RunRow &run)
{
    const QString program = run.callerName.section(u'/', -1);
    switch (run.callerKind) {
    case Caller::Kind::Cli:
        return SessionsModel::tr("from the command line", "a run");
    case Caller::Kind::Workbench:
        return SessionsModel::tr("from the workbench", "a run");
    case Caller::Kind::Mcp:
        break;
    }
    return program.isEmpty() ? SessionsModel::tr("by an agent", "a run")
                             : SessionsModel::tr("by %1", "a run").arg(withHiddenShown(program));
}

QHash<QString, QString> agentNames(Engine &engine)
{
    QHash<QString, QString> names;
    const auto clients = engine.approvals().clients();
    for (const PairedClient &client : clients.value_or(QList<PairedClient>()))
        names.insert(client.id, withHiddenShown(client.name));
    return names;
}

void tellRuns(ShownSession &shown, const QList<RunRow> &runs)
{
    bool isLast = true;
    for (const RunRow &run : runs) { // newest first
        if (run.session != shown.session.id)
            continue;
        shown.runners.insert(run.run, runnerOf(run));
        if (run.outcome && std::exchange(isLast, false))
            shown.wasFull = run.outcome == Outcome::DiskLimit;
        if (!run.outcome && shown.isBusy) { // the oldest of those that haven't ended is in it, the others wait
            shown.user = runnerOf(run);
            shown.busySince = run.timeMicroseconds;
        }
    }
}

} // namespace

SessionStock readSessions(Engine &engine)
{
    SessionStock stock;
    QList<Error> damaged;
    const auto sessions = engine.sessions().list(&damaged);
    if (!sessions) {
        stock.error = sessions.error();
        return stock;
    }
    const QHash<QString, QString> agents = agentNames(engine);
    RunFilter filter;
    filter.limit = latestRuns;
    const auto reader = engine.auditReader();
    const QList<RunRow> runs = reader ? (*reader)->runs(filter).value_or(QList<RunRow>()) : QList<RunRow>();
    const Jobs jobs(engine.paths().jobsFolder());
    const QList<Job> running = jobs.list().value_or(QList<Job>());
    for (const Session &session : *sessions) {
        if (isOfInstallation(session))
            continue;
        ShownSession shown{.session = session, .isBusy = engine.sessions().isBusy(session.id)};
        shown.isShared = engine.sessions().isShared(session.id);
        shown.owner = session.agent.isEmpty() ? QString() : agents.value(session.agent, SessionsModel::tr("an agent"));
        tellRuns(shown, runs);
        for (const Job &job : running) {
            if (job.session != session.id)
                continue;
            const auto ports = jobs.ports(job);
            const bool isSilent = !ports && ports.error().code == ErrorCode::Unavailable;
            shown.jobs.append({job, ports.value_or(QList<JobPort>()), !isSilent});
        }
        stock.sessions.append(std::move(shown));
    }
    for (const Error &error : std::as_const(damaged)) {
        ShownSession shown{.damage = error};
        shown.session.id = error.detail.english();
        stock.sessions.append(std::move(shown));
    }
    return stock;
}

} // namespace glovebox
