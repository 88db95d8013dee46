// SPDX-License-Identifier: Apache-2.0
// `glovebox audit prune`: deletes code, output and files of old runs; their entries stay.
#include "app/cli/command.h"
#include "recordedrun.h"

#include <QDateTime>

#include <unistd.h>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

struct Age
{
    qint64 hours = 0;
    QString words;
};

// "90d" or "12h". The error is a sentence.
std::expected<Age, QString> ageOf(const std::optional<QByteArray> &text)
{
    constexpr qint64 most = 36'500, hoursADay = 24;
    if (!text)
        return std::unexpected(u"Say how old: --older-than 90d."_s);
    const bool isHours = text->endsWith('h');
    if (!isHours && !text->endsWith('d'))
        return std::unexpected(u"\"%1\" is not an age. --older-than takes days or hours, such as 90d or 12h."_s.arg(
            QString::fromUtf8(*text)));
    const QString unit = isHours ? u"hours"_s : u"days"_s;
    const auto number = wholeNumber("--older-than", text->chopped(1), 1, most, unit);
    if (!number)
        return std::unexpected(number.error());
    return Age{isHours ? *number : *number * hoursADay,
               *number == 1 ? u"1 "_s + unit.chopped(1) : u"%1 %2"_s.arg(*number).arg(unit)};
}

// Whether to go on; says what would be lost.
bool isWanted(const Deletable &deletable, const Age &age, const Arguments &arguments)
{
    const QString what = u"Code, output and files of %1 older than %2 take %3."_s.arg(
        runsWord(deletable.runs), age.words, shownBytes(deletable.bytes));
    if (arguments.has("--yes"))
        return true;
    if (!isTerminal(STDIN_FILENO) || !isTerminal(STDERR_FILENO)) {
        say(what + u" Nobody is here to be asked, so nothing was deleted. --yes asks nothing."_s);
        return false;
    }
    if (asksWhether(what + u" They can't be restored; the entries stay. Delete them?"_s))
        return true;
    say(u"Nothing was deleted."_s);
    return false;
}

void tell(const Deletion &deletion, bool json, bool isRestDeleted = false)
{
    if (json) {
        printJson({{u"entry"_s, deletion.seq == 0 ? QJsonValue() : QJsonValue(deletion.seq)},
                   {u"before_us"_s, deletion.beforeMicroseconds},
                   {u"runs"_s, deletion.runs},
                   {u"files"_s, deletion.files},
                   {u"bytes"_s, deletion.bytes},
                   {u"recent_files"_s, deletion.recent},
                   {u"earlier_files"_s, deletion.earlierFiles},
                   {u"earlier_bytes"_s, deletion.earlierBytes}});
        return;
    }
    if (isRestDeleted)
        print(u"The rest of an earlier deletion is deleted: %1 freed.\n"_s.arg(shownBytes(deletion.earlierBytes)));
    else if (deletion.runs == 0)
        print(u"No run that old has code, output or files.\n"_s);
    if (deletion.runs > 0 && (deletion.files > 0 || deletion.recent == 0))
        print(u"Deleted code, output and files of %1: %2 freed.\n"_s.arg(runsWord(deletion.runs),
                                                                         shownBytes(deletion.bytes)));
    if (deletion.recent > 0)
        print(u"%1, as %2 stored within the last hour. Prune again in an hour.\n"_s.arg(
            deletion.recent == 1 ? u"1 file stays"_s : u"%1 files stay"_s.arg(deletion.recent),
            deletion.recent == 1 ? u"it was"_s : u"they were"_s));
}

int prune(const Arguments &arguments)
{
    if (!arguments.positional.isEmpty() || arguments.dashes)
        return sayUsage(u"\"audit prune\" takes options only."_s, u"audit prune"_s);
    const auto age = ageOf(arguments.value("--older-than"));
    if (!age)
        return sayUsage(age.error(), u"audit prune"_s);
    const auto paths = Paths::standard();
    if (!paths)
        return sayFailure(paths.error());
    const bool json = arguments.has("--json");
    const qint64 before = QDateTime::currentDateTimeUtc().addSecs(-age->hours * 3600).toMSecsSinceEpoch() * 1000;
    const auto reader = AuditReader::open(paths->auditFile());
    if (!reader && reader.error().code == ErrorCode::NotFound) {
        tell({.beforeMicroseconds = before}, json);
        return 0;
    }
    if (!reader)
        return sayFailure(reader.error());
    const auto deletable = deletableBefore(**reader, before);
    if (!deletable)
        return sayFailure(deletable.error());
    const auto last = lastDeletion(**reader).value_or(std::nullopt);
    const bool isLeft = last && !last->isFinished;
    if (deletable->runs == 0 && !isLeft) {
        tell({.beforeMicroseconds = before}, json);
        return 0;
    }
    if (deletable->runs > 0 && !isWanted(*deletable, *age, arguments)) // the rest of an earlier one was wanted then
        return ExitStatus::failed;
    const auto engine = openEngine({.runsOnce = true});
    if (!engine)
        return sayFailure(engine.error());
    if (isLeft)
        say(u"An earlier deletion was interrupted. Its rest is deleted first."_s);
    const auto deletion = (*engine)->deleteBodies(before, (*engine)->caller());
    if (!deletion)
        return sayFailure(deletion.error());
    tell(*deletion, json, isLeft);
    return 0;
}

} // namespace

Command auditPruneCommand()
{
    return {
        .name = u"audit prune"_s,
        .summary = u"delete code, output and files of old runs, to free space"_s,
        .synopsis = u"--older-than AGE [--yes] [--json]"_s,
        .options = {{"--older-than", "AGE", u"only of runs that started so long ago, such as 90d or 12h (required)"_s},
                    {"--yes", "", u"ask nothing"_s},
                    {"--json", "", u"print one JSON object"_s}},
        .details =
            uR"(The entries stay as they are, so the log stays whole; "audit show" says when the rest was deleted. Content
that a younger run shares stays. The deletion is logged before anything is deleted. The next
"audit prune" or start of the workbench finishes one that was interrupted.

Examples:
  glovebox audit prune --older-than 90d
  glovebox audit prune --older-than 365d --yes --json
)"_s,
        .run = prune,
    };
}

} // namespace glovebox
