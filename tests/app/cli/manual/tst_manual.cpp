// SPDX-License-Identifier: Apache-2.0
// The manual says what the program does: its options, settings and protections are those of the tables, in their words. With
// GLOVEBOX_TEST_WRITE_MANUAL=1 in the environment, entries that differ are first put into the pages.
#include "app/cli/command.h"
#include "app/cli/terminal/console.h"

#include "engine/mcp/runs/clientruns.h"
#include "engine/mcp/runs/shownimages.h"
#include "engine/mcp/transports/http/httpserver.h"
#include "engine/mcp/transports/http/pairing/authorizationserver.h"
#include "engine/network/egress/reporter.h"
#include "engine/network/network.h"
#include "engine/policy/controlid.h"
#include "engine/policy/policy.h"
#include "engine/sessions/sessionuse.h"
#include "engine/toolservers/toolservers.h"
#include "engine/vault/scrub/scrub.h"

#include <QDir>
#include <QLocale>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

#include <algorithm>
#include <csignal>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

QDir manualFolder()
{
    return {QStringLiteral(GLOVEBOX_SOURCE_DIR "/resources/man")};
}

QByteArray manualPage(const QString &name)
{
    QFile file(manualFolder().filePath(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// The pages of commands: that of the first word; those of few words share one, and one of many has others.
QString pageOf(const Command &command)
{
    const QString word = command.name.section(u' ', 0, 0);
    const QString second = command.name.section(u' ', 1, 1);
    if (word == u"session" && QStringList{u"jobs"_s, u"logs"_s, u"stop"_s, u"open"_s, u"close"_s}.contains(second))
        return u"glovebox-jobs.1"_s;
    if (word == u"session" && second.endsWith(u"install"_s))
        return u"glovebox-package.1"_s;
    if (word == u"completion")
        return u"glovebox.1"_s;
    return u"glovebox-%1.1"_s.arg(word == u"policy" || word == u"profile" ? u"settings"_s
                                  : word == u"open"                       ? u"workbench"_s
                                                                          : word);
}

// Puts lines, the first of which begins with a name (`named` characters), in the place of the old ones of that name.
void writeEntry(const QString &name, const QByteArray &heading, qsizetype named, const QByteArray &entry)
{
    QByteArray page = manualPage(name);
    const qsizetype section = page.indexOf('\n' + heading + '\n');
    const qsizetype end = section < 0 ? -1 : page.indexOf("\n.S", section + 1);
    qsizetype begin = section;
    const auto isWhole = [&](qsizetype after) {
        return page.at(after) == '\n' || page.sliced(after).startsWith(" Ar ") || page.sliced(after).startsWith(" , ");
    };
    do
        begin = page.indexOf('\n' + entry.first(named), begin + 1);
    while (begin > 0 && begin < end && !isWhole(begin + 1 + named));
    if (section < 0 || begin < 0 || begin > end)
        return; // a new one: its place is for a person to choose
    qsizetype after = begin;
    for (qsizetype line = 0; line < entry.count('\n'); ++line)
        after = page.indexOf('\n', after + 1);
    page.replace(begin + 1, after - begin, entry);
    QFile file(manualFolder().filePath(name));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(page) == page.size());
}

bool mayWrite()
{
    return qEnvironmentVariableIsSet("GLOVEBOX_TEST_WRITE_MANUAL");
}

// From the line of the heading (".Ss glovebox run") to the next heading.
QByteArray sectionOf(const QByteArray &page, const QByteArray &heading)
{
    const qsizetype begin = page.indexOf('\n' + heading + '\n');
    return begin < 0 ? QByteArray() : page.sliced(begin + 1, page.indexOf("\n.S", begin + 1) - begin);
}

QByteArray escaped(const QString &text)
{
    return text.toUtf8().replace('\\', "\\e").replace('-', "\\-");
}

QString asSentence(const QString &text)
{
    return text.first(1).toUpper() + text.sliced(1) + u'.';
}

// Two lines: the names and the value, and the words of `glovebox help`.
QByteArray entryOf(const Option &option)
{
    QByteArray entry = ".It Fl " + escaped(QString::fromUtf8(option.name.sliced(1)));
    if (!option.longName.isEmpty())
        entry += " , Fl " + escaped(QString::fromUtf8(option.longName.sliced(1)));
    if (!option.value.isEmpty())
        entry += " Ar " + escaped(QString::fromUtf8(option.value));
    return entry + '\n' + escaped(asSentence(option.help)) + '\n';
}

QString typeOf(const SettingInfo &setting)
{
    if (setting.type == SettingInfo::Type::Integer)
        return u"Integer, %1 to %2"_s.arg(setting.minimum).arg(setting.maximum);
    if (setting.type == SettingInfo::Type::Boolean)
        return u"Boolean, true or false"_s;
    return setting.choices.isEmpty() ? u"Text"_s : u"One of "_s + setting.choices.join(u", "_s);
}

QByteArray entryOf(const SettingInfo &setting)
{
    const QString usual = setting.defaultValue.toString();
    return ".It Sy " + setting.key.toUtf8() + '\n'
           + escaped(u"%1 [default: %2]; %3."_s.arg(typeOf(setting), usual.isEmpty() ? u"empty"_s : usual,
                                                    setting.variable()))
           + '\n' + escaped(asSentence(setting.description.english())) + '\n';
}

} // namespace

class TestManual : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void optionsAreThoseOfHelp_data();
    void optionsAreThoseOfHelp();
    void firstPageLeadsToAllCommands();
    void settingsAreThoseOfTheSchema_data();
    void settingsAreThoseOfTheSchema();
    void protectionsHaveTheNamesThatDoctorPrints();
    void presetsAreThoseOfTheEngine();
    void reasonsAreThoseOfTheEngine();
    void outcomesAreThoseOfTheEngine();
    void numbersAreThoseOfTheProgram_data();
    void numbersAreThoseOfTheProgram();
    void exitStatusesAreTheSameEverywhere();
    void pagesAreSound_data();
    void pagesAreSound();
};

