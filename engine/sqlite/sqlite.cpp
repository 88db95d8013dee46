// SPDX-License-Identifier: Apache-2.0
// The wrapper, and what SQLite's errors mean to a person.
#include "sqlite.h"

#include <QFile>
#include <QtEndian>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int patienceMs = int(std::chrono::milliseconds(lockPatience).count());

// sqlite3_system_errno() doesn't know about errors of COMMIT; the files remember theirs. Needed for quotas and size limits:
// only ENOSPC becomes SQLITE_FULL, EDQUOT and EFBIG are SQLITE_IOERR.
int systemErrorOf(sqlite3 *db)
{
    int error = sqlite3_system_errno(db);
    sqlite3_file *wal = nullptr;
    if (error == 0
        && sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, static_cast<void *>(&wal)) == SQLITE_OK && wal
        && wal->pMethods)
        wal->pMethods->xFileControl(wal, SQLITE_FCNTL_LAST_ERRNO, &error);
    if (error == 0)
        sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &error);
    return error;
}

bool isOutOfSpace(int code, int systemError)
{
    return code == SQLITE_FULL
           || ((code == SQLITE_IOERR || code == SQLITE_CANTOPEN) && codeForErrno(systemError) == ErrorCode::Full);
}

// %1 of the sentence is the file.
std::pair<ErrorCode, const char *> classify(int code, int systemError)
{
    if (isOutOfSpace(code, systemError) && systemError != ENOSPC && systemError != EDQUOT && isFileSizeLimited())
        return {ErrorCode::Full,
                QT_TRANSLATE_NOOP("engine", "The audit log %1 can't grow, as the shell that started Glovebox limits "
                                            "the size of files (ulimit -f). Start Glovebox without that limit.")};
    if (isOutOfSpace(code, systemError))
        return {ErrorCode::Full,
                QT_TRANSLATE_NOOP(
                    "engine", "There is no space left for the audit log %1, so nothing can be recorded "
                              "and no run starts. Make some space, for example by \"glovebox audit prune\", and try "
                              "again.")};
    switch (code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return {ErrorCode::Busy,
                QT_TRANSLATE_NOOP("engine", "Another program has locked the audit log %1. Close it (a database "
                                            "viewer, a backup) and try again.")};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
        if (systemError == EMFILE || systemError == ENFILE)
            break;
        return {ErrorCode::PermissionDenied,
                QT_TRANSLATE_NOOP("engine", "The audit log %1 can't be opened or written. Check who owns the file and "
                                            "its folder, their permissions, and whether the disk is read-only.")};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
        return {ErrorCode::Damaged,
                QT_TRANSLATE_NOOP("engine", "The audit log %1 is damaged. Move it aside with the files whose names "
                                            "begin the same, and keep them. Glovebox then starts a new log.")};
    case SQLITE_IOERR:
        return {ErrorCode::Io,
                QT_TRANSLATE_NOOP("engine", "The audit log %1 can't be read or written. Check its disk.")};
    case SQLITE_INTERRUPT:
        return {ErrorCode::Cancelled, QT_TRANSLATE_NOOP("engine", "The search was cancelled.")};
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH:
        return {ErrorCode::InvalidInput,
                QT_TRANSLATE_NOOP("engine", "The audit log %1 refused an entry that breaks its rules.")};
    default:
        break;
    }
    if (code == SQLITE_NOMEM || code == SQLITE_CANTOPEN)
        return {ErrorCode::Unavailable,
                QT_TRANSLATE_NOOP("engine", "There is no memory, or no file descriptor, left to use the audit log %1. "
                                            "Close other programs and try again.")};
    return {ErrorCode::Internal,
            QT_TRANSLATE_NOOP("engine",
                              "The audit log %1 can't be used. If this happens again, move it aside with the files "
                              "whose names begin the same, and keep them. Glovebox then starts a new log.")};
}

} // namespace

Error databaseError(sqlite3 *db, const QString &file)
{
    const int extended = sqlite3_extended_errcode(db);
    const QString reason = QString::fromUtf8(sqlite3_errmsg(db));
    const int systemError = systemErrorOf(db);
    const QString known = file.isEmpty() ? QFile::decodeName(sqlite3_db_filename(db, "main")) : file;
    const auto [code, sentence] = classify(extended & 0xff, systemError);
    return {code, Text(sentence, code == ErrorCode::Cancelled ? QStringList() : QStringList(known)),
            Text(QT_TRANSLATE_NOOP("engine", "SQLite: %1 (code %2, errno %3)"),
                 {reason, QString::number(extended), QString::number(systemError)})};
}

