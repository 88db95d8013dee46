// SPDX-License-Identifier: Apache-2.0
// Whoever looks where secrets usually lie is told with the path; where the machine or the builder gives no way to notice, the control says
// so.
#include "sealed.h"

#include <QDeadlineTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

QString detailOf(const QList<Control> &controls)
{
    const auto control = std::ranges::find(controls, ControlId::DenialEvents, &Control::id);
    return control == controls.end() ? QString() : control->detail.english();
}

QByteArray statOf(qint64 pid)
{
    QFile file(u"/proc/%1/stat"_s.arg(pid));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QStringList filesOf(const QList<RunEvent> &events)
{
    QStringList told;
    for (const RunEvent &event : events) {
        if (event.type == EventType::FileRefused)
            told.append(event.detail.english());
    }
    return told;
}

} // namespace

class TestWatchedPlaces : public QObject
{
    Q_OBJECT

    std::unique_ptr<Backend> m_backend = backendUnderTest(u"test"_s);

    // Or says why not, in the words that belong to this machine.
    bool isWatched(const SealedOutcome &outcome)
    {
        const QString detail = detailOf(outcome.controls);
        if (detail == u"places of secrets are watched"_s)
            return m_backend->builder() == u"direct"_s;
        const QString why =
            m_backend->builder() == u"direct"_s ? u"/dev/fuse: "_s : u"the builder mounts nothing there"_s;
        if (!detail.startsWith(u"places of secrets are not watched ("_s + why))
            qWarning("%s", qPrintable(detail));
        return false;
    }

private Q_SLOTS:
    void saysWhetherPlacesAreWatched()
    {
        const Result<SealedOutcome> r = runSealed(*m_backend, shellSpec("cat /root/.ssh/id_rsa"));
        QVERIFY(r);
        const QString detail = detailOf(r->controls);
        const QString why =
            m_backend->builder() == u"direct"_s ? u"/dev/fuse: "_s : u"the builder mounts nothing there"_s;
        const bool saysWhyNot = detail.startsWith(u"places of secrets are not watched ("_s + why);
        QVERIFY2(isWatched(*r) || saysWhyNot, qPrintable(detail));
        // Nobody says "verified" of what isn't done.
        const auto control = std::ranges::find(r->controls, ControlId::DenialEvents, &Control::id);
        QCOMPARE(toString(control->state), isWatched(*r) ? u"verified"_s : u"enforced"_s);
        QCOMPARE(filesOf(r->events).size(), isWatched(*r) ? 1 : 0);
        QVERIFY(r->err.contains("No such file or directory"));
    }

