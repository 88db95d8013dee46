// SPDX-License-Identifier: Apache-2.0
// The modules in which code finds tools: functions of the right names and arguments, and nothing of what a server writes is code.
#include "engine/languages/languages.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

OfferedTool offered(const QString &name, const QString &description, const QByteArray &schema)
{
    return {toolNameFrom(name).value(), description, QJsonDocument::fromJson(schema).object()};
}

// Texts that end comments and strings, begin lines, or look like other text.
QStringList hostileTexts()
{
    return {u"\"\"\"\nopen('planted', 'w')\n\"\"\""_s,
            u"'''\nopen('planted', 'w')\n'''"_s,
            u"*/ require('fs').writeFileSync('planted', ''); /*"_s,
            u"\\\"; open('planted','w') #"_s,
            u"\\"_s,
            u"\"\\"_s,
            u"\r\nopen('planted','w')"_s,
            u"a\u2028require('fs').writeFileSync('planted', '')\u2029"_s,
            u"${require('fs').writeFileSync('planted', '')}`"_s,
            u"\u202eevil\u202c\u0000\u001b[2J"_s,
            QString(QChar(0xd800)) + u"half"_s,
            QString(100'000, u'x'),
            u"%1 %2 %3 %99"_s};
}

} // namespace

class TestToolModule : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void functionsHaveTheToolsArguments()
    {
        const QList<OfferedTool> tools{
            offered(u"notes.search"_s, u"Finds notes."_s,
                    R"({"properties": {"text": {"type": "string", "description": "what to look for"},
                                       "most": {"type": "integer"}, "tags": {"type": ["array", "null"]}},
                        "required": ["text"]})"),
            offered(u"notes.get-one.v2"_s, {}, "{}"), offered(u"notes.get_one_v2"_s, {}, "{}"),
            offered(u"import.class"_s, {}, "{}"), offered(u"notes.9lives"_s, {}, "{}")};
        QCOMPARE(python(tools, R"(
import glovebox_tools, inspect
from glovebox_tools import notes, import_, ToolError
print(inspect.signature(notes.search), notes.search.__doc__)
print([name for name in dir(notes) if not name.startswith("_")], hasattr(import_, "class_"), glovebox_tools.__all__)
)"),
                 QByteArray("(*, text: 'str', most: 'int' = ..., tags: 'list' = ..., **more) Finds notes.\n\n"
                            "text: what to look for\n"
                            "['get_one_v2', 'get_one_v2_', 'search', 't_9lives'] True "
                            "['ToolError', 'notes', 'import_']\n"));
        QCOMPARE(node(tools, R"(
const tools = require('./glovebox_tools.cjs');
console.log(Object.keys(tools).join(), Object.keys(tools.notes).join());
)"),
                 QByteArray("ToolError,notes,import search,get_one_v2,get_one_v2_,t_9lives\n"));
        QVERIFY(module("node", tools).contains("@param {number} [args.most]"));
        QVERIFY(module("node", tools).contains("@param {string} args.text what to look for"));
    }

    void nothingThatAServerWritesIsCode()
    {
        QList<OfferedTool> tools;
        for (const QString &text : hostileTexts()) {
            OfferedTool tool = offered(u"t.x%1"_s.arg(tools.size()), text, "{}");
            const QJsonObject argument{{u"type"_s, text}, {u"description"_s, text}};
            tool.inputSchema = {
                {u"properties"_s, QJsonObject{{u"plain"_s, argument}, {text, argument}, {u"class"_s, argument}}},
                {u"required"_s, QJsonArray{u"plain"_s, text}},
                {u"description"_s, text}};
            tools.append(tool);
        }
        for (const char *language : {"python", "node"}) {
            const QByteArray text = module(language, tools);
            QVERIFY(text.isValidUtf8());
            QVERIFY(text.size() < 100'000);
            for (const char *hidden : {"\u202e", "\x1b", "\r"})
                QVERIFY(!text.contains(hidden));
        }
        QCOMPARE(python(tools, "from glovebox_tools import t\nimport inspect\n"
                               "print({str(inspect.signature(f)) for n, f in vars(t).items() if n[0] == 'x' for f in "
                               "[getattr(t, n)]})"),
                 QByteArray("{\"(*, plain: 'object', **more)\"}\n"));
        QCOMPARE(node(tools, "console.log(Object.keys(require('./glovebox_tools.cjs').t).length)"),
                 QByteArray::number(tools.size()) + '\n');
        QVERIFY(!QFile::exists(m_folder.filePath(u"planted"_s)));
    }

    void whatIsNoCallFailsInside()
    {
        const QList<OfferedTool> tools{offered(u"t.x"_s, {}, "{}")};
        QCOMPARE(python(tools, R"(
from glovebox_tools import t, ToolError
for deed in (lambda: t.x(a=float("nan")), lambda: t.x(a={1, 2}), lambda: t.x(1), lambda: t.x()):
    try:
        deed()
    except (ToolError, ValueError, TypeError) as error:
        print(type(error).__name__)
)"),
                 QByteArray("ValueError\nTypeError\nTypeError\nToolError\n"));
        QCOMPARE(node(tools, "require('./glovebox_tools.cjs').t.x().catch((e) => console.log(e.name, e.message))"),
                 QByteArray("ToolError The call of t.x was cut off.\n"));
    }

    void shellsHaveNone()
    {
        for (const char *language : {"bash", "sh"})
            QVERIFY(!(*Languages::byId(QString::fromLatin1(language)))->toolModule({}, 1));
    }

private:
    static QByteArray module(const char *language, const QList<OfferedTool> &tools)
    {
        const auto module = (*Languages::byId(QString::fromLatin1(language)))->toolModule(tools, 1); // nobody is there
        return module ? module->content : QByteArray();
    }
    QByteArray python(const QList<OfferedTool> &tools, const QByteArray &code)
    {
        return output(u"python3"_s, "glovebox_tools.py", module("python", tools), "main.py", code);
    }
    QByteArray node(const QList<OfferedTool> &tools, const QByteArray &code)
    {
        return output(u"node"_s, "glovebox_tools.cjs", module("node", tools), "main.cjs", code);
    }
    QByteArray output(const QString &program, const char *moduleName, const QByteArray &module, const char *name,
                      const QByteArray &code)
    {
        const auto write = [&](const char *file, const QByteArray &text) {
            QFile target(m_folder.filePath(QString::fromLatin1(file)));
            QVERIFY(target.open(QIODevice::WriteOnly));
            QCOMPARE(target.write(text), text.size());
        };
        write(moduleName, module);
        write(name, code);
        QProcess process;
        process.setWorkingDirectory(m_folder.path());
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(program, {QString::fromLatin1(name)});
        return process.waitForFinished(30'000) ? process.readAll() : QByteArray("it didn't end");
    }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestToolModule)
#include "tst_toolmodule.moc"
