// SPDX-License-Identifier: Apache-2.0
#include "doctorattack.h"

#include "app/cli/command.h"
#include "app/cli/terminal/bell.h"
#include "app/cli/terminal/terminal.h"

#include <QJsonArray>

#include <algorithm>
#include <stop_token>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

QString word(const AttackResult &result)
{
    switch (result.verdict) {
    case AttackResult::Verdict::Held:
        return u"refused"_s;
    case AttackResult::Verdict::Escaped:
        return u"IT GOT THROUGH"_s;
    case AttackResult::Verdict::NoEvidence:
        return u"not known"_s;
    }
    return {};
}

void show(const AttackResult &result)
{
    printLine(u"%1: %2"_s.arg(result.attack.title.english(), word(result)));
    printLine(u"    tried:  %1"_s.arg(result.attack.tried.english()));
    printLine(u"    seen:   %1%2"_s.arg(result.detail.english(),
                                        result.controlled ? u" Without Glovebox it gets through."_s : QString()));
}

} // namespace

int showAttacks(bool json)
{
    const auto engine = openEngine();
    if (!engine)
        return sayFailure(engine.error());
    // A signal stops between two attacks, so that each undoes what it made.
    Bell bell;
    std::stop_source stop;
    int stoppedBy = 0;
    const auto progress = [&](const AttackResult &result) {
        for (const int signal : bell.takeSignals())
            stoppedBy = stoppedBy == 0 ? signal : stoppedBy;
        if (stoppedBy != 0)
            stop.request_stop();
        else if (!json)
            show(result);
    };
    const QList<AttackResult> results = (*engine)->attackItself(progress, stop.get_token());
    if (stoppedBy != 0) {
        say(u"Stopped after %1 of %2 attacks. All that they made is removed."_s.arg(results.size())
                .arg(allAttacks().size()));
        return ExitStatus::signalled + stoppedBy;
    }
    const auto held =
        std::ranges::count(results, AttackResult::Verdict::Held, [](const AttackResult &r) { return r.verdict; });
    const bool isTried = std::ranges::any_of(
        results, [](const AttackResult &result) { return result.verdict != AttackResult::Verdict::NoEvidence; });
    const bool good = held == allAttacks().size();
    if (json) {
        QJsonArray list;
        for (const AttackResult &result : results)
            list.append(toJson(result));
        printJson({{u"builder"_s, (*engine)->backend().builder()}, {u"held"_s, good}, {u"attacks"_s, list}});
    } else {
        printLine({});
        if (!isTried)
            printLine(u"No attack could be tried: nothing can run sealed here. \"glovebox doctor\" says why."_s);
        else
            printLine(good ? u"All %1 attacks were refused (%2, %3)."_s.arg(held).arg((*engine)->backend().name(),
                                                                                      (*engine)->backend().builder())
                           : u"%1 of %2 attacks were refused."_s.arg(held).arg(results.size()));
    }
    return good ? 0 : ExitStatus::failed;
}

} // namespace glovebox
