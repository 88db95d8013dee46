// SPDX-License-Identifier: Apache-2.0
#include "scrubbed.h"

#include "engine/sqlite/sqlite.h"

#include <QJsonArray>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

Result<QJsonObject> scrubbedFields(const ScrubbedEntry &scrubbed)
{
    RETURN_IF_ERROR(checkWhole(scrubbed.code, u"code"_s));
    return QJsonObject{
        {u"code"_s, QJsonObject{{u"commitment"_s, QString::fromLatin1(scrubbed.code.commitment.toHex())},
                                {u"bytes"_s, scrubbed.code.bytes}}},
        {u"secrets"_s, QJsonArray::fromStringList(scrubbed.secrets)},
    };
}

Status setFirstLine(Connection &connection, const QString &run, const QString &firstLine)
{
    RETURN_IF_ERROR(connection.run("UPDATE runs SET first_line = ?1 WHERE run = ?2", firstLine, run));
    if (connection.changes() == 1)
        return {};
    return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "The run %1 was never accepted."), {run});
}

Status replaceCode(Connection &connection, const EntryHead &head, const ScrubbedEntry &scrubbed)
{
    RETURN_IF_ERROR(connection.run("DELETE FROM bodies WHERE what = 'code' AND seq = "
                                   "(SELECT seq FROM runs WHERE run = ?1)",
                                   scrubbed.run));
    RETURN_IF_ERROR(addBody(connection, head.seq, u"code"_s, scrubbed.code));
    return setFirstLine(connection, scrubbed.run, scrubbed.firstLine);
}

} // namespace

Entry toEntry(const ScrubbedEntry &scrubbed)
{
    return {.kind = toString(EntryKind::RunScrubbed),
            .run = scrubbed.run,
            .fields = scrubbedFields(scrubbed),
            .also = [scrubbed](Connection &connection, const EntryHead &head) {
                return replaceCode(connection, head, scrubbed);
            }};
}

Entry firstLineOf(const QString &run, const QString &firstLine)
{
    return {.kind = {}, .run = {}, .fields = QJsonObject(), .also = [=](Connection &connection, const EntryHead &) {
                return setFirstLine(connection, run, firstLine);
            }};
}

} // namespace glovebox
