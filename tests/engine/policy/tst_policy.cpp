// SPDX-License-Identifier: Apache-2.0
// A policy is in range, and is the same after it was written and read.
#include "engine/policy/policy.h"

#include <QJsonArray>
#include <QTest>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

using Change = std::function<void(Policy &)>;
Q_DECLARE_METATYPE(Change)

namespace {

Policy everything()
{
    Policy policy;
    policy.limits = {1500ms, 2500ms, 150, 64 * mebibyte, 7, 4096, 32 * mebibyte, 5 * mebibyte, 3 * kibibyte};
    policy.strict = true;
    policy.allow = {u"example.org:443"_s, u"*.example.net"_s};
    policy.folders = {{u"/home/me/data"_s, u"/data"_s, FolderGrant::Mode::ReadOnly},
                      {u"/home/me/src"_s, u"/src"_s, FolderGrant::Mode::Stage},
                      {u"/home/me/out"_s, u"/out"_s, FolderGrant::Mode::ReadWrite}};
    return policy;
}

} // namespace

class TestPolicy : public QObject
{
    Q_OBJECT
private Q_SLOTS:
    void theDefaultGrantsNothing()
    {
        const Policy policy;
        QVERIFY(validate(policy));
        QVERIFY(policy.allow.isEmpty());
        QVERIFY(policy.folders.isEmpty());
    }

    void theJsonIsTheRecordedForm()
    {
        QCOMPARE(
            canonicalJson(toJson(Policy())).value(),
            R"({"backend":"native","folders":[],"limits":{"cpu_ms":null,"cpu_percent":null,"disk_bytes":268435456,)"
            R"("memory_bytes":268435456,"output_bytes":1048576,"processes":64,"wall_ms":30000},)"
            R"("network":{"allow":[],"bandwidth_bytes":null,"traffic_bytes":null},"strict":false})");
        QCOMPARE(
            canonicalJson(toJson(everything())).value(),
            R"({"backend":"native","folders":[{"host":"/home/me/data","mode":"ro","path":"/data"},)"
            R"({"host":"/home/me/src","mode":"stage","path":"/src"},{"host":"/home/me/out","mode":"rw","path":"/out"}],)"
            R"("limits":{"cpu_ms":2500,"cpu_percent":150,"disk_bytes":33554432,"memory_bytes":67108864,"output_bytes":4096,)"
            R"("processes":7,"wall_ms":1500},"network":{"allow":["example.org:443","*.example.net"],"bandwidth_bytes":3072,)"
            R"("traffic_bytes":5242880},"strict":true})");
    }

    void readsWhatItWrote()
    {
        QCOMPARE(policyFromJson(toJson(Policy())).value(), Policy());
        QCOMPARE(policyFromJson(toJson(everything())).value(), everything());
    }

    void readsEntriesFromBeforeTrafficWasLimited()
    {
        QJsonObject old = toJson(everything());
        QJsonObject network = old[u"network"_s].toObject();
        network.remove(u"bandwidth_bytes"_s);
        network.remove(u"traffic_bytes"_s);
        old[u"network"_s] = network;
        Policy expected = everything();
        expected.limits.trafficBytes = expected.limits.bandwidthBytes = std::nullopt;
        QCOMPARE(policyFromJson(old).value(), expected);
        network[u"traffic_bytes"_s] = u"50"_s;
        old[u"network"_s] = network;
        QVERIFY(!policyFromJson(old));
    }

    void readsEntriesFromBeforeThereWasAShare()
    {
        QJsonObject old = toJson(Policy());
        QJsonObject limits = old[u"limits"_s].toObject();
        limits.remove(u"cpu_percent"_s);
        old[u"limits"_s] = limits;
        QCOMPARE(policyFromJson(old).value(), Policy());
        limits[u"cpu_percent"_s] = u"50"_s;
        old[u"limits"_s] = limits;
        QVERIFY(!policyFromJson(old));
    }

