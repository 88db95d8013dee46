// SPDX-License-Identifier: Apache-2.0
// What the command line takes, what it refuses, and that help and manual tell the same.
#include "app/cli/command.h"
#include "app/cli/completion.h"
#include "app/cli/help.h"
#include "app/cli/run/runoptions.h"
#include "app/cli/session/sessionview.h"

#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

class TestOptions : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void valuesMayBeAttachedOrFollow();
    void someValuesMayBeLeftOut();
    void letterOptionsHaveLongForms();
    void timesAndSizesTakeUnits();
    void languagesAndPresetsGoByOtherNames();
    void switchesCanBeJoined();
    void helpWinsOverEverything();
    void whatFollowsTwoDashesIsForTheCode();
    void wrongUsageIsRefusedWithASentence_data();
    void wrongUsageIsRefusedWithASentence();
    void limitsGoOnTopOfThePolicy();
    void limitsThatAreNotGivenStay();
    void codeKeepsItsBytes();
    void withoutATerminalCodeComesFromStandardInput();
    void standardInputIsRelayedOnlyWhereItIsFree();
    void helpExplainsEveryOption();
    void helpIsWrappedForTheTerminal_data();
    void helpIsWrappedForTheTerminal();
    void helpSaysWhatEachPresetOpens();
    void aTimeToComeIsNotAgo();
    void shellsAreOfferedWhatFits_data();
    void shellsAreOfferedWhatFits();
};

static std::expected<RunOptions, QString> parse(const QByteArrayList &arguments, bool stdinIsTerminal = true)
{
    const auto parsed = parseArguments(offeredRunOptions(), arguments, runAdvice());
    return parsed ? runOptions(*parsed, stdinIsTerminal) : std::unexpected(parsed.error());
}

void TestOptions::valuesMayBeAttachedOrFollow()
{
    for (const QByteArrayList &arguments :
         {QByteArrayList{"-t", "2", "--cpu", "3", "x.py"}, {"x.py", "-t2", "--cpu=3"}}) {
        const auto options = parse(arguments);
        QVERIFY(options);
        QCOMPARE(options->wall, 2s);
        QCOMPARE(options->cpu, 3s);
        QCOMPARE(options->file, QByteArray("x.py"));
    }
    QCOMPARE(parse({"-t", "0.5", "x"})->wall, 500ms);
    QCOMPARE(parse({"-t", "1", "-t", "2", "x"})->wall, 2s);
    QCOMPARE(parse({"-c", "-x"})->code, QByteArray("-x"));
    QCOMPARE(parse({"-c", "-h"})->code, QByteArray("-h"));
}

void TestOptions::letterOptionsHaveLongForms()
{
    const auto options = parse({"--code", "1", "--language=node", "--timeout", "5", "--memory", "64", "--output=100"});
    QVERIFY(options);
    QCOMPARE(options->code, QByteArray("1"));
    QCOMPARE(options->language, u"node"_s);
    QCOMPARE(options->wall, 5s);
    QCOMPARE(options->memoryBytes, 64 * mebibyte);
    QCOMPARE(options->outputBytes, 100);
}

void TestOptions::timesAndSizesTakeUnits()
{
    const std::pair<QByteArray, std::chrono::milliseconds> times[] = {{"5s", 5s},       {"2m", 2min},  {"1h", 1h},
                                                                      {"500ms", 500ms}, {"1.5m", 90s}, {"0.5H", 30min}};
    for (const auto &[text, time] : times) {
        const auto options = parse({"-t", text, "x"});
        QVERIFY2(options, text);
        QCOMPARE(options->wall, time);
    }
    const std::pair<QByteArray, qint64> sizes[] = {
        {"512M", 512 * mebibyte},  {"1G", 1024 * mebibyte}, {"1gb", 1024 * mebibyte},    {"2GiB", 2048 * mebibyte},
        {"65536K", 64 * mebibyte}, {"64", 64 * mebibyte},   {"67108864B", 64 * mebibyte}};
    for (const auto &[text, bytes] : sizes) {
        const auto options = parse({"-m", text, "x"});
        QVERIFY2(options, text);
        QCOMPARE(options->memoryBytes, bytes);
    }
    QCOMPARE(parse({"-o", "64K", "x"})->outputBytes, 65536);
    QCOMPARE(parse({"--disk", "1G", "x"})->diskBytes, 1024 * mebibyte);
}

