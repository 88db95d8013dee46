// SPDX-License-Identifier: Apache-2.0
#include "aftermath.h"

#include <sys/resource.h>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostOfAKind = 5;

// Each once; what is beyond the most is in the log.
QStringList shortened(QStringList lines, const RunResult &result)
{
    lines.removeDuplicates();
    if (lines.size() <= mostOfAKind)
        return lines;
    const qsizetype more = lines.size() - mostOfAKind;
    lines.resize(mostOfAKind);
    lines.append((more == 1 ? u"%1 more is in the log: glovebox audit show %2"_s
                            : u"%1 more are in the log: glovebox audit show %2"_s)
                     .arg(more)
                     .arg(result.id));
    return lines;
}

QString placeOf(const EgressAttempt &attempt)
{
    const QString host = attempt.host.isEmpty() ? u"something"_s : attempt.host;
    return attempt.port == 0 ? host : (host.contains(u':') ? u"[%1]:%2"_s : u"%1:%2"_s).arg(host).arg(attempt.port);
}

QStringList refusedConnections(const RunResult &result)
{
    QStringList lines;
    for (const EgressAttempt &attempt : result.egress) {
        if (attempt.verdict == EgressAttempt::Verdict::Allowed)
            continue;
        const bool wasOpen = attempt.sent > 0 || attempt.received > 0;
        QString line =
            (wasOpen ? u"The run's connection to %1 was cut off: %2."_s : u"The run could not reach %1: %2."_s)
                .arg(placeOf(attempt), attempt.reason.english());
        if (const auto rule = ruleThatHelps(attempt); rule && !wasOpen)
            line += u" To allow it: --allow %1"_s.arg(QString::fromStdString(network::toText(*rule)));
        else if (attempt.host == "localhost"_L1 && !wasOpen)
            line += u" A server of this machine is 127.0.0.1 in --allow, and in the code."_s;
        lines.append(line);
    }
    return shortened(lines, result);
}

QString moreDisk(const RunResult &result, const QString &session)
{
    return result.session.isEmpty() ? u" Allow more with --disk MB."_s
                                    : u" A fork can have more: glovebox session fork %1 --disk MB"_s.arg(
                                          session.isEmpty() ? result.session : session);
}

// The option that changes what the event tells, or why none does; empty: the sentence has it.
QString remedyFor(EventType type, const RunResult &result, const QString &session)
{
    switch (type) {
    case EventType::NetworkLookup:
        return u" A run can ask no name server but its own."_s;
    case EventType::NetworkConnect:
        return u" Only TCP connections to allowed hosts leave a run."_s;
    case EventType::NetworkTraffic:
        return u" Allow more with --traffic MB."_s;
    case EventType::HomeLeft:
        return u" Write to /work to keep files."_s;
    case EventType::ProcessesLimit:
        return u" Allow more with --procs N."_s;
    case EventType::DiskFull:
        return moreDisk(result, session);
    default:
        return {};
    }
}

// The end of what a run that failed said on standard error, and the last line of it.
struct LastWords
{
    QByteArray said, line;
};

LastWords lastWordsOf(const RunResult &result)
{
    if (result.outcome != Outcome::Failed && result.outcome != Outcome::Signalled)
        return {};
    constexpr qsizetype most = 4096;
    const QByteArray said = result.err.tail.isEmpty() ? result.err.head.right(most) : result.err.tail.right(most);
    return {said, said.trimmed().sliced(said.trimmed().lastIndexOf('\n') + 1)};
}

// Where each process has its own limit, who asks for more is refused it, and nobody but the code can tell. Its last words may.
bool saysMemoryWasShort(const RunResult &result)
{
    const auto [said, last] = lastWordsOf(result);
    return last.startsWith("MemoryError") || last.contains("Cannot allocate memory") || last.contains("cannot allocate")
           || said.contains("JavaScript heap out of memory");
}

// What listens on the loopback of a run is its own, and most connections there are. Where the code failed as nobody listened, a server of
// this machine may have been meant.
QStringList serversNotReached(const RunResult &result)
{
    const QByteArray said = lastWordsOf(result).said;
    if (!said.contains("Connection refused") && !said.contains("ECONNREFUSED"))
        return {};
    QStringList lines;
    for (const RunEvent &event : result.events) {
        if (event.own && event.type == EventType::NetworkConnect)
            lines.append(
                u"The code says that nothing listens on port %1 of the run's own 127.0.0.1. To reach this machine's: "
                "--allow 127.0.0.1:%1"_s.arg(event.own->port));
    }
    return shortened(lines, result);
}

