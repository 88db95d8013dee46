// SPDX-License-Identifier: Apache-2.0
// `glovebox audit show`: one run as it is on record, with its code and what is kept of its output.
#include "app/cli/command.h"
#include "app/cli/terminal/terminal.h"
#include "loggedrun.h"
#include "recordedrun.h"

#include "engine/run/run.h"

#include <QDateTime>
#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <optional>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// Entries go out byte for byte: they are what was hashed.
QByteArray asJson(const LoggedRun &record)
{
    QJsonArray bodies;
    for (const ShownBody &body : record.bodies)
        bodies.append(QJsonObject{{u"what"_s, body.stored.what},
                                  {u"state"_s, body.state},
                                  {u"sha256"_s, orNull(QString::fromLatin1(body.stored.digest.toHex()))},
                                  {u"bytes"_s, body.stored.bytes},
                                  {u"kept"_s, body.stored.kept}});
    const QByteArray run = record.run.isEmpty() ? "null" : '"' + record.run.toUtf8() + '"';
    QByteArray text = "{\"schema\":" + QByteArray::number(jsonSchema) + ",\"run\":" + run
                      + ",\"bodies\":" + QJsonDocument(bodies).toJson(QJsonDocument::Compact) + ",\"entries\":[";
    for (const StoredEntry &entry : record.entries)
        text += QByteArray(&entry == &record.entries.first() ? "" : ",") + "{\"seq\":" + QByteArray::number(entry.seq)
                + ",\"leaf\":\"" + entry.leaf.toHex() + "\",\"entry\":" + entry.json + '}';
    return text + "]}\n";
}

void line(const QString &label, const QString &text)
{
    if (!text.isEmpty())
        print(QByteArrayView("  " + escapedLine((label.leftJustified(11) + u' ' + text).toUtf8()) + '\n'));
}

QString timeOf(const QJsonObject &entry)
{
    const qint64 microseconds = entry.value("time_us"_L1).toInteger();
    return u"%1 (#%2)"_s.arg(QDateTime::fromMSecsSinceEpoch(microseconds / 1000).toString(u"yyyy-MM-dd HH:mm:ss.zzz"_s))
        .arg(entry.value("seq"_L1).toInteger());
}

// Every form below takes from an entry what it shows. The rest is shown here by its name: fields and kinds of a newer version, too.
void printRest(QJsonObject entry)
{
    entry = ownFields(entry);
    QJsonObject caller = entry.take("caller"_L1).toObject();
    if (caller.contains("kind"_L1))
        line(u"caller"_s,
             u"%1, %2 (pid %3)"_s.arg(caller.take("kind"_L1).toString(), caller.take("program"_L1).toString())
                 .arg(caller.take("pid"_L1).toInteger()));
    for (const QJsonObject &fields : {caller, entry}) {
        for (auto field = fields.begin(); field != fields.end(); ++field)
            line(QString(field.key()).replace(u'_', u' '), shownField(field.value()));
    }
}

