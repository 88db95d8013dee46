// SPDX-License-Identifier: Apache-2.0
#include "engine/languages/celltext.h"

#include <QByteArray>

#include <algorithm>
#include <cctype>

namespace glovebox {

namespace {

// After these a "/" begins a regular expression, and no statement ends.
constexpr QByteArrayView openWords[] = {"await", "const", "delete", "do",     "else",   "finally", "in",
                                        "let",   "new",   "of",     "return", "throw",  "try",     "typeof",
                                        "var",   "void",  "yield",  "case",   "extends"};

bool isOfWord(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80;
}

class Scan
{
public:
    explicit Scan(QByteArrayView text)
        : m_text(text)
    {
    }
    CellText result();

private:
    enum class Passed { Yes, NotEnded, Wrong };

    bool expectsValue() const;
    Passed passString(char quote);
    Passed passTemplate();
    Passed passRegularExpression();
    Passed passComment();
    Passed passOne();

    QByteArrayView m_text;
    qsizetype m_at = 0;
    QByteArray m_open; // brackets; '`' for a "${" of a template
    QByteArray m_last; // word or character
};

bool Scan::expectsValue() const
{
    if (m_last.isEmpty())
        return true;
    if (m_last == "++" || m_last == "--")
        return false;
    const char last = m_last.back();
    return isOfWord(last) ? std::ranges::find(openWords, QByteArrayView(m_last)) != std::end(openWords)
                          : !QByteArrayView(")]}\"'").contains(last);
}

Scan::Passed Scan::passString(char quote)
{
    for (++m_at; m_at < m_text.size(); ++m_at) {
        const char c = m_text[m_at];
        if (c == '\\') {
            ++m_at;
        } else if (c == quote) {
            ++m_at;
            m_last = QByteArray(1, quote);
            return Passed::Yes;
        } else if (c == '\n') {
            return Passed::Wrong;
        }
    }
    return Passed::Wrong;
}

// From behind the "`" or the "}" of a part.
Scan::Passed Scan::passTemplate()
{
    for (; m_at < m_text.size(); ++m_at) {
        const char c = m_text[m_at];
        if (c == '\\') {
            ++m_at;
        } else if (c == '`') {
            ++m_at;
            m_last = "'";
            return Passed::Yes;
        } else if (m_text.sliced(m_at).startsWith("${")) {
            m_at += 2;
            m_open.append('`');
            m_last = "{";
            return Passed::Yes;
        }
    }
    return Passed::NotEnded;
}

Scan::Passed Scan::passRegularExpression()
{
    bool isInClass = false;
    for (++m_at; m_at < m_text.size() && m_text[m_at] != '\n'; ++m_at) {
        const char c = m_text[m_at];
        if (c == '\\') {
            ++m_at;
        } else if (c == '/' && !isInClass) {
            ++m_at;
            m_last = "'";
            return Passed::Yes;
        } else if (c == '[' || c == ']') {
            isInClass = c == '[';
        }
    }
    return Passed::Wrong;
}

Scan::Passed Scan::passComment()
{
    const bool isLine = m_text[m_at + 1] == '/';
    const qsizetype end = m_text.indexOf(isLine ? QByteArrayView("\n") : QByteArrayView("*/"), m_at + 2);
    m_at = end < 0 ? m_text.size() : end + (isLine ? 1 : 2);
    return end < 0 && !isLine ? Passed::NotEnded : Passed::Yes;
}

Scan::Passed Scan::passOne()
{
    const char c = m_text[m_at];
    const QByteArrayView rest = m_text.sliced(m_at);
    if (c == '"' || c == '\'')
        return passString(c);
    if (c == '`') {
        ++m_at;
        return passTemplate();
    }
    if (rest.startsWith("//") || rest.startsWith("/*"))
        return passComment();
    if (c == '/' && expectsValue())
        return passRegularExpression();
    if (isOfWord(c)) {
        const auto end = std::find_if_not(rest.begin(), rest.end(), isOfWord);
        m_last = rest.first(end - rest.begin()).toByteArray();
        m_at += m_last.size();
        return Passed::Yes;
    }
    if (c == '}' && m_open.endsWith('`')) {
        m_open.chop(1);
        ++m_at;
        return passTemplate();
    }
    if (c == '(' || c == '[' || c == '{') {
        m_open.append(c);
    } else if (c == ')' || c == ']' || c == '}') {
        if (m_open.isEmpty())
            return Passed::Wrong;
        m_open.chop(1);
    }
    if (rest.startsWith("++") || rest.startsWith("--")) {
        m_last = rest.first(2).toByteArray();
        ++m_at;
    } else if (!std::isspace(static_cast<unsigned char>(c))) {
        m_last = QByteArray(1, c);
    }
    ++m_at;
    return Passed::Yes;
}

CellText Scan::result()
{
    while (m_at < m_text.size()) {
        const Passed passed = passOne();
        if (passed != Passed::Yes)
            return passed == Passed::NotEnded ? CellText::Open : CellText::Whole;
    }
    if (!m_open.isEmpty())
        return CellText::Open;
    const bool endsStatement = m_last.isEmpty() || m_last == ";" || m_last == "return" || !expectsValue();
    return endsStatement ? CellText::Whole : CellText::MayGoOn;
}

} // namespace

CellText nodeCellText(QByteArrayView text)
{
    return Scan(text).result();
}

} // namespace glovebox
