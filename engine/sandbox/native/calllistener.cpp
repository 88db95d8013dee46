// SPDX-License-Identifier: Apache-2.0
#include "calllistener.h"

#include "engine/launcher/reportedcalls.h"

#include <QFile>

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

using namespace glovebox::launcher;

namespace glovebox::native {

namespace {

constexpr qsizetype mostDeedsTold = 100;
constexpr int dnsPort = 53;

// The kernel may know larger ones than this header (seccomp_unotify(2)): room for those, too.
union Question {
    seccomp_notif notice;
    std::array<char, 1024> room;
};

// Whose memory it is may have changed since the question: good enough for a word to a person, never for a decision.
QByteArray memoryOf(pid_t pid, quint64 address, size_t bytes)
{
    QByteArray content(static_cast<qsizetype>(bytes), Qt::Uninitialized);
    const iovec here{content.data(), bytes}, there{std::bit_cast<void *>(address), bytes};
    const ssize_t got = ::process_vm_readv(pid, &here, 1, &there, 1, 0);
    content.truncate(std::max<qsizetype>(got, 0));
    return content;
}

// The kind of file behind a descriptor of the run.
struct Endpoint
{
    bool isOfNetwork = true; // or it can't be told
    int family = AF_UNSPEC; // AF_INET, AF_INET6; AF_UNSPEC: it can't be told
    int type = 0; // SOCK_STREAM, SOCK_DGRAM; 0: it can't be told
};

// Asked by name (sockfs answers "TCP", "UDPv6"; lsof does the same): a descriptor of our own to it could become its last, and
// closing that may wait as long as the run likes (SO_LINGER), or for the daemon of a file system.
Endpoint endpointOf(pid_t thread, int descriptor)
{
    const std::string link = "/proc/" + std::to_string(thread) + "/fd/" + std::to_string(descriptor);
    std::array<char, 64> text{};
    const ssize_t length = ::readlink(link.c_str(), text.data(), text.size());
    if (length < 0)
        return {.isOfNetwork = errno != ENOENT};
    if (!std::string_view(text.data(), static_cast<size_t>(length)).starts_with("socket:"))
        return {.isOfNetwork = false};
    text.fill('\0');
    if (::getxattr(link.c_str(), "system.sockprotoname", text.data(), text.size() - 1) <= 0)
        return {};
    const std::string_view name(text.data());
    const int family = name.ends_with("v6") ? AF_INET6 : AF_INET;
    if (name.starts_with("TCP") || name.starts_with("MPTCP"))
        return {.family = family, .type = SOCK_STREAM};
    if (name.starts_with("UDP"))
        return {.family = family, .type = SOCK_DGRAM};
    return {.isOfNetwork = false};
}

QString addressText(int family, const void *address)
{
    std::array<char, INET6_ADDRSTRLEN> text{};
    return QString::fromLatin1(::inet_ntop(family, address, text.data(), text.size()));
}

// To the run's own loopback, which Linux also takes 0.0.0.0 for.
bool leadsBack(const in_addr &address)
{
    return address.s_addr == 0 || ntohl(address.s_addr) >> 24 == 127;
}

// Where a call says that it leads.
struct Aim
{
    int descriptor = -1;
    quint64 place = 0; // of the address in the run's memory
    int bytes = 0; // of the address
    bool connects = false; // else it sends
    bool isFast = false; // MSG_FASTOPEN: it connects and sends
    quint64 message = 0; // in the run's memory
    quint64 messageBytes = 0;
};

// Two questions for one name differ in their number alone.
QByteArray withoutNumber(QByteArray question)
{
    constexpr qsizetype numberBytes = 2; // RFC 1035 section 4.1.1
    return question.size() > numberBytes ? question.replace(0, numberBytes, QByteArray(numberBytes, '\0')) : question;
}

// What a call sends, as far as a question for a name can be long.
QByteArray messageOf(pid_t thread, quint64 place, quint64 bytes)
{
    constexpr quint64 longestQuestion = 512;
    return place == 0 || bytes == 0 ? QByteArray()
                                    : withoutNumber(memoryOf(thread, place, std::min(bytes, longestQuestion)));
}

// A descriptor may have become another's since it was connected to a name server.
bool isQuestion(const QByteArray &message)
{
    constexpr std::string_view counts("\0\1\0\0\0\0", 6); // one question, no answers
    constexpr unsigned char answerOrOpcode = 0xf8;
    return message.size() > 12 && (static_cast<unsigned char>(message[2]) & answerOrOpcode) == 0
           && std::string_view(message.constData() + 4, counts.size()) == counts;
}

// False where the kernel refuses the call before it looks for a way (EBADF, ENOTSOCK, EAFNOSUPPORT, EINVAL, EPIPE), so that nobody
// could have been reached.
bool isAttempt(const Aim &aim, int family, const Endpoint &endpoint)
{
    constexpr int shortest6 = 24; // without the scope (RFC 2133)
    const bool sends = !aim.connects;
    if (!endpoint.isOfNetwork || (sends && endpoint.type == SOCK_STREAM && !aim.isFast))
        return false;
    if (aim.bytes < (family == AF_INET6 ? shortest6 : int(sizeof(sockaddr_in))))
        return false;
    const bool isDatagram = endpoint.type == SOCK_DGRAM;
    switch (endpoint.family) {
    case AF_INET: // udp_sendmsg() takes an address of no family for one of its own; for connect() that is to let go
        return family == AF_INET || (family == AF_UNSPEC && sends && isDatagram);
    case AF_INET6:
        return family == AF_INET6 || (family == AF_INET && isDatagram);
    default:
        return family != AF_UNSPEC;
    }
}

// Nothing for what ordinary programs do at every turn.
std::optional<RunEvent> destination(pid_t thread, const Aim &aim, const QList<InnerSocket> &served, quint64 &outside)
{
    if (aim.bytes <= 0 || aim.bytes > int(sizeof(sockaddr_storage)))
        return std::nullopt;
    const QByteArray address = memoryOf(thread, aim.place, static_cast<size_t>(aim.bytes));
    if (address.size() != aim.bytes)
        return std::nullopt;
    sockaddr_storage storage{};
    std::memcpy(&storage, address.constData(), static_cast<size_t>(address.size()));
    const int family = storage.ss_family;
    if (family == AF_UNSPEC)
        storage.ss_family = AF_INET;
    QString host;
    quint16 port = 0;
    std::optional<Destination> other, own; // one of them
    if (storage.ss_family == AF_INET) {
        const auto &in = reinterpret_cast<const sockaddr_in &>(storage);
        host = addressText(AF_INET, &in.sin_addr);
        port = ntohs(in.sin_port);
        (leadsBack(in.sin_addr) ? own : other) = Destination{host, port};
    } else if (storage.ss_family == AF_INET6) {
        const auto &in = reinterpret_cast<const sockaddr_in6 &>(storage);
        const QString plain = addressText(AF_INET6, &in.sin6_addr);
        host = u'[' + plain + u']';
        port = ntohs(in.sin6_port);
        if (IN6_IS_ADDR_V4MAPPED(&in.sin6_addr)) {
            in_addr inner{};
            std::memcpy(&inner, in.sin6_addr.s6_addr + 12, sizeof inner);
            (leadsBack(inner) ? own : other) = Destination{addressText(AF_INET, &inner), port};
        } else {
            const bool isOwn = IN6_IS_ADDR_LOOPBACK(&in.sin6_addr) || IN6_IS_ADDR_UNSPECIFIED(&in.sin6_addr);
            (isOwn ? own : other) = Destination{plain, port};
        }
    } else {
        // Sockets of its own, and the name service that the C library asks for every user name.
        return std::nullopt;
    }
    QList<InnerSocket> there = served;
    there.removeIf([&](const InnerSocket &socket) {
        return socket.port != port || !(socket.everywhere || host == QLatin1StringView("127.0.0.1"));
    });
    // To proxies and stand-ins for names most connections go, and each waits for this answer.
    if (!there.isEmpty() && (host == QLatin1StringView("127.0.0.1") || host.startsWith(QLatin1StringView("198.18."))))
        return std::nullopt;
    const Endpoint endpoint = endpointOf(thread, aim.descriptor);
    const auto isMeant = [&](const InnerSocket &socket) {
        return endpoint.type == 0 || endpoint.type == (socket.datagram ? SOCK_DGRAM : SOCK_STREAM);
    };
    if (!isAttempt(aim, family, endpoint))
        return std::nullopt;
    if (other)
        ++std::atomic_ref(outside);
    if (port == 0) // how programs ask for the way to an address, without sending anything
        return std::nullopt;
    if (std::ranges::any_of(there, isMeant))
        return std::nullopt;
    if (port == dnsPort)
        return RunEvent(
            EventType::NetworkLookup,
            Text(QT_TRANSLATE_NOOP("engine", "The run asked the name server at %1 for a host's address."), {host}),
            std::move(other), messageOf(thread, aim.message, aim.messageBytes));
    return RunEvent{.type = EventType::NetworkConnect,
                    .detail = Text(QT_TRANSLATE_NOOP("engine", "The run tried to reach %1."),
                                   {QStringLiteral("%1:%2").arg(host).arg(port)}),
                    .destination = std::move(other),
                    .own = std::move(own)};
}

// Descriptors that were connected to a name server, with the event of that.
using Askers = QHash<int, RunEvent>;

// A message without an address goes where its descriptor was connected to.
std::optional<RunEvent> questionOf(const Askers &askers, int descriptor, const QByteArray &message)
{
    const auto asker = askers.find(descriptor);
    if (asker == askers.end() || !isQuestion(message))
        return std::nullopt;
    RunEvent event = *asker;
    event.question = message;
    return event;
}

// Those of messages, each with a destination of its own or none.
QList<RunEvent> destinations(const seccomp_data &call, pid_t thread, const QList<InnerSocket> &served,
                             const Askers &askers, quint64 &outside)
{
    constexpr quint64 mostLookedAt = 1024; // the kernel sends no more by one call (net/socket.c)
    const bool many = call.nr == SYS_sendmmsg;
    const auto descriptor = static_cast<int>(call.args[0]);
    const quint64 size = many ? sizeof(mmsghdr) : sizeof(msghdr);
    const QByteArray headers = memoryOf(thread, call.args[1], size * (many ? std::min(call.args[2], mostLookedAt) : 1));
    QList<RunEvent> events;
    for (qsizetype at = 0; at + qsizetype(size) <= headers.size(); at += qsizetype(size)) {
        msghdr header{}; // what both begin with
        std::memcpy(&header, headers.constData() + at, sizeof header);
        const bool isAddressed = header.msg_name && header.msg_namelen > 0;
        if (!isAddressed && !askers.contains(descriptor))
            continue; // who writes to a connection waits for this
        iovec piece{}; // the first one: nobody cuts a question
        const QByteArray pieces = header.msg_iovlen > 0
                                      ? memoryOf(thread, reinterpret_cast<quintptr>(header.msg_iov), sizeof piece)
                                      : QByteArray();
        if (pieces.size() == qsizetype(sizeof piece))
            std::memcpy(&piece, pieces.constData(), sizeof piece);
        const auto message = reinterpret_cast<quintptr>(piece.iov_base);
        std::optional<RunEvent> event;
        if (!isAddressed) {
            event = questionOf(askers, descriptor, messageOf(thread, message, piece.iov_len));
        } else {
            event = destination(thread,
                                {.descriptor = descriptor,
                                 .place = reinterpret_cast<quintptr>(header.msg_name),
                                 .bytes = std::min(static_cast<int>(header.msg_namelen), int(sizeof(sockaddr_storage))),
                                 .isFast = (call.args[many ? 3 : 2] & MSG_FASTOPEN) != 0,
                                 .message = message,
                                 .messageBytes = piece.iov_len},
                                served, outside);
        }
        if (event)
            events.append(*std::move(event));
    }
    return events;
}

// %1: the call.
constexpr auto deedSentences = namesOf<Deed>({
    {Deed::Namespaces,
     QT_TRANSLATE_NOOP("engine", "The run tried to make or enter a namespace (%1), which was refused.")},
    {Deed::Mounts, QT_TRANSLATE_NOOP("engine", "The run tried to change its file system (%1), which was refused.")},
    {Deed::OtherProcesses,
     QT_TRANSLATE_NOOP("engine", "The run tried to look into another process (%1), which was refused.")},
    {Deed::Kernel, QT_TRANSLATE_NOOP("engine", "The run tried to reach into the kernel (%1), which was refused.")},
    {Deed::Keys, QT_TRANSLATE_NOOP("engine", "The run asked for the kernel's keys (%1), which was refused.")},
    {Deed::Machine, QT_TRANSLATE_NOOP("engine", "The run tried to change the machine (%1), which was refused.")},
});

struct Answer
{
    bool goesOn = false; // the only calls that do are those that the filter allows anyway
    QList<RunEvent> events;
};

Answer answerTo(const seccomp_notif &notice, const QList<InnerSocket> &served, Askers &askers, quint64 &outside)
{
    constexpr qsizetype mostAskers = 1000;
    const seccomp_data &call = notice.data;
    const auto thread = static_cast<pid_t>(notice.pid);
    const auto descriptor = static_cast<int>(call.args[0]);
    const auto goOn = [](const std::optional<RunEvent> &event) -> Answer {
        return {true, event ? QList{*event} : QList<RunEvent>()};
    };
    if (call.nr == SYS_sendmsg || call.nr == SYS_sendmmsg)
        return {true, destinations(call, thread, served, askers, outside)};
    if (call.nr == SYS_connect) {
        const auto event = destination(thread,
                                       {.descriptor = descriptor,
                                        .place = call.args[1],
                                        .bytes = static_cast<int>(call.args[2]),
                                        .connects = true},
                                       served, outside);
        askers.remove(descriptor);
        if (event && event->type == EventType::NetworkLookup && askers.size() < mostAskers)
            askers.insert(descriptor, *event);
        return goOn(event);
    }
    if (call.nr == SYS_sendto && call.args[4] == 0)
        return goOn(askers.contains(descriptor)
                        ? questionOf(askers, descriptor, messageOf(thread, call.args[1], call.args[2]))
                        : std::nullopt);
    if (call.nr == SYS_sendto)
        return goOn(destination(thread,
                                {.descriptor = descriptor,
                                 .place = call.args[4],
                                 .bytes = static_cast<int>(call.args[5]),
                                 .isFast = (call.args[3] & MSG_FASTOPEN) != 0,
                                 .message = call.args[1],
                                 .messageBytes = call.args[2]},
                                served, outside));
    const auto refused = [](const char *sentence, const char *name) -> Answer {
        return {false, {RunEvent(EventType::CallRefused, Text(sentence, {QString::fromLatin1(name)}))}};
    };
    if (call.nr == SYS_ioctl)
        return refused(QT_TRANSLATE_NOOP("engine", "The run tried to type into a terminal (%1), which was refused."),
                       "ioctl");
    const auto sentenceOf = [](Deed deed) { return deedSentences[static_cast<std::size_t>(deed)].data(); };
    if (call.nr == SYS_clone)
        return refused(sentenceOf(Deed::Namespaces), "clone");
    const auto *known = std::ranges::find(reportedCalls, call.nr, &ReportedCall::number);
    return known == std::end(reportedCalls) ? Answer() : refused(sentenceOf(known->deed), known->name);
}

} // namespace

CallListener::CallListener(UniqueFd listener)
    : m_listener(std::move(listener))
{
    // Who asks is usually on the same processor: wake it there (Linux 6.6; without it answers take longer).
    constexpr unsigned long setFlags = SECCOMP_IOW(4, __u64);
    constexpr unsigned long wakeSynchronously = 1;
    if (m_listener)
        ::ioctl(m_listener.get(), setFlags, wakeSynchronously);
}

void CallListener::count(pid_t process)
{
    struct stat own = {};
    if (::stat("/proc/thread-self/net/snmp", &own) != 0)
        return;
    const auto look = [&own](const std::string &place) {
        UniqueFd counters(::open(place.c_str(), O_RDONLY | O_CLOEXEC));
        struct stat theirs = {};
        if (counters && (::fstat(counters.get(), &theirs) != 0 || theirs.st_ino == own.st_ino))
            counters.reset();
        return counters;
    };
    std::string place = "/proc/" + std::to_string(process);
    m_counters = look(place + "/net/snmp");
    if (!m_counters) { // bwrap stays outside, above PID 1
        QFile children(QString::fromStdString(place + "/task/" + std::to_string(process) + "/children"));
        if (!children.open(QIODevice::ReadOnly))
            return;
        place = "/proc/" + children.readAll().split(' ').first().toStdString();
        m_counters = look(place + "/net/snmp");
    }
    if (m_counters)
        m_counters6.reset(::open((place + "/net/snmp6").c_str(), O_RDONLY | O_CLOEXEC)); // not there without IPv6
    m_outside = withoutRoute();
}

quint64 CallListener::withoutRoute() const
{
    const auto textOf = [](const UniqueFd &file) {
        QByteArray text(16 * kibibyte, Qt::Uninitialized);
        text.truncate(std::max<qsizetype>(::pread(file.get(), text.data(), std::size_t(text.size()), 0), 0));
        return text;
    };
    const QByteArrayList lines = textOf(m_counters).split('\n'); // "Ip:" with names, and again with numbers
    const QByteArrayList names = lines.value(0).split(' '), numbers = lines.value(1).split(' ');
    const QByteArray text6 = textOf(m_counters6);
    const QByteArray name6("Ip6OutNoRoutes");
    const qsizetype at = text6.indexOf(name6);
    return numbers.value(names.indexOf("OutNoRoutes")).toULongLong()
           + (at < 0 ? 0 : text6.mid(at + name6.size()).split('\n').first().trimmed().toULongLong());
}

std::optional<RunEvent> CallListener::unseen()
{
    const quint64 tried = withoutRoute(), known = std::atomic_ref(m_outside) + m_unseen;
    if (tried <= known)
        return std::nullopt;
    m_unseen += tried - known;
    const auto attempts = qint64(tried - known);
    return RunEvent{.type = EventType::EventsMore,
                    .detail = Text(QT_TRANSLATE_NOOP(
                                       "engine", "The run tried addresses that Glovebox could not see (attempts: %1)."),
                                   {QString::number(attempts)}),
                    .unseen = attempts};
}

void CallListener::answerProbe()
{
    answer([](const RunEvent &) { });
    m_told.clear();
}

void CallListener::answer(const std::function<void(RunEvent)> &tell)
{
    pollfd source{m_listener.get(), POLLIN, 0};
    const int ready = ::poll(&source, 1, 0);
    if (ready > 0 && !(source.revents & POLLIN))
        m_listener.reset(); // everybody inside is gone
    Question question{};
    if (ready <= 0 || !m_listener || ::ioctl(m_listener.get(), SECCOMP_IOCTL_NOTIF_RECV, &question) < 0)
        return; // the asker was killed in between
    const seccomp_notif &notice = question.notice;
    Answer answer = answerTo(notice, m_served, m_askers, m_outside);
    for (RunEvent &event : answer.events) { // first: what is done after the answer may be the end
        const QString words = event.detail.english() + QString::fromLatin1(event.question);
        if (m_told.size() > mostDeedsTold || m_told.contains(words))
            continue;
        m_told.insert(words);
        if (m_told.size() > mostDeedsTold)
            event = RunEvent(EventType::EventsMore,
                             Text(QT_TRANSLATE_NOOP("engine", "The run did more of this than is listed.")));
        tell(std::move(event));
    }
    seccomp_notif_resp response{};
    response.id = notice.id;
    if (answer.goesOn)
        response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    else
        response.error = -EPERM;
    ::ioctl(m_listener.get(), SECCOMP_IOCTL_NOTIF_SEND, &response);
}

} // namespace glovebox::native
