// SPDX-License-Identifier: Apache-2.0
// What counting a run costs: from the request to the verified report, once with the best that this machine gives (a cgroup) and
// once without, interleaved. And the first start of a launcher, which finds out who counts. Asserts nothing.
//
// bench_limits [ROUNDS]   (default 100)
#include "measure.h"

#include "engine/sandbox/native/native.h"

#include <QCoreApplication>

#include <cstdlib>

using namespace glovebox;
using namespace glovebox::bench;
using namespace Qt::StringLiterals;

namespace {

std::unique_ptr<Backend> backend(bool leaves)
{
    return makeNativeBackend(QStringLiteral(GLOVEBOX_LIBEXEC), u"bench"_s,
                             {.only = NativeBuilder::Direct, .leaves = leaves});
}

bool launch(Backend &in)
{
    SandboxShape shape;
    shape.argv = {"/bin/true"};
    return in.launch(shape, {}, {}).has_value();
}

} // namespace

GLOVEBOX_TEST_FILE
{
    const QCoreApplication app(argc, argv);
    const int rounds = argc > 1 ? std::max(QByteArray(argv[1]).toInt(), 1) : 100;
    const auto counted = backend(true);
    const auto watched = backend(false);
    std::vector<Series> all;
    all.push_back({"verified, watched", timed([&] { return launch(*watched); })});
    all.push_back({"verified, counted", timed([&] { return launch(*counted); })});
    all.push_back({"first one, watched", timed([] { return launch(*backend(false)); })});
    all.push_back({"first one, counted", timed([] { return launch(*backend(true)); })});
    if (!measure(all, rounds))
        return 1;
    print("limits", all);
    return 0;
}
