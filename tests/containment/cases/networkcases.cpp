// SPDX-License-Identifier: Apache-2.0
// Cases 39 to 41 and 62: who of the host can be reached.
#include "tests/containment/field.h"

#include <QFile>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>

namespace containment {

using namespace glovebox;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

// Waits for connections and datagrams; heard() tells whether there was one.
class Ear
{
public:
    explicit Ear(const sockaddr *address, socklen_t size, bool alsoDatagrams = true)
        : m_stream(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))
    {
        if (!m_stream || ::bind(m_stream.get(), address, size) < 0 || ::listen(m_stream.get(), 8) < 0)
            m_stream.reset();
        if (!m_stream)
            return;
        sockaddr_storage own{};
        socklen_t length = sizeof own;
        ::getsockname(m_stream.get(), reinterpret_cast<sockaddr *>(&own), &length);
        m_port = ntohs(reinterpret_cast<const sockaddr_in &>(own).sin_port);
        if (!alsoDatagrams)
            return;
        m_datagram.reset(::socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        if (m_datagram && ::bind(m_datagram.get(), reinterpret_cast<const sockaddr *>(&own), length) < 0)
            m_datagram.reset();
    }

    int port() const { return m_port; }
    bool heardConnection() const
    {
        return UniqueFd(::accept4(m_stream.get(), nullptr, nullptr, SOCK_CLOEXEC)).isValid();
    }
    bool heardDatagram() const
    {
        std::array<char, 64> part{};
        return ::recv(m_datagram.get(), part.data(), part.size(), 0) > 0;
    }

private:
    UniqueFd m_stream, m_datagram;
    int m_port = 0;
};

Ear onLoopback()
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return Ear(reinterpret_cast<const sockaddr *>(&address), sizeof address);
}

Ear onPath(const QByteArray &path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.constData(), sizeof address.sun_path - 1);
    const auto size =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + (path.startsWith('@') ? 0 : 1));
    if (path.startsWith('@'))
        address.sun_path[0] = '\0';
    Ear ear(reinterpret_cast<const sockaddr *>(&address), size, false);
    ::chmod(path.constData(), 0777);
    return ear;
}

void connectTo(Field &field, int port, const Policy &policy = {})
{
    const QByteArray number = QByteArray::number(port);
    const auto attempt =
        field.hold({.deed = "connect", .words = {"127.0.0.1", number, "127.0.0.2", number}, .policy = policy});
}

bool reachesLoopback(Field &field)
{
    const Ear ear = onLoopback();
    connectTo(field, ear.port());
    return ear.heardConnection();
}

// Something listens at that port for the run, and every address leads there.
bool reachesLoopbackByAllowedPort(Field &field)
{
    const Ear ear = onLoopback();
    Policy policy;
    policy.allow = {u"www.allowed.test:%1"_s.arg(ear.port())};
    connectTo(field, ear.port(), policy);
    return ear.heardConnection() || ear.heardDatagram();
}

bool reachesNameServer(Field &field)
{
    const Ear ear = onLoopback();
    connectTo(field, ear.port());
    return ear.heardDatagram();
}

bool reachesLocalSockets(Field &field)
{
    const QByteArray abstract = "@" + newToken();
    const QByteArray inHome = QFile::encodeName(homeFolder()) + "/.glovebox-" + newToken().right(8);
    const QByteArray inTemporary = field.inFolder("socket");
    const Ear first = onPath(abstract);
    const Ear second = onPath(inHome);
    const Ear third = onPath(inTemporary);
    const auto attempt = field.hold({.deed = "connect-locally", .words = {abstract, inHome, inTemporary}});
    const bool heard = first.heardConnection() || second.heardConnection() || third.heardConnection();
    ::unlink(inHome.constData());
    return heard;
}

bool reachesSocketInShownFolder(Field &field)
{
    const Ear ear = onPath(field.inFolder("socket"));
    const auto attempt = field.hold({.deed = "connect-locally",
                                     .words = {field.shown() + "/socket"},
                                     .policy = field.showing(FolderGrant::Mode::ReadOnly)});
    return ear.heardConnection();
}

