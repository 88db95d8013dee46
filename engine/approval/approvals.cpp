// SPDX-License-Identifier: Apache-2.0
#include "approvals.h"

#include <QFileInfo>
#include <QRandomGenerator>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <tuple>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using std::chrono::steady_clock;

constexpr auto rateWindow = std::chrono::minutes(1);

QByteArray newToken()
{
    std::array<quint32, 8> random;
    QRandomGenerator::system()->generate(random.begin(), random.end());
    return QByteArray(reinterpret_cast<const char *>(random.data()), sizeof random)
        .toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals);
}

// Of all agents without a pairing together: each can come again as another one, by another connection.
const QString unpairedParty = u"unpaired"_s;

// A sentence for those parties, another for one that is known; each with the number.
Text sentenceFor(const QString &party, const char *unpaired, const char *known, qint64 runs)
{
    return {party == unpairedParty ? unpaired : known, {QString::number(runs)}};
}

Text tooManyAtOnce(const QString &party, qint64 running)
{
    return sentenceFor(
        party,
        QT_TRANSLATE_NOOP("engine", "Agents without a pairing already have their most runs at once (%1). Wait a "
                                    "moment, or ask the person for a pairing."),
        QT_TRANSLATE_NOOP("engine", "This agent already has its most runs at once (%1). Wait for one to end, or cancel "
                                    "one."),
        running);
}

Text tooManyAMinute(const QString &party, qint64 started)
{
    return sentenceFor(party,
                       QT_TRANSLATE_NOOP("engine", "Agents without a pairing already started their most runs within a "
                                                   "minute (%1). Wait a minute, or ask the person for a pairing."),
                       QT_TRANSLATE_NOOP("engine", "This agent already started its most runs within a minute (%1). "
                                                   "Wait a minute and try again."),
                       started);
}

Caller recordableCaller(Caller caller)
{
    caller.program = recordable(caller.program);
    caller.claimed = recordable(caller.claimed);
    return caller;
}

} // namespace

struct Approvals::Private
{
    struct Traffic
    {
        int running = 0;
        std::deque<steady_clock::time_point> starts; // within the window
    };

    Result<Gate::Pass> writable() const;
    Status record(Entry entry);
    void answered(const ApprovalRequest &request, ApprovalDecision decision, const Approver::Answer &answer);
    void grantForConnection(const ApprovalRequest &request, bool allowed);
    template<typename Read> auto read(Read query) const -> decltype(query(std::declval<const AuditReader &>()));
    Result<AgentSwitches> rulesNow() const;
    Result<Standing> standingOf(const Caller &caller) const;
    Result<NewPairing> pair(const QString &name, const QString &program, const Caller &caller);
    Result<FileLock> lockNames() const;
    Result<QString> freeName(const Caller &caller) const;

    Rooms rooms;
    Text whyClosed = Text(
        QT_TRANSLATE_NOOP("engine", "Glovebox is shutting down.")); // written before the gate is closed, read after
    mutable Gate gate; // to rooms.log

    mutable std::mutex readerMutex;
    mutable std::unique_ptr<AuditReader> reader; // opened when it is needed

    mutable std::mutex mutex; // guards what follows
    std::map<QString, Traffic> traffic; // by partyOf(), and of unpairedParty
    std::map<QString, QStringList> partiesOfRun; // that it counts for
    std::map<QString, QList<StoredGrant>> connections; // what was granted for each
    std::map<QString, Caller> welcome; // programs that the person said yes to, by request; not paired yet
};

Result<Gate::Pass> Approvals::Private::writable() const
{
    if (!rooms.log)
        return fail(ErrorCode::Unavailable, rooms.whyReadOnly);
    if (auto pass = gate.enter())
        return pass;
    return fail(ErrorCode::Unavailable, whyClosed);
}

Status Approvals::Private::record(Entry entry)
{
    ASSIGN_OR_RETURN(const auto pass, writable());
    const auto receipt = rooms.log->appendNow(std::move(entry));
    return receipt ? Status() : std::unexpected(receipt.error());
}

