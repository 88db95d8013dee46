// SPDX-License-Identifier: Apache-2.0
#include "leftbehind.h"

#include "app/cli/options.h"
#include "app/cli/terminal/console.h"

#include <unistd.h>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QString countedFiles(qsizetype count)
{
    return count == 1 ? u"1 file"_s : u"%1 files"_s.arg(count);
}

// Files that would have been kept, had this machine's disk taken them.
bool isLoss(const SkippedFiles &skipped)
{
    return skipped.why == NotKept::NoSpace || skipped.why == NotKept::NotStored;
}

// Content that is gone with the run. Links and pipes have none.
bool isContent(const SkippedFiles &skipped)
{
    return skipped.why != NotKept::Link && skipped.why != NotKept::Special;
}

} // namespace

bool saveLeftFiles(const ContentStore &store, const RunOptions &options, const RunResult &result)
{
    const bool saves = !options.artifacts.isEmpty(), talks = !options.json && !options.quiet;
    for (const SkippedFiles &skipped : result.skipped) {
        if (saves || (talks && isContent(skipped)))
            say(skipped.sentence.english());
    }
    if (!saves) {
        if (talks && !result.artifacts.isEmpty() && isTerminal(STDERR_FILENO))
            say(u"The run left %1. \"glovebox artifact list %2\" lists them, --artifacts DIR saves them."_s.arg(
                countedFiles(result.artifacts.size()), result.id));
        return true;
    }
    const auto report = saveArtifacts(store, result.artifacts, options.artifacts);
    if (!report) {
        say(sentenceOf(report.error()));
        if (!result.artifacts.isEmpty())
            say(u"The files are kept: \"glovebox artifact list %1\" lists them, \"glovebox artifact get\" gives one."_s
                    .arg(result.id));
        return false;
    }
    if (const auto &renamed = report->renamed)
        say(renamed->english());
    for (const Text &sentence : report->left)
        say(sentence.english());
    if (const auto withheld = std::ranges::find_if(result.artifacts, &Artifact::isWithheld);
        withheld != result.artifacts.end())
        say(u"To release a withheld file: glovebox artifact release %1 %2"_s.arg(result.id,
                                                                                 asShellWord(withheld->path.toUtf8())));
    return report->left.isEmpty() && std::ranges::none_of(result.skipped, isLoss);
}

} // namespace glovebox
