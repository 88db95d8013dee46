// SPDX-License-Identifier: Apache-2.0
#include "tomlstatements.h"

#include <cctype>
#include <cstring>

namespace glovebox::mcp {

namespace {

constexpr int deepestToml = 256; // arrays and inline tables in each other

class TomlScanner
{
public:
    explicit TomlScanner(const QByteArray &text)
        : m_text(text)
        , m_at(startOf(text))
    {
    }

    Reading<QList<TomlStatement>> statements()
    {
        QByteArrayList table;
        for (skipLines(); m_at < m_text.size(); skipLines()) {
            const qsizetype index = m_statements.size();
            TomlStatement statement{.at = m_at};
            if (here() == '[') {
                const bool isArray = startsHere("[[");
                m_at += isArray ? 2 : 1;
                if (!takeKey(statement.path) || !take(isArray ? "]]" : "]"))
                    return wrong();
                statement.kind = isArray ? TomlStatement::Kind::TableArray : TomlStatement::Kind::Table;
                table = statement.path;
                statement.end = m_at;
                m_statements.append(statement);
            } else if (statement.path = table; !takePair(statement, 0)) {
                return wrong();
            }
            skipSpace();
            skipComment();
            if (m_at < m_text.size() && !takeLineEnd())
                return wrong();
            for (qsizetype i = index; i < m_statements.size(); ++i)
                m_statements[i].lineEnd = m_at;
        }
        return m_statements;
    }

private:
    bool startsHere(QByteArrayView expected) const { return QByteArrayView(m_text).sliced(m_at).startsWith(expected); }
    char here() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
    std::unexpected<Misreading> wrong() const { return std::unexpected(Misreading{m_at}); }

    bool take(QByteArrayView expected)
    {
        skipSpace();
        if (!startsHere(expected))
            return false;
        m_at += expected.size();
        return true;
    }
    bool takeLineEnd() { return take("\r\n") || take("\n"); }
    void skipSpace()
    {
        while (here() == ' ' || here() == '\t')
            ++m_at;
    }
    void skipComment()
    {
        if (here() != '#')
            return;
        while (m_at < m_text.size() && here() != '\n' && !startsHere("\r\n"))
            ++m_at;
    }
    void skipLines()
    {
        do {
            skipSpace();
            skipComment();
        } while (m_at < m_text.size() && takeLineEnd());
    }

    // a, "a b", 'a' and a.b, behind what is in path already.
    bool takeKey(QByteArrayList &path)
    {
        do {
            skipSpace();
            const qsizetype from = m_at;
            if (here() == '"' || here() == '\'') {
                const bool isBasic = here() == '"';
                if (!takeString(false))
                    return false;
                const QByteArray raw = m_text.sliced(from, m_at - from);
                path.append(isBasic ? valueOf(raw).toString().toUtf8() : raw.sliced(1).chopped(1));
            } else {
                while (std::isalnum(uchar(here())) != 0 || here() == '_' || here() == '-')
                    ++m_at;
                if (m_at == from)
                    return false;
                path.append(m_text.sliced(from, m_at - from));
            }
        } while (take("."));
        return true;
    }

    bool takePair(TomlStatement statement, int depth)
    {
        if (!takeKey(statement.path) || !take("="))
            return false;
        skipSpace();
        statement.valueAt = m_at;
        const qsizetype index = m_statements.size();
        m_statements.append(statement);
        if (!takeValue(&statement.path, depth))
            return false;
        m_statements[index].end = m_at;
        return true;
    }

    // table: the path of an inline table, whose pairs are statements; nothing: those within arrays are not.
    bool takeValue(const QByteArrayList *table, int depth)
    {
        if (depth > deepestToml)
            return false;
        switch (here()) {
        case '"':
        case '\'':
            return takeString(true);
        case '[':
        case '{':
            return takeList(table, depth);
        default:
            return takeWord();
        }
    }

    bool takeString(bool mayHaveLines)
    {
        const char quote = here();
        const QByteArray three(3, quote);
        const bool isLong = mayHaveLines && startsHere(three);
        const qsizetype from = m_at;
        for (m_at += isLong ? 3 : 1; m_at < m_text.size(); ++m_at) {
            if (here() == '\\' && quote == '"') {
                ++m_at;
            } else if (isLong && startsHere(three)) {
                m_at += 3;
                for (int more = 0; more < 2 && here() == quote; ++more) // up to two quotation marks at its end
                    ++m_at;
                return true;
            } else if (!isLong && here() == quote) {
                ++m_at;
                return true;
            } else if (!isLong && here() == '\n') {
                break;
            }
        }
        m_at = from;
        return false;
    }

    bool takeList(const QByteArrayList *table, int depth)
    {
        const bool isTable = here() == '{';
        const QByteArray closing = isTable ? "}" : "]";
        ++m_at;
        for (bool mayFollow = true;; mayFollow = take(",")) {
            skipLines();
            if (take(closing))
                return true;
            if (!mayFollow)
                return false;
            if (!isTable) {
                if (!takeValue(nullptr, depth + 1))
                    return false;
            } else {
                TomlStatement pair{.kind = TomlStatement::Kind::InnerPair, .at = m_at};
                const qsizetype known = m_statements.size();
                if (table)
                    pair.path = *table;
                if (!takePair(pair, depth + 1))
                    return false;
                if (!table)
                    m_statements.resize(known);
            }
            skipLines();
        }
    }

    // Numbers, true, dates; a date and its time may have a space between them.
    bool takeWord()
    {
        const auto takeCharacters = [this] {
            const qsizetype from = m_at;
            while (std::isalnum(uchar(here())) != 0 || (here() != '\0' && std::strchr("+-_.:", here())))
                ++m_at;
            return m_at > from;
        };
        const qsizetype from = m_at;
        if (!takeCharacters())
            return false;
        constexpr qsizetype dateLength = 10; // 2025-06-18
        if (m_at - from == dateLength && m_text[from + 4] == '-' && here() == ' ' && m_at + 1 < m_text.size()
            && std::isdigit(uchar(m_text[m_at + 1])) != 0) {
            ++m_at;
            takeCharacters();
        }
        return true;
    }

    const QByteArray &m_text;
    qsizetype m_at;
    QList<TomlStatement> m_statements;
};

} // namespace

Reading<QList<TomlStatement>> tomlStatements(const QByteArray &text)
{
    return TomlScanner(text).statements();
}

} // namespace glovebox::mcp