// Opened once, as it is asked at each run of a paired client; what other programs wrote meanwhile is read all the same.
template<typename Read>
auto Approvals::Private::read(Read query) const -> decltype(query(std::declval<const AuditReader &>()))
{
    const std::lock_guard lock(readerMutex);
    if (!reader) {
        auto opened = AuditReader::open(rooms.auditFile);
        if (!opened)
            return std::unexpected(opened.error());
        reader = std::move(*opened);
    }
    return query(*reader);
}

Result<AgentSwitches> Approvals::Private::rulesNow() const
{
    RETURN_IF_ERROR(rooms.settings->reload());
    return agentSwitches(*rooms.settings);
}

Result<Standing> Approvals::Private::standingOf(const Caller &caller) const
{
    Standing standing;
    ASSIGN_OR_RETURN(standing.rules, rulesNow());
    if (!caller.pairing.isEmpty()) {
        ASSIGN_OR_RETURN(const auto clients, read(readClients));
        const auto client = std::ranges::find(clients, caller.pairing, &PairedClient::id);
        standing.isPaired = client != clients.end();
        if (standing.isPaired) {
            standing.name = client->name;
            ASSIGN_OR_RETURN(standing.grants,
                             read([&](const AuditReader &log) { return readGrants(log, caller.pairing); }));
        }
    }
    const std::lock_guard lock(mutex);
    if (const auto found = connections.find(caller.connection); found != connections.end())
        standing.grants += found->second;
    return standing;
}

Approvals::Approvals(Rooms rooms)
    : m_approver(std::move(rooms.approver))
    , d(std::make_shared<Private>())
{
    d->rooms = std::move(rooms);
}

Approvals::~Approvals()
{
    d->gate.close();
}

Status Approvals::admit(const ApprovalRequest &request)
{
    if (request.caller.kind != Caller::Kind::Mcp)
        return {};
    std::ignore = d->rooms.settings->reload(); // of a file that can't be read decide() says so
    const auto most = [this](const QString &key) { return d->rooms.settings->value(key).value.toLongLong(); };
    struct Bound
    {
        QString party;
        qint64 atOnce, aMinute;
    };
    QList<Bound> bounds{{partyOf(request.caller), most(u"mcp.runs_at_once"_s), most(u"mcp.runs_a_minute"_s)}};
    if (request.caller.pairing.isEmpty())
        bounds.append({unpairedParty, most(u"mcp.unpaired_at_once"_s), most(u"mcp.unpaired_a_minute"_s)});
    const auto now = steady_clock::now();
    const std::lock_guard lock(d->mutex);
    for (auto it = d->traffic.begin(); it != d->traffic.end();) {
        auto &starts = it->second.starts;
        while (!starts.empty() && now - starts.front() >= rateWindow)
            starts.pop_front();
        it = it->second.running == 0 && starts.empty() ? d->traffic.erase(it) : std::next(it);
    }
    for (const Bound &bound : std::as_const(bounds)) {
        const Private::Traffic &party = d->traffic[bound.party];
        if (bound.atOnce > 0 && party.running >= bound.atOnce)
            return std::unexpected(Error{ErrorCode::Busy, tooManyAtOnce(bound.party, party.running), {}});
        if (const auto started = qint64(party.starts.size()); bound.aMinute > 0 && started >= bound.aMinute)
            return std::unexpected(Error{ErrorCode::Busy, tooManyAMinute(bound.party, started), {}});
    }
    for (const Bound &bound : std::as_const(bounds)) {
        Private::Traffic &party = d->traffic[bound.party];
        ++party.running;
        if (bound.aMinute > 0)
            party.starts.push_back(now);
        d->partiesOfRun[request.run].append(bound.party);
    }
    return {};
}

void Approvals::runEnded(const QString &run)
{
    const std::lock_guard lock(d->mutex);
    const auto node = d->partiesOfRun.extract(run);
    if (node.empty())
        return;
    for (const QString &party : std::as_const(node.mapped())) {
        if (const auto found = d->traffic.find(party); found != d->traffic.end())
            --found->second.running;
    }
}

Result<AgentSwitches> Approvals::rules() const
{
    return d->rulesNow();
}

