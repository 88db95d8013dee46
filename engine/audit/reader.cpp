// SPDX-License-Identifier: Apache-2.0
// Queries over the log.
#include "reader.h"

#include "schema.h"

#include <QFile>
#include <QFileInfo>

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <mutex>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype shortestPrefix = 8;

// Who gets packages has a session for that: the entries of all other runs needn't be parsed.
const QByteArray runColumns =
    "SELECT seq, run, time_us, language, outcome, caller_kind, caller_name, backend, duration_ms, "
    "exit_code, session, first_line, coalesce(finished_seq, 0), CASE WHEN session IS NULL THEN 0 ELSE (SELECT "
    "coalesce(json_extract(CASE WHEN json_valid(CAST(e.json AS TEXT)) THEN CAST(e.json AS TEXT) ELSE '{}' END, "
    "'$.gets_packages'), 0) FROM entries AS e WHERE e.seq = runs.seq) END FROM runs ";

RunRow readRun(const Statement &row)
{
    RunRow run;
    run.seq = row.integer(0);
    run.run = row.text(1);
    run.timeMicroseconds = row.integer(2);
    run.language = row.text(3);
    run.outcome = fromString<Outcome>(row.text(4));
    run.callerKind = fromString<Caller::Kind>(row.text(5)).value_or(Caller::Kind::Cli);
    run.callerName = row.text(6);
    run.backend = row.text(7);
    run.durationMs = row.optionalInteger(8);
    if (const auto code = row.optionalInteger(9))
        run.exitCode = int(*code);
    run.session = row.text(10);
    run.firstLine = row.text(11);
    run.finishedSeq = row.integer(12);
    run.getsPackages = row.integer(13) != 0;
    return run;
}

StoredEntry readEntry(const Statement &row)
{
    return {row.integer(0), row.blob(1), row.blob(2)};
}

StoredBody readBody(const Statement &row)
{
    return {row.text(0), row.blob(1), row.blob(2), row.integer(3), row.integer(4)};
}

std::unexpected<Error> noLog(const QString &file)
{
    return fail(ErrorCode::NotFound,
                QT_TRANSLATE_NOOP("engine", "No audit log at %1 yet. The log begins with the first run."), {file});
}

std::unexpected<Error> noRun(const QString &id)
{
    return fail(ErrorCode::NotFound,
                QT_TRANSLATE_NOOP("engine", "There is no run %1 in the audit log. \"glovebox audit list\" shows those "
                                            "that are."),
                {id});
}

// Tells whether anybody wrote to a log that is read as immutable: what is committed is in its WAL as long as a writer lives, and
// closing it changes the file itself.
struct Fingerprint
{
    qint64 inode = 0, size = 0, seconds = 0, nanoseconds = 0;
    qint64 walBytes = 0;

    static Fingerprint of(const QString &file)
    {
        struct stat info = {};
        Fingerprint print;
        if (::stat(QFile::encodeName(file).constData(), &info) == 0)
            print = {qint64(info.st_ino), qint64(info.st_size), qint64(info.st_mtim.tv_sec),
                     qint64(info.st_mtim.tv_nsec), 0};
        print.walBytes = QFileInfo(file + u"-wal"_s).size();
        return print;
    }
    bool operator==(const Fingerprint &) const = default;
};

} // namespace

struct AuditReader::Private
{
    QString file;
    std::optional<Connection> connection;
    std::mutex connectionMutex; // interrupt() may come while the connection is replaced
    std::optional<Fingerprint> immutable; // set: the connection takes no locks, and trusts that nobody writes
    bool newer = false;
    qint64 generation = 0;

    // A WAL database needs its -shm file also for reading, which can't be made in a folder that can't be written, or on a full
    // disk. When nothing is in a WAL (the try may leave an empty one), the file itself is all there is.
    Status open()
    {
        const std::lock_guard lock(connectionMutex);
        connection.reset();
        immutable.reset();
        ++generation;
        const Fingerprint print = Fingerprint::of(file);
        auto status = tryOpen(Connection::Mode::ReadOnly);
        const bool lacksShm =
            !status && (status.error().code == ErrorCode::PermissionDenied || status.error().code == ErrorCode::Full);
        if (lacksShm && print.walBytes == 0) {
            if (auto second = tryOpen(Connection::Mode::Immutable); second) {
                immutable = print;
                return {};
            }
        }
        return status;
    }

