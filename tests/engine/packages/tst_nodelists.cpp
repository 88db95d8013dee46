// SPDX-License-Identifier: Apache-2.0
// What npm installs and whose scripts it runs is what people were told, whatever packages and lock files say.
#include "packageengine.h"

#include <QFileInfo>
#include <QJsonDocument>
#include <QStandardPaths>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestNodeLists : public QObject, PackageEngine
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        openWithIndex(u"node"_s, u"registry.py"_s);
        m_hasNpm = !QStandardPaths::findExecutable(u"npm"_s).isEmpty();
        if (!m_hasNpm) // as in tst_nodepackages
            qWarning("npm is not installed, and not tried.");
    }
    void cleanupTestCase() { close(); }

    void aLockHidesNoPackage_data()
    {
        QTest::addColumn<QString>("place");
        QTest::addColumn<QJsonObject>("entry");
        QTest::addColumn<bool>("isRead");
        const QString address = registry + u"/hidden/-/hidden-1.0.0.tgz"_s, leaf = u"node_modules/leaf"_s,
                      inner = u"node_modules/branch/node_modules/hidden"_s;
        const QJsonObject bundled{{u"version"_s, u"1.0.0"_s}, {u"inBundle"_s, true}};
        QJsonObject addressed = bundled;
        addressed[u"resolved"_s] = address;
        QTest::newRow("an address without a hash") << leaf << addressed << false;
        QTest::newRow("nothing") << leaf << bundled << false;
        QTest::newRow("in a bundler, with an address") << inner << addressed << false;
        QTest::newRow("in what is no bundler in truth") << inner << bundled << true;
    }
    void aLockHidesNoPackage()
    {
        if (!m_hasNpm)
            return;
        QFETCH(QString, place);
        QFETCH(QJsonObject, entry);
        QFETCH(bool, isRead);
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
        QCOMPARE(forged.has_value(), isRead);
        if (!forged)
            return;
        PackageWish wish = wishFor({});
        wish.locked = *forged;
        const auto installed = install(wish);
        QVERIFY2(!installed || !isThere(*installed, u"branch/node_modules/hidden"_s), why(installed));
    }

    void whoBringsNothingAlongHidesNoPackage()
    {
        if (!m_hasNpm)
            return;
        const auto installed = install(wishFor(u"promiser"_s));
        QVERIFY2(installed, why(installed));
        QCOMPARE(installed->lock.names(), QStringList{u"promiser 1.0.0"_s});
        QVERIFY(!isThere(*installed, u"hidden"_s) && !isThere(*installed, u"promiser/node_modules/hidden"_s));
    }

    void anotherPackageIsNotTakenForTheOneThatIsListed()
    {
        if (!m_hasNpm)
            return;
        const auto other = m_engine->packages().fetch(wishFor(u"other"_s));
        QVERIFY2(other, why(other));
        const LockedPackage its = other->lock.packages.first();
        const auto forged = forgedLock(u"leaf"_s, [&](QJsonObject &packages, QJsonArray &listed) {
            QJsonObject leaf = packages[u"node_modules/leaf"_s].toObject();
            leaf[u"resolved"_s] = registry + u"/other/-/other-1.0.0.tgz"_s;
            leaf[u"integrity"_s] = its.hash;
            leaf[u"hasInstallScript"_s] = true;
            packages[u"node_modules/leaf"_s] = leaf;
            QJsonObject shown = listed[0].toObject();
            shown[u"integrity"_s] = its.hash;
            shown[u"bytes"_s] = its.bytes;
            listed[0] = shown;
        });
        QVERIFY2(forged, why(forged));
        PackageWish wish = wishFor({});
        wish.locked = *forged;
        wish.scripts = {u"leaf"_s};
        const auto installed = install(wish);
        QVERIFY(!installed);
        QCOMPARE(installed.error().message.english(),
                 u"The file of \"leaf 2.0.0\" holds another package: \"other 1.0.0\". Nothing was installed."_s);
        QVERIFY(!m_results.last()->err.kept().contains("touch made"));
    }

    void noProgramOfAPackageHasANameOfTheSystem()
    {
        if (!m_hasNpm)
            return;
        const auto installed = installWithScripts(u"shadowed"_s);
        QVERIFY2(installed, why(installed));
        QVERIFY2(!m_results.last()->err.kept().contains("code of shadow"), m_results.last()->err.kept());
        QVERIFY(isThere(*installed, u"shadowed/made"_s));
    }

    void aPermissionIsOfThePackageItself()
    {
        if (!m_hasNpm)
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
        if (!m_hasNpm)
            return;
        const auto installed = installWithScripts(u"holder"_s);
        QVERIFY2(installed, why(installed));
    }

private:
    const QString registry = u"https://registry.npmjs.org/npm"_s;

    PackageWish wishFor(const QString &packages) const
    {
        PackageWish wish;
        wish.language = u"node"_s;
        wish.index = registry;
        if (!packages.isEmpty())
            wish.requirements = readRequirements(packages, wish.language).value();
        return wish;
    }

    Result<InstalledPackages> installWithScripts(const QString &package)
    {
        PackageWish wish = wishFor(package);
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
        ASSIGN_OR_RETURN(const FetchedPackages fetched, m_engine->packages().fetch(wishFor(package)));
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

    bool m_hasNpm = false;
};

GLOVEBOX_INTERNET_TEST_MAIN(TestNodeLists)
#include "tst_nodelists.moc"
