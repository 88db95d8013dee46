// SPDX-License-Identifier: Apache-2.0
// Cases of reports and terminals, and those that drive the command line: 24, 36, 37, 57 to 61, 64 to 66.
#include "tests/containment/field.h"
#include "tests/containment/terminal.h"

#include "engine/launcher/protocol.h"
#include "tests/support/signals.h"

#include <QBuffer>
#include <QImageReader>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <sched.h>

namespace containment {

using namespace glovebox;
using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

bool inheritsEnvironment(Field &field)
{
    bool found = false;
    for (const QByteArray &language : QByteArrayList{"bash", "python", "node"}) {
        const auto attempt =
            field.start({.deed = "read",
                         .words = {"/proc/self/environ", "/proc/1/environ", "/proc/2/environ", "/proc/3/environ"},
                         .language = language});
        attempt->finish();
        found = found || attempt->output().contains(environmentSecret());
    }
    return found;
}

bool forgesReport(Field &field)
{
    const QByteArray kind = QByteArray::number(static_cast<int>(launcher::Message::MainExited));
    if (field.isSealed()) {
        const auto attempt = field.start({.deed = "forge-report", .words = {"1", kind, "3", "16"}});
        attempt->finish();
        return !attempt->result() || attempt->result()->exitCode != 7;
    }
    // A stand-in for a PID 1 that isn't sealed: this process, with a report socket where the payload looks.
    std::array<int, 2> pair{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair.data()) < 0)
        return false;
    const UniqueFd ours(pair[0]);
    const UniqueFd theirs(pair[1]);
    const UniqueFd place(::fcntl(theirs.get(), F_DUPFD_CLOEXEC, 700));
    const QByteArray number = QByteArray::number(place.get());
    const auto attempt =
        field.start({.deed = "forge-report",
                     .words = {QByteArray::number(::getpid()), kind, number, QByteArray::number(place.get() + 1)}});
    attempt->finish();
    std::array<char, 64> part{};
    return ::recv(ours.get(), part.data(), part.size(), 0) > 0;
}

volatile std::sig_atomic_t signalsSeen = 0;

bool signalsPeers(Field &field)
{
    signalsSeen = 0;
    ::signal(SIGUSR1, [](int) { signalsSeen = signalsSeen + 1; });
    std::array<int, 2> pair{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) < 0)
        return false;
    const UniqueFd ours(pair[0]);
    const UniqueFd theirs(pair[1]);
    const UniqueFd inherited(::dup(theirs.get())); // not close-on-exec: the control has it
    for (const QByteArray &language : QByteArrayList{"bash", "python", "node"}) {
        const auto attempt = field.hold({.deed = "signal-peers", .language = language});
        if (!field.isSealed())
            break;
    }
    ::signal(SIGUSR1, SIG_DFL);
    return signalsSeen > 0;
}

bool stopsFirstProcess(Field &field)
{
    const auto attempt = field.hold({.deed = "end-first"});
    if (!attempt)
        return false;
    for (const qint64 pid : descendantsOf(::getpid())) {
        if (procFile(pid, "comm") == "glovebox-init\n" && statusField(pid, "State").startsWith('T'))
            return true;
    }
    return attempt->processes().isEmpty();
}

bool becomesRealtime(Field &field)
{
    const auto attempt = field.hold({.deed = "realtime", .unprivileged = true});
    if (!attempt)
        return false;
    for (const qint64 pid : attempt->processes()) {
        if (::sched_getscheduler(static_cast<pid_t>(pid)) == SCHED_FIFO
            || ::getpriority(PRIO_PROCESS, static_cast<id_t>(pid)) < 0)
            return true;
    }
    return false;
}

// The names of the keys that the user of runs holds: they tell which services somebody uses.
bool seesKeyNames(Field &field)
{
    const QByteArray name = newToken();
    Field outside(nullptr);
    const auto holder = outside.hold({.deed = "add-key", .words = {name, "x"}, .unprivileged = true});
    return holder && field.reveals({.deed = "read", .words = {"/proc/keys"}, .unprivileged = true}, name);
}

