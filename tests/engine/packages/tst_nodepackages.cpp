// SPDX-License-Identifier: Apache-2.0
// Node.js packages for real: from a registry in the test internet, by npm in a real sandbox. Nothing of a package runs meanwhile.
#include "packageengine.h"

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>

#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestNodePackages : public QObject, PackageEngine
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { openWithIndex(u"node"_s, u"registry.py"_s); }
    void cleanupTestCase() { close(); }

    void requireAndImportFindThem()
    {
        if (!hasNpm())
            return;
        const auto installed = install(npmWish(u"branch leaf@2 @scope/module"_s));
        QVERIFY2(installed, why(installed));
        QCOMPARE(installed->lock.names(), (QStringList{u"@scope/module 3.0.0"_s, u"branch 1.5.0"_s, u"leaf 2.0.0"_s,
                                                       u"leaf 1.0.0"_s})); // of branch
        QCOMPARE(m_results.size(), 2);
        for (const EgressAttempt &attempt : m_results[0]->egress)
            QCOMPARE(attempt.host, u"registry.npmjs.org"_s);
        QVERIFY(!m_results[0]->egress.isEmpty() && m_results[1]->egress.isEmpty());
        QCOMPARE(run("console.log(require('branch'), '+', require('leaf'))", *installed)->out.kept(),
                 "branch on leaf 1.0.0 + leaf 2.0.0\n");
        const auto module =
            run("import text from '@scope/module';\nimport leaf from 'leaf';\nconsole.log(text, leaf);\n", *installed);
        QVERIFY2(module->out.kept() == "a module leaf 2.0.0\n", module->err.kept());
        const auto written = run("const fs = require('fs');\n"
                                 "for (const file of ['/node_modules/new', require.resolve('leaf')])\n"
                                 "    try { fs.writeFileSync(file, 'x'); } catch (error) { console.log(error.code); }\n"
                                 "try { fs.unlinkSync('/node_modules'); } catch (error) { console.log(error.code); }\n",
                                 *installed);
        for (const QByteArray &code : written->out.kept().trimmed().split('\n'))
            QVERIFY2(code == "EROFS" || code == "EACCES", written->out.kept());
        QCOMPARE(written->out.kept().count('\n'), 3);
        QVERIFY(run("console.log(require('fs').existsSync('/node_modules'))", {})->out.kept() == "false\n");
        QVERIFY(m_engine->sessions().list().value().isEmpty());
    }

    void noScriptOfAPackageRuns()
    {
        if (!hasNpm())
            return;
        const auto fetched = m_engine->packages().fetch(npmWish(u"scripted leaf"_s));
        QVERIFY2(fetched, why(fetched));
        QCOMPARE(fetched->scripted, QStringList{u"scripted"_s});
        QVERIFY(fetched->doubts.isEmpty());
        PackageWish again = npmWish({});
        again.locked = readPackageLock(toBytes(fetched->lock)).value();
        const auto byLock = m_engine->packages().fetch(again);
        QVERIFY2(byLock, why(byLock));
        QCOMPARE(byLock->scripted, fetched->scripted);
        const auto installed = install(npmWish(u"scripted"_s));
        QVERIFY2(installed, why(installed));
        QCOMPARE(run("console.log(require('scripted'), require('fs').readdirSync('/node_modules/scripted').join())",
                     *installed)
                     ->out.kept(),
                 "scripted 1.0.0 index.js,package.json\n");
    }

    void scriptsRunOfPackagesThatAreNamed()
    {
        if (!hasNpm())
            return;
        PackageWish wish = npmWish(u"compiled"_s);
        const auto without = install(wish);
        QVERIFY2(without, why(without));
        QVERIFY(run("require('compiled')", *without)->err.kept().contains("Cannot find module './made.js'"));
        wish.scripts = {u"compiled"_s, u"leaf"_s};
        QVERIFY(!*m_engine->packages().find(wish)); // what is there had none of its scripts run
        const auto fetched = m_engine->packages().fetch(wish);
        QVERIFY2(fetched, why(fetched));
        QCOMPARE(fetched->lock.scripts(), QStringList{u"compiled 1.0.0"_s});
        QCOMPARE(fetched->scripted, QStringList{u"scripted"_s});
        const auto installed = install(wish);
        QVERIFY2(installed, why(installed));
        QVERIFY(installed->id != without->id);
        QCOMPARE(m_results.size(), 2);
        for (const EgressAttempt &attempt : m_results[1]->egress) // the script tried
            QVERIFY(attempt.verdict == EgressAttempt::Verdict::Denied);
        const QByteArray printed = m_results[1]->err.kept();
        QVERIFY2(printed.contains("compiled is first\n") && printed.contains("no network: "), printed);
        const bool listsNothing =
            printed.contains("/root E") || printed.contains("/root \n"); // a watched place is empty
        QVERIFY2(listsNothing && printed.contains("/.npmrc E"), printed);
        const QByteArray code =
            "const fs = require('fs'), folder = '/node_modules/compiled';\n"
            "const run = (file) => require('child_process').execFileSync(file, {encoding: 'utf8'}).trim();\n"
            "console.log([require('compiled'), fs.readFileSync(folder + '/by-tool', 'utf8').trim(),\n"
            "             run(folder + '/program'), run(folder + '/linked'), fs.existsSync(folder + '/network'),\n"
            "             fs.existsSync('/node_modules/.bin'), "
            "fs.existsSync('/node_modules/scripted/OWNED')].join());\n";
        const auto used = run(code, *installed);
        QVERIFY2(used->out.kept() == "made beside leaf 1.0.0,made by a tool,a program,a program,false,false,false\n",
                 used->out.kept() + used->err.kept());
        // Whoever names nothing later gets what is there.
        const auto found = m_engine->packages().find(npmWish(u"compiled"_s));
        QVERIFY(found && *found);
        QCOMPARE((*found)->id, installed->id);
        QStringList onRecord;
        const auto reader = m_engine->auditReader();
        const auto entries = (*reader)->entries(1, 10'000);
        for (const StoredEntry &stored : *entries) {
            const auto entry = parseStrictJson(stored.json);
            for (const auto package :
                 (*entry)[u"packages"_s] == installed->id ? (*entry)[u"wheels"_s].toArray() : QJsonArray())
                if (package[u"scripts"_s].toBool())
                    onRecord.append(package[u"name"_s].toString());
        }
        QCOMPARE(onRecord, QStringList{u"compiled"_s});
    }

    void aLockSaysWhoseScriptsRan()
    {
        if (!hasNpm())
            return;
        PackageWish wish = npmWish(u"compiled"_s);
        wish.scripts = {u"compiled"_s};
        const auto fetched = m_engine->packages().fetch(wish);
        QVERIFY2(fetched, why(fetched));
        const QByteArray file = toBytes(fetched->lock);
        QVERIFY2(file.contains("\"glovebox_lock\":3"), file);
        const auto read = readPackageLock(file);
        QVERIFY2(read, why(read));
        QCOMPARE(*read, fetched->lock);
        // Another's word is none of the person's.
        PackageWish repeated = npmWish({});
        repeated.locked = *read;
        const auto refused = m_engine->packages().fetch(repeated);
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.english().contains(u"add --allow-scripts compiled."_s), why(refused));
        repeated.scripts = {u"compiled"_s};
        const auto allowed = m_engine->packages().fetch(repeated);
        QVERIFY2(allowed, why(allowed));
        QCOMPARE(allowed->lock, fetched->lock);
        // The person's own word also holds for a lock that leaves the scripts out; its packages stay the same.
        for (LockedPackage &package : repeated.locked->packages)
            package.runsScripts = false;
        const auto permitted = m_engine->packages().fetch(repeated);
        QVERIFY2(permitted, why(permitted));
        QCOMPARE(permitted->lock, fetched->lock);
        QVERIFY(!permitted->scripted.contains(u"compiled"_s));
        QByteArray forged = file; // a script of a package that has none
        const qsizetype leaf = forged.indexOf("\"name\":\"leaf\"");
        QVERIFY(leaf > 0);
        forged.insert(forged.indexOf("\"version\"", leaf), "\"scripts\":true,");
        QVERIFY(!readPackageLock(forged));
        // A session that has them has their scripts run again.
        InstalledPackages installed{
            .id = QString(64, u'0'), .interpreter = fetched->interpreter, .lock = fetched->lock};
        QCOMPARE(again(ofSession(installed), m_engine->caller()).value().scripts, QStringList{u"compiled"_s});
        QCOMPARE(addedTo(ofSession(installed), npmWish(u"leaf"_s), SameName::Both).value().scripts,
                 QStringList{u"compiled"_s});
    }

    // Whatever a script does, it ends with its run.
    void aHostileScriptLeavesNothing_data()
    {
        QTest::addColumn<QString>("package");
        QTest::addColumn<QString>("why");
        const auto row = [](const char *package, const char *why) {
            QTest::newRow(package) << QString::fromLatin1(package) << QString::fromLatin1(why);
        };
        row("brittle", "The install script of \"brittle\" failed or left what can't be used. Nothing was installed. To "
                       "read what it printed: ");
        row("excuse", "The install script of \"excuse\" failed or left what can't be used.");
        row("slow-script", "Packages of registry.npmjs.org took longer than 10 seconds. Nothing was installed.");
        row("linking", "The packages unpack to \"node_modules/linking/passwords\", which no package may have.");
        row("greedy",
            "The packages need more than 16 MB, or too many files, while they are installed. Nothing was installed.");
        row("killer", "");
        row("locker", "The install script of \"locker\" failed or left what can't be used.");
        row("liar", "");
        row("planter", "The packages unpack to \"bin\", which no package may have.");
    }
    void aHostileScriptLeavesNothing()
    {
        if (!hasNpm())
            return;
        QFETCH(QString, package);
        QFETCH(QString, why);
        const QStringList before = QDir(base()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden);
        PackageWish wish = npmWish(package);
        wish.scripts = {package};
        const std::chrono::seconds wall(package == u"slow-script"_s ? 10 : 120);
        const auto installed = install(wish, {.diskBytes = 16 * mebibyte, .wall = wall});
        QVERIFY(!installed);
        QVERIFY2(installed.error().message.english().startsWith(why), this->why(installed));
        QCOMPARE(QDir(base()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden), before);
        QVERIFY(m_engine->sessions().list().value().isEmpty());
        QVERIFY(!*m_engine->packages().find(wish));
    }

    void aScriptMayPrintALot()
    {
        if (!hasNpm())
            return;
        PackageWish wish = npmWish(u"chatty"_s);
        wish.scripts = {u"chatty"_s};
        const auto installed = install(wish);
        QVERIFY2(installed, why(installed));
        QCOMPARE(installed->lock.scripts(), QStringList{u"chatty 1.0.0"_s});
    }

    // npm leaves out what climbs and what links; whatever it did, nothing but plain files of packages arrives.
    void nothingIsOutsideOfItsPackage_data()
    {
        QTest::addColumn<QString>("package");
        QTest::newRow("climber") << u"climber"_s;
        QTest::newRow("linker") << u"linker"_s;
    }
    void nothingIsOutsideOfItsPackage()
    {
        if (!hasNpm())
            return;
        QFETCH(QString, package);
        const auto installed = install(npmWish(package));
        QVERIFY2(installed, why(installed));
        const QString env = base() + u'/' + installed->id + u"/env"_s;
        const auto all = QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden | QDir::System;
        QCOMPARE(QDir(env).entryList(all), QStringList{u"node_modules"_s});
        QCOMPARE(QDir(env + u"/node_modules"_s).entryList(all), QStringList{package});
        QVERIFY(!QFileInfo(env + u"/node_modules/"_s + package + u"/passwords"_s).isSymLink());
        QCOMPARE(QFile::permissions(env + u"/node_modules/"_s + package + u"/index.js"_s) & QFile::WriteOther,
                 QFile::Permissions());
    }

    void onePackageHasOneVersion()
    {
        if (!hasNpm())
            return;
        const auto fetched = m_engine->packages().fetch(npmWish(u"leaf@1 branch leaf@^1.0.0"_s));
        QVERIFY(!fetched);
        QCOMPARE(fetched.error().message.english(),
                 u"\"leaf@1\" and \"leaf@^1.0.0\" are one package in two versions. Name one of them."_s);
    }

    void whatCantBeInstalledLeavesNothing_data()
    {
        QTest::addColumn<QString>("packages");
        QTest::addColumn<QString>("why");
        const auto row = [](const char *packages, const char *why) {
            QTest::newRow(packages) << QString::fromLatin1(packages) << QString::fromLatin1(why);
        };
        row("nosuchthing", "registry.npmjs.org has no package \"nosuchthing\". Check its name.");
        row("withdrawn", "registry.npmjs.org has no package \"withdrawn\". Check its name.");
        row("leaf@7", "registry.npmjs.org has no such version of \"leaf\".");
        row("old-branch new-branch", "These packages can't be installed together: \"");
        row("wronghash", "registry.npmjs.org sent a file with another hash than the one announced.");
        row("elsewhere", "");
        row("gitted", "");
        row("gitted-here", "The packages can't be installed. npm says: \"");
        row("tarred", "");
        row("filed", "");
        row("bomb", "The packages need more than 16 MB, or too many files, while they are installed.");
    }
    void whatCantBeInstalledLeavesNothing()
    {
        if (!hasNpm())
            return;
        QFETCH(QString, packages);
        QFETCH(QString, why);
        const QStringList before = QDir(base()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden);
        const InternetLog log;
        const PackageWish wish = npmWish(packages);
        const auto installed = install(wish, {.diskBytes = 16 * mebibyte, .silence = std::chrono::seconds(1)});
        QVERIFY(!installed);
        QVERIFY2(installed.error().message.english().startsWith(why), this->why(installed));
        QCOMPARE(QDir(base()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden), before);
        QVERIFY(m_engine->sessions().list().value().isEmpty());
        QVERIFY(!*m_engine->packages().find(wish));
        const QByteArray seen = log.lines().join('\n');
        QVERIFY2(!seen.contains("denied.test") && !seen.contains("x.git"), seen);
    }

    void aRegistryThatHangsIsGivenUp()
    {
        if (!hasNpm())
            return;
        PackageWish wish = npmWish(u"leaf"_s);
        wish.index = u"https://registry.npmjs.org/silent"_s;
        const auto installed = install(wish, {.silence = std::chrono::seconds(1)});
        QVERIFY(!installed);
        QVERIFY2(installed.error().message.english()
                     == u"registry.npmjs.org stopped answering for 1 seconds. Try again later."_s,
                 why(installed));
    }

    void aLockIsRepeatedExactly()
    {
        if (!hasNpm())
            return;
        const auto first = install(npmWish(u"branch"_s));
        QVERIFY2(first, why(first));
        const QByteArray file = toBytes(first->lock);
        const auto read = readPackageLock(file);
        QVERIFY2(read, why(read));
        QCOMPARE(*read, first->lock);
        QVERIFY(removeTree(base() + u'/' + first->id));
        PackageWish wish = npmWish({});
        wish.locked = *read;
        const auto repeated = install(wish);
        QVERIFY2(repeated, why(repeated));
        QCOMPARE(repeated->id, first->id);
        QCOMPARE(run("console.log(require('branch'))", *repeated)->out.kept(), "branch on leaf 1.0.0\n");

        // What a person reads in it is what npm gets.
        for (const auto &[from, to] :
             {std::pair<QByteArray, QByteArray>("\"version\":\"1.5.0\"", "\"version\":\"1.4.0\""),
              {"registry.npmjs.org/npm/branch", "user:x@registry.npmjs.org/npm/branch"},
              {"https://registry.npmjs.org/npm/leaf", "git+https://registry.npmjs.org/npm/leaf"},
              {"node_modules/branch", "node_modules/../branch"}}) {
            QByteArray forged = file;
            const qsizetype at = forged.indexOf(from);
            QVERIFY2(at >= 0, from);
            forged.replace(at, from.size(), to);
            QVERIFY2(!readPackageLock(forged), to);
        }
        QByteArray forged = file;
        const QByteArray hash = first->lock.packages.first().hash.toLatin1();
        forged.replace(hash, "sha512-" + QByteArray(86, 'A') + "==");
        wish.locked = readPackageLock(forged).value();
        const auto refused = install(wish);
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.english().contains(u"another hash"_s), why(refused));
    }

    void newAndDoubtfulNamesAreTold()
    {
        if (!hasNpm())
            return;
        const auto fetched = m_engine->packages().fetch(npmWish(u"loadsh"_s));
        QVERIFY2(fetched, why(fetched));
        QCOMPARE(fetched->newNames, QStringList{u"loadsh"_s});
        QCOMPARE(fetched->doubts.value(0).args.value(1), u"lodash"_s);
    }

    void namesAreReadStrictly()
    {
        for (const char *good : {"lodash", "lodash@4", "@types/node@^20.1", "a@>=1", "a@latest", "a@1.x||2"})
            QVERIFY2(readRequirement(QString::fromLatin1(good), u"node"_s), good);
        for (const char *bad : {"",
                                "-g",
                                "--registry=x",
                                "../x",
                                "./x",
                                "/etc",
                                "a@file:/etc",
                                "a@npm:b",
                                "git+https://x/y",
                                "user/repo",
                                "a@user/repo",
                                "https://x/y.tgz",
                                "a b",
                                "A",
                                "a@",
                                "@x",
                                "@x/",
                                "node_modules",
                                "a@1;b",
                                "a@$(x)"})
            QVERIFY2(!readRequirement(QString::fromLatin1(bad), u"node"_s), bad);
    }
};

GLOVEBOX_INTERNET_TEST_MAIN(TestNodePackages)
#include "tst_nodepackages.moc"
