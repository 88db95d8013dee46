// SPDX-License-Identifier: Apache-2.0
#include "load.h"

#include <QFile>

#include <sys/stat.h>

#include <cstdio>
#include <semaphore>

namespace glovebox::soak {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr QByteArrayView secretValue = "soak-7f3a/91\"c2";

void waitForOutput(Run &run)
{
    std::counting_semaphore<> changes(0);
    run.onChange([&changes] { changes.release(); });
    while (run.state() != RunState::Done && run.output(0, 1).chunks.isEmpty())
        changes.acquire();
    run.onChange({});
}

void cancelOnce(Run &run)
{
    waitForOutput(run);
    run.cancel();
}

void cancelTwice(Run &run)
{
    cancelOnce(run);
    run.cancel();
}

void cancelAtOnce(Run &run)
{
    run.cancel();
}

// Makes the requests of kinds from what they have in common.
class Requests
{
public:
    explicit Requests(Policy policy)
        : m_policy(std::move(policy))
    {
    }

    RunRequest operator()(const char *language, const QByteArray &code) const
    {
        RunRequest request;
        request.language = QString::fromLatin1(language);
        request.code = code;
        request.policy = m_policy;
        return request;
    }
    RunRequest lent(const char *language, const QByteArray &code, const SecretGrant &grant) const
    {
        RunRequest request = (*this)(language, code);
        request.secrets = {grant};
        return request;
    }
    RunRequest shown(const QString &folder, FolderGrant::Mode mode, const QByteArray &code) const
    {
        RunRequest request = (*this)("sh", code);
        request.policy.folders = {{folder, u"/mnt/x"_s, mode}};
        return request;
    }
    RunRequest allowed(const QString &host, const QByteArray &code) const
    {
        RunRequest request = (*this)("bash", code);
        request.policy.allow = {host};
        return request;
    }
    template<typename Value>
    RunRequest limited(Value Limits::*limit, Value value, const char *language, const QByteArray &code) const
    {
        RunRequest request = (*this)(language, code);
        request.policy.limits.*limit = value;
        return request;
    }

private:
    const Policy m_policy;
};

} // namespace

Result<std::vector<Kind>> allKinds(Engine &engine, const QString &folder)
{
    QFile file(folder + u"/a"_s);
    // For the user of runs, where root started this.
    if (::chmod(QFile::encodeName(folder).constData(), 0777) != 0 || !file.open(QIODevice::WriteOnly)
        || file.write("shown\n") != 6 || !file.flush() || ::fchmod(file.handle(), 0666) != 0)
        return fail(ErrorCode::Io, "The folder to grant can't be made.");
    RETURN_IF_ERROR(
        engine.vault().add(u"KEY"_s, {}, {}, SecretValue::copyOf(secretValue), engine.caller(), Patience::of(5s)));

    const Requests of(engine.settings().policy());
    const auto discard = [&engine](const RunResult &result) {
        const auto discarded = engine.discardChanges(result.id, engine.caller());
        if (!discarded)
            std::fprintf(stderr, "%d folders with changes: %s\n", int(result.changes.size()),
                         qPrintable(discarded.error().message.english()));
        return !result.changes.isEmpty() && discarded;
    };
    const auto saysHello = [](const RunResult &result) { return result.out.head.startsWith("hello from"); };
    using Mode = FolderGrant::Mode;
    return std::vector<Kind>{
        {"python", 22, of("python", "print(6*7)"), "42\n"},
        {"node", 8, of("node", "console.log(6*7)"), "42\n"},
        {"bash", 14, of("bash", "echo $((6*7))"), "42\n"},
        {"sh", 12, of("sh", "echo 42; echo 43 >&2"), "42\n"},
        {"files of its own", 3, of("python", "open('a', 'w').write('x' * 100000); print(len(open('a').read()))"),
         "100000\n"},
        {"much output", 2, of("sh", "head -c 3000000 /dev/zero | tr '\\0' x"), std::nullopt},
        {"many processes", 2, of("bash", "for i in {1..8}; do /bin/true & done; wait; echo done"), "done\n"},
        {"network, allowed",
         4,
         of.allowed(u"www.allowed.test"_s, "curl -sS http://www.allowed.test/"),
         std::nullopt,
         {Outcome::Completed},
         {},
         saysHello},
        {"network, refused", 2, of.allowed(u"www.allowed.test"_s, "curl -sS http://denied.test/ -fo x || echo no"),
         "no\n"},
        {"secret, variable", 5, of.lent("python", "import os; print(os.environ['KEY'])", {u"KEY"_s, {}, false}),
         "[secret KEY]\n"},
        {"secret, file", 4,
         of.lent("node", "process.stdout.write(require('fs').readFileSync('/run/secrets/KEY'))", {u"KEY"_s, {}, true}),
         "[secret KEY]"},
        {"folder, shown", 4, of.shown(folder, Mode::ReadOnly, "test -f /mnt/x/a && echo there"), "there\n"},
        {"folder, changed", 3, of.shown(folder, Mode::ReadWrite, "echo shown >/mnt/x/a; echo done"), "done\n"},
        {"folder, copied",
         3,
         of.shown(folder, Mode::Stage, "echo other >/mnt/x/b; rm /mnt/x/a"),
         "",
         {Outcome::Completed},
         {},
         discard},
        {"exit status", 2, of("sh", "exit 3"), "", {Outcome::Failed}},
        {"killed by itself", 3, of("bash", "kill -9 $$"), "", {Outcome::Signalled}},
        {"cancelled", 2, of("sh", "echo on; exec sleep 60"), "on\n", {Outcome::Cancelled}, cancelOnce},
        {"killed",
         2,
         of("bash", "trap '' INT; echo on; while :; do :; done"),
         "on\n",
         {Outcome::Cancelled},
         cancelTwice},
        {"cancelled at once",
         1,
         of("sh", "echo 1"),
         std::nullopt,
         {Outcome::Cancelled, Outcome::Completed},
         cancelAtOnce},
        {"time limit", 1, of.limited(&Limits::wall, 100ms, "python", "while True: pass"), "", {Outcome::TimedOut}},
        {"memory limit",
         1,
         of.limited(&Limits::memoryBytes, 64 * mebibyte, "python", "x = bytearray(1 << 30)"),
         "",
         {Outcome::OutOfMemory, Outcome::Failed}},
        {"process limit",
         1,
         of.limited(&Limits::processes, 8, "python", "import os, time\nwhile os.fork(): pass\ntime.sleep(9)"),
         "",
         {Outcome::Failed}},
        {"denied", 1, of.lent("sh", "true", {u"NO_SUCH"_s, {}, false}), "", {Outcome::Denied}},
        {"rejected", 1, of.limited(&Limits::processes, 0, "sh", "true"), "", {Outcome::Rejected}},
    };
}

} // namespace glovebox::soak
