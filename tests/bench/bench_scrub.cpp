// SPDX-License-Identifier: Apache-2.0
// What looking for secrets costs: bytes a second through a scrubber on one core, against memcpy() of the same bytes in the same
// run. Prints medians and ratios; asserts nothing.
//
// bench_scrub [ROUNDS]   (default 15)
#include "measure.h"

#include "engine/vault/scrub/scrub.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <random>

using namespace glovebox;
using namespace glovebox::bench;

namespace {

constexpr qsizetype size = 32 * 1024 * 1024;
constexpr qsizetype piece = 64 * 1024; // what the pump reads at once

std::mt19937 engine(6); // NOLINT: the same bytes each time

QByteArray randomText(qsizetype bytes, QByteArrayView alphabet)
{
    QByteArray text(bytes, '\0');
    for (char &c : text)
        c = alphabet.at(static_cast<qsizetype>(engine() % std::size_t(alphabet.size())));
    return text;
}

std::shared_ptr<const ScrubPlan> planOf(int count, std::vector<QByteArray> &values)
{
    std::vector<ScrubPlan::Secret> secrets;
    values.clear();
    for (int i = 0; i < count; ++i)
        values.push_back(randomText(40, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"));
    for (int i = 0; i < count; ++i)
        secrets.push_back({QStringLiteral("S%1").arg(i), values[std::size_t(i)]});
    return std::make_shared<const ScrubPlan>(secrets);
}

// Like the log of a server: words, numbers, punctuation and lines.
QByteArray logText()
{
    QByteArray text;
    while (text.size() < size) {
        text += "2026-11-21T16:40:" + QByteArray::number(engine() % 60) + " INFO  request "
                + QByteArray::number(engine()) + " \"GET /index/"
                + randomText(1 + qsizetype(engine() % 12), "abcdefghijklmnopqrstuvwxyz") + "?a="
                + QByteArray::number(engine() % 1000) + " HTTP/1.1\" 200 " + randomText(24, "0123456789abcdef") + '\n';
    }
    return text.first(size);
}

} // namespace

GLOVEBOX_TEST_FILE
{
    const int rounds = argc > 1 ? std::max(1, QByteArray(argv[1]).toInt()) : 15;
    std::vector<QByteArray> values;
    const auto one = planOf(1, values);
    const auto many = planOf(256, values);
    const QByteArray log = logText();
    const QByteArray base64 = randomText(size, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
    QByteArray bytes(size, '\0');
    for (char &c : bytes)
        c = static_cast<char>(engine());
    QByteArray secrets;
    while (secrets.size() < size)
        secrets += values[engine() % values.size()] + ' ';
    secrets.truncate(size);
    QByteArray escapes = QByteArray("\\u0041%41\\\\").repeated(size / 11);

    QByteArray target(size, 'x');
    QByteArray out;
    const auto through = [&](const std::shared_ptr<const ScrubPlan> &plan, const QByteArray &text) {
        return timed([&, plan] {
            Scrubber scrubber(plan);
            for (qsizetype at = 0; at < text.size(); at += piece) {
                out.resize(0);
                scrubber.feed(QByteArrayView(text).sliced(at, std::min(piece, text.size() - at)), out);
            }
            scrubber.finish(out);
            return true;
        });
    };
    std::vector<Series> all{
        {"memcpy",
         timed([&] {
             std::memcpy(target.data(), log.constData(), std::size_t(size));
             return true;
         }),
         {},
         {}},
        {"a log, 1 secret", through(one, log), "memcpy / 0.03", {}},
        {"a log, 256 secrets", through(many, log), "memcpy / 0.01", {}},
        {"base64, 256 secrets", through(many, base64), "memcpy / 0.03", {}},
        {"random bytes, 256 secrets", through(many, bytes), "memcpy / 0.02", {}},
        {"nothing but secrets, 256", through(many, secrets), {}, {}},
        {"nothing but escapes, 256", through(many, escapes), {}, {}},
        {"building a plan of 256", timed([&] { return planOf(256, values) != nullptr; }), {}, {}},
    };
    if (!measure(all, rounds))
        return 1;
    print("32 MiB through the scrubber, in pieces of 64 KiB", all);
    for (const Series &series : all)
        std::printf("%-28s %8.0f MB/s   %.3f x memcpy\n", series.name.c_str(),
                    double(size) / 1e3 / series.percentile(0.5), all.front().percentile(0.5) / series.percentile(0.5));
    return 0;
}