bool writesIntoShownFifo(Field &field)
{
    const QByteArray path = field.inFolder("fifo");
    ::mkfifo(path.constData(), 0666);
    ::chmod(path.constData(), 0666);
    const UniqueFd reader(::open(path.constData(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    const auto attempt = field.hold(
        {.deed = "fifo", .words = {field.shown() + "/fifo"}, .policy = field.showing(FolderGrant::Mode::ReadOnly)});
    std::array<char, 64> part{};
    return ::read(reader.get(), part.data(), part.size()) > 0;
}

// While it is held, everybody who opens the file for writing waits, for 45 s by default.
bool leasesShownFile(Field &field)
{
    const Canary file(QFile::decodeName(field.inFolder("file")));
    const auto identity = runIdentity();
    if (::geteuid() == 0 && identity && ::chown(file.path().constData(), identity->uid, identity->gid) < 0)
        return false;
    const auto attempt = field.hold({.deed = "lease",
                                     .words = {field.shown() + "/file"},
                                     .unprivileged = true,
                                     .policy = field.showing(FolderGrant::Mode::ReadOnly)});
    const UniqueFd writer(::open(file.path().constData(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    return attempt && !writer && errno == EWOULDBLOCK;
}

bool writesReadOnlyFolder(Field &field)
{
    const auto attempt = field.hold(
        {.deed = "create", .words = {field.shown() + "/new"}, .policy = field.showing(FolderGrant::Mode::ReadOnly)});
    return QFile::exists(QFile::decodeName(field.inFolder("new")));
}

bool plantsSetId(Field &field)
{
    const auto attempt = field.hold(
        {.deed = "plant-set-id", .words = {field.shown()}, .policy = field.showing(FolderGrant::Mode::ReadWrite)});
    struct stat info = {};
    return attempt && ::stat(field.inFolder(attempt->token()).constData(), &info) == 0
           && (info.st_mode & (S_ISUID | S_ISGID));
}

bool plantsHooksUnseen(Field &field)
{
    for (const char *folder : {".git", ".git/hooks", ".vscode"}) {
        ::mkdir(field.inFolder(folder).constData(), 0777);
        ::chmod(field.inFolder(folder).constData(), 0777);
    }
    const QByteArrayList names{"/.git/hooks/pre-commit", "/.bashrc", "/.vscode/tasks.json", "/.mcp.json"};
    QByteArrayList inside;
    for (const QByteArray &name : names)
        inside.append(field.shown() + name);
    const auto attempt =
        field.start({.deed = "create", .words = inside, .policy = field.showing(FolderGrant::Mode::ReadWrite)});
    attempt->finish();
    int unseen = 0;
    for (const QByteArray &name : names) {
        if (!QFile::exists(QFile::decodeName(field.inFolder(name.mid(1)))))
            continue;
        const auto tells = [&](const RunEvent &event) {
            return event.type == EventType::FolderSensitiveChange
                   && event.detail.args.contains(QString::fromLatin1(name.mid(1)));
        };
        if (!attempt->result() || std::ranges::none_of(attempt->result()->events, tells))
            ++unseen;
    }
    return unseen > 0;
}

} // namespace

const QList<Case> networkCases{
    {"39", "TCP to a server on the host's loopback", reachesLoopback},
    {"39b", "the same at a port that is allowed of another host", reachesLoopbackByAllowedPort},
    {"40", "abstract and path unix sockets of the host", reachesLocalSockets},
    {"41", "datagrams to a name server of its own", reachesNameServer},
    {"62", "a host socket in a folder granted read-only", reachesSocketInShownFolder},
    {"62b", "a FIFO of the host in a folder granted read-only", writesIntoShownFifo},
    {"62c", "write into a folder granted read-only", writesReadOnlyFolder},
    {"62d", "a lease on a file in a folder granted read-only", leasesShownFile},
    {"63", "set-id bits in a folder granted read-write", plantsSetId},
    {"63b", "hooks and rc files planted there without a word", plantsHooksUnseen},
};

} // namespace containment