void printAccepted(QJsonObject &entry)
{
    QJsonObject policy = entry.take("policy"_L1).toObject();
    const QJsonValue limits = policy.take("limits"_L1);
    const QJsonValue network = policy.take("network"_L1);
    entry.remove("code"_L1); // stands below
    line(u"accepted"_s, timeOf(entry));
    line(u"language"_s, entry.take("language"_L1).toString());
    QString session = entry.take("session"_L1).toString();
    const bool isParallel = entry.take("parallel"_L1).toBool(); // also of a job
    if (entry.take("detached"_L1).toBool())
        session += u", in a copy, as a background job"_s;
    else if (isParallel)
        session += u", in a copy"_s;
    else if (entry.take("stateful"_L1).toBool())
        session += u", in its interpreter, with what earlier code left there"_s;
    line(u"session"_s, session);
    QString processor;
    if (limits["cpu_ms"_L1].isDouble())
        processor += u", %1 s processor time"_s.arg(limits["cpu_ms"_L1].toDouble() / 1000);
    if (limits["cpu_percent"_L1].isDouble())
        processor += u", %1% of a processor"_s.arg(limits["cpu_percent"_L1].toInteger());
    const qint64 processes = limits["processes"_L1].toInteger();
    line(u"limits"_s,
         u"%1 s, %2 MB memory, %3, %4 of each stream, %5 MB files%6"_s.arg(limits["wall_ms"_L1].toDouble() / 1000)
             .arg(limits["memory_bytes"_L1].toInteger() / mebibyte)
             .arg(processes == 1 ? u"1 process"_s : u"%1 processes"_s.arg(processes))
             .arg(shownBytes(limits["output_bytes"_L1].toInteger()))
             .arg(limits["disk_bytes"_L1].toInteger() / mebibyte)
             .arg(processor));
    QString allowed = shownField(network["allow"_L1]);
    if (const QJsonValue traffic = network["traffic_bytes"_L1]; traffic.isDouble() && !allowed.isEmpty())
        allowed += u"; at most %1"_s.arg(shownBytes(traffic.toInteger()));
    if (const QJsonValue rate = network["bandwidth_bytes"_L1]; rate.isDouble() && !allowed.isEmpty())
        allowed += u"; %1 a second"_s.arg(shownBytes(rate.toInteger()));
    line(u"allowed"_s, allowed);
    line(u"sealed by"_s,
         policy.take("backend"_L1).toString() + (policy.take("strict"_L1).toBool() ? u", strict"_s : QString()));
    printRest(policy);
}

// Nobody is to take what is kept for what ran.
void printScrubbed(QJsonObject &entry)
{
    entry.remove("code"_L1);
    line(u"code"_s, u"kept without the value of %1, so it isn't byte for byte what was to run; %2"_s.arg(
                        shownField(entry.take("secrets"_L1)), timeOf(entry)));
}

// "allowed by the person, for this run: host example.org, 2026-11-12 14:02:11.100 (#12)"
void printApproval(QJsonObject &entry)
{
    const QString scope = entry.take("scope"_L1).toString();
    QString text = entry.take("allowed"_L1).toBool() ? u"allowed"_s : u"denied"_s;
    const QString by = entry.take("by"_L1).toString();
    text += by == "person"_L1   ? u" by the person"_s
            : by == "client"_L1 ? u" by the client's word"_s
                                : u", as nobody answered"_s;
    // "Never" holds for a pairing; a client without one is known as long as it is connected.
    const bool isUntilTheEnd =
        scope == u"session"_s
        || (scope == u"never"_s && entry["caller"_L1].toObject()["pairing"_L1].toString().isEmpty());
    text += isUntilTheEnd               ? u", until its client disconnects"_s
            : scope == u"always"_s      ? u", always for its client"_s
            : scope == u"never"_s       ? u", for good"_s
            : entry.contains("tool"_L1) ? u", for this call"_s
                                        : u", for this run"_s;
    QStringList wants;
    for (const auto want : entry.take("wants"_L1).toArray())
        wants.append(u"%1 %2"_s.arg(want["kind"_L1].toString(), want["what"_L1].toString()).trimmed());
    line(u"approval"_s, u"%1: %2; %3"_s.arg(text, wants.join(u", "_s), timeOf(entry)));
}

// "code, output and files of 12 runs from before 2026-08-05 09:12:00.000"
void printRetention(QJsonObject &entry)
{
    const qint64 runs = entry.take("runs"_L1).toInteger();
    const bool isFinished = kindOf(entry) == EntryKind::RetentionFinished;
    QString which; // else their ids are printed as the rest
    if (entry.contains("before_us"_L1))
        which = u" from before "_s
                + QDateTime::fromMSecsSinceEpoch(entry.take("before_us"_L1).toInteger() / 1000)
                      .toString(u"yyyy-MM-dd HH:mm:ss.zzz"_s);
    line(isFinished ? u"deleted"_s : u"to delete"_s, u"code, output and files of "_s + runsWord(runs) + which);
    const bool isResumed = entry.take("resumed"_L1).toBool(); // nobody counted what went before the interruption
    line(isFinished ? u"freed"_s : u"takes"_s,
         shownBytes(entry.take("bytes"_L1).toInteger()) + (isResumed ? u" after an interruption"_s : QString()));
    if (const qint64 recent = entry.take("recent"_L1).toInteger(); recent > 0)
        line(u"left"_s, recent == 1 ? u"1 file that was stored within an hour before"_s
                                    : u"%1 files that were stored within an hour before"_s.arg(recent));
}

