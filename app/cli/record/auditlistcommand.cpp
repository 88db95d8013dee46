// SPDX-License-Identifier: Apache-2.0
// `glovebox audit list`: the runs on record, newest first.
#include "app/cli/command.h"
#include "app/cli/session/namedsession.h"
#include "app/cli/terminal/terminal.h"
#include "moment.h"

#include <QDateTime>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QByteArray column(const QString &text, int width)
{
    return escapedLine(text.leftJustified(width).toUtf8()) + ' ';
}

QString shownDuration(std::optional<qint64> milliseconds)
{
    if (!milliseconds)
        return u"-"_s;
    return u"%1 s"_s.arg(double(*milliseconds) / 1000, 0, 'f', 2);
}

// Of sessions that are there, by their ids.
QHash<QString, QString> namesOfSessions()
{
    QHash<QString, QString> names;
    const auto sessions = openSessions();
    const auto all = sessions ? sessions->list() : std::unexpected(sessions.error());
    for (const Session &session : all.value_or(QList<Session>()))
        names.insert(session.id, session.shownName());
    return names;
}

// sessions: names by ids; nothing: the table has no column of them.
QByteArray tableRow(const RunRow &row, const std::optional<QHash<QString, QString>> &sessions)
{
    constexpr qsizetype shortIdLength = 13; // the time in milliseconds: enough to tell runs apart
    return column(u'#' + QString::number(row.seq), 6)
           + column(QDateTime::fromMSecsSinceEpoch(row.timeMicroseconds / 1000).toString(u"yyyy-MM-dd HH:mm:ss"_s), 19)
           + column(row.outcome ? toString(*row.outcome) : u"open"_s, 13) + column(row.language, 8)
           + column(shownDuration(row.durationMs).rightJustified(9), 9) + column(toString(row.callerKind), 9)
           + column(row.run.first(std::min(shortIdLength, row.run.size())), shortIdLength)
           + (sessions ? column(sessions->value(row.session, row.session).left(shortIdLength), shortIdLength)
                       : QByteArray())
           + escapedLine(row.firstLine.toUtf8()) + '\n';
}

QJsonObject jsonRow(const RunRow &row)
{
    return {{u"seq"_s, row.seq},
            {u"run"_s, row.run},
            {u"time_us"_s, row.timeMicroseconds},
            {u"language"_s, row.language},
            {u"outcome"_s, row.outcome ? QJsonValue(toString(*row.outcome)) : QJsonValue()},
            {u"caller"_s, QJsonObject{{u"kind"_s, toString(row.callerKind)}, {u"program"_s, row.callerName}}},
            {u"backend"_s, row.backend},
            {u"duration_ms"_s, orNull(row.durationMs)},
            {u"exit_code"_s, orNull(row.exitCode)},
            {u"session"_s, row.session.isEmpty() ? QJsonValue() : QJsonValue(row.session)},
            {u"first_line"_s, row.firstLine}};
}

QString unknownOutcome(const QString &word)
{
    QStringList names;
    for (const std::string_view name : enumNames<Outcome>)
        names.append(QString::fromLatin1(name.data(), qsizetype(name.size())));
    static const QHash<QString, QString> otherWords{{u"success"_s, u"completed"_s}, {u"ok"_s, u"completed"_s},
                                                    {u"error"_s, u"failed"_s},      {u"timeout"_s, u"timed_out"_s},
                                                    {u"oom"_s, u"out_of_memory"_s}, {u"stopped"_s, u"cancelled"_s}};
    const QString meant = otherWords.value(word.toLower(), nearest(word, names));
    return (meant.isEmpty() ? u"Unknown outcome \"%1\". The outcomes are %2."_s
                            : u"Unknown outcome \"%1\". Did you mean %3? The outcomes are %2."_s)
        .arg(word, names.join(u", "_s), meant);
}

std::expected<RunFilter, QString> filterOf(const Arguments &arguments)
{
    constexpr qint64 mostRows = 1'000'000;
    constexpr qint64 lastSeq = (qint64(1) << 53) - 1;
    RunFilter filter;
    filter.limit = 20;
    if (const auto text = arguments.value("--limit")) {
        const auto limit = wholeNumber("--limit", *text, 1, mostRows, {});
        if (!limit)
            return std::unexpected(limit.error());
        filter.limit = int(*limit);
    }
    if (const auto text = arguments.value("--before")) {
        const auto before = wholeNumber("--before", text->startsWith('#') ? text->sliced(1) : *text, 1, lastSeq, {});
        if (!before)
            return std::unexpected(before.error());
        filter.beforeSeq = *before;
    }
    const QDateTime now = QDateTime::currentDateTime();
    if (const auto text = arguments.value("--since")) {
        const auto since = momentOf("--since", *text, DayEdge::Start, now);
        if (!since)
            return std::unexpected(since.error());
        filter.sinceMicroseconds = since->toMSecsSinceEpoch() * 1000;
    }
    if (const auto text = arguments.value("--until")) {
        const auto until = momentOf("--until", *text, DayEdge::End, now);
        if (!until)
            return std::unexpected(until.error());
        filter.untilMicroseconds = until->toMSecsSinceEpoch() * 1000;
        if (filter.untilMicroseconds <= filter.sinceMicroseconds)
            return std::unexpected(u"--until is before --since: no run can be between them."_s);
    }
    if (const auto text = arguments.value("--outcome")) {
        filter.outcome = fromString<Outcome>(QString::fromUtf8(*text));
        if (!filter.outcome)
            return std::unexpected(unknownOutcome(QString::fromUtf8(*text)));
    }
    if (const auto text = arguments.value("--language")) {
        const auto language = Languages::called(QString::fromUtf8(*text));
        if (!language)
            return std::unexpected(language.error().message.english());
        filter.language = (*language)->id();
    }
    if (const auto text = arguments.value("--search")) {
        filter.contains = QString::fromUtf8(*text);
        if (filter.contains.isEmpty())
            return std::unexpected(u"--search takes a text that the code or the output has, not nothing."_s);
    }
    return filter;
}

