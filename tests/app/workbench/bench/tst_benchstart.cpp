// SPDX-License-Identifier: Apache-2.0
// The start of a program: arguments, variables, input, and one of several interpreters.
#include "benchseat.h"

#include "app/workbench/bench/policy/start/starteditor.h"
#include "app/workbench/history/details/record.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QToolButton>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestBenchStart : public QObject, BenchSeat
{
    Q_OBJECT
private Q_SLOTS:
    void cleanup()
    {
        m_desk.reset();
        qputenv("PATH", m_path);
    }

    void argumentsAreSplitAsInAShell_data();
    void argumentsAreSplitAsInAShell();
    void eachRunStartsWithWhatWasSet();
    void whatMakesNoSenseIsTold();
    void aTerminalGoesOnWithThePerson();
    void anotherInterpreterIsChosen();

private:
    void clickSet() { QTest::mouseClick(find<QPushButton>("bench.start.set"), Qt::LeftButton); }

    const QByteArray m_path = qgetenv("PATH");
};

void TestBenchStart::argumentsAreSplitAsInAShell_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QByteArrayList>("arguments");
    const auto row = [](const char *text, const QByteArrayList &arguments) {
        QTest::newRow(*text ? text : "nothing") << QString::fromUtf8(text) << arguments;
    };
    row("", {});
    row("  a \t b ", {"a", "b"});
    row("\"two words\" 'and \"more\"'", {"two words", "and \"more\""});
    row("--a=\"b c\"d", {"--a=b cd"});
    row("\"\" ''", {"", ""});
    row("a\\ b \\\" \"\\\"\" '\\'", {"a b", "\"", "\"", "\\"});
    row("$HOME * ~ `id` ;", {"$HOME", "*", "~", "`id`", ";"});
    row("ä\\", {"ä\\"});
}

void TestBenchStart::argumentsAreSplitAsInAShell()
{
    QFETCH(QString, text);
    QFETCH(QByteArrayList, arguments);
    QCOMPARE(argumentsFrom(text).value(), arguments);
    QVERIFY(!argumentsFrom(text + u" \"open"_s));
}

void TestBenchStart::eachRunStartsWithWhatWasSet()
{
    sitDown();
    QVERIFY(trigger("bench.arguments"));
    auto *arguments = find<QLineEdit>("bench.start.arguments");
    QVERIFY(arguments && arguments->hasFocus());
    QTest::keyClicks(arguments, u"one \"two three\""_s);
    QTest::keyClick(arguments, Qt::Key_Tab);
    QCOMPARE(QApplication::focusWidget()->objectName(), u"bench.start.variables"_s);
    QTest::keyClicks(QApplication::focusWidget(), u"MODE=a=b c"_s);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    QCOMPARE(QApplication::focusWidget()->objectName(), u"bench.start.input"_s);
    QTest::keyClicks(QApplication::focusWidget(), u"line"_s);
    QTest::keyClick(arguments, Qt::Key_Return);
    QVERIFY2(tab()->policy().sentence().endsWith(u"no folders, 2 arguments, 1 variable, fixed input"_s),
             qPrintable(tab()->policy().sentence()));

    run(u"import os, sys\nprint(sys.argv[1:], os.environ['MODE'], sys.stdin.read())\n"_s);
    waitForEnd();
    QVERIFY2(shown().contains(u"['one', 'two three'] a=b c line"_s), qPrintable(shown()));
    run(u"import { readFileSync } from 'fs';\nconsole.log(process.argv.slice(2).join('|'), process.env.MODE, "
        "readFileSync(0, 'utf8'))\n"_s,
        u"node"_s);
    waitForEnd();
    QVERIFY2(shown().contains(u"one|two three a=b c line"_s), qPrintable(shown()));
    run(u"echo \"$#\" \"$2\" \"$MODE\"; cat\n"_s, u"sh"_s);
    waitForEnd();
    QVERIFY2(shown().contains(u"2 two three a=b c\nline"_s), qPrintable(shown()));

    // On record are names.
    const auto reader = AuditReader::open(m_desk->paths.auditFile());
    QVERIFY(reader);
    const auto record = readRecord(**reader, ContentStore(m_desk->paths.storeFolder()), tab()->runs().current()->id());
    QVERIFY(record);
    QCOMPARE(record->variables, QStringList{u"MODE"_s});
    QCOMPARE(record->interpreter, QString());

    const QByteArray stashed = tab()->stashed();
    QVERIFY(trigger("bench.defaults"));
    QVERIFY(tab()->policy().sentence().endsWith(u"no folders"_s));
    QVERIFY(tab()->restore(stashed));
    QVERIFY(tab()->policy().sentence().endsWith(u"fixed input"_s));
    m_desk->frame.resize(1580, 860); // room for all of the sentence
    QTRY_VERIFY(find<QToolButton>("bench.policy.variables"));
    QTest::mouseClick(find<QToolButton>("bench.policy.variables"), Qt::LeftButton);
    QCOMPARE(QApplication::focusWidget()->objectName(), u"bench.start.variables"_s);
    QTest::mouseClick(find<QPushButton>("bench.start.none"), Qt::LeftButton);
    QVERIFY(tab()->policy().sentence().endsWith(u"no folders"_s));
    run(u"echo \"$# ${MODE-unset}\"\n"_s, u"sh"_s);
    waitForEnd();
    QVERIFY2(shown().contains(u"0 unset"_s), qPrintable(shown()));
}

