// SPDX-License-Identifier: Apache-2.0
// Which texts each automaton looks for.
#include "plan.h"

#include "texts/forms.h"

#include "engine/base/base.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace glovebox {

using namespace scrub;

namespace {

constexpr int textForms = 6; // of a text, but for its lines
constexpr int base64Forms = 3;
constexpr int base64Texts = base64Forms * (1 + base64Ends);

bool isEncoded(const Wanted &wanted)
{
    return (wanted.kind == Wanted::Text || wanted.kind == Wanted::Bytes)
           && wanted.text.size() >= ScrubPlan::shortestEncoded;
}

qsizetype encodedBytesOf(const std::vector<Wanted> &wanted)
{
    qsizetype bytes = 0;
    for (const Wanted &one : wanted)
        bytes += isEncoded(one) ? one.text.size() : 0;
    return bytes;
}

qsizetype linesOf(const std::vector<Wanted> &wanted)
{
    qsizetype lines = 0;
    for (const Wanted &one : wanted) {
        if (one.kind == Wanted::Text && !one.text.view().contains("\r\n"))
            forEachLine(one.text.view(), [&](QByteArrayView) { ++lines; });
    }
    return lines;
}

qsizetype textBytesOf(const std::vector<Wanted> &wanted)
{
    qsizetype bytes = 0;
    for (const Wanted &one : wanted)
        bytes += one.kind == Wanted::Text ? (textForms + 1) * one.text.size() : one.text.size();
    return bytes;
}

qsizetype longestOf(const std::vector<Wanted> &wanted)
{
    qsizetype bytes = 0;
    for (const Wanted &one : wanted)
        bytes = std::max(bytes, one.text.size());
    return bytes;
}

} // namespace

ScrubPlan::Private::Private(const std::vector<Secret> &secrets, const std::vector<Wanted> &wanted)
    : texts(textForms * std::ssize(wanted) + linesOf(wanted), textBytesOf(wanted))
    , hex(std::ssize(wanted), 2 * encodedBytesOf(wanted))
    , base64(base64Texts * std::ssize(wanted),
             base64Forms * (encodedBytesOf(wanted) * 4 / 3 + std::ssize(wanted) * (2 + base64Ends)))
    , starts(wanted.size() + std::size_t(linesOf(wanted)))
    , inNames(secrets)
{
    for (const Secret &secret : secrets) {
        names.append(secret.name);
        marks.push_back("[secret " + secret.name.toUtf8() + ']');
        marksOfParts.push_back("[part of secret " + secret.name.toUtf8() + ']');
    }
    SecretValue scratch(2 * longestOf(wanted));
    for (const Wanted &one : wanted) {
        switch (one.kind) {
        case Wanted::Cut: // begins as its text does
            texts.add(one.text.view(), one.owner, Scope::Lists);
            continue;
        case Wanted::Names:
            texts.add(one.text.view(), one.owner, Scope::Escapes);
            starts.addText(one.text.view(), true);
            continue;
        case Wanted::Bytes:
        case Wanted::Changed:
            addText(one.text.view(), one.owner);
            break;
        case Wanted::Text:
            addAsText(one, scratch);
            break;
        }
        if (isEncoded(one))
            addEncoded(one, scratch);
    }
    texts.finish();
    hex.finish();
    base64.finish();
}

void ScrubPlan::Private::addText(QByteArrayView text, Owner owner)
{
    texts.add(text, owner);
    starts.addText(text, text.size() >= shortestEncoded);
}

void ScrubPlan::Private::addAsText(const Wanted &wanted, SecretValue &scratch)
{
    const QByteArrayView value = wanted.text.view();
    addText(value, wanted.owner);
    addText(reversedBytes(value, scratch), wanted.owner);
    addText(reversedCharacters(value, scratch), wanted.owner);
    if (value.size() < shortestEncoded)
        return;
    if (!value.contains("\r\n")) // else another text has the same lines
        forEachLine(value, [&](QByteArrayView line) { addText(line, wanted.owner); });
    for (QByteArrayView (*form)(QByteArrayView, SecretValue &) : {lowerCase, upperCase, plusForSpace}) {
        if (const QByteArrayView text = form(value, scratch); text != value)
            addText(text, wanted.owner);
    }
}

void ScrubPlan::Private::addEncoded(const Wanted &wanted, SecretValue &scratch)
{
    const QByteArrayView value = wanted.text.view();
    const QByteArrayView digits = lowerHex(value, scratch);
    hex.add(digits, wanted.owner);
    starts.addHex(digits);
    for (int before = 0; before < base64Forms; ++before) {
        const QByteArrayView core = base64Core(value, before, scratch);
        const State coreEnd = base64.add(core, wanted.owner);
        starts.addBase64(core);
        for (int end = 0; end < base64Ends; ++end) {
            if (const QByteArrayView longer = withBase64End(value, before, core.size(), end, scratch);
                !longer.isEmpty())
                base64.add(longer, wanted.owner, Scope::Everywhere, coreEnd);
        }
    }
}

ScrubPlan::ScrubPlan(const std::vector<Secret> &secrets)
    : d(std::make_unique<Private>(secrets, wantedOf(secrets)))
{
}

ScrubPlan::~ScrubPlan() = default;

QByteArray ScrubPlan::scrubbed(QByteArrayView bytes) const
{
    // The plan outlives the call.
    Scrubber scrubber(std::shared_ptr<const ScrubPlan>(std::shared_ptr<void>(), this));
    QByteArray out;
    scrubber.feed(bytes, out);
    scrubber.finish(out, StreamEnd::Whole);
    return out;
}

QString ScrubPlan::scrubbed(const QString &text) const
{
    const QByteArray bytes = text.toUtf8();
    return finds(bytes) ? QString::fromUtf8(scrubbed(QByteArrayView(bytes))) : text;
}

Text ScrubPlan::scrubbed(Text text) const
{
    for (QString &argument : text.args)
        argument = scrubbed(argument);
    return text;
}

QByteArray ScrubPlan::scrubbedName(QByteArrayView name) const
{
    QByteArray text, marks, rest, joined;
    const auto keep = [&](QByteArrayView bytes) {
        text += bytes;
        rest += bytes;
        std::ranges::remove_copy_if(bytes, std::back_inserter(joined), isJointOfName);
    };
    qsizetype coveredTo = 0;
    Owner last = 0;
    for (const NameForms::Place &place : d->inNames.placesIn(name)) {
        if (place.end <= coveredTo)
            continue;
        const bool isApart = marks.isEmpty() || place.begin >= coveredTo;
        if (isApart)
            keep(name.sliced(coveredTo, place.begin - coveredTo));
        if (isApart || place.owner != last) {
            text += d->marks[place.owner];
            marks += d->marks[place.owner];
        }
        last = place.owner;
        coveredTo = place.end;
    }
    keep(name.sliced(coveredTo));
    QStringList others = namesIn(rest) + namesIn(joined);
    if (others.isEmpty())
        return text;
    others.removeDuplicates();
    for (const QString &other : std::as_const(others)) // where each begins and ends, the dots don't tell
        marks += "[secret " + other.toUtf8() + ']';
    return marks;
}

bool ScrubPlan::finds(QByteArrayView bytes) const
{
    return !namesIn(bytes).isEmpty();
}

QStringList ScrubPlan::namesIn(QByteArrayView bytes) const
{
    Scrubber scrubber(std::shared_ptr<const ScrubPlan>(std::shared_ptr<void>(), this));
    QByteArray out;
    scrubber.feed(bytes, out);
    scrubber.finish(out, StreamEnd::Whole);
    return scrubber.foundNames();
}

} // namespace glovebox
