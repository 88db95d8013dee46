// SPDX-License-Identifier: Apache-2.0
// The scrubber gives what the slow reference gives, however the stream is cut. Input: values, each ended by a newline, then, after an
// empty line, the stream; an @ and a digit in the stream stand for a form of a value, so that the fuzzer need not find hexadecimal
// digits by itself.
#include "tests/engine/vault/scrub/scrubforms.h"
#include "tests/engine/vault/scrub/scrubreference.h"

#include <cassert>
#include <cstdint>

using namespace glovebox;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    constexpr std::size_t largest = 600; // the reference is slow
    constexpr qsizetype longestStream = 400;
    const QByteArray input(reinterpret_cast<const char *>(data), static_cast<qsizetype>(std::min(size, largest)));
    const qsizetype middle = input.indexOf("\n\n");
    if (middle < 0)
        return 0;
    std::vector<reference::Secret> secrets;
    for (const QByteArray &value : input.first(middle).split('\n')) {
        if (secrets.size() < 8)
            secrets.push_back({QByteArray::number(int(secrets.size())), value});
    }
    QByteArray stream;
    for (qsizetype i = middle + 2; i < input.size() && stream.size() < longestStream; ++i) {
        const int form = input[i] == '@' && i + 1 < input.size() ? input[i + 1] - '0' : -1;
        const QByteArray &value = secrets[static_cast<std::size_t>(i) % secrets.size()].value;
        switch (form) {
        case 0:
            stream += value;
            break;
        case 1:
            stream += value.toHex();
            break;
        case 2:
            stream += value.toBase64();
            break;
        case 3:
            stream += ('x' + value).toBase64(QByteArray::Base64UrlEncoding);
            break;
        case 4:
            stream += value.toPercentEncoding();
            break;
        case 5:
            stream += reference::reversed(value);
            break;
        case 6:
            stream += "\\u00" + value.left(1).toHex() + value.mid(1);
            break;
        case 7:
            stream += value.chopped(value.isEmpty() ? 0 : 1);
            break;
        default:
            // From ':' on, one after the other.
            if (form > 9 && std::size_t(form - 10) < forms::all().size() && !value.isEmpty()) {
                stream += forms::all()[std::size_t(form - 10)].of(value);
                break;
            }
            stream += input[i];
            continue;
        }
        ++i;
    }
    const auto plan = reference::planOf(secrets);
    assert(plan->scrubbed(QByteArrayView(stream)) == reference::scrubbed(secrets, stream, false));
    const QByteArray expected = reference::scrubbed(secrets, stream);
    for (const qsizetype step : {1, 2, 3, 7, 1000})
        assert(reference::scrubInPieces(plan, stream, step) == expected);
    return 0;
}