// CLI programs: `glovebox` in a folder of its own.
bool controlsTerminal(Field &field)
{
    const QByteArray secret = newToken();
    QByteArrayList words = field.runWords() << QByteArrayList{"-l", "sh", "-c",
                                                              "printf '\\033]52;c;" + secret + "\\007\\033]0;" + secret
                                                                  + "\\007\\033[c\\033[6n\\233c\\033P+q544e\\033\\\\'; "
                                                                    ": > \"$(printf '\\033]52;c;x\\007name')\""};
    if (!field.isSealed())
        words.append("--raw");
    const auto reaches = [](const QByteArray &seen) {
        return seen.contains("\033]") || seen.contains("\033[c") || seen.contains("\033[6n") || seen.contains("\033P")
               || seen.contains("\2333c");
    };
    TerminalProgram run(QByteArrayList{cliProgram()} + words, field.home());
    if (!run.finish()) {
        field.note(u"glovebox did not end"_s);
        return false;
    }
    if (reaches(run.seen()) || !field.isSealed())
        return reaches(run.seen());
    if (!run.seen().contains(secret)) {
        field.note(u"nothing was shown: "_s + QString::fromUtf8(run.seen().left(100)));
        return false;
    }
    for (const QByteArrayList &command : {QByteArrayList{"audit", "show", "#1"}, QByteArrayList{"audit", "list"},
                                          QByteArrayList{"artifact", "list", "#1"}}) {
        TerminalProgram reader(QByteArrayList{cliProgram()} + command, field.home());
        if (!reader.finish() || reaches(reader.seen()))
            return true;
    }
    return false;
}

// A descriptor of the terminal that the person sits at: what is written to it appears there, and what they type is read.
bool holdsTerminal(Field &field)
{
    const QByteArray token = newToken();
    QByteArrayList words{attackProgram(), token, "wait"};
    if (field.isSealed())
        words = QByteArrayList{cliProgram()} + field.runWords()
                + QByteArrayList{
                    "-l", "sh", "--file", attackProgram(), "-c", "chmod 700 attack; exec ./attack " + token + " wait"};
    TerminalProgram program(words, field.home());
    QList<qint64> inside;
    waitFor(
        [&] {
            inside = processesWith(token);
            inside.removeIf([](qint64 pid) { return procFile(pid, "comm") != "attack\n"; });
            return !inside.isEmpty();
        },
        10s);
    if (inside.isEmpty()) {
        field.note(u"the payload did not start"_s);
        return false;
    }
    struct stat terminals = {};
    ::stat("/dev/pts", &terminals);
    int looked = 0;
    for (const qint64 pid : inside) {
        const QByteArray folder = "/proc/" + QByteArray::number(pid) + "/fd/";
        for (int fd = 0; fd < 256; ++fd) {
            struct stat file = {};
            if (::stat((folder + QByteArray::number(fd)).constData(), &file) != 0)
                continue;
            ++looked;
            if (file.st_dev == terminals.st_dev)
                return true;
        }
    }
    if (looked == 0)
        field.doesNotApply(u"the host can't look into the payload's processes"_s);
    return false;
}

bool typesIntoTerminal(Field &field)
{
    const QByteArray token = newToken();
    QByteArrayList words{attackProgram(), token, "type"};
    if (field.isSealed())
        words = QByteArrayList{cliProgram()} + field.runWords()
                + QByteArrayList{
                    "-l", "sh", "--file", attackProgram(), "-c", "chmod 700 attack; exec ./attack " + token + " type"};
    TerminalProgram program(words, field.home());
    program.finish();
    return program.typed() > 0;
}

// A run of another process, which is then killed.
bool outlivesKilled(Field &field, const QByteArray &victim)
{
    if (!field.isSealed()) {
        const auto attempt = field.hold({.deed = "fork", .words = {"2"}});
        const QList<qint64> pids = attempt ? attempt->processes() : QList<qint64>();
        if (!pids.isEmpty())
            sendSignal(pids.first(), SIGKILL);
        return !waitFor([&] { return attempt->processes().isEmpty(); }, 200ms);
    }
    const QByteArray token = newToken();
    TerminalProgram program(
        QByteArrayList{cliProgram()} + field.runWords()
            + QByteArrayList{"-l", "sh", "--file", attackProgram(), "-c",
                             "chmod 700 attack; ./attack " + token + " fork 3 & exec ./attack " + token + " wait"},
        field.home());
    // The program itself has the token in its own command line.
    const auto inside = [&] {
        QList<qint64> pids = processesWith(token);
        pids.removeAll(program.pid());
        return pids.size();
    };
    if (!waitFor([&] { return inside() >= 4; }, 10s)) {
        field.note(u"the run did not start"_s);
        return false;
    }
    for (const qint64 pid : descendantsOf(program.pid()) + QList<qint64>{program.pid()}) {
        if (procFile(pid, "comm") == victim)
            sendSignal(pid, SIGKILL);
    }
    const bool gone = waitFor([&] { return inside() == 0; }, 3s);
    const bool ended = program.finish();
    if (gone && !ended)
        field.note(u"glovebox waits for ever"_s);
    return !gone || !ended;
}

bool outlivesApp(Field &field)
{
    return outlivesKilled(field, "glovebox\n");
}