void TestOptions::languagesAndPresetsGoByOtherNames()
{
    const std::pair<QByteArray, QString> languages[] = {
        {"py", u"python"_s}, {"python3", u"python"_s}, {"Python", u"python"_s},
        {"js", u"node"_s},   {"nodejs", u"node"_s},    {"Node.js", u"node"_s},
        {"mjs", u"node"_s},  {"BASH", u"bash"_s},      {"sh", u"sh"_s}};
    for (const auto &[name, id] : languages) {
        const auto options = parse({"-l", name, "x"});
        QVERIFY2(options, name);
        QCOMPARE(options->language, id);
    }
    QCOMPARE(parse({"--allow", "PyPI", "x"})->allow, parse({"--allow", "pypi", "x"})->allow);
    QVERIFY(parse({"--allow", "Cargo", "x"})->allow.contains(u"static.crates.io:443"_s));
    QCOMPARE(parse({"--allow", "npn:443", "x"})->allow, QStringList{u"npn:443"_s}); // a host of a local network
}

void TestOptions::switchesCanBeJoined()
{
    const auto options = parse({"-qc", "print(1)"});
    QVERIFY(options && options->quiet);
    QCOMPARE(options->code, "print(1)");
    QCOMPARE(parse({"-qt5", "x"})->wall, parse({"-t", "5", "x"})->wall);
    QCOMPARE(parse({"\u2014nofile"})->file, "\u2014nofile");
}

void TestOptions::helpWinsOverEverything()
{
    for (const QByteArrayList &arguments : {QByteArrayList{"-h", "--bogus"},
                                            {"--bogus", "-h"},
                                            {"-t", "5", "--alow", "--help"},
                                            {"-help"},
                                            {"x.py", "-t", "-help", "-h"}}) {
        const auto parsed = parseArguments(offeredRunOptions(), arguments, runAdvice());
        QVERIFY2(parsed && parsed->help, arguments.join(' '));
    }
    QVERIFY(!parseArguments(offeredRunOptions(), {"--bogus", "--", "-h"}, runAdvice()));
    QCOMPARE(parseArguments(offeredRunOptions(), {"--help=1"}, runAdvice()).error(), u"--help takes no value."_s);
}

void TestOptions::someValuesMayBeLeftOut()
{
    const std::vector<Option> offered{{"--http", "[PORT]", {}}, {"--ask", "", {}}};
    const auto given = [&](const QByteArrayList &arguments) {
        return parseArguments(offered, arguments)->value("--http");
    };
    QCOMPARE(given({"--http"}), QByteArray());
    QCOMPARE(given({"--http", "--ask"}), QByteArray());
    QCOMPARE(given({"--http", "80"}), QByteArray("80"));
    QCOMPARE(given({"--http=80"}), QByteArray("80"));
    QVERIFY(!given({"--ask"}));
    for (const QByteArrayList &empty : {QByteArrayList{"--http", ""}, QByteArrayList{"--http="}})
        QCOMPARE(parseArguments(offered, empty).error(),
                 u"The value of --http is empty. For the default, leave the value out: --http."_s);
}

void TestOptions::whatFollowsTwoDashesIsForTheCode()
{
    const auto options = parse({"x.py", "--json", "--", "--raw", "-c", "--"});
    QVERIFY(options);
    QVERIFY(options->json);
    QVERIFY(!options->raw);
    QCOMPARE(options->args, (QByteArrayList{"--raw", "-c", "--"}));
    // Without another source the first of them is the file (POSIX).
    const auto operand = parse({"--json", "--", "-x.py", "1"});
    QVERIFY(operand);
    QCOMPARE(operand->file, QByteArray("-x.py"));
    QCOMPARE(operand->args, QByteArrayList{"1"});
    QCOMPARE(parse({"-c", "1", "--", "x.py"})->args, QByteArrayList{"x.py"});
}

