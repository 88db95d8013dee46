// SPDX-License-Identifier: Apache-2.0
// What an engine bears: runs a second, two at once, against plain subprocesses; and a flood of output against a bare reader of
// a pipe, with the memory that it costs. Blocks of both take turns. Prints medians and ratios; asserts nothing.
//
// bench_flow [BLOCKS [FOLDER]]   (default 12; FOLDER holds the record, default a temporary one)
#include "measure.h"

#include "engine/engine.h"

#include <QCoreApplication>
#include <QDir>
#include <QTemporaryDir>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <thread>

using namespace glovebox;
using namespace glovebox::bench;
using namespace Qt::StringLiterals;

namespace {

constexpr int runsOfBlock = 30;
constexpr int atOnce = 2;
constexpr qint64 flood = 1024 * mebibyte;
const std::vector<std::string> cleanEnvironment{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"};

RunRequest request(Engine &engine, const QString &language, const QByteArray &code)
{
    RunRequest request;
    request.language = language;
    request.code = code;
    request.policy = engine.settings().policy();
    return request;
}

bool plainBlock(const std::string &interpreter)
{
    std::array<bool, atOnce> fine{};
    {
        std::vector<std::jthread> threads;
        for (bool &one : fine)
            threads.emplace_back([&] {
                one = true;
                for (int i = 0; i < runsOfBlock / atOnce; ++i)
                    one = runProcess({interpreter, "-c", "pass"}, cleanEnvironment) == 0 && one;
            });
    }
    return std::ranges::all_of(fine, [](bool one) { return one; });
}

bool engineBlock(Engine &engine)
{
    std::vector<std::shared_ptr<Run>> runs;
    for (int i = 0; i < runsOfBlock; ++i)
        runs.push_back(engine.start(request(engine, u"python"_s, "pass")));
    return std::ranges::all_of(runs, [](const auto &run) { return run->wait()->outcome == Outcome::Completed; });
}

const std::string floodSize = std::to_string(flood);

bool plainFlood()
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return false;
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    std::array<std::string, 4> words{"head", "-c", floodSize, "/dev/zero"};
    std::array<char *, 5> arguments{words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr};
    std::array<char *, 1> environment{nullptr};
    pid_t pid = -1;
    const int error = ::posix_spawn(&pid, "/usr/bin/head", &actions, nullptr, arguments.data(), environment.data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    static std::array<char, 65536> part;
    qint64 total = 0;
    ssize_t got = 0;
    while (error == 0 && (got = ::read(ends[0], part.data(), part.size())) > 0)
        total += got;
    ::close(ends[0]);
    ::waitpid(pid, nullptr, 0);
    return total == flood;
}

bool engineFlood(Engine &engine)
{
    RunRequest flooding = request(engine, u"sh"_s, "exec head -c " + QByteArray::number(flood) + " /dev/zero");
    flooding.policy.limits.outputBytes = mebibyte;
    flooding.policy.limits.wall = std::chrono::seconds(120);
    return engine.start(std::move(flooding))->wait()->out.totalBytes == flood;
}

qint64 peakBytes()
{
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss * kibibyte;
}

} // namespace

GLOVEBOX_TEST_FILE
{
    const QCoreApplication application(argc, argv);
    const int blocks = argc > 1 ? std::max(1, QByteArray(argv[1]).toInt()) : 12;
    const QTemporaryDir home(argc > 2 ? QString::fromLocal8Bit(argv[2]) + u"/bench-XXXXXX"_s
                                      : QDir::tempPath() + u"/glovebox-bench-XXXXXX"_s);
    EngineConfig config;
    config.paths = {home.filePath(u"data"_s), home.filePath(u"config"_s), home.filePath(u"run"_s),
                    QStringLiteral(GLOVEBOX_LIBEXEC)};
    config.settings = std::move(*Settings::load(home.filePath(u"none"_s), {u"GLOVEBOX_ENGINE_MAX_CONCURRENT=2"_s}));
    const Result<std::unique_ptr<Engine>> opened = Engine::open(config);
    if (!opened) {
        std::fprintf(stderr, "%s\n", qPrintable(opened.error().message.english()));
        return 1;
    }
    Engine &engine = **opened;
    const auto interpreter = engine.languages().find(**Languages::byId(u"python"_s));
    if (!interpreter)
        return 1;

    std::vector<Series> runs;
    runs.push_back({"raw", timed([&] { return plainBlock(interpreter->path.toStdString()); }), {}, {}});
    runs.push_back({"engine, cold", timed([&] { return engineBlock(engine); }), {}, {}});
    if (!measure(runs, blocks))
        return 1;
    print("30 Python runs, 2 at once", runs);
    const double raw = runs[0].percentile(0.5);
    std::printf("runs a second: raw %.1f, engine %.1f: %.2f x  (promised >= 0.6 x)\n", runsOfBlock * 1000 / raw,
                runsOfBlock * 1000 / runs[1].percentile(0.5), raw / runs[1].percentile(0.5));

    std::vector<Series> floods;
    floods.push_back({"bare reader", timed(plainFlood), {}, {}});
    floods.push_back({"engine, cap 1 MiB", timed([&] { return engineFlood(engine); }), {}, {}});
    const qint64 before = peakBytes();
    if (!measure(floods, blocks))
        return 1;
    print("1 GiB of output", floods);
    std::printf("throughput: %.2f x  (promised >= 0.5 x); memory grew by %.1f MiB (promised < 32)\n",
                floods[0].percentile(0.5) / floods[1].percentile(0.5), double(peakBytes() - before) / mebibyte);
    return 0;
}
