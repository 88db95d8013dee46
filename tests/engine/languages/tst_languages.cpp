// SPDX-License-Identifier: Apache-2.0
// Which language a snippet is in, which interpreters are found for it, and what is no snippet at all.
#include "engine/languages/job.h"
#include "engine/languages/languages.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <sys/stat.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// The programs here are the test's own.
std::optional<QByteArray> askUnsealed(const InterpreterCandidate &interpreter, const QStringList &arguments)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(interpreter.path, arguments);
    if (!process.waitForFinished(5000) || process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0)
        return QByteArray();
    return process.readAll();
}

} // namespace

class TestLanguages : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
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
    void findsARuntimeInAFolderOfItsOwn();
    void startsInterpretersOfUsrWhereTheyAre();
    void startsAVirtualEnvironmentByItsLink();
    void passesOverAVirtualEnvironmentThatLeadsAway();
    void passesOver_data();
    void passesOver();
    void passesOverWhatTheRunsUserCantReach();
    void ignoresRelativeFoldersOfPath();
    void namesThePackageAndTheReasons();
    void remembersVersions();

private:
    // A program that is no script, in the temporary folder.
    void install(const QString &program, const QString &original = u"/bin/bash"_s) const
    {
        QDir().mkpath(QFileInfo(m_folder->filePath(program)).path());
        QVERIFY(QFile::copy(original, m_folder->filePath(program)));
    }
    void makeFolder(const QString &folder) const { QVERIFY(QDir().mkpath(m_folder->filePath(folder))); }
    QString path(const QString &name) const { return m_folder->filePath(name); }
    void lookOnlyIn(const QString &folder) const { qputenv("PATH", QFile::encodeName(path(folder))); }
    QList<InterpreterCandidate> pythons(std::optional<HostIdentity> identity = {}) const
    {
        const Languages languages(identity, QString(), askUnsealed);
        return languages.candidates(**languages.byId(u"python"_s));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    const QByteArray m_path = qgetenv("PATH");
    const QByteArray m_home = qgetenv("HOME");
};

void TestLanguages::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void TestLanguages::cleanup()
{
    qputenv("PATH", m_path);
    qputenv("HOME", m_home);
}

void TestLanguages::knowsFourLanguages()
{
    const Languages languages({}, {});
    QStringList ids;
    for (const auto &language : languages.all()) {
        ids.append(language->id());
        QCOMPARE(*languages.byId(language->id()), language.get());
    }
    QCOMPARE(ids, (QStringList{u"python"_s, u"node"_s, u"bash"_s, u"sh"_s}));
}