// "shop, 0192f0c1-...", and what was done to it
void printSession(QJsonObject &entry)
{
    const QString name = entry.take("name"_L1).toString();
    const QString id = entry.take("session"_L1).toString();
    line(u"session"_s, name.isEmpty() ? id : u"%1, %2"_s.arg(name, id));
    line(u"fork of"_s, entry.take("from"_L1).toString());
    line(u"allowed"_s, shownField(entry.take("allow"_L1)));
    if (const QString action = entry.take("action"_L1).toString(); !action.isEmpty())
        line(u"change"_s, u"%1; snapshot %2 is the newest"_s.arg(action).arg(entry.take("snapshot"_L1).toInteger()));
}

void printPaired(QJsonObject &entry)
{
    line(u"agent"_s, u"%1 was paired"_s.arg(entry.take("name"_L1).toString()));
}

void printUnpaired(QJsonObject &)
{
    line(u"agent"_s, u"removed, with all that was granted to it"_s);
}

void printTakenBack(QJsonObject &entry)
{
    const QJsonValue want = entry.take("want"_L1);
    line(u"taken back"_s, u"%1 %2"_s.arg(want["kind"_L1].toString(), want["what"_L1].toString()).trimmed());
}

// "allowed example.org:443 by connect, 718 bytes sent, 2111 received"
QString networkAttempt(const QJsonValue &attempt)
{
    const QString host = attempt["host"_L1].toString();
    const qint64 port = attempt["port"_L1].toInteger();
    const QString place = (host.contains(u':') ? u"[%1]:%2"_s : u"%1:%2"_s).arg(host).arg(port);
    QString text =
        u"%1 %2 by %3"_s.arg(attempt["verdict"_L1].toString(), port == 0 ? host : place, attempt["way"_L1].toString());
    if (const QString reason = shownField(attempt["reason"_L1]); !reason.isEmpty())
        text += u": "_s + reason;
    const qint64 sent = attempt["sent"_L1].toInteger();
    const qint64 received = attempt["received"_L1].toInteger();
    if (sent > 0 || received > 0)
        text += u", %1 sent, %2 received"_s.arg(shownBytes(sent), shownBytes(received));
    return text;
}