// Only for a file of the sandbox is there anybody who sees that its space was used up. In a folder of the person's, the code alone is told
// that one file grew larger than all may be together.
bool saysFileWasTooLarge(const RunResult &result)
{
    const auto [said, last] = lastWordsOf(result);
    return result.outcome == Outcome::Failed && (last.contains("File too large") || said.contains("EFBIG"));
}

using Resource = decltype(RLIMIT_FSIZE); // an int, but where the C library is stricter

struct InheritedLimit
{
    Resource resource;
    const char16_t *words; // %1: how much
    qint64 unit; // bytes
    const char16_t *option; // of ulimit in a shell
};
constexpr InheritedLimit inheritedLimits[] = {
    {RLIMIT_FSIZE, u"each file to %1 KB", kibibyte, u"-f"}, {RLIMIT_NOFILE, u"open files to %1", 1, u"-n"},
    {RLIMIT_NPROC, u"processes to %1", 1, u"-u"},           {RLIMIT_AS, u"address space to %1 KB", kibibyte, u"-v"},
    {RLIMIT_DATA, u"memory to %1 KB", kibibyte, u"-d"},
};

// A name that the code chose stands in a command only where many use the package: a person would install what it says.
// For the next run; into the session, where this one was in a session.
QString missingModuleLine(const MissingModule &missing, const QString &session)
{
    const bool isDoubtful = !missing.doubts.isEmpty();
    QString words = isDoubtful ? u"The code says that a module is missing."_s : wordsAbout(missing).english();
    for (const Text &doubt : missing.doubts) // name it
        words += u' ' + doubt.english();
    if (!isDoubtful && missing.source == ModuleSource::Language)
        return words;
    if (!isDoubtful && missing.source == ModuleSource::FileBesideCode)
        return words
               + (session.isEmpty() ? u" To give it to a run: --file PATH"_s
                                    : u" To put it into the session: glovebox session put %1 PATH"_s.arg(session));
    const bool isNamed = !isDoubtful && missing.source == ModuleSource::Package;
    if (!session.isEmpty()) // whose option is called like the language
        return words
               + u" To install packages into the session: glovebox session install %1 --%2 %3"_s.arg(
                   session, missing.language, isNamed ? missing.package : u"NAME"_s);
    return words
           + (isNamed ? u" To give a run the package: --with %1"_s.arg(missing.package)
                      : u" To give a run packages: --with NAME"_s);
}

QStringList eventsOf(EventType type, const RunResult &result, const QString &session)
{
    QStringList lines;
    for (const RunEvent &event : result.events) {
        const bool isLoopback = type == EventType::NetworkConnect && !event.destination;
        const bool isOfOthers = type == EventType::EventsMore && !event.unseen; // of the lines before
        if (event.type == type && !isLoopback && !isOfOthers)
            lines.append(event.detail.english());
    }
    lines = shortened(lines, result);
    if (!lines.isEmpty())
        lines.last() += remedyFor(type, result, session);
    return lines;
}

// A line a folder, with the names that are to be reviewed first.
QStringList sensitiveChanges(const RunResult &result)
{
    struct Folder
    {
        QString path, onlyChange;
        QStringList names;
        qint64 all = 0;
    };
    QList<Folder> folders;
    QStringList lines;
    for (const RunEvent &event : result.events) {
        if (event.type != EventType::FolderSensitiveChange)
            continue;
        if (!event.files) { // out of a log: its sentence is all there is
            lines.append(event.detail.english());
            continue;
        }
        const PlantedFiles &files = *event.files;
        if (folders.isEmpty() || folders.last().path != files.folder)
            folders.append({.path = files.folder, .onlyChange = event.detail.english()});
        Folder &folder = folders.last();
        if (!files.name.isEmpty() && folder.names.size() < mostOfAKind)
            folder.names.append(u'"' + files.name + u'"');
        folder.all += files.count;
    }
    lines = shortened(lines, result);
    for (const Folder &folder : std::as_const(folders)) {
        QString names = folder.names.join(u", "_s);
        if (folder.all > folder.names.size())
            names += u" and %1 more (glovebox audit show %2)"_s.arg(folder.all - folder.names.size()).arg(result.id);
        lines.append(
            folder.all == 1
                ? folder.onlyChange
                : u"The run added, changed or removed in %1 what other programs execute or load: %2. Review it."_s.arg(
                      folder.path, names));
    }
    if (!lines.isEmpty())
        lines.last() += u" With :stage instead of :rw, changes wait for you."_s;
    return lines;
}

} // namespace

