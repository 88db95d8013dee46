// SPDX-License-Identifier: Apache-2.0
// Creates the log, or finds out why it can't be used.
#include "schema.h"

#include "reserve.h"

#include <QDirIterator>
#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <thread>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 applicationId = 0x476c6f76; // "Glov"

// entries_dense also keeps INSERT OR REPLACE from replacing a row: that deletes without firing delete triggers unless the
// connection sets recursive_triggers, but a number that is taken is never the next one. runs and bodies can be told from the
// entries and the store, so they are not protected; retention takes salt and digest (a digest of something short can be
// guessed) from bodies. Columns of runs are the history's; engine finds what recovery must close.
constexpr const char *tables = R"sql(
CREATE TABLE entries(
    seq INTEGER PRIMARY KEY,
    time_us INTEGER NOT NULL,
    kind TEXT NOT NULL,
    run TEXT,
    json BLOB NOT NULL,
    leaf BLOB NOT NULL CHECK(length(leaf) = 32)
) STRICT;
CREATE INDEX entries_run ON entries(run) WHERE run IS NOT NULL;
CREATE TRIGGER entries_no_update BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER entries_no_delete BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER entries_dense BEFORE INSERT ON entries
    WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM entries)
    BEGIN SELECT RAISE(ABORT, 'entries of the audit log are numbered densely'); END;

CREATE TABLE bodies(
    seq INTEGER NOT NULL REFERENCES entries(seq),
    what TEXT NOT NULL,
    digest BLOB,
    salt BLOB,
    bytes INTEGER NOT NULL,
    kept INTEGER NOT NULL,
    PRIMARY KEY(seq, what)
) STRICT, WITHOUT ROWID;
CREATE INDEX bodies_digest ON bodies(digest) WHERE digest IS NOT NULL;

CREATE TABLE runs(
    seq INTEGER PRIMARY KEY REFERENCES entries(seq),
    run TEXT NOT NULL UNIQUE,
    engine TEXT NOT NULL,
    time_us INTEGER NOT NULL,
    language TEXT NOT NULL,
    outcome TEXT,
    caller_kind TEXT NOT NULL,
    caller_name TEXT NOT NULL,
    backend TEXT NOT NULL,
    duration_ms INTEGER,
    exit_code INTEGER,
    session TEXT,
    first_line TEXT NOT NULL,
    finished_seq INTEGER REFERENCES entries(seq)
) STRICT;
CREATE INDEX runs_open ON runs(engine) WHERE finished_seq IS NULL;
)sql";

// Since version 2. What programs of version 1 know is not touched, so that one that is running meanwhile goes on.
constexpr const char *tablesOfSecrets = R"sql(
CREATE TABLE IF NOT EXISTS secrets(
    name TEXT NOT NULL PRIMARY KEY,
    note TEXT NOT NULL,
    store TEXT NOT NULL,
    slot TEXT NOT NULL UNIQUE,
    created_us INTEGER NOT NULL,
    changed_us INTEGER NOT NULL,
    last_used_us INTEGER,
    uses INTEGER NOT NULL DEFAULT 0,
    limits BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS install(
    only_row INTEGER PRIMARY KEY CHECK(only_row = 1),
    id TEXT NOT NULL,
    key_place TEXT,
    key_public BLOB
) STRICT;
INSERT OR IGNORE INTO install(only_row, id) VALUES(1, lower(hex(randomblob(8))));
)sql";

// Since version 3: which runs asked for which secrets. Filled by a trigger, so that programs of older versions that are running
// meanwhile fill it, too.
constexpr const char *tableOfLending = R"sql(
CREATE TABLE lent(
    name TEXT NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY(name, seq)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER entries_lent AFTER INSERT ON entries WHEN NEW.kind = 'run.accepted'
    BEGIN INSERT OR IGNORE INTO lent
        SELECT secret.value, NEW.seq FROM json_each(CAST(NEW.json AS TEXT), '$.secrets') AS secret; END;
INSERT OR IGNORE INTO lent )sql";

// Since version 4: what engines have begun and not ended (Entry::begins), and the entry that recovery writes for it.
constexpr const char *tableOfUnfinished = R"sql(
CREATE TABLE IF NOT EXISTS unfinished(
    seq INTEGER PRIMARY KEY REFERENCES entries(seq),
    engine TEXT NOT NULL,
    run TEXT NOT NULL,
    kind TEXT NOT NULL,
    fields BLOB NOT NULL
) STRICT;
)sql";

