// SPDX-License-Identifier: Apache-2.0
// Profiles: what they set over a policy, and the file that they are in.
#include "engine/settings/settings.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

QJsonObject object(const char *json)
{
    return QJsonDocument::fromJson(json).object();
}

} // namespace

class TestProfiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_paths.config = m_folder->filePath(u"config"_s);
        m_profiles = std::make_unique<Profiles>(m_paths);
    }

    void whatAProfileSetsHoldsAndTheRestIsAsBefore()
    {
        Policy usual;
        usual.limits.cpu = std::chrono::seconds(9);
        usual.limits.processes = 5;
        usual.allow = {u"a.example.org"_s};
        usual.strict = true;
        const Profile profile{u"x"_s, object(R"({"limits":{"memory_bytes":1073741824,"cpu_ms":null},
            "network":{"allow":["b.example.org","a.example.org"],"traffic_bytes":1048576},"strict":false})")};
        const auto policy = profile.on(usual);
        QVERIFY2(policy, policy ? "" : qPrintable(policy.error().message.english()));
        Policy wanted = usual;
        wanted.limits.memoryBytes = 1024 * mebibyte;
        wanted.limits.cpu.reset();
        wanted.limits.trafficBytes = mebibyte;
        wanted.allow = QStringList{u"a.example.org"_s, u"b.example.org"_s};
        QCOMPARE(*policy, wanted); // strict still
        QVERIFY(Profile({}, object(R"({"strict":true})")).on(Policy())->strict);
    }

    void whatNoProfileCanSetIsRefused_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::newRow("another field") << QByteArray(R"({"backend":"none"})");
        QTest::newRow("folders") << QByteArray(R"({"folders":[{"host":"/","path":"/x","mode":"rw"}]})");
        QTest::newRow("tools") << QByteArray(R"({"tools":["a.b"]})");
        QTest::newRow("another limit") << QByteArray(R"({"limits":{"memory":1}})");
        QTest::newRow("out of range") << QByteArray(R"({"limits":{"memory_bytes":1}})");
        QTest::newRow("a text") << QByteArray(R"({"limits":{"memory_bytes":"1G"}})");
        QTest::newRow("no object") << QByteArray(R"({"limits":[]})");
        QTest::newRow("hosts as a text") << QByteArray(R"({"network":{"allow":"pypi.org"}})");
        QTest::newRow("a host that is a number") << QByteArray(R"({"network":{"allow":[1]}})");
        QTest::newRow("strict as a text") << QByteArray(R"({"strict":"yes"})");
    }

    void whatNoProfileCanSetIsRefused()
    {
        QFETCH(const QByteArray, json);
        const Profile profile{u"x"_s, object(json.constData())};
        QVERIFY(!profile.on(Policy()));
        QVERIFY(!m_profiles->save(profile));
        QVERIFY(!QFile::exists(m_profiles->file()));
        writeFile(R"({"profiles":{"x":)" + json + R"(,"y":{}}})");
        const auto found = m_profiles->find(u"x"_s);
        QVERIFY(!found);
        QVERIFY2(found.error().message.english().contains(m_profiles->file()),
                 qPrintable(found.error().message.english()));
        QVERIFY(m_profiles->find(u"y"_s)); // the other one can still be used
        QVERIFY(m_profiles->remove(u"x"_s));
        QCOMPARE(m_profiles->list()->size(), 1);
    }

    void aSavedOneIsThereForTheNextProgram()
    {
        const Profile dots{u"a.b. c"_s, object(R"({"limits":{"processes":3}})")};
        const Profile other{u"ä"_s, object(R"({"strict":true})")};
        QVERIFY(m_profiles->save(dots));
        QVERIFY(m_profiles->save(other));
        QCOMPARE(Profiles(m_paths).list().value(), (QList<Profile>{dots, other}));
        QCOMPARE(Profiles(m_paths).find(u"a.b. c"_s).value(), dots);
        struct stat file{};
        QCOMPARE(::stat(QFile::encodeName(m_profiles->file()).constData(), &file), 0);
        QCOMPARE(file.st_mode & 0777U, 0600U);
        QVERIFY(m_profiles->save({u"ä"_s, object(R"({"limits":{"processes":4}})")}));
        QCOMPARE(m_profiles->list()->size(), 2);
        QVERIFY(m_profiles->remove(u"a.b. c"_s));
        QCOMPARE(m_profiles->list()->first().name, u"ä"_s);
    }

    void anUnknownNameSaysWhichWasMeant()
    {
        QVERIFY(m_profiles->save({u"large"_s, {}}));
        for (const auto &answer :
             {Status(std::unexpected(m_profiles->find(u"lareg"_s).error())), m_profiles->remove(u"lareg"_s)}) {
            QCOMPARE(answer.error().code, ErrorCode::NotFound);
            QCOMPARE(answer.error().message.english(), u"Unknown profile \"lareg\". Did you mean \"large\"?"_s);
        }
    }

    void namesThatCannotBeSeenAreRefused()
    {
        for (const QString &name : {QString(), u" a"_s, u"a\nb"_s, u"a\u202eb"_s, u"a\u200bb"_s, QString(65, u'a')})
            QCOMPARE(m_profiles->save({name, {}}).error().code, ErrorCode::InvalidInput);
        QVERIFY(m_profiles->save({QString(64, u'a'), {}}));
    }

    void aFileThatOthersCanWriteIsNotObeyed()
    {
        QVERIFY(m_profiles->save({u"x"_s, {}}));
        QCOMPARE(::chmod(QFile::encodeName(m_profiles->file()).constData(), 0666), 0);
        QVERIFY(!m_profiles->list());
        QVERIFY(!m_profiles->find(u"x"_s));
        QVERIFY(!m_profiles->save({u"y"_s, {}}));
    }

    void aFileThatIsNotValidStaysAsItIs_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("no JSON") << QByteArray("{");
        QTest::newRow("twice") << QByteArray(R"({"profiles":{"a":{},"a":{"strict":true}}})");
        QTest::newRow("another group") << QByteArray(R"({"profile":{}})");
        QTest::newRow("no object") << QByteArray(R"({"profiles":[]})");
        QTest::newRow("a profile that is none") << QByteArray(R"({"profiles":{"a":5}})");
    }

    void aFileThatIsNotValidStaysAsItIs()
    {
        QFETCH(const QByteArray, content);
        writeFile(content);
        QVERIFY(!m_profiles->list());
        QVERIFY(!m_profiles->find(u"a"_s));
        QVERIFY(!m_profiles->save({u"b"_s, {}}));
        QFile file(m_profiles->file());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), content);
    }

private:
    void writeFile(const QByteArray &content) const
    {
        QVERIFY(QDir().mkpath(m_paths.config));
        QFile file(m_profiles->file());
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    Paths m_paths;
    std::unique_ptr<Profiles> m_profiles;
};

QTEST_GUILESS_MAIN(TestProfiles)
#include "tst_profiles.moc"