void TestManual::optionsAreThoseOfHelp_data()
{
    QTest::addColumn<int>("place");
    int place = 0;
    for (const Command &command : allCommands())
        QTest::newRow(qPrintable(command.name)) << place++;
}

void TestManual::optionsAreThoseOfHelp()
{
    QFETCH(int, place);
    const Command command = allCommands().at(size_t(place));
    const QByteArray name = command.name.toUtf8();
    const QByteArray heading = ".Ss glovebox " + name;
    const QByteArray synopsis =
        ".Nm glovebox Cm " + name + (command.synopsis.isEmpty() ? "" : " Ar " + escaped(command.synopsis)) + '\n';
    if (mayWrite()) {
        writeEntry(pageOf(command), ".Sh SYNOPSIS", QByteArrayView(".Nm glovebox Cm ").size() + name.size(), synopsis);
        for (const Option &option : command.options)
            writeEntry(pageOf(command), heading,
                       qsizetype(7 + escaped(QString::fromUtf8(option.name.sliced(1))).size()), entryOf(option));
    }
    const QByteArray page = manualPage(pageOf(command));
    QVERIFY2(sectionOf(page, ".Sh SYNOPSIS").contains(synopsis), synopsis);
    const QByteArray section = sectionOf(page, heading);
    QVERIFY2(!section.isEmpty(), qPrintable(pageOf(command)));
    for (const Option &option : command.options)
        QVERIFY2(section.contains('\n' + entryOf(option)), entryOf(option));
    QCOMPARE(section.count("\n.It Fl "), qsizetype(command.options.size()));
}

void TestManual::firstPageLeadsToAllCommands()
{
    const QByteArray first = manualPage(u"glovebox.1"_s);
    QByteArrayList named{"completion"}; // has its section there
    for (const QByteArray &line : first.split('\n')) {
        if (line.startsWith(".It Sy "))
            named += line.sliced(7).split(' ');
    }
    for (const Command &command : allCommands()) {
        const QByteArray word = command.name.section(u' ', 0, 0).toUtf8();
        QVERIFY2(named.contains(word) || named.contains(word + ','), word);
        const QByteArray page = pageOf(command).chopped(2).toUtf8(); // without ".1"
        QVERIFY2(page == "glovebox" || first.contains(".Xr " + page + " 1 "), page);
    }
}

void TestManual::settingsAreThoseOfTheSchema_data()
{
    QTest::addColumn<int>("place");
    int place = 0;
    for (const SettingInfo &setting : Settings::schema())
        QTest::newRow(qPrintable(setting.key)) << place++;
}

void TestManual::settingsAreThoseOfTheSchema()
{
    QFETCH(int, place);
    if (const QByteArray entry = entryOf(Settings::schema().at(size_t(place))); mayWrite())
        writeEntry(u"glovebox-settings.5"_s, ".Sh KEYS", entry.indexOf('\n'), entry);
    const QByteArray keys = sectionOf(manualPage(u"glovebox-settings.5"_s), ".Sh KEYS");
    const QByteArray entry = entryOf(Settings::schema().at(size_t(place)));
    QVERIFY2(keys.contains('\n' + entry), entry);
    QCOMPARE(keys.count("\n.It "), qsizetype(Settings::schema().size()));
}