// Since version 5: programs that the person paired, and what each may do without a question, or never. A grant goes with its client.
constexpr const char *tablesOfClients = R"sql(
CREATE TABLE IF NOT EXISTS clients(
    id TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    program TEXT NOT NULL,
    token BLOB NOT NULL UNIQUE,
    paired_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS grants(
    client TEXT NOT NULL,
    want BLOB NOT NULL,
    allowed INTEGER NOT NULL,
    since_us INTEGER NOT NULL,
    PRIMARY KEY(client, want)
) STRICT, WITHOUT ROWID;
)sql";

// SQLite would make the file with the umask's mode, and -wal and -shm with the file's. The private file is linked into place
// when it is closed already: closing any descriptor of a database drops the locks that this process holds on it
// (https://sqlite.org/howtocorrupt.html, 2.2), and another thread may open it as soon as it has its name. Failure is left to
// SQLite, which will have the same trouble and tell it.
void createPrivately(const QString &file)
{
    if (QFileInfo::exists(file))
        return;
    QByteArray temporary = QFile::encodeName(file + u".new-XXXXXX"_s);
    UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC)); // 0600
    if (!fd)
        return;
    fd.reset();
    std::ignore = ::link(temporary.constData(), QFile::encodeName(file).constData());
    ::unlink(temporary.constData());
}

Status createTables(Connection &connection, LogState present)
{
    if (present == LogState::Empty)
        RETURN_IF_ERROR(connection.execute(tables));
    ASSIGN_OR_RETURN(const bool hasLent, connection.has(u"lent"_s));
    const QByteArray lending = hasLent ? QByteArray() : QByteArray(tableOfLending) + lentFromEntries;
    for (const char *added : {tablesOfSecrets, lending.constData(), tableOfUnfinished, tablesOfClients})
        RETURN_IF_ERROR(connection.execute(added));
    const QByteArray pragmas = "PRAGMA application_id=" + QByteArray::number(applicationId)
                               + "; PRAGMA user_version=" + QByteArray::number(schemaVersion);
    return connection.execute(pragmas.constData());
}

std::unexpected<Error> newerLog(const QString &file)
{
    return fail(ErrorCode::Newer,
                QT_TRANSLATE_NOOP("engine",
                                  "The audit log %1 was written by a newer version of Glovebox. The log can be "
                                  "read but not added to, so nothing is run: install that version."),
                {file});
}

// What is there only because the log was; empty: nothing.
QString leftOfHistory(const QString &file)
{
    const Paths paths{.data = QFileInfo(file).absolutePath()};
    if (QFileInfo(file + u"-wal"_s).size() > 0)
        return file + u"-wal"_s;
    if (QFileInfo::exists(paths.signingKeyFile()))
        return paths.signingKeyFile();
    QDirIterator bodies(paths.storeFolder(), QDir::Files, QDirIterator::Subdirectories);
    return bodies.hasNext() ? bodies.next() : QString();
}

// What is used first may all stand in the WAL, so that runs would be logged into a file whose other pages are gone. A checkpoint
// that was cut short leaves such a file, too, but then the WAL has what is missing.
Status checkWhole(Connection &connection, const QString &file)
{
    if (!connection.isCutOff())
        return {};
    connection.checkpointByHand(); // closing leaves file and WAL as they are
    ASSIGN_OR_RETURN(const auto found,
                     connection.rows("PRAGMA quick_check(1)", [](const Statement &row) { return row.text(0); }));
    if (found.value(0) != u"ok")
        return damagedLog(file);
    connection.checkpoint(); // so that the next program needn't read all of it
    return {};
}

Result<Connection> tryOpen(const QString &file)
{
    const DiskWait wait;
    ASSIGN_OR_RETURN(Connection connection, Connection::open(file, Connection::Mode::ReadWrite));
    ASSIGN_OR_RETURN(LogState state, inspectLog(connection, file));
    if (state == LogState::Newer)
        return newerLog(file);
    if (connection.isReadOnly())
        return fail(ErrorCode::PermissionDenied,
                    QT_TRANSLATE_NOOP("engine", "The audit log %1 can't be written, so nothing can be recorded and "
                                                "no run starts. Check who owns it and its permissions."),
                    {file});
    RETURN_IF_ERROR(checkWhole(connection, file));
    RETURN_IF_ERROR(connection.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL"));
    // Taking the write lock tells a log that can't be written from one that can before anybody relies on it.
    ASSIGN_OR_RETURN(auto transaction, Transaction::begin(connection));
    RETURN_IF_ERROR(checkWritable(connection, file));
    ASSIGN_OR_RETURN(state, inspectLog(connection, file)); // another program may have made it meanwhile
    if (state == LogState::Empty || state == LogState::Older)
        RETURN_IF_ERROR(createTables(connection, state));
    RETURN_IF_ERROR(transaction.commit());
    return connection;
}

} // namespace