void TestOptions::wrongUsageIsRefusedWithASentence_data()
{
    QTest::addColumn<QByteArrayList>("arguments");
    QTest::addColumn<QString>("says");
    const auto row = [](const char *name, const QByteArrayList &arguments, const QString &says) {
        QTest::newRow(name) << arguments << says;
    };
    row("nothing", {}, u"Nothing to run: give a FILE, -c CODE, or - "_s);
    row("only dashes", {"--"}, u"Nothing to run: give a FILE, -c CODE, or - "_s);
    row("unknown long option", {"--frobnicate", "x"}, u"Unknown option --frobnicate."_s);
    row("no host", {"--allow", "", "x"}, u"A host to allow is empty."_s);
    row("every host", {"--allow", "*", "x"}, u"would allow every host"_s);
    row("top-level domain", {"--allow", "*.com", "x"}, u"a whole top-level domain"_s);
    row("no host name", {"--allow", "a b", "x"}, u"\"a b\" is not a host name"_s);
    row("page", {"--allow", "http://x", "x"}, u"is the address of a page"_s);
    row("port 0", {"--allow", "x:0", "x"}, u"a number between 1 and 65535"_s);
    row("port 99999", {"--allow", "x:99999", "x"}, u"a number between 1 and 65535"_s);
    row("long host", {"--allow", QByteArray(300, 'a'), "x"}, u"is too long"_s);
    row("unknown letter", {"-x", "x"}, u"Unknown option -x."_s);
    row("mistyped option", {"--alow", "h", "x"}, u"Unknown option --alow. Did you mean --allow?"_s);
    row("option of the code", {"a.py", "--foo"},
        u"Unknown option --foo. Did you mean --tool? Arguments of the code go after \"--\"."_s);
    row("mistyped long form", {"--memmory", "64", "x"}, u"Did you mean --memory?"_s);
    row("option of the code", {"x.py", "--verbose"},
        u"Arguments of the code go after \"--\": \"glovebox run x.py -- --verbose\"."_s);
    row("option of the code, name with a space", {"my code.py", "--verbose"},
        u"\"glovebox run 'my code.py' -- --verbose\"."_s);
    row("beginning of a long form", {"--time", "5", "x"}, u"Did you mean --timeout?"_s);
    row("beginning of another", {"--mem", "64", "x"}, u"Did you mean --memory?"_s);
    row("volume", {"-v", "data:/mnt", "x"}, u"Unknown option -v. Folders are granted by --mount HOST:PATH."_s);
    row("environment", {"--env", "A=b", "x"}, u"Set variables in the code, or pass a secret by --secret NAME."_s);
    row("network", {"--net", "x"}, u"Hosts are allowed by --allow HOST."_s);
    row("interpreter", {"python3", "x.py"}, u"Glovebox starts the interpreter itself: glovebox run x.py"_s);
    row("interpreter, a name with a space", {"python3", "my x.py"},
        u"Glovebox starts the interpreter itself: glovebox run 'my x.py'"_s);
    row("interpreter, a name without an extension", {"/usr/bin/python3", "tool", "1", "two words"},
        u"itself: glovebox run -l python tool -- 1 'two words'"_s);
    row("interpreter and code", {"bash", "-c", "echo \"it's\""},
        u"itself: glovebox run -l bash -c 'echo \"it'\\''s\"'"_s);
    row("interpreter, code and arguments", {"sh", "-c", "echo $1", "x", "1"},
        u"itself: glovebox run -l sh -c 'echo $1' -- x 1"_s);
    row("empty file name", {""}, u"The name of the file to run is empty"_s);
    row("unknown language", {"-l", "ruby", "x"},
        u"Unknown language \"ruby\". Name one of these: python, node, bash or sh."_s);
    row("traffic of nothing", {"--traffic", "5", "x"}, u"--traffic has no effect without --allow"_s);
    row("bandwidth of nothing", {"--bandwidth", "5", "x"}, u"--bandwidth has no effect without --allow"_s);
    row("range", {"--allow", "10.0.0.0/8", "x"}, u"\"10.0.0.0/8\" is a range of addresses. Ranges aren't supported."_s);
    row("range of IPv6", {"--allow", "[2001:db8::]/32", "x"}, u"is a range of addresses"_s);
    row("hosts in one", {"--allow", "a.org,b.org", "x"},
        u"\"a.org,b.org\" holds several hosts. Give each host by itself."_s);
    row("no preset", {"--allow", "all", "x"},
        u"\"all\" is not a preset. The presets are pypi, npm, github, cargo, docker."_s);
    row("mistyped preset", {"--allow", "gihtub", "x"}, u"\"gihtub\" is not a preset. Did you mean github?"_s);
    row("preset with its letters mixed", {"--allow", "pipy", "x"}, u"\"pipy\" is not a preset. Did you mean pypi?"_s);
    row("preset with a port", {"--allow", "PyPI:443", "x"},
        u"\"PyPI:443\" is a preset with a port, which a preset doesn't take. Write pypi. For a host of that name, "
        "add a dot: pypi.:443."_s);
    row("the whole network", {"--allow", "internet", "x"}, u"\"internet\" is not a preset"_s);
    row("bad address", {"--allow", "300.1.1.1", "x"}, u"\"300.1.1.1\" is not a valid IPv4 address."_s);
    row("mode in capitals", {"--mount", "data:/mnt/x:RO", "x"}, u"the modes are ro, stage and rw, not \"RO\"."_s);
    row("two modes", {"--mount", "data:/mnt/x:stage:rw", "x"}, u"one mode is enough"_s);
    row("relative place", {"--mount", "data:mnt", "x"}, u"PATH has to be absolute: /mnt."_s);
    row("no place", {"--mount", "data", "x"}, u"PATH is missing."_s);
    row("no folder", {"--mount", ":/mnt", "x"}, u"HOST is missing."_s);
    row("nothing to mount", {"--mount", "", "x"}, u"HOST is missing."_s);
    row("apply without a copy", {"--mount", "a:/m:rw", "--apply", "x"}, u"--apply has no effect without a copy"_s);
    row("passphrase for nothing", {"--passphrase-file", "p", "x"},
        u"--passphrase-file has no effect without --secret"_s);
    row("a place with a long name", {"--mount", "a:/mnt/" + QByteArray(300, 'x'), "x"},
        u"can't be a folder in a run"_s);
    row("place twice", {"--mount", "a:/m", "--mount", "b:/m", "x"}, u"/m is given twice."_s);
    row("missing value", {"x", "-t"}, u"-t needs a value: -t TIME."_s);
    row("value for a switch", {"x", "--json=yes"}, u"--json takes no value."_s);
    row("a dash of a text processor", {"\u2014json", "x"}, u"Write --json."_s);
    row("two of them", {"x", "\u2013\u2013timeout=5"}, u"Write --timeout=5."_s);
    row("a minus", {"x", "\u2212q"}, u"\"\u2212q\" begins with another dash than \"-\". Write -q."_s);
    row("unknown after a switch", {"-qZ", "x"}, u"Unknown option -Z."_s);
    row("a value after a switch", {"-q=1", "x"}, u"-q takes no value."_s);
    row("a dash after a switch", {"x", "-q-", "-t", "5"}, u"-q takes no value."_s);
    row("dashes after switches", {"x", "-qk--", "-t", "5"}, u"-k takes no value."_s);
    row("a long option after a switch", {"-q-json", "x"}, u"-q takes no value."_s);
    row("code twice", {"-c", "a", "-c", "b"}, u"one place only"_s);
    row("code and file", {"-c", "a", "x.py"}, u"one place only"_s);
    row("code and standard input", {"-c", "a", "-"}, u"one place only"_s);
    row("two files", {"a.py", "b.py"}, u"more than one file"_s);
    row("standard input twice", {"-", "--stdin", "-"}, u"can't be both"_s);
    row("time zero", {"-t", "0", "x"},
        u"-t takes a number of seconds between 0.001 and 3600, or one with ms, m or h, not \"0\"."_s);
    row("time negative", {"-t", "-1", "x"}, u"not \"-1\""_s);
    row("time too long", {"-t", "3601", "x"}, u"not \"3601\""_s);
    row("time absurd", {"-t", QByteArray(40, '9'), "x"}, u"between 0.001 and 3600"_s);
    row("time empty", {"-t", "", "x"}, u"not \"\""_s);
    row("time not a number", {"-t", "1e3", "x"}, u"not \"1e3\""_s);
    row("time with a wrong unit", {"-t", "5d", "x"}, u"not \"5d\""_s);
    row("time of many hours", {"-t", "9000000000000000000h", "x"}, u"not"_s);
    row("only a unit", {"-t", "s", "x"}, u"not \"s\""_s);
    row("time negative with a unit", {"-t", "-1h", "x"}, u"not \"-1h\""_s);
    row("half of a millisecond", {"-t", "0.5ms", "x"}, u"not \"0.5ms\""_s);
    row("time too fine", {"-t", "0.0001", "x"}, u"not \"0.0001\""_s);
    row("memory too small", {"-m", "1", "x"},
        u"-m takes a whole number of MB between 16 and 1048576, or one with K, M or G, not \"1\"."_s);
    row("memory too large", {"-m", "2000000G", "x"}, u"not \"2000000G\""_s);
    row("memory that overflows with a unit", {"-m", "9223372036854775807G", "x"}, u"not"_s);
    row("memory negative with a unit", {"-m", "-9223372036854775807G", "x"}, u"not"_s);
    row("memory fraction", {"-m", "256.5", "x"}, u"whole number"_s);
    row("memory that overflows", {"-m", "9223372036854775807", "x"}, u"not \"9223372036854775807\""_s);
    row("processes zero", {"--procs", "0", "x"}, u"between 1 and 32768"_s);
    row("output negative", {"-o", "-1", "x"}, u"between 0 and 1073741824"_s);
    row("disk zero", {"--disk", "0", "x"}, u"--disk takes"_s);
    row("cpu zero", {"--cpu", "0", "x"}, u"--cpu takes"_s);
    row("cpu share zero", {"--cpu-share", "0", "x"},
        u"--cpu-share takes a whole number of percent between 1 and 102400, not \"0\"."_s);
    row("no traffic", {"--traffic", "0", "x"},
        u"--traffic takes a whole number of MB between 1 and 1048576, or one with K, M or G, not \"0\"."_s);
    row("bandwidth in words", {"--bandwidth", "fast", "x"},
        u"--bandwidth takes a whole number of KB a second between 1 and 1048576, or one with K, M or G, not \"fast\"."_s);
    row("a folder as file", {"--file", "folder/", "x"}, u"not a folder"_s);
    row("two files of one name", {"--file", "a/data", "--file", "b/data", "x"}, u"called \"data\""_s);
}