    Status tryOpen(Connection::Mode mode)
    {
        RETURN_IF_ERROR(checkNotEmptied(file));
        ASSIGN_OR_RETURN(auto opened, Connection::open(file, mode));
        ASSIGN_OR_RETURN(const auto state, inspectLog(opened, file));
        if (state == LogState::Empty)
            return noLog(file);
        newer = state == LogState::Newer;
        connection.emplace(std::move(opened));
        return {};
    }

    // query: Result<T>(const Connection &). Asked again when the log turns out to have been written meanwhile.
    template<typename Query> auto ask(const Query &query) -> decltype(query(*connection))
    {
        for (int attempt = 0;; ++attempt) {
            if (!connection || (immutable && *immutable != Fingerprint::of(file)))
                RETURN_IF_ERROR(open());
            auto answer = query(*connection); // NOLINT(bugprone-unchecked-optional-access): open() made it
            if (immutable && *immutable != Fingerprint::of(file) && attempt < 3)
                continue;
            if (!answer && newer && answer.error().code == ErrorCode::Internal)
                return fail(ErrorCode::Newer,
                            QT_TRANSLATE_NOOP("engine",
                                              "The audit log %1 was written by a newer version of Glovebox and "
                                              "can't be read by this one. Install that version."),
                            {file}, answer.error().detail);
            return answer;
        }
    }

    template<typename Read, typename... Values> auto rows(const QByteArray &sql, Read read, const Values &...values)
    {
        return ask([&](const Connection &db) { return db.rows(sql.constData(), read, values...); });
    }
};

AuditReader::AuditReader(std::unique_ptr<Private> data)
    : d(std::move(data))
{
}

AuditReader::~AuditReader() = default;

Result<std::unique_ptr<AuditReader>> AuditReader::open(const QString &file)
{
    struct stat info = {};
    const int error = ::stat(QFile::encodeName(file).constData(), &info) == 0 ? 0 : errno;
    if (error == ENOENT)
        return noLog(file);
    if (error == EACCES) // nobody knows whether there is one: an empty list would say that nothing ever ran
        return fail(ErrorCode::PermissionDenied,
                    QT_TRANSLATE_NOOP("engine", "The audit log %1 can't be read, as you may not enter its folder. "
                                                "Correct the permissions of the folder."),
                    {file});
    auto data = std::make_unique<Private>();
    data->file = file;
    RETURN_IF_ERROR(data->open());
    return std::unique_ptr<AuditReader>(new AuditReader(std::move(data)));
}

namespace {

QByteArray selfTestCondition(const RunFilter &filter)
{
    if (!filter.selfTest)
        return {};
    const QByteArray is = "(caller_kind != 'mcp' AND caller_name = '" + QByteArray(selfTestName) + "') ";
    return filter.selfTest.value() ? "AND " + is : "AND NOT " + is;
}

QByteArray timeCondition(const RunFilter &filter)
{
    QByteArray condition;
    if (filter.sinceMicroseconds)
        condition += "AND time_us >= " + QByteArray::number(*filter.sinceMicroseconds) + ' ';
    if (filter.untilMicroseconds)
        condition += "AND time_us < " + QByteArray::number(*filter.untilMicroseconds) + ' ';
    return condition;
}

} // namespace

Result<QList<RunRow>> AuditReader::runs(const RunFilter &filter) const
{
    ASSIGN_OR_RETURN(RunSlice slice, search(filter, {}));
    return std::move(slice.rows);
}

namespace {

// Of those that are still there.
Result<bool> isInBodies(const Connection &db, const QString &run, const BodyLook &look)
{
    ASSIGN_OR_RETURN(const auto digests,
                     db.rows(
                         "SELECT digest FROM bodies WHERE seq IN (SELECT seq FROM entries WHERE run = ?1) "
                         "AND what NOT GLOB 'artifact/*' AND salt IS NOT NULL",
                         [](const Statement &row) { return row.blob(0); }, run));
    for (const QByteArray &digest : digests) {
        ASSIGN_OR_RETURN(const bool isThere, look(digest));
        if (isThere)
            return true;
    }
    return false;
}

} // namespace