// What somebody edited may be no JSON, at which json_each() gives up: the other entries are read all the same.
const char *const lentFromEntries =
    "SELECT secret.value AS name, entries.seq AS seq FROM entries, json_each(CASE WHEN json_valid(CAST(entries.json AS "
    "TEXT)) THEN CAST(entries.json AS TEXT) ELSE '{}' END, '$.secrets') AS secret WHERE entries.kind = 'run.accepted'";

Result<LogState> inspectLog(const Connection &connection, const QString &file)
{
    // One statement, hence one snapshot: another program may be making the log right now.
    ASSIGN_OR_RETURN(Statement statement,
                     connection.prepare("SELECT (SELECT application_id FROM pragma_application_id), "
                                        "(SELECT user_version FROM pragma_user_version), "
                                        "(SELECT count(*) FROM sqlite_schema)"));
    RETURN_IF_ERROR(statement.step());
    const qint64 id = statement.integer(0);
    const qint64 version = statement.integer(1);
    if (id == 0 && version == 0 && statement.integer(2) == 0)
        return LogState::Empty;
    if (id != applicationId || version < 1)
        return fail(ErrorCode::Damaged,
                    QT_TRANSLATE_NOOP("engine", "The file %1 is not an audit log of Glovebox. Move it aside; Glovebox "
                                                "then starts a new log."),
                    {file});
    if (version < schemaVersion)
        return LogState::Older;
    return version > schemaVersion ? LogState::Newer : LogState::Ready;
}

Status checkNotEmptied(const QString &file)
{
    constexpr qint64 making = 2; // seconds; a new log is empty that long at most, beside what an older one left
    constexpr auto lookAgain = std::chrono::milliseconds(20);
    for (;;) {
        struct stat info = {};
        if (::stat(QFile::encodeName(file).constData(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size != 0)
            return {};
        const QString left = leftOfHistory(file);
        if (left.isEmpty())
            return {};
        const qint64 age = std::time(nullptr) - info.st_ctim.tv_sec;
        if (age < 0 || age > making)
            return fail(ErrorCode::Damaged,
                        QT_TRANSLATE_NOOP("engine",
                                          "The audit log %1 is empty, and its history is gone: %2 is left of it. "
                                          "Restore the log from a backup, or move the empty file aside; Glovebox then "
                                          "starts a new log."),
                        {file, left});
        std::this_thread::sleep_for(lookAgain);
    }
}

std::unexpected<Error> damagedLog(const QString &file)
{
    return fail(ErrorCode::Damaged,
                QT_TRANSLATE_NOOP("engine", "The audit log %1 is damaged. Move it aside with the files whose names "
                                            "begin the same, and keep them. Glovebox then starts a new log."),
                {file});
}

Status checkWritable(const Connection &connection, const QString &file)
{
    ASSIGN_OR_RETURN(const auto version, connection.integer("PRAGMA user_version"));
    return version > schemaVersion ? Status(newerLog(file)) : Status();
}

Result<Connection> openLog(const QString &file)
{
    RETURN_IF_ERROR(makePrivateFolder(QFileInfo(file).absolutePath()));
    RETURN_IF_ERROR(checkNotEmptied(file));
    createPrivately(file);
    // Changing to WAL answers SQLITE_BUSY at once, without the busy handler, while another program makes the same file.
    const auto deadline = std::chrono::steady_clock::now() + lockPatience;
    for (;;) {
        auto connection = tryOpen(file);
        // Reading and writing need a file in memory, which is on that disk, too. No run takes what is given up here: Writer sees to that.
        if (!connection && connection.error().code == ErrorCode::Full && Reserve(file).giveUp())
            connection = tryOpen(file);
        if (connection || connection.error().code != ErrorCode::Busy || std::chrono::steady_clock::now() >= deadline)
            return connection;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

} // namespace glovebox
