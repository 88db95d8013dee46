// SPDX-License-Identifier: Apache-2.0
// The secrets that one run is lent: from the vault into its sandbox, and out of everything that it leaves.
#pragma once

#include "engine/run/live/liverun.h"
#include "engine/run/rooms.h"

namespace glovebox {

// Used by the run's thread.
class LentSecrets
{
public:
    // All that the request grants, or an error that says why not. From then on the run's output, events and attempts are scrubbed.
    Status borrow(Vault &vault, const Language &language, LiveRun &run, std::stop_token stop);
    // Those with a value in the arguments of a call of this tool that mayn't leave by it. By any thread, once borrowed.
    QStringList keptFrom(const QString &tool, QByteArrayView arguments) const;
    // The plan of what is looked for; null: no value is known.
    const ScrubPlan *plan() const { return m_plan.get(); }
    // Before launch().
    void addTo(SandboxShape &shape, Assignment &assignment) const;
    // The code never began: it had no use of them.
    void takeBack(Vault &vault);
    // After launch(): the values are inside, and in this process only where the scrubber needs them.
    void forget() { m_values.clear(); }
    // What doesn't come through the run: the sentence about its end, the value of a cell, and the kept output where its beginning and end
    // meet.
    void scrub(RunResult &result) const;
    // For what it did to copies of folders: withholds names and content with a value in them, and what can't be searched. Empty for
    // a run without secrets. Reads no more than such copies hold, unless files have holes, and goes on for two seconds at most
    // when it is stopped.
    Withhold searchOfCopies(const Limits &limits, std::stop_token stop) const;
    // For the files that it leaves; null for a run without secrets.
    std::unique_ptr<SecretSearch> searchOfFiles() const;

private:
    Status take(Vault &vault, const Language &language, LiveRun &run, std::stop_token stop);

    std::vector<GrantedSecret> m_values;
    QList<SecretInfo> m_counted; // as uses, each once
    std::shared_ptr<const ScrubPlan> m_plan;
    QHash<QString, QStringList> m_tools; // by the secret's name: SecretLimits::tools
};

// Events about what looks like a secret in the kept output, and was lent by nobody. They name the kind, never the value.
void tellLeaks(const RunResult &result, const Settings &settings, LiveRun &run);

// By the way of lent secrets, though they are none: nothing of the person is in the shape.
void addVariables(const std::vector<Variable> &variables, const SandboxShape &shape, Assignment &assignment);

} // namespace glovebox
