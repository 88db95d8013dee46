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

bool isBlank(QStringView line)
{
    return line.trimmed().isEmpty();
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

QList<Literal> paragraphsOfPage(const QString &page)
{
    static const QRegularExpression displays(u"^\\.(Bd|nf|EX)\\b"_s), displayEnds(u"^\\.(Ed|fi|EE)\\b"_s);
    static const QRegularExpression breaks(
        u"^\\.(Sh|Ss|SH|SS|Pp|PP|P|TP|It|Bl|El|IP|RS|RE|Dd|Dt|Os|TH|Nm|Nd|br|sp)\\b"_s);
    static const QRegularExpression macro(u"^\\.[A-Za-z]+ ?"_s),
        inner(u"(?<= |^)(Fl|Ar|Cm|Nm|Pa|Ev|Sy|Em|Ic|Li|Ql|Dq|Sq|Xr|Ns|Op|Oo|Oc|No|Va|Dv|Ql)(?= |$)"_s);
    static const QRegularExpression fonts(u"\\\\f[BIRP]|\\\\f\\(?CW|\\\\&|\\\\/"_s);
    QList<Literal> paragraphs;
    Literal current;
    bool isDisplay = false;
    const auto close = [&] {
        if (!isBlank(current.text))
            paragraphs.append({current.line, current.text.simplified()});
        current = {};
    };
    int number = 0;
    for (QString line : page.split(u'\n')) {
        ++number;
        if (displays.match(line).hasMatch())
            isDisplay = true;
        if (isDisplay) {
            isDisplay = !displayEnds.match(line).hasMatch();
            close();
            continue;
        }
        if (line.startsWith(u".\\\"") || line.startsWith(u"'\\\"") || isBlank(line)) {
            close();
            continue;
        }
        if (breaks.match(line).hasMatch()) {
            close();
            continue;
        }
        line.remove(macro).remove(fonts).remove(inner);
        line.replace(u"\\-"_s, u"-"_s).replace(u"\\(aq"_s, u"'"_s).replace(u" ."_s, u"."_s).replace(u" ,"_s, u","_s);
        if (current.text.isEmpty())
            current.line = number;
        current.text += line + u' ';
    }
    close();
    return paragraphs;
}

QList<Literal> paragraphsOfMarkdown(const QString &text)
{
    static const QRegularExpression item(u"^\\s*([-*]|\\d+\\.) "_s), marks(u"`[^`]*`|\\*\\*|!?\\[|\\]\\([^)]*\\)"_s);
    QList<Literal> paragraphs;
    Literal current;
    bool isCode = false;
    const auto close = [&] {
        if (!isBlank(current.text))
            paragraphs.append({current.line, current.text.simplified()});
        current = {};
    };
    int number = 0;
    for (QString line : text.split(u'\n')) {
        ++number;
        if (line.startsWith(u"```"))
            isCode = !isCode;
        if (isCode || line.startsWith(u"```") || line.startsWith(u'#') || line.startsWith(u'<') || isBlank(line)) {
            close();
            continue;
        }
        if (line.startsWith(u'|')) {
            close();
            for (const QString &cell : line.split(u'|'))
                paragraphs.append({number, cell.trimmed().remove(u'`').remove(u"**"_s)});
            continue;
        }
        if (item.match(line).hasMatch())
            close();
        line.remove(item);
        line.replace(marks, u"CODE"_s); // a command in a sentence is one word
        if (current.text.isEmpty())
            current.line = number;
        current.text += line.replace(u"CODE"_s, u" code "_s) + u' ';
    }
    close();
    return paragraphs;
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
