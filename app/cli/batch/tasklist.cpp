// SPDX-License-Identifier: Apache-2.0
#include "tasklist.h"

#include "app/cli/run/givenfiles.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 mostTasks = 1'000'000;

// A file without a name: it is gone with its descriptor.
Result<UniqueFd> namelessFile(const QString &folder)
{
    const QByteArray path = QFile::encodeName(folder);
    UniqueFd fd = openNameless(AT_FDCWD, path.constData(), O_RDWR);
    if (!fd && errno == EOPNOTSUPP) { // so somebody could open it for a moment
        QByteArray name = path + "/tasks-XXXXXX";
        fd.reset(::mkostemp(name.data(), O_CLOEXEC));
        if (fd)
            ::unlink(name.constData());
    }
    if (!fd)
        return fail(codeForErrno(errno),
                    Text("The list can't be copied to the folder %1: %2.", {folder, errnoText(errno)}));
    return fd;
}

Error unreadable(const QString &list, int error)
{
    return {codeForErrno(error), Text("The list \"%1\" can't be read or copied: %2.", {list, errnoText(error)}), {}};
}

Error lineTooLong(qint64 line)
{
    return {
        ErrorCode::InvalidInput,
        Text("Line %1: more than 32 MB. Put the code in a file, and name it with \"file\".", {QString::number(line)}),
        {}};
}

} // namespace

struct TaskList::Source
{
    QByteArray operand;
    bool isRead = false; // a file of code, this time
    // Of a list:
    QString name; // for sentences and ids
    TaskFolder folder;
    UniqueFd file, copy;
    std::optional<LineReader> lines;
    qint64 line = 0;
    QByteArray digest; // at the end of the first reading
    bool isBroken = false; // it can't be opened or read

    bool isList() const { return TaskList::isList(operand); }
    QString shownName() const { return operand == "-" ? u"standard input"_s : name; }
    QString idOfLine() const { return u"%1:%2"_s.arg(name).arg(line); }
};

TaskList::TaskList(const Engine &engine, TaskMaker maker, QByteArrayList operands)
    : m_engine(engine)
    , m_maker(std::move(maker))
{
    for (const QByteArray &operand : std::as_const(operands)) {
        auto source = std::make_unique<Source>();
        source->operand = operand;
        source->name = QFile::decodeName(operand);
        m_sources.push_back(std::move(source));
    }
}

TaskList::~TaskList() = default;

bool TaskList::isList(const QByteArray &operand)
{
    const QByteArray name = operand.toLower();
    return operand == "-" || name.endsWith(".jsonl") || name.endsWith(".ndjson");
}

void TaskList::rewind()
{
    m_current = 0;
    m_count = 0;
    for (const auto &source : m_sources) {
        source->isRead = false;
        source->line = 0;
        source->lines.reset();
    }
}

QByteArray TaskList::digestOfStandardInput() const
{
    for (const auto &source : m_sources) {
        if (source->operand == "-")
            return source->digest;
    }
    return {};
}

std::optional<TaskList::Item> TaskList::next()
{
    for (; m_current < m_sources.size(); ++m_current) {
        auto item = nextOf(*m_sources[m_current]);
        if (!item)
            continue;
        TaskPlace &place = *item ? (*item)->place : item->error().place;
        place.index = ++m_count;
        return item;
    }
    return std::nullopt;
}

std::optional<TaskList::Item> TaskList::nextOf(Source &source)
{
    if (source.isList())
        return nextLineOf(source);
    if (std::exchange(source.isRead, true))
        return std::nullopt;
    auto task = m_maker.ofFile(source.operand);
    if (task)
        return *std::move(task);
    return std::unexpected(Problem{{.id = source.name}, {}, task.error()});
}

// Of the list the first time, and of the copy that was made then.
Result<LineReader *> TaskList::linesOf(Source &source)
{
    if (source.lines)
        return &*source.lines;
    if (source.copy) {
        if (::lseek(source.copy.get(), 0, SEEK_SET) < 0)
            return std::unexpected(unreadable(source.name, errno));
        return &source.lines.emplace(source.copy.get(), -1);
    }
    const bool isStandardInput = source.operand == "-";
    if (isStandardInput) {
        source.file.reset(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
    } else {
        ASSIGN_OR_RETURN(source.file, openForReading(source.operand));
    }
    ASSIGN_OR_RETURN(source.copy, namelessFile(m_engine.paths().data));
    source.folder =
        openTaskFolder(m_engine, isStandardInput ? QDir::currentPath() : QFileInfo(source.name).absolutePath());
    return &source.lines.emplace(source.file.get(), source.copy.get());
}

std::optional<TaskList::Item> TaskList::nextLineOf(Source &source)
{
    if (source.isBroken)
        return std::nullopt;
    const auto problem = [&source](const QString &list, Error error) {
        return Item(std::unexpected(Problem{{.id = source.idOfLine(), .line = source.line}, list, std::move(error)}));
    };
    const auto broken = [&](Error error) {
        source.isBroken = true;
        return problem({}, std::move(error));
    };
    const auto lines = linesOf(source);
    if (!lines)
        return broken(lines.error());
    for (;;) {
        const auto next = (*lines)->next();
        if (!next)
            return broken(unreadable(source.name, next.error()));
        const auto &line = *next;
        if (!line) {
            if (source.file) {
                source.digest = (*lines)->digest();
                source.file.reset(); // there may be many lists
            }
            return std::nullopt;
        }
        ++source.line;
        QByteArrayView bytes = line->bytes;
        if (source.line == 1 && bytes.startsWith("\xef\xbb\xbf")) // as editors on Windows write it
            bytes = bytes.sliced(3);
        if (line->isTooLong)
            return problem(source.shownName(), lineTooLong(source.line));
        if (bytes.contains('\0'))
            return broken(
                {ErrorCode::InvalidInput,
                 Text("The list \"%1\" is binary data, as line %2 has a zero byte. Name a list of JSON lines.",
                      {source.shownName(), QString::number(source.line)}),
                 {}});
        if (bytes.trimmed().isEmpty())
            continue;
        if (m_count >= mostTasks)
            return broken({ErrorCode::InvalidInput,
                           Text("The batch has more than %1 tasks. Split it.", {QString::number(mostTasks)}),
                           {}});
        auto task = m_maker.ofLine(bytes, source.line, source.name, source.folder);
        if (task)
            return *std::move(task);
        return problem(source.shownName(), std::move(task).error());
    }
}

} // namespace glovebox
