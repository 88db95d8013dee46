// SPDX-License-Identifier: Apache-2.0
// A snippet in the Node.js driver behaves as `node main.js` does, and as an ES module where only that makes sense.
#include "snippet.h"

#include <QRegularExpression>

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;

class TestNode : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void behavesLikePlainNode_data();
    void behavesLikePlainNode();
    void findsOutTheKindOfModule_data();
    void findsOutTheKindOfModule();
    void packageJsonDecides();
    void leavesNoTraceOfTheDriver();
    void passesArguments();
    void printsAtOnceAndWaitsForInput();
    void runsNothingWithoutAJob();
    void heapFollowsTheMemoryLimit();

private:
    LaunchRecipe recipe(const QString &sourceName = {}, const QByteArrayList &args = {}) const
    {
        return m_node->recipe(m_interpreter, args, Limits(), sourceName);
    }

    Languages m_languages{{}, QString()};
    const Language *m_node = nullptr;
    QList<InterpreterCandidate> m_interpreters;
    InterpreterCandidate m_interpreter;
};

// Node's own frames below the snippet's differ, since it was started by another of its functions; so do process ids.
static QByteArray comparable(const QByteArray &text)
{
    static const QRegularExpression frame(u"\n *at [^\n]*node:internal[^\n]*"_s);
    static const QRegularExpression id(u"\\(node:\\d+\\)"_s);
    return QString::fromUtf8(text).remove(frame).replace(id, u"(node:1)"_s).toUtf8();
}

void TestNode::initTestCase()
{
    m_node = *Languages::byId(u"node"_s);
    m_interpreters = interpretersFor(m_languages, *m_node);
    if (m_interpreters.isEmpty() && !isInstalled({u"node"_s, u"nodejs"_s}))
        QSKIP("Node.js is not installed.");
    QVERIFY(!m_interpreters.isEmpty());
    m_interpreter = m_interpreters.first();
}

void TestNode::behavesLikePlainNode_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QByteArray>("input");

    const auto row = [](const char *what, const QString &name, const char *code, const char *input = "") {
        QTest::newRow(what) << name << QByteArray(code) << QByteArray(input);
    };
    const QString js = u"main.js"_s, mjs = u"main.mjs"_s, cjs = u"main.cjs"_s;
    row("prints", js, "console.log(6 * 7)");
    row("CommonJS by name", cjs, "console.log(require('path').basename(__filename), module.id)");
    row("ES module by name", mjs, "console.log(import.meta.url, typeof require, await 5)");
    row("the main module", js,
        "console.log(require.main === module, process.mainModule === module, module.id, module.parent, module.paths,"
        "__filename, __dirname, process.argv.slice(1), Object.keys(require.cache), this === exports)");
    row("the globals", js, "console.log(Object.getOwnPropertyNames(globalThis).sort().join())");
    row("process of a module", mjs, "console.log(process.mainModule, process.argv.slice(1), process.execArgv)");
    row("an error with source line", js, "function f(x) {\n    return x.y.z;\n}\nf({});\n");
    row("an error in a module", mjs, "function f(x) {\n    return x.y.z;\n}\nf({});\n");
    row("an error object with fields", js,
        "throw Object.assign(new Error('no'), { code: 5, cause: new TypeError('c') })");
    row("a thrown text", js, "throw 'text'");
    row("a syntax error", js, "let x = 1;\nlet y = ;\n");
    row("a syntax error in CommonJS by name", cjs, "let x = 1;\nlet y = ;\n");
    row("a syntax error in a module", mjs, "let x = 1;\nlet y = ;\n");
    row("import in CommonJS by name", cjs, "import fs from 'fs';\n");
    row("a missing package", js, "require('nonsense')");
    row("a missing package in a module", mjs, "import 'nonsense';");
    row("a missing name in a module", mjs, "import { nonsense } from 'fs';");
    row("a neighbour", js, "console.log(require('./neighbour.cjs').name, require.main.children.length)");
    row("a neighbour of a module", mjs, "import n from './neighbour.cjs'; console.log(n.name)");
    row("an exit code", js, "process.exitCode = 3; process.on('exit', (c) => console.log('exit', c));");
    row("process.exit", js, "console.log('x'); process.exit(7); console.log('y')");
    row("a rejected promise", js, "Promise.reject(new Error('late'))");
    row("an unsettled await", mjs, "await new Promise(() => {})");
    row("aborts", js, "process.kill(process.pid, 'SIGKILL')");
    row("uncaughtException", js,
        "process.on('uncaughtException', (e, o) => console.log(o, e.message)); throw Error('e')");
    row("the order of things", js,
        "setImmediate(() => console.log(4));"
        "Promise.resolve().then(() => console.log(3)); process.nextTick(() => console.log(2)); console.log(1)");
    row("strictness", js, "console.log((function () { return this === globalThis })())");
    row("a hash-bang line", js, "#!/usr/bin/env node\nconsole.log('ok') // import\n");
    row("a byte order mark and CRLF", js, "\xEF\xBB\xBFlet x = 1;\r\nconsole.log(x);\r\n");
    row("the word import in a text", js,
        "console.log('import x from \"y\"'); import('fs').then((f) => console.log(!!f));");
    row("await in a function", js, "(async () => { await 1; console.log('a', typeof require) })()");
    row("all of stdin", js, "let n = 0; process.stdin.on('data', (d) => n += d.length).on('end', () => console.log(n))",
        "0123456789");
    row("a worker", js,
        "const { Worker, isMainThread } = require('worker_threads');"
        "if (isMainThread) new Worker(__filename).on('exit', (c) => console.log('done', c)); else console.log('in "
        "it')");
    row("a forked child", js,
        "if (process.argv[4] === 'child') process.send(process.execArgv.length);"
        "else require('child_process').fork(__filename, ['a', 'b', 'child'])"
        ".on('message', (m) => console.log('heard', m))");
    row("deep recursion", js, "function f() { f() }\ntry { f() } catch (e) { console.log(e.message) }");
    row("where a call came from", js, "console.log(new Error().stack.split('\\n')[1])");
}

