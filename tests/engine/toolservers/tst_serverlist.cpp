// SPDX-License-Identifier: Apache-2.0
// The person's list of servers: what it says, who may write it, and what it lets runs call.
#include "engine/toolservers/toolservers.h"

#include <QFile>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestServerList : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsServers()
    {
        write(R"({"notes": {"command": ["/usr/bin/python3", "-m", "notes"], "environment": ["NOTES_TOKEN"],
                            "tools": {"read": {"folder": ["work", 7, true]}, "list": {}}},
                  "empty": {"command": ["/bin/true"]}})");
        const auto servers = readToolServers(m_file);
        QVERIFY2(servers, servers ? "" : qPrintable(servers.error().message.english()));
        QCOMPARE(servers->size(), 2);
        QCOMPARE(servers->at(0), (ToolServer{u"empty"_s, {u"/bin/true"_s}, {}, {}}));
        const ToolServer &notes = servers->at(1);
        QCOMPARE(notes.command, (QStringList{u"/usr/bin/python3"_s, u"-m"_s, u"notes"_s}));
        QCOMPARE(notes.environment, QStringList{u"NOTES_TOKEN"_s});
        QCOMPARE(notes.tools.size(), 2);
        QCOMPARE(notes.tools[0], (ToolRule{u"list"_s, {}}));
        QCOMPARE(notes.tools[1], (ToolRule{u"read"_s, {{u"folder"_s, QJsonArray{u"work"_s, 7, true}}}}));
    }

    void hasNoServersWithoutAFile()
    {
        const auto servers = readToolServers(m_home.filePath(u"nothing.json"_s));
        QVERIFY(servers);
        QVERIFY(servers->isEmpty());
    }

    void refusesWhatIsNotSound_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("word");
        const auto row = [](const char *name, const QByteArray &text, const QString &word) {
            QTest::newRow(name) << text << word;
        };
        row("no JSON", "{", u"not valid"_s);
        row("a name with a dot", R"({"a.b": {"command": ["/bin/true"]}})", u"a.b"_s);
        row("a name in capitals", R"({"Notes": {"command": ["/bin/true"]}})", u"Notes"_s);
        row("a server twice", R"({"a": {"command": ["/bin/true"]}, "a": {"command": ["/bin/sh"]}})", u"not valid"_s);
        row("no command", R"({"a": {}})", u"whole path"_s);
        row("a program of PATH", R"({"a": {"command": ["npx", "x"]}})", u"whole path"_s);
        row("a line for a shell", R"({"a": {"command": "/bin/sh -c x"}})", u"list of texts"_s);
        row("a zero byte", R"({"a": {"command": ["/bin/true", "a\u0000b"]}})", u"list of texts"_s);
        row("an unknown field", R"({"a": {"command": ["/bin/true"], "allow": []}})", u"\"allow\""_s);
        row("a variable that loads", R"({"a": {"command": ["/bin/true"], "environment": ["LD_PRELOAD"]}})",
            u"LD_PRELOAD"_s);
        row("a variable with a value", R"({"a": {"command": ["/bin/true"], "environment": ["A=b"]}})", u"A=b"_s);
        row("tools in a list", R"({"a": {"command": ["/bin/true"], "tools": ["read"]}})", u"must be an object"_s);
        row("a tool without a name", R"({"a": {"command": ["/bin/true"], "tools": {"": {}}}})", u"not a name"_s);
        row("all of an argument", R"({"a": {"command": ["/bin/true"], "tools": {"read": {"x": []}}}})", u"read"_s);
        row("an object as a value", R"({"a": {"command": ["/bin/true"], "tools": {"read": {"x": [{}]}}}})", u"read"_s);
        row("true for a tool", R"({"a": {"command": ["/bin/true"], "tools": {"read": true}}})", u"read"_s);
    }
    void refusesWhatIsNotSound()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, word);
        write(text);
        const auto servers = readToolServers(m_file);
        QVERIFY(!servers);
        const QString sentence = servers.error().message.english();
        QVERIFY2(sentence.contains(word) && sentence.contains(m_file), qPrintable(sentence));
    }

    void believesNoFileThatOthersCanWrite()
    {
        write(R"({"a": {"command": ["/bin/true"]}})");
        QVERIFY(QFile::setPermissions(m_file, QFile::ReadOwner | QFile::WriteOwner | QFile::WriteOther));
        QVERIFY(!readToolServers(m_file));
    }

    void letsRunsCallWhatIsListed()
    {
        const QList<ToolServer> servers{
            {u"a"_s, {u"/bin/true"_s}, {}, {{u"one"_s, {}}, {u"two.x"_s, {}}, {u"three"_s, {}}}},
            {u"b"_s, {u"/bin/true"_s}, {}, {{u"one"_s, {}}}},
            {u"c"_s, {u"/bin/true"_s}, {}, {}}};
        const auto wanted = serversOfTools(servers, {u"a.two.x"_s, u"b.one"_s, u"a.one"_s});
        QVERIFY(wanted);
        QCOMPARE(wanted->size(), 2);
        QCOMPARE(wanted->at(0).tools, (QList<ToolRule>{{u"two.x"_s, {}}, {u"one"_s, {}}}));
        QCOMPARE(wanted->at(1).tools, (QList<ToolRule>{{u"one"_s, {}}}));
        for (const QString &tool : {u"a.four"_s, u"c.one"_s, u"d.one"_s, u"a"_s, u"a."_s, u"a.*"_s, u"A.one"_s, u""_s})
            QVERIFY2(!serversOfTools(servers, {tool}), qPrintable(tool));
        QVERIFY(serversOfTools(servers, {u"d.one"_s}).error().message.english().contains(u"a, b, c"_s));
        QVERIFY(serversOfTools(servers, {u"a.four"_s}).error().message.english().contains(u"a.one, a.two.x"_s));
    }

    void limitsArguments()
    {
        const ToolRule rule{u"read"_s, {{u"folder"_s, {u"work"_s, 7, true}}}};
        const auto allows = [&](const QByteArray &arguments) {
            return checkToolArguments(rule, u"notes.read"_s, QJsonDocument::fromJson(arguments).object()).has_value();
        };
        QVERIFY(allows(R"({"folder": "work"})"));
        QVERIFY(allows(R"({"folder": 7, "more": "anything"})"));
        QVERIFY(allows(R"({"folder": true})"));
        for (const char *refused :
             {R"({})", R"({"folder": "works"})", R"({"folder": "Work"})", R"({"folder": "7"})", R"({"folder": null})",
              R"({"folder": ["work"]})", R"({"Folder": "work"})", R"({"folder": 1})", R"({"folder": "work/../home"})"})
            QVERIFY2(!allows(refused), refused);
        const auto refused = checkToolArguments(rule, u"notes.read"_s, {});
        QVERIFY(refused.error().message.english().contains(u"notes.read"_s));
    }

    // Servers whose JSON doesn't tell capital letters, or repoName from repo_name, take the last of two (CVE-2026-27896).
    void knowsOtherSpellingsOfLimitedArguments()
    {
        const ToolRule rule{u"read"_s, {{u"disk_key"_s, QJsonArray{u"work"_s}}}};
        const auto check = [&](const QString &other) {
            return checkToolArguments(rule, u"notes.read"_s, {{u"disk_key"_s, u"work"_s}, {other, u"home"_s}});
        };
        for (const QString &harmless : {u"disk"_s, u"key"_s, u"disk_keys"_s, u"__proto__"_s, QString(), u"__"_s})
            QVERIFY2(check(harmless), qPrintable(harmless));
        for (const QString &other :
             {u"Disk_Key"_s, u"DISK_KEY"_s, u"diskKey"_s, u"disk-key"_s, u"di\u017fk_key"_s, u"dis\u212a_key"_s,
              u"\uff44isk_key"_s, u"disk_key "_s, QString(u"disk_key"_s + QChar(0) + u"x"_s)}) {
            const Status checked = check(other);
            QVERIFY2(!checked, qPrintable(other));
            QVERIFY(checked.error().message.english().contains(u"another spelling of \"disk_key\""_s));
        }
    }

private:
    void write(const QByteArray &text)
    {
        QFile::remove(m_file);
        QFile file(m_file);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(text), text.size());
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner));
    }

    QTemporaryDir m_home;
    QString m_file = m_home.filePath(u"mcp-servers.json"_s);
};

QTEST_GUILESS_MAIN(TestServerList)
#include "tst_serverlist.moc"
