// SPDX-License-Identifier: Apache-2.0
#include "checking.h"

#include "app/cli/terminal/console.h"

#include <QSet>

#include <cstring>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 mostShown = 20;
constexpr qint64 mostProblems = 1000; // then the rest isn't read: a pipe may never end

// Enough of a hash to tell a million apart, in eight bytes each.
quint64 shortHash(const QString &id)
{
    quint64 hash = 0;
    std::memcpy(&hash, sha256({id.toUtf8()}).constData(), sizeof hash);
    return hash;
}

QString sentenceAbout(const TaskList::Problem &problem)
{
    const QString sentence = sentenceOf(problem.error);
    return problem.list.isEmpty() ? sentence : u"%1: %2"_s.arg(problem.list, sentence);
}

QString nameOf(const TaskPlace &place)
{
    return place.line ? u"The task \"%1\" (line %2)"_s.arg(place.id).arg(*place.line)
                      : u"The file \"%1\""_s.arg(place.id);
}

} // namespace

std::expected<qint64, int> checkTasks(const Engine &engine, TaskList &tasks)
{
    QSet<quint64> ids;
    qint64 count = 0, problems = 0;
    bool isMisused = false;
    const auto tell = [&problems](const QString &sentence) {
        if (++problems <= mostShown)
            say(sentence);
    };
    while (const auto item = tasks.next()) {
        ++count;
        if (problems >= mostProblems)
            break;
        if (!*item) {
            tell(sentenceAbout(item->error()));
            continue;
        }
        const TaskPlace &place = (*item)->place;
        if (const Status sound = engine.check((*item)->request); !sound) {
            tell(u"%1 can't run: %2"_s.arg(nameOf(place), sentenceOf(sound.error())));
            isMisused = isMisused || (!place.line && !checkCodeHasItsName((*item)->request));
        }
        const quint64 id = shortHash(place.id);
        if (ids.contains(id))
            tell(place.line ? u"%1 has the id of another task. Give each its own."_s.arg(nameOf(place))
                            : u"%1 is named twice."_s.arg(nameOf(place)));
        ids.insert(id);
    }
    if (problems > mostShown)
        say((problems >= mostProblems    ? u"At least %1 more problems follow."_s
             : problems - mostShown == 1 ? u"%1 more problem follows."_s
                                         : u"%1 more problems follow."_s)
                .arg(problems - mostShown));
    if (problems > 0)
        say(u"Nothing ran."_s);
    else if (count == 0)
        say(u"There are no tasks to run: the list is empty."_s);
    if (problems == 0 && count > 0)
        return count;
    return std::unexpected(isMisused ? ExitStatus::usage : ExitStatus::notRun);
}

EndedTasks endedTasks(const Journal &journal, TaskList &tasks, bool runsFailedAgain)
{
    EndedTasks ended;
    if (journal.isEmpty())
        return ended;
    ended.isOfOthers = true;
    const auto &unshown = journal.unshown();
    tasks.rewind();
    while (const auto item = tasks.next()) {
        const Journal::Ended *entry = *item ? journal.find((*item)->place.id) : nullptr;
        const bool isSame = entry && entry->digest == (*item)->place.digest;
        const bool hasFailed = isSame && entry->outcome != Outcome::Completed;
        const bool isSkipped = isSame && !(hasFailed && runsFailedAgain);
        ended.skips.push_back(isSkipped);
        ended.hasUnshown = ended.hasUnshown || (isSkipped && unshown && unshown->id == (*item)->place.id);
        ended.isOfOthers = ended.isOfOthers && !entry;
        ended.changed += entry && !isSame ? 1 : 0;
        ended.count += isSkipped ? 1 : 0;
        ended.failed += isSkipped && hasFailed ? 1 : 0;
    }
    return ended;
}

} // namespace glovebox
