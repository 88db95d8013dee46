// SPDX-License-Identifier: Apache-2.0
// Which interpreters are found on a machine, and why the others are passed over.
#include "engine/languages/languages.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include <sys/stat.h>

#include <future>

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
    QByteArray snippetName(const QString &) const override { return "main"; }
    LaunchRecipe recipe(const InterpreterCandidate &, const QByteArrayList &, const Limits &,
                        const QString &) const override
    {
        return {};
    }
};

} // namespace

class TestInterpreters : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void findsARuntimeInAFolderOfItsOwn();
    void startsInterpretersOfUsrWhereTheyAre();
    void startsAVirtualEnvironmentByItsLink();
    void passesOverAVirtualEnvironmentThatLeadsAway();
    void passesOver_data();
    void passesOver();
    void passesOverWhatTheRunsUserCantReach();
    void ignoresRelativeFoldersOfPath();
    void namesThePackageAndTheReasons();
    void looksAgainWhereThereWasNone();
    void looksAgainWhenTheProgramIsGone();
    void findsWhileAnInterpreterHangs();
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
        const Languages languages([identity] { return identity; }, QString(), askUnsealed);
        return languages.candidates(**Languages::byId(u"python"_s));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    const QByteArray m_path = qgetenv("PATH");
    const QByteArray m_home = qgetenv("HOME");
};

void TestInterpreters::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(m_folder->isValid());
}

void TestInterpreters::cleanup()
{
    qputenv("PATH", m_path);
    qputenv("HOME", m_home);
}

void TestInterpreters::findsARuntimeInAFolderOfItsOwn()
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

void TestInterpreters::startsInterpretersOfUsrWhereTheyAre()
{
    lookOnlyIn(u"nothing"_s);
    const Languages languages({}, {});
    const auto sh = languages.find(**Languages::byId(u"sh"_s));
    QVERIFY(sh);
    QCOMPARE(sh->path, u"/usr/bin/sh"_s);
    QVERIFY(sh->folders.isEmpty());
    // /bin/sh and /usr/bin/sh are one program.
    QCOMPARE(languages.candidates(**Languages::byId(u"sh"_s)).size(), 1);
}

void TestInterpreters::startsAVirtualEnvironmentByItsLink()
{
    if (!QFile::exists(u"/usr/bin/python3"_s))
        QSKIP("/usr/bin/python3 is not installed.");
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

void TestInterpreters::passesOverAVirtualEnvironmentThatLeadsAway()
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

void TestInterpreters::passesOver_data()
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
    QTest::newRow("a program that fails") << u"failing"_s << u"gives no version"_s;
}

void TestInterpreters::passesOver()
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

void TestInterpreters::passesOverWhatTheRunsUserCantReach()
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

void TestInterpreters::ignoresRelativeFoldersOfPath()
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

void TestInterpreters::namesThePackageAndTheReasons()
{
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

void TestInterpreters::looksAgainWhereThereWasNone()
{
    makeFolder(u"a/bin"_s);
    makeFolder(u"a/lib"_s);
    lookOnlyIn(u"a/bin"_s);
    const Languages languages({}, {});
    QVERIFY(!languages.find(Missing()));
    QVERIFY(languages.candidates(Missing()).isEmpty());
    // The package is installed.
    install(u"a/bin/python3.12"_s);
    QVERIFY(QFile::link(u"python3.12"_s, path(u"a/bin/glovebox-no-such-program"_s)));
    const auto found = languages.find(Missing());
    QVERIFY2(found, qPrintable(found ? QString() : found.error().message.english()));
    QCOMPARE(found->path, path(u"a/bin/glovebox-no-such-program"_s));
    QCOMPARE(languages.candidates(Missing()).size(), 1);
}

void TestInterpreters::looksAgainWhenTheProgramIsGone()
{
    install(u"a/bin/python3"_s);
    makeFolder(u"a/lib"_s);
    install(u"b/bin/python3"_s);
    makeFolder(u"b/lib"_s);
    qputenv("PATH", QFile::encodeName(path(u"a/bin"_s) + u':' + path(u"b/bin"_s)));
    const Languages languages({}, {});
    const Language &python = **Languages::byId(u"python"_s);
    QCOMPARE(languages.find(python)->path, path(u"a/bin/python3"_s));
    QVERIFY(QFile::remove(path(u"a/bin/python3"_s)));
    QCOMPARE(languages.find(python)->path, path(u"b/bin/python3"_s));
    // Whatever comes first again is taken once somebody looks.
    install(u"a/bin/python3"_s);
    QCOMPARE(languages.find(python)->path, path(u"b/bin/python3"_s));
    QCOMPARE(languages.candidates(python).first().path, path(u"a/bin/python3"_s));
    QCOMPARE(languages.find(python)->path, path(u"a/bin/python3"_s));
}

void TestInterpreters::findsWhileAnInterpreterHangs()
{
    install(u"a/bin/python3"_s); // a bash
    makeFolder(u"a/lib"_s);
    lookOnlyIn(u"a/bin"_s);
    const QByteArray pipe = QFile::encodeName(path(u"pipe"_s));
    QCOMPARE(::mkfifo(pipe.constData(), 0600), 0);
    const Languages languages({}, {}, [&](const InterpreterCandidate &interpreter, const QStringList &) {
        return askUnsealed(interpreter, {u"-c"_s, u"read word < "_s + QFile::decodeName(pipe)});
    });
    const Language &python = **Languages::byId(u"python"_s);
    auto asked = std::async(std::launch::async, [&] { return languages.candidates(python); });
    QFile hanging(QFile::decodeName(pipe));
    QVERIFY(hanging.open(QIODevice::WriteOnly)); // blocks until the interpreter reads, and from now on it hangs
    auto found = std::async(std::launch::async, [&] {
        return languages.find(python).has_value() && languages.find(**Languages::byId(u"sh"_s)).has_value();
    });
    const auto state = found.wait_for(std::chrono::seconds(3)); // the question has 5
    QCOMPARE(asked.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
    hanging.write("on\n");
    hanging.close();
    QCOMPARE(state, std::future_status::ready);
    QVERIFY(found.get());
    asked.get();
}

void TestInterpreters::remembersVersions()
{
    install(u"a/bin/python3"_s); // answers as bash does
    makeFolder(u"a/lib"_s);
    lookOnlyIn(u"a/bin"_s);
    const QString cache = path(u"interpreters.json"_s);
    const auto version = [&] {
        const Languages languages({}, cache, askUnsealed);
        return languages.candidates(**Languages::byId(u"python"_s)).first().version;
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

QTEST_GUILESS_MAIN(TestInterpreters)
#include "tst_interpreters.moc"
