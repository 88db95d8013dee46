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
            uR"(A value is the built-in default unless the settings file has another; the environment overrules the
file, and an option of "glovebox run" overrules everything, for that run.

The same limit in the file and in the environment:
  {"run": {"memory_mb": 512}}
  GLOVEBOX_RUN_MEMORY_MB=512
)"_s,
        .run = showPolicy,
    };
}

} // namespace glovebox
