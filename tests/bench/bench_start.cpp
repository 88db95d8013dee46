// SPDX-License-Identifier: Apache-2.0
// How much Glovebox adds to starting a program: raw, in the bare sandbox, as a run of an engine that is already open (with
// its two durable entries), and as `glovebox run`, a whole process. Prints medians and ratios; asserts nothing.
//
// bench_start [ROUNDS [FOLDER [PART...]]]   (default 100; FOLDER holds the record, default a temporary one; parts are true,
// left, python, node, bash and sh, default all)
#include "measure.h"

#include "engine/engine.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <fcntl.h>
#include <poll.h>

#include <array>
#include <cstdio>
#include <thread>

using namespace glovebox;
using namespace glovebox::bench;
using namespace Qt::StringLiterals;
using SteadyClock = std::chrono::steady_clock;

namespace {

const std::vector<std::string> startEnvironment{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"};

void waitFor(int descriptor)
{
    pollfd source{descriptor, POLLIN, 0};
    ::poll(&source, 1, -1);
}

// Until every process inside is gone and both streams are read to their end.
bool runToEnd(SealedProcess &process)
{
    process.takeStdin().reset();
    std::array<UniqueFd, 2> streams{process.takeStdout(), process.takeStderr()};
    if (!process.start())
        return false;
    std::optional<SandboxEnd> end;
    while (!end || streams[0] || streams[1]) {
        std::array<pollfd, 3> sources{{{streams[0].get(), POLLIN, 0},
                                       {streams[1].get(), POLLIN, 0},
                                       {end ? -1 : process.reportDescriptor(), POLLIN, 0}}};
        ::poll(sources.data(), sources.size(), -1);
        std::array<char, 4096> part{};
        for (std::size_t i = 0; i < 2; ++i) {
            if (sources[i].revents && ::read(streams[i].get(), part.data(), part.size()) == 0)
                streams[i].reset();
        }
        if (sources[2].revents)
            end = process.takeEnd();
    }
    return end->exitCode == 0;
}

std::chrono::nanoseconds sealed(Backend &backend, const SandboxShape &shape, const Assignment &assignment,
                                bool onlyVerified)
{
    const auto begin = SteadyClock::now();
    const auto process = backend.launch(shape, assignment, {});
    if (!process || (!onlyVerified && !runToEnd(**process)))
        return std::chrono::nanoseconds(-1);
    const auto took = SteadyClock::now() - begin;
    if (onlyVerified) {
        (*process)->kill();
        while (!(*process)->takeEnd())
            waitFor((*process)->reportDescriptor());
    }
    return took;
}

// As the engine makes it for a run without a network.
SandboxShape shapeOf(const LaunchRecipe &recipe)
{
    SandboxShape shape;
    for (const EgressSocket &socket : closedNamesSockets())
        shape.listeners.append({socket.port, socket.isDatagram(), socket.isEverywhere()});
    shape.argv = recipe.argv;
    shape.environment = recipe.environment;
    shape.folders = recipe.folders;
    for (const InnerFile &file : recipe.driver)
        shape.supportFiles.append({file.name, file.content});
    shape.hasDriver = !recipe.driver.isEmpty();
    return shape;
}

// Not part of what is measured: the pool fills up again while a person reads what came out.
bool waitUntilWarm(Backend &backend)
{
    for (int i = 0; i < 20'000 && backend.waiting() < 2; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return backend.waiting() == 2;
}

bool engineRun(Engine &engine, const QString &language, const QByteArray &code)
{
    RunRequest request;
    request.language = language;
    request.code = code;
    request.policy = engine.settings().policy();
    return engine.start(std::move(request))->wait()->outcome == Outcome::Completed;
}

std::chrono::nanoseconds warmed(Backend &backend, const std::function<bool()> &work)
{
    return waitUntilWarm(backend) ? timed(work)() : std::chrono::nanoseconds(-1);
}

bool compareTrue(Engine &engine, int rounds)
{
    SandboxShape shape;
    shape.argv = {"/bin/true"};
    shape.environment = {"PATH=/usr/bin:/bin"};
    std::vector<Series> all;
    all.push_back({"raw", timed([] { return runProcess({"/bin/true"}, startEnvironment) == 0; }), {}, {}});
    all.push_back(
        {"sealed and verified", [&] { return sealed(engine.backend(), shape, {}, true); }, "<= raw + 3 ms", {}});
    all.push_back(
        {"sealed, run and reaped", [&] { return sealed(engine.backend(), shape, {}, false); }, "<= raw + 4 ms", {}});
    if (!measure(all, rounds))
        return false;
    print("/bin/true", all);
    return true;
}

bool compareLanguage(Engine &engine, EngineConfig config, const QString &id, const QByteArray &code, const char *flag,
                     const QString &home, int rounds)
{
    const Language &language = **Languages::byId(id);
    const auto interpreter = engine.languages().find(language);
    if (!interpreter) {
        std::printf("\n%s skipped: %s\n", qPrintable(id), qPrintable(interpreter.error().message.english()));
        return true;
    }
    const LaunchRecipe recipe = language.recipe(*interpreter, {}, Limits(), {});
    const SandboxShape shape = shapeOf(recipe);
    Assignment assignment;
    assignment.files = {{recipe.fileName, code}};
    assignment.arguments = recipe.arguments;
    assignment.job = recipe.job;
    std::vector<std::string> withHome = startEnvironment;
    withHome.push_back("GLOVEBOX_HOME=" + home.toStdString());
    const bool isPython = id == u"python"_s;
    const char *warmPromise = isPython ? "<= 0.45 x raw" : id == u"node"_s ? "<= 0.35 x raw" : "";
    Assignment mayBeWarm = assignment;
    mayBeWarm.mayBeWarm = true;
    config.keepsWarm = true;
    const Result<std::unique_ptr<Engine>> another = Engine::open(std::move(config));
    if (!another)
        return false;
    Engine &warmEngine = **another;
    warmEngine.expect(id);
    std::vector<Series> all;
    all.push_back({"raw",
                   timed([&] {
                       return runProcess({interpreter->path.toStdString(), flag, code.toStdString()}, startEnvironment)
                              == 0;
                   }),
                   {},
                   {}});
    all.push_back({"sandbox, cold",
                   [&] { return sealed(engine.backend(), shape, assignment, false); },
                   isPython ? "<= raw + 6 ms" : "",
                   {}});
    all.push_back({"engine, cold", timed([&] { return engineRun(engine, id, code); }), {}, {}});
    // The engine expects the same shape, so both are served from one pool.
    all.push_back({"sandbox, warm",
                   [&] {
                       return warmed(warmEngine.backend(), [&] {
                           const auto process = warmEngine.backend().launch(shape, mayBeWarm, {});
                           return process && (*process)->isWarm() && runToEnd(**process);
                       });
                   },
                   warmPromise,
                   {}});
    all.push_back({"engine, warm",
                   [&] { return warmed(warmEngine.backend(), [&] { return engineRun(warmEngine, id, code); }); },
                   {},
                   {}});
    all.push_back({"glovebox run",
                   timed([&] {
                       const std::string program = GLOVEBOX_BIN "/glovebox";
                       return runProcess({program, "run", "-l", id.toStdString(), "-c", code.toStdString()}, withHome)
                              == 0;
                   }),
                   isPython ? "<= raw + 15 ms" : "",
                   {}});
    if (!measure(all, rounds))
        return false;
    print(qPrintable(id), all);
    return true;
}

// The cost of a run that leaves no file: its folder with the code in it is looked at.
bool compareNothingLeft(const QString &home, int rounds)
{
    const QByteArray code(2000, '#');
    const QString folder = home + u"/left"_s;
    QFile file(folder + u"/main.py"_s);
    if (!QDir().mkpath(folder) || !file.open(QIODevice::WriteOnly) || file.write(code) != code.size() || !file.flush())
        return false;
    const UniqueFd workspace(::open(QFile::encodeName(folder).constData(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    const ContentStore store(home + u"/data/store"_s);
    std::vector<Series> all;
    all.push_back({"raw", timed([] { return runProcess({"/bin/true"}, startEnvironment) == 0; }), {}, {}});
    all.push_back(
        {"nothing left",
         timed([&] {
             return collectFiles(store, {.workspace = workspace.get(), .run = u"bench"_s, .given = {{"main.py", code}}})
                    == Collection();
         }),
         "<= 0.3 ms",
         {}});
    if (!measure(all, rounds))
        return false;
    print("collecting files", all);
    return true;
}

} // namespace

GLOVEBOX_TEST_FILE
{
    const QCoreApplication application(argc, argv);
    const int rounds = argc > 1 ? std::max(1, QByteArray(argv[1]).toInt()) : 100;
    const QTemporaryDir home(argc > 2 && *argv[2] ? QString::fromLocal8Bit(argv[2]) + u"/bench-XXXXXX"_s
                                                  : QDir::tempPath() + u"/glovebox-bench-XXXXXX"_s);
    EngineConfig config;
    config.paths = {home.filePath(u"data"_s), home.filePath(u"config"_s), home.filePath(u"run"_s),
                    QStringLiteral(GLOVEBOX_LIBEXEC)};
    const Result<std::unique_ptr<Engine>> engine = Engine::open(config);
    if (!engine) {
        std::fprintf(stderr, "%s\n", qPrintable(engine.error().message.english()));
        return 1;
    }
    const QStringList parts = QCoreApplication::arguments().sliced(std::min(argc, 3));
    const auto isWanted = [&](const QString &part) { return parts.isEmpty() || parts.contains(part); };
    const auto language = [&](const QString &id, const QByteArray &code, const char *flag) {
        return !isWanted(id) || compareLanguage(**engine, config, id, code, flag, home.path(), rounds);
    };
    return (!isWanted(u"true"_s) || compareTrue(**engine, rounds))
                   && (!isWanted(u"left"_s) || compareNothingLeft(home.path(), rounds))
                   && language(u"python"_s, "pass", "-c") && language(u"node"_s, "0", "-e")
                   && language(u"bash"_s, ":", "-c") && language(u"sh"_s, ":", "-c")
               ? 0
               : 1;
}
