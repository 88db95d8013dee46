// SPDX-License-Identifier: Apache-2.0
// Sentences for bad entries, and the presets.
#include "network.h"

#include <QSysInfo>
#include <QUrl>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;
using network::HostFault;
using network::RuleFault;

namespace {

// %1 is the entry as it was written.
constexpr auto hostSentences = namesOf<HostFault>({
    {HostFault::Empty, QT_TRANSLATE_NOOP("engine", "\"%1\" names no host. Write it as HOST or HOST:PORT.")},
    {HostFault::TooLong,
     QT_TRANSLATE_NOOP("engine", "\"%1\" is too long: a host has at most 253 characters, and 63 between two dots.")},
    {HostFault::NotAscii,
     QT_TRANSLATE_NOOP("engine", "\"%1\" has letters that host names don't have. Write its form that begins with "
                                 "\"xn--\", so that it can't be taken for another.")},
    {HostFault::BadCharacter,
     QT_TRANSLATE_NOOP("engine", "\"%1\" is not a host name. Host names have letters, digits, hyphens and dots.")},
    {HostFault::BadLabel,
     QT_TRANSLATE_NOOP("engine",
                       "\"%1\" is not a host name. A letter or digit begins and ends each part between dots, and "
                       "\"--\" comes only after \"xn\".")},
    {HostFault::NumericSpelling,
     QT_TRANSLATE_NOOP("engine", "\"%1\" is not a valid IPv4 address. Write four decimal numbers, such as "
                                 "192.0.2.1.")},
    {HostFault::BadAddress,
     QT_TRANSLATE_NOOP("engine", "\"%1\" is not an IPv6 address. Write it as [2001:db8::1] or [2001:db8::1]:443.")},
    {HostFault::EmbeddedAddress,
     QT_TRANSLATE_NOOP("engine", "\"%1\" is an IPv6 address that carries an IPv4 address. Write the IPv4 address.")},
});
constexpr auto ruleSentences = namesOf<RuleFault>({
    {RuleFault::Empty, QT_TRANSLATE_NOOP("engine", "A host to allow is empty. Write it as HOST or HOST:PORT.")},
    {RuleFault::Range, QT_TRANSLATE_NOOP("engine", "\"%1\" is a range of addresses. Ranges aren't supported. Name each "
                                                   "address.")},
    {RuleFault::List, QT_TRANSLATE_NOOP("engine", "\"%1\" holds several hosts. Give each host by itself.")},
    {RuleFault::Url,
     QT_TRANSLATE_NOOP("engine", "\"%1\" is the address of a page. Give only the host, such as example.org.")},
    {RuleFault::Everything,
     QT_TRANSLATE_NOOP("engine", "\"%1\" would allow every host. Name the hosts that are needed.")},
    {RuleFault::TopLevel,
     QT_TRANSLATE_NOOP("engine", "\"%1\" would allow a whole top-level domain. Name a domain below it, such as "
                                 "*.example.org.")},
    {RuleFault::BadWildcard,
     QT_TRANSLATE_NOOP("engine",
                       "In \"%1\" the star is in the wrong place. The star can only stand for all names below a "
                       "domain, as in *.example.org.")},
    {RuleFault::NoMachine,
     QT_TRANSLATE_NOOP("engine", "\"%1\" is the address of no single machine. Name the address of a host.")},
    {RuleFault::BadPort, QT_TRANSLATE_NOOP("engine", "In \"%1\" the port must be a number between 1 and 65535.")},
    {RuleFault::Unbracketed,
     QT_TRANSLATE_NOOP("engine", "\"%1\" has more than one colon. Write an IPv6 address in brackets, as in "
                                 "[2001:db8::1]:443.")},
    {RuleFault::BadHost, "%1"}, // the host's sentence
});

const char *sentence(const network::RuleProblem &problem)
{
    return problem.fault == RuleFault::BadHost ? hostSentences[std::size_t(problem.host)].data()
                                               : ruleSentences[std::size_t(problem.fault)].data();
}

// RFC 6761.
bool isLoopbackName(const network::Host &host)
{
    return !host.address && (host.text == "localhost" || host.text.ends_with(".localhost"));
}

// A name by which this machine calls itself, in /etc/hosts too: its addresses are reached only where they were named.
bool isOwnName(const network::Host &host)
{
    static const QStringList usual{u"localhost.localdomain"_s,
                                   u"localhost4"_s,
                                   u"localhost4.localdomain4"_s,
                                   u"localhost6"_s,
                                   u"ip6-localhost"_s,
                                   u"localhost6.localdomain6"_s,
                                   u"ip6-loopback"_s};
    const QString own = QSysInfo::machineHostName().toLower();
    const QString name = QString::fromStdString(host.text);
    return !host.address
           && (usual.contains(name)
               || (!own.isEmpty() && (name == own || name == own.section(u'.', 0, 0) + u".local"_s)));
}

// In alphabetical order: "pipy" has those of "pypi", though no two neighbours are swapped.
QString lettersOf(const QString &word)
{
    QString letters = word.toLower();
    std::ranges::sort(letters);
    return letters;
}

} // namespace

