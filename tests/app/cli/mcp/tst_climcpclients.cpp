// SPDX-License-Identifier: Apache-2.0
// `glovebox mcp install`, `uninstall` and `--print-config`, as a person starts them.
#include "tests/app/cli/program.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliMcpClients : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init() { m_home = std::make_unique<Home>(); }

    void theEntryIsPrinted()
    {
        const Ended codex = started({u"mcp"_s, u"--print-config"_s, u"codex"_s});
        QCOMPARE(codex.status, 0);
        QCOMPARE(codex.out, "[mcp_servers.glovebox]\ncommand = \"" + programFile().toUtf8() + "\"\nargs = [\"mcp\"]\n");
        QVERIFY(codex.err.contains("/.codex/config.toml"));
        const Ended zed = started({u"mcp"_s, u"--print-config"_s, u"zed"_s});
        QVERIFY(zed.out.startsWith("{\n  \"context_servers\": {\n    \"glovebox\": {\n"));
        QVERIFY(QDir(m_home->path()).entryList(QDir::Files | QDir::Hidden).isEmpty());
    }

    void theEntryForHttpHoldsNoToken()
    {
        const Ended codex = started({u"mcp"_s, u"--print-config"_s, u"codex"_s, u"--http"_s});
        QCOMPARE(codex.out, "[mcp_servers.glovebox]\nurl = \"http://127.0.0.1:8737/mcp\"\n"
                            "bearer_token_env_var = \"GLOVEBOX_TOKEN\"\n");
        QVERIFY2(codex.err.contains("set GLOVEBOX_TOKEN"), codex.err);
        const Ended code = started({u"mcp"_s, u"--print-config"_s, u"claude-code"_s, u"--http"_s, u"9000"_s});
        const QJsonObject entry = QJsonDocument::fromJson(code.out)[u"mcpServers"][u"glovebox"_s].toObject();
        QCOMPARE(entry,
                 (QJsonObject{{u"type"_s, u"http"_s},
                              {u"url"_s, u"http://127.0.0.1:9000/mcp"_s},
                              {u"headers"_s, QJsonObject{{u"Authorization"_s, u"Bearer ${GLOVEBOX_TOKEN}"_s}}}}));
        for (const QString &client :
             {u"vscode"_s, u"cursor"_s, u"lm-studio"_s, u"zed"_s, u"gemini-cli"_s, u"goose"_s}) {
            const Ended printed = started({u"mcp"_s, u"--print-config"_s, client, u"--http"_s});
            QVERIFY2(printed.status == 0 && printed.out.contains("http://127.0.0.1:8737/mcp")
                         && printed.out.contains("TOKEN"),
                     printed.out);
        }
        QCOMPARE(started({u"mcp"_s, u"--print-config"_s, u"claude-desktop"_s, u"--http"_s}).status, 1);
        QCOMPARE(started({u"mcp"_s, u"--print-config"_s, u"codex"_s, u"--http=0"_s}).status, 2);
    }

    void nothingIsWrittenUnasked()
    {
        const QString file = m_home->write(u".claude.json"_s, "{\n  \"a\": 1\n}\n");
        const Ended shown = started({u"mcp"_s, u"install"_s, u"claude-code"_s, u"--dry-run"_s});
        QCOMPARE(shown.status, 0);
        QVERIFY(shown.out.contains("+    \"glovebox\": {\n"));
        const Ended unasked = started({u"mcp"_s, u"install"_s, u"claude-code"_s});
        QCOMPARE(unasked.status, 1);
        QVERIFY(unasked.err.contains("--yes"));
        QCOMPARE(bytesOf(file), "{\n  \"a\": 1\n}\n");
    }

    void theEntryComesAndGoes()
    {
        const QString file = m_home->write(u".claude.json"_s, "{\n  \"a\": 1\n}\n");
        const Ended installed = started({u"mcp"_s, u"install"_s, u"claude-code"_s, u"--yes"_s});
        QVERIFY2(installed.status == 0 && installed.err.endsWith(": glovebox mcp uninstall claude-code\n"),
                 installed.err);
        QVERIFY(bytesOf(file).contains("\"args\": [\"mcp\"]"));
        const Ended again = started({u"mcp"_s, u"install"_s, u"claude-code"_s, u"--yes"_s});
        QCOMPARE(again.status, 0);
        QCOMPARE(again.out, "");
        QVERIFY(again.err.contains("already"));
        QCOMPARE(started({u"mcp"_s, u"uninstall"_s, u"claude-code"_s, u"--yes"_s}).status, 0);
        QCOMPARE(bytesOf(file), "{\n  \"a\": 1\n}\n");
        QVERIFY(started({u"mcp"_s, u"uninstall"_s, u"claude-code"_s}).err.contains("no entry"));
    }

    void whereGloveboxIsInstalledIsListed()
    {
        const Ended none = started({u"mcp"_s, u"installed"_s});
        QCOMPARE(none.status, 0);
        QVERIFY2(none.out.contains("cursor          not installed\n") && none.out.count('\n') >= 9, none.out);
        QCOMPARE(started({u"mcp"_s, u"install"_s, u"cursor"_s, u"--yes"_s}).status, 0);
        m_home->write(u".claude.json"_s, R"({"mcpServers": {"glovebox": {"command": "/bin/other", "args": []}}})");
        const Ended listed = started({u"mcp"_s, u"installed"_s});
        QVERIFY2(listed.out.contains("cursor          installed      " + m_home->path(u".cursor/mcp.json"_s).toUtf8()
                                     + ", starts " + programFile().toUtf8() + '\n'),
                 listed.out);
        QVERIFY2(listed.out.contains("claude-code     another entry  "), listed.out);
        m_home->write(u".claude.json"_s, "{");
        const Ended json = started({u"mcp"_s, u"installed"_s, u"--json"_s});
        QCOMPARE(json.status, 1);
        QVERIFY2(json.err.contains(".claude.json isn't valid JSON"), json.err);
        QMap<QString, QString> entries;
        for (const QByteArray &line : json.out.trimmed().split('\n')) {
            const QJsonObject client = QJsonDocument::fromJson(line).object();
            entries.insert(client[u"client"_s].toString(), client[u"entry"_s].toString());
        }
        QCOMPARE(entries.value(u"cursor"_s), u"glovebox"_s);
        QCOMPARE(entries.value(u"claude-code"_s), u"unknown"_s);
        QCOMPARE(entries.value(u"zed"_s), u"none"_s);
        QCOMPARE(started({u"mcp"_s, u"installed"_s, u"x"_s}).status, 2);
    }

    void foldersThatWereMadeForTheEntryGoWithIt()
    {
        const auto change = [&](const QString &deed, const QString &client) {
            return started({u"mcp"_s, deed, client, u"--yes"_s}).status;
        };
        QVERIFY(QDir().mkpath(m_home->path(u".codex"_s))); // somebody else's
        for (const QString &client : {u"cursor"_s, u"codex"_s, u"zed"_s})
            QCOMPARE(change(u"install"_s, client), 0);
        m_home->write(u".config/other"_s, "x");
        for (const QString &client : {u"cursor"_s, u"codex"_s, u"zed"_s})
            QCOMPARE(change(u"uninstall"_s, client), 0);
        QVERIFY(!QFile::exists(m_home->path(u".cursor"_s)));
        QVERIFY(QDir(m_home->path(u".codex"_s)).isEmpty(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden)
                && QFile::exists(m_home->path(u".codex"_s)));
        QVERIFY(QFile::exists(m_home->path(u".config/other"_s)));
        QVERIFY(!QFile::exists(m_home->path(u".config/zed"_s)));
    }

    void whatCannotBeDoneGetsASentence()
    {
        m_home->write(u".claude.json"_s, "{\n\x1b[2J");
        const Ended broken = started({u"mcp"_s, u"install"_s, u"claude-code"_s, u"--yes"_s});
        QCOMPARE(broken.status, 1);
        QVERIFY2(broken.err.contains("Line 2 of "), broken.err.constData());
        for (const QStringList &words : {QStringList{u"emacs"_s}, QStringList{}, QStringList{u"zed"_s, u"codex"_s}})
            QCOMPARE(started(QStringList{u"mcp"_s, u"install"_s} + words).status, 2);
        QCOMPARE(started({u"mcp"_s, u"--print-config"_s, u"emacs"_s}).status, 2);
        const Ended begun = started({u"mcp"_s, u"install"_s, u"claude"_s});
        QVERIFY2(begun.err.contains("Did you mean claude-code or claude-desktop?"), begun.err);
    }

    void helpNamesEachClient()
    {
        const QByteArray said = started({u"mcp"_s, u"--print-config"_s, u"emacs"_s}).err;
        const QByteArray ids = said.mid(said.indexOf("one of ") + 7);
        const QByteArray list = ids.first(ids.indexOf('.'));
        QVERIFY(list.count(',') >= 8);
        QVERIFY(started({u"help"_s, u"mcp"_s, u"install"_s}).out.simplified().contains("Clients: " + list + '.'));
    }

private:
    Ended started(const QStringList &arguments) const
    {
        const auto process = m_home->program(arguments);
        QProcessEnvironment environment = process->processEnvironment();
        if (environment.isEmpty())
            environment = QProcessEnvironment::systemEnvironment();
        for (const QString &name : {u"XDG_CONFIG_HOME"_s, u"CLAUDE_CONFIG_DIR"_s, u"CODEX_HOME"_s})
            environment.remove(name);
        environment.insert(u"HOME"_s, m_home->path());
        process->setProcessEnvironment(environment);
        process->start();
        process->closeWriteChannel();
        return finish(*process);
    }
    static QByteArray bytesOf(const QString &path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("no file");
    }

    std::unique_ptr<Home> m_home;
};

QTEST_GUILESS_MAIN(TestCliMcpClients)
#include "tst_climcpclients.moc"
