// SPDX-License-Identifier: Apache-2.0
// `glovebox audit prune`: deletes code, output and files of old runs, or of some by name; their entries stay.
#include "app/cli/command.h"
#include "app/cli/terminal/bell.h"
#include "app/cli/terminal/statusline.h"
#include "recordedrun.h"

#include <QDateTime>

#include <unistd.h>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

struct Age
{
    qint64 minutes = 0;
    QString words;
};

constexpr struct
{
    char letter;
    qint64 minutes;
    const char16_t *one;
} unitsOfAge[] = {{'d', 24 * 60, u"day"}, {'h', 60, u"hour"}, {'m', 1, u"minute"}};

// "90d", "12h" or "30m". The error is a sentence.
std::expected<Age, QString> ageOf(const QByteArray &text)
{
    constexpr qint64 most = 36'500;
    const auto unit = std::ranges::find_if(unitsOfAge, [&](const auto &each) { return text.endsWith(each.letter); });
    if (unit == std::end(unitsOfAge))
        return std::unexpected(
            u"\"%1\" is not an age. --older-than takes days, hours or minutes, such as 90d, 12h or 30m."_s.arg(
                QString::fromUtf8(text)));
    const QString one = QString::fromUtf16(unit->one), many = one + u's';
    const auto number = wholeNumber("--older-than", text.chopped(1), 1, most, many);
    if (!number)
        return std::unexpected(
            unit->letter == 'm' ? number.error() : number.error() + u" Hours end with h, minutes with m: 12h, 30m."_s);
    return Age{*number * unit->minutes, *number == 1 ? u"1 "_s + one : u"%1 %2"_s.arg(*number).arg(many)};
}

// What is to go, as a person named it.
struct Wish
{
    RunsToGo runs;
    QString words; // "12 runs older than 90 days" has these; "run #12", "3 runs"
};

Result<Wish> wishFor(const AuditReader &reader, const QByteArrayList &named)
{
    Wish wish;
    qint64 number = 0;
    for (const QByteArray &word : named) {
        std::optional<StoredEntry> found;
        ASSIGN_OR_RETURN(const QString run, findRun(reader, word, found));
        if (run.isEmpty())
            return fail(ErrorCode::NotFound,
                        Text("Entry %1 of the log belongs to no run. \"glovebox audit list\" shows the runs with their "
                             "numbers.",
                             {QString::fromUtf8(word)}));
        ASSIGN_OR_RETURN(const RunRow row, reader.run(run));
        number = row.seq;
        if (!wish.runs.chosen.contains(run))
            wish.runs.chosen.append(run);
    }
    wish.words = wish.runs.chosen.size() == 1 ? u"run #%1"_s.arg(number) : runsWord(wish.runs.chosen.size());
    return wish;
}