QString reasonLine(const RunResult &result, const QString &session)
{
    QString reason =
        result.reason.isEmpty() ? u"The run ended as \"%1\"."_s.arg(toString(result.outcome)) : result.reason.english();
    switch (result.outcome) {
    case Outcome::TimedOut:
        return reason + u" Allow more with -t TIME."_s;
    case Outcome::CpuLimit:
        return result.isCpuInherited ? reason : reason + u" Allow more with --cpu TIME."_s;
    case Outcome::OutOfMemory:
        return reason + u" Allow more with -m MB."_s;
    case Outcome::DiskLimit:
        return reason + moreDisk(result, session);
    case Outcome::SetupFailed:
        // Without an id it is the record that fails, and the reason says what to do.
        if (!result.id.isEmpty())
            return reason + u" \"glovebox doctor\" tells what this machine can do."_s;
        return reason;
    default:
        return reason;
    }
}

QString inheritedLimitsBelow(const Limits &limits)
{
    const auto ownOf = [&limits](Resource resource) -> rlim_t {
        switch (resource) {
        case RLIMIT_FSIZE:
            return rlim_t(limits.diskBytes);
        case RLIMIT_NOFILE:
            return 512; // what the sandbox gives
        case RLIMIT_NPROC:
            return rlim_t(limits.processes);
        default:
            return rlim_t(limits.memoryBytes);
        }
    };
    QStringList low;
    for (const InheritedLimit &inherited : inheritedLimits) {
        rlimit limit{};
        // The run's own takes the place of the soft one of these.
        const bool isPlanned = inherited.resource == RLIMIT_NOFILE || inherited.resource == RLIMIT_NPROC;
        if (::getrlimit(inherited.resource, &limit) != 0)
            continue;
        const rlim_t bound = isPlanned ? limit.rlim_max : limit.rlim_cur;
        if (bound < ownOf(inherited.resource))
            low.append(u"%1 (ulimit %2)"_s.arg(QString::fromUtf16(inherited.words).arg(bound / rlim_t(inherited.unit)),
                                               QString::fromUtf16(inherited.option)));
    }
    return low.isEmpty() ? QString()
                         : u"The shell that started Glovebox also limits runs: %1. Raise that there if the run needs "
                           "more."_s.arg(low.join(u", "_s));
}

QStringList aftermathOf(const RunResult &result, const CodeOfRun &code, const QString &session)
{
    QStringList lines = refusedConnections(result);
    for (const EventType type :
         {EventType::CodeNotRun, EventType::NetworkLookup, EventType::NetworkConnect, EventType::EventsMore,
          EventType::NetworkTraffic, EventType::EgressLost, EventType::ProcessesLimit, EventType::DiskFull,
          EventType::CallRefused, EventType::FileRefused, EventType::ToolRefused, EventType::SecretPrinted,
          EventType::LeakOutput, EventType::ArtifactSecret, EventType::FolderHoldsSecret,
          EventType::FolderSensitiveChange, EventType::FolderNotCompared, EventType::FolderSkipped,
          EventType::HomeLeft})
        lines += type == EventType::FolderSensitiveChange ? sensitiveChanges(result) : eventsOf(type, result, session);
    lines += serversNotReached(result);
    if (saysMemoryWasShort(result))
        lines.append(u"The code says that memory was short. Allow more with -m MB."_s);
    if (saysFileWasTooLarge(result))
        lines.append(u"The code says that a file was too large."_s + moreDisk(result, session));
    if (const auto missing = missingModule(result, code))
        lines.append(missingModuleLine(*missing, session.isEmpty() ? result.session : session));
    return lines;
}

QString doubtAboutKeys(const RunResult &result)
{
    const bool ran = !nothingRan(result.outcome)
                     && std::ranges::find(result.events, EventType::CodeNotRun, &RunEvent::type) == result.events.end();
    const auto why = ran ? whyLooksAreUntold(result.controls) : std::nullopt;
    return why ? u"Whether the run looked for keys is not known: %1. \"glovebox doctor\" tells more."_s.arg(
                     why->english())
               : QString();
}

} // namespace glovebox
