// SPDX-License-Identifier: Apache-2.0
// Whether an engine that lives long grows: very many runs of every kind in one engine, several at once, in the test internet. Looks at
// what the engine occupies after one run of each kind and then after each twentieth, when nothing runs, prints that, and says what grew.
//
// soak [RUNS]   (default 100,000)
// Exit status: 1 where something grew, or a run ended otherwise than it should.
#include "figures.h"
#include "load.h"

#include "tests/support/memorystore.h"
#include "tests/support/testinternet/testinternet.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <random>
#include <thread>

using namespace glovebox;
using namespace glovebox::soak;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

constexpr int looks = 20;
constexpr int callers = 6; // who wait for a run each; some runs wait for a slot
constexpr int slots = 4;

// Each kind as often as its weight says, in an order that is the same each time.
std::vector<const Kind *> orderOf(const std::vector<Kind> &kinds)
{
    std::vector<const Kind *> order;
    for (const Kind &kind : kinds)
        order.insert(order.end(), std::size_t(kind.weight), &kind);
    std::ranges::shuffle(order, std::mt19937(100)); // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
    return order;
}

// False: it ended otherwise than it should.
bool runOne(Engine &engine, const Kind &kind)
{
    const std::shared_ptr<Run> run = engine.start(kind.request);
    if (kind.meanwhile)
        kind.meanwhile(*run);
    const auto result = run->wait();
    const bool isRight = kind.outcomes.contains(result->outcome) && (!kind.says || result->out.kept() == *kind.says)
                         && (!kind.isRight || kind.isRight(*result));
    if (!isRight)
        std::fprintf(stderr, "%s: %s. %s\n%s%s\n", kind.name, qPrintable(toString(result->outcome)),
                     qPrintable(result->reason.english()), result->out.head.left(500).constData(),
                     result->err.head.left(500).constData());
    return isRight;
}

// Returns how many ended otherwise than they should.
int runSome(Engine &engine, const std::vector<const Kind *> &order, int from, int to)
{
    std::atomic<int> next = from;
    std::atomic<int> wrong = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < callers; ++i) {
            threads.emplace_back([&] {
                for (int at = next++; at < to; at = next++) {
                    if (!runOne(engine, *order[std::size_t(at) % order.size()]))
                        ++wrong;
                }
            });
        }
    }
    return wrong;
}

// What the last run's end takes with it goes a moment later, and the pool of warm sandboxes fills up again: looks until two looks in a row,
// with a while between them, see the same, or 5 s are over.
Figures settled(const QString &home, const QString &engineId)
{
    const auto count = [](const Figures &one) { return one.processes + one.descriptors + one.cgroups.value_or(0); };
    QElapsedTimer timer;
    timer.start();
    Figures before = look(home, engineId);
    for (;;) {
        std::this_thread::sleep_for(50ms);
        const Figures now = look(home, engineId);
        if (count(now) == count(before) || timer.elapsed() > 5000)
            return now;
        before = now;
    }
}

} // namespace

int main(int argc, char **argv)
{
    enterTestInternet(argv);
    const QCoreApplication application(argc, argv);
    const int runs = argc > 1 ? std::max(looks, QByteArray(argv[1]).toInt()) : 100'000;
    const QTemporaryDir home;
    const QTemporaryDir shown;
    EngineConfig config;
    config.paths = {home.filePath(u"data"_s), home.filePath(u"config"_s), home.filePath(u"run"_s),
                    QStringLiteral(GLOVEBOX_LIBEXEC)};
    auto settings = Settings::load(home.filePath(u"none"_s), {u"GLOVEBOX_ENGINE_MAX_CONCURRENT=%1"_s.arg(slots)});
    config.settings = settings ? *std::move(settings) : nullptr;
    config.stores = {makeMemoryStore()};
    config.keepsWarm = true;
    const auto opened = Engine::open(std::move(config));
    const auto kinds = opened ? allKinds(**opened, shown.path()) : std::unexpected(opened.error());
    if (!kinds) {
        std::fprintf(stderr, "%s\n", qPrintable(kinds.error().message.english()));
        return 1;
    }
    Engine &engine = **opened;
    const std::vector<const Kind *> order = orderOf(*kinds);
    std::vector<const Kind *> each;
    for (const Kind &kind : *kinds)
        each.push_back(&kind);
    int wrong = runSome(engine, each, 0, int(each.size())); // what the first of a kind makes isn't growth

    printHeading();
    QElapsedTimer timer;
    timer.start();
    QList<Figures> all;
    for (int part = 0; part <= looks; ++part) {
        const auto upTo = [&](int parts) { return int(qint64(runs) * parts / looks); };
        if (part > 0)
            wrong += runSome(engine, order, upTo(part - 1), upTo(part));
        Figures figures = settled(home.path(), engine.id());
        figures.runs = upTo(part);
        figures.seconds = double(timer.elapsed()) / 1000;
        print(figures);
        all.append(figures);
    }
    std::printf("%.1f ms a run, %d at once; %.0f bytes of log a run\n", all.last().seconds * 1000 / runs, slots,
                double(all.last().logBytes - all.first().logBytes) / runs);
    const QList<std::string> grew = whatGrew(all);
    for (const std::string &sentence : grew)
        std::printf("Not flat: %s\n", sentence.c_str());
    if (wrong > 0)
        std::printf("%d runs ended otherwise than they should.\n", wrong);
    std::printf("%s\n", grew.isEmpty() && wrong == 0 ? "Everything is flat." : "Not everything is as it should be.");
    return grew.isEmpty() && wrong == 0 ? 0 : 1;
}
