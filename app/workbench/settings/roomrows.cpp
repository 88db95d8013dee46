// SPDX-License-Identifier: Apache-2.0
#include "roomrows.h"

#include "app/workbench/shell/background.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QLabel>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

struct RoomWords
{
    Q_DECLARE_TR_FUNCTIONS(RoomRows)
};

class SizeRow : public SettingRow
{
public:
    SizeRow(Theme &theme, const QString &id, const QString &title, const QString &explanation, QWidget *parent)
        : SettingRow(theme, id, title, explanation, RoomWords::tr("space disk size storage"), parent)
        , m_size(makeLabel({}, this))
    {
        m_size->setWordWrap(false);
        setField(m_size);
    }
    void showSize(const QString &text) { m_size->setText(text); }

private:
    QLabel *m_size;
};

// Bytes of the database and of SQLite's files beside it.
qint64 bytesOfRecord(const QString &file)
{
    qint64 bytes = 0;
    for (const char *suffix : {"", "-wal", "-shm"})
        bytes += QFileInfo(file + QLatin1StringView(suffix)).size();
    return bytes;
}

} // namespace

QList<RoomRow> makeRoomRows(Theme &theme, QWidget *parent)
{
    QList<RoomRow> rows;
    const auto add = [&](const QString &id, const QString &title, const QString &explanation) {
        auto *row = new SizeRow(theme, u"room."_s + id, title, explanation, parent);
        rows.append({row, [row](const QString &text) { row->showSize(text); }});
    };
    add(u"code"_s, RoomWords::tr("Code"), RoomWords::tr("The code of all runs, the same code once."));
    add(u"output"_s, RoomWords::tr("Output"), RoomWords::tr("The output of runs, as far as it was kept."));
    add(u"files"_s, RoomWords::tr("Files"), RoomWords::tr("Files that runs left in /work."));
    add(u"other"_s, RoomWords::tr("Other"),
        RoomWords::tr("Bytes that wait for an answer, are withheld, or are in no entry."));
    add(u"record"_s, RoomWords::tr("Log"), RoomWords::tr("The entries themselves, which stay as they are."));
    return rows;
}

void measureRoom(WorkbenchContext &context, QObject *receiver, const QList<RoomRow> &rows)
{
    const Engine *engine = context.engine();
    if (!engine || rows.size() != 5)
        return;
    inBackground(
        context.pool(), receiver,
        [file = context.paths().auditFile(), store = engine->store()] {
            const auto reader = AuditReader::open(file);
            return std::pair(reader ? storedBytes(**reader, store) : std::unexpected(reader.error()),
                             bytesOfRecord(file));
        },
        [rows](const std::pair<Result<StoredBytes>, qint64> &measured) {
            const auto &[stored, record] = measured;
            if (stored) {
                const qint64 sizes[] = {stored->code, stored->output, stored->artifacts, stored->other};
                for (int i = 0; i < 4; ++i)
                    rows[i].show(sizeWord(sizes[i]));
            } else {
                for (int i = 0; i < 4; ++i) {
                    rows[i].show(RoomWords::tr("not known"));
                    rows[i].row->showError(translated(stored.error().message));
                }
            }
            rows[4].show(sizeWord(record));
        });
}

} // namespace glovebox