QString UpstreamProxy::text() const
{
    const bool v6 = host.address && host.address->family == network::Address::Family::V6;
    const QString name = QString::fromStdString(host.text);
    return u"http://%1:%2"_s.arg(v6 ? u'[' + name + u']' : name).arg(port);
}

Result<std::optional<UpstreamProxy>> upstreamProxy(const QString &text)
{
    if (text.isEmpty())
        return std::nullopt;
    // The rest of its form was checked where it was set.
    const QUrl url(text, QUrl::StrictMode);
    const auto host = network::canonicalHost(url.host(QUrl::EncodeUnicode).toStdString());
    if (!host || url.port() < 1)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "The setting engine.upstream_proxy names no host that can be "
                                                "used: \"%1\". Write it as http://HOST:PORT."),
                    {text});
    return UpstreamProxy{*host, static_cast<quint16>(url.port())};
}

Result<network::Rule> ruleFromText(const QString &text)
{
    auto rule = network::ruleFromText(text.toStdString());
    if (!rule)
        return fail(ErrorCode::InvalidInput,
                    Text(sentence(rule.error()), text.isEmpty() ? QStringList{} : QStringList{text}));
    if (isLoopbackName(rule->host))
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "In a run \"%1\" is the run itself. To let it reach a server of this "
                                                "computer, name its address and port, such as 127.0.0.1:8000."),
                    {text});
    if (isOwnName(rule->host))
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine",
                                      "\"%1\" is this computer, which a run reaches by no name. To let it reach "
                                      "a server here, name its address and port, such as 127.0.0.1:8000."),
                    {text});
    return *std::move(rule);
}

std::optional<network::Rule> ruleFor(const EgressAttempt &attempt)
{
    if (attempt.verdict != EgressAttempt::Verdict::Denied || attempt.host.isEmpty())
        return std::nullopt;
    if (attempt.host.endsWith(u".arpa"_s, Qt::CaseInsensitive)) // the question whose name an address is
        return std::nullopt;
    const QString host = attempt.host.contains(u':') ? u'[' + attempt.host + u']' : attempt.host;
    auto rule = ruleFromText(attempt.port == 0 ? host : u"%1:%2"_s.arg(host).arg(attempt.port));
    return rule ? std::optional(*std::move(rule)) : std::nullopt;
}

Result<network::Allowlist> allowlistFromTexts(const QStringList &texts)
{
    network::Allowlist allowlist;
    for (const QString &text : texts) {
        ASSIGN_OR_RETURN(auto rule, ruleFromText(text));
        if (std::ranges::find(allowlist, rule) == allowlist.end())
            allowlist.push_back(std::move(rule));
        if (allowlist.size() > std::size_t{allowlistMax})
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine", "More than %1 hosts are to be allowed. Name fewer, or a domain "
                                                    "with all that is below it, as in *.example.org."),
                        {QString::number(allowlistMax)});
    }
    const auto ports =
        std::ranges::count(egressSockets(allowlist), EgressSocket::Service::Transparent, &EgressSocket::service);
    if (ports > allowedPortsMax)
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "More than %1 different ports are to be allowed. Name fewer."),
                    {QString::number(allowedPortsMax)});
    return allowlist;
}