bool outlivesSpawner(Field &field)
{
    return outlivesKilled(field, "glovebox-spawne\n");
}

// A second program that starts looks for what dead ones left open, and must leave the living alone.
bool closesLivingEntry(Field &field)
{
    const QByteArray token = newToken();
    TerminalProgram first(QByteArrayList{cliProgram()} + field.runWords()
                              + QByteArrayList{"-l", "sh", "-c", "sleep 20", "--", token},
                          field.home());
    // The snippet itself: also whoever glovebox is just starting has its command line, before it is on record.
    const auto inside = [&] {
        const QList<qint64> pids = processesWith(token);
        return std::ranges::any_of(pids, [](qint64 pid) { return procFile(pid, "comm") == "sh\n"; });
    };
    if (!waitFor(inside, 10s))
        field.note(u"the run did not start"_s);
    if (!field.isSealed()) { // the control: the first one is dead indeed
        sendSignal(first.pid(), SIGKILL);
        first.finish();
    }
    TerminalProgram second({cliProgram(), "run", "-l", "sh", "-c", "true"}, field.home());
    second.finish();
    TerminalProgram list({cliProgram(), "audit", "list"}, field.home());
    list.finish();
    const bool closed = list.seen().contains("interrupted");
    return closed || (field.isSealed() && !inside());
}

// An SVG that calls itself a PNG has a picture of the host in it, which is drawn by a decoder that looks at the content.
bool drawsFileOfHost(Field &field)
{
    constexpr QRgb paint = qRgb(201, 33, 97);
    const Canary place(homeFolder() + u"/.glovebox-picture.png"_s);
    QImage inHost(8, 8, QImage::Format_RGB32);
    inHost.fill(paint);
    if (!inHost.save(QFile::decodeName(place.path()), "png"))
        return false;
    const QByteArray hostile =
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='8' "
        "height='8'><image xlink:href='"
        + place.path() + "' x='0' y='0' width='8' height='8'/></svg>";
    if (!field.isSealed()) {
        QBuffer content;
        content.setData(hostile);
        QImageReader reader(&content);
        const QImage drawn = reader.read();
        return !drawn.isNull() && drawn.pixel(4, 4) == paint;
    }
    const auto attempt =
        field.start({.language = "python", .code = "open('a.png', 'w').write(\"\"\"" + hostile + "\"\"\")"});
    attempt->finish();
    const auto result = attempt->result();
    if (!result || result->artifacts.size() != 1) {
        field.note(u"no picture was left"_s);
        return true;
    }
    for (const QString &type : {u"image/png"_s, u"image/jpeg"_s, u"image/gif"_s, u"image/bmp"_s, u"image/webp"_s}) {
        Artifact artifact = result->artifacts.first();
        artifact.mediaType = type;
        const auto picture = field.engine().picture(artifact);
        // WebP has a decoder where its plugin is installed.
        if (picture || (picture.error().code != ErrorCode::Damaged && type != u"image/webp"_s)) {
            field.note(picture ? u"decoded"_s : picture.error().message.english());
            return true;
        }
    }
    return false;
}

constexpr auto *noFilter = "raw, PID 1 is the machine's own: nobody tries that";

} // namespace

const QList<Case> recordCases{
    {"10b", "descriptors of the person's terminal", holdsTerminal},
    {"24", "type into the person's terminal (TIOCSTI, high bits)", typesIntoTerminal},
    {"36", "the app killed with -9 in the middle of a run", outlivesApp},
    {"37", "the spawner killed in the middle of a run", outlivesSpawner},
    {"57", "the environment of the host (bash, python, node)", inheritsEnvironment},
    {"58", "escapes and HTML in output shown in the workbench", nullptr, "tests of the workbench's output view"},
    {"59", "audit entries edited, removed, reordered, forged", nullptr, "tests of the log (tst_cliverify, tst_badlog)"},
    {"60", "forged results, 100 MB, deep JSON on the channel", nullptr, "tests of cells (tst_cells, tst_cellvalues)"},
    {"61", "forge the report of PID 1", forgesReport},
    {"61b", "signal whoever made the other end of a socket", signalsPeers},
    {"61c", "stop PID 1 through the kernel's own signals", stopsFirstProcess, noFilter},
    {"64", "escapes reach the terminal (run, audit show and list, artifact list)", controlsTerminal},
    {"65", "a hostile picture, left by a run, draws a file of the host", drawsFileOfHost},
    {"66", "a second program closes a living run's entry", closesLivingEntry},
    {"69", "real-time priority from inherited limits", becomesRealtime},
    {"70", "names of the person's keys in /proc/keys", seesKeyNames},
};

} // namespace containment