// The text filter is applied here and not by LIKE, which knows only the letters of ASCII.
Result<RunSlice> AuditReader::search(const RunFilter &filter, const BodyLook &look,
                                     std::chrono::milliseconds atMost) const
{
    const auto end = std::chrono::steady_clock::now() + atMost;
    // The pairing is in the entry alone.
    const QByteArray pairing = "(SELECT json_extract(CASE WHEN json_valid(CAST(e.json AS TEXT)) THEN CAST(e.json AS "
                               "TEXT) ELSE '{}' END, '$.caller.pairing') FROM entries AS e WHERE e.seq = runs.seq)";
    const QByteArray conditions = "WHERE seq < ?1 AND (?2 IS NULL OR outcome = ?2) AND (?3 IS NULL OR language = ?3) "
                                  "AND (?4 IS NULL OR caller_kind = ?4) AND (?5 IS NULL OR (caller_kind = 'mcp' AND "
                                  + pairing + " = ?5)) AND (?6 IS NULL OR caller_name = ?6) "
                                  + selfTestCondition(filter) + timeCondition(filter)
                                  + "AND seq >= " + QByteArray::number(filter.fromSeq) + ' ';
    std::optional<QString> outcome, language, kind, client, program;
    if (filter.outcome)
        outcome = toString(*filter.outcome);
    if (!filter.language.isEmpty())
        language = filter.language;
    if (filter.callerKind)
        kind = toString(*filter.callerKind);
    if (!filter.pairing.isEmpty())
        client = filter.pairing;
    if (!filter.program.isEmpty())
        program = filter.program;
    return d->ask([&](const Connection &db) -> Result<RunSlice> {
        QByteArray sql = runColumns + conditions;
        if (!filter.secret.isEmpty()) {
            ASSIGN_OR_RETURN(const bool known, db.has(u"lent"_s));
            sql += QByteArray("AND seq IN (SELECT seq FROM ")
                   + (known ? "lent" : '(' + QByteArray(lentFromEntries) + ')') + " WHERE name = ?7) ";
        }
        sql += "ORDER BY seq DESC";
        ASSIGN_OR_RETURN(Statement statement, db.prepare(sql.constData()));
        const qint64 before = filter.beforeSeq > 0 ? filter.beforeSeq : std::numeric_limits<qint64>::max();
        if (filter.secret.isEmpty())
            statement.bind(before, outcome, language, kind, client, program);
        else
            statement.bind(before, outcome, language, kind, client, program, filter.secret);
        RunSlice slice;
        while (slice.rows.size() < filter.limit) {
            ASSIGN_OR_RETURN(const auto row, statement.step());
            slice.isEnd = !row;
            if (slice.isEnd)
                break;
            slice.lookedAt = statement.integer(0);
            bool isMeant =
                filter.contains.isEmpty() || statement.text(11).contains(filter.contains, Qt::CaseInsensitive);
            if (!isMeant && look) {
                ASSIGN_OR_RETURN(isMeant, isInBodies(db, statement.text(1), look));
            }
            if (isMeant) {
                RunRow found = readRun(statement);
                if (filter.foldsPackages && found.getsPackages)
                    ++slice.folded;
                else
                    slice.rows.append(std::move(found));
            }
            if (look && std::chrono::steady_clock::now() >= end)
                break;
        }
        return slice;
    });
}

Result<bool> AuditReader::check() const
{
    constexpr qint64 largest = 512 * mebibyte;
    if (QFileInfo(d->file).size() > largest)
        return false;
    const auto found = d->rows("PRAGMA quick_check(1)", [](const Statement &row) { return row.text(0); });
    if (!found)
        return std::unexpected(found.error());
    if (found->value(0) == u"ok")
        return true;
    return damagedLog(d->file);
}

