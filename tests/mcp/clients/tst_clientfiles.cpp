// SPDX-License-Identifier: Apache-2.0
// Glovebox's entry comes into each client's configuration and out of it again, and no other byte changes.
#include "clientsfixture.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;
using Found = ConfigurationChange::Found;

namespace {

mode_t modeOf(const QString &path)
{
    struct stat info = {};
    return ::stat(QFile::encodeName(path).constData(), &info) == 0 ? info.st_mode & 07777 : 0;
}

QStringList filesIn(const QString &folder)
{
    return QDir(folder).entryList(QDir::Files | QDir::Hidden);
}

} // namespace

class TestClientFiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void eachFileIsWhereItsClientLooks()
    {
        QProcessEnvironment environment;
        environment.insert(u"HOME"_s, u"/home/ada"_s);
        QStringList files;
        for (const ClientProgram &program : clientPrograms(environment))
            files.append(program.file.sliced(10));
        QCOMPARE(files, (QStringList{u".claude.json"_s, u".config/Claude/claude_desktop_config.json"_s,
                                     u".codex/config.toml"_s, u".config/Code/User/mcp.json"_s, u".cursor/mcp.json"_s,
                                     u".config/goose/config.yaml"_s, u".lmstudio/mcp.json"_s,
                                     u".config/zed/settings.json"_s, u".gemini/settings.json"_s}));

        environment.insert(u"XDG_CONFIG_HOME"_s, u"/x"_s);
        environment.insert(u"CLAUDE_CONFIG_DIR"_s, u"/c"_s);
        environment.insert(u"CODEX_HOME"_s, u"/o"_s);
        environment.insert(u"GEMINI_CLI_HOME"_s, u"relative/ignored"_s);
        files.clear();
        for (const ClientProgram &program : clientPrograms(environment))
            files.append(program.file);
        QCOMPARE(files[0], u"/c/.claude.json"_s);
        QCOMPARE(files[1], u"/x/Claude/claude_desktop_config.json"_s);
        QCOMPARE(files[2], u"/o/config.toml"_s);
        QCOMPARE(files[3], u"/x/Code/User/mcp.json"_s);
        QCOMPARE(files[8], u"/home/ada/.gemini/settings.json"_s);
    }

    void theEntryComesAndGoes_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QByteArray>("text");
        for (const QString &id : ClientsHome::ids()) {
            const QByteArray example = ClientsHome::example(id);
            QByteArray windows = example;
            windows.replace('\n', "\r\n");
            QTest::addRow("%s", qPrintable(id)) << id << example;
            QTest::addRow("%s, CRLF", qPrintable(id)) << id << windows;
            QTest::addRow("%s, byte order mark", qPrintable(id)) << id << "\xef\xbb\xbf" + example;
            QTest::addRow("%s, no final newline", qPrintable(id)) << id << example.trimmed();
            QTest::addRow("%s, many final newlines", qPrintable(id)) << id << example + "\n \n\n";
        }
    }
    void theEntryComesAndGoes()
    {
        QFETCH(const QString, id);
        QFETCH(const QByteArray, text);
        const ClientsHome home;
        const ClientProgram program = home.program(id, text);
        const auto change = planInstall(program, command);
        QVERIFY2(change, qPrintable(said(change)));
        QCOMPARE(change->found, Found::Nothing);
        QCOMPARE(ClientsHome::read(program.file), text); // nothing is written yet
        if (text.endsWith('\n') && text.count('\n') > 3)
            QVERIFY(!change->difference.contains("\n-")); // lines are only added
        QVERIFY(change->difference.contains("\n+") && change->difference.contains("glovebox"));
        QCOMPARE(said(applyChange(*change)), QString());
        const QByteArray with = ClientsHome::read(program.file);
        QCOMPARE(with, *change->after);
        QCOMPARE(touchedBytes(text, with), 0);
        QCOMPARE(with.count("\r\n"), text.contains("\r\n") ? with.count('\n') : 0);
        QCOMPARE(with.endsWith('\n'), text.endsWith('\n'));

        const QString backup = program.file + u".glovebox-backup"_s;
        QCOMPARE(ClientsHome::read(backup), text);
        QCOMPARE(modeOf(backup), mode_t(0600));
        const auto again = planInstall(program, command);
        QVERIFY(again && again->found == Found::SameEntry && again->changesNothing());

        // Also where nobody knows any more what it was before.
        QVERIFY(QFile::remove(backup));
        const auto removal = planUninstall(program);
        QVERIFY2(removal, qPrintable(said(removal)));
        QCOMPARE(removal->after.value_or("no file"), text);
        QCOMPARE(said(applyChange(*removal)), QString());
        QCOMPARE(ClientsHome::read(program.file), text);
        QCOMPARE(ClientsHome::read(backup), with);
    }

    // As its own parser sees the file, there is one server more.
    void jsonSaysTheSameAndTheEntry()
    {
        for (const QString &id :
             {u"claude-code"_s, u"claude-desktop"_s, u"cursor"_s, u"lm-studio"_s, u"gemini-cli"_s}) {
            const ClientsHome home;
            const ClientProgram program = home.program(id, ClientsHome::example(id));
            QCOMPARE(install(program), QString());
            QJsonObject root = QJsonDocument::fromJson(ClientsHome::read(program.file)).object();
            QJsonObject servers = root.value(program.section).toObject();
            QJsonObject expected{{u"command"_s, command}, {u"args"_s, QJsonArray{u"mcp"_s}}};
            if (id == u"claude-code")
                expected.insert(u"type"_s, u"stdio"_s);
            QCOMPARE(servers.take(u"glovebox"_s).toObject(), expected);
            root.insert(program.section, servers);
            QCOMPARE(root, QJsonDocument::fromJson(ClientsHome::example(id)).object());
        }
    }

    void aFileAndItsFolderAreMadeAndTheFileGoesAgain_data()
    {
        QTest::addColumn<QString>("id");
        for (const QString &id : ClientsHome::ids())
            QTest::newRow(qPrintable(id)) << id;
    }
    void aFileAndItsFolderAreMadeAndTheFileGoesAgain()
    {
        QFETCH(const QString, id);
        const ClientsHome home;
        const ClientProgram program = home.program(id);
        const auto change = planInstall(program, command);
        QVERIFY2(change, qPrintable(said(change)));
        QVERIFY(change->difference.startsWith("--- /dev/null\n"));
        QVERIFY(!QFileInfo::exists(program.file));
        QCOMPARE(said(applyChange(*change)), QString());
        QCOMPARE(ClientsHome::read(program.file), entryText(program, command));
        QCOMPARE(modeOf(program.file), mode_t(0600));
        QCOMPARE(filesIn(QFileInfo(program.file).path()).size(), 1);
        QCOMPARE(uninstall(program), QString());
        QCOMPARE(filesIn(QFileInfo(program.file).path()), QStringList());
        const auto nothing = planUninstall(program);
        QVERIFY(nothing && nothing->found == Found::Nothing && nothing->changesNothing());
    }

    void whatWasThereWithoutASectionIsBackByteForByte_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QByteArray>("text");
        const auto add = [](const QString &id, std::initializer_list<QByteArray> texts) {
            for (const QByteArray &text : texts)
                QTest::addRow("%s %s", qPrintable(id), text.toPercentEncoding().constData()) << id << text;
        };
        add(u"vscode"_s, {"",
                          " ",
                          "\n",
                          "\xef\xbb\xbf",
                          "// nothing\n",
                          "// nothing",
                          "/* x */",
                          "{}",
                          "{ }",
                          "{\n}\n",
                          "\t{\r\n\t}\r\n",
                          "{ /* x */ }",
                          "{ // x\n}",
                          "{\n  // x\n}",
                          "{\"a\":1}",
                          "{ \"a\": 1 }",
                          "{\n\t\"a\": 1\n}",
                          "{\n/* x */ \"a\": [1,\n2,],\n}",
                          "{ // x\r\n   \"a\": 1}",
                          "{\"servers\":{}}",
                          "{\n  \"servers\": { }\n}",
                          "{\n  \"servers\": {\n  }\n}",
                          "{\"servers\": { // none\n } }",
                          "{\"a\":1 // x\n}",
                          "{\"\\u0073ervers\":{}}"});
        add(u"codex"_s, {"", "\n", "\n\n", "\xef\xbb\xbf", "# x", "a = 1", "a = 1\n", "a = 1\n\n\n", "a = 1\r\n",
                         "a = 1\r\nb = 2", "[mcp_servers]\n", "mcp_servers.x.command = 'y'", "[[a]]\nb = '''\n'''"});
        add(u"goose"_s, {"", "\n", "# x", "---\n", "---\na: 1\n", "a: 1", "a: |\n  b\n\n", "a:\n- b",
                         "extensions:", "extensions:\n", "extensions: {}", "extensions: { } # none\n",
                         "extensions:\n# x\na: 1\n", "extensions:   # x\r\na: 1\r\n", "\"extensions\" :\n    b: {}\n"});
    }
    void whatWasThereWithoutASectionIsBackByteForByte()
    {
        QFETCH(const QString, id);
        QFETCH(const QByteArray, text);
        const ClientsHome home;
        const ClientProgram program = home.program(id, text);
        QCOMPARE(install(program), QString());
        const auto again = planInstall(program, command);
        QVERIFY2(again && again->found == Found::SameEntry, ClientsHome::read(program.file).constData());
        QCOMPARE(uninstall(program), QString());
        QCOMPARE(ClientsHome::read(program.file), text);
        QCOMPARE(filesIn(QFileInfo(program.file).path()).size(), 1); // the backup says nothing new
    }

    // Claude Code writes its whole file anew many times a day.
    void whatClientsWriteMeanwhileStays()
    {
        const ClientsHome home;
        const ClientProgram program = home.program(u"claude-code"_s, "{\n  \"numStartups\": 1\n}\n");
        QCOMPARE(install(program), QString());
        QJsonObject root = QJsonDocument::fromJson(ClientsHome::read(program.file)).object();
        root.insert(u"numStartups"_s, 2);
        ClientsHome::write(program.file, QJsonDocument(root).toJson());
        QCOMPARE(uninstall(program), QString());
        QCOMPARE(ClientsHome::read(program.file), QJsonDocument(QJsonObject{{u"numStartups"_s, 2}}).toJson());

        // A section that was there stays, empty as it may be now.
        QVERIFY(QFile::remove(program.file + u".glovebox-backup"_s));
        ClientsHome::write(program.file, "{\"a\": 1, \"mcpServers\": {\"b\": {}}}");
        QCOMPARE(install(program), QString());
        ClientsHome::write(program.file, ClientsHome::read(program.file).replace(",\"b\": {}", ""));
        QCOMPARE(uninstall(program), QString());
        QCOMPARE(ClientsHome::read(program.file), "{\"a\": 1, \"mcpServers\": {}}");
    }

    void tablesThatCodexAddsBelowTheEntryGoWithIt()
    {
        const ClientsHome home;
        const ClientProgram program = home.program(u"codex"_s, "model = 'x'\n");
        QCOMPARE(install(program), QString());
        QByteArray text = ClientsHome::read(program.file);
        ClientsHome::write(
            program.file,
            text + "\n[a]\nb = 1\n\n[mcp_servers.\"glovebox\".tools.run_code]\napproval_mode = \"approve\"\n");
        QCOMPARE(uninstall(program), QString());
        QCOMPARE(ClientsHome::read(program.file), "model = 'x'\n\n[a]\nb = 1\n");
    }

    void anEntryByHandIsKnown_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QByteArray>("text"); // %1: the command
        QTest::addColumn<QByteArray>("without");
        QTest::newRow("json")
            << u"cursor"_s
            << QByteArray(
                   R"({"mcpServers": {"a": {}, /* mine */ "\u0067lovebox" : {"args": [ "mcp" ], "env": {"A": "b"}, "command": "%1"}}})")
            << QByteArray(R"({"mcpServers": {"a": {} /* mine */}})");
        QTest::newRow("inline table")
            << u"codex"_s << QByteArray("[mcp_servers]\na = {}\nglovebox = { command = '%1', args = ['mcp'] } # mine\n")
            << QByteArray("[mcp_servers]\na = {}\n");
        QTest::newRow("dotted keys")
            << u"codex"_s
            << QByteArray(
                   "mcp_servers.glovebox.command = \"%1\"\nmcp_servers . 'glovebox' . args = [\n \"mcp\" ]\nb = 1")
            << QByteArray("b = 1");
        QTest::newRow("table") << u"codex"_s
                               << QByteArray("[ mcp_servers . \"glovebox\" ] # mine\nargs = ['mcp']\nenv = { A = 'b' "
                                             "}\ncommand = '%1'\n# next\n[x]\n")
                               << QByteArray("# next\n[x]\n");
        QTest::newRow("yaml") << u"goose"_s
                              << QByteArray("extensions:\n    'glovebox':\n        cmd: %1 # mine\n        args:\n     "
                                            "   - mcp\n        envs:\n          A: b\n    x: {}\n")
                              << QByteArray("extensions:\n    x: {}\n");
        QTest::newRow("yaml in one line")
            << u"goose"_s << QByteArray("extensions:\n  x: {}\n  glovebox:\n    args: ['mcp']\n    cmd: '%1'\n")
            << QByteArray("extensions:\n  x: {}\n");
    }
    void anEntryByHandIsKnown()
    {
        QFETCH(const QString, id);
        QFETCH(QByteArray, text);
        QFETCH(const QByteArray, without);
        const ClientsHome home;
        const QString its = u"/usr/bin/glovebox"_s;
        const ClientProgram program = home.program(id, QByteArray(text).replace("%1", its.toUtf8()));
        const auto same = planInstall(program, its);
        QVERIFY2(same, qPrintable(said(same)));
        QCOMPARE(same->found, Found::SameEntry);
        QVERIFY(same->changesNothing() && same->difference.isEmpty());

        // Another command: the change says so, and the rest of the entry stays where it can.
        const auto moved = planInstall(program, u"/opt/glovebox"_s);
        QVERIFY2(moved, qPrintable(said(moved)));
        QCOMPARE(moved->found, Found::OtherEntry);
        QVERIFY(moved->difference.contains("\n-"));
        QCOMPARE(said(applyChange(*moved)), QString());
        QCOMPARE(planInstall(program, u"/opt/glovebox"_s)->found, Found::SameEntry);
        if (QTest::currentDataTag() == "table"_ba || QTest::currentDataTag() == "json"_ba)
            QVERIFY(ClientsHome::read(program.file).contains("A"));
        QVERIFY(QFile::remove(program.file + u".glovebox-backup"_s));

        QCOMPARE(uninstall(program), QString());
        QCOMPARE(ClientsHome::read(program.file), without);
    }

    void anEntryOfAnotherProgramIsLeftAlone()
    {
        const QByteArray text = R"({"mcpServers": {"glovebox": {"command": "docker", "args": ["run", "glovebox"]}}})";
        const ClientsHome home;
        const ClientProgram program = home.program(u"cursor"_s, text);
        QVERIFY(uninstall(program).contains(u"starts another program"_s));
        QCOMPARE(ClientsHome::read(program.file), text);
        QCOMPARE(planInstall(program, command)->found, Found::OtherEntry);
    }

    void linksModeAndOwnerStay()
    {
        const ClientsHome home;
        const ClientProgram program = home.program(u"zed"_s);
        const QString target = home.at(u"dotfiles/zed.json"_s);
        ClientsHome::write(target, ClientsHome::example(u"zed"_s));
        const bool isRoot = ::geteuid() == 0;
        if (isRoot)
            QCOMPARE(::chown(QFile::encodeName(target).constData(), 12345, 54321), 0);
        QCOMPARE(::chmod(QFile::encodeName(target).constData(), 0640), 0);
        QVERIFY(QDir().mkpath(QFileInfo(program.file).path()));
        QVERIFY(QFile::link(target, program.file));
        QCOMPARE(install(program), QString());
        QVERIFY(QFileInfo(program.file).isSymLink());
        QVERIFY(ClientsHome::read(target).contains("glovebox"));
        QCOMPARE(modeOf(target), mode_t(0640));
        if (isRoot)
            QCOMPARE(QFileInfo(target).ownerId(), 12345U);
        QCOMPARE(filesIn(home.at(u"dotfiles"_s)), (QStringList{u"zed.json"_s, u"zed.json.glovebox-backup"_s}));
        QCOMPARE(uninstall(program), QString());
        QCOMPARE(ClientsHome::read(target), ClientsHome::example(u"zed"_s));
        QVERIFY(QFileInfo(program.file).isSymLink());
    }

    void aDifferenceReadsLikeThatOfDiff()
    {
        const ClientsHome home;
        const ClientProgram program = home.program(u"cursor"_s, "{\n  \"a\": 1\n}");
        const QString server = u"/usr/bin/glovebox"_s;
        const QByteArray name = program.file.toUtf8();
        QCOMPARE(planInstall(program, server)->difference,
                 "--- " + name + "\n+++ " + name
                     + "\n@@ -1,3 +1,9 @@\n {\n"
                       "+  \"mcpServers\": {\n+    \"glovebox\": {\n+      \"command\": \"/usr/bin/glovebox\",\n"
                       "+      \"args\": [\"mcp\"]\n+    }\n+  },\n"
                       "   \"a\": 1\n }\n\\ No newline at end of file\n");
    }
};

QTEST_GUILESS_MAIN(TestClientFiles)
#include "tst_clientfiles.moc"