void TestLanguages::namesTheLanguagesWhenAskedForAnother()
{
    const auto cobol = Languages({}, {}).byId(u"cobol"_s);
    QVERIFY(!cobol);
    QCOMPARE(cobol.error().code, ErrorCode::NotFound);
    QCOMPARE(cobol.error().message.english(),
             u"There is no language \"cobol\". Name one of these: python, node, bash or sh."_s);
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
    const auto detected = languages.detect(fileName, code);
    if (language.isEmpty()) {
        QVERIFY(!detected);
        QCOMPARE(detected.error().code, ErrorCode::NotFound);
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

    const QString empty = u"There is no code to run: it is empty."_s;
    QTest::newRow("empty") << QByteArray() << empty;
    QTest::newRow("white space") << QByteArray(" \r\n\t\n") << empty;
    QTest::newRow("only a mark") << QByteArray("\xEF\xBB\xBF\n") << empty;
    QTest::newRow("too long")
        << QByteArray(maximumCodeBytes + 1, ' ')
        << u"The code is longer than the 4194304 bytes that can be run. Give what it works on as a file or on standard input."_s;
    QTest::newRow("binary") << QByteArray(
        "\x7f"
        "ELF\0",
        5) << u"This is not the text of a program but binary data (byte 5 is zero). Give the source code."_s;
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
    for (const auto &language : languages.all()) {
        QCOMPARE(language->sourceText("\xEF\xBB\xBFx = 1\n"), QByteArray("x = 1\n"));
        QCOMPARE(language->sourceText("x = 1\n"), QByteArray("x = 1\n"));
    }
}

void TestLanguages::startsWithAMadeUpEnvironment()
{
    qputenv("GLOVEBOX_TEST_SECRET", "x");
    const Languages languages({}, {});
    for (const auto &language : languages.all()) {
        InterpreterCandidate interpreter;
        interpreter.path = u"/opt/x/bin/y"_s;
        QByteArrayList environment = language->recipe(interpreter, {}, Limits(), {}).environment;
        environment.removeAll("PYTHONPATH=/run/glovebox");
        const QByteArrayList expected = {"PATH=/usr/local/bin:/usr/bin:/bin",
                                         "HOME=/work",
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

void TestLanguages::findsARuntimeInAFolderOfItsOwn()
{
    install(u"versions/3.12.1/bin/python3.12"_s);
    makeFolder(u"versions/3.12.1/lib"_s);
    QFile::link(u"python3.12"_s, path(u"versions/3.12.1/bin/python3"_s));
    lookOnlyIn(u"versions/3.12.1/bin"_s);
    const auto found = pythons();
    QVERIFY(!found.isEmpty());
    QVERIFY2(found.first().usable, qPrintable(found.first().reason.english()));
    // Both names are inside the folder that is shown, so the link is fine too.
    QCOMPARE(found.first().path, path(u"versions/3.12.1/bin/python3"_s));
    QCOMPARE(found.first().folders, (QStringList{path(u"versions/3.12.1/bin"_s), path(u"versions/3.12.1/lib"_s)}));
    QVERIFY(!found.first().version.isEmpty());

    // By a link from elsewhere the program is started by its own name: the link isn't there inside.
    makeFolder(u"links"_s);
    QFile::link(path(u"versions/3.12.1/bin/python3"_s), path(u"links/python3"_s));
    lookOnlyIn(u"links"_s);
    QCOMPARE(pythons().first().path, path(u"versions/3.12.1/bin/python3.12"_s));
}

void TestLanguages::startsInterpretersOfUsrWhereTheyAre()
{
    lookOnlyIn(u"nothing"_s);
    const Languages languages({}, {});
    const auto sh = languages.find(**languages.byId(u"sh"_s));
    QVERIFY(sh);
    QCOMPARE(sh->path, u"/usr/bin/sh"_s);
    QVERIFY(sh->folders.isEmpty());
    // /bin/sh and /usr/bin/sh are one program.
    QCOMPARE(languages.candidates(**languages.byId(u"sh"_s)).size(), 1);
}

void TestLanguages::startsAVirtualEnvironmentByItsLink()
{
    if (!QFile::exists(u"/usr/bin/python3"_s))
        QSKIP("needs /usr/bin/python3");
    makeFolder(u"project/.venv/bin"_s);
    QFile::link(u"/usr/bin/python3"_s, path(u"project/.venv/bin/python3"_s));
    QFile config(path(u"project/.venv/pyvenv.cfg"_s));
    QVERIFY(config.open(QIODevice::WriteOnly) && config.write("home = /usr/bin\n") > 0);
    config.close();
    lookOnlyIn(u"project/.venv/bin"_s);
    const auto found = pythons();
    QVERIFY2(found.first().usable, qPrintable(found.first().reason.english()));
    QCOMPARE(found.first().path, path(u"project/.venv/bin/python3"_s));
    // Its parts only: an environment may lie in the folder of a project, beside .env and .git.
    QCOMPARE(found.first().folders, (QStringList{path(u"project/.venv/bin"_s), path(u"project/.venv/pyvenv.cfg"_s)}));
    // The system's own is another candidate, not the same.
    QCOMPARE(found.last().path, u"/usr/bin/python3"_s);
}

void TestLanguages::passesOverAVirtualEnvironmentThatLeadsAway()
{
    makeFolder(u"project/.venv/bin"_s);
    makeFolder(u"elsewhere"_s);
    QFile::link(u"/usr/bin/bash"_s, path(u"elsewhere/python3"_s)); // a hop that is not there inside
    QFile::link(path(u"elsewhere/python3"_s), path(u"project/.venv/bin/python3"_s));
    QFile config(path(u"project/.venv/pyvenv.cfg"_s));
    QVERIFY(config.open(QIODevice::WriteOnly));
    lookOnlyIn(u"project/.venv/bin"_s);
    QVERIFY(!pythons().first().usable);
    QVERIFY(pythons().first().reason.english().contains(u"virtual environment"_s));
}

void TestLanguages::passesOver_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("reason");

    QTest::newRow("a script") << u"script"_s << u"not the interpreter itself"_s;
    QTest::newRow("a link to a shim of another name") << u"shim"_s << u"not the interpreter itself"_s;
    QTest::newRow("a broken link") << u"broken"_s << u"leads nowhere"_s;
    QTest::newRow("a folder") << u"folder"_s << u"not an executable file"_s;
    QTest::newRow("no right to execute") << u"plain"_s << u"not an executable file"_s;
    QTest::newRow("a program without libraries beside it") << u"alone"_s << u"no folder of its own"_s;
    QTest::newRow("a program that isn't in a bin folder") << u"not in bin"_s << u"no folder of its own"_s;
    QTest::newRow("a program in the home") << u"home"_s << u"no folder of its own"_s;
    QTest::newRow("a program above the home") << u"above home"_s << u"no folder of its own"_s;
    QTest::newRow("a program in ~/.local") << u"local"_s << u"no folder of its own"_s;
    QTest::newRow("a program that fails") << u"failing"_s << u"does not tell its version"_s;
}

void TestLanguages::passesOver()
{
    QFETCH(QString, kind);
    QFETCH(QString, reason);
    makeFolder(u"a/bin"_s);
    if (kind != u"alone"_s)
        makeFolder(u"a/lib"_s);
    QString folder = u"a/bin"_s;
    const QString python = path(u"a/bin/python3"_s);
    if (kind == u"script"_s) {
        QFile file(python);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("#!/bin/sh\n") > 0);
        file.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
    } else if (kind == u"shim"_s) {
        install(u"a/bin/volta-shim"_s);
        QVERIFY(QFile::link(u"volta-shim"_s, python));
    } else if (kind == u"broken"_s) {
        QVERIFY(QFile::link(u"nothing"_s, python));
    } else if (kind == u"folder"_s) {
        makeFolder(u"a/bin/python3"_s);
    } else if (kind == u"plain"_s) {
        install(u"a/bin/python3"_s);
        QFile::setPermissions(python, QFile::ReadOwner);
    } else if (kind == u"failing"_s) {
        install(u"a/bin/python3"_s, u"/bin/false"_s);
    } else if (kind == u"not in bin"_s) {
        folder = u"a/x"_s;
        install(u"a/x/python3"_s);
    } else if (kind == u"local"_s) {
        folder = u"a/.local/bin"_s;
        makeFolder(u"a/.local/lib"_s);
        install(u"a/.local/bin/python3"_s);
    } else {
        install(u"a/bin/python3"_s);
        if (kind == u"home"_s)
            qputenv("HOME", QFile::encodeName(path(u"a"_s)));
        makeFolder(u"a/person"_s);
        if (kind == u"above home"_s)
            qputenv("HOME", QFile::encodeName(path(u"a/person"_s)));
    }
    lookOnlyIn(folder);
    const auto found = pythons();
    QVERIFY(!found.first().usable);
    QVERIFY2(found.first().reason.english().contains(reason), qPrintable(found.first().reason.english()));
    QVERIFY(found.first().reason.english().startsWith(path(folder)));
}

void TestLanguages::passesOverWhatTheRunsUserCantReach()
{
    const HostIdentity nobodyHere = {61184, 61184};
    install(u"a/b/bin/python3"_s);
    makeFolder(u"a/b/lib"_s);
    lookOnlyIn(u"a/b/bin"_s);
    const QString closed = path(u"a"_s);
    ::chmod(QFile::encodeName(m_folder->path()).constData(), 0755);
    ::chmod(QFile::encodeName(closed).constData(), 0700);
    QCOMPARE(pythons(nobodyHere).first().reason.english(),
             u"%1/b/bin/python3 can't be used: the user that sealed runs belong to has no access to %1."_s.arg(closed));
    // The owner's own is fine, and so is what everybody may enter.
    QVERIFY(pythons(HostIdentity{::geteuid(), ::getegid()}).first().usable);
    ::chmod(QFile::encodeName(closed).constData(), 0711);
    QVERIFY(pythons(nobodyHere).first().usable);
    ::chmod(QFile::encodeName(path(u"a/b/bin/python3"_s)).constData(), 0711); // can be executed, but not read
    QVERIFY(!pythons(nobodyHere).first().usable);
}

void TestLanguages::ignoresRelativeFoldersOfPath()
{
    install(u"bin/python3"_s);
    makeFolder(u"lib"_s);
    const QString before = QDir::currentPath();
    QVERIFY(QDir::setCurrent(m_folder->path()));
    qputenv("PATH", ".:bin::./bin");
    const auto found = pythons();
    QDir::setCurrent(before);
    for (const InterpreterCandidate &candidate : found)
        QVERIFY2(!candidate.path.contains(m_folder->path()) && candidate.path.startsWith(u'/'),
                 qPrintable(candidate.path));
}

void TestLanguages::namesThePackageAndTheReasons()
{
    // A language that no machine has.
    class Missing : public Language
    {
    public:
        QString id() const override { return u"missing"_s; }
        QString name() const override { return u"Missing"_s; }
        QStringList extensions() const override { return {}; }
        QStringList programs() const override { return {u"glovebox-no-such-program"_s}; }
        QStringList versionArguments() const override { return {}; }
        QString package() const override { return u"missing-lang"_s; }
        LaunchRecipe recipe(const InterpreterCandidate &, const QByteArrayList &, const Limits &,
                            const QString &) const override
        {
            return {};
        }
    };
    const auto nowhere = Languages({}, {}).find(Missing());
    QVERIFY(!nowhere);
    QCOMPARE(nowhere.error().code, ErrorCode::NotFound);
    QCOMPARE(nowhere.error().message.english(),
             u"Missing was not found on this machine. Install the package \"missing-lang\" (for example: sudo apt "
             "install missing-lang)."_s);

    makeFolder(u"bin"_s);
    QFile::link(u"/nothing"_s, path(u"bin/glovebox-no-such-program"_s));
    lookOnlyIn(u"bin"_s);
    QCOMPARE(Languages({}, {}).find(Missing()).error().message.english(),
             u"No Missing on this machine can be used in a sealed run. %1/bin/glovebox-no-such-program is a link that "
             "leads nowhere. Install the package \"missing-lang\" (for example: sudo apt install missing-lang)."_s.arg(
                 m_folder->path()));
}

void TestLanguages::remembersVersions()
{
    install(u"a/bin/python3"_s); // answers as bash does
    makeFolder(u"a/lib"_s);
    lookOnlyIn(u"a/bin"_s);
    const QString cache = path(u"interpreters.json"_s);
    const auto version = [&] {
        const Languages languages({}, cache, askUnsealed);
        return languages.candidates(**languages.byId(u"python"_s)).first().version;
    };
    const auto rewrite = [&](const QByteArray &content) {
        QFile file(cache);
        return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
    };
    const auto content = [&] {
        QFile file(cache);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };

    const QString asked = version();
    QVERIFY2(QRegularExpression(u"^\\d+\\.\\d+\\.\\d+$"_s).match(asked).hasMatch(), qPrintable(asked));
    QCOMPARE(QFile(cache).permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());

    // Known ones are not asked for again ...
    QByteArray changed = content();
    QVERIFY(rewrite(changed.replace('"' + asked.toUtf8() + '"', "\"99.9\"")));
    QCOMPARE(version(), u"99.9"_s);
    // ... unless the program changed ...
    QFile program(path(u"a/bin/python3"_s));
    QVERIFY(program.open(QIODevice::ReadWrite));
    QVERIFY(program.setFileTime(QDateTime::currentDateTime().addSecs(-5000), QFileDevice::FileModificationTime));
    program.close();
    QCOMPARE(version(), asked);
    QVERIFY(!content().contains("99.9"));
    // ... or the file is broken.
    for (const char *broken : {"", "{", "[]", "{\"x\":5}", "\xFF\0"}) {
        QVERIFY(rewrite(broken));
        QCOMPARE(version(), asked);
        QVERIFY(content().contains(asked.toUtf8()));
    }
}

QTEST_GUILESS_MAIN(TestLanguages)
#include "tst_languages.moc"
