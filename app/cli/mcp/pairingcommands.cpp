// SPDX-License-Identifier: Apache-2.0
// `glovebox mcp pair`, `mcp clients` and `mcp unpair`: who is answered over HTTP, and what the person granted each for good.
#include "app/cli/command.h"
#include "app/cli/secret/limitoptions.h"
#include "app/cli/terminal/terminal.h"

#include <unistd.h>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

Result<std::unique_ptr<Engine>> engineThatRecords()
{
    ASSIGN_OR_RETURN(auto engine, openEngine());
    if (const Part record = engine->readiness().current().record; record.state == Part::State::Blocked)
        return std::unexpected(record.why);
    return engine;
}

int pairClient(const Arguments &arguments)
{
    if (arguments.positional.size() != 1 || arguments.dashes)
        return sayUsage(u"Give the client one name."_s, u"mcp pair"_s);
    const auto engine = engineThatRecords();
    if (!engine)
        return sayFailure(engine.error());
    const QString name = QString::fromUtf8(arguments.positional.first());
    const auto pairing = (*engine)->approvals().pair(name, (*engine)->caller());
    if (!pairing)
        return sayFailure(pairing.error());
    print(QByteArrayView(pairing->token + '\n'));
    say(u"\"%1\" is paired. Its token is shown this once. Any program with the token is \"%1\" to Glovebox."_s.arg(
        name));
    say(u"\"%1\" has to send with each request: Authorization: Bearer TOKEN"_s.arg(name));
    return 0;
}

QJsonObject clientAsJson(const PairedClient &client, const std::optional<qint64> &lastRun,
                         const QList<StoredGrant> &grants)
{
    QJsonArray list;
    for (const StoredGrant &grant : grants)
        list.append(QJsonObject{
            {u"want"_s, toJson(grant.want)}, {u"allowed"_s, grant.allowed}, {u"since_us"_s, grant.sinceMicroseconds}});
    return {{u"client"_s, client.id},
            {u"name"_s, client.name},
            {u"program"_s, orNull(client.program)},
            {u"paired_us"_s, client.pairedMicroseconds},
            {u"last_run_us"_s, lastRun ? QJsonValue(*lastRun) : QJsonValue()},
            {u"grants"_s, list}};
}

void printClient(const PairedClient &client, const std::optional<qint64> &lastRun, const QList<StoredGrant> &grants)
{
    print(u"%1  paired %2, %3  (%4)\n"_s.arg(
        QString::fromUtf8(escapedLine(client.name.toUtf8())).leftJustified(24), shownTime(client.pairedMicroseconds),
        lastRun ? u"last run "_s + shownTime(*lastRun) : u"no run yet"_s, client.id));
    for (const StoredGrant &grant : grants)
        printLine(u"  %1: %2"_s.arg(grant.allowed ? u"always"_s : u"never"_s, grant.want.words()));
}

int listClients(const Arguments &arguments)
{
    if (!arguments.positional.isEmpty() || arguments.dashes)
        return sayUsage(u"\"mcp clients\" takes options only."_s, u"mcp clients"_s);
    const auto engine = openEngine();
    if (!engine)
        return sayFailure(engine.error());
    const Approvals &approvals = (*engine)->approvals();
    const auto clients = approvals.clients();
    if (!clients)
        return sayFailure(clients.error());
    for (const PairedClient &client : *clients) {
        const auto lastRun = approvals.lastRunOf(client.id);
        if (!lastRun)
            return sayFailure(lastRun.error());
        const auto grants = approvals.grantsOf(client.id);
        if (!grants)
            return sayFailure(grants.error());
        if (arguments.has("--json"))
            printJson(clientAsJson(client, *lastRun, *grants));
        else
            printClient(client, *lastRun, *grants);
    }
    if (clients->isEmpty() && !arguments.has("--json"))
        print(u"No client is paired. \"glovebox mcp pair NAME\" pairs one.\n"_s);
    return 0;
}

// By name or id. A name may be several programs': those that asked to be paired keep the name that they claimed.
Result<PairedClient> clientNamed(const Approvals &approvals, const QString &word)
{
    ASSIGN_OR_RETURN(const auto clients, approvals.clients());
    QList<PairedClient> found;
    for (const PairedClient &client : clients) {
        if (client.id == word || client.name == word)
            found.append(client);
    }
    if (found.isEmpty())
        return fail(ErrorCode::NotFound, "No client \"%1\" is paired. \"glovebox mcp clients\" lists those that are.",
                    {word});
    if (found.size() > 1)
        return fail(ErrorCode::InvalidInput,
                    "Several clients are called \"%1\". Name the id of one, which \"glovebox mcp clients\" shows.",
                    {word});
    return found.first();
}

int unpairClient(const Arguments &arguments)
{
    if (arguments.positional.size() != 1 || arguments.dashes)
        return sayUsage(u"Name one client."_s, u"mcp unpair"_s);
    const auto engine = engineThatRecords();
    if (!engine)
        return sayFailure(engine.error());
    Approvals &approvals = (*engine)->approvals();
    const auto client = clientNamed(approvals, QString::fromUtf8(arguments.positional.first()));
    if (!client)
        return sayFailure(client.error());
    if (const Status removed = approvals.remove(client->id, (*engine)->caller()); !removed)
        return sayFailure(removed.error());
    say(u"\"%1\" is no longer paired. Its next request is refused, and its runs are stopped."_s.arg(client->name));
    return 0;
}

} // namespace

std::vector<Command> mcpPairingCommands()
{
    return {
        {.name = u"mcp pair"_s,
         .summary = u"let a client use Glovebox over HTTP, and print its token"_s,
         .synopsis = u"NAME"_s,
         .details =
             uR"(Prints the token alone on standard output, this once: only its digest is kept. Lasting answers to a client
("always" or "never") are bound to its pairing, whatever the client calls itself.

Example:
  glovebox mcp pair my-editor
)"_s,
         .run = pairClient},
        {.name = u"mcp clients"_s,
         .summary = u"list the paired clients, their last runs, and what each may always do"_s,
         .synopsis = u"[--json]"_s,
         .options = {{"--json", "", u"print JSON, one object a client"_s}},
         .details =
             uR"(Tokens are never shown. "glovebox mcp installed" lists the desktop agents that start Glovebox themselves.

Example:
  glovebox mcp clients
)"_s,
         .run = listClients},
        {.name = u"mcp unpair"_s,
         .summary = u"take back a client's pairing and all that it was granted"_s,
         .synopsis = u"NAME|ID"_s,
         .details =
             uR"(From then on its requests are refused with status 401. Its runs at a running "glovebox mcp --http" are ended within
a few seconds.

Example:
  glovebox mcp unpair my-editor
)"_s,
         .run = unpairClient},
    };
}

} // namespace glovebox
