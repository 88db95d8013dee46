// SPDX-License-Identifier: Apache-2.0
// Which language a snippet is in, how it is handed over, and what is no snippet at all.
#include "engine/languages/job.h"
#include "engine/languages/languages.h"

#include <QtTest>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestLanguages : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void knowsFourLanguages();
    void namesTheLanguagesWhenAskedForAnother();
    void detectsTheLanguage_data();
    void detectsTheLanguage();
    void refusesCodeThatCantRun_data();
    void refusesCodeThatCantRun();
    void acceptsCodeOfManyKinds_data();
    void acceptsCodeOfManyKinds();
    void refusesArgumentsThatCantBePassed();
    void framesTheJob();
    void dropsTheByteOrderMark();
    void startsWithAMadeUpEnvironment();
};

void TestLanguages::knowsFourLanguages()
{
    const Languages languages({}, {});
    QStringList ids;
    for (const auto &language : Languages::all()) {
        ids.append(language->id());
        QCOMPARE(*Languages::byId(language->id()), language.get());
    }
    QCOMPARE(ids, (QStringList{u"python"_s, u"node"_s, u"bash"_s, u"sh"_s}));
}

void TestLanguages::namesTheLanguagesWhenAskedForAnother()
{
    const auto cobol = Languages::byId(u"cobol"_s);
    QVERIFY(!cobol);
    QCOMPARE(cobol.error().code, ErrorCode::NotFound);
    QCOMPARE(cobol.error().message.english(),
             u"Unknown language \"cobol\". Name one of these: python, node, bash or sh."_s);
}

void TestLanguages::detectsTheLanguage_data()
{
    QTest::addColumn<QString>("fileName");
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QString>("language"); // empty: can't be told

    const auto row = [](const char *fileName, const char *code, const char *language) {
        QTest::addRow("%s %s", fileName, QByteArray(code).simplified().constData())
            << QString::fromUtf8(fileName) << QByteArray(code) << QString::fromUtf8(language);
    };
    row("a.py", "", "python");
    row("/x.y/A.PY", "", "python");
    row("a.pyw", "", "python");
    row("a.js", "", "node");
    row("a.mjs", "", "node");
    row("a.cjs", "", "node");
    row("a.bash", "", "bash");
    row("a.sh", "", "sh");
    row("a.sh", "#!/bin/bash -e\n", "bash");
    row("a.sh", "#!/bin/sh\n", "sh");
    row("a.sh", "#!/usr/bin/python3\n", "sh");
    row("a.py", "#!/bin/sh\n", "python");
    row("", "#!/usr/bin/env python3", "python");
    row("", "#!/usr/bin/env python3\r\nprint(1)\r\n", "python");
    row("", "\xEF\xBB\xBF#!/usr/bin/env python3\n", "python");
    row("tool", "#!/usr/bin/python3.11 -I\n", "python");
    row("tool", "#! /usr/bin/python\n", "python");
    row("tool", "#!/usr/bin/python2\n", "");
    row("tool", "#!/usr/bin/env -S node --flag\n", "node");
    row("tool", "#!/usr/bin/env -Snode --flag\n", "node");
    row("tool", "#!/usr/bin/env --split-string=node --flag\n", "node");
    row("tool", "#!/usr/bin/env -i -u HOME A=b nodejs\n", "node");
    row("tool", "#!/bin/bash -e\n", "bash");
    row("tool", "#!/bin/dash\n", "sh");
    row("tool.txt", "#!/bin/sh\n", "sh");
    row("tool", "#!/usr/bin/perl\n", "");
    row("tool", "#!/usr/bin/env\n", "");
    row("tool", "#!\n", "");
    row("tool", " #!/bin/sh\n", "");
    row("tool.rb", "puts 1\n", "");
    row("", "print(1)\n", "");
}

void TestLanguages::detectsTheLanguage()
{
    QFETCH(QString, fileName);
    QFETCH(QByteArray, code);
    QFETCH(QString, language);
    const Languages languages({}, {});
    const auto detected = Languages::detect(fileName, code);
    if (language.isEmpty()) {
        QVERIFY(!detected);
        const bool isForOthers = detected.error().message.english().contains(u" is a script for "_s);
        QCOMPARE(detected.error().code, isForOthers ? ErrorCode::Unsupported : ErrorCode::NotFound);
        QVERIFY(detected.error().message.english().endsWith(u"python, node, bash or sh."_s));
        return;
    }
    QVERIFY2(detected, "not detected");
    QCOMPARE((*detected)->id(), language);
}

