// SPDX-License-Identifier: Apache-2.0
// As parallel(1) does with --joblog, but each line is synced, and a line that a kill has torn counts for nothing.
#include "journal.h"

#include "linereader.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int daysKept = 30;
const QString headerKey = u"glovebox_batch"_s;
const QString endKey = u"end"_s;

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

Status Journal::read()
{
    const auto isNone = [this] {
        return fail(ErrorCode::Damaged,
                    Text("The file \"%1\" is not a journal of a batch. Name another with --journal FILE.", {m_path}));
    };
    LineReader lines(m_fd.get(), -1);
    for (qint64 number = 1;; ++number) {
        const auto line = lines.next();
        if (!line)
            return fail(ErrorCode::Io,
                        Text("The journal \"%1\" can't be read: %2.", {m_path, errnoText(line.error())}));
        if (!*line)
            return {};
        const auto entry = parseStrictJson((*line)->bytes);
        // A kill or a full disk tears the last line only, and the header's only together with everything.
        if (!(*line)->isEnded
            && (number > 1
                || QByteArrayView("{\"" + headerKey.toUtf8())
                       .startsWith(
                           (*line)->bytes.first(std::min<qsizetype>((*line)->bytes.size(), headerKey.size() + 2)))))
            return {};
        if (number == 1 && (!entry || !entry->contains(headerKey)))
            return isNone();
        if (number == 1 && entry->value(headerKey).toInt() != 1)
            return fail(ErrorCode::Newer,
                        Text("A newer version wrote the journal \"%1\". Resume with that version.", {m_path}));
        const auto outcome = entry ? fromString<Outcome>(entry->value("outcome"_L1).toString()) : std::nullopt;
        if (entry && outcome && hasEnded(*outcome)) {
            m_lastUnshown = {QByteArray::fromHex(entry->value("digest"_L1).toString().toLatin1()), *outcome,
                             entry->value("run"_L1).toString()};
            m_ended.insert(entry->value("id"_L1).toString(), m_lastUnshown);
        } else if (entry && entry->contains(endKey)) {
            m_lastUnshown = {};
        } else if (number > 1) {
            return fail(ErrorCode::Damaged,
                        Text("Line %1 of the journal \"%2\" is damaged. Remove that line to resume.",
                             {QString::number(number), m_path}));
        }
        m_whole = (*line)->begin + (*line)->bytes.size() + 1;
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
    if (!keepsEntries)
        m_whole = 0;
    if (::ftruncate(m_fd.get(), m_whole) != 0)
        return failed(errno);
    if (m_whole == 0)
        RETURN_IF_ERROR(write({{headerKey, 1}}));
    if (const int error = syncFolder(QFileInfo(m_path).absolutePath()))
        return failed(error);
    return {};
}

Status Journal::append(const TaskPlace &place, const RunResult &result)
{
    return write({{u"id"_s, place.id},
                  {u"digest"_s, QString::fromLatin1(place.digest.toHex())},
                  {u"outcome"_s, toString(result.outcome)},
                  {u"run"_s, result.id}});
}

void Journal::end()
{
    std::ignore = write({{endKey, true}}); // else the next batch says that output may be missing
}

Status Journal::write(const QJsonObject &line)
{
    const QByteArray bytes = QJsonDocument(line).toJson(QJsonDocument::Compact) + '\n';
    if (!writeWhole(m_fd.get(), {bytes.constData(), std::size_t(bytes.size())}) || ::fdatasync(m_fd.get()) != 0)
        return failed(errno);
    return {};
}

} // namespace glovebox
