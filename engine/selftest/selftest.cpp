// SPDX-License-Identifier: Apache-2.0
#include "stage.h"

namespace glovebox {

using namespace selftest;
using namespace Qt::StringLiterals;

namespace {

AttackResult make(const AttackCase &c, const SelfTest &test)
{
    AttackResult result{.attack = c.attack};
    Stage sealed(test, true);
    if (c.getsThrough(sealed)) {
        result.verdict = AttackResult::Verdict::Escaped;
        result.detail = c.escaped;
        return result;
    }
    if (!sealed.trouble().isEmpty()) {
        result.detail = sealed.trouble();
        return result;
    }
    if (c.isHarmless) {
        Stage unsealed(test, false);
        result.controlled = c.getsThrough(unsealed);
        if (!result.controlled) {
            result.detail = Text(QT_TRANSLATE_NOOP(
                "engine", "The same code doesn't get through without Glovebox, so this says nothing."));
            return result;
        }
    }
    result.verdict = AttackResult::Verdict::Held;
    result.detail = c.held;
    return result;
}

} // namespace

QJsonObject toJson(const AttackResult &result)
{
    return {{u"id"_s, result.attack.id},
            {u"title"_s, result.attack.title.english()},
            {u"tried"_s, result.attack.tried.english()},
            {u"verdict"_s, toString(result.verdict)},
            {u"detail"_s, result.detail.english()},
            {u"controlled"_s, result.controlled}};
}

QList<Attack> allAttacks()
{
    QList<Attack> all;
    for (const AttackCase &c : attackCases())
        all.append(c.attack);
    return all;
}

QList<AttackResult> attackItself(const SelfTest &test, std::stop_token stop)
{
    QList<AttackResult> results;
    for (const AttackCase &c : attackCases()) {
        if (!test.only.isEmpty() && !test.only.contains(c.attack.id))
            continue;
        if (stop.stop_requested())
            break;
        results.append(make(c, test));
        if (test.progress)
            test.progress(results.last());
    }
    return results;
}

} // namespace glovebox
