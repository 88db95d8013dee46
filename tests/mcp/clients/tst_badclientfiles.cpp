// SPDX-License-Identifier: Apache-2.0
// A configuration file that can't be changed safely stays as it is, and a sentence says why.
#include "clientsfixture.h"

#include <QFileInfo>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;

class TestBadClientFiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void whatIsNotUnderstoodIsLeftAlone_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("sentence");
        auto add = [number = 0](const QString &id, const QByteArray &text, const QString &sentence) mutable {
            QTest::addRow("%d %s %s", ++number, qPrintable(id),
                          text.first(std::min<qsizetype>(30, text.size())).toPercentEncoding().constData())
                << id << text << sentence;
        };
        const QString broken = u"isn't valid"_s;
        for (const char *text :
             {"{", "{\n\"a\": \"b\n}", "{\"a\" 1}", "{\"a\": 1 \"b\": 2}", "{\"a\": 1}}", "{\"a\": 1} x", "{,}",
              "{\"a\": 1,,}", "{'a': 1}", "{a: 1}", "{\"a\": }", "{\"a\": nul}", "{\"a\": 01x}", "/* open",
              "{\"a\": [1, 2}", "{\"a\": \"\\x\"", "{\"servers\": {\"a\": {}", "x"})
            add(u"vscode"_s, text, QByteArray(text) == "x" ? u"form"_s : broken);
        add(u"vscode"_s, "{\"a\":" + QByteArray(100'000, '['), broken);
        add(u"vscode"_s, "[]", u"form"_s);
        add(u"vscode"_s, "{\"servers\": []}", u"form"_s);
        add(u"vscode"_s, "{\n\"servers\": null}", u"Line 2 of"_s);
        add(u"vscode"_s, "{\"servers\": {\"glovebox\": true}}", u"form"_s);
        add(u"vscode"_s, "{\"servers\": {},\n\n\"servers\": {}}", u"Line 3 of"_s);
        add(u"vscode"_s, "{\"servers\": {}, \"\\u0073ervers\": {}}", u"a second time"_s);
        add(u"vscode"_s, "{\"servers\": {\"glovebox\": {}, \"glovebox\": {}}}", u"a second time"_s);
        add(u"vscode"_s, "{\"servers\": {\"glovebox\": {\"command\": \"a\", \"command\": \"b\"}}}", u"a second time"_s);
        for (const char *text : {"a", "a =", "a = \"b", "a = '''b", "[a", "[a]]", "[[a]\n", "a = [1, 2", "a = {b = 1",
                                 "= 1", "a = 1 b = 2", "a = [1 2]", "\"a = 1", "[a] x\n", "a.= 1"})
            add(u"codex"_s, text, broken);
        add(u"codex"_s, "a = " + QByteArray(100'000, '['), broken);
        add(u"codex"_s, "mcp_servers = { a = { command = 'x' } }\n", u"form"_s);
        add(u"codex"_s, "[[mcp_servers]]\na = 1\n", u"form"_s);
        add(u"codex"_s, "[mcp_servers]\nglovebox = 1\n", u"form"_s);
        add(u"codex"_s, "[mcp_servers.glovebox]\na = 1\n[mcp_servers.glovebox]\n", u"a second time"_s);
        add(u"codex"_s, "[mcp_servers.glovebox]\ncommand = 'a'\n'command' = 'b'\n", u"a second time"_s);
        add(u"codex"_s, "[mcp_servers]\nglovebox = { command = 'a' }\n[mcp_servers.glovebox]\ncommand = 'b'\n",
            u"a second time"_s);
        for (const char *text : {"a: \"b", "a: [b", "a: {b", "\ta: 1", "a: 'b' c", "---\na: 1\n---\nb: 2\n",
                                 "a: 1\n...\nb: 2", "%YAML 1.2\n---\na: 1\n", "? a\n: b\n", "a: [b}]\n"})
            add(u"goose"_s, text, broken);
        for (const char *text : {"- a\n", "text", "{a: b}", "extensions: text\n", "extensions: *alias\n",
                                 "extensions: [a]\n", "extensions:\n- a\n", "extensions: {a: {}}\n",
                                 "extensions:\n    a: {}\n  b: {}\n", "extensions:\n  - a\n", "  a: 1\nb: 1\n"})
            add(u"goose"_s, text, u"form"_s);
        add(u"goose"_s, "extensions:\n  a: {}\nextensions:\n  b: {}\n", u"Line 3 of"_s);
        add(u"goose"_s, "extensions:\n  glovebox: {}\n  \"glovebox\": {}\n", u"a second time"_s);
        for (const char *id : {"vscode", "codex", "goose"}) {
            add(QString::fromLatin1(id),
                QByteArray("\x7f"
                           "ELF\x02\0\0\0{}",
                           11),
                u"UTF-8"_s);
            add(QString::fromLatin1(id), "\xff\xfe{\0}\0"_ba, u"UTF-8"_s);
            add(QString::fromLatin1(id), "# caf\xe9\n", u"UTF-8"_s);
        }
    }
    void whatIsNotUnderstoodIsLeftAlone()
    {
        QFETCH(const QString, id);
        QFETCH(const QByteArray, text);
        QFETCH(const QString, sentence);
        const ClientsHome home;
        const ClientProgram program = home.program(id, text);
        for (const QString &what : {install(program), uninstall(program)})
            QVERIFY2(what.contains(sentence), qPrintable(what));
        QCOMPARE(home.read(program.file), text);
        QVERIFY(!QFileInfo::exists(program.file + u".glovebox-backup"_s));
    }

    void whatOthersWriteBetweenPlanAndApplyStays()
    {
        const ClientsHome home;
        const ClientProgram program = home.program(u"cursor"_s, "{}");
        const auto change = planInstall(program, command);
        QVERIFY(change);
        ClientsHome::write(program.file, "{ }");
        QCOMPARE(applyChange(*change).error().code, ErrorCode::Busy);
        QCOMPARE(home.read(program.file), "{ }");
        QVERIFY(QFile::remove(program.file));
        QCOMPARE(applyChange(*change).error().code, ErrorCode::Busy);
        QVERIFY(!QFileInfo::exists(program.file));

        const auto fresh = planInstall(program, command);
        QVERIFY(fresh && !fresh->before);
        ClientsHome::write(program.file, "{}");
        QCOMPARE(applyChange(*fresh).error().code, ErrorCode::Busy);
        QCOMPARE(home.read(program.file), "{}");

        QVERIFY(QFile::remove(program.file));
        QCOMPARE(install(program), QString());
        const auto removal = planUninstall(program);
        QVERIFY(removal && !removal->after);
        ClientsHome::write(program.file, "{\"mine\": 1}");
        QCOMPARE(applyChange(*removal).error().code, ErrorCode::Busy);
        QCOMPARE(home.read(program.file), "{\"mine\": 1}");
    }

    void whatIsNoFileGetsASentenceAtOnce()
    {
        const ClientsHome home;
        const ClientProgram program = home.program(u"cursor"_s, "{}");
        QVERIFY(QFile::remove(program.file));
        QCOMPARE(::mkfifo(QFile::encodeName(program.file).constData(), 0600), 0);
        QVERIFY(install(program).contains(u"not a regular file"_s));
        QVERIFY(QFile::remove(program.file));
        QVERIFY(QFile::link(home.at(u"nowhere"_s), program.file));
        QVERIFY(install(program).contains(u"a link to a file that isn't there"_s));
    }

    void whatMayNotBeWrittenIsNotWritten()
    {
        const ClientsHome home;
        const ClientProgram program = home.program(u"cursor"_s, "{}");
        QCOMPARE(::chmod(QFile::encodeName(program.file).constData(), 0444), 0); // also for root
        QVERIFY(install(program).contains(u"can't be written"_s));
        QCOMPARE(home.read(program.file), "{}");
        QVERIFY(!QFileInfo::exists(program.file + u".glovebox-backup"_s));

        ClientProgram elsewhere = program;
        elsewhere.file = u"/proc/glovebox/mcp.json"_s;
        QVERIFY(install(elsewhere).contains(u"can't be written"_s));
        elsewhere.file = program.file + u"/mcp.json"_s; // below a file
        QVERIFY(!install(elsewhere).isEmpty());
        QCOMPARE(home.read(program.file), "{}");
    }

    void tenMegabytesAreChanged_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QByteArray>("begin");
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("end");
        QTest::newRow("json") << u"claude-code"_s << "{\n  \"history\": [\n"_ba
                              << "    { \"text\": \"what was \\\"said\\\"\", \"at\": 123456.5, \"list\": [] },\n"_ba
                              << "    null\n  ]\n}\n"_ba;
        QTest::newRow("toml") << u"codex"_s << "# much\n"_ba
                              << "[[history]]\ntext = \"what was \\\"said\\\"\" # at 5\nlist = [1, 2]\n"_ba << ""_ba;
        QTest::newRow("yaml") << u"goose"_s << "history:\n"_ba
                              << "  - text: \"what was \\\"said\\\"\" # at 5\n    list: [1, 2]\n"_ba << ""_ba;
    }
    void tenMegabytesAreChanged()
    {
        QFETCH(const QString, id);
        QFETCH(const QByteArray, begin);
        QFETCH(const QByteArray, line);
        QFETCH(const QByteArray, end);
        const QByteArray text = begin + line.repeated(10'000'000 / line.size()) + end;
        const ClientsHome home;
        const ClientProgram program = home.program(id, text);
        QCOMPARE(install(program), QString());
        QCOMPARE(uninstall(program), QString());
        QVERIFY(home.read(program.file) == text);
    }

    void moreThanCanBeReadIsRefused()
    {
        const ClientsHome home;
        const ClientProgram program = home.program(u"cursor"_s, "{}");
        QVERIFY(QFile::resize(program.file, 65 * 1024 * 1024));
        QVERIFY(install(program).contains(u"too many to change"_s));
    }

    void anUnknownClientGetsTheList()
    {
        QVERIFY(said(clientProgram(u"emacs"_s)).contains(u"claude-code, claude-desktop, codex"_s));
    }
};

QTEST_GUILESS_MAIN(TestBadClientFiles)
#include "tst_badclientfiles.moc"
