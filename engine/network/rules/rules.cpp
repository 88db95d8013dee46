// SPDX-License-Identifier: Apache-2.0
// Reading and asking rules.
#include "engine/network/rules/rules.h"

#include <algorithm>
#include <charconv>

namespace glovebox::network {

namespace {

std::unexpected<RuleProblem> refuse(RuleFault fault, HostFault host = HostFault::Empty)
{
    return std::unexpected(RuleProblem{fault, host});
}

std::optional<std::uint16_t> portFromText(std::string_view text)
{
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc{} || end != text.data() + text.size() || port == 0 || text.front() == '0')
        return std::nullopt;
    return port;
}

bool portMatches(const Rule &rule, std::uint16_t port)
{
    return rule.port ? *rule.port == port : port == 80 || port == 443;
}

// Linux takes 0.0.0.0 for 127.0.0.1 and :: for ::1: whoever has one of the two has the other.
Host whereItLeads(Host host)
{
    if (!host.address || host.address->bytes != Address{}.bytes)
        return host;
    host.address->bytes = host.address->family == Address::Family::V4
                              ? decltype(Address::bytes){127, 0, 0, 1}
                              : decltype(Address::bytes){0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    host.text = toText(*host.address);
    return host;
}

bool isOfAMachine(const Address &address)
{
    const AddressKind kind = kindOf(address);
    const bool isOfNobody = address.family == Address::Family::V4 && address.bytes[0] >= 240;
    return !isOfNobody && kind != AddressKind::Multicast && kind != AddressKind::Unspecified;
}

bool hostMatches(const Rule &rule, const Host &host)
{
    if (!rule.wildcard)
        return rule.host == whereItLeads(host);
    const std::string &below = rule.host.text;
    return !host.address && host.text.size() > below.size() + 1 && host.text.ends_with(below)
           && host.text[host.text.size() - below.size() - 1] == '.';
}

} // namespace

namespace {

// An address and how many of its bits count.
bool isRange(std::string_view text)
{
    const std::size_t slash = text.find('/');
    constexpr std::string_view digits = "0123456789";
    return slash != std::string_view::npos && slash > 0 && slash + 1 < text.size()
           && text.substr(0, slash).find_first_not_of("0123456789abcdefABCDEF.:[]") == std::string_view::npos
           && text.substr(0, slash).find_first_of(".:") != std::string_view::npos
           && text.substr(slash + 1).find_first_not_of(digits) == std::string_view::npos;
}

} // namespace

std::expected<Rule, RuleProblem> ruleAsWritten(std::string_view text)
{
    if (text.empty())
        return refuse(RuleFault::Empty);
    if (isRange(text))
        return refuse(RuleFault::Range);
    if (text.find('/') != std::string_view::npos)
        return refuse(RuleFault::Url);
    if (text.find(',') != std::string_view::npos)
        return refuse(RuleFault::List);
    Rule rule;
    const bool bracketed = text.front() == '[';
    const std::size_t afterHost = bracketed ? text.find(']') : 0;
    if (afterHost == std::string_view::npos)
        return refuse(RuleFault::BadHost, HostFault::BadAddress);
    std::string_view host = text;
    if (const std::size_t colon = text.find(':', afterHost); colon != std::string_view::npos) {
        if (text.find(':', colon + 1) != std::string_view::npos)
            return refuse(RuleFault::Unbracketed);
        rule.port = portFromText(text.substr(colon + 1));
        if (!rule.port)
            return refuse(RuleFault::BadPort);
        host = text.substr(0, colon);
    }
    if (host == "*")
        return refuse(RuleFault::Everything);
    rule.wildcard = host.starts_with("*.");
    if (rule.wildcard)
        host.remove_prefix(2);
    if (host.find('*') != std::string_view::npos)
        return refuse(RuleFault::BadWildcard);
    auto canonical = canonicalHost(host);
    if (!canonical)
        return refuse(RuleFault::BadHost, canonical.error());
    rule.host = *std::move(canonical);
    if (rule.wildcard && rule.host.address)
        return refuse(RuleFault::BadWildcard);
    if (rule.wildcard && rule.host.text.find('.') == std::string::npos)
        return refuse(RuleFault::TopLevel);
    return rule;
}

std::expected<Rule, RuleProblem> ruleFromText(std::string_view text)
{
    auto rule = ruleAsWritten(text);
    if (!rule)
        return rule;
    rule->host = whereItLeads(std::move(rule->host));
    if (const auto &address = rule->host.address; address && !isOfAMachine(*address))
        return refuse(RuleFault::NoMachine);
    return rule;
}

std::string toText(const Rule &rule)
{
    const bool v6 = rule.host.address && rule.host.address->family == Address::Family::V6;
    std::string text = rule.wildcard ? "*." : "";
    text += v6 ? '[' + rule.host.text + ']' : rule.host.text;
    if (rule.port)
        text += ':' + std::to_string(*rule.port);
    return text;
}

const Rule *allow(std::span<const Rule> allowlist, const Host &host, std::uint16_t port)
{
    const auto rule = std::ranges::find_if(
        allowlist, [&](const Rule &each) { return portMatches(each, port) && hostMatches(each, host); });
    return rule == allowlist.end() ? nullptr : &*rule;
}

bool covers(std::span<const Rule> limits, const Rule &rule)
{
    const auto coversHost = [&](const Rule &limit) {
        return rule.wildcard ? limit.wildcard && (limit.host == rule.host || hostMatches(limit, rule.host))
                             : hostMatches(limit, rule.host);
    };
    const auto coversPort = [&](std::uint16_t port) {
        return std::ranges::any_of(limits,
                                   [&](const Rule &limit) { return portMatches(limit, port) && coversHost(limit); });
    };
    return rule.port ? coversPort(*rule.port) : coversPort(80) && coversPort(443);
}

bool mayDial(std::span<const Rule> allowlist, const Address &address, std::uint16_t port, std::span<const Address> own)
{
    const bool foreign = std::ranges::find(own, address) == own.end();
    return (foreign && kindOf(address) == AddressKind::Public)
           || allow(allowlist, Host{toText(address), address}, port) != nullptr;
}

} // namespace glovebox::network