Result<RunRow> AuditReader::run(const QString &idOrPrefix) const
{
    const QString prefix = idOrPrefix.toLower();
    // Hexadecimal digits and dashes, which all sort before "~".
    const bool canBeId = std::ranges::all_of(
        prefix, [](QChar c) { return (c >= u'0' && c <= u'9') || (c >= u'a' && c <= u'f') || c == u'-'; });
    if (!canBeId && prefix.size() < shortestPrefix)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "There is no run \"%1\": an id has the digits 0 to 9, the letters a to "
                                                "f and dashes, as 0192f0c1-2345. \"glovebox audit list\" lists the "
                                                "runs with their numbers."),
                    {idOrPrefix});
    if (prefix.size() < shortestPrefix)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "\"%1\" is too short for a run's id: type at least 8 characters of it. "
                                                "\"glovebox audit list\" lists the runs with their numbers."),
                    {idOrPrefix});
    ASSIGN_OR_RETURN(const auto found,
                     d->rows(QByteArray(runColumns) + "WHERE run >= ?1 AND run < ?2 ORDER BY run DESC LIMIT 6", readRun,
                             prefix, QString(prefix + u'~')));
    if (found.isEmpty())
        return noRun(idOrPrefix);
    if (found.size() > 1) {
        constexpr qsizetype most = 5;
        QStringList ids;
        for (const RunRow &row : found.first(std::min(found.size(), most)))
            ids.append(row.run);
        return fail(
            ErrorCode::InvalidInput,
            found.size() > most
                ? QT_TRANSLATE_NOOP("engine", "More than %3 runs have an id that begins with %1, the latest of them: "
                                              "%2. Type more of the id, or the run's number.")
                : QT_TRANSLATE_NOOP("engine", "More than one run has an id that begins with %1: %2. Type more of it."),
            {idOrPrefix, ids.join(u", "_s), QString::number(most)});
    }
    return found.first();
}

Result<QList<StoredEntry>> AuditReader::entriesOf(const QString &runId) const
{
    return d->rows("SELECT seq, json, leaf FROM entries WHERE run = ?1 ORDER BY seq", readEntry, runId);
}

Result<StoredEntry> AuditReader::entry(qint64 seq) const
{
    ASSIGN_OR_RETURN(const auto found, d->rows("SELECT seq, json, leaf FROM entries WHERE seq = ?1", readEntry, seq));
    if (found.isEmpty())
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine",
                                      "There is no entry %1 in the audit log. \"glovebox audit list\" shows the "
                                      "runs with their numbers."),
                    {QString::number(seq)});
    return found.first();
}

Result<QList<StoredBody>> AuditReader::bodiesOf(const QString &runId) const
{
    return d->rows("SELECT what, digest, salt, bytes, kept FROM bodies "
                   "WHERE seq IN (SELECT seq FROM entries WHERE run = ?1) AND what NOT GLOB 'artifact/*' "
                   "ORDER BY seq, what DESC",
                   readBody, runId);
}

Result<QMap<qsizetype, QByteArray>> AuditReader::artifactDigests(const QString &runId) const
{
    const auto bodies = d->rows(
        "SELECT what, digest, salt, bytes, kept FROM bodies "
        "WHERE seq IN (SELECT seq FROM entries WHERE run = ?1) AND what GLOB 'artifact/*'",
        [](const Statement &row) {
            StoredBody body = readBody(row);
            if (row.isNull(2))
                body.digest.clear();
            return body;
        },
        runId);
    if (!bodies)
        return std::unexpected(bodies.error());
    QMap<qsizetype, QByteArray> digests;
    for (const StoredBody &body : *bodies)
        digests.insert(body.what.section(u'/', 1).toLongLong(), body.digest);
    return digests;
}

Result<QList<StoredEntry>> AuditReader::entries(qint64 from, qint64 most) const
{
    return d->rows("SELECT seq, json, leaf FROM entries WHERE seq >= ?1 ORDER BY seq LIMIT ?2", readEntry, from, most);
}

Result<qint64> AuditReader::lastEntry() const
{
    return d->ask([](const Connection &db) { return db.integer("SELECT max(seq) FROM entries"); });
}

Result<QString> AuditReader::id() const
{
    const auto found = d->ask([](const Connection &db) {
        return db.rowsIfThere(u"install"_s, "SELECT id FROM install", [](const Statement &row) { return row.text(0); });
    });
    return found ? Result<QString>(found->value(0)) : std::unexpected(found.error());
}

Status AuditReader::readBy(const std::function<Status(const Connection &)> &query) const
{
    return d->ask(query);
}

Result<qint64> AuditReader::dataVersion() const
{
    const auto version = d->ask([](const Connection &db) { return db.integer("PRAGMA data_version"); });
    if (!version)
        return version;
    return (d->generation << 32) + *version; // another connection starts to count anew
}

void AuditReader::interrupt()
{
    const std::lock_guard lock(d->connectionMutex);
    if (auto &connection = d->connection)
        connection->interrupt();
}

} // namespace glovebox
