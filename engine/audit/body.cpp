// SPDX-License-Identifier: Apache-2.0
#include "body.h"

#include "engine/sqlite/sqlite.h"

#include <QRandomGenerator>

#include <array>

namespace glovebox {

CommittedBody commitTo(QByteArrayView body, qint64 totalBytes)
{
    std::array<quint32, sha256Bytes / sizeof(quint32)> random;
    QRandomGenerator::system()->fillRange(random.data(), qsizetype(random.size()));
    CommittedBody committed;
    committed.salt = QByteArray(reinterpret_cast<const char *>(random.data()), sizeof(random));
    committed.commitment = sha256({committed.salt, body});
    committed.digest = sha256({body});
    committed.bytes = totalBytes < 0 ? body.size() : totalBytes;
    committed.kept = body.size();
    return committed;
}

QString artifactBodyName(qsizetype number)
{
    return QStringLiteral("artifact/%1").arg(number);
}

Status checkWhole(const CommittedBody &body, const QString &what)
{
    if (body.commitment.size() == sha256Bytes && body.digest.size() == sha256Bytes && body.salt.size() == sha256Bytes
        && body.kept >= 0 && body.bytes >= body.kept)
        return {};
    return fail(ErrorCode::InvalidInput, QT_TRANSLATE_NOOP("engine", "The commitment to \"%1\" is incomplete."),
                {what});
}

Status addBody(Connection &connection, qint64 seq, const QString &what, const CommittedBody &body)
{
    return connection.run("INSERT INTO bodies(seq, what, digest, salt, bytes, kept) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
                          seq, what, body.digest, body.salt, body.bytes, body.kept);
}

} // namespace glovebox
