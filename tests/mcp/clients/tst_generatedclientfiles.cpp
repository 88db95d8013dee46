// SPDX-License-Identifier: Apache-2.0
// Over files that chance makes: what is put in comes out again, byte for byte, and bytes cut or changed anywhere never end in a
// file that lost something.
#include "clientsfixture.h"

#include <QRandomGenerator>
#include <QTest>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;

namespace {

class Chance
{
public:
    explicit Chance(quint32 seed)
        : m_random(seed)
    {
    }
    int below(int bound) { return m_random.bounded(bound); }
    QByteArray of(std::initializer_list<const char *> choices) { return choices.begin()[below(int(choices.size()))]; }

private:
    QRandomGenerator m_random;
};

QByteArray jsonGap(Chance &chance)
{
    return chance.of({"", "", " ", "\n", "\n  ", "\n\t", "  ", "/* { */", " // \"}\n", "\r\n", "\n\n   ", "/*\n*/ "});
}

QByteArray jsonValue(Chance &chance, int depth);

QByteArray jsonMembers(Chance &chance, int depth, QByteArrayList keys)
{
    QByteArray text = "{" + jsonGap(chance);
    for (int i = chance.below(4); i > 0; --i)
        keys.insert(chance.below(int(keys.size()) + 1),
                    "\"k" + QByteArray::number(i) + chance.of({"\"", "\\\"\"", " // \"", "{\""}));
    for (qsizetype i = 0; i < keys.size(); ++i) {
        const bool isTable = keys[i] == "\"servers\"";
        text += keys[i] + jsonGap(chance) + ":" + jsonGap(chance)
                + (isTable ? jsonMembers(chance, depth + 1, {}) : jsonValue(chance, depth + 1)) + jsonGap(chance);
        if (i + 1 < keys.size() || chance.below(4) == 0)
            text += "," + jsonGap(chance);
    }
    return text + "}";
}

QByteArray jsonValue(Chance &chance, int depth)
{
    if (depth > 4 || chance.below(3) != 0)
        return chance.of({"1", "-2.5e3", "true", "null", "\"\"", "\"a\\\\\"", "\"// no\"", "\"/* \\\" */\"", "[]", "{}",
                          "[1, {\"servers\": 2},]"});
    return jsonMembers(chance, depth, {});
}

QByteArray tomlText(Chance &chance)
{
    QByteArray text;
    for (int i = chance.below(12); i > 0; --i) {
        const QByteArray n = QByteArray::number(i);
        switch (chance.below(6)) {
        case 0:
            text += chance.of({"[t", "[ mcp_servers . \"s", "[[a"});
            text += text.endsWith("\"s") ? n + "\" ]" : text.endsWith("[[a") ? n + "]]" : n + "]";
            break;
        case 1:
            text += chance.of({"# [mcp_servers.glovebox]", "", "", "   ", "\t# \"\"\""});
            break;
        default:
            text += "k" + n + chance.of({" = ", "=", ".x = "})
                    + chance.of({"1", "'[x]'", "\"a # b\"", "\"\"\"\n[mcp_servers.glovebox]\n\"\"\"", "'''\n\\'''",
                                 "[ 1, # ]\n 2 ]", "{ a = 1, b = [2] }", "2025-06-18 07:32:00", "\"\\\\\""})
                    + chance.of({"", " # x"});
        }
        text += chance.of({"\n", "\n", "\n", "\n\n", "\r\n"});
    }
    if (chance.below(3) == 0 && text.endsWith('\n'))
        text.chop(text.endsWith("\r\n") ? 2 : 1);
    return text;
}

QByteArray yamlText(Chance &chance)
{
    const auto value = [&](const QByteArray &indent) {
        return chance
            .of({" 1", " text # x", " 'it''s: x'", " \"a\\\": b\"", " [a, 'b]', {c: d}]", " {a: \"}\", b: c}",
                 " |\nI  extensions:\nI    x", " >-\nI  a\n\nI  # b", "\nI- a: b\nI  c: d\nI- e",
                 " \"two\nI lines: x\"", " &anchor x", " !tag 'y'", ""})
            .replace("\nI", "\n" + indent);
    };
    QByteArray text = chance.of({"", "# first\n", "---\n", "\n\n"});
    const int section = chance.below(5);
    for (int i = 0; i < 5; ++i) {
        if (i == section) {
            const QByteArray indent = chance.of({"  ", "    ", " "});
            text += chance.of({"extensions:", "\"extensions\":", "extensions: # x"}) + '\n';
            for (int e = chance.below(3); e >= 0; --e)
                text += chance.of({"", "", "# y\n", "\n"}) + indent + "e" + QByteArray::number(e) + ":"
                        + value(indent + "  ") + '\n';
        }
        text += "k" + QByteArray::number(i) + ":" + value("  ") + chance.of({"\n", "\n", "\n\n", " \n", "\n  # z\n"});
    }
    if (chance.below(3) == 0)
        text.chop(1);
    return text;
}

QByteArray textFor(const QString &id, Chance &chance)
{
    QByteArray text;
    if (id == u"codex")
        text = tomlText(chance);
    else if (id == u"goose")
        text = yamlText(chance);
    else
        text = jsonGap(chance)
               + jsonMembers(chance, 0, chance.below(3) != 0 ? QByteArrayList{"\"servers\""} : QByteArrayList())
               + jsonGap(chance);
    return chance.below(8) == 0 ? "\xef\xbb\xbf" + text : text;
}

} // namespace

class TestGeneratedClientFiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void installAndUninstallLeadBack_data()
    {
        QTest::addColumn<QString>("id");
        for (const QString &id : {u"vscode"_s, u"codex"_s, u"goose"_s})
            QTest::newRow(qPrintable(id)) << id;
    }
    void installAndUninstallLeadBack()
    {
        QFETCH(const QString, id);
        const ClientsHome home;
        for (quint32 seed = 0; seed < 1500; ++seed) {
            Chance chance(seed);
            const QByteArray text = textFor(id, chance);
            const ClientProgram program = home.program(id, text);
            const auto change = planInstall(program, command);
            const QByteArray shown = "seed " + QByteArray::number(seed) + ":\n" + text + "\n=>\n"
                                     + (change ? change->after.value_or("") : said(change).toUtf8());
            QVERIFY2(change, shown.constData());
            QCOMPARE(touchedBytes(text, *change->after), 0);
            QCOMPARE(said(applyChange(*change)), QString());
            const auto removal = planUninstall(program);
            QVERIFY2(removal && removal->after == text, shown.constData());
            // Without the backup nothing of the others' is lost, either, and the rest is at most white space and an empty section.
            QVERIFY(QFile::remove(program.file + u".glovebox-backup"_s));
            const auto blind = planUninstall(program);
            QVERIFY2(blind, (shown + '\n' + said(blind).toUtf8()).constData());
            const auto bare = [](QByteArray bytes) {
                return bytes.replace('\n', "").replace('\r', "").replace(' ', "").replace('\t', "");
            };
            const QByteArray left = bare(blind->after.value_or(QByteArray()));
            QVERIFY2(left == bare(text) || left.contains("\"servers\":{}") || !blind->after || id == u"goose",
                     (shown + "\n=>\n" + blind->after.value_or("")).constData());
        }
    }

    // Whatever is understood is changed by pure addition, whatever isn't is refused; both are found out at the plan.
    void damagedFilesAreRefusedOrUnderstood_data() { installAndUninstallLeadBack_data(); }
    void damagedFilesAreRefusedOrUnderstood()
    {
        QFETCH(const QString, id);
        const ClientsHome home;
        int understood = 0;
        for (quint32 seed = 0; seed < 3000; ++seed) {
            Chance chance(seed);
            QByteArray text = ClientsHome::example(id);
            for (int i = chance.below(3); i >= 0; --i) {
                const int at = chance.below(int(text.size()));
                if (chance.below(2) == 0)
                    text.remove(at, 1 + chance.below(30));
                else
                    text.insert(at, chance.of({"\"", "{", "}",  "[", "]",  ",", ":", "#",  "//",       "/*",
                                               "\n", "'", "\\", "=", "- ", "|", " ", "\t", "glovebox", "\0"}));
            }
            const ClientProgram program = home.program(id, text);
            const auto change = planInstall(program, command);
            if (!change) {
                QVERIFY(said(change).size() > 20);
                continue;
            }
            ++understood;
            if (change->found == ConfigurationChange::Found::Nothing)
                QVERIFY2(touchedBytes(text, *change->after) == 0 || text.contains("extensions: {"), text.constData());
            QCOMPARE(said(applyChange(*change)), QString());
            const auto removal = planUninstall(program);
            QVERIFY2(removal, qPrintable(said(removal)));
            if (change->found == ConfigurationChange::Found::Nothing)
                QVERIFY2(removal->after == text, (text + "\n=>\n" + *change->after).constData());
        }
        QVERIFY(understood > 100 && understood < 2900);
    }
};

QTEST_GUILESS_MAIN(TestGeneratedClientFiles)
#include "tst_generatedclientfiles.moc"
