// SPDX-License-Identifier: Apache-2.0
// Which module a run ended for, by the last words of real interpreters, and which package has it.
#include "engine/packages/packages.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

RunResult failedWith(const QByteArray &err)
{
    RunResult result;
    result.outcome = Outcome::Failed;
    result.exitCode = 1;
    result.err.head = err;
    result.err.totalBytes = err.size();
    return result;
}

QByteArray traceback(const QByteArray &last)
{
    return "Traceback (most recent call last):\n  File \"/work/main.py\", line 1, in <module>\n    import x\n" + last
           + '\n';
}

QByteArray nodeError(const QByteArray &message)
{
    return "node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\nError: " + message
           + "\nRequire stack:\n- /work/main.js\n    at Module._resolveFilename "
             "(node:internal/modules/cjs/loader:1207:15)\n"
             "    at node:internal/main/run_main_module:28:49 {\n  code: 'MODULE_NOT_FOUND',\n  requireStack: [ "
             "'/work/main.js' ]\n}\n\nNode.js v20.20.2\n";
}

std::optional<MissingModule> missedByPython(const QByteArray &err, const QString &folder = {})
{
    return missingModule(failedWith(err), {.language = u"python"_s, .folder = folder});
}

QString packageFor(const QByteArray &module)
{
    const auto missing = missedByPython(traceback("ModuleNotFoundError: No module named '" + module + "'"));
    return !missing ? u"nothing"_s : missing->source == ModuleSource::Package ? missing->package : u"no package"_s;
}

QString packageOfNode(const QByteArray &module)
{
    const auto missing =
        missingModule(failedWith(nodeError("Cannot find module '" + module + "'")), {.language = u"node"_s});
    return missing ? missing->package : u"nothing"_s;
}

} // namespace

class TestMissingModule : public QObject
{
    Q_OBJECT