AuthorisationDecision Approvals::decide(const ApprovalRequest &request) const
{
    Standing standing;
    if (request.caller.kind == Caller::Kind::Mcp) {
        auto known = d->standingOf(request.caller);
        if (!known)
            return {Verdict::Deny, known.error().message, {}};
        standing = std::move(*known);
    }
    return glovebox::decide(request, d->rooms.settings->policy(), standing);
}

void Approvals::ask(const ApprovalRequest &request, Approver::Answer answer)
{
    ApprovalRequest asked = request;
    if (asked.caller.isAskable) {
        const auto rules = d->rulesNow();
        asked.caller.isAskable = rules && rules->mayAskThroughClients();
    }
    m_approver->ask(asked,
                    [weak = std::weak_ptr(d), request, answer = std::move(answer)](const ApprovalDecision &decision) {
                        if (const auto self = weak.lock())
                            self->answered(request, decision, answer);
                    });
}

void Approvals::withdraw(const QString &run)
{
    m_approver->withdraw(run);
}

// The answer waits for its entry. Never blocks, as it may come on the thread of a window.
void Approvals::Private::answered(const ApprovalRequest &request, ApprovalDecision decision,
                                  const Approver::Answer &answer)
{
    if (decision.allowed && (decision.digest.isEmpty() || decision.digest != approvalDigest(request)))
        decision = {.reason = Text(QT_TRANSLATE_NOOP(
                        "engine", "The request changed while the person read it, so it is denied. Send it again."))};
    if (decision.allowed) { // agents may have been paused meanwhile, or something turned off
        const QString tool = request.tool.isEmpty() ? QString(runTool) : request.tool;
        const auto known = rulesNow();
        if (!known)
            decision = {.reason = known.error().message};
        else if (const auto refusal = refusalOf(*known, tool, request.wants))
            decision = {.reason = *refusal, .by = AnsweredBy::Person};
    }
    if (decision.scope == ApprovalScope::Never)
        decision.allowed = false;
    // What reaches further than there is anything to keep it for.
    const bool isLasting = decision.scope == ApprovalScope::Always || decision.scope == ApprovalScope::Never;
    const bool isKept = isLasting && !request.caller.pairing.isEmpty();
    if (decision.scope == ApprovalScope::Always && !isKept)
        decision.scope = ApprovalScope::Session;
    const bool isForConnection = decision.scope != ApprovalScope::Once && !isKept;
    if (decision.scope == ApprovalScope::Never && isForConnection)
        decision.reason =
            Text(QT_TRANSLATE_NOOP("engine", "The person denied this run, and whatever wants the same, until this "
                                             "client disconnects. Do without it."));

    auto pass = writable();
    if (!pass)
        return answer({.reason = pass.error().message});
    ApprovalRequest recorded = request;
    recorded.caller = recordableCaller(request.caller);
    rooms.log->append(decidedEntry(recorded, decision, isKept ? request.wants : QList<Want>()),
                      [this, request, decision, answer, isForConnection,
                       inside = std::make_shared<Gate::Pass>(std::move(*pass))](const Result<AuditReceipt> &receipt) {
                          if (!receipt)
                              return answer({.reason = receipt.error().message});
                          if (isForConnection)
                              grantForConnection(request, decision.allowed);
                          answer(decision);
                      });
}

void Approvals::Private::grantForConnection(const ApprovalRequest &request, bool allowed)
{
    if (request.caller.connection.isEmpty())
        return;
    const std::lock_guard lock(mutex);
    QList<StoredGrant> &grants = connections[request.caller.connection];
    for (const Want &want : request.wants) {
        grants.removeIf([&](const StoredGrant &grant) { return grant.want == want; });
        grants.append({want, allowed, rooms.clock->nowMicroseconds()});
    }
}

QString Approvals::requestPairing(const Caller &caller, const QString &redirect, std::function<void(Status)> answer)
{
    const PairingRequest request{newId(*d->rooms.clock), caller, redirect};
    m_approver->askToPair(request, [weak = std::weak_ptr(d), caller, id = request.id,
                                    answer = std::move(answer)](const Status &answered) {
        const auto self = weak.lock();
        if (!self)
            return;
        if (answered) {
            const std::lock_guard lock(self->mutex);
            self->welcome[id] = caller;
        }
        answer(answered);
    });
    return request.id;
}

