// SPDX-License-Identifier: Apache-2.0
#include "linuxuses.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

#include <algorithm>

using namespace Qt::StringLiterals;

Linux Linux::read()
{
    QFile file(QStringLiteral(GLOVEBOX_SOURCE_DIR "/tests/engine/platform/linux.json"));
    const QByteArray text = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    const QJsonObject json = QJsonDocument::fromJson(text).object();
    const auto words = [&json](QLatin1StringView key) {
        QStringList list;
        for (const auto word : json[key].toArray())
            list.append(word.toString());
        return list;
    };
    const QStringList names = words("names"_L1);
    Linux all{words("folders"_L1), QSet(names.begin(), names.end()), words("headers"_L1), words("paths"_L1), {}, {}};
    for (const auto each : json["exceptions"_L1].toArray()) {
        all.exceptions.insert({each["file"_L1].toString(), each["uses"_L1].toString()});
        if (each["because"_L1].toString().isEmpty())
            all.unreasoned += each["file"_L1].toString() + u'\n';
    }
    return all;
}

bool Linux::mayBeIn(const QString &path) const
{
    return std::ranges::any_of(folders, [&](const QString &folder) { return path.startsWith(folder); });
}

QList<Use> Linux::usesIn(const QString &path, const QString &source) const
{
    // A call that has a usual word for its name is in the list as the code writes it, "::mount".
    static const QRegularExpression token(uR"x(//[^\n]*+|/\*.*?\*/)x"
                                          uR"x(|#[ \t]*include[ \t]*[<"](?<header>[^>"\n]++)[>"])x"
                                          uR"x(|R"(?<mark>[^()\\ ]{0,16})\((?<raw>.*?)\)\k<mark>")x"
                                          uR"x(|"(?<text>(?:[^"\\\n]|\\.)*+)"|'(?:[^'\\\n]|\\.)++')x"
                                          uR"x(|(?<word>(?:(?<![\w>])::)?\w++)|\n)x"_s,
                                          QRegularExpression::DotMatchesEverythingOption);
    QList<Use> uses;
    int line = 1;
    const auto startsOne = [](const QStringList &list, const QString &text) {
        return std::ranges::any_of(list, [&](const QString &each) { return text.startsWith(each); });
    };
    for (auto matches = token.globalMatch(source); matches.hasNext();) {
        const QRegularExpressionMatch match = matches.next();
        const QString header = match.captured(u"header"_s), word = match.captured(u"word"_s);
        const QString text = match.captured(match.hasCaptured(u"raw"_s) ? u"raw"_s : u"text"_s);
        if (names.contains(word) || names.contains(word.sliced(word.startsWith(u"::") ? 2 : 0)))
            uses.append({path, line, word});
        else if (startsOne(headers, header))
            uses.append({path, line, header});
        else if (startsOne(paths, text))
            uses.append({path, line, text});
        line += int(match.capturedView().count(u'\n'));
    }
    return uses;
}
