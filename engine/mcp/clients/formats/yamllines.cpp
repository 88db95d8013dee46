// SPDX-License-Identifier: Apache-2.0
#include "yamllines.h"

#include <cstring>

namespace glovebox::mcp {

namespace {

class YamlScanner
{
public:
    explicit YamlScanner(const QByteArray &text)
        : m_text(text)
        , m_at(startOf(text))
    {
    }

    Reading<QList<YamlLine>> lines()
    {
        bool mayBegin = true; // "---" may still come
        while (m_at < m_text.size()) {
            YamlLine line{.at = m_at};
            while (here() == ' ')
                ++m_at;
            line.indent = m_at - line.at;
            if (isRestBlank()) {
                m_at = lineEnd();
                continue;
            }
            const bool begins = line.indent == 0 && startsHere("---") && isGap(3);
            if (begins && mayBegin) {
                m_at += 3;
                if (!isRestBlank())
                    return wrong();
                m_at = lineEnd();
                mayBegin = false;
                continue;
            }
            if (begins || here() == '\t' || here() == '%' || (line.indent == 0 && startsHere("...") && isGap(3)))
                return wrong();
            mayBegin = false;
            if (!takeLine(line))
                return wrong();
            m_lines.append(line);
        }
        return m_lines;
    }

private:
    char at(qsizetype place) const { return place >= 0 && place < m_text.size() ? m_text[place] : '\0'; }
    char here() const { return at(m_at); }
    bool startsHere(QByteArrayView expected) const { return QByteArrayView(m_text).sliced(m_at).startsWith(expected); }
    // White space or the end, so many bytes from here.
    bool isGap(qsizetype further) const
    {
        const char byte = at(m_at + further);
        return m_at + further >= m_text.size() || byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
    }
    bool isColon() const { return here() == ':' && isGap(1); }
    bool isComment() const { return here() == '#' && isGap(-1); }
    std::unexpected<Misreading> wrong() const { return std::unexpected(Misreading{m_at}); }
    qsizetype lineEnd() const
    {
        const qsizetype end = m_text.indexOf('\n', m_at);
        return end < 0 ? m_text.size() : end + 1;
    }
    void skipSpace()
    {
        while (here() == ' ' || here() == '\t')
            ++m_at;
    }
    // Nothing but a comment follows in the line; a comment needs white space before it.
    bool isRestBlank() const
    {
        qsizetype first = m_at;
        while (at(first) == ' ' || at(first) == '\t')
            ++first;
        const bool isGapBefore = first > m_at || m_at == lineStartOf(m_text, m_at) || isGap(-1);
        return first >= m_text.size() || at(first) == '\n' || (at(first) == '\r' && at(first + 1) == '\n')
               || (at(first) == '#' && isGapBefore);
    }

    bool takeLine(YamlLine &line)
    {
        qsizetype parent = line.indent; // what text in | style is indented more than
        while (here() == '-' && isGap(1)) {
            line.isItem = true;
            parent = m_at - line.at;
            ++m_at;
            skipSpace();
        }
        if (here() == '?' && isGap(1))
            return false;
        if (const qsizetype keyAt = m_at; takeKey(line)) {
            parent = keyAt - line.at;
            skipSpace();
        }
        while ((here() == '&' || here() == '!') && !isRestBlank()) { // anchor, tag
            while (!isGap(0))
                ++m_at;
            skipSpace();
        }
        line.valueAt = m_at;
        if (!takeValue(line, parent))
            return false;
        line.end = m_at;
        return true;
    }

    // With its colon, or nothing.
    bool takeKey(YamlLine &line)
    {
        const qsizetype from = m_at;
        qsizetype end = from;
        if (here() == '"' || here() == '\'') {
            const bool isDouble = here() == '"';
            if (takeQuoted()) {
                end = m_at;
                const QByteArray raw = m_text.sliced(from, end - from);
                line.key = isDouble ? valueOf(raw).toString().toUtf8() : raw.sliced(1).chopped(1);
                skipSpace();
            }
        } else if (here() != '[' && here() != '{' && here() != '#') {
            const qsizetype past = lineEnd();
            while (m_at < past && !isColon() && !isComment())
                ++m_at;
            end = m_at;
            line.key = m_text.sliced(from, end - from).trimmed();
        }
        line.hasKey = end > from && isColon();
        m_at = line.hasKey ? m_at + 1 : from;
        if (!line.hasKey)
            line.key.clear();
        return line.hasKey;
    }

    bool takeValue(YamlLine &line, qsizetype parent)
    {
        line.valueEnd = m_at;
        if (here() == '|' || here() == '>') {
            m_at = lineEnd();
            line.valueEnd = m_at;
            takeIndented(parent);
            return true;
        }
        if (isRestBlank()) {
            m_at = lineEnd();
            return true;
        }
        if (here() == '"' || here() == '\'' || here() == '[' || here() == '{') {
            if (!(here() == '[' || here() == '{' ? takeBrackets() : takeQuoted()))
                return false;
            line.valueEnd = m_at;
            if (!isRestBlank())
                return false;
            m_at = lineEnd();
            return true;
        }
        const qsizetype past = lineEnd();
        while (m_at < past && !isComment())
            ++m_at;
        line.valueEnd =
            line.valueAt + QByteArrayView(m_text).sliced(line.valueAt, m_at - line.valueAt).trimmed().size();
        m_at = past;
        return true;
    }

    void takeIndented(qsizetype parent)
    {
        while (m_at < m_text.size()) {
            const qsizetype past = lineEnd();
            const QByteArrayView whole = QByteArrayView(m_text).sliced(m_at, past - m_at);
            qsizetype indent = 0;
            while (indent < whole.size() && whole[indent] == ' ')
                ++indent;
            if (!whole.trimmed().isEmpty() && indent <= parent)
                return;
            m_at = past;
        }
    }

    bool takeQuoted()
    {
        const char quote = here();
        const qsizetype from = m_at;
        for (++m_at; m_at < m_text.size(); ++m_at) {
            const bool isDoubled = here() == '\'' && quote == '\'' && at(m_at + 1) == '\'';
            if (isDoubled || (here() == '\\' && quote == '"')) {
                ++m_at;
            } else if (here() == quote) {
                ++m_at;
                return true;
            }
        }
        m_at = from;
        return false;
    }

    bool takeBrackets()
    {
        QByteArray open;
        const qsizetype from = m_at;
        while (m_at < m_text.size()) {
            const char byte = here();
            const bool beginsValue = isGap(-1) || std::strchr("[{,:", at(m_at - 1));
            if ((byte == '"' || byte == '\'') && beginsValue) {
                if (!takeQuoted())
                    break;
                continue;
            }
            if (isComment()) {
                m_at = lineEnd();
                continue;
            }
            if (byte == '[' || byte == '{')
                open += byte == '[' ? ']' : '}';
            ++m_at;
            if (byte != ']' && byte != '}')
                continue;
            if (open.isEmpty() || open.back() != byte)
                break;
            open.chop(1);
            if (open.isEmpty())
                return true;
        }
        m_at = from;
        return false;
    }

    const QByteArray &m_text;
    qsizetype m_at;
    QList<YamlLine> m_lines;
};

} // namespace

Reading<QList<YamlLine>> yamlLines(const QByteArray &text)
{
    return YamlScanner(text).lines();
}

} // namespace glovebox::mcp