void TestOptions::wrongUsageIsRefusedWithASentence()
{
    QFETCH(QByteArrayList, arguments);
    QFETCH(QString, says);
    const auto options = parse(arguments);
    QVERIFY(!options);
    QVERIFY2(options.error().contains(says), qPrintable(options.error()));
    const bool endsWithCommand = options.error().contains(u": glovebox run "_s); // which a full stop would spoil
    QVERIFY(endsWithCommand || options.error().endsWith(u'.') || options.error().endsWith(u'?'));
}

void TestOptions::limitsGoOnTopOfThePolicy()
{
    const auto options = parse({"-t",        "5",       "--cpu",       "2",  "--cpu-share", "150",         "-m",
                                "32",        "--procs", "7",           "-o", "100",         "--disk",      "3",
                                "--traffic", "8",       "--bandwidth", "9",  "--allow",     "example.org", "--strict",
                                "--backend", "native",  "-c",          "x"});
    QVERIFY(options);
    const Policy policy = options->on(Policy());
    QCOMPARE(policy.limits.wall, 5s);
    QCOMPARE(policy.limits.cpu, 2s);
    QCOMPARE(policy.limits.cpuPercent, 150);
    QCOMPARE(policy.limits.memoryBytes, 32 * mebibyte);
    QCOMPARE(policy.limits.processes, 7);
    QCOMPARE(policy.limits.outputBytes, 100);
    QCOMPARE(policy.limits.diskBytes, 3 * mebibyte);
    QCOMPARE(policy.limits.trafficBytes, 8 * mebibyte);
    QCOMPARE(policy.limits.bandwidthBytes, 9 * kibibyte);
    QVERIFY(policy.strict);
}