PreparedStatements::~PreparedStatements()
{
    for (sqlite3_stmt *statement : m_idle)
        sqlite3_finalize(statement);
}

sqlite3_stmt *PreparedStatements::take(const char *sql)
{
    const auto found = std::ranges::find_if(
        m_idle, [sql](sqlite3_stmt *statement) { return std::strcmp(sqlite3_sql(statement), sql) == 0; });
    if (found == m_idle.end())
        return nullptr;
    sqlite3_stmt *const statement = *found;
    m_idle.erase(found);
    return statement;
}

void PreparedStatements::giveBack(sqlite3_stmt *statement)
{
    constexpr std::size_t most = 32; // a reader's searches are of many kinds
    sqlite3_reset(statement);
    if (sqlite3_clear_bindings(statement) != SQLITE_OK) {
        sqlite3_finalize(statement);
        return;
    }
    if (m_idle.size() >= most) {
        sqlite3_finalize(m_idle.front());
        m_idle.erase(m_idle.begin());
    }
    m_idle.push_back(statement);
}

Result<bool> Statement::step()
{
    const int code = sqlite3_step(m_statement.get());
    if (code == SQLITE_ROW)
        return true;
    if (code == SQLITE_DONE)
        return false;
    return std::unexpected(databaseError(sqlite3_db_handle(m_statement.get())));
}

Status Statement::run()
{
    RETURN_IF_ERROR(step());
    return {};
}

bool Statement::isNull(int column) const
{
    return sqlite3_column_type(m_statement.get(), column) == SQLITE_NULL;
}

qint64 Statement::integer(int column) const
{
    return sqlite3_column_int64(m_statement.get(), column);
}

std::optional<qint64> Statement::optionalInteger(int column) const
{
    return isNull(column) ? std::nullopt : std::optional(integer(column));
}

QString Statement::text(int column) const
{
    const auto *utf8 = reinterpret_cast<const char *>(sqlite3_column_text(m_statement.get(), column));
    return QString::fromUtf8(utf8, sqlite3_column_bytes(m_statement.get(), column));
}

QByteArray Statement::blob(int column) const
{
    const auto *bytes = static_cast<const char *>(sqlite3_column_blob(m_statement.get(), column));
    return QByteArray(bytes, sqlite3_column_bytes(m_statement.get(), column));
}

// A value that could not be bound (too large, no memory) stays NULL, and the tables' NOT NULL refuse it.
void Statement::bindOne(int index, qint64 value)
{
    sqlite3_bind_int64(m_statement.get(), index, value);
}

void Statement::bindOne(int index, const std::optional<qint64> &value)
{
    if (value)
        bindOne(index, *value);
    else
        sqlite3_bind_null(m_statement.get(), index);
}

void Statement::bindOne(int index, const QString &value)
{
    const QByteArray utf8 = value.toUtf8();
    sqlite3_bind_text64(m_statement.get(), index, utf8.constData(), sqlite3_uint64(utf8.size()), SQLITE_TRANSIENT,
                        SQLITE_UTF8);
}

void Statement::bindOne(int index, const std::optional<QString> &value)
{
    if (value)
        bindOne(index, *value);
    else
        sqlite3_bind_null(m_statement.get(), index);
}

void Statement::bindOne(int index, const QByteArray &value)
{
    sqlite3_bind_blob64(m_statement.get(), index, value.constData(), sqlite3_uint64(value.size()), SQLITE_TRANSIENT);
}

