// SPDX-License-Identifier: Apache-2.0
// The ten attacks. Each is undone by the machine it is made on when it gets through: files are removed, processes ended.
#include "stage.h"

#include "engine/base/base.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QThread>

#include <algorithm>
#include <array>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace glovebox::selftest {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

namespace {

// A file with a text that nobody knows; removed in the end.
class Canary
{
public:
    Canary()
        : m_path(QDir::homePath() + u"/.glovebox-attack-"_s + QString::fromLatin1(randomName()))
        , m_text(randomName())
    {
        QFile file(m_path);
        m_made = file.open(QIODevice::WriteOnly | QIODevice::NewOnly) && file.write(m_text) == m_text.size();
    }
    ~Canary() { QFile::remove(m_path); }
    Canary(const Canary &) = delete;
    Canary &operator=(const Canary &) = delete;

    bool isMade() const { return m_made; }
    QByteArray path() const { return QFile::encodeName(m_path); }
    const QByteArray &text() const { return m_text; }

private:
    QString m_path;
    QByteArray m_text;
    bool m_made = false;
};

bool readsHome(Stage &stage)
{
    const Canary canary;
    if (!canary.isMade()) {
        stage.isTrouble(
            Text(QT_TRANSLATE_NOOP("engine", "No file could be put into your home folder to try it with.")));
        return false;
    }
    return stage
        .perform({.code = "cat \"$2\" /proc/1/root\"$2\" /proc/self/root\"$2\" ../../../../..\"$2\" 2>/dev/null\n",
                  .args = {canary.path()}})
        .contains(canary.text());
}

bool writesHome(Stage &stage)
{
    const QByteArray name = ".glovebox-attack-" + randomName();
    QByteArrayList places{QFile::encodeName(QDir::homePath()) + '/' + name};
    if (stage.isSealed()) {
        for (const char *folder : {"/usr/", "/etc/", "/usr/bin/", "/"})
            places.append(folder + name);
    }
    stage.perform({.code = "shift\nfor place in \"$@\"; do : > \"$place\"; done 2>/dev/null\n", .args = places});
    bool found = false;
    for (const QByteArray &place : places)
        found = QFile::remove(QFile::decodeName(place)) || found;
    return found;
}

// What a run is given has other values; names are no secret.
bool readsEnvironment(Stage &stage)
{
    const QByteArray said =
        '\n' + stage.perform({.code = "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'\nenv\n"}) + '\n';
    static constexpr std::array ordinary{"PATH", "LANG", "TERM", "SHELL", "TMPDIR", "SHLVL", "_", "PWD"};
    for (const QByteArray &variable : environmentOfProcess(::getpid()).split('\0')) {
        const QByteArray name = variable.left(variable.indexOf('='));
        const bool known = std::ranges::any_of(ordinary, [&](const char *o) { return name == o; });
        if (!known && variable.size() > name.size() + 1 && said.contains('\n' + variable + '\n'))
            return true;
    }
    return false;
}

bool seesProcesses(Stage &stage)
{
    const QByteArray own = argumentsOfProcess(::getpid());
    return stage.perform({.code = "cat /proc/[0-9]*/cmdline 2>/dev/null\n"}).contains(own);
}

bool endsProgram(Stage &stage)
{
    QProcess victim;
    victim.start(u"/bin/sleep"_s, {u"60"_s});
    if (!victim.waitForStarted()) {
        stage.isTrouble(Text(QT_TRANSLATE_NOOP("engine", "No program could be started to try it with.")));
        return false;
    }
    // By its number only: a sandbox that is broken must not cost the person everything.
    stage.perform({.code = "kill -9 \"$2\"\n", .args = {QByteArray::number(victim.processId())}});
    const bool ended = victim.waitForFinished(100);
    victim.kill();
    victim.waitForFinished();
    return ended;
}

bool connects(Stage &stage)
{
    const UniqueFd server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto *where = reinterpret_cast<sockaddr *>(&address);
    if (!server || ::bind(server.get(), where, size) < 0 || ::listen(server.get(), 1) < 0
        || ::getsockname(server.get(), where, &size) < 0) {
        stage.isTrouble(Text(QT_TRANSLATE_NOOP("engine", "No server could be opened to try it with.")));
        return false;
    }
    stage.perform({.code = "exec 3<>/dev/tcp/127.0.0.1/$2 && echo hello >&3\n",
                   .args = {QByteArray::number(ntohs(address.sin_port))}});
    return UniqueFd(::accept4(server.get(), nullptr, nullptr, SOCK_CLOEXEC)).isValid();
}

bool gainsRights(Stage &stage)
{
    bool gained = false;
    bool seen = false;
    const auto look = [&] {
        for (const qint64 pid : stage.markedProcesses()) {
            seen = true;
            const auto status = statusOfProcess(pid);
            for (const char *set : {"CapPrm", "CapEff", "CapBnd"})
                gained = gained || status[set] != "0000000000000000";
            gained = gained || status["NoNewPrivs"] != "1" || status["Seccomp"] != "2";
        }
    };
    stage.perform({.code = "unshare -Urm bash -c 'sleep 5' \"$1\" </dev/null &\n"
                           "mount -t tmpfs none /tmp\nmknod disk b 8 0\n"
                           "su -c 'sleep 5' </dev/null &\nsleep 0.2\necho ready\nread -r line\n"},
                  look);
    if (!seen)
        stage.isTrouble(Text(QT_TRANSLATE_NOOP("engine", "The processes of the code could not be counted.")));
    return gained;
}

bool leavesProcess(Stage &stage)
{
    stage.perform({.code = "setsid bash -c 'sleep 20; :' \"$1\" </dev/null >/dev/null 2>&1 &\nsleep 0.2\n"});
    const bool left = !stage.markedProcesses().isEmpty();
    stage.endMarkedProcesses();
    return left;
}

bool outlivesLimit(Stage &stage)
{
    stage.perform({.code = "trap '' TERM INT HUP QUIT\n(while :; do :; done) &\nwhile :; do :; done\n", .wall = 500ms});
    return !stage.markedProcesses().isEmpty();
}

bool findsEarlierFiles(Stage &stage)
{
    const QByteArray name = "glovebox-attack-" + randomName();
    const QByteArray places = "/tmp /dev/shm /var/tmp . ";
    stage.perform({.code = "for place in " + places + "; do : > \"$place/$2\"; done 2>/dev/null\n", .args = {name}});
    const bool found = stage.perform({.code = "ls -a " + places + "2>/dev/null\n"}).contains(name);
    if (!stage.isSealed()) {
        for (const char *place : {"/tmp/", "/dev/shm/", "/var/tmp/"})
            QFile::remove(QFile::decodeName(place + name));
    }
    return found;
}

} // namespace