// Whether to go on; says what would be lost.
bool isWanted(const Deletable &deletable, const Wish &wish, const Arguments &arguments)
{
    const QString what = u"Code, output and files of %1 take %2."_s.arg(
        wish.runs.chosen.isEmpty() ? u"%1 older than %2"_s.arg(runsWord(deletable.runs), wish.words) : wish.words,
        shownBytes(deletable.bytes));
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

void tell(const Deletion &deletion, const Wish &wish, bool json, bool isRestDeleted = false)
{
    if (json) {
        printJson(
            {{u"entry"_s, deletion.seq == 0 ? QJsonValue() : QJsonValue(deletion.seq)},
             {u"before_us"_s, wish.runs.chosen.isEmpty() ? QJsonValue(wish.runs.beforeMicroseconds) : QJsonValue()},
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
        print(wish.runs.chosen.isEmpty()     ? u"No run that old has code, output or files.\n"_s
              : wish.runs.chosen.size() == 1 ? u"The run has no code, output or files in the log.\n"_s
                                             : u"None of these runs has code, output or files in the log.\n"_s);
    if (deletion.runs > 0 && (deletion.files > 0 || deletion.recent == 0))
        print(u"Deleted code, output and files of %1: %2 freed.\n"_s.arg(runsWord(deletion.runs),
                                                                         shownBytes(deletion.bytes)));
    if (deletion.recent > 0)
        print(u"%1, as %2 stored within the last hour. Prune again in an hour.\n"_s.arg(
            deletion.recent == 1 ? u"1 file stays"_s : u"%1 files stay"_s.arg(deletion.recent),
            deletion.recent == 1 ? u"it was"_s : u"they were"_s));
}

// Deletes, says on a terminal how far it is, and stops at a signal.
int deleteAndTell(Engine &engine, const Wish &wish, bool json, bool isRestLeft)
{
    Bell bell;
    StatusLine line(!json);
    int stoppedBy = 0;
    DeletedUntilNow now;
    const auto deletion = engine.deleteBodies(wish.runs, engine.caller(), [&](const DeletedUntilNow &until) {
        now = until;
        for (const int signal : bell.takeSignals())
            stoppedBy = stoppedBy == 0 ? signal : stoppedBy;
        line.show(u"Deleting: %1 of %2"_s.arg(now.runs).arg(runsWord(now.allRuns)).toUtf8());
        return stoppedBy == 0;
    });
    line.end();
    if (!deletion && deletion.error().code == ErrorCode::Cancelled && stoppedBy != 0) {
        say(u"Stopped: code, output and files of %1 of %2 were deleted, %3 freed. The rest stays until the next "
            u"\"audit "
            "prune\" or start of the workbench, which deletes it."_s.arg(now.runs)
                .arg(runsWord(now.allRuns), shownBytes(now.bytes)));
        return ExitStatus::signalled + stoppedBy;
    }
    if (!deletion)
        return sayFailure(deletion.error());
    tell(*deletion, wish, json, isRestLeft);
    return 0;
}

int prune(const Arguments &arguments)
{
    const auto older = arguments.value("--older-than");
    if (arguments.dashes || arguments.positional.isEmpty() != older.has_value())
        return sayUsage(u"Name the runs, or say how old: --older-than 90d."_s, u"audit prune"_s);
    const auto age = older ? ageOf(*older) : Age();
    if (!age)
        return sayUsage(age.error(), u"audit prune"_s);
    const auto paths = Paths::standard();
    if (!paths)
        return sayFailure(paths.error());
    const bool json = arguments.has("--json");
    Wish wish{.words = age->words};
    if (older)
        wish.runs.beforeMicroseconds =
            QDateTime::currentDateTimeUtc().addSecs(-age->minutes * 60).toMSecsSinceEpoch() * 1000;
    const auto reader = AuditReader::open(paths->auditFile());
    if (!reader && reader.error().code == ErrorCode::NotFound && older) {
        tell({}, wish, json);
        return 0;
    }
    if (!reader)
        return sayFailure(reader.error());
    if (!older) {
        auto named = wishFor(**reader, arguments.positional);
        if (!named)
            return sayFailure(named.error());
        wish = *std::move(named);
    }
    const auto going = deletableOf(**reader, wish.runs);
    if (!going)
        return sayFailure(going.error());
    const auto last = lastDeletion(**reader).value_or(std::nullopt);
    const bool isLeft = last && !last->isFinished;
    if (going->runs == 0 && !isLeft) {
        tell({}, wish, json);
        return 0;
    }
    if (going->runs > 0 && !isWanted(*going, wish, arguments)) // the rest of an earlier one was wanted then
        return ExitStatus::failed;
    const auto engine = openEngine({.runsOnce = true});
    if (!engine)
        return sayFailure(engine.error());
    if (isLeft)
        say(u"An earlier deletion was interrupted. Its rest is deleted first."_s);
    return deleteAndTell(**engine, wish, json, isLeft);
}

} // namespace

Command auditPruneCommand()
{
    return {
        .name = u"audit prune"_s,
        .summary = u"delete code, output and files of runs; their entries stay"_s,
        .synopsis = u"[RUN...] [--older-than AGE] [--yes] [--json]"_s,
        .options = {{"--older-than", "AGE",
                     u"only of runs that started so long ago, such as 90d, 12h or 30m [default: none]"_s},
                    {"--yes", "", u"ask nothing"_s},
                    {"--json", "", u"print one JSON object"_s}},
        .details =
            uR"(RUN is a run's id or number, or last, as for "audit show". The entries stay as they are, so the log stays whole; "audit show" says when the rest was deleted. Content
that another run shares stays. The deletion is logged before anything is deleted. The next
"audit prune" or start of the workbench finishes one that was interrupted. Files of the last hour stay until the next
deletion.

Examples:
  glovebox audit prune last
  glovebox audit prune --older-than 90d
  glovebox audit prune --older-than 365d --yes --json
)"_s,
        .run = prune,
        .advice = {.takesNumbers = true},
    };
}

} // namespace glovebox
