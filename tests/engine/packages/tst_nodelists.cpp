// SPDX-License-Identifier: Apache-2.0
// What npm installs and whose scripts it runs is what people were told, whatever packages and lock files say.
#include "packageengine.h"

#include <QFileInfo>
#include <QJsonDocument>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestNodeLists : public QObject, PackageEngine
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { openWithIndex(u"node"_s, u"registry.py"_s); }
    void cleanupTestCase() { close(); }

    void aLockHidesNoPackage_data()
    {
        QTest::addColumn<QString>("place");
        QTest::addColumn<QJsonObject>("entry");
        QTest::addColumn<QString>("why");
        const QString address = npmRegistry + u"/hidden/-/hidden-1.0.0.tgz"_s, leaf = u"node_modules/leaf"_s,
                      inner = u"node_modules/branch/node_modules/hidden"_s;
        const QJsonObject bundled{{u"version"_s, u"1.0.0"_s}, {u"inBundle"_s, true}};
        QJsonObject addressed = bundled;
        addressed[u"resolved"_s] = address;
        QTest::newRow("an address without a hash")
            << leaf << addressed << u"node_modules/leaf\" names another package"_s;
        QTest::newRow("nothing") << leaf << bundled << u"\"node_modules/leaf\" has no address and no hash."_s;
        QTest::newRow("in a bundler, with an address") << inner << addressed << u"hidden\" has no SHA-512."_s;
        QTest::newRow("in what is no bundler in truth") << inner << bundled << QString();
    }
    void aLockHidesNoPackage()
    {
        if (!hasNpm())
            return;
        QFETCH(QString, place);
        QFETCH(QJsonObject, entry);
        QFETCH(QString, why);
        const InternetLog log;
        const auto forged = forgedLock(u"branch"_s, [&](QJsonObject &packages, QJsonArray &listed) {
            packages[place] = entry;
            QJsonObject branch = packages[u"node_modules/branch"_s].toObject();
            branch[u"bundleDependencies"_s] = QJsonArray{u"hidden"_s};
            branch[u"dependencies"_s] = QJsonObject{{u"hidden"_s, u"1"_s}, {u"leaf"_s, u"^1.0.0"_s}};
            packages[u"node_modules/branch"_s] = branch;
            for (qsizetype i = listed.size() - 1; i >= 0; --i) {
                if (listed[i][u"place"_s] == place)
                    listed.removeAt(i);
            }
        });
        QCOMPARE(forged.has_value(), why.isEmpty());
        if (!forged) {
            QVERIFY2(forged.error().message.english().contains(why), this->why(forged));
            return;
        }
        PackageWish wish = npmWish({});
        wish.locked = *forged;
        const auto installed = install(wish);
        QVERIFY2(installed, this->why(installed));
        QVERIFY(isThere(*installed, u"branch"_s) && !isThere(*installed, u"branch/node_modules/hidden"_s));
    }

    void whoBringsNothingAlongHidesNoPackage()
    {
        if (!hasNpm())
            return;
        const auto installed = install(npmWish(u"promiser"_s));
        QVERIFY2(installed, why(installed));
        QCOMPARE(installed->lock.names(), QStringList{u"promiser 1.0.0"_s});
        QVERIFY(!isThere(*installed, u"hidden"_s) && !isThere(*installed, u"promiser/node_modules/hidden"_s));
    }

    void anAddressIsOfTheNameThatIsListed_data()
    {
        QTest::addColumn<QString>("address");
        QTest::newRow("another") << u"/other/-/other-1.0.0.tgz"_s;
        QTest::newRow("by a way back") << u"/leaf/-/../../other/-/other-1.0.0.tgz"_s;
        QTest::newRow("by a way back, encoded") << u"/leaf/%2e%2e/other/-/other-1.0.0.tgz"_s;
        QTest::newRow("the same in a scope") << u"/@scope/leaf/-/leaf-2.0.0.tgz"_s;
    }
    void anAddressIsOfTheNameThatIsListed()
    {
        if (!hasNpm())
            return;
        QFETCH(QString, address);
        const auto forged = forgedLock(u"leaf"_s, [&](QJsonObject &packages, QJsonArray &) {
            QJsonObject leaf = packages[u"node_modules/leaf"_s].toObject();
            leaf[u"resolved"_s] = npmRegistry + address;
            packages[u"node_modules/leaf"_s] = leaf;
        });
        QVERIFY(!forged);
        QVERIFY2(forged.error().message.english().contains(u"leaf\" names another package."_s), why(forged));
    }

    void aFileIsOfTheNameThatIsListed_data()
    {
        QTest::addColumn<QString>("package");
        QTest::addColumn<QString>("why");
        QTest::newRow("another") << u"misnamed"_s
                                 << u"The file of \"misnamed 1.0.0\" holds another package, \"leaf 1.0.0\". Nothing"_s;
        QTest::newRow("none") << u"nameless"_s
                              << u"A package from registry.npmjs.org is damaged. Nothing was installed."_s;
    }
    void aFileIsOfTheNameThatIsListed()
    {
        if (!hasNpm())
            return;
        QFETCH(QString, package);
        QFETCH(QString, why);
        const auto installed = install(npmWish(package));
        QVERIFY(!installed);
        QVERIFY2(installed.error().message.english().startsWith(why), this->why(installed));
    }

    void noProgramOfAPackageHasANameOfTheSystem()
    {
        if (!hasNpm())
            return;
        const auto installed = installWithScripts(u"shadowed"_s);
        QVERIFY2(installed, why(installed));
        QVERIFY2(!m_results.last()->err.kept().contains("code of shadow"), m_results.last()->err.kept());
        QVERIFY(isThere(*installed, u"shadowed/made"_s));
    }

    void aPermissionIsOfThePackageItself()
    {
        if (!hasNpm())
            return;
        const auto installed = installWithScripts(u"bundler"_s);
        QVERIFY2(installed, why(installed));
        QVERIFY(isThere(*installed, u"bundler/made"_s));
        QVERIFY(isThere(*installed, u"bundler/node_modules/inner/index.js"_s));
        QVERIFY(!isThere(*installed, u"bundler/node_modules/inner/made"_s));
        QCOMPARE(run("console.log(require('bundler'))", *installed)->out.kept(), "inner\n");
    }

    void aProcessThatAScriptLeavesIsNotWaitedFor()
    {
        if (!hasNpm())
            return;
        const auto installed = installWithScripts(u"holder"_s);
        QVERIFY2(installed, why(installed));
    }

