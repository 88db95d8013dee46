// SPDX-License-Identifier: Apache-2.0
// Starts glovebox-egress and reads what it tells.
#include "egress.h"

#include "engine/launcher/packet.h"
#include "engine/network/egress/messages.h"
#include "engine/network/egress/names.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>

namespace glovebox {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;
using network::EgressMessage;

namespace {

constexpr int readyPatienceMs = 10'000;
constexpr auto finishPatience = 2s;
constexpr auto endPatience = 1s;
constexpr int packetsAtOnce = 64; // then others have their turn

std::unexpected<Error> notStarted(const QString &why)
{
    return fail(ErrorCode::Unavailable,
                QT_TRANSLATE_NOOP("engine", "The run's network could not be opened, so nothing was run. Try again "
                                            "without --allow, or reinstall Glovebox."),
                Text("glovebox-egress: %1", {why}));
}

// %1: the fault.
constexpr auto reasonTexts = namesOf<network::Reason>({
    {network::Reason::None, QT_TRANSLATE_NOOP("engine", "unknown")},
    {network::Reason::NotOnTheList, QT_TRANSLATE_NOOP("engine", "not on the allowlist")},
    {network::Reason::PrivateAddress,
     QT_TRANSLATE_NOOP("engine", "leads to an address of this machine or of a private network")},
    {network::Reason::UnknownAddress, QT_TRANSLATE_NOOP("engine", "an address without a name")},
    {network::Reason::NotTls, QT_TRANSLATE_NOOP("engine", "no TLS, which this port is for")},
    {network::Reason::OtherName, QT_TRANSLATE_NOOP("engine", "another host was named than was asked for")},
    {network::Reason::Malformed, QT_TRANSLATE_NOOP("engine", "malformed: %1")},
    {network::Reason::TooManyConnections, QT_TRANSLATE_NOOP("engine", "too many connections at once")},
    {network::Reason::TooManyNames, QT_TRANSLATE_NOOP("engine", "too many names")},
    {network::Reason::BudgetSpent, QT_TRANSLATE_NOOP("engine", "more bytes than the run may move")},
    {network::Reason::NotResolved, QT_TRANSLATE_NOOP("engine", "no address was found")},
    {network::Reason::NotReached, QT_TRANSLATE_NOOP("engine", "it could not be reached")},
    {network::Reason::Unsupported, QT_TRANSLATE_NOOP("engine", "only connections can be asked for")},
    {network::Reason::Idle, QT_TRANSLATE_NOOP("engine", "nothing was said for too long")},
    {network::Reason::ProxyNotReached, QT_TRANSLATE_NOOP("engine", "the upstream proxy could not be reached")},
    {network::Reason::ProxyRefused, QT_TRANSLATE_NOOP("engine", "the upstream proxy refused it (%1)")},
    {network::Reason::RunEnded, QT_TRANSLATE_NOOP("engine", "the run ended first")},
});

Text reasonText(const network::Attempt &told)
{
    using network::Reason;
    if (told.reason == Reason::None)
        return {};
    const bool hasFault = told.reason == Reason::Malformed || told.reason == Reason::ProxyRefused;
    const auto place = static_cast<std::size_t>(told.reason);
    // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): of literals
    return Text((place < reasonTexts.size() ? reasonTexts[place] : reasonTexts.front()).data(),
                hasFault ? QStringList(QString::fromStdString(told.fault)) : QStringList());
}

EgressAttempt attemptFrom(const network::Attempt &told, bool isOpen)
{
    EgressAttempt attempt;
    attempt.way = static_cast<EgressAttempt::Way>(told.way);
    attempt.verdict = static_cast<EgressAttempt::Verdict>(told.verdict);
    attempt.host = QString::fromUtf8(told.host);
    attempt.port = told.port;
    attempt.reason = reasonText(told);
    attempt.isOffAllowlist = told.reason == network::Reason::NotOnTheList;
    attempt.sent = static_cast<qint64>(told.sent);
    attempt.received = static_cast<qint64>(told.received);
    attempt.duration = std::chrono::milliseconds(told.milliseconds);
    attempt.isOpen = isOpen;
    return attempt;
}

// "2 rules, at most 50 MB, 100 KB a second"
QString requested(const EgressSpec &spec)
{
    QString words = spec.allowlist.size() == 1 ? u"1 rule"_s : u"%1 rules"_s.arg(spec.allowlist.size());
    if (spec.bytes > 0)
        words += u", at most %1 MB"_s.arg(spec.bytes / mebibyte);
    if (spec.bytesPerSecond > 0)
        words += u", %1 KB a second"_s.arg(spec.bytesPerSecond / 1024);
    return words;
}

} // namespace

Result<std::unique_ptr<Egress>> Egress::start(const EgressSpec &spec, std::vector<UniqueFd> sockets)
{
    const QList<EgressSocket> wanted = egressSockets(spec.allowlist);
    network::EgressPolicy policy;
    policy.bytes = static_cast<std::uint64_t>(spec.bytes);
    policy.bytesPerSecond = static_cast<std::uint64_t>(spec.bytesPerSecond);
    if (spec.proxy) {
        policy.proxyHost = spec.proxy->host.text;
        policy.proxyPort = spec.proxy->port;
    }
    for (const network::Rule &rule : spec.allowlist)
        policy.rules.push_back(network::toText(rule));

    ProgramStart start{.path = spec.libexec + u"/glovebox-egress"_s};
    start.descriptors.emplace_back(); // for the policy
    for (qsizetype i = 0; i < wanted.size() && i < static_cast<qsizetype>(sockets.size()); ++i) {
        UniqueFd &socket = sockets[static_cast<std::size_t>(i)];
        if (!socket)
            continue;
        policy.listeners.push_back({static_cast<network::Service>(wanted.at(i).service), wanted.at(i).port});
        start.descriptors.push_back(std::move(socket));
    }
    if (policy.listeners.empty())
        return notStarted(u"no listeners"_s);
    start.descriptors.front() = launcher::sealedMemory("glovebox-egress-policy", policy.encode());
    if (::geteuid() == 0)
        start.arguments = {"--user", std::to_string(spec.identity.uid), std::to_string(spec.identity.gid)};
    std::unique_ptr<Egress> egress(new Egress);
    RETURN_IF_ERROR(egress->m_program.start(std::move(start)));
    RETURN_IF_ERROR(egress->waitUntilReady(spec));
    egress->m_control.id = ControlId::Egress;
    egress->m_control.requested = requested(spec);
    return egress;
}

Status Egress::waitUntilReady(const EgressSpec &spec)
{
    launcher::Packet packet;
    if (launcher::receivePacketWithin(readyPatienceMs, m_program.channel(), packet) != 0) {
        auto why = m_program.whyNotLoaded();
        return why ? std::unexpected(*std::move(why)) : notStarted(u"no answer"_s);
    }
    launcher::Reader in(packet.bytes);
    EgressMessage kind{};
    std::uint32_t version = 0;
    std::string problem;
    int landlockAbi = 0;
    in(kind, version, problem, landlockAbi);
    if (kind != EgressMessage::Ready || !in.done() || version != network::egressVersion)
        return fail(ErrorCode::Unavailable,
                    QT_TRANSLATE_NOOP("engine", "Glovebox was updated while it was running. Restart it."));
    if (!problem.empty())
        return notStarted(QString::fromStdString(problem));
    return readBack(landlockAbi, spec);
}

Status Egress::readBack(int landlockAbi, const EgressSpec &spec)
{
    const auto status =
        statusOfProcess(m_program.process()); // the kernel's word, which the program can't make up itself
    const QByteArray seccomp = status["Seccomp"], privileges = status["NoNewPrivs"], capabilities = status["CapEff"];
    if (seccomp != "2" || privileges != "1" || capabilities != "0000000000000000")
        return notStarted(u"not sealed: Seccomp %1, NoNewPrivs %2, CapEff %3"_s.arg(
            QString::fromLatin1(seccomp), QString::fromLatin1(privileges), QString::fromLatin1(capabilities)));
    m_control.state = landlockAbi > 0 ? Control::State::Verified : Control::State::Degraded;
    m_control.detail =
        landlockAbi > 0
            ? Text(QT_TRANSLATE_NOOP("engine",
                                     "a program of its own: system call filter, no new privileges, Landlock ABI %1; at "
                                     "most 256 connections at once and 256 MB"),
                   {QString::number(landlockAbi)})
            : Text(QT_TRANSLATE_NOOP("engine",
                                     "a program of its own: system call filter, no new privileges; without Landlock "
                                     "in this kernel it could read files"));
    if (spec.proxy) {
        m_control.state = Control::State::Degraded;
        m_control.detail =
            Text(QT_TRANSLATE_NOOP("engine", "through the proxy %1, which resolves the names: that none leads to "
                                             "a private address is for the proxy to see to"),
                 {spec.proxy->text()});
    }
    return {};
}

Egress::~Egress()
{
    m_program.closeChannel(); // end of file: it ends
    m_program.endsWithin(endPatience);
}

bool Egress::receive()
{
    for (int i = 0; i < packetsAtOnce && descriptor() >= 0; ++i) {
        launcher::Packet packet;
        const int error = launcher::receivePacket(m_program.channel(), packet, false);
        if (error == EAGAIN)
            break;
        if (error != 0 || packet.bytes.empty() || !take(packet.bytes))
            m_program.closeChannel();
    }
    return descriptor() >= 0 || m_isFinished;
}

// False: it is not to be believed any more.
bool Egress::take(const std::string &message)
{
    launcher::Reader in(message);
    EgressMessage kind{};
    in.get(kind);
    if (kind == EgressMessage::Left) {
        network::Untold untold;
        in.get(untold);
        m_untold = {static_cast<qint64>(untold.attempts), static_cast<qint64>(untold.allowed),
                    static_cast<qint64>(untold.sent), static_cast<qint64>(untold.received)};
        return in.done();
    }
    if (kind == EgressMessage::Spent) {
        m_isSpent = true;
        return in.done();
    }
    if (kind == EgressMessage::Named) {
        std::string address, host;
        in(address, host);
        if (!in.done() || m_names.size() >= qsizetype(network::Names::most))
            return false;
        m_names.insert(QString::fromStdString(address), QString::fromStdString(host));
        return true;
    }
    if (kind == EgressMessage::Finish) {
        m_isFinished = true;
        return true;
    }
    network::Attempt told;
    in.get(told);
    const auto place = static_cast<qsizetype>(told.id) - 1;
    if (!in.done() || told.way > network::Way::Direct || told.verdict > network::Verdict::Failed)
        return false;
    if (kind == EgressMessage::Ended && place >= 0 && place < m_attempts.size()) {
        m_attempts[place] = attemptFrom(told, false);
        return true;
    }
    if ((kind != EgressMessage::Opened && kind != EgressMessage::Refused) || place != m_attempts.size()
        || m_attempts.size() >= 4096)
        return false;
    m_attempts.append(attemptFrom(told, kind == EgressMessage::Opened));
    return true;
}

void Egress::finish()
{
    const auto deadline = std::chrono::steady_clock::now() + finishPatience;
    if (descriptor() >= 0)
        launcher::sendPacket(m_program.channel(), launcher::Writer().put(EgressMessage::Finish).bytes(), {}, false);
    while (descriptor() >= 0 && !m_isFinished) {
        pollfd source{m_program.channel(), POLLIN, 0};
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        if (left <= 0ms || ::poll(&source, 1, static_cast<int>(left.count())) == 0 || !receive())
            break;
    }
    m_program.closeChannel();
    for (EgressAttempt &attempt : m_attempts)
        attempt.isOpen = false;
}

} // namespace glovebox
