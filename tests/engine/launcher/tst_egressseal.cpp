// SPDX-License-Identifier: Apache-2.0
// What has the network serves nobody before it gave up everything else: each step is left out once, and that is seen.
#include "engine/network/network.h"

#include <QTest>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestEgressSeal : public QObject
{
    Q_OBJECT

private:
    static Result<std::unique_ptr<Egress>> startWithout(const QString &step)
    {
        EgressSpec spec;
        spec.libexec = QStringLiteral(GLOVEBOX_OMITTING);
        spec.identity = {61999, 61999};
        spec.allowlist = allowlistFromTexts({step.isEmpty() ? u"www.test"_s : u"omit-"_s + step + u".test"_s}).value();
        std::vector<UniqueFd> sockets;
        for (const EgressSocket &wanted : egressSockets(spec.allowlist)) {
            sockets.emplace_back(::socket(AF_INET, (wanted.isDatagram() ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0));
            if (!wanted.isDatagram())
                ::listen(sockets.back().get(), 1);
        }
        return Egress::start(spec, std::move(sockets));
    }

private Q_SLOTS:
    void servesWhenNothingIsLeftOut()
    {
        const auto egress = startWithout({});
        QVERIFY2(egress, qPrintable(egress ? QString() : egress.error().detail.english()));
        QCOMPARE(toString((*egress)->control().state), u"verified"_s);
    }

    void servesNobodyWithout_data()
    {
        QTest::addColumn<QString>("why");
        const auto row = [](const char *step, const char *why) { QTest::newRow(step) << QString::fromUtf8(why); };
        row("filter", "seccomp is off");
        row("privileges", "landlock: EPERM");
        row("dumpable", "dumpable");
        row("limits", "setrlimit");
        row("landlock", "files can be read");
        row("descriptors", "descriptors of somebody else's are open");
        if (::geteuid() != 0) // only a root's changes its user
            return;
        row("user", "change of user");
        row("group", "change of user");
        row("groups", "change of user");
    }

    void servesNobodyWithout()
    {
        QFETCH(QString, why);
        const QString step = QString::fromUtf8(QTest::currentDataTag());
        const auto egress = startWithout(step);
        QVERIFY(!egress);
        QVERIFY2(egress.error().message.english().startsWith(u"The run's network could not be opened"_s),
                 qPrintable(egress.error().message.english()));
        QVERIFY2(egress.error().detail.english().contains(u"glovebox-egress: "_s + why),
                 qPrintable(egress.error().detail.english()));
    }

    void saysThatItCouldReadFilesWhereTheKernelIsOld()
    {
        const auto egress = startWithout(u"kernel"_s);
        QVERIFY2(egress, qPrintable(egress ? QString() : egress.error().detail.english()));
        QCOMPARE(toString((*egress)->control().state), u"degraded"_s);
        QVERIFY((*egress)->control().detail.english().contains(u"could read files"_s));
    }
};

QTEST_GUILESS_MAIN(TestEgressSeal)
#include "tst_egressseal.moc"
