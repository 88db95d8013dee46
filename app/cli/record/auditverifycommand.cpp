// SPDX-License-Identifier: Apache-2.0
// `glovebox audit verify`: the whole log, held to its own hashes and to a line that was kept elsewhere; or a file of "audit export".
#include "app/cli/command.h"
#include "app/cli/terminal/statusline.h"
#include "loggedrun.h"
#include "recordedrun.h"

#include <QDateTime>
#include <QFile>
#include <QJsonArray>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

template<>
inline constexpr auto enumNames<LogFault::What> = namesOf<LogFault::What>({
    {LogFault::What::Changed, "changed"},
    {LogFault::What::Misplaced, "misplaced"},
    {LogFault::What::Missing, "missing"},
    {LogFault::What::Unlisted, "unlisted"},
    {LogFault::What::Unlogged, "unlogged"},
    {LogFault::What::Damaged, "damaged"},
    {LogFault::What::Beyond, "beyond"},
});

namespace {

// Code and output of all runs, held to the hashes in their entries.
struct BodiesChecked
{
    qint64 runs = 0; // of which all is there that the log keeps
    qint64 deletedRuns = 0; // of which somebody deleted code or output, as the log says
    qint64 incompleteRuns = 0; // of which code or output was never kept, as the log says: the disk was full
    QList<qint64> faulty; // numbers of runs, newest first; the first mostFaults
    qint64 faultCount = 0;
};

enum class BodiesAre { Whole, Deleted, Incomplete, Faulty };

// Whether the run's own entry says that not all of it could be kept.
bool isSaidIncomplete(const LoggedRun &record)
{
    const QString incomplete = toString(EventType::RecordIncomplete);
    return std::ranges::any_of(record.entries, [&](const StoredEntry &entry) {
        const QJsonArray events = parsed(entry).value("events"_L1).toArray();
        return std::ranges::any_of(events,
                                   [&](const auto &event) { return event["type"_L1].toString() == incomplete; });
    });
}

Result<BodiesAre> bodiesOf(const AuditReader &reader, const ContentStore &store, const RunRow &row)
{
    const auto record = readLogged(reader, store, row.run.toUtf8());
    if (!record && record.error().code != ErrorCode::NotFound && record.error().code != ErrorCode::InvalidInput)
        return std::unexpected(record.error());
    const auto hasState = [&](QLatin1StringView state) {
        return std::ranges::find(record->bodies, state, &ShownBody::state) != record->bodies.end();
    };
    if (!record || !record->doubts.isEmpty() || hasState("damaged"_L1))
        return BodiesAre::Faulty;
    if (hasState("missing"_L1))
        return isSaidIncomplete(*record) ? BodiesAre::Incomplete : BodiesAre::Faulty;
    if (!hasState("deleted"_L1))
        return BodiesAre::Whole;
    const auto when = whenDeleted(reader, row);
    if (!when)
        return std::unexpected(when.error());
    return *when ? BodiesAre::Deleted : BodiesAre::Faulty; // deleted by nobody who said so in the log
}

Result<BodiesChecked> checkBodies(const AuditReader &reader, const ContentStore &store, StatusLine &line)
{
    BodiesChecked checked;
    RunFilter filter{.limit = 256};
    for (qint64 count = 0;;) {
        ASSIGN_OR_RETURN(const auto rows, reader.runs(filter));
        for (const RunRow &row : rows) {
            line.show("Checking code and output: " + runsWord(++count).toUtf8());
            ASSIGN_OR_RETURN(auto bodies, bodiesOf(reader, store, row));
            if (bodies == BodiesAre::Faulty) { // or a program deleted them between two looks, and the next look tells
                ASSIGN_OR_RETURN(bodies, bodiesOf(reader, store, row));
            }
            if (bodies != BodiesAre::Faulty) {
                ++(bodies == BodiesAre::Deleted      ? checked.deletedRuns
                   : bodies == BodiesAre::Incomplete ? checked.incompleteRuns
                                                     : checked.runs);
                continue;
            }
            ++checked.faultCount;
            if (checked.faulty.size() < mostFaults)
                checked.faulty.append(row.seq);
        }
        if (rows.size() < filter.limit)
            return checked;
        filter.beforeSeq = rows.last().seq;
    }
}

QString entriesWord(qint64 entries)
{
    return entries == 1 ? u"1 entry"_s : u"%1 entries"_s.arg(entries);
}

QString momentWord(qint64 microseconds)
{
    return QDateTime::fromMSecsSinceEpoch(microseconds / 1000).toString(u"yyyy-MM-dd HH:mm:ss"_s);
}

QString sentenceOf(const LogFault &fault, const LogVerification &log, const QString &file)
{
    switch (fault.what) {
    case LogFault::What::Changed:
        return u"Entry %1 was changed after it was written: the log has another hash of it."_s.arg(fault.first);
    case LogFault::What::Misplaced:
        return u"Entry %1 stands in another place, or as something else, than where it was written."_s.arg(fault.first);
    case LogFault::What::Missing:
        return fault.first == fault.last ? u"Entry %1 is missing."_s.arg(fault.first)
                                         : u"Entries %1 to %2, %3 in all, are missing."_s.arg(fault.first)
                                               .arg(fault.last)
                                               .arg(fault.last - fault.first + 1);
    case LogFault::What::Unlisted:
        return u"Run %1 is in the list of runs otherwise than in its entries, or isn't there."_s.arg(fault.first);
    case LogFault::What::Unlogged:
        return u"A deletion of code and output is noted that entry %1 doesn't tell."_s.arg(fault.first);
    case LogFault::What::Damaged:
        return u"The audit log %1 is damaged, so that runs may fail. SQLite says: \"%2\". Move it aside with the files "
               "whose names begin the same, and keep them. Glovebox then starts a new log."_s.arg(file, log.damage);
    case LogFault::What::Beyond:
        return u"%1 of the file came after the line was told, so nothing shows that the log has them. Ask for the line "
               "of the whole file."_s.arg(entriesWord(fault.last - fault.first + 1));
    }
    return {};
}

// What isn't as it was written, a sentence each; the rest of many is counted.
QStringList doubtsOf(const LogVerification &log, const BodiesChecked &bodies, const std::optional<TreeHead> &kept,
                     const QString &file)
{
    constexpr qsizetype mostTold = 10;
    QStringList doubts;
    for (const LogFault &fault : log.faults.first(std::min(log.faults.size(), mostTold)))
        doubts.append(sentenceOf(fault, log, file));
    if (log.faultCount > mostTold)
        doubts.append((log.faultCount - mostTold == 1 ? u"There is %1 more such place; --json lists up to %2."_s
                                                      : u"There are %1 more such places; --json lists up to %2."_s)
                          .arg(log.faultCount - mostTold)
                          .arg(mostFaults));
    for (const qint64 run : bodies.faulty.first(std::min(bodies.faulty.size(), mostTold)))
        doubts.append(u"Code or output of run %1 isn't as it was written: see \"glovebox audit show %1\"."_s.arg(run));
    if (bodies.faultCount > mostTold)
        doubts.append(u"So is that of %1 more."_s.arg(runsWord(bodies.faultCount - mostTold)));
    if (kept && !log.isAsKept.value_or(true))
        doubts.append(log.entries < kept->size
                          ? u"The line is of a log of %1, and this log has %2: entries were removed, or the line is "
                            "of another log."_s.arg(entriesWord(kept->size), entriesWord(log.entries))
                          : u"The first %1 aren't those of the line: entries were changed or removed since, or the "
                            "line is of another log."_s.arg(entriesWord(kept->size)));
    return doubts;
}

QJsonObject asJson(const LogVerification &log, const BodiesChecked &bodies, bool isWhole)
{
    QJsonArray faults;
    for (const LogFault &fault : log.faults)
        faults.append(
            QJsonObject{{u"what"_s, toString(fault.what)}, {u"first"_s, fault.first}, {u"last"_s, fault.last}});
    QJsonArray faulty;
    for (const qint64 run : bodies.faulty)
        faulty.append(run);
    return {{u"whole"_s, isWhole},
            {u"entries"_s, log.entries},
            {u"first_us"_s, log.entries == 0 ? QJsonValue() : QJsonValue(log.firstMicroseconds)},
            {u"last_us"_s, log.entries == 0 ? QJsonValue() : QJsonValue(log.lastMicroseconds)},
            {u"head"_s, log.head ? QJsonValue(toText(*log.head)) : QJsonValue()},
            {u"as_kept"_s, log.isAsKept ? QJsonValue(*log.isAsKept) : QJsonValue()},
            {u"faults"_s, faults},
            {u"fault_count"_s, log.faultCount},
            {u"runs"_s, bodies.runs},
            {u"deleted_runs"_s, bodies.deletedRuns},
            {u"incomplete_runs"_s, bodies.incompleteRuns},
            {u"faulty_runs"_s, faulty},
            {u"faulty_run_count"_s, bodies.faultCount}};
}

void tell(const LogVerification &log, const BodiesChecked &bodies, const std::optional<TreeHead> &kept)
{
    if (log.entries == 0) {
        print(u"The log has no entries.\n"_s);
        return;
    }
    print(u"The log has %1, from %2 to %3.\n"_s.arg(entriesWord(log.entries), momentWord(log.firstMicroseconds),
                                                    momentWord(log.lastMicroseconds)));
    if (log.faultCount == 0)
        print(u"Each has its hash, and none is missing between them.\n"_s);
    if (bodies.faultCount == 0 && bodies.runs > 0)
        print(u"Code and output of %1 are as they were written.\n"_s.arg(runsWord(bodies.runs)));
    if (bodies.deletedRuns > 0)
        print(u"Those of %1 were deleted since, as the log says.\n"_s.arg(runsWord(bodies.deletedRuns)));
    if (bodies.incompleteRuns > 0)
        print(u"Not all of %1 could be kept at its time, as the log says.\n"_s.arg(runsWord(bodies.incompleteRuns)));
    if (kept && log.isAsKept.value_or(false))
        print(u"The first %1 are those of the line: none of them was changed or removed since.\n"_s.arg(
            entriesWord(kept->size)));
    if (log.head && log.isWhole() && bodies.faultCount == 0)
        print(u"Keep this line elsewhere, and compare later by --against:\n%1\n"_s.arg(toText(*log.head)));
}

// Of a file from another machine: here are no hashes beside the entries, and no code and output.
void tellExported(const LogVerification &log, const std::optional<TreeHead> &kept)
{
    if (log.entries == 0) {
        print(u"The file has no entries.\n"_s);
        return;
    }
    print(u"The file has %1, from %2 to %3.\n"_s.arg(entriesWord(log.entries), momentWord(log.firstMicroseconds),
                                                     momentWord(log.lastMicroseconds)));
    if (kept && log.isAsKept.value_or(false))
        print(u"The first %1 are those of the line: none of them was changed or removed.\n"_s.arg(
            entriesWord(kept->size)));
    else if (!kept && log.head && log.isWhole())
        print(u"Without --against, changes don't show. Compare this line with the one of who gave you the file:\n%1\n"_s
                  .arg(toText(*log.head)));
}

int verifyFile(const QByteArray &name, const std::optional<TreeHead> &kept, bool json)
{
    const QString path = QFile::decodeName(name);
    QFile file(path);
    const auto failure = [&file, &path] {
        return fail(ErrorCode::Io, Text("%1 can't be read: %2.", {path, file.errorString()}));
    };
    if (!file.open(QIODevice::ReadOnly))
        return sayFailure(failure().error());
    const auto log = verifyExported(
        [&]() -> Result<QByteArray> {
            QByteArray line = file.readLine(mostEntryBytes);
            if (line.isEmpty() && file.error() != QFile::NoError)
                return failure();
            return line;
        },
        kept);
    if (!log)
        return sayFailure(log.error());
    if (json)
        printJson(asJson(*log, {}, log->isWhole()));
    else
        tellExported(*log, kept);
    for (const QString &doubt : doubtsOf(*log, {}, kept, path))
        say(doubt);
    return log->isWhole() ? 0 : ExitStatus::failed;
}

int verify(const Arguments &arguments)
{
    if (!arguments.positional.isEmpty() || arguments.dashes)
        return sayUsage(u"\"audit verify\" takes options only."_s, u"audit verify"_s);
    std::optional<TreeHead> kept;
    if (const auto text = arguments.value("--against")) {
        kept = treeHeadFrom(text->trimmed());
        if (!kept)
            return sayUsage(
                u"--against takes the last line of an earlier \"glovebox audit verify\" or \"audit export\": a "
                "number, a colon and 64 hexadecimal digits."_s,
                u"audit verify"_s);
    }
    if (const auto file = arguments.value("--file"))
        return verifyFile(*file, kept, arguments.has("--json"));
    const auto paths = Paths::standard();
    if (!paths)
        return sayFailure(paths.error());
    const auto reader = AuditReader::open(paths->auditFile());
    if (!reader && reader.error().code == ErrorCode::NotFound) {
        say(u"There is no log in %1, so there is nothing to verify."_s.arg(paths->data));
        return ExitStatus::failed;
    }
    if (!reader)
        return sayFailure(reader.error());
    StatusLine line(!arguments.has("--json"));
    const auto log = verifyLog(**reader, kept, [&line](qint64 entries, qint64 all) {
        line.show(u"Checking entries: %1 of %2"_s.arg(entries).arg(all).toUtf8());
    });
    auto bodies = log ? checkBodies(**reader, ContentStore(paths->storeFolder()), line) : std::unexpected(log.error());
    line.end();
    if (log && !log->damage.isEmpty() && !bodies && bodies.error().code == ErrorCode::Damaged)
        bodies = BodiesChecked{}; // which is told already
    if (!log)
        return sayFailure(log.error());
    if (!bodies)
        return sayFailure(bodies.error());
    const bool isWhole = log->isWhole() && bodies->faultCount == 0;
    if (arguments.has("--json"))
        printJson(asJson(*log, *bodies, isWhole));
    else
        tell(*log, *bodies, kept);
    for (const QString &doubt : doubtsOf(*log, *bodies, kept, paths->auditFile()))
        say(doubt);
    return isWhole ? 0 : ExitStatus::failed;
}

} // namespace

Command auditVerifyCommand()
{
    return {
        .name = u"audit verify"_s,
        .summary = u"check that no entry of the log was changed or removed"_s,
        .synopsis = u"[--file FILE] [--against LINE] [--json]"_s,
        .options = {{"--file", "FILE",
                     u"check this file of \"audit export\", of any machine [default: the log here]"_s},
                    {"--against", "LINE",
                     u"compare with the last line of an earlier \"audit verify\" or \"audit export\", kept elsewhere "
                     "[default: none]"_s},
                    {"--json", "", u"print one JSON object"_s}},
        .details =
            uR"(Reads the whole log. Each entry must have its hash, and no number may be missing. The list of runs must say
what the entries say. Code and output must have the hashes in the entries. The database and its indexes must be
whole. Faults are told, and the exit status is then 1.

Entries aren't signed: who can write to the log can change hashes as well, or remove the latest entries. So keep
the last line where they can't write, and give it to --against later. Then a change to those entries shows.

With --file, a colleague checks your log on another machine: "audit export" writes the file, and prints the line.

Examples:
  glovebox audit verify
  glovebox audit verify --json
)"_s,
        .run = verify,
    };
}

} // namespace glovebox
