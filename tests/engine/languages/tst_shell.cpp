// SPDX-License-Identifier: Apache-2.0
// bash and sh run a snippet as a script.
#include "snippet.h"

using namespace glovebox;
using namespace glovebox::test;
using namespace Qt::StringLiterals;

class TestShell : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void runsSnippets_data();
    void runsSnippets();
    void makesCodeFromWindowsReadable_data();
    void makesCodeFromWindowsReadable();

private:
    Languages m_languages{{}, QString()};
};

void TestShell::runsSnippets_data()
{
    QTest::addColumn<QString>("language");
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QByteArray>("out");
    QTest::addColumn<QByteArray>("err");
    QTest::addColumn<int>("exitCode");

    for (const QString &language : {u"bash"_s, u"sh"_s}) {
        const auto row = [&](const char *name, const char *code, const char *out, int exitCode, const char *err = "") {
            QTest::addRow("%s: %s", qPrintable(language), name)
                << language << QByteArray(code) << QByteArray(out) << QByteArray(err) << exitCode;
        };
        row("arguments", "echo \"$0|$1|$2|$#\"", "main.sh|a|b c|2\n", 0);
        row("an exit code", "exit 7", "", 7);
        row("the last command's status", "false", "", 1);
        row("a signal", "kill -TERM $$", "", 128 + 15);
        row("input", "read line; echo \"got $line\"", "got in\n", 0);
        row("the folder", "pwd; ls", "/work\nmain.sh\n", 0);
        row("no channel", "[ -e /dev/fd/3 ] || echo none", "none\n", 0);
    }
    QTest::addRow("bash: an error with its line")
        << u"bash"_s << QByteArray("echo a\nnonsense\n") << QByteArray("a\n")
        << QByteArray("main.sh: line 2: nonsense: command not found\n") << 127;
    QTest::addRow("bash: arrays") << u"bash"_s << QByteArray("a=(1 2 3); echo ${#a[@]}") << QByteArray("3\n")
                                  << QByteArray() << 0;
    QTest::addRow("bash: the environment")
        << u"bash"_s << QByteArray("env | cut -d= -f1 | sort | tr '\\n' ' '")
        << QByteArray("HOME LANG LOGNAME PATH PWD SHELL SHLVL TERM TMPDIR USER _ ") << QByteArray() << 0;
}

void TestShell::runsSnippets()
{
    QFETCH(QString, language);
    QFETCH(QByteArray, code);
    QFETCH(int, exitCode);
    const Language *shell = *Languages::byId(language);
    const auto interpreter = m_languages.find(*shell);
    QVERIFY2(interpreter, interpreter ? "" : qPrintable(interpreter.error().message.english()));
    const Ending ending = Snippet(shell->recipe(*interpreter, {"a", "b c"}, Limits(), QString()), code).run("in\n");
    QTEST(ending.out, "out");
    QTEST(ending.err, "err");
    QCOMPARE(ending.exitCode, exitCode);
}

void TestShell::makesCodeFromWindowsReadable_data()
{
    QTest::addColumn<QByteArray>("code");
    QTest::addColumn<QByteArray>("text");

    QTest::newRow("unix") << QByteArray("a\nb\n") << QByteArray("a\nb\n");
    QTest::newRow("windows") << QByteArray("a\r\nb\r\n") << QByteArray("a\nb\n");
    QTest::newRow("windows, no end of the last line") << QByteArray("a\r\nb") << QByteArray("a\nb");
    QTest::newRow("a CR on purpose") << QByteArray("a\r\nb\n") << QByteArray("a\r\nb\n");
    QTest::newRow("byte order mark") << QByteArray("\xEF\xBB\xBF"
                                                   "a\n")
                                     << QByteArray("a\n");
    QTest::newRow("both") << QByteArray("\xEF\xBB\xBF"
                                        "a\r\n")
                          << QByteArray("a\n");
}

void TestShell::makesCodeFromWindowsReadable()
{
    QFETCH(QByteArray, code);
    for (const QString &language : {u"bash"_s, u"sh"_s})
        QTEST((*Languages::byId(language))->sourceText(code), "text");
}

QTEST_GUILESS_MAIN(TestShell)
#include "tst_shell.moc"
