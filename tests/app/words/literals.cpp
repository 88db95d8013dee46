// SPDX-License-Identifier: Apache-2.0
#include "literals.h"

#include <QRegularExpression>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QString unescaped(const QString &body)
{
    QString text;
    for (qsizetype i = 0; i < body.size(); ++i) {
        if (body[i] != u'\\' || i + 1 == body.size()) {
            text += body[i];
            continue;
        }
        const QChar next = body[++i];
        text += next == u'n' ? QChar(u'\n') : next == u't' ? QChar(u'\t') : next;
    }
    return text;
}

} // namespace

QList<Literal> literalsIn(const QString &source)
{
    // Possessive: a file of many lines must not exhaust the matcher.
    static const QRegularExpression token(
        uR"x((?<skip>//[^\n]*+|/\*.*?\*/|^[ \t]*#[ \t]*include[^\n]*+|\s++))x"
        uR"x(|(?:u8|u|U|L)?R"(?<mark>[^()\\ ]{0,16})\((?<raw>.*?)\)\k<mark>"(?:_\w++)?)x"
        uR"x(|(?:u8|u|U|L)?"(?<body>(?:[^"\\\n]|\\.)*+)"(?:_\w++)?)x"
        uR"x(|'(?:[^'\\\n]|\\.)++'|\w++|.)x"_s,
        QRegularExpression::DotMatchesEverythingOption | QRegularExpression::MultilineOption);
    QList<Literal> literals;
    Literal current;
    bool isOpen = false;
    int line = 1;
    const auto close = [&] {
        if (isOpen)
            literals.append(current);
        current = {};
        isOpen = false;
    };
    for (auto matches = token.globalMatch(source); matches.hasNext();) {
        const QRegularExpressionMatch match = matches.next();
        const bool isRaw = match.hasCaptured(u"raw"_s), isPlain = match.hasCaptured(u"body"_s);
        if (isRaw || isPlain) {
            if (!isOpen)
                current.line = line;
            isOpen = true;
            current.text += isRaw ? match.captured(u"raw"_s) : unescaped(match.captured(u"body"_s));
        } else if (!match.hasCaptured(u"skip"_s)) {
            close();
        }
        line += int(match.capturedView().count(u'\n'));
    }
    close();
    return literals;
}

QStringList sentencesIn(const QString &text)
{
    static const QRegularExpression paragraph(u"\\n\\s*\\n|\\n(?=  )|(?<=:)\\n"_s);
    static const QRegularExpression end(u"(?<=[.!?:])[\"')]?\\s+"_s);
    QStringList sentences;
    for (const QString &part : text.split(paragraph)) {
        for (const QString &sentence : part.simplified().split(end, Qt::SkipEmptyParts))
            sentences.append(sentence);
    }
    return sentences;
}

int wordsIn(const QString &sentence)
{
    static const QRegularExpression letter(u"\\w"_s);
    int words = 0;
    for (const QString &word : sentence.split(u' '))
        words += word.contains(letter);
    return words;
}

} // namespace glovebox
