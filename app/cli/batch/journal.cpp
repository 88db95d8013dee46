// SPDX-License-Identifier: Apache-2.0
// As parallel(1) does with --joblog, but each line is synced, and a line that a kill has torn counts for nothing.
#include "journal.h"

#include "linereader.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int daysKept = 30;
constexpr int journalVersion = 1;
constexpr qint64 mostKept = 16 * mebibyte; // of what is to be shown of a task
const QString journalKey = u"glovebox_batch"_s;
const QString outputKey = u"output"_s;

QByteArray lineOf(const QJsonObject &object)
{
    return QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n';
}

const QByteArray journalHeader = lineOf({{journalKey, journalVersion}});

} // namespace

bool hasEnded(Outcome outcome)
{
    switch (outcome) {
    case Outcome::Completed:
    case Outcome::Failed:
    case Outcome::Signalled:
    case Outcome::TimedOut:
    case Outcome::CpuLimit:
    case Outcome::OutOfMemory:
    case Outcome::DiskLimit:
        return true;
    case Outcome::Cancelled:
    case Outcome::Rejected:
    case Outcome::Denied:
    case Outcome::SetupFailed:
    case Outcome::Interrupted:
        break;
    }
    return false;
}

QString Journal::usualPath(const Paths &paths, const QByteArrayList &operands, const QByteArray &standardInput)
{
    Sha256 hash(0);
    for (const QByteArray &operand : operands) {
        const QByteArray named =
            operand == "-" ? "-" + standardInput
                           : '/' + QFile::encodeName(QFileInfo(QFile::decodeName(operand)).absoluteFilePath());
        hash.add(QByteArray::number(named.size()) + ':' + named);
    }
    const QDir folder(paths.data + u"/batches"_s);
    const QDateTime oldest = QDateTime::currentDateTime().addDays(-daysKept);
    for (const QFileInfo &file : folder.entryInfoList({u"*.jsonl"_s}, QDir::Files)) {
        if (file.lastModified() < oldest)
            QFile::remove(file.filePath());
    }
    return folder.filePath(QString::fromLatin1(hash.result().toHex().first(32)) + u".jsonl"_s);
}

std::unexpected<Error> Journal::failed(int error) const
{
    return fail(codeForErrno(error), Text("The journal \"%1\" can't be written: %2. Free space, or name another with "
                                          "--journal FILE.",
                                          {m_path, errnoText(error)}));
}

Result<Journal> Journal::open(const QString &path)
{
    const QByteArray name = QFile::encodeName(path);
    UniqueFd fd(::open(name.constData(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600));
    if (!fd)
        return fail(codeForErrno(errno),
                    Text("The journal \"%1\" can't be opened: %2. Name another file with --journal.",
                         {path, errnoText(errno)}));
    struct stat info = {};
    if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode))
        return fail(ErrorCode::InvalidInput, Text("The journal \"%1\" is not a regular file. Name another.", {path}));
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0)
        return fail(
            ErrorCode::Busy,
            Text("Another batch writes the journal \"%1\". Wait for its end, or name another with --journal FILE.",
                 {path}));
    Journal journal(std::move(fd), path);
    RETURN_IF_ERROR(journal.read());
    return journal;
}

void Journal::take(const QJsonObject &entry)
{
    if (m_unshown && entry.contains(outputKey)) {
        m_unshown->isJson = entry["json"_L1].toBool();
        for (const auto piece : entry[outputKey].toArray())
            m_unshown->pieces.append(
                {piece["to"_L1].toString() == toString(OutputStream::Err) ? OutputStream::Err : OutputStream::Out,
                 QByteArray::fromBase64(piece["base64"_L1].toString().toLatin1())});
        return;
    }
    const auto outcome = fromString<Outcome>(entry["outcome"_L1].toString());
    const QString id = entry["id"_L1].toString(), run = entry["run"_L1].toString();
    m_ended.insert(id, {QByteArray::fromHex(entry["digest"_L1].toString().toLatin1()),
                        outcome.value_or(Outcome::Interrupted), run});
    m_unshown = Unshown{.id = id, .run = run};
}