// Nobody takes a row for the truth whose entries were changed. Only these rows are looked at: "audit verify" reads the whole log.
Result<int> tellChanged(const AuditReader &reader, const QList<RunRow> &rows)
{
    constexpr qsizetype mostTold = 10;
    QStringList changed;
    for (const RunRow &row : rows) {
        QList<qint64> entries{row.seq};
        if (row.finishedSeq > 0)
            entries.append(row.finishedSeq);
        ASSIGN_OR_RETURN(const auto found, changedAmong(reader, entries));
        if (!found.isEmpty())
            changed.append(u'#' + QString::number(row.seq));
    }
    if (changed.isEmpty())
        return 0;
    const QString more = changed.size() > mostTold ? u" and %1 more"_s.arg(changed.size() - mostTold) : QString();
    say(u"Entries of %1%2 were changed after they were written, or are missing: see \"glovebox audit verify\"."_s.arg(
        changed.first(std::min(changed.size(), mostTold)).join(u", "_s), more));
    return ExitStatus::failed;
}

int listRuns(const Arguments &arguments)
{
    const auto filter = filterOf(arguments);
    if (!filter)
        return sayUsage(filter.error(), u"audit list"_s);
    if (!arguments.positional.isEmpty() || arguments.dashes)
        return sayUsage(u"\"audit list\" takes options only."_s, u"audit list"_s);
    const bool json = arguments.has("--json");

    const auto paths = Paths::standard();
    if (!paths)
        return sayFailure(paths.error());
    const auto reader = AuditReader::open(paths->auditFile());
    if (!reader && reader.error().code == ErrorCode::NotFound) {
        if (!json)
            print(u"Nothing has run yet, as there is no log in %1.\n"_s.arg(paths->data));
        return 0;
    }
    if (!reader)
        return sayFailure(reader.error());
    const BodyLook look = [store = ContentStore(paths->storeFolder()), &filter](const QByteArray &digest) {
        return isInBody(store, digest, filter->contains);
    };
    const auto found = (*reader)->search(*filter, filter->contains.isEmpty() ? BodyLook() : look);
    if (!found)
        return sayFailure(found.error());
    const QList<RunRow> *rows = &found->rows;
    if (!json && rows->isEmpty())
        print(u"No matching runs.\n"_s);
    std::optional<QHash<QString, QString>> sessions;
    if (!json && std::ranges::any_of(*rows, [](const RunRow &row) { return !row.session.isEmpty(); }))
        sessions = namesOfSessions();
    if (!json && !rows->isEmpty())
        print(QByteArrayView(column(u"run"_s, 6) + column(u"started"_s, 19) + column(u"outcome"_s, 13)
                             + column(u"language"_s, 8) + column(u"took"_s.rightJustified(9), 9)
                             + column(u"caller"_s, 9) + column(u"id"_s, 13)
                             + (sessions ? column(u"session"_s, 13) : QByteArray()) + "code\n"));
    for (const RunRow &row : *rows) {
        if (json)
            printJson(jsonRow(row));
        else
            print(QByteArrayView(tableRow(row, sessions)));
    }
    const auto status = tellChanged(**reader, *rows);
    return status ? *status : sayFailure(status.error());
}

} // namespace

Command auditListCommand()
{
    return {
        .name = u"audit list"_s,
        .summary = u"list the runs in the log, newest first"_s,
        .synopsis = u"[OPTIONS]"_s,
        .options =
            {
                {"--limit", "N", u"at most this many runs [default: 20]"_s},
                {"--before", "SEQ", u"only runs before this number, for the next page [default: from the newest]"_s},
                {"--since", "TIME",
                 u"only runs that started from then on: a day, \"DAY HH:MM\", yesterday, 2h or 7d ago [default: all]"_s},
                {"--until", "TIME", u"only runs that started before then, or on that day [default: all]"_s},
                {"--outcome", "OUTCOME",
                 u"only runs that ended so: completed, failed, timed_out, ... [default: all]"_s},
                {"--language", "LANGUAGE", u"only runs in this language [default: all]"_s},
                {"--search", "TEXT",
                 u"only runs whose code or output contains this text, in upper or lower case [default: all]"_s},
                {"--json", "", u"print one JSON object a line"_s},
            },
        .details =
            uR"(Outcomes: completed, failed, signalled, timed_out, cpu_limit, out_of_memory, disk_limit, cancelled,
rejected, denied, setup_failed, interrupted. A run that is not finished yet is "open".

Examples:
  glovebox audit list --outcome timed_out
  glovebox audit list --search "Connection refused"
  glovebox audit list --since yesterday --until yesterday --limit 1000
  glovebox audit list --limit 1000 --json | jq -r .first_line
)"_s,
        .run = listRuns,
    };
}

} // namespace glovebox