void TestManual::protectionsHaveTheNamesThatDoctorPrints()
{
    QByteArrayList told;
    for (const QByteArray &line : sectionOf(manualPage(u"glovebox-security.7"_s), ".Sh PROTECTIONS").split('\n')) {
        if (line.startsWith(".It Sy "))
            told.append(line.sliced(7).replace("\\-", "-"));
    }
    QByteArrayList names;
    for (const std::string_view name : enumNames<ControlId>)
        names.append(QByteArrayView(name).toByteArray());
    names.removeAll("unknown");
    QCOMPARE(told, names);
}

void TestManual::presetsAreThoseOfTheEngine()
{
    const QByteArray page = manualPage(u"glovebox-network.7"_s);
    for (const NetworkPreset &preset : networkPresets()) {
        const QByteArray entry =
            ".It Sy " + preset.name.toUtf8() + '\n' + escaped(preset.opens.join(u", "_s).replace(u":443"_s, QString()));
        QVERIFY2(page.contains(entry + '\n'), entry);
    }
}

// In the words of the result, of which some end in a place for more.
void TestManual::reasonsAreThoseOfTheEngine()
{
    static const QRegularExpression text(
        uR"re(\{network::Reason::\w+,\s*QT_TRANSLATE_NOOP\("engine", "([^"]*)"\)\})re"_s);
    QFile source(QStringLiteral(GLOVEBOX_SOURCE_DIR "/engine/network/egress.cpp"));
    QVERIFY(source.open(QIODevice::ReadOnly));
    QStringList known{u"no host was allowed"_s};
    for (const auto &match : text.globalMatch(QString::fromUtf8(source.readAll())))
        known.append(match.captured(1).remove(u" (%1)"_s).replace(u"%1"_s, u"and the reason"_s));
    known.removeAll(u"unknown"_s);
    QStringList told;
    const QByteArray section = sectionOf(manualPage(u"glovebox-network.7"_s), ".Sh REASONS");
    for (const QByteArray &item : section.split('\n')) {
        if (!item.startsWith('.'))
            told.append(QString::fromUtf8(item));
    }
    told.removeIf([](const QString &line) { return line.isEmpty() || line.front().isUpper(); });
    known.sort();
    told.sort();
    QCOMPARE(told, known);
}

void TestManual::outcomesAreThoseOfTheEngine()
{
    QByteArrayList names;
    for (const std::string_view name : enumNames<Outcome>)
        names.append(QByteArrayView(name).toByteArray());
    const QByteArray last = names.takeLast();
    QVERIFY(
        manualPage(u"glovebox-audit.1"_s).contains("The outcomes are " + names.join(", ") + " and " + last + ".\n"));
}

// Those that a person relies on, and that no test reaches by waiting or by filling.
void TestManual::numbersAreThoseOfTheProgram_data()
{
    QTest::addColumn<QString>("page");
    QTest::addColumn<QString>("sentence");
    const auto row = [](const QString &page, const QString &sentence) {
        QTest::newRow(qPrintable(sentence)) << page << sentence;
    };
    const auto seconds = [](std::chrono::milliseconds time) {
        return QString::number(std::chrono::duration_cast<std::chrono::seconds>(time).count());
    };
    const QString mcpPage = u"glovebox-mcp.1"_s;
    const mcp::ClientBounds client;
    row(mcpPage,
        u"After %1 seconds a call answers with the run's id, and the run goes on."_s.arg(seconds(client.longestCall)));
    row(mcpPage, u"a run of more than %1 seconds becomes a task for clients that know of tasks."_s.arg(
                     seconds(client.untilTask)));
    row(mcpPage, u"at most %1, made smaller to %2 pixels and %3 KB together."_s.arg(mcp::shownImagesMax)
                     .arg(mcp::shownImageSideMax)
                     .arg(mcp::shownImageBytesMax / kibibyte));
    row(mcpPage, u"A request and an answer have at most %1 MB each,"_s.arg(ToolBroker::requestMax / mebibyte));
    row(mcpPage, u"A run makes at most %1 calls."_s.arg(ToolBroker::callsMax));
    row(mcpPage, u"0 is a free port [default: %1]."_s.arg(mcp::httpPort));
    row(mcpPage, u"the port's %1 connections"_s.arg(mcp::httpConnectionsMax));
    row(mcpPage, u"at most %1 come in a minute."_s.arg(mcp::pairingQuestionsMax));
    row(u"glovebox-network.7"_s, u"the first %1 each, then their number."_s.arg(
                                     QLocale(QLocale::English).toString(network::Reporter::toldOneByOne)));
    row(u"glovebox-redaction.7"_s,
        u"Glovebox also finds, of values of at least %1 bytes:"_s.arg(ScrubPlan::shortestEncoded));
    row(u"glovebox-session.1"_s, u"The latest %1 are kept,"_s.arg(mostSnapshots));
}