Status Journal::read()
{
    const auto isNone = [this] {
        return fail(ErrorCode::Damaged,
                    Text("The file \"%1\" is not a journal of a batch. Name another with --journal FILE.", {m_path}));
    };
    bool isShown = true; // the last entry was
    LineReader lines(m_fd.get(), -1);
    for (qint64 number = 1;; ++number) {
        const auto next = lines.next();
        if (!next)
            return fail(ErrorCode::Io,
                        Text("The journal \"%1\" can't be read: %2.", {m_path, errnoText(next.error())}));
        const auto &line = *next;
        const bool isTorn = line && !line->isEnded; // by a kill or a full disk: it is the last one
        if (isTorn && number == 1 && !journalHeader.startsWith(line->bytes))
            return isNone();
        if (isTorn && number > 1)
            isShown =
                QByteArrayView("{\"digest\"").startsWith(line->bytes.first(std::min<qsizetype>(line->bytes.size(), 9)));
        if (!line || isTorn) {
            if (isShown)
                m_unshown.reset();
            return {};
        }
        const auto entry = parseStrictJson(line->bytes);
        if (number == 1 && (!entry || !entry->contains(journalKey)))
            return isNone();
        if (number == 1 && entry->value(journalKey).toInt() != journalVersion)
            return fail(ErrorCode::Newer,
                        Text("A newer version wrote the journal \"%1\". Resume with that version.", {m_path}));
        const bool isEntry = entry && entry->contains("digest"_L1);
        const bool isOutput = m_unshown && ((entry && entry->contains(outputKey)) || line->isTooLong);
        if (number > 1 && !isEntry && !isOutput)
            return fail(ErrorCode::Damaged,
                        Text("Line %1 of the journal \"%2\" is damaged. Remove that line to resume.",
                             {QString::number(number), m_path}));
        if (number > 1 && entry)
            take(*entry);
        isShown = !isOutput;
        m_linesEnd = lines.offset();
        m_entriesEnd = isOutput ? m_entriesEnd : m_linesEnd;
    }
}

const Journal::Ended *Journal::find(const QString &id) const
{
    const auto found = m_ended.constFind(id);
    return found == m_ended.constEnd() ? nullptr : &*found;
}

Status Journal::begin(bool keepsEntries)
{
    m_ended = {};
    if (!keepsEntries) {
        m_unshown.reset();
        m_entriesEnd = m_linesEnd = 0;
    }
    const bool hasOutput = m_unshown && !m_unshown->pieces.isEmpty();
    if (::ftruncate(m_fd.get(), hasOutput ? m_linesEnd : m_entriesEnd) != 0)
        return failed(errno);
    if (m_entriesEnd == 0) {
        RETURN_IF_ERROR(write(journalHeader));
        m_entriesEnd = journalHeader.size();
    }
    if (const int error = syncFolder(QFileInfo(m_path).absolutePath()))
        return failed(error);
    return {};
}

Status Journal::append(const TaskPlace &place, const RunResult &result, const QList<ShownPiece> &pieces, bool isJson)
{
    QByteArray lines = lineOf({{u"id"_s, place.id},
                               {u"digest"_s, QString::fromLatin1(place.digest.toHex())},
                               {u"outcome"_s, toString(result.outcome)},
                               {u"run"_s, result.id}});
    const qsizetype entrySize = lines.size();
    QJsonArray kept;
    qint64 bytes = 0;
    for (const ShownPiece &piece : pieces) {
        bytes += piece.bytes.size();
        if (bytes <= mostKept)
            kept.append(QJsonObject{{u"to"_s, toString(piece.stream)},
                                    {u"base64"_s, QString::fromLatin1(piece.bytes.toBase64())}});
    }
    lines += lineOf({{outputKey, bytes <= mostKept ? kept : QJsonArray()}, {u"json"_s, isJson}});
    RETURN_IF_ERROR(write(lines));
    m_entriesEnd += entrySize;
    return {};
}

void Journal::shown()
{
    std::ignore = ::ftruncate(m_fd.get(), m_entriesEnd); // else it is shown twice
}

Status Journal::write(QByteArrayView lines)
{
    if (!writeWhole(m_fd.get(), {lines.data(), std::size_t(lines.size())}) || ::fdatasync(m_fd.get()) != 0)
        return failed(errno);
    return {};
}

} // namespace glovebox
