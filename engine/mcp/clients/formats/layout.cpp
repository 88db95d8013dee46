// SPDX-License-Identifier: Apache-2.0
#include "layout.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace glovebox::mcp {

using namespace Qt::StringLiterals;

QByteArray spliced(const QByteArray &text, Splices splices)
{
    std::ranges::sort(splices, {}, &Splice::at);
    QByteArray result;
    qsizetype done = 0;
    for (const Splice &splice : splices) {
        result += QByteArrayView(text).sliced(done, splice.at - done);
        result += splice.bytes;
        done = splice.at + splice.length;
    }
    return result + text.sliced(done);
}

QByteArray lineEndOf(const QByteArray &text)
{
    const qsizetype first = text.indexOf('\n');
    return first > 0 && text[first - 1] == '\r' ? "\r\n"_ba : "\n"_ba;
}

qsizetype startOf(const QByteArray &text)
{
    return text.startsWith("\xef\xbb\xbf") ? 3 : 0;
}

qsizetype lineStartOf(const QByteArray &text, qsizetype at)
{
    const qsizetype end = at > 0 ? text.lastIndexOf('\n', at - 1) : -1;
    return end < 0 ? startOf(text) : end + 1;
}

QByteArray jsonText(const QJsonValue &value)
{
    return QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact).sliced(1).chopped(1);
}

QJsonValue valueOf(const QByteArray &jsonText)
{
    const QJsonDocument document = QJsonDocument::fromJson('[' + jsonText + ']');
    const QJsonArray array = document.array();
    return array.size() == 1 ? array.first() : QJsonValue(QJsonValue::Undefined);
}

QList<std::pair<QString, QJsonValue>> settingsOf(const ClientProgram &program, const QString &command)
{
    if (program.commandKey.isEmpty())
        return program.before + program.after;
    return program.before
           + QList<std::pair<QString, QJsonValue>>{{program.commandKey, command}, {u"args"_s, QJsonArray{u"mcp"_s}}}
           + program.after;
}

} // namespace glovebox::mcp
