// SPDX-License-Identifier: Apache-2.0
// What the terminal says after a run: what was tried, refused, found and planted, with the option that changes it.
#include "tests/app/cli/program.h"

#include "engine/base/system/descriptor.h"

#include <QDir>
#include <QFile>
#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>

#include <netinet/in.h>
#include <sys/socket.h>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestCliAftermath : public QObject
{
    Q_OBJECT

    const QTemporaryDir m_folder;

private Q_SLOTS:
    void initTestCase()
    {
        QVERIFY(QFile::setPermissions(m_folder.path(), QFile::Permissions(0x7777)));
    } // root's runs are another user's
    void whatARunTriedIsTold_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char *name, const QStringList &arguments, const QByteArray &says) {
            QTest::newRow(name) << arguments << says;
        };
        const auto python = [](const QString &code) { return QStringList{u"-c"_s, code}; };
        row("a name", python(u"import socket\ntry: socket.getaddrinfo('example.org', 443)\nexcept OSError: pass"_s),
            "The run could not reach example.org: no host was allowed. To allow it: --allow example.org\n");
        row("an address",
            python(u"import socket\ntry: socket.create_connection(('10.1.2.3', 8000), 1)\nexcept OSError: pass"_s),
            "The run could not reach 10.1.2.3:8000: no host was allowed. To allow it: --allow 10.1.2.3:8000\n");
        row("another name server",
            python(u"import socket\nudp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                   "try: udp.sendto(b'x', ('203.0.113.9', 53))\nexcept OSError: pass"_s),
            "The run asked the name server at 203.0.113.9 for a host's address. A run can ask no name server but its "
            "own.\n");
        row("a datagram",
            QStringList{u"--allow"_s, u"203.0.113.9"_s}
                + python(u"import socket\nudp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                         "try: udp.sendto(b'x', ('203.0.113.9', 443))\nexcept OSError: pass"_s),
            "The run tried to reach 203.0.113.9:443. Only TCP connections to allowed hosts leave a run.\n");
        row("a message",
            QStringList{u"--allow"_s, u"203.0.113.9"_s}
                + python(u"import socket\nudp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                         "try: udp.sendmsg([b'x'], [], 0, ('203.0.113.9', 443))\nexcept OSError: pass"_s),
            "The run tried to reach 203.0.113.9:443. Only TCP connections to allowed hosts leave a run.\n");
        row("processes", {u"--procs"_s, u"1"_s, u"-c"_s, u"import os; os.fork()"_s}, "Allow more with --procs N.\n");
        row("a call", python(u"import ctypes; ctypes.CDLL(None).ptrace(0, 0, 0, 0)"_s),
            "The run tried to look into another process (ptrace), which was refused.\n");
        row("a value that looks like a secret", python(u"print('ghp_' + 'aB3dE5fG7h' * 3 + 'iJ9kL0')"_s),
            "Something in the run's stdout looks like a secret: GitHub token (found: 1).\n");
        row("memory", {u"-m"_s, u"32"_s, u"-c"_s, u"x = [b'x' * 1_000_000 for _ in range(200)]"_s},
            "Allow more with -m MB.\n");
        row("memory asked for at once", {u"-m"_s, u"32"_s, u"-c"_s, u"x = b'x' * 200_000_000"_s},
            "Allow more with -m MB.\n");
        row("a file",
            {u"--disk"_s, u"1"_s, u"--mount"_s, m_folder.path() + u":/work/d:rw"_s, u"-c"_s,
             u"open('/work/d/x', 'wb').write(bytes(3_000_000))"_s},
            "The code says that a file was too large. Allow more with --disk MB.\n");
        row("a file of Node.js",
            {u"--disk"_s, u"1"_s, u"--mount"_s, m_folder.path() + u":/work/d:rw"_s, u"-l"_s, u"node"_s, u"-c"_s,
             u"require('fs').writeFileSync('/work/d/x', Buffer.alloc(3e6))"_s},
            "The code says that a file was too large. Allow more with --disk MB.\n");
        row("space that the code goes on without",
            {u"--disk"_s, u"1"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"cat /bin/bash /bin/bash > x; echo done"_s},
            "The run ended with its 1 MB of disk space used up. Its last writes may be missing. Allow more with "
            "--disk MB.\n");
        const QByteArray isMissing = "glovebox: The code says that a module is missing. ";
        const QByteArray chosen =
            isMissing
            + "The code chose the name \"nosuchmodule\", and no package that many use has it. To give a run packages: "
              "--with NAME\n";
        row("a module", python(u"import nosuchmodule"_s), chosen);
        row("a module of Node.js", {u"-l"_s, u"node"_s, u"-c"_s, u"require('nosuchmodule')"_s}, chosen);
        row("a module that is mistyped", {u"-l"_s, u"node"_s, u"-c"_s, u"require('expresss')"_s},
            isMissing
                + "The name \"expresss\" looks like \"express\", a package that many use, and is another one. To give "
                  "a "
                  "run packages: --with NAME\n");
        row("a module of a package that many use", python(u"import sklearn"_s),
            "glovebox: sklearn isn't here. The package scikit-learn has it. To give a run the package: --with "
            "scikit-learn\n");
        row("a module of Python itself", python(u"import urllib2"_s), "and no package does.\n");
        row("a file in its home", {u"-l"_s, u"sh"_s, u"-c"_s, u"echo x > ~/out.txt"_s},
            "glovebox: Files in ~ go with the run, so they aren't kept: \"~/out.txt\". Write to /work to keep "
            "files.\n");
        row("a server of this machine", python(u"import socket; socket.create_connection(('localhost', 11434))"_s),
            "To reach this machine's: --allow 127.0.0.1:11434\n");
        row("files beyond those that are kept", python(u"for n in range(1001): open(str(n), 'w').close()"_s),
            "glovebox: More than 1000 files (artifacts.files), or ");
        row("time", {u"-t"_s, u"300ms"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"sleep 9"_s}, "Allow more with -t TIME.\n");
    }
    void aServerOfItsOwnIsNoMatter()
    {
        const Home home;
        const Ended ended = home.run({u"run"_s, u"-c"_s,
                                      u"import socket\n"
                                      "server = socket.create_server(('127.0.0.1', 11434))\n"
                                      "socket.create_connection(('127.0.0.1', 11434))\nraise OSError"_s});
        QCOMPARE(ended.status, 1);
        QVERIFY2(!ended.err.contains("--allow"), ended.err);
    }
    void whatARunTriedIsTold()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, says);
        Home home;
        const Ended ended = home.run(QStringList{u"run"_s} + arguments);
        QVERIFY2(ended.err.contains(says), ended.err);
        // Scripts can have silence, but for why a run was stopped.
        const bool isStopped = ended.status == 124 || ended.status == 137;
        const Ended quiet = home.run(QStringList{u"run"_s, u"--quiet"_s} + arguments);
        QCOMPARE(quiet.status, ended.status);
        QCOMPARE(quiet.err.contains("glovebox: "), isStopped);
        QVERIFY(!home.run(QStringList{u"run"_s, u"--json"_s} + arguments).err.contains("glovebox: "));
    }

    void whoCallsAServerOfThisMachineByNameIsTold()
    {
        Home home;
        const UniqueFd server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        auto *const any = reinterpret_cast<sockaddr *>(&address);
        socklen_t size = sizeof address;
        QVERIFY(::bind(server.get(), any, size) == 0 && ::listen(server.get(), 8) == 0
                && ::getsockname(server.get(), any, &size) == 0);
        const QString port = QString::number(ntohs(address.sin_port));
        const Ended ended = home.run({u"run"_s, u"--allow"_s, u"127.0.0.1:"_s + port, u"-c"_s,
                                      u"import urllib.request\ntry: urllib.request.urlopen('http://localhost:%1/')\n"
                                      "except OSError: pass"_s.arg(port)});
        QVERIFY2(ended.err.contains("The run could not reach localhost:")
                     && ended.err.contains(" A server of this machine is 127.0.0.1 in --allow, and in the code.\n"),
                 ended.err);
    }

    void whoHasOneProcessAndNeedsNoMoreIsNotTold()
    {
        Home home;
        QCOMPARE(home.run({u"run"_s, u"--procs"_s, u"1"_s, u"-c"_s, u"1"_s}).err, QByteArray());
    }

    // Where somebody watches: the control says whether.
    void aFileThatTheRunLookedForIsTold()
    {
        Home home;
        const QStringList code{u"-l"_s, u"sh"_s, u"-c"_s, u"cat /root/.ssh/id_rsa"_s};
        const bool isWatched =
            home.run(QStringList{u"run"_s, u"--json"_s} + code).out.contains("\"places of secrets are watched\"");
        const Ended ended = home.run(QStringList{u"run"_s} + code);
        QVERIFY2(ended.err.contains("No such file"), ended.err);
        QCOMPARE(ended.err.contains("The run looked for \"/root/.ssh/id_rsa\", which isn't in the sandbox.\n"),
                 isWatched);
    }

    void whatIsAllowedAlreadyIsNoWayOut()
    {
        Home home;
        const Ended ended = home.run({u"run"_s, u"--allow"_s, u"203.0.113.9"_s, u"-c"_s,
                                      u"import socket\nto = socket.create_connection(('203.0.113.9', 443), 5)\n"
                                      "to.sendall(b'no TLS')\ntry: to.recv(1)\nexcept OSError: pass"_s});
        QVERIFY2(ended.err.contains("The run could not reach 203.0.113.9:443: no TLS, which this port is for.\n"),
                 ended.err);
    }

    void aHarmlessRunSaysNothing()
    {
        Home home;
        QCOMPARE(home.run({u"run"_s, u"-c"_s, u"print(6 * 7)"_s}).err, QByteArray());
    }

    void ofAKindOnlyAFewAreTold()
    {
        Home home;
        const Ended ended =
            home.run({u"run"_s, u"-c"_s,
                      u"import socket\nfor i in range(9):\n    try: socket.getaddrinfo(f'h{i}.example.org', 80)\n"
                      "    except OSError: pass"_s});
        QCOMPARE(ended.err.count("could not reach"), 5);
        QVERIFY2(ended.err.contains("4 more are in the log: glovebox audit show "), ended.err);
    }

    void whatARunPlantsInAFolderIsTold()
    {
        Home home;
        const QTemporaryDir project;
        const QString folder = project.path();
        QVERIFY(QDir().mkpath(folder + u"/.git/hooks"_s));
        for (const QString &each : {folder, folder + u"/.git"_s, folder + u"/.git/hooks"_s})
            QVERIFY(QFile::setPermissions(each, QFile::Permissions(0x7777)));
        const QStringList plant{u"-l"_s, u"sh"_s, u"-c"_s, u"echo x > /mnt/p/.git/hooks/pre-commit"_s};
        const Ended planted = home.run(QStringList{u"run"_s, u"--mount"_s, folder + u":/mnt/p:rw"_s} + plant);
        QVERIFY2(planted.err.contains("The run added \".git/hooks/pre-commit\" to ")
                     && planted.err.contains("With :stage instead of :rw"),
                 planted.err);
        const QStringList more{u"-l"_s, u"sh"_s, u"-c"_s,
                               u"cd /mnt/p/.git/hooks; for i in 1 2 3 4 5 6; do echo x > post-$i; done"_s};
        const Ended several = home.run(QStringList{u"run"_s, u"--mount"_s, folder + u":/mnt/p:rw"_s} + more);
        QCOMPARE(several.err.count("glovebox: The run "), 1);
        QVERIFY2(several.err.contains("The run added, changed or removed in " + folder.toUtf8()
                                      + " what other programs execute or load: \".git/hooks/post-1\", ")
                     && several.err.contains(" and 1 more (glovebox audit show ")
                     && several.err.contains(" With :stage instead of :rw, changes wait for you.\n"),
                 several.err);
    }

    void whyApplyWasSkippedIsTold()
    {
        Home home;
        const QTemporaryDir project;
        const QString folder = project.path();
        QVERIFY(QFile::setPermissions(folder, QFile::Permissions(0x7777)));
        const Ended ended = home.run({u"run"_s, u"--mount"_s, folder + u":/mnt/p:stage"_s, u"--apply"_s, u"-l"_s,
                                      u"sh"_s, u"-c"_s, u"echo x > /mnt/p/x; exit 3"_s});
        QCOMPARE(ended.status, 3);
        QVERIFY2(ended.err.contains("--apply was skipped, as the run didn't end well: The run exited with status 3."),
                 ended.err);
        QVERIFY2(ended.err.contains("\nglovebox: No change of this run is in the originals yet."), ended.err);
        QVERIFY(!QFile::exists(folder + u"/x"_s));
        // Code that doesn't look whether there was space for what it wrote.
        const Ended cut =
            home.run({u"run"_s, u"--disk"_s, u"1"_s, u"--mount"_s, folder + u":/mnt/p:stage"_s, u"--apply"_s, u"-l"_s,
                      u"sh"_s, u"-c"_s, u"cat /bin/bash /bin/bash > /mnt/p/x; true"_s});
        QCOMPARE(cut.status, 0);
        QVERIFY2(
            cut.err.contains("--apply was skipped, as files may be cut short: the run ended with its disk space used "
                             "up.\n"),
            cut.err);
        QVERIFY(!QFile::exists(folder + u"/x"_s));
    }

    // The value is gone, but not the files that have it in clear.
    void withheldFilesOfARemovedSecretAreTold()
    {
        qputenv("GLOVEBOX_VAULT_STORE", "file");
        const auto back = qScopeGuard([] { qunsetenv("GLOVEBOX_VAULT_STORE"); });
        const Home home;
        const QString file = home.write(u"passphrase"_s, "a long passphrase of the test"),
                      option = u"--passphrase-file"_s;
        QVERIFY(QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner));
        for (const QString &name : {u"API_KEY"_s, u"OTHER"_s})
            QCOMPARE(home.run({u"secret"_s, u"set"_s, name, option, file}, "value of " + name.toUtf8()).status, 0);
        for (int i = 0; i < 2; ++i) {
            const Ended ended =
                home.run({u"run"_s, u"--secret"_s, u"API_KEY"_s, u"--secret"_s, u"OTHER"_s, option, file, u"-l"_s,
                          u"sh"_s, u"-c"_s, u"echo $API_KEY > 'o ut'; echo 1 > other"_s});
            QVERIFY2(ended.status == 0, ended.err);
        }
        const QString run = home.runsOnRecord().value(0)["run"_L1].toString();
        QCOMPARE(home.run({u"artifact"_s, u"release"_s, run, u"o ut"_s, u"--yes"_s}).status, 0);
        const Ended other = home.run({u"secret"_s, u"remove"_s, u"OTHER"_s, option, file});
        QVERIFY2(other.status == 0 && other.err.isEmpty(), other.err);
        // Under its new name, too; under the old one there is another then.
        const Ended renamed = home.run({u"secret"_s, u"rename"_s, u"API_KEY"_s, u"SHOP_KEY"_s});
        QCOMPARE(renamed.err, "glovebox: Earlier runs and their withheld files keep the name API_KEY in the log.\n");
        QCOMPARE(home.run({u"secret"_s, u"set"_s, u"API_KEY"_s, option, file}, "another value").status, 0);
        const Ended another = home.run({u"secret"_s, u"remove"_s, u"API_KEY"_s, option, file});
        QVERIFY2(another.status == 0 && another.err.isEmpty(), another.err);
        const QByteArray said = home.run({u"secret"_s, u"remove"_s, u"SHOP_KEY"_s, option, file}).err;
        const QString first = home.runsOnRecord().value(1)["run"_L1].toString();
        QVERIFY2(said.contains("1 withheld file still holds the value of SHOP_KEY: " + first.toUtf8() + " 'o ut'\n"),
                 said);
        QVERIFY2(said.contains("glovebox audit prune RUN") && said.contains("glovebox artifact release"), said);
    }
};

QTEST_GUILESS_MAIN(TestCliAftermath)
#include "tst_cliaftermath.moc"
