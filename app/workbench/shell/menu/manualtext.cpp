// SPDX-License-Identifier: Apache-2.0
#include "manualtext.h"

#include <QDir>
#include <QHash>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr QLatin1StringView pagesFolder(":/glovebox/manual/");

// The escapes of mandoc_char(7) that the pages use.
QString withoutEscapes(QStringView source)
{
    QString html;
    QString font; // the tag that is open
    for (qsizetype i = 0; i < source.size(); ++i) {
        if (source[i] != u'\\' || i + 1 == source.size()) {
            html += QString(source[i]).toHtmlEscaped();
            continue;
        }
        const QChar escape = source[++i];
        if (escape == u'f' && i + 1 < source.size()) {
            const QChar wanted = source[++i];
            html += font.isEmpty() ? QString() : u"</%1>"_s.arg(font);
            font = wanted == u'B' ? u"b"_s : wanted == u'I' ? u"i"_s : QString();
            html += font.isEmpty() ? QString() : u"<%1>"_s.arg(font);
        } else if (escape == u'(') { // \(aq
            html += u'\'';
            i += 2;
        } else if (escape == u'e') {
            html += u'\\';
        } else if (escape != u'&') {
            html += QString(escape).toHtmlEscaped();
        }
    }
    return font.isEmpty() ? html : html + u"</%1>"_s.arg(font);
}

// How the words after a macro look.
struct Phrase
{
    const char16_t *tag;
    const char16_t *before = u"";
    const char16_t *after = u"";
};

const QHash<QString, Phrase> &phrases()
{
    static const QHash<QString, Phrase> table{
        {u"Fl"_s, {u"b", u"-"}},
        {u"Nm"_s, {u"b"}},
        {u"Cm"_s, {u"b"}},
        {u"Ic"_s, {u"b"}},
        {u"Sy"_s, {u"b"}},
        {u"Ar"_s, {u"i"}},
        {u"Va"_s, {u"i"}},
        {u"Pa"_s, {u"i"}},
        {u"Li"_s, {u"code"}},
        {u"Sx"_s, {u"i"}},
        {u"Dq"_s, {u"", u"“", u"”"}},
        {u"Pq"_s, {u"", u"(", u")"}},
        {u"No"_s, {u""}},
    };
    return table;
}

bool isClosing(const QString &word)
{
    static const QString delimiters = u".,:;)]?!"_s;
    return word.size() == 1 && delimiters.contains(word);
}

// The arguments of a macro line, from the macro on: "Fl t , Fl \-timeout Ar TIME".
QString phraseOf(const QStringList &words)
{
    QString html;
    Phrase phrase{u""};
    bool isLink = false;
    for (qsizetype i = 0; i < words.size(); ++i) {
        const QString &word = words[i];
        if (const auto known = phrases().constFind(word); known != phrases().constEnd()) {
            phrase = *known;
            continue;
        }
        if (word == u"Xr") {
            isLink = true;
            continue;
        }
        const bool closes = isClosing(word);
        if (!html.isEmpty() && !closes)
            html += u' ';
        if (isLink && i + 1 < words.size()) {
            html += u"<a href=\"%1.%2\">%1(%2)</a>"_s.arg(word, words[i + 1]);
            isLink = false;
            ++i;
        } else if (closes || *phrase.tag == 0) {
            html += (closes ? u""_s : QString::fromUtf16(phrase.before)) + withoutEscapes(word)
                    + (closes ? u""_s : QString::fromUtf16(phrase.after));
        } else {
            html += u"<%1>%2%3</%1>"_s.arg(QString::fromUtf16(phrase.tag), QString::fromUtf16(phrase.before),
                                           withoutEscapes(word));
        }
    }
    return html;
}

class Writer
{
public:
    QString written;

    void add(const QString &line)
    {
        if (m_isLiteral && line != u".Ed") {
            written += withoutEscapes(line) + u'\n';
            return;
        }
        if (!line.startsWith(u'.')) {
            say(withoutEscapes(line));
            return;
        }
        const QStringList words = line.sliced(1).split(u' ', Qt::SkipEmptyParts);
        const QString macro = words.value(0);
        const QStringList rest = words.mid(1);
        if (!addBlock(macro, rest))
            addPhrase(macro, words, line);
    }
    void finish() { closeLists(); }

private:
    // Structure: sections, paragraphs, lists, examples.
    bool addBlock(const QString &macro, const QStringList &rest)
    {
        if (macro == u"Sh" || macro == u"Ss") {
            closeLists();
            m_section = macro == u"Sh" ? rest.join(u' ') : m_section;
            written += (macro == u"Sh" ? u"<h3>%1</h3>"_s : u"<h4>%1</h4>"_s).arg(withoutEscapes(rest.join(u' ')));
        } else if (macro == u"Pp") {
            written += u"<p>"_s;
        } else if (macro == u"Bl") {
            m_lists.append(rest.contains(u"-tag"_s) ? u"dl"_s : u"ul"_s);
            written += u"<%1>"_s.arg(m_lists.last());
        } else if (macro == u"It" && !m_lists.isEmpty()) {
            const bool isTag = m_lists.last() == u"dl";
            written += isTag ? u"<dt>%1</dt><dd>"_s.arg(phraseOf(rest)) : u"<li>"_s;
        } else if (macro == u"El" && !m_lists.isEmpty()) {
            written += u"</%1>"_s.arg(m_lists.takeLast());
        } else if (macro == u"Bd") {
            m_isLiteral = true;
            written += u"<pre>"_s;
        } else if (macro == u"Ed") {
            m_isLiteral = false;
            written += u"</pre>"_s;
        } else {
            return macro == u"Dd" || macro == u"Dt" || macro == u"Os" || macro.startsWith(u'\\');
        }
        m_sticks = false;
        return true;
    }
    void addPhrase(const QString &macro, const QStringList &words, const QString &line)
    {
        if (macro == u"Nd") {
            say(u"– "_s + withoutEscapes(words.mid(1).join(u' ')));
        } else if (macro == u"Po") {
            say(u"("_s);
            m_sticks = true;
        } else if (macro == u"Pc") {
            written += u')';
        } else if (phrases().contains(macro) || macro == u"Xr") {
            if (macro == u"Nm" && m_section == u"SYNOPSIS")
                written += u"<p>"_s;
            say(phraseOf(words));
        } else {
            say(withoutEscapes(line));
        }
    }
    void say(const QString &html)
    {
        written += m_sticks ? html : u' ' + html;
        m_sticks = false;
    }
    void closeLists()
    {
        while (!m_lists.isEmpty())
            written += u"</%1>"_s.arg(m_lists.takeLast());
    }

    QString m_section;
    QStringList m_lists;
    bool m_isLiteral = false;
    bool m_sticks = false; // the next word follows without a blank
};

} // namespace

QStringList manualPages()
{
    return QDir(pagesFolder).entryList(QDir::Files, QDir::Name);
}

QString manualPageAsHtml(const QString &name)
{
    QFile file(pagesFolder + name);
    if (!manualPages().contains(name) || !file.open(QIODevice::ReadOnly))
        return {};
    return mdocAsHtml(QString::fromUtf8(file.readAll()));
}

QString mdocAsHtml(const QString &source)
{
    Writer writer;
    for (const QString &line : source.split(u'\n', Qt::SkipEmptyParts))
        writer.add(line);
    writer.finish();
    return writer.written;
}

} // namespace glovebox
