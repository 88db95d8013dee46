// SPDX-License-Identifier: Apache-2.0
// When a run of a tab ended for want of a module, and before one whose code names packages: asks the person, gets them, and has the
// code run.
#pragma once

#include "app/workbench/bench/sessionsreader.h"
#include "app/workbench/runpanel/runpanel.h"
#include "missingline.h"

#include <QHash>

namespace glovebox {

class MissingPackages : public QObject
{
    Q_OBJECT
public:
    // folder: that has the file of the code now; empty: it is from none.
    MissingPackages(WorkbenchContext &context, RunPanel &runs, SessionsReader &sessions,
                    std::function<QString()> folder, QObject *parent = nullptr);

    QString closingEnds() const; // as a page's
    // Before code runs that names packages. True: it waits, for them or for the person, and runWanted() follows unless it is left.
    bool holdsBack(const RunRequest &request, const RunTitle &title);
    // What waits doesn't run, as the tab would run something else now.
    void forgetHeld();

Q_SIGNALS:
    // The very code that missed it, with the package; RunTitle::number is 0 where it ran already.
    void runWanted(const glovebox::RunRequest &request, const glovebox::RunTitle &title);
    // The code of the tab, in this session, which has the package now.
    void runInSessionWanted(const QString &id);

private:
    void takeRun();
    void take(ShownRun *run, const MissingModule &missing);
    PackageOrder orderFor(const InlineMetadata &named) const; // what the code of m_request names
    void runHeld();
    void lend();
    void install();
    void installInto(const QString &session);
    void end(const Result<GotPackages> &got);

    WorkbenchContext &m_context;
    RunPanel &m_runs;
    SessionsReader &m_sessions;
    const std::function<QString()> m_folder;
    PackageGetting m_getting;
    MissingLine *m_line;
    QPointer<ShownRun> m_run; // that the line is about
    QPointer<ShownRun> m_lookedAt;
    QPointer<ShownRun> m_dismissed;
    MissingModule m_missing;
    // What goes on is for this one, whatever is shown meanwhile.
    RunRequest m_request;
    RunTitle m_title;
    std::optional<InlineMetadata> m_held; // what m_request names, which didn't run yet
    bool m_isForHeld = false; // what goes on was begun for a run that waits
    std::optional<InlineMetadata> m_goesWithout; // as the person said of these
    QHash<QString, QList<Requirement>> m_lent; // to runs of this tab, by RunRequest::packages
};

} // namespace glovebox
