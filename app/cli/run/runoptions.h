// SPDX-License-Identifier: Apache-2.0
// What `glovebox run` was asked to do.
#pragma once

#include "app/cli/options.h"
#include "packageoptions.h"

#include "engine/engine.h"

namespace glovebox {

struct RunOptions
{
    enum class Source { Argument, File, StandardInput };

    Source source = Source::Argument;
    QByteArray code; // of Source::Argument
    QByteArray file; // of Source::File
    QString language; // empty: to be detected
    QByteArrayList args;
    QByteArrayList files; // paths of --file
    QByteArray session; // as it was named; empty: none
    QByteArray profile; // as it was named; empty: none, or that of the session
    bool isParallel = false; // in a copy of it
    bool isDetached = false; // as a background job, and parallel
    std::optional<QByteArray> input; // path of --stdin, or "-"; nullopt: our own standard input where that makes sense
    bool raw = false;
    bool terminal = false;
    bool json = false;
    bool quiet = false;
    bool mayBeWarm = true;

    // Limits given as options; they go on top of the policy of settings and profile.
    std::optional<std::chrono::milliseconds> wall, cpu;
    std::optional<qint64> memoryBytes, outputBytes, diskBytes, trafficBytes, bandwidthBytes;
    std::optional<int> processes, cpuPercent;
    std::optional<QString> backend;
    bool strict = false;
    QList<FolderGrant> folders;
    QStringList allow; // canonical
    QStringList tools; // SERVER.TOOL
    std::vector<SecretGrant> secrets;
    QByteArray passphraseFile; // of the file of secrets; empty: a person types it
    QString artifacts; // the folder where the files that it leaves go; empty: they stay in the store
    PackageOptions packages;
    bool apply = false; // changes to copies of folders, without asking

    Policy on(Policy policy) const;
    // Whether the run gets our own standard input as its own.
    bool relaysStandardInput() const;

    bool operator==(const RunOptions &) const = default;
};

std::vector<Option> offeredRunOptions();
// Those of them that say what a run may use: limits, access and protection.
std::vector<Option> offeredGrants();
OptionAdvice runAdvice();

// stdinIsTerminal: --tty needs one; without code in the arguments it is read from standard input, unless a person sits there. The error
// is a sentence for a person.
std::expected<RunOptions, QString> runOptions(const Arguments &arguments, bool stdinIsTerminal);

// The part of it that a command of many runs shares: grants, -l, --file, --raw, -q and --json.
std::expected<void, QString> readSharedOptions(const Arguments &arguments, RunOptions &options);
// Refuses limits of the network where a run has none. A profile holds them for runs that do.
std::expected<void, QString> checkHaveEffect(const Arguments &arguments, const RunOptions &options);

} // namespace glovebox