void TestOptions::limitsThatAreNotGivenStay()
{
    Policy policy;
    policy.limits.wall = 7s;
    policy.limits.cpu = 3s;
    policy.limits.cpuPercent = 30;
    policy.limits.trafficBytes = 3 * mebibyte;
    policy.strict = true;
    QCOMPARE(parse({"-c", "x"})->on(policy), policy);
}

void TestOptions::codeKeepsItsBytes()
{
    const QByteArray code("print('\xff\xfe')");
    QCOMPARE(parse({"-c", code})->code, code);
    QCOMPARE(parse({"-c", "", "--json"})->code, QByteArray("")); // empty code is for the engine to refuse
}

void TestOptions::withoutATerminalCodeComesFromStandardInput()
{
    const auto options = parse({}, false);
    QVERIFY(options);
    QCOMPARE(options->source, RunOptions::Source::StandardInput);
    QCOMPARE(parse({"-"}, true)->source, RunOptions::Source::StandardInput);
}

void TestOptions::standardInputIsRelayedOnlyWhereItIsFree()
{
    QVERIFY(parse({"-c", "x"})->relaysStandardInput());
    QVERIFY(!parse({"-"})->relaysStandardInput());
    QVERIFY(!parse({"-c", "x", "--json"})->relaysStandardInput());
    QVERIFY(parse({"-c", "x", "--json", "--stdin", "-"})->relaysStandardInput());
    QVERIFY(!parse({"-c", "x", "--stdin", "file"})->relaysStandardInput());
    QVERIFY(!parse({"-c", "x", "--session", "s", "--detach"})->relaysStandardInput());
}