    // Digests of what was approved before there were tools stay as they are.
    void toolsAreThereOnlyWhereThereAreAny()
    {
        QVERIFY(!toJson(Policy()).contains(u"tools"_s));
        Policy policy;
        policy.tools = {u"notes.search"_s, u"notes.get-one.v2"_s};
        const QJsonObject written = toJson(policy);
        QCOMPARE(written[u"tools"_s].toArray(), (QJsonArray{u"notes.search"_s, u"notes.get-one.v2"_s}));
        QCOMPARE(policyFromJson(written).value(), policy);
        for (const QJsonValue &wrong :
             {QJsonValue(1), QJsonValue(), QJsonValue(QJsonArray{1}), QJsonValue(QJsonArray{u"notes"_s}),
              QJsonValue(QJsonArray{u"a.b"_s, u"a.b"_s})}) {
            QJsonObject changed = written;
            changed[u"tools"_s] = wrong;
            QVERIFY(!policyFromJson(changed));
        }
        policy.tools.clear();
        for (int i = 0; i <= allowedToolsMax; ++i)
            policy.tools.append(u"notes.t%1"_s.arg(i));
        QVERIFY(!validate(policy));
        policy.tools.removeLast();
        QVERIFY(validate(policy));
    }

    void namesOfToolsHaveAServer()
    {
        for (const QString &name : {u"a.b"_s, u"a1_b.x/y-z.V2"_s, u"a.."_s})
            QCOMPARE(toolNameFrom(name).value().text(), name);
        for (const QString &name :
             {u""_s, u"a"_s, u"a."_s, u".b"_s, u"A.b"_s, u"1.b"_s, u"a b.c"_s, u"a.b c"_s, u"a.b\n"_s, u"\n.a"_s,
              u"a.\u00e4"_s, u"*.b"_s, u"a.*"_s, QString(33, u'a') + u".b"_s, u"a."_s + QString(129, u'b')})
            QVERIFY2(!toolNameFrom(name), qPrintable(name));
    }