Result<NewPairing> Approvals::pairRequested(const QString &id)
{
    std::unique_lock lock(d->mutex);
    const auto node = d->welcome.extract(id);
    lock.unlock();
    if (node.empty())
        return fail(ErrorCode::NotFound,
                    QT_TRANSLATE_NOOP("engine", "This program's pairing is no longer allowed. Connect again."), {});
    ASSIGN_OR_RETURN(const FileLock names, d->lockNames());
    ASSIGN_OR_RETURN(const QString name, d->freeName(node.mapped()));
    return d->pair(name, recordable(node.mapped().program), node.mapped());
}

void Approvals::withdrawPairing(const QString &id)
{
    m_approver->withdrawPairing(id);
    const std::lock_guard lock(d->mutex);
    d->welcome.erase(id);
}

// Held from the look for a free name until that name is on record: two programs of Glovebox may pair at the same moment.
Result<FileLock> Approvals::Private::lockNames() const
{
    ASSIGN_OR_RETURN(const auto pass, writable());
    return FileLock::create(QFileInfo(rooms.auditFile).path() + u"/pairing.lock"_s);
}

// What the program calls itself, and a number where another has that name: questions name a paired client by it alone.
Result<QString> Approvals::Private::freeName(const Caller &caller) const
{
    ASSIGN_OR_RETURN(const auto present, read(readClients));
    const QString claimed = shownName(caller.claimed);
    const QString wished = claimed.isEmpty() ? shownName(recordable(caller.program).section(u'/', -1)) : claimed;
    QString name = wished;
    for (int number = 2; std::ranges::find(present, name, &PairedClient::name) != present.end(); ++number) {
        const QString end = u" (%1)"_s.arg(number);
        name = shownName(wished.left(clientNameMax - end.size())) + end;
    }
    return name;
}

Result<NewPairing> Approvals::Private::pair(const QString &name, const QString &program, const Caller &caller)
{
    const PairedClient client{newId(*rooms.clock), name, program, rooms.clock->nowMicroseconds()};
    const QByteArray token = newToken();
    RETURN_IF_ERROR(record(pairedEntry(client, sha256({token}), recordableCaller(caller))));
    return NewPairing{client, token};
}

Result<NewPairing> Approvals::pair(const QString &name, const Caller &caller)
{
    if (name.isEmpty() || shownName(name) != name)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine",
                                      "A client's name is 1 to %1 characters in one line, all of which can be "
                                      "seen. Give it another name."),
                    {QString::number(clientNameMax)});
    ASSIGN_OR_RETURN(const FileLock names, d->lockNames());
    ASSIGN_OR_RETURN(const auto present, clients());
    if (std::ranges::find(present, name, &PairedClient::name) != present.end())
        return fail(ErrorCode::Busy,
                    QT_TRANSLATE_NOOP("engine", "A client \"%1\" is paired already. Take another name, or first run "
                                                "\"glovebox mcp unpair\" with this one."),
                    {name});
    return d->pair(name, {}, caller);
}

Result<std::optional<PairedClient>> Approvals::clientOf(QByteArrayView token) const
{
    return d->read([&](const AuditReader &log) { return readClientOf(log, sha256({token})); });
}

void Approvals::connectionEnded(const QString &connection)
{
    const std::lock_guard lock(d->mutex);
    d->connections.erase(connection);
}

Result<QList<PairedClient>> Approvals::clients() const
{
    return d->read(readClients);
}

Result<QList<StoredGrant>> Approvals::grantsOf(const QString &client) const
{
    return d->read([&](const AuditReader &log) { return readGrants(log, client); });
}

Result<std::optional<qint64>> Approvals::lastRunOf(const QString &client) const
{
    return d->read([&](const AuditReader &log) { return readLastRun(log, client); });
}

Status Approvals::takeBack(const QString &client, const Want &want, const Caller &caller)
{
    return d->record(takenBackEntry(client, want, recordableCaller(caller)));
}

Status Approvals::remove(const QString &client, const Caller &caller)
{
    return d->record(removedEntry(client, recordableCaller(caller)));
}

void Approvals::close(const Text &why)
{
    d->whyClosed = why;
    d->gate.close();
}

} // namespace glovebox