private:
    Result<InstalledPackages> installWithScripts(const QString &package)
    {
        PackageWish wish = npmWish(package);
        wish.scripts = {package};
        return install(wish, {.wall = std::chrono::seconds(120)});
    }

    bool isThere(const InstalledPackages &installed, const QString &file) const
    {
        return QFileInfo::exists(base() + u'/' + installed.id + u"/env/node_modules/"_s + file);
    }

    // The lock of a package, after somebody wrote to it.
    template<typename Change> Result<PackageLock> forgedLock(const QString &package, const Change &change)
    {
        ASSIGN_OR_RETURN(const FetchedPackages fetched, m_engine->packages().fetch(npmWish(package)));
        ASSIGN_OR_RETURN(QJsonObject file, parseStrictJson(toBytes(fetched.lock).trimmed()));
        ASSIGN_OR_RETURN(QJsonObject tree, parseStrictJson(file[u"tree"_s].toString().toUtf8()));
        QJsonObject packages = tree[u"packages"_s].toObject();
        QJsonArray listed = file[u"packages"_s].toArray();
        change(packages, listed);
        tree[u"packages"_s] = packages;
        ASSIGN_OR_RETURN(const QByteArray written, canonicalJson(tree));
        file[u"tree"_s] = QString::fromUtf8(written);
        file[u"packages"_s] = listed;
        return readPackageLock(QJsonDocument(file).toJson());
    }
};

GLOVEBOX_INTERNET_TEST_MAIN(TestNodeLists)
#include "tst_nodelists.moc"