// And in few words, with what holds where it isn't given. The manual's test compares pages with the same table.
void TestOptions::helpExplainsEveryOption()
{
    for (const Command &command : allCommands()) {
        const QString help = command.help();
        for (const Option &option : command.options) {
            const QString name = command.name + u' ' + QString::fromUtf8(option.name);
            QVERIFY2(help.contains(u"\n  "_s + option.shown()), qPrintable(name));
            QVERIFY2(option.help.split(u' ').size() <= 20, qPrintable(name));
            QVERIFY2(!option.help.contains(u"(off)"_s), qPrintable(name));
            if (!option.value.isEmpty())
                QVERIFY2(option.help.contains(u"[default: "_s) || option.help.endsWith(u"(required)"_s),
                         qPrintable(name));
        }
    }
}

void TestOptions::helpIsWrappedForTheTerminal_data()
{
    QTest::addColumn<int>("width");
    for (const int width : {40, 80, 100})
        QTest::addRow("%d", width) << width;
}

// Lines to be copied stay whole, and so does a word, such as a host, that is wider.
void TestOptions::helpIsWrappedForTheTerminal()
{
    QFETCH(int, width);
    QStringList texts{overviewOf(allCommands(), width)};
    for (const Command &command : allCommands())
        texts.append(command.help(width));
    for (const QString &text : texts) {
        QVERIFY(text.endsWith(u'\n') && !text.endsWith(u"\n\n"_s));
        bool isExample = false;
        for (const QString &line : text.split(u'\n')) {
            isExample = line.startsWith(u"Example"_s) || (isExample && line.startsWith(u"  "_s));
            const bool isWord = !line.trimmed().contains(u' ');
            QVERIFY2(isExample || isWord || line.size() <= width, qPrintable(line));
        }
    }
    QVERIFY(texts.first().split(u'\n').first().size() > width / 2); // what fits isn't broken
}

void TestOptions::aTimeToComeIsNotAgo()
{
    constexpr qint64 hour = 3'600'000'000;
    QCOMPARE(agoWords(0, 3 * hour), u"3 hours ago"_s);
    QCOMPARE(agoWords(0, 0), u"less than a minute ago"_s);
    QCOMPARE(agoWords(3 * hour, 0), u"later than now"_s); // by a clock that was set back
}

