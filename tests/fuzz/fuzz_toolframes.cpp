// SPDX-License-Identifier: Apache-2.0
// What runs and servers write to the broker between them: lines are the same in whatever pieces they come, nothing answers what wasn't
// asked, and what a run's request is checked for is what is passed on.
#include "engine/toolservers/frames.h"

#include <QJsonDocument>

#include <algorithm>
#include <cassert>
#include <cstdint>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

constexpr qint64 lastId = 3;

QList<QByteArray> linesOf(QByteArrayView bytes, qsizetype step)
{
    ServerLines reader;
    QList<QByteArray> lines;
    for (qsizetype at = 0; at < bytes.size(); at += step)
        lines += reader.feed(bytes.sliced(at, std::min(step, bytes.size() - at)));
    return lines;
}

void readAsServer(const QByteArray &line)
{
    assert(!line.contains('\n'));
    const ServerMessage message = readServerLine(line, lastId);
    if (const auto *answer = std::get_if<ServerAnswer>(&message)) {
        assert(answer->id <= lastId && (answer->id >= 1 || (answer->id == ServerAnswer::nobodys && answer->error)));
        assert(!answer->error || (answer->result.isEmpty() && recordable(*answer->error) == *answer->error));
    } else if (const auto *toSend = std::get_if<QJsonObject>(&message)) {
        const QByteArray text = compact(*toSend);
        assert(!text.contains('\n') && QByteArrayView(text).isValidUtf8());
        const QJsonValue id = QJsonDocument::fromJson(line).object()[u"id"_s];
        assert(QJsonDocument::fromJson(text).object()[u"id"_s] == id);
    }
}

void readAsRequest(const QByteArray &bytes)
{
    const auto request = toolRequestFrom(bytes);
    if (!request)
        return;
    const QByteArray text = compact(request->arguments);
    assert(!text.contains('\n') && QByteArrayView(text).isValidUtf8());
    const QJsonObject passedOn = QJsonDocument::fromJson(text).object();
    assert(passedOn == request->arguments);
    const ToolRule rule{u"read"_s, {{u"disk"_s, QJsonArray{u"work"_s, 7, true}}}};
    if (!checkToolArguments(rule, u"t.read"_s, passedOn))
        return;
    const QJsonValue allowed = passedOn[u"disk"_s];
    assert(allowed == u"work"_s || allowed == 7 || allowed == true);
    const auto isTheSame = [](const QString &key) { return key.compare(u"disk"_s, Qt::CaseInsensitive) == 0; };
    assert(std::ranges::count_if(passedOn.keys(), isTheSame) == 1);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArray bytes(reinterpret_cast<const char *>(data), qsizetype(size));
    const QList<QByteArray> lines = linesOf(bytes, bytes.size() + 1);
    assert(lines == linesOf(bytes, 1) && lines == linesOf(bytes, 7));
    for (const QByteArray &line : lines) {
        readAsServer(line);
        readAsRequest(line);
    }
    readAsRequest(bytes);
    return 0;
}
