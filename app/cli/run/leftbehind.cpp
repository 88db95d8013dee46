// SPDX-License-Identifier: Apache-2.0
#include "leftbehind.h"

#include "app/cli/terminal/console.h"

#include <unistd.h>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QString countedFiles(qsizetype count)
{
    return count == 1 ? u"1 file"_s : u"%1 files"_s.arg(count);
}

} // namespace

bool saveLeftFiles(const ContentStore &store, const RunOptions &options, const RunResult &result)
{
    if (options.artifacts.isEmpty()) {
        if (!result.artifacts.isEmpty() && !options.json && !options.quiet && isTerminal(STDERR_FILENO))
            say(u"The run left %1. \"glovebox artifact list %2\" lists them, --artifacts DIR saves them."_s.arg(
                countedFiles(result.artifacts.size()), result.id));
        return true;
    }
    for (const SkippedFiles &skipped : result.skipped)
        say(skipped.sentence.english());
    const auto report = saveArtifacts(store, result.artifacts, options.artifacts);
    if (!report) {
        say(sentenceOf(report.error()));
        return false;
    }
    for (const Text &sentence : report->left)
        say(sentence.english());
    return report->left.isEmpty();
}

} // namespace glovebox