void printEnd(QJsonObject &entry)
{
    RunResult result;
    takeEnd(result, {}, entry);
    const QString name = entry.take("outcome"_L1).toString();
    QString outcome = name;
    if (const QJsonValue code = entry.take("exit_code"_L1); code.isDouble())
        outcome += u", exit status %1"_s.arg(code.toInteger());
    if (const QJsonValue signal = entry.take("signal"_L1); signal.isDouble())
        outcome += u", signal %1"_s.arg(signal.toInteger());
    // When an interrupted run ended, nobody saw: its entry is of the next start.
    line(entry.value("kind"_L1) == "run.interrupted"_L1 ? u"closed at"_s : u"ended"_s, timeOf(entry));
    line(u"outcome"_s, outcome);
    line(u"reason"_s, shownField(entry.take("reason"_L1)));
    const QJsonObject usage = entry.take("usage"_L1).toObject();
    const auto ended = fromString<Outcome>(name);
    const bool ran = !usage.isEmpty() && ended && !nothingRan(*ended);
    const auto untold = ran ? whyLooksAreUntold(result.controls) : std::nullopt;
    QStringList used;
    if (!usage.isEmpty())
        used.append(u"%1 s"_s.arg(usage.value("wall_ms"_L1).toDouble() / 1000));
    if (const QJsonValue cpu = usage.value("cpu_ms"_L1); cpu.isDouble())
        used.append(u"%1 s processor time"_s.arg(cpu.toDouble() / 1000));
    else if (ran)
        used.append(u"processor time not known"_s);
    if (const QJsonValue memory = usage.value("peak_memory_bytes"_L1); memory.isDouble())
        used.append(u"%1 MB memory"_s.arg(double(memory.toInteger()) / double(mebibyte), 0, 'f', 1));
    else if (ran)
        used.append(u"memory not known"_s);
    if (const QJsonValue processes = usage.value("processes"_L1); processes.isDouble())
        used.append(processes.toInteger() == 1 ? u"1 process"_s : u"%1 processes"_s.arg(processes.toInteger()));
    line(u"used"_s, used.join(u", "_s));
    for (const auto control : entry.take("controls"_L1).toArray()) {
        const QString id = control["name"_L1].toString();
        const QString state = control["state"_L1].toString();
        const QString detail = shownField(control["detail"_L1]);
        line(u"control"_s, u"%1 %2 %3 %4"_s.arg(id, -22)
                               .arg(control["requested"_L1].toString(), -13)
                               .arg(state, -9)
                               .arg(detail)
                               .trimmed());
    }
    for (const auto attempt : entry.take("egress"_L1).toArray())
        line(u"network"_s, networkAttempt(attempt));
    for (const Artifact &artifact : artifactsIn({entry}, {}))
        line(u"left"_s, u"%1, %2, %3%4"_s.arg(artifact.path, shownBytes(artifact.bytes), artifact.mediaType,
                                              artifact.isWithheld() ? u", withheld: it holds the value of "_s
                                                                          + artifact.secrets.join(u", "_s)
                                                                    : QString()));
    for (const auto taken : {"artifacts"_L1, "stdout"_L1, "stderr"_L1}) // streams stand below
        entry.remove(taken);
    for (const auto event : entry.take("events"_L1).toArray()) {
        const QString type = event["type"_L1].toString();
        const bool isUntrue = // an older version logged that
            ended && nothingRan(*ended) && isOfBegunRun(fromString<EventType>(type).value_or(EventType::Unknown));
        line(u"event"_s, type + u": "_s + shownField(event["detail"_L1])
                             + (isUntrue ? u" (asked for only, as nothing ran)"_s : QString()));
    }
    if (untold)
        line(u"not known"_s, u"whether the run looked for keys: "_s + untold->english());
}

// A file that was withheld.
void printReleased(QJsonObject &entry)
{
    line(u"released"_s, u"%1, %2; %3"_s.arg(entry.take("path"_L1).toString(),
                                            shownBytes(entry.take("size"_L1).toInteger()), timeOf(entry)));
}

// A port of a job that was opened to the person's browser.
void printPort(QJsonObject &entry)
{
    const bool isOpened = kindOf(entry) == EntryKind::PortOpened;
    QString text = isOpened ? u"%1 opened at %2"_s : u"%1 at %2 closed"_s;
    text = text.arg(entry.take("port"_L1).toInt()).arg(entry.take("address"_L1).toString());
    if (const QString reason = shownField(entry.take("reason"_L1)); !reason.isEmpty())
        text += u": "_s + reason;
    line(u"port"_s, text + u' ' + timeOf(entry));
}

void printCall(QJsonObject &entry)
{
    line(u"called"_s, entry.take("tool"_L1).toString() + u' ' + timeOf(entry));
}