void TestBenchStart::whatMakesNoSenseIsTold()
{
    sitDown();
    QVERIFY(trigger("bench.variables"));
    auto *variables = find<QPlainTextEdit>("bench.start.variables");
    QVERIFY(variables->hasFocus());
    for (const QString &text : {u"MODE"_s, u"1A=x"_s, u"LD_PRELOAD=x.so"_s, u"A=1\nA=2"_s}) {
        variables->setPlainText(text);
        clickSet();
        QVERIFY2(find<QLabel>("bench.start.wrong"), qPrintable(text));
        QVERIFY(variables->hasFocus());
    }
    variables->setPlainText(u"A=1"_s);
    auto *arguments = find<QLineEdit>("bench.start.arguments");
    arguments->setText(u"\"open"_s);
    clickSet();
    QCOMPARE(find<QLabel>("bench.start.wrong")->text(), u"The quote \" has no end. Add the other one."_s);
    QVERIFY(arguments->hasFocus());
    QTest::keyClick(arguments, Qt::Key_Escape);
    QVERIFY(tab()->policy().sentence().endsWith(u"no folders"_s));

    QVERIFY(trigger("bench.variables"));
    const auto says = [this](const QString &part) {
        const auto labels = find<QWidget>("bench.start")->findChildren<QLabel *>();
        return std::ranges::any_of(
            labels, [&](const QLabel *label) { return label->isVisible() && label->text().contains(part); });
    };
    QVERIFY(!says(u"looks like a secret"_s));
    find<QPlainTextEdit>("bench.start.variables")
        ->setPlainText(u"TOKEN=ghp_"_s + u"16C7e42F292c6912E7710c838347Ae178B4a"_s);
    QVERIFY(says(u"looks like a secret"_s));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
}

void TestBenchStart::aTerminalGoesOnWithThePerson()
{
    sitDown();
    tab()->policy().setTerminal(true);
    tab()->policy().setStart({.arguments = {}, .variables = {}, .input = u"first\n"_s});
    run(u"read a; echo \"got $a\"; read b; echo \"then $b\"\n"_s, u"sh"_s);
    QTRY_VERIFY2_WITH_TIMEOUT(shown().contains(u"got first"_s), qPrintable(shown()), 20'000);
    QVERIFY(!tab()->runs().current()->inputClosed());
    QVERIFY(tab()->runs().current()->send("second\n"));
    waitForEnd();
    QVERIFY2(shown().contains(u"then second"_s), qPrintable(shown()));
}

void TestBenchStart::anotherInterpreterIsChosen()
{
    if (!QFile::exists(u"/usr/bin/python3"_s))
        QSKIP("/usr/bin/python3 is not installed.");
    const QTemporaryDir folder;
    QVERIFY(QFile::setPermissions(folder.path(), QFile::permissions(folder.path()) | QFile::ReadGroup | QFile::ExeGroup
                                                     | QFile::ReadOther | QFile::ExeOther));
    QVERIFY(QDir().mkpath(folder.filePath(u"env/bin"_s)));
    const QString path = folder.filePath(u"env/bin/python3"_s);
    QVERIFY(QFile::link(u"/usr/bin/python3"_s, path));
    QFile config(folder.filePath(u"env/pyvenv.cfg"_s));
    QVERIFY(config.open(QIODevice::WriteOnly) && config.write("home = /usr/bin\n") > 0);
    config.close();
    qputenv("PATH", "/usr/bin:/bin:" + QFile::encodeName(folder.filePath(u"env/bin"_s)));
    sitDown();
    QVERIFY(trigger("bench.language"));
    const QByteArray button = "bench.language.python" + path.toUtf8();
    QVERIFY(find<QRadioButton>(button.constData()));
    QVERIFY(find<QRadioButton>(button.constData())->text().endsWith(u" at "_s + path));
    QTest::mouseClick(find<QRadioButton>(button.constData()), Qt::LeftButton, {}, QPoint(10, 10));
    QVERIFY(tab()->policy().sentence().startsWith(u"Python 3."_s));
    tab()->editor().setText(u"import sys\nprint(sys.prefix)\n"_s, true);
    const QByteArray stashed = tab()->stashed();
    QVERIFY(trigger("bench.run"));
    waitForEnd();
    QVERIFY2(shown().contains(folder.filePath(u"env"_s)), qPrintable(shown()));
    const auto reader = AuditReader::open(m_desk->paths.auditFile());
    QVERIFY(reader);
    const auto record = readRecord(**reader, ContentStore(m_desk->paths.storeFolder()), tab()->runs().current()->id());
    QVERIFY(record);
    QCOMPARE(record->interpreter, path);

    // The interpreter is gone: no other is taken in its place.
    QVERIFY(trigger("bench.defaults"));
    QVERIFY(tab()->restore(stashed));
    QVERIFY(QFile::remove(path));
    QVERIFY(trigger("bench.run"));
    waitForEnd();
    QVERIFY(tab()->runs().current()->result()->outcome == Outcome::SetupFailed);
    QVERIFY2(shown().contains(path + u" is not a usable interpreter of Python"_s), qPrintable(shown()));
}

GLOVEBOX_TEST_MAIN(TestBenchStart)
#include "tst_benchstart.moc"