    void outOfRangeIsASentenceWithTheRange_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char *name, const Change &change, const QString &sentence) {
            QTest::newRow(name) << change << sentence;
        };
        row(
            "no time", [](Policy &p) { p.limits.wall = 0ms; },
            u"The time limit must be between 0.001 and 3600 seconds, not 0."_s);
        row(
            "two hours", [](Policy &p) { p.limits.wall = 2h; },
            u"The time limit must be between 0.001 and 3600 seconds, not 7200."_s);
        row(
            "negative", [](Policy &p) { p.limits.wall = -5s; },
            u"The time limit must be between 0.001 and 3600 seconds, not -5."_s);
        row(
            "cpu", [](Policy &p) { p.limits.cpu = 10ms; },
            u"The processor time limit must be between 1 and 86400 seconds, not 0.01."_s);
        row(
            "cpu share", [](Policy &p) { p.limits.cpuPercent = 0; },
            u"The processor share must be between 1 and 102400 percent, not 0."_s);
        row(
            "memory", [](Policy &p) { p.limits.memoryBytes = 1 * mebibyte; },
            u"The memory limit must be between 16 and 1048576 MB, not 1."_s);
        row(
            "processes", [](Policy &p) { p.limits.processes = 0; },
            u"The number of processes must be between 1 and 32768, not 0."_s);
        row(
            "output", [](Policy &p) { p.limits.outputBytes = -1; },
            u"The output limit must be between 0 and 1073741824 bytes, not -1."_s);
        row(
            "disk", [](Policy &p) { p.limits.diskBytes = 0; },
            u"The disk limit must be between 1 and 1048576 MB, not 0."_s);
        const auto folderRow = [&](const char *name, const QString &host, const QString &path,
                                   const QString &sentence) {
            row(name, [=](Policy &p) { p.folders = {{host, path, FolderGrant::Mode::ReadOnly}}; }, sentence);
        };
        folderRow("relative host", u"data"_s, u"/mnt"_s,
                  u"A folder of this machine is named by its absolute path, not \"data\"."_s);
        const QString own = u"The sandbox has its own \"%1\". Show the folder somewhere else, for example at /mnt or "
                            "below /work."_s;
        for (const char *path :
             {"/", "/usr", "/usr/share/x", "/etc/ssl", "/proc", "/proc/1", "/dev/shm", "/sys/x", "/run/glovebox",
              "/run/home", "/run/homes/x", "/lib64/x", "/work", "/tmp", "/var", "/var/tmp", "/scratch/work", "/.dev"})
            folderRow(path, u"/srv/x"_s, QString::fromLatin1(path), own.arg(QString::fromLatin1(path)));
        const QString plain = u"The path \"%1\" can't be a folder in a run. Give an absolute path of at most "
                              "16 short names, without \".\", \"..\" and control characters."_s;
        for (const char *path : {"", "mnt", "/mnt/../usr", "/mnt/..", "/mnt/.", "/mnt//x", "/mnt/", "/mnt/a\nb",
                                 "//usr", "/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a"})
            folderRow(path, u"/srv/x"_s, QString::fromLatin1(path), plain.arg(QString::fromLatin1(path)));
        const QString longName = u"/mnt/"_s + QString(128, u'ä'); // 256 bytes
        folderRow("a long name", u"/srv/x"_s, longName, plain.arg(longName));
        row(
            "one over the other",
            [](Policy &p) { p.folders = {{u"/a"_s, u"/mnt/x"_s}, {u"/b"_s, u"/mnt/xy"_s}, {u"/c"_s, u"/mnt/x/y"_s}}; },
            u"\"/mnt/x\" and \"/mnt/x/y\" would overlap in the run. Give each folder a place of its own."_s);
        row(
            "many folders",
            [](Policy &p) {
                for (int i = 0; i < 33; ++i)
                    p.folders.append({u"/a"_s, u"/mnt/%1"_s.arg(i)});
            },
            u"A run can be shown at most 32 folders, not 33."_s);
        row(
            "traffic", [](Policy &p) { p.limits.trafficBytes = 0; },
            u"The limit of traffic must be between 1 and 1048576 MB, not 0."_s);
        row(
            "bandwidth", [](Policy &p) { p.limits.bandwidthBytes = 2048 * mebibyte; },
            u"The limit of bandwidth must be between 1 and 1048576 KB a second, not 2097152."_s);
    }
    void outOfRangeIsASentenceWithTheRange()
    {
        QFETCH(Change, change);
        QFETCH(QString, sentence);
        Policy policy;
        change(policy);
        const auto status = validate(policy);
        QVERIFY(!status);
        QCOMPARE(status.error().code, ErrorCode::InvalidInput);
        QCOMPARE(status.error().message.english(), sentence);
        QVERIFY(!policyFromJson(toJson(policy)));
    }

    void theEndsOfTheRangesAreIn()
    {
        Policy policy;
        policy.limits = {LimitRange::wallMin,   LimitRange::cpuMin,       LimitRange::cpuPercentMin,
                         LimitRange::memoryMin, LimitRange::processesMin, LimitRange::outputMin,
                         LimitRange::diskMin,   LimitRange::trafficMin,   LimitRange::bandwidthMin};
        QVERIFY(validate(policy));
        policy.limits = {LimitRange::wallMax,   LimitRange::cpuMax,       LimitRange::cpuPercentMax,
                         LimitRange::memoryMax, LimitRange::processesMax, LimitRange::outputMax,
                         LimitRange::diskMax,   LimitRange::trafficMax,   LimitRange::bandwidthMax};
        QVERIFY(validate(policy));
    }

    void aFolderMayBeShownInTheRunsHome()
    {
        Policy policy;
        policy.folders = {{u"/srv/x"_s, u"/run/home/.cache/models"_s}};
        QVERIFY(validate(policy));
        policy.folders.first().path = u"/run/home/../glovebox"_s;
        QVERIFY(!validate(policy));
    }

    void onlyAJobTakesHours()
    {
        Policy policy;
        policy.limits.wall = std::chrono::hours(24);
        QVERIFY(!validate(policy));
        QVERIFY(validate(policy, LimitRange::jobWallMax));
        QCOMPARE(policyFromJson(toJson(policy), LimitRange::jobWallMax)->limits.wall, std::chrono::hours(24));
        policy.limits.wall += std::chrono::milliseconds(1);
        QVERIFY(!validate(policy, LimitRange::jobWallMax));
    }

    void aFieldMoreOrLessIsRefused()
    {
        const QJsonObject whole = toJson(everything());
        for (const QString &key : whole.keys()) {
            QJsonObject less = whole;
            less.remove(key);
            QVERIFY2(!policyFromJson(less), qPrintable(key));
            QJsonObject wrong = whole;
            wrong[key] = 1;
            QVERIFY2(!policyFromJson(wrong), qPrintable(key));
        }
        for (const QString &key : {u"limits"_s, u"network"_s}) {
            const QJsonObject part = whole[key].toObject();
            for (const QString &name : part.keys()) {
                QJsonObject less = part;
                less.remove(name);
                QJsonObject changed = whole;
                changed[key] = less;
                const bool mayBeMissing =
                    QStringList{u"cpu_percent"_s, u"bandwidth_bytes"_s, u"traffic_bytes"_s}.contains(name);
                QVERIFY2(policyFromJson(changed).has_value() == mayBeMissing, qPrintable(name));
            }
            QJsonObject more = part;
            more[u"more"_s] = 1;
            QJsonObject changed = whole;
            changed[key] = more;
            const auto policy = policyFromJson(changed);
            QVERIFY(!policy);
            QVERIFY(policy.error().message.english().contains(key + u".more"_s));
        }
        QJsonObject more = whole;
        more[u"network2"_s] = QJsonObject();
        QVERIFY(!policyFromJson(more));
    }

    void brokenValuesInsideAreRefused()
    {
        const auto with = [](const QString &key, const QJsonValue &value) {
            QJsonObject object = toJson(everything());
            object[key] = value;
            return policyFromJson(object);
        };
        QJsonObject limits = toJson(Policy())[u"limits"_s].toObject();
        limits[u"processes"_s] = qint64(0x1'0000'0001); // 1 when cut to 32 bits
        QVERIFY(!with(u"limits"_s, limits));
        limits[u"processes"_s] = 1.5;
        QVERIFY(!with(u"limits"_s, limits));
        QVERIFY(!with(u"network"_s, QJsonObject{{u"allow"_s, QJsonArray{1}}}));
        QVERIFY(!with(u"folders"_s, QJsonArray{1}));
        QVERIFY(!with(u"folders"_s,
                      QJsonArray{QJsonObject{{u"host"_s, u"/a"_s}, {u"path"_s, u"/b"_s}, {u"mode"_s, u"all"_s}}}));
        QVERIFY(with(u"folders"_s,
                     QJsonArray{QJsonObject{{u"host"_s, u"/a"_s}, {u"path"_s, u"/b"_s}, {u"mode"_s, u"rw"_s}}}));
    }

    void callersAreWritten()
    {
        QCOMPARE(canonicalJson(toJson(Caller{Caller::Kind::Mcp, 7, u"node"_s, u"Editor"_s})).value(),
                 R"({"claimed":"Editor","kind":"mcp","pid":7,"program":"node"})");
        QCOMPARE(canonicalJson(toJson(Caller())).value(), R"({"claimed":null,"kind":"cli","pid":null,"program":null})");
    }
};

QTEST_GUILESS_MAIN(TestPolicy)
#include "tst_policy.moc"