const QList<NetworkPreset> &networkPresets()
{
    static const QList<NetworkPreset> presets{
        {u"pypi"_s,
         QT_TRANSLATE_NOOP("engine", "Python packages from PyPI"),
         {u"pypi.org:443"_s, u"files.pythonhosted.org:443"_s}},
        {u"npm"_s, QT_TRANSLATE_NOOP("engine", "Node.js packages from npm"), {u"registry.npmjs.org:443"_s}},
        {u"github"_s,
         QT_TRANSLATE_NOOP("engine", "Repositories and releases on GitHub"),
         {u"github.com:443"_s, u"api.github.com:443"_s, u"codeload.github.com:443"_s,
          u"objects.githubusercontent.com:443"_s, u"raw.githubusercontent.com:443"_s,
          u"release-assets.githubusercontent.com:443"_s}},
        {u"cargo"_s,
         QT_TRANSLATE_NOOP("engine", "Rust packages from crates.io"),
         {u"crates.io:443"_s, u"index.crates.io:443"_s, u"static.crates.io:443"_s}},
        {u"docker"_s,
         QT_TRANSLATE_NOOP("engine", "Images from Docker Hub"),
         {u"registry-1.docker.io:443"_s, u"auth.docker.io:443"_s, u"production.cloudflare.docker.com:443"_s,
          u"docker-images-prod.6aa30f8b08e16409b46e0173d6de2f56.r2.cloudflarestorage.com:443"_s}},
    };
    return presets;
}

Result<QStringList> allowedBy(const QString &text)
{
    for (const NetworkPreset &preset : networkPresets()) {
        if (text.compare(preset.name, Qt::CaseInsensitive) == 0)
            return preset.opens;
        if (text.section(u':', 0, 0).compare(preset.name, Qt::CaseInsensitive) == 0)
            return fail(ErrorCode::InvalidInput,
                        QT_TRANSLATE_NOOP("engine",
                                          "\"%1\" is a preset with a port, which a preset doesn't take. Write %2. "
                                          "For a host of that name, add a dot: %3."),
                        {text, preset.name, preset.name + u".:"_s + text.section(u':', 1)});
    }
    // Names of one part are hosts of a local network; a preset that was mistyped, or is expected here, would be one, too.
    static const QStringList expected{u"all"_s,    u"any"_s,        u"none"_s,   u"internet"_s, u"web"_s,  u"true"_s,
                                      u"yes"_s,    u"everything"_s, u"pip"_s,    u"python"_s,   u"node"_s, u"git"_s,
                                      u"crates"_s, u"apt"_s,        u"debian"_s, u"ubuntu"_s};
    QStringList names;
    for (const NetworkPreset &preset : networkPresets())
        names.append(preset.name);
    QString meant = nearest(text, names);
    if (meant.isEmpty()) {
        const auto swapped = std::ranges::find_if(
            names, [word = lettersOf(text)](const QString &name) { return lettersOf(name) == word; });
        meant = swapped == names.end() ? QString() : *swapped;
    }
    const bool isAlone = !text.contains(u'.') && !text.contains(u':');
    if (isAlone && !meant.isEmpty())
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine", "\"%1\" is not a preset. Did you mean %2? For a host of that name, add "
                                                "its port, such as %1:443."),
                    {text, meant});
    if (isAlone && expected.contains(text.toLower()))
        return fail(ErrorCode::InvalidInput,
                    QT_TRANSLATE_NOOP("engine",
                                      "\"%1\" is not a preset. The presets are %2. For a host of that name, add "
                                      "its port, such as %1:443."),
                    {text, names.join(u", "_s)});
    ASSIGN_OR_RETURN(const network::Rule rule, ruleFromText(text));
    return QStringList{QString::fromStdString(network::toText(rule))};
}

} // namespace glovebox
