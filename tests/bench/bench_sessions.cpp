// SPDX-License-Identifier: Apache-2.0
// What a session adds to a warm run, by how much is in it, and how long forking, going back and deleting take, against copying the same
// files with cp. Prints medians and ratios; asserts nothing.
//
// bench_sessions [ROUNDS [FOLDER]]   (default 20; FOLDER holds the sessions, default a temporary one)
#include "measure.h"

#include "engine/engine.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

#include <cstdio>

using namespace glovebox;
using namespace glovebox::bench;
using namespace Qt::StringLiterals;
using SteadyClock = std::chrono::steady_clock;

namespace {

double milliseconds(SteadyClock::duration time)
{
    return std::chrono::duration<double, std::milli>(time).count();
}

template<typename Work> double timeOf(Work work)
{
    const auto begin = SteadyClock::now();
    work();
    return milliseconds(SteadyClock::now() - begin);
}

double median(std::vector<double> times)
{
    std::ranges::sort(times);
    return times[times.size() / 2];
}

void makeTree(const QString &folder, int files, qint64 bytes)
{
    for (int i = 0; i < files; ++i) {
        const QString place = u"%1/%2"_s.arg(folder).arg(i % 100);
        QDir().mkpath(place);
        QFile file(u"%1/%2"_s.arg(place).arg(i));
        if (file.open(QIODevice::WriteOnly))
            file.write(QByteArray::number(i) + QByteArray(bytes, 'x'));
    }
}

double runTime(Engine &engine, const QString &session, const QByteArray &code, int rounds)
{
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) {
        RunRequest request;
        request.language = u"python"_s;
        request.code = code;
        request.policy = engine.settings().policy();
        request.session = session;
        times.push_back(timeOf([&] { engine.start(request)->wait(); }));
    }
    return median(times);
}

} // namespace

GLOVEBOX_TEST_FILE
{
    const QCoreApplication app(argc, argv);
    const int rounds = argc > 1 ? std::max(1, QByteArray(argv[1]).toInt()) : 20;
    QTemporaryDir temporary;
    const QString home = argc > 2 ? QString::fromLocal8Bit(argv[2]) : temporary.path();
    EngineConfig config;
    config.paths = {home + u"/data"_s, home + u"/config"_s, home + u"/run"_s, QStringLiteral(GLOVEBOX_LIBEXEC)};
    config.keepsWarm = true;
    const auto engine = Engine::open(std::move(config));
    if (!engine) {
        std::fprintf(stderr, "%s\n", qPrintable(engine.error().message.english()));
        return 1;
    }
    const Caller &caller = (*engine)->caller();
    const double plain = runTime(**engine, {}, "pass", rounds);
    std::printf("a run without a session            %8.1f ms\n", plain);
    struct Size
    {
        int files;
        qint64 bytes;
    };
    for (const auto &[files, bytes] :
         {Size{0, 0}, Size{10, 1000}, Size{1000, 1000}, Size{1000, 100'000}, Size{10'000, 100'000}}) {
        const QString tree = home + u"/tree"_s;
        QDir(tree).removeRecursively();
        QDir().mkpath(tree);
        makeTree(tree, files, bytes);
        const auto session = (*engine)->createSession({.diskBytes = 2048 * mebibyte}, caller);
        const double put =
            timeOf([&] { std::ignore = (*engine)->changeSession(session->id, PutFile{tree, "tree"}, caller); });
        const double idle = runTime(**engine, session->id, "pass", files > 5000 ? 3 : rounds);
        const double writes = runTime(**engine, session->id, "import os; open('f', 'wb').write(os.urandom(1000))",
                                      files > 5000 ? 3 : rounds);
        Result<Session> fork;
        const double forked =
            timeOf([&] { fork = (*engine)->forkSession(session->id, 0, {.diskBytes = 2048 * mebibyte}, caller); });
        const double back = timeOf([&] { std::ignore = (*engine)->changeSession(session->id, RollBack{1}, caller); });
        const double removed = timeOf([&] { std::ignore = (*engine)->deleteSession(session->id, caller); });
        const double last = timeOf([&] { std::ignore = (*engine)->deleteSession(fork->id, caller); });
        const QString copy = home + u"/copy"_s;
        const double copied = timeOf([&] { QProcess::execute(u"cp"_s, {u"-a"_s, tree, copy}); });
        QDir(copy).removeRecursively();
        std::printf(
            "%6d files, %7.1f MB: put %7.0f ms, run +%7.1f ms, run that writes +%7.1f ms, fork %7.1f ms (cp -a %7.1f), "
            "back %6.1f ms, delete %7.1f ms, its fork %7.1f ms\n",
            files, double(files) * double(bytes) / 1e6, put, idle - plain, writes - plain, forked, copied, back,
            removed, last);
        std::fflush(stdout);
    }
    return 0;
}
