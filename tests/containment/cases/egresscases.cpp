// SPDX-License-Identifier: Apache-2.0
// Cases 39 and 42 to 47 with an allowlist: what a run that may reach something reaches besides. In the test internet, whose
// servers say who came.
#include "tests/containment/field.h"

#include "tests/support/signals.h"
#include "tests/support/testinternet/testinternet.h"

#include <QDir>

#include <csignal>

namespace containment {

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

Policy allowing(const QStringList &hosts)
{
    Policy policy;
    policy.allow = hosts;
    return policy;
}

// Lets the commands loose, and says whether something happened that begins with one of these.
bool happens(Field &field, const QByteArrayList &commands, const QByteArrayList &marks, const QStringList &allowed)
{
    if (!qEnvironmentVariableIsSet("TEST_INTERNET_LOG")) {
        field.doesNotApply(u"in the test internet (containment_internet)"_s);
        return false;
    }
    const InternetLog log;
    const auto attempt = field.start({.deed = "commands", .words = commands, .policy = allowing(allowed)});
    attempt->finish();
    QByteArrayList seen;
    for (const QByteArray &mark : marks) {
        if (log.count(mark) > 0)
            seen.append(mark);
    }
    if (!seen.isEmpty() && field.isSealed())
        field.note(QString::fromUtf8(seen.join(", ")));
    return !seen.isEmpty();
}

const QStringList &someHosts()
{
    static const QStringList hosts{u"*.allowed.test"_s, u"*.trap.test"_s};
    return hosts;
}

// Each way; outside of a run there are no proxies, and the last two commands get nowhere.
QByteArrayList everyWay(const QByteArray &place)
{
    return {"curl -sk -m 3 " + place, "curl -sk -m 3 --noproxy '*' " + place,
            "curl -sk -m 3 --socks5-hostname 127.0.0.1:1080 " + place, "curl -sk -m 3 -p -x 127.0.0.1:3128 " + place};
}

bool reachesDeniedHosts(Field &field)
{
    return happens(
        field, everyWay("http://denied.test/") + everyWay("https://denied.test/") + everyWay("http://203.0.113.20/"),
        {"accept 203.0.113.20", "accept 2001:db8:2::20", "request http denied", "request https denied"}, someHosts());
}

bool reachesPrivateAddresses(Field &field)
{
    QByteArrayList commands;
    for (const char *trap : {"loopback", "loopback6", "zero", "linklocal", "metadata", "private", "shared", "own",
                             "own6", "mapped", "nat64", "sixtofour", "alias", "rebind", "rebind"})
        commands.append("curl -s -m 2 http://" + QByteArray(trap) + ".trap.test/; curl -s -m 2 --noproxy '*' http://"
                        + QByteArray(trap) + ".trap.test/");
    for (const char *spelling : {"127.0.0.1", "0x7f.1", "2130706433", "0177.0.0.1", "[::ffff:127.0.0.1]", "[::1]", "0"})
        commands.append("curl -s -m 2 -g -x 127.0.0.1:3128 http://" + QByteArray(spelling)
                        + "/; curl -s -m 2 -g --noproxy '*' http://" + QByteArray(spelling) + "/");
    return happens(field, commands, {"canary"}, someHosts());
}

bool reachesByTricksInNames(Field &field)
{
    QByteArrayList commands = everyWay("http://evil-allowed.test/") + everyWay("http://allowed.test.evil.test/");
    for (const char *host : {"www.allowed.test\\0.evil-allowed.test", "www.allowed.test%%00.evil-allowed.test",
                             "www.allowed.test@evil-allowed.test", "www.allowed.test\\r\\nHost: evil-allowed.test"})
        commands.append(
            "printf 'GET http://" + QByteArray(host)
            + "/ HTTP/1.1\\r\\nHost: evil-allowed.test\\r\\n\\r\\n' | curl -s -m 2 telnet://127.0.0.1:3128");
    return happens(field, commands, {"accept 203.0.113.21", "request http evil", "request http allowed.test.evil"},
                   someHosts());
}

bool isRedirectedToDenied(Field &field)
{
    return happens(field,
                   {"curl -sL -m 3 'http://www.allowed.test/redirect?to=http://denied.test/'",
                    "curl -sL -m 3 --noproxy '*' 'http://www.allowed.test/redirect?to=http://denied.test/'"},
                   {"request http denied"}, someHosts());
}

bool hidesBehindAllowedName(Field &field)
{
    return happens(
        field,
        {"curl -sk -m 3 --connect-to tenant.denied.test:443:www.allowed.test:443 https://tenant.denied.test/",
         ("curl -sk -m 3 --noproxy '*' --connect-to tenant.denied.test:443:www.allowed.test:443 "
          "https://tenant.denied.test/"),
         "curl -s -m 3 -H 'Host: tenant.denied.test' http://www.allowed.test/",
         "curl -s -m 3 --noproxy '*' -H 'Host: tenant.denied.test' http://www.allowed.test/",
         "curl -s -m 3 -p -H 'Host: tenant.denied.test' http://www.allowed.test/"},
        {"sni tenant", "request https tenant", "request http tenant"}, someHosts());
}

// The one that serves a run of ours.
QList<qint64> egressPrograms()
{
    QList<qint64> found = descendantsOf(::getpid());
    found.removeIf([](qint64 pid) { return procFile(pid, "comm").trimmed() != "glovebox-egress"; });
    return found;
}

bool reachesWithoutProxyProgram(Field &field)
{
    if (!qEnvironmentVariableIsSet("TEST_INTERNET_LOG")) {
        field.doesNotApply(u"in the test internet (containment_internet)"_s);
        return false;
    }
    const InternetLog log;
    const auto attempt = field.start({.deed = "commands",
                                      .words = {"sleep 1; curl -s -m 3 http://www.allowed.test/after",
                                                "curl -s -m 3 --noproxy '*' http://www.allowed.test/after",
                                                "curl -s -m 3 http://203.0.113.10/after"},
                                      .policy = allowing({u"www.allowed.test"_s, u"203.0.113.10"_s})});
    if (field.isSealed()) {
        if (!waitFor([] { return !egressPrograms().isEmpty(); })) {
            field.doesNotApply(u"no program to kill"_s);
            return false;
        }
        for (const qint64 pid : egressPrograms())
            sendSignal(pid, SIGKILL);
    }
    attempt->finish();
    return log.count("request http www.allowed.test GET /after") > 0 || log.count("request http 203.0.113.10 GET") > 0;
}

} // namespace

const QList<Case> egressCases{
    {"42", "a denied host by HTTP, CONNECT, SOCKS5, transparent", reachesDeniedHosts},
    {"43", "an allowed name that resolves to a private address", reachesPrivateAddresses},
    {"44", "suffix tricks in host names", reachesByTricksInNames},
    {"45", "redirect from an allowed to a denied host", isRedirectedToDenied},
    {"46", "CONNECT with another SNI, requests with another Host", hidesBehindAllowedName},
    {"47", "the proxy killed in the middle", reachesWithoutProxyProgram},
};

} // namespace containment
