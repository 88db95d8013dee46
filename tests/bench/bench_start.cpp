// SPDX-License-Identifier: Apache-2.0
// How much Glovebox adds to starting an interpreter: raw start, `glovebox run` as a whole process, and a run of an engine that
// is already open, for each language, interleaved in one process so that they meet the same noise. Prints medians and ratios;
// asserts nothing.
//
// bench_start [ROUNDS]   (default 100; GLOVEBOX_HOME is a temporary folder)
#include "engine/engine.h"

#include <QCoreApplication>
#include <QTemporaryDir>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

using SteadyClock = std::chrono::steady_clock;

// Exit status of a program with a clean environment and no output.
int runProcess(const std::vector<std::string> &arguments, const std::vector<std::string> &environment)
{
    const auto pointers = [](const std::vector<std::string> &list) {
        std::vector<char *> all;
        for (const std::string &text : list)
            all.push_back(const_cast<char *>(text.c_str()));
        all.push_back(nullptr);
        return all;
    };
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    for (int fd : {0, 1})
        ::posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
    pid_t pid = -1;
    int status = -1;
    if (::posix_spawn(&pid, arguments.front().c_str(), &actions, nullptr, pointers(arguments).data(),
                      pointers(environment).data())
        == 0)
        ::waitpid(pid, &status, 0);
    ::posix_spawn_file_actions_destroy(&actions);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct Series
{
    const char *name;
    std::function<bool()> once;
    std::vector<double> milliseconds;

    double percentile(double part) const
    {
        std::vector<double> sorted = milliseconds;
        std::ranges::sort(sorted);
        return sorted.at(static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1)));
    }
};

bool measure(std::vector<Series> &all, int rounds)
{
    for (int round = -3; round < rounds; ++round) { // three to warm up
        for (Series &series : all) {
            const auto begin = SteadyClock::now();
            if (!series.once()) {
                std::fprintf(stderr, "%s failed\n", series.name);
                return false;
            }
            const std::chrono::duration<double, std::milli> took = SteadyClock::now() - begin;
            if (round >= 0)
                series.milliseconds.push_back(took.count());
        }
    }
    return true;
}

bool engineRun(Engine &engine, const QString &language, const QByteArray &code)
{
    RunRequest request;
    request.language = language;
    request.code = code;
    request.policy = engine.settings().policy();
    return engine.start(std::move(request))->wait()->outcome == Outcome::Completed;
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 100;
    const QTemporaryDir home;
    EngineConfig config;
    config.paths = {home.filePath(u"data"_s), home.filePath(u"config"_s), home.filePath(u"run"_s),
                    QStringLiteral(GLOVEBOX_LIBEXEC)};
    const Result<std::unique_ptr<Engine>> engine = Engine::open(config);
    if (!engine) {
        std::fprintf(stderr, "%s\n", qPrintable(engine.error().message.english()));
        return 1;
    }
    const std::string program = GLOVEBOX_BIN "/glovebox";
    const std::vector<std::string> clean{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"};
    std::vector<std::string> withHome = clean;
    withHome.push_back("GLOVEBOX_HOME=" + home.path().toStdString());

    struct Case
    {
        const char *language;
        std::string code;
        const char *flag;
    } const cases[] = {{"python", "pass", "-c"}, {"node", "0", "-e"}, {"bash", ":", "-c"}, {"sh", ":", "-c"}};
    std::printf("%-8s %-22s %10s %10s %8s %10s\n", "language", "what", "median ms", "p90 ms", "ratio", "added ms");
    for (const Case &c : cases) {
        const QString language = QString::fromLatin1(c.language);
        const auto interpreter = engine.value()->languages().find(**engine.value()->languages().byId(language));
        if (!interpreter) {
            std::printf("%-8s skipped: %s\n", c.language, qPrintable(interpreter.error().message.english()));
            continue;
        }
        std::vector<Series> all;
        all.push_back({"raw interpreter",
                       [&] { return runProcess({interpreter->path.toStdString(), c.flag, c.code}, clean) == 0; }});
        all.push_back({"engine run", [&] { return engineRun(**engine, language, QByteArray::fromStdString(c.code)); }});
        all.push_back({"glovebox run",
                       [&] { return runProcess({program, "run", "-l", c.language, "-c", c.code}, withHome) == 0; }});
        if (!measure(all, rounds))
            return 1;
        const double base = all.front().percentile(0.5);
        for (const Series &series : all)
            std::printf("%-8s %-22s %10.2f %10.2f %8.2f %+10.2f\n", c.language, series.name, series.percentile(0.5),
                        series.percentile(0.9), series.percentile(0.5) / base, series.percentile(0.5) - base);
    }
    return 0;
}
