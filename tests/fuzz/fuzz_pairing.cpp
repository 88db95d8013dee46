// SPDX-License-Identifier: Apache-2.0
// What a program or a browser sends to be paired: a form means one thing or nothing, and no address that is allowed leads off this
// machine, whoever reads it.
#include "engine/mcp/transports/http/pairing/parameters.h"

#include <QUrl>

#include <cassert>
#include <cstdint>

using namespace glovebox::mcp;

namespace {

void checkForm(const QByteArray &bytes)
{
    const auto parameters = parametersIn(bytes);
    if (!parameters)
        return;
    QByteArray again;
    for (const auto &[name, value] : *parameters) {
        assert(!value.isEmpty());
        again += (again.isEmpty() ? "" : "&") + name.toPercentEncoding() + '=' + value.toPercentEncoding();
    }
    assert(parametersIn(again) == parameters);
    if (!again.isEmpty() && !parameters->contains(QByteArray()))
        assert(!parametersIn(again + '&' + again)); // each is named once
}

void checkAddress(const QByteArray &address)
{
    if (!isRedirectAllowed(address))
        return;
    assert(isSameRedirect(address, address));
    const QUrl url(QString::fromLatin1(address));
    assert(url.userInfo().isEmpty() && !url.hasFragment());
    if (url.scheme() == QStringLiteral("http"))
        assert(url.host() == QStringLiteral("127.0.0.1") || url.host() == QStringLiteral("::1")
               || url.host() == QStringLiteral("localhost"));
    else
        assert(address == "cursor://anysphere.cursor-mcp/oauth/callback");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArray bytes(reinterpret_cast<const char *>(data), qsizetype(size));
    checkForm(bytes);
    checkAddress(bytes);
    const qsizetype half = bytes.indexOf('\n');
    if (half < 0)
        return 0;
    const QByteArray registered = bytes.first(half), asked = bytes.sliced(half + 1);
    checkAddress(registered);
    checkAddress(asked);
    if (isSameRedirect(registered, asked)) {
        assert(isRedirectAllowed(registered) && isRedirectAllowed(asked) && isSameRedirect(asked, registered));
        const QUrl one(QString::fromLatin1(registered)), other(QString::fromLatin1(asked));
        assert(one.host() == other.host() && one.path() == other.path() && one.query() == other.query());
    }
    assert(isSameSecret(registered, asked) == (registered == asked && !asked.isEmpty()));
    return 0;
}
