// SPDX-License-Identifier: Apache-2.0
#include "placewatch.h"

#include "engine/base/base.h"
#include "watchedplaces.h"

#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace glovebox::native {

namespace {

constexpr qsizetype mostPathsTold = 64;
constexpr std::size_t mostNodes = 256;
constexpr qsizetype longestPath = 1024; // of a folder
constexpr qsizetype requestBytes = 16 * 1024; // the kernel wants room for FUSE_MIN_READ_BUFFER, and for mostWritten
constexpr quint32 mostWritten = 4096;
constexpr quint64 forEver = 24 * 60 * 60; // seconds for which the kernel doesn't ask again
constexpr quint64 rootNode = 1;
constexpr quint32 fuseTmpfile = 51; // FUSE_TMPFILE, which linux/fuse.h has since 6.1
// In which a program that looks for a file in a folder asks for its name, on a busy machine, too.
constexpr std::chrono::milliseconds nextStep{50};

template<typename Struct> QByteArray bytesOf(const Struct &value)
{
    return QByteArray(reinterpret_cast<const char *>(&value), sizeof value);
}

template<typename Struct> std::optional<Struct> take(QByteArrayView bytes)
{
    Struct value{};
    if (bytes.size() < qsizetype(sizeof value))
        return std::nullopt;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

// The run's own user, the only one whom the file system knows.
fuse_attr attributesOf(quint64 number, bool isFile)
{
    constexpr quint32 insideUser = 1000;
    fuse_attr attributes{};
    attributes.ino = number;
    attributes.mode = isFile ? quint32(S_IFREG) : quint32(S_IFDIR | 0755);
    attributes.nlink = isFile ? 1 : 2;
    attributes.uid = insideUser;
    attributes.gid = insideUser;
    attributes.blksize = mostWritten;
    return attributes;
}

bool isUserName(const QByteArray &name)
{
    constexpr qsizetype longest = 32; // useradd(8)
    return !name.isEmpty() && name.size() <= longest && !name.startsWith('.') && !name.startsWith('-')
           && std::ranges::all_of(name, [](char c) {
                  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
                         || c == '-' || c == '.';
              });
}

// For a place between quotes. What a terminal, a line or a reader could take for something else is written as \xNN, quotes, too. A path is
// cut in its middle.
QString shownPath(const QByteArray &path)
{
    constexpr qsizetype longest = 256, kept = 120;
    QString shown;
    for (QByteArrayView rest = path; !rest.isEmpty();) {
        const int length = utf8CharacterAt(rest);
        const QByteArrayView character = rest.first(std::max(length, 1));
        const char32_t code = length > 0 ? decodedUtf8(character) : 0;
        if (code >= U' ' && code != U'\\' && code != U'"' && !isHiddenCharacter(code)) {
            shown += QString::fromUtf8(character);
        } else {
            for (const char byte : character)
                shown += QStringLiteral("\\x%1").arg(uint(uchar(byte)), 2, 16, QLatin1Char('0'));
        }
        rest = rest.sliced(character.size());
    }
    if (shown.size() <= longest)
        return shown;
    QString begin = shown.first(kept);
    QString end = shown.last(kept);
    if (begin.back().isHighSurrogate())
        begin.chop(1);
    if (end.front().isLowSurrogate())
        end.remove(0, 1);
    return begin + u'…' + end;
}

constexpr const char *lookedForSentence =
    QT_TRANSLATE_NOOP("engine", "The run looked for \"%1\", which isn't in the sandbox.");
constexpr const char *readSentence = QT_TRANSLATE_NOOP("engine", "The run tried to read \"%1\", which was refused.");
constexpr const char *wroteSentence = QT_TRANSLATE_NOOP("engine", "The run tried to write \"%1\", which was refused.");

Text lookedFor(const QByteArray &path)
{
    return Text(lookedForSentence, {shownPath(path)});
}

// Of a request that ends with a name, or with a name and something else.
QByteArray nameAfter(QByteArrayView arguments, std::size_t begin)
{
    const QByteArrayView rest = arguments.sliced(std::min(qsizetype(begin), arguments.size()));
    return {rest.data(), qsizetype(::strnlen(rest.data(), std::size_t(rest.size())))};
}

} // namespace

PlaceWatch::Node PlaceWatch::nodeOf(const WatchedPlace &place)
{
    QByteArray path = place.path;
    if (path.startsWith(homeFolder))
        path.replace(0, QByteArrayView(homeFolder).size(), "~");
    return {.path = path, .isFile = place.isFile, .hasSecrets = place.hasSecrets};
}

PlaceWatch::PlaceWatch(UniqueFd server)
    : m_server(std::move(server))
{
    for (const WatchedPlace &place : watchedPlaces)
        numberOf(nodeOf(place)); // before a run uses the numbers up
}

bool PlaceWatch::isReady(std::chrono::milliseconds patience) const
{
    pollfd source{m_server.get(), POLLIN, 0};
    return ::poll(&source, 1, int(patience.count())) > 0;
}

QList<RunEvent> PlaceWatch::answer(int max)
{
    QList<RunEvent> news;
    for (int i = 0; i < max && answerOne(news); ++i) { }
    if (m_onTheWay.isEmpty())
        return news;
    // A folder is told if nothing in it is looked for at once, whatever others ask meanwhile. Nobody waits for that twice.
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(m_onTheWayUntil - std::chrono::steady_clock::now());
    if (max == 0 || left <= std::chrono::milliseconds::zero() || isTold(lookedFor(m_onTheWay).english())
        || !isReady(left))
        tellFolder(news);
    return news;
}

void PlaceWatch::answerUntold()
{
    static_cast<void>(answer(1));
    tellAnew();
}

void PlaceWatch::tellAnew()
{
    m_told.clear();
    m_onTheWay.clear();
}

bool PlaceWatch::answerOne(QList<RunEvent> &news)
{
    if (!m_server)
        return false;
    if (m_request.isEmpty())
        m_request.resize(requestBytes);
    const ssize_t size = ::read(m_server.get(), m_request.data(), std::size_t(m_request.size()));
    if (size < 0) {
        if (errno == ENODEV) // everybody inside is gone
            m_server.reset();
        return errno == EINTR || errno == ENOENT; // ENOENT: the asker was killed in between
    }
    const QByteArrayView request(m_request.constData(), size);
    const auto header = take<fuse_in_header>(request);
    if (!header)
        return true;
    switch (header->opcode) {
    case FUSE_FORGET: // of these nobody waits for an answer
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
    case FUSE_DESTROY:
        return true;
    default:
        break;
    }
    const Reply reply = replyTo(header->opcode, header->nodeid, request.sliced(sizeof(fuse_in_header)), news);
    fuse_out_header out{};
    out.len = quint32(sizeof out) + quint32(reply.error == 0 ? reply.body.size() : 0);
    out.error = -reply.error;
    out.unique = header->unique;
    const QByteArray whole = reply.error == 0 ? bytesOf(out) + reply.body : bytesOf(out);
    // Fails where the asker was killed meanwhile; nobody else waits for it.
    [[maybe_unused]] const ssize_t ignored = ::write(m_server.get(), whole.constData(), std::size_t(whole.size()));
    return true;
}

PlaceWatch::Reply PlaceWatch::replyTo(quint32 operation, quint64 number, QByteArrayView arguments,
                                      QList<RunEvent> &news)
{
    if (operation == FUSE_INIT) {
        fuse_init_out init{};
        init.major = FUSE_KERNEL_VERSION;
        init.minor = 31; // of Linux 5.4, which has all that is answered here
        init.max_write = mostWritten;
        init.time_gran = 1;
        return {.body = bytesOf(init)};
    }
    if (number < rootNode || number > m_nodes.size())
        return {.error = ESTALE};
    const Node node = m_nodes[number - 1];
    switch (operation) {
    case FUSE_LOOKUP:
        return lookUp(node, nameAfter(arguments, 0), news);
    case FUSE_GETATTR: {
        fuse_attr_out out{};
        out.attr_valid = forEver;
        out.attr = attributesOf(number, node.isFile);
        return {.body = bytesOf(out)};
    }
    case FUSE_ACCESS: {
        const auto asked = take<fuse_access_in>(arguments);
        const quint32 mask = asked ? asked->mask : F_OK;
        if (node.isFile && (mask & R_OK))
            tell(readSentence, node.path, news);
        return {.error = node.isFile && mask != F_OK ? EACCES : mask & W_OK ? EROFS : 0};
    }
    case FUSE_OPEN:
        return open(node, arguments, news);
    case FUSE_OPENDIR:
        if (m_onTheWay != node.path)
            tellFolder(news);
        m_onTheWay.clear();
        if (node.hasSecrets)
            tell(QT_TRANSLATE_NOOP("engine", "The run listed \"%1\", where the sandbox has nothing."), node.path, news);
        return {.body = bytesOf(fuse_open_out{})};
    case FUSE_READDIR:
    case FUSE_RELEASEDIR:
        return {};
    case FUSE_STATFS:
        return {.body = bytesOf(fuse_statfs_out{})};
    case FUSE_SETATTR:
    case FUSE_SETXATTR:
    case FUSE_REMOVEXATTR:
    case FUSE_SYMLINK:
    case FUSE_MKNOD:
    case FUSE_MKDIR:
    case FUSE_UNLINK:
    case FUSE_RMDIR:
    case FUSE_RENAME:
    case FUSE_RENAME2:
    case FUSE_LINK:
    case FUSE_CREATE:
    case fuseTmpfile:
        return refuseChange(operation, node, arguments, news);
    default:
        return {.error = ENOSYS};
    }
}

PlaceWatch::Reply PlaceWatch::open(const Node &file, QByteArrayView arguments, QList<RunEvent> &news)
{
    const auto asked = take<fuse_open_in>(arguments);
    const bool writes = asked && (asked->flags & O_ACCMODE) != O_RDONLY;
    tell(writes ? wroteSentence : readSentence, file.path, news);
    return {.error = EACCES};
}

// As all of the run's own folders but those that it may write to.
PlaceWatch::Reply PlaceWatch::refuseChange(quint32 operation, const Node &node, QByteArrayView arguments,
                                           QList<RunEvent> &news)
{
    tellFolder(news);
    if (node.path.isEmpty()) // where the places are served, which is no place itself
        return {.error = EROFS};
    const auto below = [&](std::size_t begin) { return node.path + '/' + nameAfter(arguments, begin); };
    switch (operation) {
    case FUSE_CREATE:
        tell(wroteSentence, below(sizeof(fuse_create_in)), news);
        break;
    case FUSE_MKNOD:
        tell(wroteSentence, below(sizeof(fuse_mknod_in)), news);
        break;
    case FUSE_LINK:
        tell(wroteSentence, below(sizeof(fuse_link_in)), news);
        break;
    case FUSE_SYMLINK:
        tell(wroteSentence, below(0), news);
        break;
    case FUSE_MKDIR:
        tell(QT_TRANSLATE_NOOP("engine", "The run tried to make the folder \"%1\", which was refused."),
             below(sizeof(fuse_mkdir_in)), news);
        break;
    case FUSE_UNLINK:
    case FUSE_RMDIR:
        tell(QT_TRANSLATE_NOOP("engine", "The run tried to delete \"%1\", which was refused."), below(0), news);
        break;
    case FUSE_RENAME:
    case FUSE_RENAME2: {
        const std::size_t begin = operation == FUSE_RENAME ? sizeof(fuse_rename_in) : sizeof(fuse_rename2_in);
        const QByteArray name = nameAfter(arguments, begin);
        tell(QT_TRANSLATE_NOOP("engine", "The run tried to rename \"%1\", which was refused."), node.path + '/' + name,
             news);
        const auto asked = take<fuse_rename_in>(arguments); // fuse_rename2_in begins alike
        if (asked && asked->newdir > rootNode && asked->newdir <= m_nodes.size())
            tell(wroteSentence,
                 m_nodes[asked->newdir - 1].path + '/' + nameAfter(arguments, begin + std::size_t(name.size()) + 1),
                 news);
        break;
    }
    case fuseTmpfile: // whose name the kernel makes up
        tell(wroteSentence, node.path, news);
        break;
    default:
        tell(QT_TRANSLATE_NOOP("engine", "The run tried to change \"%1\", which was refused."), node.path, news);
        break;
    }
    return {.error = EROFS};
}

PlaceWatch::Reply PlaceWatch::lookUp(const Node &folder, const QByteArray &name, QList<RunEvent> &news)
{
    const QByteArray path = folder.path + '/' + name;
    if (m_onTheWay != folder.path)
        tellFolder(news);
    m_onTheWay.clear();
    fuse_entry_out entry{}; // with the number 0: there is nothing
    // The way to a place is the same for ever. For what is below it the kernel asks each time: whoever looks again may be another cell.
    entry.entry_valid = folder.path.isEmpty() ? forEver : 0;
    entry.attr_valid = forEver;
    const auto child = childOf(folder, name);
    entry.nodeid = child ? numberOf(*child) : 0;
    if (child && entry.nodeid != 0) {
        entry.attr = attributesOf(entry.nodeid, child->isFile);
        if (folder.hasSecrets) {
            m_onTheWay = path;
            m_onTheWayUntil = std::chrono::steady_clock::now() + nextStep;
        }
    } else if (folder.hasSecrets) {
        tell(lookedForSentence, path, news);
    }
    return {.body = bytesOf(entry)};
}

std::optional<PlaceWatch::Node> PlaceWatch::childOf(const Node &folder, const QByteArray &name) const
{
    if (folder.path.isEmpty()) {
        const auto *place = std::ranges::find(watchedPlaces, std::string_view(name), &WatchedPlace::name);
        return place == watchedPlaces.end() ? std::nullopt : std::optional(nodeOf(*place));
    }
    const bool isHome = folder.path == "/home" && isUserName(name);
    const bool isKnown = std::ranges::find(watchedFolders, std::string_view(name)) != watchedFolders.end();
    const QByteArray path = folder.path + '/' + name;
    return !folder.isFile && (isHome || isKnown) && path.size() <= longestPath
               ? std::optional(Node{.path = path, .hasSecrets = folder.hasSecrets})
               : std::nullopt;
}

quint64 PlaceWatch::numberOf(const Node &node)
{
    if (const auto known = m_numbers.constFind(node.path); known != m_numbers.cend())
        return *known;
    if (m_nodes.size() >= mostNodes)
        return 0;
    m_nodes.push_back(node);
    return *m_numbers.insert(node.path, m_nodes.size());
}

void PlaceWatch::tellFolder(QList<RunEvent> &news)
{
    if (!m_onTheWay.isEmpty())
        tell(lookedForSentence, std::exchange(m_onTheWay, {}), news);
}

bool PlaceWatch::isTold(const QString &words) const
{
    return m_told.size() > mostPathsTold || m_told.contains(words);
}

void PlaceWatch::tell(const char *sentence, const QByteArray &path, QList<RunEvent> &news)
{
    RunEvent event(EventType::FileRefused, Text(sentence, {shownPath(path)}));
    const QString words = event.detail.english();
    if (isTold(words))
        return;
    m_told.insert(words);
    if (m_told.size() > mostPathsTold)
        event = RunEvent(
            EventType::EventsMore,
            Text(QT_TRANSLATE_NOOP("engine", "The run looked for, or tried to write, more files than are listed.")));
    news.append(std::move(event));
}

} // namespace glovebox::native