// SQLITE_OPEN_NOFOLLOW would refuse a symbolic link anywhere in the path, and homes and data folders often are behind one;
// nobody else can write to our folder, so a link in it was put there by its owner.
Result<Connection> Connection::open(const QString &file, Mode mode)
{
    QByteArray name = QFile::encodeName(file);
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    flags |= mode == Mode::ReadWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    if (mode == Mode::Immutable) {
        flags |= SQLITE_OPEN_URI;
        name = "file:" + name.toPercentEncoding("/") + "?immutable=1";
    }
    struct stat info = {};
    if (::stat(QFile::encodeName(file).constData(), &info) == 0 && !S_ISREG(info.st_mode)) // a FIFO would be waited for
        return fail(
            ErrorCode::InvalidInput,
            QT_TRANSLATE_NOOP("engine",
                              "The audit log %1 is not a regular file. Move it aside; Glovebox then starts a new log."),
            {file});
    sqlite3 *db = nullptr;
    const int code = sqlite3_open_v2(name.constData(), &db, flags, nullptr);
    Connection connection(db); // also of a failed open
    if (code != SQLITE_OK)
        return std::unexpected(databaseError(db, file));
    sqlite3_busy_timeout(db, patienceMs);
    // The file may have been tampered with: its schema must not call functions, and nothing may rewrite the schema table.
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
    return connection;
}

Status Connection::execute(const char *sql)
{
    if (sqlite3_exec(m_db.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK)
        return {};
    return std::unexpected(error());
}

Result<Statement> Connection::prepare(const char *sql) const
{
    sqlite3_stmt *statement = m_prepared->take(sql);
    if (!statement
        && sqlite3_prepare_v3(m_db.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK)
        return std::unexpected(error());
    return Statement(statement, *m_prepared);
}

Result<qint64> Connection::integer(const char *sql) const
{
    ASSIGN_OR_RETURN(auto statement, prepare(sql));
    ASSIGN_OR_RETURN(const bool row, statement.step());
    return row ? statement.integer(0) : 0;
}

Result<bool> Connection::has(const QString &table) const
{
    auto statement = prepare("SELECT 1 FROM sqlite_schema WHERE name = ?1");
    return statement ? statement->bind(table).step() : std::unexpected(statement.error());
}

bool Connection::isMoved() const
{
    int moved = 0;
    return sqlite3_file_control(m_db.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0;
}

// By SQLite's own descriptor: closing another one would drop its locks. https://sqlite.org/fileformat.html, 1.3: the size of a
// page is at 16, the number of pages at 28.
bool Connection::isCutOff() const
{
    constexpr int headerBytes = 100;
    sqlite3_file *file = nullptr;
    sqlite3_int64 size = 0;
    if (sqlite3_file_control(m_db.get(), "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void *>(&file)) != SQLITE_OK
        || !file || !file->pMethods || file->pMethods->xFileSize(file, &size) != SQLITE_OK || size == 0)
        return false;
    std::array<uchar, headerBytes> header = {};
    if (size < headerBytes || file->pMethods->xRead(file, header.data(), headerBytes, 0) != SQLITE_OK)
        return true;
    const qint64 written = qFromBigEndian<quint16>(&header[16]);
    constexpr qint64 largestPage = 65536; // written as 1
    const qint64 pageBytes = written == 1 ? largestPage : written;
    return size < pageBytes * qint64(qFromBigEndian<quint32>(&header[28]));
}

void Connection::checkpointByHand()
{
    sqlite3_db_config(m_db.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    m_pagesInWal = std::make_unique<int>(0);
    const auto remember = [](void *pages, sqlite3 *, const char *, int count) {
        *static_cast<int *>(pages) = count;
        return SQLITE_OK;
    };
    sqlite3_wal_hook(m_db.get(), remember, m_pagesInWal.get());
}

// A failure loses nothing: the pages stay where they are, and the next one tries again. TRUNCATE, as whoever opens the log next
// reads the whole WAL, also what has been moved; without patience, as it would wait for every reader.
void Connection::checkpoint()
{
    const DiskWait wait;
    sqlite3_busy_timeout(m_db.get(), 0);
    sqlite3_wal_checkpoint_v2(m_db.get(), "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
    sqlite3_busy_timeout(m_db.get(), patienceMs);
}

Result<Transaction> Transaction::begin(Connection &connection)
{
    RETURN_IF_ERROR(connection.execute("BEGIN IMMEDIATE"));
    return Transaction(connection);
}

// After a full disk or an I/O error SQLite may have rolled back by itself.
Transaction::~Transaction()
{
    if (m_connection && m_connection->inTransaction())
        std::ignore = m_connection->execute("ROLLBACK");
}

Status Transaction::commit()
{
    const DiskWait wait;
    auto status = m_connection->execute("COMMIT");
    if (status)
        m_connection = nullptr; // which may move away from here on
    return status;
}

} // namespace glovebox
