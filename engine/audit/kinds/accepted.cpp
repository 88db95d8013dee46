// SPDX-License-Identifier: Apache-2.0
#include "accepted.h"

#include "engine/audit/reader.h"
#include "engine/sqlite/sqlite.h"

#include <QJsonArray>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype firstLineLength = 200;

QString shortenedLine(const QString &line)
{
    if (line.size() <= firstLineLength)
        return line;
    const bool splitsPair = line[firstLineLength - 1].isHighSurrogate();
    return line.first(firstLineLength - (splitsPair ? 1 : 0));
}

// Names, as they are searched for; and what each is inside, which entries of runs that were lent nothing don't have.
void addSecrets(QJsonObject &object, const std::vector<SecretGrant> &secrets)
{
    QJsonArray lent;
    QStringList names;
    for (const SecretGrant &secret : secrets) {
        lent.append(QJsonObject{{u"name"_s, secret.name}, {u"as"_s, secretPlace(secret)}});
        names.append(secret.name);
    }
    names.removeDuplicates(); // one may be lent as a variable and as a file
    object[u"secrets"_s] = QJsonArray::fromStringList(names);
    if (!lent.isEmpty())
        object[u"lent"_s] = lent;
}

Result<QJsonObject> acceptedFields(const AcceptedEntry &accepted)
{
    RETURN_IF_ERROR(checkWhole(accepted.code, u"code"_s));
    QJsonObject object{
        {u"caller"_s, toJson(accepted.caller)},
        {u"language"_s, orNull(accepted.language)},
        {u"session"_s, orNull(accepted.session)},
        {u"policy"_s, toJson(accepted.policy)},
        {u"code"_s, QJsonObject{{u"commitment"_s, QString::fromLatin1(accepted.code.commitment.toHex())},
                                {u"bytes"_s, accepted.code.bytes}}},
    };
    if (accepted.isStateful)
        object[u"stateful"_s] = true;
    if (accepted.isParallel)
        object[u"parallel"_s] = true;
    if (accepted.isDetached)
        object[u"detached"_s] = true;
    if (accepted.getsPackages)
        object[u"gets_packages"_s] = true;
    addSecrets(object, accepted.secrets);
    if (!accepted.variables.isEmpty())
        object[u"variables"_s] = QJsonArray::fromStringList(accepted.variables);
    if (!accepted.interpreter.isEmpty())
        object[u"interpreter"_s] = accepted.interpreter;
    if (accepted.terminal)
        object[u"terminal"_s] =
            QJsonObject{{u"rows"_s, accepted.terminal->rows}, {u"columns"_s, accepted.terminal->columns}};
    if (!accepted.packages.isEmpty())
        object[u"packages"_s] = accepted.packages;
    return object;
}

QString nameOf(const Caller &caller)
{
    const bool isSelfTest = caller.kind != Caller::Kind::Mcp && caller.claimed == QLatin1StringView(selfTestName);
    const bool isPairing = !caller.pairing.isEmpty() && caller.program.isEmpty();
    return isSelfTest || isPairing ? caller.claimed : caller.program;
}

// The history's row of the run, and what recovery needs to close it.
Status addRun(Connection &connection, const EntryHead &head, const AcceptedEntry &accepted)
{
    RETURN_IF_ERROR(addBody(connection, head.seq, u"code"_s, accepted.code));
    return connection.run(
        "INSERT INTO runs(seq, run, engine, time_us, language, caller_kind, caller_name, backend, session, first_line) "
        "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        head.seq, accepted.run, head.engine, head.timeMicroseconds, accepted.language, toString(accepted.caller.kind),
        nameOf(accepted.caller), accepted.policy.backend,
        accepted.session.isEmpty() ? std::nullopt : std::optional(accepted.session), shortenedLine(accepted.firstLine));
}

} // namespace

Entry toEntry(const AcceptedEntry &accepted)
{
    return {.kind = toString(EntryKind::RunAccepted),
            .run = accepted.run,
            .fields = acceptedFields(accepted),
            .also = [accepted](Connection &connection, const EntryHead &head) {
                return addRun(connection, head, accepted);
            }};
}

} // namespace glovebox
