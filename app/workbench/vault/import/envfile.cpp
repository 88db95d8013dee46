// SPDX-License-Identifier: Apache-2.0
#include "envfile.h"

#include "app/workbench/shell/words/words.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

struct EnvFile
{
    Q_DECLARE_TR_FUNCTIONS(EnvFile)
};

bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

class Reader
{
public:
    explicit Reader(QByteArrayView bytes)
        : m_bytes(bytes)
    {
    }

    std::vector<EnvEntry> all()
    {
        std::vector<EnvEntry> entries;
        while (!atEnd()) {
            skipBlanks();
            if (!atEnd() && peek() != '\n' && peek() != '#')
                entries.push_back(entry());
            skipLine();
        }
        return entries;
    }

private:
    bool atEnd() const { return m_at >= m_bytes.size(); }
    char peek() const { return m_bytes[m_at]; }
    char take()
    {
        m_line += peek() == '\n' ? 1 : 0;
        return m_bytes[m_at++];
    }
    void skipBlanks()
    {
        while (!atEnd() && isBlank(peek()))
            ++m_at;
    }
    void skipLine()
    {
        while (!atEnd() && take() != '\n') { }
    }

    EnvEntry entry()
    {
        EnvEntry entry{.name = {}, .value = {}, .line = m_line, .problem = {}};
        if (m_bytes.sliced(m_at).startsWith("export ")) {
            m_at += 7;
            skipBlanks();
        }
        const qsizetype begin = m_at;
        while (!atEnd() && peek() != '=' && peek() != '\n')
            ++m_at;
        entry.name = QString::fromUtf8(m_bytes.sliced(begin, m_at - begin)).trimmed();
        if (atEnd() || peek() != '=') {
            entry.name.clear(); // it may well be a value
            entry.problem = EnvFile::tr("There is no \"=\" in this line.");
            return entry;
        }
        ++m_at;
        skipBlanks();
        entry.value = SecretValue(m_bytes.size() - m_at + 1); // more than it needs
        qsizetype size = 0;
        const bool whole = readValue(entry.value.data(), size);
        entry.value.truncate(size);
        if (auto sound = checkNewSecretName(entry.name); !sound)
            entry.problem = translated(sound.error().message);
        else if (!whole)
            entry.problem = EnvFile::tr("The quotes of its value are not closed.");
        else if (auto fits = checkSecretValue(entry.value.view()); !fits)
            entry.problem = translated(fits.error().message);
        return entry;
    }

    // False: a quote is open at the end.
    bool readValue(char *into, qsizetype &size)
    {
        const char quote = !atEnd() && (peek() == '"' || peek() == '\'') ? take() : '\0';
        if (quote == '\0') {
            while (!atEnd() && peek() != '\n') {
                if (peek() == '#' && (size == 0 || isBlank(into[size - 1])))
                    break;
                into[size++] = take();
            }
            while (size > 0 && isBlank(into[size - 1]))
                --size;
            return true;
        }
        while (!atEnd()) {
            const char c = take();
            if (c == quote)
                return true;
            into[size++] = c == '\\' && quote == '"' && !atEnd() ? unescaped(into, size) : c;
        }
        return false;
    }

    char unescaped(char *into, qsizetype &size)
    {
        switch (const char c = take()) {
        case 'n':
            return '\n';
        case 'r':
            return '\r';
        case 't':
            return '\t';
        case '"':
        case '\\':
        case '$':
            return c;
        default:
            into[size++] = '\\'; // no escape: both stay
            return c;
        }
    }

    QByteArrayView m_bytes;
    qsizetype m_at = 0;
    int m_line = 1;
};

} // namespace

std::vector<EnvEntry> readEnv(QByteArrayView bytes)
{
    if (bytes.startsWith("\xef\xbb\xbf"))
        bytes = bytes.sliced(3);
    return Reader(bytes).all();
}

std::optional<std::vector<EnvEntry>> readEnvFile(const QString &path)
{
    QFile file(path);
    // A pipe or a device may never end.
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly | QIODevice::Unbuffered))
        return std::nullopt;
    SecretValue bytes(envFileMax + 1);
    const qint64 size = file.read(bytes.data(), bytes.size());
    if (size < 0 || size > envFileMax)
        return std::nullopt;
    bytes.truncate(size);
    return readEnv(bytes.view());
}

} // namespace glovebox