const QList<AttackCase> &attackCases()
{
    static const QList<AttackCase> cases{
        {{u"read-home"_s, Text(QT_TRANSLATE_NOOP("engine", "Read a file in your home folder")),
          Text(QT_TRANSLATE_NOOP("engine", "A file was put there; the code searched for it directly, through /proc and "
                                           "by going up. Your keys (~/.ssh and the like) are in the same place."))},
         readsHome,
         true,
         Text(QT_TRANSLATE_NOOP("engine", "The content of the file did not come out.")),
         Text(QT_TRANSLATE_NOOP("engine", "The content of the file came out."))},
        {{u"write-home"_s, Text(QT_TRANSLATE_NOOP("engine", "Leave a file in your home folder or in the system")),
          Text(QT_TRANSLATE_NOOP("engine", "The code tried to write to your home folder, /, /etc and /usr."))},
         writesHome,
         true,
         Text(QT_TRANSLATE_NOOP("engine", "No file is there.")),
         Text(QT_TRANSLATE_NOOP("engine", "A file was there; it has been removed."))},
        {{u"read-environment"_s, Text(QT_TRANSLATE_NOOP("engine", "Read your environment variables")),
          Text(QT_TRANSLATE_NOOP("engine", "The code printed its own and those of every process it found."))},
         readsEnvironment,
         true,
         Text(QT_TRANSLATE_NOOP("engine", "No variable of yours came out.")),
         Text(QT_TRANSLATE_NOOP("engine", "A variable of yours came out."))},
        {{u"see-processes"_s, Text(QT_TRANSLATE_NOOP("engine", "See your programs")),
          Text(QT_TRANSLATE_NOOP("engine", "The code listed all processes."))},
         seesProcesses,
         true,
         Text(QT_TRANSLATE_NOOP("engine", "Glovebox itself was not among them.")),
         Text(QT_TRANSLATE_NOOP("engine", "Glovebox itself was among them."))},
        {{u"end-program"_s, Text(QT_TRANSLATE_NOOP("engine", "End one of your programs")),
          Text(QT_TRANSLATE_NOOP("engine", "A program was started; the code tried to send it the kill signal."))},
         endsProgram,
         false,
         Text(QT_TRANSLATE_NOOP("engine", "The program is still running.")),
         Text(QT_TRANSLATE_NOOP("engine", "The program was ended."))},
        {{u"connect"_s, Text(QT_TRANSLATE_NOOP("engine", "Reach a server on this machine")),
          Text(QT_TRANSLATE_NOOP("engine", "A server was opened on 127.0.0.1; the code tried to connect to it."))},
         connects,
         true,
         Text(QT_TRANSLATE_NOOP("engine", "No connection came.")),
         Text(QT_TRANSLATE_NOOP("engine", "A connection came."))},
        {{u"gain-rights"_s, Text(QT_TRANSLATE_NOOP("engine", "Gain an administrator's rights")),
          Text(QT_TRANSLATE_NOOP("engine", "The code tried new namespaces, mounting, a device of its own and su."))},
         gainsRights,
         false,
         Text(QT_TRANSLATE_NOOP("engine", "The run's processes have no capability, can't gain any, and are filtered.")),
         Text(QT_TRANSLATE_NOOP("engine", "A process of the run has rights that it must not have."))},
        {{u"leave-process"_s, Text(QT_TRANSLATE_NOOP("engine", "Go on after its end")),
          Text(QT_TRANSLATE_NOOP("engine",
                                 "The code started a process that tries to outlive it, in a session of its own."))},
         leavesProcess,
         true,
         Text(QT_TRANSLATE_NOOP("engine", "No process of it is left.")),
         Text(QT_TRANSLATE_NOOP("engine", "A process was left; it has been ended."))},
        {{u"outlive-limit"_s, Text(QT_TRANSLATE_NOOP("engine", "Ignore its time limit")),
          Text(QT_TRANSLATE_NOOP("engine", "The code ignored every signal that can be ignored, and went on."))},
         outlivesLimit,
         false,
         Text(QT_TRANSLATE_NOOP("engine", "After half a second no process of it was left.")),
         Text(QT_TRANSLATE_NOOP("engine", "A process of it was left."))},
        {{u"earlier-files"_s, Text(QT_TRANSLATE_NOOP("engine", "Find what an earlier run left")),
          Text(QT_TRANSLATE_NOOP("engine",
                                 "One run left files in /tmp, /dev/shm and its folder; the next searched for them."))},
         findsEarlierFiles,
         true,
         Text(QT_TRANSLATE_NOOP("engine", "The second run found none.")),
         Text(QT_TRANSLATE_NOOP("engine", "The second run found one."))},
    };
    return cases;
}

} // namespace glovebox::selftest
