// SPDX-License-Identifier: Apache-2.0
// `glovebox policy show`: what a run may do by default, and where each value comes from.
#include "app/cli/command.h"
#include "settingslist.h"

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

int showPolicy(const Arguments &arguments)
{
    if (!arguments.positional.isEmpty() || arguments.dashes)
        return sayUsage(u"\"policy show\" takes options only."_s, u"policy show"_s);
    const auto paths = Paths::standard();
    if (!paths)
        return sayFailure(paths.error());
    const auto settings = settingsOfPerson(*paths);
    if (!settings)
        return sayFailure(settings.error());

    if (arguments.has("--json")) {
        printJson({{u"policy"_s, toJson((*settings)->policy())}, {u"settings"_s, toJson(**settings)}});
        return 0;
    }
    print(QByteArrayView(shownSettings(**settings)));
    print(u"\nNetwork: none. Folders of this machine: none. Secrets: none.\nSettings file: %1\n"_s.arg(
        paths->settingsFile()));
    return 0;
}

} // namespace

Command policyShowCommand()
{
    return {
        .name = u"policy show"_s,
        .summary = u"show what a run may do by default, and who set it"_s,
        .synopsis = u"[--json]"_s,
        .options = {{"--json", "", u"print one JSON object"_s}},
        .details =
            uR"(The settings file overrides the built-in default, and the environment overrides the file. An option of
"glovebox run" overrides everything, for that run.
In the file run.memory_mb is {"run": {"memory_mb": 512}}; in the environment, GLOVEBOX_RUN_MEMORY_MB=512.
)"_s,
        .run = showPolicy,
    };
}

} // namespace glovebox