void printDecision(QJsonObject &entry)
{
    const auto kind = kindOf(entry);
    const QString folders = shownField(entry.take("folders"_L1));
    QString text;
    if (kind == EntryKind::FolderApplied)
        text = u"%1 applied to %2"_s;
    else if (kind == EntryKind::FolderDiscarded)
        text = u"%1 discarded in the copy of %2"_s;
    else if (kind == EntryKind::FolderUndone)
        text = u"%1 undone in %2"_s;
    else if (kind == EntryKind::FolderInterrupted)
        text = shownField(entry.take("reason"_L1)) + u" (%1 in %2)"_s;
    else
        text = kind == EntryKind::FolderApplying  ? u"%1 being applied to %2"_s
               : kind == EntryKind::FolderUndoing ? u"%1 being undone in %2"_s
                                                  : u"%1 being discarded in the copy of %2"_s;
    text = text.arg(entry.take("changes"_L1).toInteger()).arg(folders);
    if (const qint64 refused = entry.take("refused"_L1).toInteger(); refused > 0)
        text += u", %1 refused"_s.arg(refused);
    line(u"changes"_s, text + u", "_s + timeOf(entry));
}

struct Form
{
    EntryKind kind;
    void (*print)(QJsonObject &entry);
};

constexpr Form formsOfKinds[] = {
    {EntryKind::RunAccepted, printAccepted},
    {EntryKind::RunFinished, printEnd},
    {EntryKind::RunInterrupted, printEnd},
    {EntryKind::RunScrubbed, printScrubbed},
    {EntryKind::ToolCalled, printCall},
    {EntryKind::FolderApplying, printDecision},
    {EntryKind::FolderApplied, printDecision},
    {EntryKind::FolderUndoing, printDecision},
    {EntryKind::FolderUndone, printDecision},
    {EntryKind::FolderDiscarding, printDecision},
    {EntryKind::FolderDiscarded, printDecision},
    {EntryKind::FolderInterrupted, printDecision},
    {EntryKind::ArtifactReleased, printReleased},
    {EntryKind::PortOpened, printPort},
    {EntryKind::PortClosed, printPort},
    {EntryKind::ApprovalDecided, printApproval},
    {EntryKind::ApprovalTakenBack, printTakenBack},
    {EntryKind::ClientPaired, printPaired},
    {EntryKind::ClientRemoved, printUnpaired},
    {EntryKind::SessionCreated, printSession},
    {EntryKind::SessionChanged, printSession},
    {EntryKind::SessionDeleted, printSession},
    {EntryKind::RetentionApplied, printRetention},
    {EntryKind::RetentionFinished, printRetention},
    {EntryKind::RetentionInterrupted, printRetention},
};

void printEntry(QJsonObject entry)
{
    const bool isOfRun = entry.contains("run"_L1);
    const QString kind = entry.value("kind"_L1).toString();
    const auto *form =
        std::ranges::find_if(formsOfKinds, [known = kindOf(entry)](const Form &each) { return each.kind == known; });
    const bool hasForm = form != std::end(formsOfKinds);
    if (!isOfRun)
        line(u"kind"_s, kind);
    else if (!hasForm)
        line(kind, timeOf(entry));
    if (hasForm)
        form->print(entry);
    printRest(entry);
    if (!isOfRun)
        line(u"time"_s, timeOf(entry));
}

void printBody(const ShownBody &body)
{
    QString title = body.stored.what + u", "_s + shownBytes(body.stored.bytes);
    if (body.stored.kept < body.stored.bytes)
        title += u", of which %1 were kept: the beginning and the end"_s.arg(body.stored.kept);
    if (body.state != "kept"_L1)
        title += u"; "_s + body.remark;
    print(QByteArrayView('\n' + escapedLine(title.toUtf8()) + '\n'));
    QByteArray text = escapedText(body.content);
    if (text.isEmpty())
        return;
    if (text.endsWith('\n'))
        text.chop(1);
    print(QByteArrayView("    " + text.replace('\n', "\n    ") + '\n'));
}

