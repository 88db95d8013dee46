// SPDX-License-Identifier: Apache-2.0
// What people and code write about packages is read strictly: names, versions, blocks in code, locks.
#include "engine/packages/installer.h"
#include "engine/packages/node/npmlock.h"
#include "engine/packages/tasks.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>

#include <csignal>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

PackageLock smallLock()
{
    return {.language = u"python"_s,
            .runtime = u"3.11"_s,
            .index = u"https://pypi.org/simple"_s,
            .requirements = {u"branch"_s},
            .packages = {{u"branch"_s, u"1.5"_s, u"branch-1.5-py3-none-any.whl"_s, QString(64, u'a'), 100},
                         {u"leaf"_s, u"2.0"_s, u"leaf-2.0-py3-none-any.whl"_s, QString(64, u'b'), 50}}};
}

PackageLock lockWithBuild()
{
    PackageLock lock = smallLock();
    lock.packages.first().builtFrom =
        BuiltFrom{QString(64, u'c'), 7, {{u"tool"_s, u"3.1"_s, u"tool-3.1-py3-none-any.whl"_s, QString(64, u'd'), 9}}};
    return lock;
}

} // namespace

class TestPackageWords : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aFullDiskLeavesTheOldLockFile()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"lock"_s);
        QVERIFY(writeLockFile(path, toBytes(smallLock())));
        rlimit before{}; // the limit on file sizes stands for a full disk: it too is met by write(2)
        QVERIFY(::getrlimit(RLIMIT_FSIZE, &before) == 0);
        const rlimit nothing{0, before.rlim_max};
        ::signal(SIGXFSZ, SIG_IGN);
        QVERIFY(::setrlimit(RLIMIT_FSIZE, &nothing) == 0);
        const Status written = writeLockFile(path, toBytes(smallLock()));
        ::setrlimit(RLIMIT_FSIZE, &before);
        QVERIFY(!written);
        QVERIFY(written.error().message.english().contains(u"can't be written"_s));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), toBytes(smallLock()));
    }

    void requirementsAreRead_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("texts");
        QTest::addColumn<QStringList>("names");
        const auto row = [](const char *text, const QStringList &texts, const QStringList &names) {
            QTest::newRow(text) << QString::fromLatin1(text) << texts << names;
        };
        row("numpy", {u"numpy"_s}, {u"numpy"_s});
        row("numpy pandas>=2", {u"numpy"_s, u"pandas>=2"_s}, {u"numpy"_s, u"pandas"_s});
        row("pandas >= 2, < 3  numpy", {u"pandas>=2,<3"_s, u"numpy"_s}, {u"pandas"_s, u"numpy"_s});
        row("Flask_SQLAlchemy.x==3.0.*", {u"Flask_SQLAlchemy.x==3.0.*"_s}, {u"flask-sqlalchemy-x"_s});
        row("requests [security, socks] ~= 2.28.1", {u"requests[security,socks]~=2.28.1"_s}, {u"requests"_s});
        row("a===1.0+local!1", {u"a===1.0+local!1"_s}, {u"a"_s});
        row("tomli>=2 ; python_version < '3.11' and os_name == \"posix\"",
            {u"tomli>=2; python_version < '3.11' and os_name == \"posix\""_s}, {u"tomli"_s});
        row("\n numpy \n\n pandas\n", {u"numpy"_s, u"pandas"_s}, {u"numpy"_s, u"pandas"_s});
    }
    void requirementsAreRead()
    {
        QFETCH(QString, text);
        QFETCH(QStringList, texts);
        QFETCH(QStringList, names);
        const auto read = readRequirements(text, u"python"_s);
        QVERIFY2(read, read ? "" : qPrintable(read.error().message.english()));
        QStringList readTexts, readNames;
        for (const Requirement &requirement : *read) {
            readTexts.append(requirement.text);
            readNames.append(requirement.name);
        }
        QCOMPARE(readTexts, texts);
        QCOMPARE(readNames, names);
    }

    void aNameAloneTakesNoVersionBack()
    {
        for (const QString &text : {u"leaf@^1.0.0 leaf"_s, u"leaf leaf@^1.0.0"_s}) {
            const auto requirements = readRequirements(text, u"node"_s);
            QVERIFY(requirements && checkNamedOnce(*requirements, u"node"_s));
            QVERIFY2(packageJson(*requirements).contains(R"("leaf":"^1.0.0")"), packageJson(*requirements));
        }
        QVERIFY(checkNamedOnce(*readRequirements(u"leaf>1 leaf<3"_s, u"python"_s), u"python"_s)); // pip heeds both
    }

    void lockFilesOfOtherToolsAreNamedAsSuch_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("pnpm") << QByteArray("lockfileVersion: '9.0'\npackages:\n  leaf@1.0.0: {}\n");
        QTest::newRow("uv") << QByteArray("version = 1\n[[package]]\nname = \"leaf\"\n");
        QTest::newRow("npm") << QByteArray(R"({"name": "x", "lockfileVersion": 3, "packages": {}})");
        QTest::newRow("pip") << QByteArray("leaf==1.0 --hash=sha256:00\n");
    }
    void lockFilesOfOtherToolsAreNamedAsSuch()
    {
        QFETCH(QByteArray, content);
        const auto read = readPackageLock(content);
        QVERIFY(!read);
        QVERIFY2(read.error().message.english().contains(u"npm, pnpm, pip, uv and other tools aren't read"_s),
                 qPrintable(read.error().message.english()));
        QVERIFY(!readPackageLock(toBytes(smallLock()).chopped(20))
                     .error()
                     .message.english()
                     .contains(u"pnpm"_s)); // one of ours that is cut short
    }

    void whatIsNoPackageOfAnIndexIsRefused_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("why");
        const auto row = [](const char *text, const char *why) {
            QTest::newRow(text) << QString::fromLatin1(text) << QString::fromLatin1(why);
        };
        const char *const option = "an option of pip isn't passed on";
        const char *const address = "packages aren't installed from an address";
        const char *const file = "packages aren't installed from a file";
        const char *const unreadable = "it can't be read";
        row("--index-url=https://evil.test", option);
        row("numpy -r/etc/passwd", option);
        row("-e.", option);
        row("numpy@https://evil.test/numpy.whl", address);
        row("numpy @ file:///etc/passwd", address);
        row("git+https://evil.test/x", address);
        row("./numpy", file);
        row("../numpy", file);
        row("/tmp/numpy.whl", file);
        row("a\\b", file);
        row("..", file);
        row("numpy>=", unreadable);
        row(">=2", unreadable);
        row("numpy>=2;import os;x", unreadable);
        row("numpy; python_version < '3' --hash=sha256:00", unreadable);
        row("numpy>2 {x}", unreadable);
        row("$HOME", unreadable);
        row("${HOME}", unreadable);
        row("nu#mpy", unreadable);
        row("_numpy", unreadable);
        row("numpy-", unreadable);
        row("num\xFFpy", unreadable);
        row("", "No package is named");
    }
    void whatIsNoPackageOfAnIndexIsRefused()
    {
        QFETCH(QString, text);
        QFETCH(QString, why);
        const auto read = readRequirements(text, u"python"_s);
        QVERIFY2(!read, qPrintable(read ? read->first().text : QString()));
        QVERIFY2(read.error().message.english().contains(why), qPrintable(read.error().message.english()));
    }

    void aBlockInTheCodeIsRead()
    {
        const auto read = readInlineMetadata("#!/usr/bin/env python3\n"
                                             "# /// script\n"
                                             "# requires-python = \">=3.9\"\n"
                                             "# # a comment\n"
                                             "# dependencies = [\n"
                                             "#   \"leaf<3\", # with one here\n"
                                             "#\n"
                                             "#   'branch',\n"
                                             "# ]\n"
                                             "#\n"
                                             "# [tool.uv]\n"
                                             "# dependencies = [\"https://evil.test/x\"]\n"
                                             "# ///\n"
                                             "import leaf\n");
        QVERIFY2(read && *read, read ? "" : qPrintable(read.error().message.english()));
        QCOMPARE((*read)->requiresPython, u">=3.9"_s);
        QCOMPARE((*read)->requirements, (QList<Requirement>{{u"leaf"_s, u"leaf<3"_s}, {u"branch"_s, u"branch"_s}}));
        const auto windows = readInlineMetadata("# /// script\r\n# dependencies = [\"leaf\"]\r\n# ///\r\n");
        QVERIFY(windows && *windows);
        QCOMPARE((*windows)->requirements.size(), 1);
    }

    void codeWithoutABlockHasNone()
    {
        for (const char *code : {"print(1)", "# /// script\nprint(1)\n", "  # /// script\n  # x = 1\n  # ///\n",
                                 "# /// other\n# dependencies = [\"leaf\"]\n# ///\n", "'# /// script'\n"}) {
            const auto read = readInlineMetadata(code);
            QVERIFY2(read && !*read, code);
        }
    }

    void aBlockThatCantBeReadIsAnError_data()
    {
        QTest::addColumn<QByteArray>("block");
        for (const char *block :
             {"# dependencies = \"leaf\"\n", "# dependencies = [leaf]\n", "# dependencies = [\"leaf\"\n",
              "# dependencies = [\"le\n# af\"]\n", "# dependencies = [\"leaf\"] \"branch\"\n", "# dependencies\n",
              "# dependencies = [\"\"\"leaf\"\"\"]\n", "# dependencies = [\"-r/etc/passwd\"]\n",
              "# dependencies = [\"leaf @ https://evil.test/x.whl\"]\n", "# dependencies = []\n# dependencies = []\n",
              "# other = 1\n", "# requires-python = 3\n", "# requires-python = \"new\"\n", "# = []\n",
              "# dependencies = [\"a\\u0062\"]\n"})
            QTest::newRow(block) << QByteArray(block);
    }
    void aBlockThatCantBeReadIsAnError()
    {
        QFETCH(QByteArray, block);
        QVERIFY(!readInlineMetadata("# /// script\n" + block + "# ///\n"));
        QVERIFY2(readInlineMetadata("# /// script\n# dependencies = []\n# ///\n"), "the frame is right");
    }

    void aBlockOfAnyLengthIsRead()
    {
        const QByteArray code = "# /// script\n# dependencies = [\n" + QByteArray("#\n").repeated(200'000)
                                + "# \"leaf\"]\n# ///\nprint(1)\n";
        const auto metadata = readInlineMetadata(code);
        QVERIFY(metadata && *metadata);
        QCOMPARE((*metadata)->requirements.size(), 1);
        // Neither do many beginnings take long, nor is the end of one block another's.
        const QByteArray open = QByteArray("# /// script\n").repeated(300'000) + "print(1)\n# ///\n";
        QElapsedTimer took;
        took.start();
        QVERIFY(!readInlineMetadata(open).value());
        QVERIFY(took.elapsed() < 10'000);
        QVERIFY(!readInlineMetadata("# /// script\n# ///\nprint(1)\n").value());
        const auto last = readInlineMetadata("# /// script\n# [tool.x]\n# ///\n# y\n# ///\n");
        QVERIFY(last && *last);
    }

    void twoBlocksAreAnError()
    {
        QVERIFY(!readInlineMetadata(
            "# /// script\n# dependencies = []\n# ///\n\n# /// script\n# dependencies = []\n# ///\n"));
    }

    void versionsOfPythonAreCompared_data()
    {
        QTest::addColumn<QString>("version");
        QTest::addColumn<QString>("specifiers");
        QTest::addColumn<bool>("fits");
        const auto row = [](const char *version, const char *specifiers, bool fits) {
            QTest::addRow("%s %s", version, specifiers)
                << QString::fromLatin1(version) << QString::fromLatin1(specifiers) << fits;
        };
        row("3.11.2", ">=3.11", true);
        row("3.9.2", ">=3.11", false);
        row("3.11.2", ">=3.9,<3.11", false);
        row("3.11.2", ">=3.9, <3.12", true);
        row("3.11.2", "==3.11.*", true);
        row("3.11.2", "==3.1.*", false);
        row("3.11.2", "!=3.11.*", false);
        row("3.11.0", "==3.11", true);
        row("3.11.2", "~=3.9", true);
        row("3.11.2", "~=3.9.1", false);
        row("3.11.2", "<=3.11", false);
        row("3.13.0rc1", ">3.12", true);
    }
    void versionsOfPythonAreCompared()
    {
        QFETCH(QString, version);
        QFETCH(QString, specifiers);
        QFETCH(bool, fits);
        const auto result = isPythonOf(version, specifiers);
        QVERIFY2(result, result ? "" : qPrintable(result.error().message.english()));
        QCOMPARE(*result, fits);
        QVERIFY(!isPythonOf(version, specifiers + u",x"_s));
    }

    void aLockIsReadAsItWasWritten()
    {
        const PackageLock lock = smallLock();
        const auto read = readPackageLock(toBytes(lock));
        QVERIFY2(read, read ? "" : qPrintable(read.error().message.english()));
        QCOMPARE(*read, lock);
        QCOMPARE(lock.summary().english(), u"branch 1.5 and 1 other"_s);
        QCOMPARE(lock.bytes(), 150);
        QVERIFY(isPackagesId(lock.id()));
    }

    // Code of the package prints what it wants.
    void wordsOfABuildMakeNoFact()
    {
        RunResult result;
        result.id = u"of-the-build"_s;
        result.outcome = Outcome::Failed;
        result.err.head = "No space left on device";
        const LockedPackage package = lockWithBuild().packages.first();
        const auto said = [&] { return buildFailed(result, package, {}).error().message.english(); };
        QCOMPARE(said(), u"The build of branch 1.5 seems to need more disk or more files than it gets. To read what it "
                         "printed: glovebox audit show of-the-build"_s);
        result.outcome = Outcome::DiskLimit;
        QCOMPARE(said(), u"The build of branch 1.5 needs more than 1024 MB of disk. Nothing was installed."_s);
        result.outcome = Outcome::TimedOut;
        QCOMPARE(said(), u"The build of branch 1.5 took longer than 600 seconds. Nothing was installed."_s);
    }

    // The wheel of a build differs each time: source and tools stand for it.
    void aLockOfABuildIsReadAsItWasWritten()
    {
        PackageLock lock = lockWithBuild();
        const QByteArray bytes = toBytes(lock);
        QVERIFY2(!bytes.contains("branch-1.5") && bytes.contains("\"glovebox_lock\":2"), bytes);
        const auto read = readPackageLock(bytes);
        QVERIFY2(read, read ? "" : qPrintable(read.error().message.english()));
        QCOMPARE(read->packages.first().builtFrom, lock.packages.first().builtFrom);
        QCOMPARE(read->packages.first().hash, QString());
        QCOMPARE(toBytes(*read), bytes);
        QCOMPARE(read->bytes(), 7 + 9 + 50);
        lock.packages.first().hash = QString(64, u'e');
        QCOMPARE(lock.id(), read->id());
    }

    void aChangedLockOfABuildIsRefused_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::newRow("another hash") << QByteArray(64, 'c') << QByteArray("short");
        QTest::newRow("no hash of a tool") << QByteArray(64, 'd') << QByteArray();
        QTest::newRow("another tool") << QByteArray("\"name\":\"tool\"") << QByteArray("\"name\":\"t00l\"");
        QTest::newRow("a path") << QByteArray("tool-3.1-py3") << QByteArray("../tool-3.1-py3");
        QTest::newRow("an option as version") << QByteArray("\"1.5\"") << QByteArray("\"1.5 --pre\"");
        QTest::newRow("a path as name") << QByteArray("\"name\":\"branch\"") << QByteArray("\"name\":\"../branch\"");
        QTest::newRow("less than nothing") << QByteArray("\"bytes\":7") << QByteArray("\"bytes\":-7");
        QTest::newRow("a tool of less") << QByteArray("\"bytes\":9") << QByteArray("\"bytes\":-9");
        QTest::newRow("more than there is") << QByteArray("\"bytes\":9") << QByteArray("\"bytes\":9007199254740991");
        QTest::newRow("no source") << QByteArray("\"source\":{") << QByteArray("\"source\":7,\"x\":{");
    }
    void aChangedLockOfABuildIsRefused()
    {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QByteArray bytes = toBytes(lockWithBuild());
        QVERIFY(bytes.contains(from));
        QVERIFY(!readPackageLock(bytes.replace(from, to)));
    }

    void aLockThatSomebodyChangedIsRefused_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::newRow("another hash") << QByteArray(64, 'a') << QByteArray("short");
        QTest::newRow("an option as hash") << QByteArray(64, 'a') << QByteArray("00 --index-url=https://evil.test");
        QTest::newRow("another name") << QByteArray("\"name\":\"leaf\"") << QByteArray("\"name\":\"l3af\"");
        QTest::newRow("another version") << QByteArray("\"version\":\"2.0\"") << QByteArray("\"version\":\"2.1\"");
        QTest::newRow("a path") << QByteArray("leaf-2.0-py3") << QByteArray("../leaf-2.0-py3");
        QTest::newRow("no order") << QByteArray("branch") << QByteArray("z");
        QTest::newRow("another language")
            << QByteArray("\"language\":\"python\"") << QByteArray("\"language\":\"node\"");
        QTest::newRow("no version") << QByteArray("\"glovebox_lock\":1") << QByteArray("\"glovebox_lock\":0");
        QTest::newRow("a newer version") << QByteArray("\"glovebox_lock\":1") << QByteArray("\"glovebox_lock\":4");
        QTest::newRow("an option as requirement") << QByteArray("[\"branch\"]") << QByteArray("[\"--pre\"]");
        QTest::newRow("escapes in a requirement") << QByteArray("[\"branch\"]") << QByteArray("[\"branch\\u001b[2J\"]");
        QTest::newRow("no index") << QByteArray("https://pypi.org/simple") << QByteArray("file:///etc");
        QTest::newRow("a line as Python")
            << QByteArray("\"python\":\"3.11\"") << QByteArray("\"python\":\"3.11\\nhome = /work\"");
        QTest::newRow("a line break after Python")
            << QByteArray("\"python\":\"3.11\"") << QByteArray("\"python\":\"3.11\\n\"");
        QTest::newRow("a line break after a file") << QByteArray("any.whl\"") << QByteArray("any.whl\\n\"");
        QTest::newRow("less than nothing") << QByteArray("\"bytes\":100") << QByteArray("\"bytes\":-100");
        QTest::newRow("more than there is") << QByteArray("\"bytes\":100") << QByteArray("\"bytes\":9007199254740991");
        QTest::newRow("no JSON") << QByteArray("{") << QByteArray("[");
    }
    void aLockThatSomebodyChangedIsRefused()
    {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QByteArray bytes = toBytes(smallLock());
        QVERIFY(bytes.contains(from));
        QVERIFY(!readPackageLock(bytes.replace(from, to)));
    }

    void namesThatLookLikeOthersAreTold_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("like");
        QTest::addColumn<QString>("language");
        const auto row = [](const char *name, const char *like, const char *language = "python") {
            QTest::newRow(name) << QString::fromLatin1(name) << QString::fromLatin1(like)
                                << QString::fromLatin1(language);
        };
        // Hostile ones of npm in 2017 (https://blog.npmjs.org/post/163723642530).
        row("crossenv", "cross-env", "node");
        row("cross-env.js", "cross-env", "node");
        row("babelcli", "babel-cli", "node");
        row("d3.js", "d3", "node");
        row("fabric-js", "fabric", "node");
        row("mysqljs", "mysql", "node");
        row("nodemailer.js", "nodemailer", "node");
        row("nodesass", "node-sass", "node");
        row("sqlite.js", "sqlite", "node");
        row("node-fetch", "", "node");
        row("http-proxy-agent", "", "node");
        row("python-requests", "requests");
        row("numpy-py", "numpy");
        row("yaml", "pyyaml");
        row("reqeusts", "requests");
        row("requestss", "requests");
        row("requsts", "requests");
        row("requestz", "requests");
        row("numpyy", "numpy");
        row("beautiful-soup4", "beautifulsoup4");
        row("python-dateuti1", "python-dateutil");
        row("requests", "");
        row("numpy", "");
        row("httpx", ""); // near httpx2? no: a name that is known is itself
        row("my-company-tools", "");
        row("sux", ""); // near "six", but so are many of three letters
    }
    void namesThatLookLikeOthersAreTold()
    {
        QFETCH(QString, name);
        QFETCH(QString, like);
        QFETCH(QString, language);
        const QList<Text> doubts = doubtsAbout({name}, language);
        QCOMPARE(doubts.size(), like.isEmpty() ? 0 : 1);
        QVERIFY(like.isEmpty() || doubts.first().english().contains(u'"' + like + u'"'));
    }
};

QTEST_GUILESS_MAIN(TestPackageWords)
#include "tst_packagewords.moc"