    void tellsWhoLooksForSecrets_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<QStringList>("told");
        const auto looked = [](const char *path) {
            return QStringList{
                u"The run looked for \"%1\", which isn't in the sandbox."_s.arg(QString::fromUtf8(path))};
        };
        QTest::newRow("key") << QByteArray("cat /root/.ssh/id_rsa") << looked("/root/.ssh/id_rsa");
        QTest::newRow("somebody's home") << QByteArray("cat /home/alice/.aws/credentials")
                                         << looked("/home/alice/.aws/credentials");
        QTest::newRow("own home") << QByteArray("cat ~/.ssh/id_rsa") << looked("~/.ssh/id_rsa");
        QTest::newRow("by the user's entry")
            << QByteArray("cat ~sandbox/.aws/credentials") << looked("~/.aws/credentials");
        QTest::newRow("browser") << QByteArray(
            "python3 -c 'import os; os.stat(os.path.expanduser(\"~/.config/google-chrome/Default/Login Data\"))'")
                                 << looked("~/.config/google-chrome/Default/Login Data");
        QTest::newRow("credentials of git")
            << QByteArray("cat ~/.git-credentials")
            << QStringList{u"The run tried to read \"~/.git-credentials\", which was refused."_s};
        QTest::newRow("keyrings")
            << QByteArray("ls ~/.local/share/keyrings")
            << QStringList{u"The run listed \"~/.local/share/keyrings\", where the sandbox has nothing."_s};
        QTest::newRow("folder") << QByteArray("test -e /root/.ssh; sleep 0.1") << looked("/root/.ssh");
        QTest::newRow("list") << QByteArray("ls /root")
                              << QStringList{u"The run listed \"/root\", where the sandbox has nothing."_s};
        QTest::newRow("shadow") << QByteArray("cat /etc/shadow")
                                << QStringList{u"The run tried to read \"/etc/shadow\", which was refused."_s};
        QTest::newRow("hostile name") << QByteArray("cat $'/root/a\\n\\e[31m\\xff\\\\\\u202e'")
                                      << looked(R"(/root/a\x0a\x1b[31m\xff\x5c\xe2\x80\xae)");
        QTest::newRow("name like a sentence") << QByteArray("cat '/root/x\", which is fine. All checks passed. \"'")
                                              << looked(R"(/root/x\x22, which is fine. All checks passed. \x22)");
        QTest::newRow("through the link's other end")
            << QByteArray("cat /run/watched/x /run/watched/root/x") << looked("/root/x");
        QTest::newRow("nothing") << QByteArray(
            "ls -la / /etc ~; find / -xdev; python3 -c 'import os; list(os.walk(\"/\"))'; "
            "mkdir -p ~/.cache/x ~/.config/y ~/.local/share/z; echo z > ~/.config/y/z; echo y > ~/.bashrc; cat "
            "~/.bashrc") << QStringList();
        // Of a place without secrets nobody is told who looks.
        QTest::newRow("no secrets") << QByteArray(
            "ls -R /opt /etc/systemd; cat /etc/cron.d/x; test -w /opt; test -w /etc/crontab; test -e /opt/user")
                                    << QStringList();
    }

    void tellsWhoWrites_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<QStringList>("told"); // each a verb and a path
        QTest::newRow("timer") << QByteArray("echo x >/etc/cron.d/job") << QStringList{u"write \"/etc/cron.d/job\""_s};
        QTest::newRow("further down") << QByteArray("echo x >>/var/spool/cron/crontabs/root")
                                      << QStringList{u"write \"/var/spool/cron/crontabs/root\""_s};
        QTest::newRow("service") << QByteArray("cp /etc/hosts /etc/systemd/system/x.service")
                                 << QStringList{u"write \"/etc/systemd/system/x.service\""_s};
        QTest::newRow("file") << QByteArray("echo x >>/etc/sudoers") << QStringList{u"write \"/etc/sudoers\""_s};
        QTest::newRow("secrets") << QByteArray("echo x >>/etc/shadow") << QStringList{u"write \"/etc/shadow\""_s};
        QTest::newRow("key") << QByteArray("echo x >>/root/.ssh/authorized_keys")
                             << QStringList{u"write \"/root/.ssh/authorized_keys\""_s};
        QTest::newRow("link") << QByteArray("ln -s /usr/bin/env /opt/tool") << QStringList{u"write \"/opt/tool\""_s};
        QTest::newRow("node") << QByteArray("python3 -c 'import os; os.mknod(\"/opt/x\")'")
                              << QStringList{u"write \"/opt/x\""_s};
        QTest::newRow("folder") << QByteArray("mkdir -p /opt/tool/bin")
                                << QStringList{u"make the folder \"/opt/tool\""_s};
        QTest::newRow("mode") << QByteArray("chmod 777 /etc/sudoers") << QStringList{u"change \"/etc/sudoers\""_s};
        QTest::newRow("delete") << QByteArray("rmdir /etc/systemd/system")
                                << QStringList{u"delete \"/etc/systemd/system\""_s};
        QTest::newRow("rename") << QByteArray("mv /etc/systemd/system /etc/systemd/other")
                                << QStringList{u"rename \"/etc/systemd/system\""_s, u"write \"/etc/systemd/other\""_s};
        QTest::newRow("rename from place to place")
            << QByteArray("python3 -c 'import os; os.rename(\"/home/u/.ssh\", \"/etc/cron.d/job\")'")
            << QStringList{u"rename \"/home/u/.ssh\""_s, u"write \"/etc/cron.d/job\""_s};
        QTest::newRow("file without a name")
            << QByteArray("python3 -c 'import os; os.open(\"/etc/cron.d\", os.O_TMPFILE | os.O_RDWR)'")
            << QStringList{u"write \"/etc/cron.d\""_s};
        QTest::newRow("move from elsewhere")
            << QByteArray("echo x >/work/a; mv /work/a /etc/cron.d/job") << QStringList{u"write \"/etc/cron.d/job\""_s};
        // The kernel refuses these before it asks.
        QTest::newRow("link and rename from elsewhere")
            << QByteArray("echo x >/work/a; ln /work/a /etc/cron.d/job; "
                          "python3 -c 'import os; os.rename(\"/work/a\", \"/etc/cron.d/job\")'")
            << QStringList();
        QTest::newRow("key in its own home")
            << QByteArray("echo x >>~/.ssh/authorized_keys") << QStringList{u"write \"~/.ssh/authorized_keys\""_s};
        QTest::newRow("elsewhere") << QByteArray("touch /usr/x /etc/x /lib/x /x") << QStringList();
        QTest::newRow("its own") << QByteArray("echo x >/work/a; mkdir /tmp/b; rm /work/a; rmdir /tmp/b")
                                 << QStringList();
    }

    void tellsWhoWrites()
    {
        QFETCH(QByteArray, script);
        QFETCH(QStringList, told);
        const Result<SealedOutcome> r = runSealed(*m_backend, shellSpec(script + "; " + script));
        QVERIFY(r);
        QStringList writes = filesOf(r->events);
        writes.removeIf([](const QString &line) { return line.startsWith(u"The run looked for "_s); });
        for (QString &words : told)
            words = u"The run tried to %1, which was refused."_s.arg(words);
        QCOMPARE(writes, isWatched(*r) ? told : QStringList());
        QCOMPARE(r->err.isEmpty(), QByteArrayView(QTest::currentDataTag()) == "its own"); // else all is refused
    }

    void tellsWhoLooksForSecrets()
    {
        QFETCH(QByteArray, script);
        QFETCH(QStringList, told);
        const Result<SealedOutcome> r = runSealed(*m_backend, shellSpec(script + "; " + script));
        QVERIFY(r);
        QCOMPARE(filesOf(r->events), isWatched(*r) ? told : QStringList());
    }

    // What is shown at a place, or below it, has all of the place.
    // As glovebox-folders(7) says.
    void programsHaveTheirSettingsInTheHome()
    {
        for (const char *needed : {"/usr/bin/git", "/usr/bin/ssh-keygen"}) {
            if (!QFile::exists(QString::fromLatin1(needed)))
                QSKIP("git or ssh-keygen isn't installed");
        }
        const Result<SealedOutcome> git =
            runSealed(*m_backend, shellSpec("git config --global user.name x && git config --global user.name"));
        QVERIFY(git);
        QCOMPARE(git->out, QByteArray("x\n"));
        QCOMPARE(filesOf(git->events), QStringList());
        const Result<SealedOutcome> keys =
            runSealed(*m_backend, shellSpec("ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/key || mkdir -m 700 ~/own && "
                                            "ssh-keygen -q -t ed25519 -N '' -f ~/own/key && ls ~/own"));
        QVERIFY(keys);
        QVERIFY2(isWatched(*keys) == keys->err.contains("Read-only file system"), keys->err);
        QVERIFY2(!isWatched(*keys) || keys->out == "key\nkey.pub\n", keys->out);
    }

    void aFolderThatIsShownThereIsNotWatched()
    {
        const QTemporaryDir folder(u"/var/tmp/glovebox-test-XXXXXX"_s);
        QCOMPARE(::chmod(QFile::encodeName(folder.path()).constData(), 0777), 0);
        struct
        {
            QString place;
            QByteArray other; // which nobody watches then
            QString covered;
        } const rows[] = {{u"/opt"_s, "/opt/other", u"/opt"_s},
                          {u"/home"_s, "/home/bob/.ssh/id_rsa", u"/home"_s},
                          {u"/home/alice/project"_s, "/home/bob/.ssh/id_rsa", u"/home"_s},
                          {u"/run/home/.ssh"_s, "~/.ssh/id_rsa", u"/run/home/.ssh"_s},
                          {u"/run/home/.config/tool"_s, "~/.config/tool/x", {}}};
        for (const auto &[place, other, covered] : rows) {
            SealedSpec spec = shellSpec("cd " + place.toUtf8() + "; echo x >file; cat file nothing " + other + "; ls");
            const auto opened = openFolder({folder.path(), place, FolderGrant::Mode::ReadWrite}, {});
            QVERIFY(opened);
            spec.assignment.granted = {*opened};
            const Result<SealedOutcome> r = runSealed(*m_backend, spec);
            QVERIFY2(r, qPrintable(r ? QString() : r.error().message.english()));
            QCOMPARE(r->out, "x\nfile\n");
            QCOMPARE(filesOf(r->events), QStringList());
            if (const QString detail = detailOf(r->controls); !detail.contains(u"not watched ("_s))
                QCOMPARE(detail, u"places of secrets are watched"_s
                                     + (covered.isEmpty() ? QString() : u", but not "_s + covered));
        }
    }

    // What another thread asks, of which nothing is told, never leaves the engine idle. The folder is told all the same.
    void othersKeepNoLookFromBeingTold()
    {
        const QByteArray code = "import os, threading, time\n"
                                "def ask():\n"
                                "    while True: os.statvfs('/root'); time.sleep(0.005)\n"
                                "threading.Thread(target=ask, daemon=True).start()\n"
                                "os.path.exists('/root/.ssh')\n"
                                "time.sleep(0.5)\n"
                                "print('done', flush=True)\n"
                                "time.sleep(9)\n";
        const auto process = launchIn(*m_backend, pythonSpec(code));
        QVERIFY(process);
        const UniqueFd output = (*process)->takeStdout();
        QVERIFY((*process)->start());
        QList<RunEvent> events;
        pollfd sources[] = {{output.get(), POLLIN, 0}, {(*process)->eventDescriptor(), POLLIN, 0}};
        while (!sources[0].revents) {
            QVERIFY(::poll(sources, 2, 20'000) > 0);
            if (sources[1].revents)
                events += (*process)->takeEvents(1);
        }
        const bool isWatched = detailOf((*process)->controls()) == u"places of secrets are watched"_s;
        QCOMPARE(filesOf(events), isWatched
                                      ? QStringList{u"The run looked for \"/root/.ssh\", which isn't in the sandbox."_s}
                                      : QStringList());
        (*process)->kill();
    }

    void tellsNoMoreThanAPersonReads()
    {
        const QByteArray code = "import os\nfor i in range(3000): os.path.exists(f'/root/{i}')\nprint('done')\n";
        const Result<SealedOutcome> r = runSealed(*m_backend, pythonSpec(code));
        QVERIFY(r);
        QCOMPARE(r->out, "done\n");
        const auto more = std::ranges::count(r->events, EventType::EventsMore, &RunEvent::type);
        QCOMPARE(filesOf(r->events).size(), isWatched(*r) ? 64 : 0);
        QCOMPARE(more, isWatched(*r) ? 1 : 0);
    }

    // As lsof(8) does. Without an answer they wait only where runs are of the same user: others are refused at once.
    void whoLooksAtADescriptorOfOursGetsAnAnswer()
    {
        QVERIFY(runSealed(*m_backend, shellSpec("true")));
        const bool makesAhead = m_backend->builder() == u"direct"_s;
        const auto waits = [](qint64 pid) { return statOf(pid).contains("(glovebox-spare) S"); };
        QTRY_VERIFY(!makesAhead || std::ranges::any_of(descendantsOf(::getpid()), waits));
        for (const qint64 pid : descendantsOf(::getpid())) {
            QProcess looking;
            looking.start(u"sh"_s, {u"-c"_s, u"stat -L /proc/%1/fd/*"_s.arg(pid)});
            QVERIFY2(looking.waitForFinished(20'000), statOf(pid));
        }
    }

    // Nobody answers here: who waits for that is killed like everybody.
    void endsWhoWaitsForAnAnswer()
    {
        const auto process = launchIn(*m_backend, shellSpec("echo begun; cat /root/x; cat /root/y; exec sleep 60"));
        QVERIFY(process);
        UniqueFd output = (*process)->takeStdout();
        QVERIFY((*process)->start());
        QVERIFY(waitUntilReadable(**process, output.get())); // the shell's own questions are answered until then
        if (detailOf((*process)->controls()) == u"places of secrets are watched"_s) {
            pollfd asked{(*process)->eventDescriptor(), POLLIN, 0};
            QCOMPARE(::poll(&asked, 1, 20'000), 1);
        }
        (*process)->kill();
        QDeadlineTimer patience(5'000);
        std::optional<SandboxEnd> end;
        while (!end && !patience.hasExpired()) {
            pollfd report{(*process)->reportDescriptor(), POLLIN, 0};
            ::poll(&report, 1, 100);
            end = (*process)->takeEnd();
        }
        QVERIFY(end);
    }
};

QTEST_GUILESS_MAIN(TestWatchedPlaces)
#include "tst_watchedplaces.moc"