void printRecord(const LoggedRun &record)
{
    if (record.run.isEmpty()) {
        print(u"Entry %1\n"_s.arg(record.entries.first().seq));
        printEntry(parsed(record.entries.first()));
        return;
    }
    print(u"Run %1\n"_s.arg(record.run));
    const auto hasKind = [&](EntryKind kind) {
        return std::ranges::any_of(record.entries,
                                   [kind](const StoredEntry &entry) { return kindOf(parsed(entry)) == kind; });
    };
    const bool isFinished = hasKind(EntryKind::RunFinished);
    const auto isEndWithoutRun = [](const StoredEntry &stored) {
        const QJsonObject entry = parsed(stored);
        const auto outcome = fromString<Outcome>(entry.value("outcome"_L1).toString());
        const QJsonArray events = entry.value("events"_L1).toArray();
        const bool isSaid = std::ranges::any_of(
            events, [](const auto &event) { return event["type"_L1].toString() == toString(EventType::CodeNotRun); });
        return kindOf(entry) == EntryKind::RunFinished && outcome && (nothingRan(*outcome) || isSaid);
    };
    if (std::ranges::any_of(record.entries, isEndWithoutRun))
        line(u"never ran"_s, u"what was asked for is named below; the code had none of it"_s);
    for (const StoredEntry &stored : record.entries) {
        const QJsonObject entry = parsed(stored);
        const auto kind = kindOf(entry);
        // The events of an end say more of calls; and a beginning is told only while it has no end.
        const bool isTold = kind == EntryKind::ToolCalled
                                ? isFinished
                                : kind && isBeginning(*kind) && &stored != &record.entries.last();
        if (!isTold)
            printEntry(entry);
    }
    if (!isFinished && !hasKind(EntryKind::RunInterrupted) && record.doubts.isEmpty())
        line(u"outcome"_s, u"open: the run goes on, or Glovebox was killed; its next start closes the entry"_s);
    for (const ShownBody &body : record.bodies)
        printBody(body);
}

int showRun(const Arguments &arguments)
{
    if (arguments.positional.size() > 1 || arguments.dashes)
        return sayUsage(u"Name one run: its id, its number in \"glovebox audit list\", or last."_s, u"audit show"_s);
    const QByteArray wanted = arguments.positional.isEmpty() ? "last" : arguments.positional.first();
    const auto paths = Paths::standard();
    if (!paths)
        return sayFailure(paths.error());
    const auto reader = AuditReader::open(paths->auditFile());
    if (!reader && reader.error().code == ErrorCode::NotFound) {
        say(u"Nothing has run yet, as there is no log in %1."_s.arg(paths->data));
        return ExitStatus::failed;
    }
    if (!reader)
        return sayFailure(reader.error());
    const auto record = readLogged(**reader, ContentStore(paths->storeFolder()), wanted);
    if (!record)
        return sayFailure(record.error());
    const bool isJson =
        std::ranges::none_of(record->entries, [](const auto &entry) { return parsed(entry).isEmpty(); });
    if (!arguments.has("--json"))
        printRecord(*record);
    else if (isJson) // else there is only what is said below
        print(QByteArrayView(asJson(*record)));
    for (const QString &doubt : record->doubts)
        say(doubt);
    return record->doubts.isEmpty() ? 0 : ExitStatus::failed;
}

} // namespace

Command auditShowCommand()
{
    return {
        .name = u"audit show"_s,
        .summary = u"show one run, or an entry of no run, as it is in the log"_s,
        .synopsis = u"[RUN] [--json]"_s,
        .options = {{"--json", "", u"print the entries as they are in the log, as one JSON object"_s}},
        .details =
            uR"(RUN is a run's id, its first 8 characters or more, its number in the list, or counted back: last or -1 is the
latest (the default), -2 the one before. A number can also be that of an entry of no run.
Where "audit prune" deleted code and output, the date is shown. Entries that don't have the hashes
that the log has of them are told, and the exit status is 1. The same holds for a deletion that no entry tells.
Control characters and colours in code and output are always shown escaped.

Examples:
  glovebox audit show last
  glovebox audit show 12
  glovebox audit show 0192f0c1-2345 --json
)"_s,
        .run = showRun,
        .advice = {.takesNumbers = true},
    };
}

} // namespace glovebox
