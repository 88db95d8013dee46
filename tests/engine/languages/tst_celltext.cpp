// SPDX-License-Identifier: Apache-2.0
// Whether what was typed is a whole cell: as the interpreters themselves judge it.
#include "engine/languages/languages.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QStandardPaths>
#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCellText : public QObject
{
    Q_OBJECT

    // What a program that reads the texts as JSON from its input says of each.
    static QJsonArray judged(const QString &program, const QStringList &arguments, const QStringList &texts)
    {
        QProcess process;
        process.start(QStandardPaths::findExecutable(program), arguments);
        process.write(QJsonDocument(QJsonArray::fromStringList(texts)).toJson(QJsonDocument::Compact));
        process.closeWriteChannel();
        if (!process.waitForFinished())
            return {};
        return QJsonDocument::fromJson(process.readAllStandardOutput()).array();
    }
    static CellText of(const QString &language, const QString &text)
    {
        return Languages::byId(language).value()->cellText(text.toUtf8());
    }

private Q_SLOTS:
    void pythonIsJudgedAsPythonDoes()
    {
        const QStringList texts{
            u"1"_s,
            u"x = 1"_s,
            u"x = (1,"_s,
            u"x = (1,\n\n"_s,
            u"x = (1,\n2)"_s,
            u"'a # b'"_s,
            u"'a' # b ("_s,
            u"'''a"_s,
            u"'''a\n\n"_s,
            u"'''a\n'''"_s,
            u"f('''(\n"_s,
            u"\"a\\\"(\""_s,
            u"r'\\'"_s,
            u"x = \\"_s,
            u"x = \\\n1"_s,
            u"if x:"_s,
            u"if x: y"_s,
            u"if x:\n    y"_s,
            u"for i in x:\n  pass"_s,
            u"@f"_s,
            u"@f\ndef g():"_s,
            u"def f():\n    '''a\n\n    b'''\n    return 1"_s,
            u"match x:"_s,
            u"match x:\n    case 1:\n        y"_s,
            u"match = 3"_s,
            u"iffy = 1"_s,
            u"classes"_s,
            u"async def f(): pass"_s,
            u"with open('f') as f: f.read()"_s,
            u"try:\n    x\nexcept E:"_s,
            u"lambda: 1"_s,
            u"{'a': 1}"_s,
            u"{'a':"_s,
            u"x[1:"_s,
            u"x[1:2]"_s,
            u")"_s,
            u"x ="_s,
            u"1 +"_s,
            u"'unended"_s,
            u"else:"_s,
            u"# only a comment"_s,
            u"\"\"\"a\"\"\" + '''"_s,
            u"''"_s,
            u"x = ''"_s,
            u"'''''' "_s,
        };
        const QJsonArray whole = judged(u"python3"_s, {u"-c"_s, uR"(
import codeop, json, sys, warnings
warnings.simplefilter("ignore")
def is_whole(text):
    try:
        return codeop.compile_command(text) is not None
    except SyntaxError:
        return True
print(json.dumps([is_whole(text) for text in json.load(sys.stdin)]))
)"_s},
                                        texts);
        QCOMPARE(whole.size(), texts.size());
        for (qsizetype i = 0; i < texts.size(); ++i) {
            // A statement of one line that isn't ended is a mistake for some versions, and goes on for others.
            if (texts[i] == u"else:")
                continue;
            QVERIFY2((of(u"python"_s, texts[i]) == CellText::Whole) == whole[i].toBool(), qPrintable(texts[i]));
        }
    }

    void anEmptyLineIsPartOfWhatIsOpen()
    {
        for (const QString &open : {u"x = ["_s, u"'''a"_s, u"f(\"\"\"b\n"_s})
            QVERIFY2(of(u"python"_s, open) == CellText::Open, qPrintable(open));
        for (const QString &open : {u"f(["_s, u"`a ${b"_s, u"/* c"_s, u"function f() {"_s})
            QVERIFY2(of(u"node"_s, open) == CellText::Open, qPrintable(open));
        for (const QString &other : {u"x = 1 +"_s, u"const"_s})
            QVERIFY2(of(u"node"_s, other) == CellText::MayGoOn, qPrintable(other));
        for (const QString &other : {u"if x:\n    y"_s, u"x = \\"_s})
            QVERIFY2(of(u"python"_s, other) == CellText::MayGoOn, qPrintable(other));
    }

    // What Node.js can compile is whole; what it can't compile because it ends too soon isn't.
    void nodeIsJudgedAsNodeDoes()
    {
        const QStringList whole{
            u"1"_s,
            u"x = 1"_s,
            u"let a = {b: [1, 2]}"_s,
            u"f(`a ${b + `c ${d}`} e`)"_s,
            u"/[(/]/.test('(')"_s,
            u"a / b / c"_s,
            u"(a) / 2"_s,
            u"x++"_s,
            u"x--\n"_s,
            u"'// no comment'"_s,
            u"1 // comment ("_s,
            u"/* ( */ 1"_s,
            u"() => { return }"_s,
            u"`a\n\nb`"_s,
            u"x = a ? b : c;"_s,
            u"\"\\\"(\""_s,
            u"function f() {\n  return /\\//\n}"_s,
            u"for (const x of y) { z(x) }"_s,
            u"ä = {}"_s,
            u"`\\``"_s,
        };
        const QStringList more{u"x ="_s,     u"f("_s,       u"{"_s,          u"`a"_s,          u"`a ${b"_s, u"/* a"_s,
                               u"x = 1 +"_s, u"[1,"_s,      u"() =>"_s,      u"a ? b :"_s,     u"a.\n"_s,   u"const"_s,
                               u"typeof"_s,  u"f(`${a}`"_s, u"if (a) { b"_s, u"x = {a: /}/"_s, u"throw"_s,  u"new"_s};
        const QJsonArray compiles = judged(u"node"_s, {u"-e"_s, uR"(
const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify(texts.map((text) => {
    try { new (require('vm').Script)(text); return true; } catch { return false; }
})));
)"_s},
                                           whole + more);
        QCOMPARE(compiles.size(), whole.size() + more.size());
        for (qsizetype i = 0; i < compiles.size(); ++i) {
            const QString text = (whole + more)[i];
            QCOMPARE(compiles[i].toBool(), i < whole.size());
            QVERIFY2((of(u"node"_s, text) == CellText::Whole) == compiles[i].toBool(), qPrintable(text));
        }
    }

    // However it is cut, nothing is read past the end.
    void anyBeginningIsJudged()
    {
        const QByteArray python = "@f\ndef g(x='''a\\'b'''):\n    return {\"k\": [x, r'\\', f\"{x}\\\"\"]} # c (\n";
        const QByteArray node = "f(`a ${b + `c ${d}`} \\` e`, /[/\\]]+/g, '\\'', x++ / 2) // c\n/* d */ - 'é\"'";
        for (qsizetype size = 0; size <= python.size(); ++size)
            std::ignore = pythonCellText(QByteArray(python.first(size)));
        for (qsizetype size = 0; size <= node.size(); ++size)
            std::ignore = nodeCellText(QByteArray(node.first(size)));
        QVERIFY(nodeCellText(node) == CellText::Whole);
    }
};

QTEST_GUILESS_MAIN(TestCellText)
#include "tst_celltext.moc"