void TestManual::numbersAreThoseOfTheProgram()
{
    QFETCH(QString, page);
    QFETCH(QString, sentence);
    QVERIFY(manualPage(page).replace("\\-", "-").contains(sentence.toUtf8()));
}

// README, the manual and the help of run, each of which lists them.
void TestManual::exitStatusesAreTheSameEverywhere()
{
    const auto numbersIn = [](const QByteArray &text) {
        static const QRegularExpression number(u"\\b[0-9]+\\b"_s);
        QSet<int> numbers;
        for (const auto &match : number.globalMatch(QString::fromUtf8(text)))
            numbers.insert(match.captured().toInt());
        return numbers - QSet<int>{0, 128, 255}; // the code's own
    };
    const auto between = [](const QByteArray &text, const QByteArray &begin, const QByteArray &end) {
        const qsizetype from = text.indexOf(begin);
        return from < 0 ? QByteArray() : text.sliced(from, text.indexOf(end, from + begin.size()) - from);
    };
    const auto tagsIn = [](const QByteArray &section, const QByteArray &before, const QByteArray &behind) {
        QByteArray tags;
        for (const QByteArray &line : section.split('\n')) {
            if (line.startsWith(before))
                tags += line.sliced(before.size()).split(behind.front()).first() + '\n';
        }
        return tags;
    };
    const QSet<int> known{ExitStatus::usage,
                          ExitStatus::outputLost,
                          ExitStatus::timeOrCpu,
                          ExitStatus::notRun,
                          ExitStatus::memory,
                          ExitStatus::signalled + SIGHUP,
                          ExitStatus::signalled + SIGINT,
                          ExitStatus::signalled + SIGTERM,
                          ExitStatus::signalled + SIGPIPE};
    QFile readme(QStringLiteral(GLOVEBOX_SOURCE_DIR "/README.md"));
    QVERIFY(readme.open(QIODevice::ReadOnly));
    QCOMPARE(numbersIn(tagsIn(between(readme.readAll(), "| Exit code |", "\n\n"), "| ", "|")), known);
    QCOMPARE(numbersIn(tagsIn(sectionOf(manualPage(u"glovebox-run.1"_s), ".Sh EXIT STATUS"), ".It Sy ", "\n")), known);
    const auto commands = allCommands();
    const auto run = std::ranges::find(commands, u"run"_s, &Command::name);
    QVERIFY(run != commands.end());
    const QByteArray help = between(run->details.toUtf8(), "\nExit status:\n", "\n\n");
    QCOMPARE(numbersIn(tagsIn(help, "  ", "\n")), known);
}

void TestManual::pagesAreSound_data()
{
    QTest::addColumn<QString>("page");
    for (const QString &page : manualFolder().entryList(QDir::Files))
        QTest::newRow(qPrintable(page)) << page;
}

// A person reads a page to its end, but for the list of JSON fields. mandoc knows the language of manual pages; pages that are
// named have to be there.
void TestManual::pagesAreSound()
{
    QFETCH(QString, page);
    const qsizetype lines = manualPage(page).count('\n');
    QVERIFY2(lines <= 200 || page == u"glovebox-json.5", QByteArray::number(lines));
    QProcess mandoc;
    mandoc.start(u"mandoc"_s, {u"-T"_s, u"lint"_s, u"-W"_s, u"warning"_s, manualFolder().filePath(page)});
    if (!mandoc.waitForStarted())
        QSKIP("mandoc is not installed.");
    QVERIFY(mandoc.waitForFinished());
    QCOMPARE(mandoc.readAllStandardOutput(), QByteArray());
    QCOMPARE(mandoc.exitCode(), 0);

    const QByteArray text = manualPage(page);
    // The first has a line a field, the second a section for each of many commands.
    QVERIFY(page == u"glovebox-json.5"_s || text.count('\n') <= (page == u"glovebox-session.1"_s ? 300 : 250));
    for (const QByteArray &line : text.split('\n')) {
        const QByteArrayList words = line.split(' ');
        if (words.first() == ".Xr")
            QVERIFY2(manualFolder().exists(QString::fromUtf8(words.value(1) + '.' + words.value(2))), line);
    }
}

QTEST_GUILESS_MAIN(TestManual)
#include "tst_manual.moc"
