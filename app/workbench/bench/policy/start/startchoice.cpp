// SPDX-License-Identifier: Apache-2.0
#include "startchoice.h"

#include "app/workbench/shell/words/words.h"

#include <QCoreApplication>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// lupdate finds the strings under this name.
struct Start
{
    Q_DECLARE_TR_FUNCTIONS(Start)
};

} // namespace

std::expected<QByteArrayList, QString> argumentsFrom(const QString &text)
{
    QByteArrayList arguments;
    QString current;
    bool isOpen = false; // "" is an argument, too
    QChar quote;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        const QChar next = i + 1 < text.size() ? text[i + 1] : QChar();
        const bool escapes =
            c == u'\\' && (quote.isNull() ? !next.isNull() : quote == u'"' && (next == u'"' || next == u'\\'));
        if (escapes) {
            current += next;
            isOpen = true;
            ++i;
        } else if (!quote.isNull() && c == quote) {
            quote = QChar();
        } else if (quote.isNull() && (c == u'"' || c == u'\'')) {
            quote = c;
            isOpen = true;
        } else if (quote.isNull() && c.isSpace()) {
            if (isOpen)
                arguments.append(current.toUtf8());
            current.clear();
            isOpen = false;
        } else {
            current += c;
            isOpen = true;
        }
    }
    if (!quote.isNull())
        return std::unexpected(Start::tr("The quote %1 has no end. Add the other one.").arg(quote));
    if (isOpen)
        arguments.append(current.toUtf8());
    if (const Status valid = validateArguments(arguments); !valid)
        return std::unexpected(translated(valid.error().message));
    return arguments;
}

std::expected<std::vector<Variable>, QString> variablesFrom(const QString &text)
{
    std::vector<Variable> variables;
    int number = 0;
    for (const QString &line : text.split(u'\n')) {
        ++number;
        if (line.trimmed().isEmpty())
            continue;
        const qsizetype equals = line.indexOf(u'=');
        if (equals < 0)
            return std::unexpected(
                Start::tr("Line %1 has no \"=\". Write a variable as NAME=value, one a line.").arg(number));
        variables.push_back({line.first(equals).trimmed(), line.sliced(equals + 1).toUtf8()});
    }
    if (const Status valid = checkVariables(variables, {}); !valid)
        return std::unexpected(translated(valid.error().message));
    return variables;
}

} // namespace glovebox
