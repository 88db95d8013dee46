// SPDX-License-Identifier: Apache-2.0
// Finds the block as the specification's own regular expression does, and reads the two keys that it may have, as TOML has them. Any other
// key is an error rather than a guess; the tables of tools (which come last) are theirs.
#include "engine/packages/packages.h"

#include <algorithm>
#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

std::unexpected<Error> badBlock(const char *why)
{
    return fail(ErrorCode::InvalidInput,
                QT_TRANSLATE_NOOP("engine",
                                  "The \"# /// script\" block of the code can't be read: %1 Fix it, or remove "
                                  "it from the code."),
                {Text(why).english()});
}

// Of TOML: keys without quotes, and values that are a string or an array of strings.
class TomlReader
{
public:
    explicit TomlReader(QString text)
        : m_text(std::move(text))
    {
    }

    bool atEnd()
    {
        skip(true);
        return m_at >= m_text.size();
    }
    QChar next() const { return m_at < m_text.size() ? m_text[m_at] : QChar(); }
    bool take(QChar wanted)
    {
        if (next() != wanted)
            return false;
        ++m_at;
        return true;
    }
    // White space and comments.
    void skip(bool lines)
    {
        for (; m_at < m_text.size(); ++m_at) {
            if (m_text[m_at] == u'#') {
                while (m_at + 1 < m_text.size() && m_text[m_at + 1] != u'\n')
                    ++m_at;
            } else if (m_text[m_at] != u' ' && m_text[m_at] != u'\t' && (!lines || m_text[m_at] != u'\n')) {
                return;
            }
        }
    }
    bool endsLine()
    {
        skip(false);
        return m_at >= m_text.size() || take(u'\n');
    }
    QString key()
    {
        const qsizetype from = m_at;
        while (next().isLetterOrNumber() || next() == u'_' || next() == u'-')
            ++m_at;
        return m_text.sliced(from, m_at - from);
    }
    std::optional<QString> string()
    {
        const QChar quote = next();
        if ((quote != u'"' && quote != u'\'')
            || m_text.sliced(m_at, 3 > m_text.size() - m_at ? 1 : 3).count(quote) == 3)
            return std::nullopt; // of several lines
        QString value;
        for (++m_at; m_at < m_text.size() && next() != u'\n'; ++m_at) {
            if (take(quote))
                return value;
            if (next() == u'\\' && quote == u'"') {
                ++m_at;
                if (next() != u'"' && next() != u'\\')
                    return std::nullopt; // no name of a package has another one
            }
            value += next();
        }
        return std::nullopt;
    }
    std::optional<QStringList> strings()
    {
        QStringList values;
        if (!take(u'['))
            return std::nullopt;
        for (;;) {
            skip(true);
            if (take(u']'))
                return values;
            const auto value = string();
            if (!value)
                return std::nullopt;
            values.append(*value);
            skip(true);
            if (!take(u',') && next() != u']')
                return std::nullopt;
        }
    }

private:
    QString m_text;
    qsizetype m_at = 0;
};

Result<InlineMetadata> readToml(const QString &text)
{
    TomlReader reader(text);
    InlineMetadata metadata;
    QStringList keys;
    while (!reader.atEnd()
           && reader.next() != u'[') { // a table: the specification has tools' only, and no key comes after them
        const QString key = reader.key();
        if (keys.contains(key))
            return badBlock(QT_TRANSLATE_NOOP("engine", "a key is there twice."));
        keys.append(key);
        reader.skip(false);
        if (!reader.take(u'='))
            return badBlock(QT_TRANSLATE_NOOP("engine", "a line is not a key with a value."));
        reader.skip(false);
        if (key == u"dependencies"_s) {
            const auto values = reader.strings();
            if (!values)
                return badBlock(QT_TRANSLATE_NOOP("engine", "dependencies is not a list of strings."));
            for (const QString &value : *values) {
                ASSIGN_OR_RETURN(const Requirement requirement, readRequirement(value, QStringLiteral("python")));
                metadata.requirements.append(requirement);
            }
        } else if (key == u"requires-python"_s) {
            const auto value = reader.string();
            if (!value)
                return badBlock(QT_TRANSLATE_NOOP("engine", "requires-python is not a string."));
            metadata.requiresPython = *value;
        } else {
            return badBlock(QT_TRANSLATE_NOOP("engine", "only dependencies, requires-python and tables of tools may be "
                                                        "in it."));
        }
        if (!reader.endsLine())
            return badBlock(QT_TRANSLATE_NOOP("engine", "something follows a value."));
    }
    if (!metadata.requiresPython.isEmpty())
        RETURN_IF_ERROR(isPythonOf(u"3"_s, metadata.requiresPython));
    return metadata;
}

struct Block
{
    QStringView type;
    QList<QStringView> content; // lines, each with its "#"
};

// As the specification's regular expression finds them, which gives up in silence where a block is long.
QList<Block> blocksOf(const QList<QStringView> &lines)
{
    constexpr QStringView start = u"# /// ";
    const auto isOfType = [](QChar c) { return c == u'-' || (c.isLetterOrNumber() && c < u'\x80'); };
    const auto isContent = [](QStringView line) { return line == u"#" || line.startsWith(u"# "); };
    QList<Block> blocks;
    for (qsizetype begin = 0; begin < lines.size(); ++begin) {
        const QStringView type = lines[begin].startsWith(start) ? lines[begin].sliced(start.size()) : QStringView();
        if (type.isEmpty() || !std::ranges::all_of(type, isOfType))
            continue;
        qsizetype end = 0; // the last one counts
        qsizetype next = begin + 1;
        for (; next < lines.size() && isContent(lines[next]); ++next) {
            if (lines[next] == u"# ///" && next > begin + 1)
                end = next;
        }
        if (end > 0)
            blocks.append({type, lines.sliced(begin + 1, end - begin - 1)});
        begin = (end > 0 ? end : next - 1); // no other one that begins before has an end
    }
    return blocks;
}

} // namespace

Result<std::optional<InlineMetadata>> readInlineMetadata(QByteArrayView code)
{
    if (!code.contains("# /// script"))
        return std::nullopt;
    QString text = QString::fromUtf8(code);
    text.replace(u"\r\n"_s, u"\n"_s);
    std::optional<QString> toml;
    for (const Block &block : blocksOf(QStringView(text).split(u'\n'))) {
        if (block.type != u"script"_s)
            continue;
        if (toml)
            return badBlock(QT_TRANSLATE_NOOP("engine", "the code has two of them."));
        toml.emplace();
        for (const QStringView line : block.content)
            toml->append(line.sliced(line.startsWith(u"# "_s) ? 2 : 1)).append(u'\n');
    }
    if (!toml)
        return std::nullopt;
    return readToml(*toml);
}

} // namespace glovebox
