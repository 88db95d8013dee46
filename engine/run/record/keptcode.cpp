// SPDX-License-Identifier: Apache-2.0
#include "keptcode.h"

#include <algorithm>

namespace glovebox {

Status storeCode(const ContentStore &store, const AcceptedEntry &entry, const RunRequest &request)
{
    if (request.secrets.empty())
        return store.put(entry.code.digest, recordedCode(request));
    return store.hold({entry.code.digest, entry.run}, recordedCode(request));
}

Status KeptCode::settle(const ScrubPlan *plan)
{
    if (m_isSettled || m_request.secrets.empty())
        return {};
    if (!m_isRecorded) {
        RETURN_IF_ERROR(record(plan));
        m_isRecorded = true;
    }
    const Status done = m_isScrubbed ? m_rooms.store.drop(m_held) : m_rooms.store.keep(m_held);
    m_isSettled = done.has_value();
    return done;
}

// The store first: an entry doesn't commit to what isn't there.
Status KeptCode::record(const ScrubPlan *plan)
{
    const QByteArrayView code = recordedCode(m_request);
    m_held = {sha256({code}), m_run.id()};
    const QStringList secrets = plan ? plan->namesIn(code) : QStringList();
    if (secrets.isEmpty()) {
        RETURN_IF_ERROR(m_rooms.log.appendNow(firstLineOf(m_run.id(), firstLineOf(code))));
        return {};
    }
    const QByteArray scrubbed = plan->scrubbed(code);
    const ScrubbedEntry entry{m_run.id(), commitTo(scrubbed), secrets, firstLineOf(scrubbed)};
    RETURN_IF_ERROR(m_rooms.store.put(entry.code.digest, scrubbed));
    m_isScrubbed = true;
    RETURN_IF_ERROR(m_rooms.log.appendNow(toEntry(entry)));
    return {};
}

namespace {

// Settles the code that is held of a run that is over.
Status settleLeft(const ContentStore &store, AuditLog &log, const AuditReader &reader, const ContentStore::Held &held)
{
    ASSIGN_OR_RETURN(const RunRow row, reader.run(held.owner));
    if (row.finishedSeq == 0)
        return {}; // its engine lives
    ASSIGN_OR_RETURN(const QList<StoredBody> bodies, reader.bodiesOf(row.run));
    const bool isKept = std::ranges::any_of(bodies, [&](const StoredBody &body) { return body.digest == held.digest; });
    if (!isKept)
        return store.drop(held);
    if (const auto code = store.get(held.digest); code && row.firstLine.isEmpty())
        RETURN_IF_ERROR(log.appendNow(firstLineOf(row.run, firstLineOf(*code))));
    return store.keep(held);
}

} // namespace

void settleLeftCode(const ContentStore &store, AuditLog &log, const QString &logFile)
{
    const QList<ContentStore::Held> all = store.allHeld();
    if (all.isEmpty())
        return;
    const auto reader = AuditReader::open(logFile);
    for (const ContentStore::Held &held : all) {
        const Status settled =
            reader ? settleLeft(store, log, **reader, held) : Status(std::unexpected(reader.error()));
        if (!settled && settled.error().code != ErrorCode::NotFound) // not accepted yet
            qCWarning(lcAudit).noquote() << settled.error().message.english() << settled.error().detail.english();
    }
}

} // namespace glovebox