void TestNode::behavesLikePlainNode()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, code);
    QFETCH(QByteArray, input);
    for (const InterpreterCandidate &interpreter : std::as_const(m_interpreters)) {
        const LaunchRecipe recipe = m_node->recipe(interpreter, {"a", "b c"}, Limits(), name);
        QCOMPARE(recipe.fileName, name.toUtf8());
        Snippet snippet(recipe, code, {{u"neighbour.cjs"_s, "exports.name = 'next door';\n"}});
        const Ending plain = snippet.runPlainly(
            recipe.argv.first(recipe.argv.size() - 1) + QByteArrayList{recipe.fileName, "a", "b c"}, input);
        const Ending driven = snippet.run(input);
        QCOMPARE(comparable(driven.out), comparable(plain.out));
        QCOMPARE(comparable(driven.err), comparable(plain.err));
        QCOMPARE(driven.exitCode, plain.exitCode);
        QCOMPARE(driven.files, plain.files);
        QVERIFY(!driven.err.contains("driver.cjs"));
    }
}

void TestNode::findsOutTheKindOfModule_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<bool>("isModule");

    const auto row = [](const char *code, bool isModule) {
        QTest::newRow(QByteArray(code).simplified().constData()) << QByteArray(code) << isModule;
    };
    row("import fs from 'fs'", true);
    row("import 'fs'", true);
    row("import { join as j } from 'node:path'; j('a')", true);
    row("export const x = 1", true);
    row("export default 5", true);
    row("let x = 1; export { x }", true);
    row("const url = import.meta.url", true);
    row("const x = await 5", true);
    row("await Promise.resolve()", true);
    row("console.log(await 5)", true);
    row("for await (const x of []) {}", true);
    row("#!/usr/bin/env node\nconsole.log(await 5)", true);
    row("\xEF\xBB\xBFimport 'fs'", true);
    row("const require = 4; await 5", true);
    row("import fs from 'fs'; let y = 5", true);
    row("const fs = require('fs')", false);
    row("console.log('import x from y')", false);
    row("// import x from 'y'\nlet a = 1", false);
    row("import('fs')", false);
    row("async function f() { await 1 }", false);
    row("const o = { import: 1, export: 2, await: 3 }", false);
    row("var await = 5; console.log(await)", false);
    row("return; // await", false);
    row("const t = `export default ${1}`", false);
}