void TestLanguages::refusesCodeThatCantRun_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QString>("sentence");

    const QString empty = u"The code is empty, so there is nothing to run."_s;
    QTest::newRow("empty") << QByteArray() << empty;
    QTest::newRow("white space") << QByteArray(" \r\n\t\n") << empty;
    QTest::newRow("only a mark") << QByteArray("\xEF\xBB\xBF\n") << empty;
    QTest::newRow("too long") << QByteArray(maximumCodeBytes + 1, ' ')
                              << u"The code is larger than 4 MB. Pass its data as a file or on standard input."_s;
    QTest::newRow("binary") << QByteArray("\x7f"
                                          "ELF\0",
                                          5)
                            << u"The code is binary data, as byte 5 is zero. Give the source code."_s;
    QTest::newRow("UTF-16") << QByteArray("\xFF\xFEp\0r\0", 6)
                            << u"The code is UTF-16. Save it as UTF-8 and try again."_s;
    QTest::newRow("Latin-1") << QByteArray("# 1\n# \xE4\n")
                             << u"The code is not UTF-8: byte 7, in line 2, is 0xE4. Save it as UTF-8 and try again."_s;
    QTest::newRow("cut off") << QByteArray("# \xE2\x82")
                             << u"The code is not UTF-8: byte 3, in line 1, is 0xE2. Save it as UTF-8 and try again."_s;
    QTest::newRow("overlong") << QByteArray(
        "\xC3\xA4\xC0\xAF") << u"The code is not UTF-8: byte 3, in line 1, is 0xC0. Save it as UTF-8 and try again."_s;
    QTest::newRow("surrogate") << QByteArray(
        "a\xED\xA0\x80") << u"The code is not UTF-8: byte 2, in line 1, is 0xED. Save it as UTF-8 and try again."_s;
    QTest::newRow("lone continuation") << QByteArray(
        "\x80") << u"The code is not UTF-8: byte 1, in line 1, is 0x80. Save it as UTF-8 and try again."_s;
}

void TestLanguages::refusesCodeThatCantRun()
{
    QFETCH(QByteArray, code);
    QFETCH(QString, sentence);
    const Status status = validateCode(code);
    QVERIFY(!status);
    QCOMPARE(status.error().code, ErrorCode::InvalidInput);
    QCOMPARE(status.error().message.english(), sentence);
}

void TestLanguages::acceptsCodeOfManyKinds_data()
{
    QTest::addColumn<QByteArray>("code");

    QTest::newRow("plain") << QByteArray("print(1)");
    QTest::newRow("CRLF") << QByteArray("print(1)\r\n");
    QTest::newRow("byte order mark") << QByteArray("\xEF\xBB\xBFprint(1)\n");
    QTest::newRow("all lengths") << QByteArray("# a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\n");
    QTest::newRow("as long as may be") << QByteArray(maximumCodeBytes, 'x');
}

void TestLanguages::acceptsCodeOfManyKinds()
{
    QFETCH(QByteArray, code);
    QVERIFY(validateCode(code));
}

void TestLanguages::refusesArgumentsThatCantBePassed()
{
    QVERIFY(validateArguments({}));
    QVERIFY(validateArguments({"a", "", QByteArray(128 * 1024 - 1, 'x')}));
    QVERIFY(!validateArguments({QByteArray(128 * 1024, 'x')}));
    QVERIFY(!validateArguments(QByteArrayList(11, QByteArray(100'000, 'x'))));
    QVERIFY(!validateArguments(QByteArrayList(1024 * 1024, QByteArray())));
    const Status status = validateArguments({"a", QByteArray("b\0c", 3)});
    QVERIFY(!status);
    QCOMPARE(status.error().message.english(), u"Argument 2 contains a zero byte, which no program can be given."_s);
}

void TestLanguages::framesTheJob()
{
    QCOMPARE(encodeJob("main.py", {"a", ""}), QByteArray("\x0d\0\0\0"
                                                         "1\0main.py\0a\0\0",
                                                         17));
    // What passed validateArguments() always fits.
    const QByteArrayList most = QByteArrayList(10, QByteArray(100'000, 'x')) + QByteArrayList{QByteArray(47'000, 'x')};
    QVERIFY(validateArguments(most));
    QVERIFY(!encodeJob("main.py", most).isEmpty());
    QVERIFY(encodeJob("main.py", {QByteArray("b\0c", 3)}).isEmpty());
    QVERIFY(encodeJob("main.py", {QByteArray(maximumJobBytes, 'x')}).isEmpty());
}

void TestLanguages::dropsTheByteOrderMark()
{
    const Languages languages({}, {});
    for (const auto &language : Languages::all()) {
        QCOMPARE(language->sourceText("\xEF\xBB\xBFx = 1\n"), QByteArray("x = 1\n"));
        QCOMPARE(language->sourceText("x = 1\n"), QByteArray("x = 1\n"));
    }
}

void TestLanguages::startsWithAMadeUpEnvironment()
{
    qputenv("GLOVEBOX_TEST_SECRET", "x");
    const Languages languages({}, {});
    for (const auto &language : Languages::all()) {
        InterpreterCandidate interpreter;
        interpreter.path = u"/opt/x/bin/y"_s;
        QByteArrayList environment = language->recipe(interpreter, {}, Limits(), {}).environment;
        environment.removeAll("PYTHONPATH=/run/glovebox");
        const QByteArrayList expected = {"PATH=/usr/local/bin:/usr/bin:/bin",
                                         "HOME=/run/home",
                                         "USER=sandbox",
                                         "LOGNAME=sandbox",
                                         "LANG=C.UTF-8",
                                         "TMPDIR=/tmp",
                                         "TERM=dumb",
                                         "PWD=/work",
                                         "SHELL=/bin/sh"};
        QCOMPARE(environment, expected);
        interpreter.folders = {u"/opt/x"_s};
        const LaunchRecipe recipe = language->recipe(interpreter, {}, Limits(), {});
        QCOMPARE(recipe.environment.first(), QByteArray("PATH=/opt/x/bin:/usr/local/bin:/usr/bin:/bin"));
        QCOMPARE(recipe.folders, interpreter.folders);
        QCOMPARE(recipe.argv.first(), QByteArray("/opt/x/bin/y"));
        QCOMPARE(recipe.job.isEmpty(), recipe.driver.isEmpty());
    }
}

QTEST_GUILESS_MAIN(TestLanguages)
#include "tst_languages.moc"