    // What an interpreter of this machine says about such code, unsealed: it only imports.
    RunResult ranHere(const QString &program, const QString &file, const QByteArray &code)
    {
        QFile out(m_folder.filePath(file));
        if (!out.open(QIODevice::WriteOnly) || out.write(code) != code.size())
            qFatal("%s can't be written.", qPrintable(file));
        out.close();
        QProcess process;
        process.setWorkingDirectory(m_folder.path());
        process.start(program, {out.fileName()});
        if (!process.waitForFinished(60'000))
            qFatal("%s doesn't end.", qPrintable(program));
        RunResult result = failedWith(process.readAllStandardError());
        result.exitCode = process.exitCode();
        return result;
    }

private Q_SLOTS:
    void theInterpretersOwnLastWordsCount()
    {
        const RunResult python = ranHere(u"python3"_s, u"a.py"_s, "import nosuch_thing\n");
        const auto missed = missingModule(python, {.language = u"python"_s});
        QVERIFY2(missed, python.err.head);
        QCOMPARE(missed->module, u"nosuch_thing"_s);
        QCOMPARE(missed->package, u"nosuch-thing"_s);
        // What was caught before counts for nothing, and what fails in its place is what ended the run.
        QVERIFY(!missingModule(ranHere(u"python3"_s, u"b.py"_s,
                                       "import traceback\ntry:\n    import nosuch_thing\nexcept ImportError:\n"
                                       "    traceback.print_exc()\n1 / 0\n"),
                               {.language = u"python"_s}));
        QCOMPARE(missingModule(ranHere(u"python3"_s, u"c.py"_s,
                                       "try:\n    import nosuch_thing\nexcept ImportError:\n    import other_thing\n"),
                               {.language = u"python"_s})
                     ->module,
                 u"other_thing"_s);
        for (const auto &[file, code] :
             {std::pair(u"a.cjs"_s, "require('@some/thing/part')"), {u"a.mjs"_s, "import x from '@some/thing/part'"}}) {
            const RunResult node = ranHere(u"node"_s, file, code);
            const auto missing = missingModule(node, {.language = u"node"_s});
            QVERIFY2(missing, node.err.head);
            QCOMPARE(missing->package, u"@some/thing"_s);
        }
        QVERIFY(!missingModule(ranHere(u"node"_s, u"b.cjs"_s, "require('./part')"), {.language = u"node"_s}));
        QVERIFY(!missingModule(ranHere(u"node"_s, u"b.mjs"_s, "import './part.mjs'"), {.language = u"node"_s}));
        QVERIFY(!missingModule(ranHere(u"node"_s, u"c.cjs"_s,
                                       "try { require('nosuch') } catch (error) { console.error(error) }\n"
                                       "process.exitCode = 1"),
                               {.language = u"node"_s}));
    }

    void whatOnlyLooksLikeItDoesNot()
    {
        const QByteArray last = "ModuleNotFoundError: No module named 'numpy'\n";
        QVERIFY(missedByPython(traceback(last)));
        QVERIFY(!missedByPython(last)); // no traceback
        QVERIFY(!missedByPython("Traceback (most recent call last):\n" + last)); // of nothing
        QVERIFY(!missedByPython(traceback(last) + "ValueError: 1\n"));
        QVERIFY(!missedByPython(traceback("ModuleNotFoundError: No module named 'a b'")));
        QVERIFY(!missedByPython(traceback("ModuleNotFoundError: No module named 'numpy; rm -r'")));
        QVERIFY(!missedByPython(traceback("ModuleNotFoundError: No module named 'numpy.x'; 'numpy' is not a package")));
        QVERIFY(!missedByPython(traceback("ModuleNotFoundError: No module named 'numpy.nosuch'"))); // numpy is there
        QVERIFY(!missedByPython(nodeError("Cannot find module 'lodash'")));
        RunResult other = failedWith(traceback(last));
        QVERIFY(missingModule(other, {})); // whatever the language
        QVERIFY(!missingModule(other, {.language = u"sh"_s}));
        QVERIFY(!missingModule(other, {.language = u"python"_s, .hasTerminal = true}));
        other.exitCode = 3;
        QVERIFY(!missingModule(other, {}));
        other.exitCode = 1;
        other.outcome = Outcome::TimedOut;
        QVERIFY(!missingModule(other, {}));
    }

    // All comes by one stream there, with colours and other line ends.
    void aTerminalIsRead()
    {
        RunResult result = failedWith({});
        result.out.head =
            "hello\r\nTraceback (most recent call last):\r\n  File \x1b[35m\"/work/main.py\"\x1b[0m, line "
            "\x1b[35m1\x1b[0m, in \x1b[35m<module>\x1b[0m\r\n    import yaml\r\n"
            "\x1b[1;35mModuleNotFoundError\x1b[0m: \x1b[35mNo module named 'yaml'\x1b[0m\r\n";
        const auto missing = missingModule(result, {.language = u"python"_s, .hasTerminal = true});
        QVERIFY(missing);
        QCOMPARE(missing->package, u"pyyaml"_s);
    }

    void theTailOfALongOutputCounts()
    {
        RunResult result = failedWith(QByteArray(100'000, 'x'));
        result.err.tail = "yyy\n" + traceback("ModuleNotFoundError: No module named 'numpy'");
        QCOMPARE(missingModule(result, {.language = u"python"_s})->package, u"numpy"_s);
    }

    void nobodyIsLedToATyposquat()
    {
        QCOMPARE(packageFor("cv2"), u"opencv-python"_s);
        QCOMPARE(packageFor("PIL"), u"pillow"_s);
        QCOMPARE(packageFor("yaml"), u"pyyaml"_s);
        QCOMPARE(packageFor("sklearn"), u"scikit-learn"_s);
        QCOMPARE(packageFor("bs4"), u"beautifulsoup4"_s);
        QCOMPARE(packageFor("dotenv"), u"python-dotenv"_s);
        QCOMPARE(packageFor("google.protobuf"), u"protobuf"_s);
        QCOMPARE(packageFor("flask_cors"), u"flask-cors"_s);
        QCOMPARE(packageFor("google"), u"no package"_s);
        QCOMPARE(packageFor("google.cloud"), u"no package"_s);
        for (const char *own : {"tkinter", "_sqlite3", "urllib2", "ConfigParser", "imp", "tomllib"})
            QCOMPARE(packageFor(own), u"no package"_s);
        QCOMPARE(packageOfNode("lodash/fp"), u"lodash"_s);
        QCOMPARE(packageOfNode("@a/b/c"), u"@a/b"_s);
        for (const char *none : {"@a", "./a", "../a", "/work/a", "#inner", "JSONStream", "node_modules/a", "a b"})
            QCOMPARE(packageOfNode(none), u"nothing"_s);
        QCOMPARE(packageOfNode("fs/extra"), QString());
    }

    void aNameThatTheCodeChoseIsDoubted()
    {
        const auto doubtsOf = [](const QByteArray &module) {
            const auto missing = missedByPython(traceback("ModuleNotFoundError: No module named '" + module + "'"));
            return missing && !missing->doubts.isEmpty() ? missing->doubts.first().english() : QString();
        };
        QCOMPARE(doubtsOf("numpy"), QString());
        QCOMPARE(doubtsOf("cv2"), QString());
        QCOMPARE(doubtsOf("nump"),
                 u"The name \"nump\" looks like \"numpy\", a package that many use, and is another one."_s);
        QVERIFY(doubtsOf("sendmoney").contains(u"The code chose the name \"sendmoney\""_s));
    }

    void onesOwnFileIsNoPackage()
    {
        QTemporaryDir folder;
        const auto write = [&](const QString &name) {
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
        };
        const auto missed = [&](const QByteArray &module) {
            return missedByPython(traceback("ModuleNotFoundError: No module named '" + module + "'"), folder.path());
        };
        write(u"helpers.py"_s);
        QVERIFY(QDir(folder.path()).mkdir(u"numpy"_s));
        QVERIFY(QDir(folder.path()).mkdir(u"own"_s));
        write(u"own/part.py"_s);
        QVERIFY(missed("helpers")->source == ModuleSource::FileBesideCode);
        QVERIFY(missed("helpers")->package.isEmpty());
        QVERIFY(missed("own")->source == ModuleSource::FileBesideCode);
        QVERIFY(missed("numpy")->source == ModuleSource::Package); // a folder without code
        // Node.js looks for a bare name in node_modules alone.
        write(u"lodash.js"_s);
        const auto byNode = missingModule(failedWith(nodeError("Cannot find module 'lodash'")),
                                          {.language = u"node"_s, .folder = folder.path()});
        QVERIFY(byNode && byNode->source == ModuleSource::Package);
        QCOMPARE(wordsAbout(*missed("helpers")).english(),
                 u"helpers isn't here. The file lies beside your code, and the run wasn't shown it."_s);
        QCOMPARE(wordsAbout(*missed("cv2")).english(), u"cv2 isn't here. The package opencv-python has it."_s);
        QCOMPARE(wordsAbout(*missed("numpy")).english(), u"numpy isn't here."_s);
    }

    void codeNamesPackagesToo()
    {
        PackageWish wish{.language = u"python"_s};
        wish.requirements = {{u"numpy"_s, u"numpy"_s}};
        QVERIFY(addNamedInCode(wish, "print(1)"));
        QCOMPARE(wish.requirements.size(), 1);
        QVERIFY(addNamedInCode(
            wish, "# /// script\n# requires-python = \">=3.9\"\n# dependencies = [\"rich\", \"numpy\"]\n# ///\n"));
        QCOMPARE(wish.requirements.size(), 2);
        QCOMPARE(wish.requiresPython, u">=3.9"_s);
        QVERIFY(!addNamedInCode(wish, "# /// script\n# dependencies = [\"https://x\"]\n# ///\n"));
    }

private:
    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestMissingModule)
#include "tst_missingmodule.moc"