void TestNode::findsOutTheKindOfModule()
{
    QFETCH(QByteArray, code);
    QFETCH(bool, isModule);
    for (const InterpreterCandidate &interpreter : std::as_const(m_interpreters)) {
        const LaunchRecipe recipe = m_node->recipe(interpreter, {}, Limits(), QString());
        QCOMPARE(recipe.fileName, QByteArray("main.js"));
        const Ending ending = Snippet(recipe, m_node->sourceText(code)).run();
        QCOMPARE(ending.err, QByteArray());
        QCOMPARE(ending.exitCode, 0);
        QCOMPARE(ending.files, QStringList{isModule ? u"main.mjs"_s : u"main.js"_s});
    }
}

void TestNode::packageJsonDecides()
{
    const auto run = [this](const QByteArray &code, const QByteArray &package) {
        return Snippet(recipe(), code, {{u"package.json"_s, package}}).run();
    };
    const Ending asModule = run("console.log(typeof require)", R"({"type":"module"})");
    QCOMPARE(asModule.out, QByteArray("undefined\n"));
    const Ending asCommonJs = run("import 'fs'; console.log('ran')", R"({"type":"commonjs"})");
    QCOMPARE(asCommonJs.exitCode, 1);
    QVERIFY(asCommonJs.err.contains("Cannot use import statement outside a module"));
    QCOMPARE(asCommonJs.files, (QStringList{u"main.js"_s, u"package.json"_s}));
    const Ending undecided = run("import 'fs'; console.log('ran')", R"({"name":"x"})");
    QCOMPARE(undecided.out, QByteArray("ran\n"));
}

void TestNode::leavesNoTraceOfTheDriver()
{
    const Ending ending =
        Snippet(recipe(), "console.log(process.argv.concat(process.execArgv, Object.keys(require.cache))"
                          ".filter((t) => t.includes('driver')), new Error().stack.includes('driver'))\n"
                          "try { require('fs').fstatSync(3).isSocket() && console.log('3 is open') }"
                          "catch {}\n")
            .run();
    QCOMPARE(ending.err, QByteArray());
    QCOMPARE(ending.out, QByteArray("[] false\n"));
}

void TestNode::passesArguments()
{
    const Ending ending =
        Snippet(recipe({}, {"", "-e", "--", "a b\n", "\xc3\xa4", QByteArray(100'000, 'x')}),
                "const a = process.argv.slice(2); console.log(JSON.stringify(a.slice(0, -1)), a.at(-1).length)")
            .run();
    QCOMPARE(ending.out, QByteArray("[\"\",\"-e\",\"--\",\"a b\\n\",\"\xc3\xa4\"] 100000\n"));
}

void TestNode::printsAtOnceAndWaitsForInput()
{
    Snippet snippet(recipe(),
                    "const r = require('readline').createInterface({ input: process.stdin, output: process.stdout });"
                    "r.question('Name? ', (n) => { console.log('hello ' + n); r.close(); });");
    QProcess process;
    snippet.start(process);
    QByteArray prompt;
    while (prompt != "Name? ") {
        QVERIFY2(process.waitForReadyRead(10'000), "no prompt");
        prompt += process.readAllStandardOutput();
    }
    QCOMPARE(snippet.finish(process, "Ada\n").out, QByteArray("hello Ada\n"));
}

void TestNode::runsNothingWithoutAJob()
{
    LaunchRecipe broken = recipe();
    for (const QByteArray &job : {broken.job.first(3), broken.job.chopped(1)}) {
        broken.job = job;
        Snippet snippet(broken, "console.log('ran')\n");
        QProcess process;
        snippet.start(process);
        snippet.hangUp();
        const Ending ending = snippet.finish(process);
        QCOMPARE(ending.out, QByteArray());
        QCOMPARE(ending.exitCode, 125);
    }
}

void TestNode::heapFollowsTheMemoryLimit()
{
    for (const qint64 megabytes : {16, 64, 256, 1024}) {
        Limits limits;
        limits.memoryBytes = megabytes * mebibyte;
        const Ending ending = Snippet(m_node->recipe(m_interpreter, {}, limits, QString()),
                                      "console.log(require('v8').getHeapStatistics().heap_size_limit / 1048576)")
                                  .run();
        QCOMPARE(ending.err, QByteArray());
        QVERIFY2(ending.out.toDouble() > 0 && ending.out.toDouble() < double(megabytes) + 64, ending.out.constData());
    }
}

QTEST_GUILESS_MAIN(TestNode)
#include "tst_node.moc"
