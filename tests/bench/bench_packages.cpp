// SPDX-License-Identifier: Apache-2.0
// What packages that are installed already add to a run: plain and with packages, in turns, by an engine that keeps sandboxes warm.
// Prints medians and ratios; asserts nothing. In the test internet, as the packages come from there.
//
// bench_packages [ROUNDS]   (default 50)
#include "measure.h"

#include "engine/engine.h"
#include "tests/support/testinternet/testinternet.h"

#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>

using namespace glovebox;
using namespace glovebox::bench;
using namespace Qt::StringLiterals;

namespace {

struct Case
{
    const char *title;
    QString language, index, packages;
    QByteArray plain, with;
};

bool makeIndex(const QString &script)
{
    return QProcess::execute(u"/usr/bin/python3"_s,
                             {u"-B"_s, QStringLiteral(GLOVEBOX_SOURCE_DIR "/tests/engine/packages/") + script,
                              QFileInfo(qEnvironmentVariable("TEST_INTERNET_LOG")).path()})
           == 0;
}

bool runs(Engine &engine, const Case &what, const std::optional<PackageWish> &wish)
{
    RunRequest request;
    request.code = wish ? what.with : what.plain;
    request.language = what.language;
    request.interpreter = u"/usr/bin/"_s + (what.language == u"node"_s ? u"node"_s : u"python3"_s);
    if (wish) { // as the second `run --with` does
        const auto installed = engine.packages().find(*wish);
        if (!installed || !*installed)
            return false;
        request.packages = (*installed)->id;
        request.interpreter = (*installed)->interpreter;
    }
    return engine.start(std::move(request))->wait()->outcome == Outcome::Completed;
}

bool compare(Engine &engine, const Case &what, int rounds)
{
    PackageWish wish;
    wish.language = what.language;
    wish.index = what.index;
    wish.interpreter = u"/usr/bin/"_s + (what.language == u"node"_s ? u"node"_s : u"python3"_s);
    wish.requirements = readRequirements(what.packages, what.language).value();
    const auto fetched = engine.packages().fetch(wish);
    const auto installed = fetched ? engine.packages().install(*fetched, wish) : std::unexpected(fetched.error());
    if (!installed) {
        std::fprintf(stderr, "%s: %s\n", what.title, qPrintable(installed.error().message.english()));
        return false;
    }
    std::vector<Series> all{
        {"a plain run", timed([&] { return runs(engine, what, std::nullopt); }), {}, {}},
        {"a run that imports a package", timed([&] { return runs(engine, what, wish); }), "<= plain + 20 ms", {}}};
    if (!measure(all, rounds))
        return false;
    print(what.title, all);
    return true;
}

} // namespace

GLOVEBOX_TEST_FILE
{
    enterTestInternet(argv);
    const QCoreApplication application(argc, argv);
    const int rounds = argc > 1 ? std::max(1, QByteArray(argv[1]).toInt()) : 50;
    QTemporaryDir home;
    EngineConfig config;
    config.paths = {home.filePath(u"data"_s), home.filePath(u"config"_s), home.filePath(u"run"_s),
                    QStringLiteral(GLOVEBOX_LIBEXEC)};
    config.keepsWarm = true;
    auto engine = Engine::open(std::move(config));
    if (!engine || !makeIndex(u"index.py"_s) || !makeIndex(u"registry.py"_s))
        return 1;
    const bool python = compare(
        **engine, {"Python, warm", u"python"_s, {}, u"branch"_s, "print(1)", "import branch\nprint(1)"}, rounds);
    const bool node = compare(**engine,
                              {"Node.js, warm", u"node"_s, u"https://registry.npmjs.org/npm"_s, u"branch"_s,
                               "console.log(1)", "require('branch'); console.log(1)"},
                              rounds);
    const QString data = (*engine)->paths().data;
    engine->reset();
    if (::geteuid() == 0)
        static_cast<void>(removeTree(u"/var/lib/glovebox/packages-"_s
                                     + QString::fromLatin1(sha256({QFile::encodeName(data)}).toHex().first(16))));
    return python && node ? 0 : 1;
}
