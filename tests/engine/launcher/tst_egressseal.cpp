// SPDX-License-Identifier: Apache-2.0
// What has the network, or a job's port, serves nobody before it gave up everything else: each step is left out once, and that is seen.
#include "portsteps.h"

#include "engine/network/network.h"
#include "engine/network/openedport.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <string>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::string_view_literals;

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

    Result<std::unique_ptr<OpenedPort>> openPort(quint16 port) const
    {
        PortSockets sockets;
        sockets.internet.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        return OpenedPort::open({.libexec = QStringLiteral(GLOVEBOX_OMITTING),
                                 .runtime = m_runtime.path(),
                                 .identity = {61999, 61999},
                                 .port = port,
                                 .sockets = std::make_shared<const PortSockets>(std::move(sockets))});
    }
    const QTemporaryDir m_runtime;

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

    void opensAPortWhenNothingIsLeftOut()
    {
        const auto port = openPort(8000);
        QVERIFY2(port, qPrintable(port ? QString() : port.error().detail.english()));
        QVERIFY((*port)->newLink());
    }

    void whatAKilledProgramNotedOfItsPortGoesWithTheNextOne()
    {
        const auto files = [&] { return QDir(m_runtime.path()).entryList({u"http-*"_s}, QDir::Files); };
        const auto lives = OwnPort::note(m_runtime.path(), 2);
        QFile left(m_runtime.filePath(u"http-1.lock"_s));
        QVERIFY(lives && left.open(QIODevice::WriteOnly));
        QVERIFY(OwnPort::note(m_runtime.path(), 3));
        QCOMPARE(files(), QStringList{u"http-2.lock"_s});
    }

    void opensNoPortWithout_data()
    {
        QTest::addColumn<QString>("why");
        const std::array whys{"seccomp is off",
                              "landlock: EPERM",
                              "dumpable",
                              "setrlimit",
                              "descriptors of somebody else's are open",
                              "change of user",
                              "change of user",
                              "other ports can be reached"};
        static_assert(whys.size() + 1 == portSteps.size()); // without "kernel"
        for (std::size_t i = 0; i < whys.size(); ++i) {
            if (::geteuid() == 0 || whys[i] != std::string_view("change of user")) // only a root's changes its user
                QTest::newRow(std::string(portSteps[i]).c_str()) << QString::fromLatin1(whys[i]);
        }
    }

    void opensNoPortWithout()
    {
        QFETCH(QString, why);
        const auto step = std::ranges::find(portSteps, std::string_view(QTest::currentDataTag()));
        const auto port = openPort(quint16(firstPortOfSteps + (step - portSteps.begin())));
        QVERIFY(!port);
        QVERIFY2(port.error().detail.english().contains(u"glovebox-port: "_s + why),
                 qPrintable(port.error().detail.english()));
    }

    void opensAPortWhereTheKernelBoundsNoPorts()
    {
        const auto kernel = std::ranges::find(portSteps, "kernel"sv);
        const auto port = openPort(quint16(firstPortOfSteps + (kernel - portSteps.begin())));
        QVERIFY2(port, qPrintable(port ? QString() : port.error().detail.english()));
        QVERIFY((*port)->newLink());
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
