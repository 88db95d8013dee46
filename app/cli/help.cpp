// SPDX-License-Identifier: Apache-2.0
#include "help.h"

#include <algorithm>

#include <sys/ioctl.h>
#include <unistd.h>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// Commands by their first words; a word that is in no group comes last.
struct Group
{
    const char16_t *heading;
    QStringList words;
};

// The words of text from the present column on; lines that follow begin behind indent spaces. Ends with a line break.
QString wrapped(const QString &text, qsizetype column, qsizetype indent, int width)
{
    QString lines;
    bool isFirst = true;
    for (QString word : QString(text).replace(u"[default: "_s, u"[default:\u00a0"_s).split(u' ', Qt::SkipEmptyParts)) {
        word.replace(u'\u00a0', u' ');
        if (!isFirst && column + 1 + word.size() > width) {
            lines += u'\n' + QString(indent, u' ');
            column = indent;
            isFirst = true;
        }
        lines += isFirst ? word : u' ' + word;
        column += word.size() + (isFirst ? 0 : 1);
        isFirst = false;
    }
    return lines + u'\n';
}

// "  left     right", the right side wrapped below itself. column: where it begins.
QString row(const QString &left, const QString &right, qsizetype column, int width)
{
    const QString begin = u"  "_s + left;
    const QString gap =
        begin.size() + 2 > column ? u'\n' + QString(column, u' ') : QString(column - begin.size(), u' ');
    return begin + gap + wrapped(right, column, column, width);
}

// "  name    words": wrapped below the words.
QString listed(const QString &line, int width)
{
    qsizetype word = 0;
    while (word < line.size() && line[word] == u' ')
        ++word;
    const qsizetype gap = line.indexOf(u"  "_s, word);
    qsizetype begin = gap < 0 ? word : gap;
    while (begin < line.size() && line[begin] == u' ')
        ++begin;
    return line.first(begin) + wrapped(line.sliced(begin), begin, begin, width);
}

// Paragraphs wrapped; indented lines stay lines of their own, and below "Examples:" as they are, since they are copied.
QString reflowed(const QString &details, int width)
{
    QString text;
    QString paragraph;
    bool isExample = false;
    const auto flush = [&] {
        if (!paragraph.isEmpty())
            text += wrapped(paragraph, 0, 0, width);
        paragraph.clear();
    };
    for (const QString &line : QStringView(details).chopped(details.endsWith(u'\n') ? 1 : 0).toString().split(u'\n')) {
        if (line.startsWith(u' ')) {
            flush();
            text += isExample ? line + u'\n' : listed(line, width);
            continue;
        }
        if (line.isEmpty()) {
            flush();
            text += u'\n';
        }
        isExample = line == u"Example:"_s || line == u"Examples:"_s;
        paragraph += (paragraph.isEmpty() ? u""_s : u" "_s) + line;
    }
    flush();
    return text;
}

} // namespace

int helpWidth()
{
    constexpr int narrowest = 40, usual = 80, widest = 100;
    int columns = qEnvironmentVariableIntValue("COLUMNS");
    winsize size{};
    if (columns <= 0 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        columns = size.ws_col;
    return columns <= 0 ? usual : std::clamp(columns, narrowest, widest);
}

QString overviewOf(const std::vector<Command> &commands, int width)
{
    static const Group groups[] = {{u"Run code", {u"run"_s, u"batch"_s, u"open"_s, u"doctor"_s}},
                                   {u"Sessions: workspaces that last", {u"session"_s, u"package"_s}},
                                   {u"Changes and files of runs", {u"changes"_s, u"artifact"_s}},
                                   {u"The log", {u"audit"_s}},
                                   {u"Secrets", {u"secret"_s}},
                                   {u"Settings", {u"settings"_s, u"policy"_s, u"profile"_s}},
                                   {u"Agents", {u"mcp"_s}}};
    const auto line = [width](const QString &name, const QString &summary) { return row(name, summary, 21, width); };
    QString text = wrapped(u"Glovebox runs code that you don't trust, sealed off from this machine, and keeps a log."_s,
                           0, 0, width);
    text += u"\nUsage: glovebox COMMAND ...\n"_s;
    QStringList shown;
    for (const Group &group : groups) {
        text += u"\n%1:\n"_s.arg(group.heading);
        for (const QString &word : group.words) {
            for (const Command &command : commands) {
                if (command.name.section(u' ', 0, 0) != word)
                    continue;
                text += line(command.name, command.summary);
                shown.append(command.name);
            }
        }
    }
    text += u'\n';
    for (const Command &command : commands) {
        if (!shown.contains(command.name))
            text += line(command.name, command.summary);
    }
    text += line(u"help"_s, u"explain a command: glovebox help run"_s);
    text += reflowed(uR"(
Examples:
  glovebox run -c 'print(6 * 7)'
  glovebox run -l bash -t 5 -c 'ls -la /; id'
  curl -s https://example.org/install.sh | glovebox run -l sh -
  glovebox doctor

Files: ~/.local/share/glovebox (log), ~/.config/glovebox/settings.json (settings; optional).
GLOVEBOX_HOME=FOLDER keeps both in another place. The whole manual: man glovebox
)"_s,
                     width);
    return text;
}

QString Option::shown() const
{
    const QByteArray names = longName.isEmpty() ? name : name + ", " + longName;
    return QString::fromUtf8(value.isEmpty() ? names : names + ' ' + value);
}

QString Command::help(int width) const
{
    const qsizetype widestLeft = std::min(24, width * 3 / 10); // what is wider has a line of its own
    qsizetype column = QByteArrayView("-h, --help").size();
    for (const Option &option : options)
        column = std::max(column, std::min(option.shown().size(), widestLeft));
    column += 4; // two spaces on either side
    QString text = u"Usage: glovebox "_s + wrapped(name + u' ' + synopsis, 16, 7, width) + u'\n';
    text += wrapped(summary.first(1).toUpper() + summary.sliced(1) + u'.', 0, 0, width) + u'\n';
    for (const Option &option : options) {
        if (!option.heading.isEmpty())
            text += (&option == &options.front() ? u"%1:\n"_s : u"\n%1:\n"_s).arg(option.heading);
        text += row(option.shown(), option.help, column, width);
    }
    text += row(u"-h, --help"_s, u"show this text"_s, column, width);
    return details.isEmpty() ? text : text + u'\n' + reflowed(details, width);
}

} // namespace glovebox
