// SPDX-License-Identifier: Apache-2.0
// `glovebox secret passphrase`: another passphrase for the file of secrets.
#include "app/cli/terminal/console.h"
#include "limitoptions.h"
#include "prompt.h"
#include "secretcommands.h"

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

int sayUnread(const Error &error, bool wasAsked)
{
    if (!wasAsked || error.code != ErrorCode::Unavailable)
        return sayTrouble(error);
    return sayFailure({ErrorCode::Unavailable,
                       Text("There is no terminal to ask for passphrases on. Name files that have them: "
                            "--passphrase-file FILE --new-passphrase-file FILE"),
                       {}});
}

int changePassphrase(const Arguments &arguments)
{
    if (!arguments.positional.isEmpty() || arguments.dashes)
        return sayUsage(
            u"\"secret passphrase\" takes options only. A passphrase is never an argument: it is asked for."_s,
            u"secret passphrase"_s);
    const auto engine = openEngine();
    if (!engine)
        return sayFailure(engine.error());
    auto *file = dynamic_cast<PassphraseStore *>((*engine)->vault().store(u"file"_s));
    if (!file || !file->exists())
        return sayFailure(
            {ErrorCode::NotFound,
             Text("There is no file of secrets. Where the setting vault.store is \"file\", the first \"glovebox "
                  "secret set\" makes it."),
             {}});
    const UnseenKeys unseen; // each passphrase is tried for half a second
    const QByteArray presentFile = passphraseFile(arguments);
    const auto present = unlockFile(*file, presentFile);
    if (!present)
        return sayUnread(present.error(), presentFile.isEmpty());
    const auto nextFile = arguments.value("--new-passphrase-file");
    const auto next = nextFile ? passphraseIn(*nextFile) : askForNewPassphrase();
    if (!next)
        return sayUnread(next.error(), !nextFile);
    if (auto changed = file->changePassphrase(*present, *next); !changed)
        return sayFailure(changed.error());
    say(u"The file of secrets has its new passphrase."_s);
    return 0;
}

} // namespace

Command passphraseCommand()
{
    return {
        .name = u"secret passphrase"_s,
        .summary = u"change the passphrase of the file of secrets"_s,
        .synopsis = u"[OPTIONS]"_s,
        .options = {passphraseFileOption(),
                    {"--new-passphrase-file", "FILE", u"read the new passphrase from FILE [default: ask]"_s}},
        .details =
            uR"(Asks for the passphrase and, twice, for the new one. The file holds the same secrets afterwards; until it is written
whole, the old one stays. A copy of the old file, such as one in a backup, still opens with the old passphrase.

Examples:
  glovebox secret passphrase
  glovebox secret passphrase --passphrase-file old --new-passphrase-file new
)"_s,
        .run = changePassphrase,
    };
}

} // namespace glovebox