void TestOptions::shellsAreOfferedWhatFits_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QStringList>("offered");
    const auto row = [](const QStringList &words, const QStringList &offered) {
        QTest::newRow(qPrintable(words.join(u' ') + u'|')) << words << offered;
    };
    row({u"r"_s}, {u"run"_s});
    row({u"audit"_s, QString()}, {u"list"_s, u"show"_s, u"verify"_s, u"export"_s, u"prune"_s});
    row({u"audit"_s, u"sh"_s}, {u"show"_s});
    row({u"run"_s, u"--al"_s}, {u"--allow-source"_s, u"--allow-scripts"_s, u"--allow"_s});
    row({u"run"_s, u"-t"_s}, {u"-t"_s});
    row({u"run"_s, u"-l"_s, QString()}, {u"python"_s, u"node"_s, u"bash"_s, u"sh"_s});
    row({u"run"_s, u"--language"_s, u"b"_s}, {u"bash"_s});
    row({u"run"_s, u"--allow"_s, u"pip"_s}, {});
    row({u"run"_s, u"--allow"_s, u"py"_s}, {u"pypi"_s});
    row({u"run"_s, u"--file"_s, QString()}, {}); // the shell's files
    row({u"run"_s, QString()}, {});
    row({u"run"_s, u"x.py"_s, u"--"_s, u"--"_s}, {});
    row({u"settings"_s, u"get"_s, u"run.mem"_s}, {u"run.memory_mb"_s});
    row({u"run"_s, u"--language="_s},
        {u"--language=python"_s, u"--language=node"_s, u"--language=bash"_s, u"--language=sh"_s});
    row({u"run"_s, u"--language"_s, u"="_s, u"no"_s}, {u"node"_s}); // as bash parts words
    row({u"run"_s, u"--language"_s, u"="_s}, {u"python"_s, u"node"_s, u"bash"_s, u"sh"_s});
    row({u"run"_s, u"--backend"_s, QString()}, {u"native"_s});
    row({u"audit"_s, u"list"_s, u"--outcome"_s, u"tim"_s}, {u"timed_out"_s});
    row({u"secret"_s, u"edit"_s, u"--caller"_s, QString()}, {u"cli"_s, u"workbench"_s, u"mcp"_s});
    row({u"settings"_s, u"set"_s, u"vault.store"_s, QString()}, {u"keychain"_s, u"file"_s});
    row({u"settings"_s, u"set"_s, u"run.strict"_s, QString()}, {u"true"_s, u"false"_s});
    row({u"settings"_s, u"set"_s, u"run.memory_mb"_s, QString()}, {u"256"_s});
    row({u"settings"_s, u"set"_s, u"run.strict"_s, u"true"_s, QString()}, {});
    row({u"settings"_s, u"get"_s, u"run.strict"_s, QString()}, {});
    row({u"session"_s, u"put"_s, u"shop"_s, QString()}, {}); // the shell's files
    row({u"session"_s, u"rename"_s, u"shop"_s, QString()}, {});
    row({u"mcp"_s, u"install"_s, u"claude-c"_s}, {u"claude-code"_s});
    row({u"help"_s, u"audit"_s, u"pr"_s}, {u"prune"_s});
    row({u"help"_s, u"sec"_s}, {u"secret"_s});
    row({u"mcp"_s, u"p"_s}, {u"pair"_s});
    row({u"mcp"_s, u"--http-"_s}, {u"--http-socket"_s});
    row({u"completion"_s, u"z"_s}, {u"zsh"_s});
    for (const QStringList &name : {QStringList{u"--name"_s, u"x"_s}, {u"--name=x"_s}, {u"--name"_s, u"="_s, u"x"_s}})
        row(QStringList{u"session"_s, u"fork"_s} + name + QStringList{u"las"_s}, {u"last"_s});
    row({u"session"_s, u"fork"_s, u"--name"_s, u"="_s, u"x"_s, u"--js"_s}, {u"--json"_s});
    row({u"frobnicate"_s, QString()}, {});
    row({u"xyz"_s}, {});
}

void TestOptions::shellsAreOfferedWhatFits()
{
    QFETCH(QStringList, words);
    QFETCH(QStringList, offered);
    QStringList found;
    for (const Candidate &candidate : candidatesFor(allCommands(), words))
        found.append(candidate.word);
    QCOMPARE(found, offered);
}

void TestOptions::helpSaysWhatEachPresetOpens()
{
    QString help;
    for (const Command &command : allCommands()) {
        if (command.name == u"run"_s)
            help = command.help();
    }
    for (const NetworkPreset &preset : networkPresets()) {
        const qsizetype begin = help.indexOf(u"\n  %1 "_s.arg(preset.name));
        QVERIFY2(begin >= 0, qPrintable(preset.name));
        QString words = help.sliced(begin + 3 + preset.name.size()).simplified();
        QVERIFY2(words.startsWith(preset.opens.join(u", "_s)), qPrintable(words.left(200)));
    }
}

QTEST_GUILESS_MAIN(TestOptions)
#include "tst_options.moc"
