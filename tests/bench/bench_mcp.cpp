// SPDX-License-Identifier: Apache-2.0
// How long a program waits for `glovebox mcp`: for the first answer, and for a run of Python that has a sandbox ready, against
// raw Python; and whether memory, descriptors and processes stay as they are over many calls. Prints ratios; asserts nothing.
//
// bench_mcp [ROUNDS [CALLS [CLIENTS]]]   (default 100 rounds, and then 1000 calls of 8 clients at once)
#include "measure.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>

using namespace glovebox::bench;
using namespace Qt::StringLiterals;
using SteadyClock = std::chrono::steady_clock;

namespace {

constexpr auto idle = std::chrono::milliseconds(60); // for the next sandbox to be built, before the clock starts

// One client and its `glovebox mcp`.
class McpClient
{
public:
    explicit McpClient(const QString &home)
    {
        QProcessEnvironment environment;
        environment.insert(u"PATH"_s, u"/usr/local/bin:/usr/bin:/bin"_s);
        environment.insert(u"GLOVEBOX_HOME"_s, home);
        m_process.setProcessEnvironment(environment);
        m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        m_process.start(QStringLiteral(GLOVEBOX_BIN "/glovebox"), {u"mcp"_s});
    }
    ~McpClient()
    {
        m_process.closeWriteChannel();
        m_process.waitForFinished();
    }

    bool greet()
    {
        const QJsonObject params{{u"protocolVersion"_s, u"2025-11-25"_s},
                                 {u"capabilities"_s, QJsonObject()},
                                 {u"clientInfo"_s, QJsonObject{{u"name"_s, u"bench"_s}, {u"version"_s, u"1"_s}}}};
        const bool answered = ask(u"initialize"_s, params).contains(u"result"_s);
        m_process.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n");
        return answered;
    }
    bool run(const QString &language, const QString &code)
    {
        send(u"tools/call"_s, runParams(language, code));
        return isCompleted(answer());
    }
    void send(const QString &method, const QJsonObject &params)
    {
        const QJsonObject request{
            {u"jsonrpc"_s, u"2.0"_s}, {u"id"_s, ++m_id}, {u"method"_s, method}, {u"params"_s, params}};
        m_process.write(QJsonDocument(request).toJson(QJsonDocument::Compact) + '\n');
        while (m_process.bytesToWrite() > 0)
            m_process.waitForBytesWritten();
    }
    QJsonObject answer()
    {
        while (!m_process.canReadLine()) {
            if (!m_process.waitForReadyRead(60'000))
                return {};
        }
        return QJsonDocument::fromJson(m_process.readLine()).object();
    }
    QJsonObject ask(const QString &method, const QJsonObject &params)
    {
        send(method, params);
        return answer();
    }
    static QJsonObject runParams(const QString &language, const QString &code)
    {
        return {{u"name"_s, u"run_code"_s},
                {u"arguments"_s, QJsonObject{{u"language"_s, language}, {u"code"_s, code}}}};
    }
    static bool isCompleted(const QJsonObject &answer)
    {
        const QJsonValue outcome = answer["result"_L1]["structuredContent"_L1]["outcome"_L1];
        if (outcome.toString() != u"completed"_s)
            std::fprintf(stderr, "%s\n", QJsonDocument(answer).toJson().constData());
        return outcome.toString() == u"completed"_s;
    }

    // "VmRSS 12345 kB, 27 descriptors, 13 threads, 4 processes"
    QString figures() const
    {
        const QString place = u"/proc/%1/"_s.arg(m_process.processId());
        QFile file(place + u"status"_s);
        QString memory;
        QString threads;
        if (file.open(QIODevice::ReadOnly)) {
            for (const QByteArray &line : file.readAll().split('\n')) {
                if (line.startsWith("VmRSS"))
                    memory = QString::fromLatin1(line.simplified());
                if (line.startsWith("Threads"))
                    threads = QString::fromLatin1(line.simplified().mid(9));
            }
        }
        qsizetype children = 0;
        for (const QString &task : QDir(place + u"task"_s).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            QFile list(place + u"task/"_s + task + u"/children"_s);
            if (list.open(QIODevice::ReadOnly))
                children += list.readAll().count(' '); // one behind each
        }
        return u"%1, %2 descriptors, %3 threads, %4 children"_s.arg(memory)
            .arg(QDir(place + u"fd"_s).entryList(QDir::NoDotAndDotDot | QDir::AllEntries | QDir::System).size())
            .arg(threads)
            .arg(children);
    }

private:
    QProcess m_process;
    int m_id = 0;
};

// A client may start only so many runs in a minute, unless the person says otherwise.
bool liftLimits(const QTemporaryDir &home)
{
    QFile settings(home.filePath(u"config/settings.json"_s));
    return QDir(home.path()).mkdir(u"config"_s) && settings.open(QIODevice::WriteOnly)
           && settings.write("{\"mcp\": {\"runs_a_minute\": 0, \"runs_at_once\": 0, \"unpaired_a_minute\": 0, "
                             "\"unpaired_at_once\": 0}}")
                  > 0
           && settings.setPermissions(QFile::ReadOwner | QFile::WriteOwner)
           && QFile::setPermissions(home.filePath(u"config"_s), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
}

std::chrono::nanoseconds rested(const std::function<bool()> &work)
{
    std::this_thread::sleep_for(idle);
    return timed(work)();
}

bool compare(const QString &home, int rounds)
{
    const std::vector<std::string> clean{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8"};
    McpClient client(home);
    if (!client.greet() || !client.run(u"python"_s, u"pass"_s))
        return false;
    std::vector<Series> all;
    all.push_back({"raw python3 -c pass",
                   [&] { return rested([&] { return runProcess({"/usr/bin/python3", "-c", "pass"}, clean) == 0; }); },
                   {},
                   {}});
    all.push_back({"run_code, warm Python",
                   [&] { return rested([&] { return client.run(u"python"_s, u"pass"_s); }); },
                   "<= 0.6 x raw",
                   {}});
    all.push_back({"run_code, sh", [&] { return rested([&] { return client.run(u"sh"_s, u":"_s); }); }, {}, {}});
    all.push_back({"sandbox_info",
                   [&] {
                       return rested([&] {
                           return client.ask(u"tools/call"_s, {{u"name"_s, u"sandbox_info"_s}}).contains(u"result"_s);
                       });
                   },
                   {},
                   {}});
    all.push_back({"start to first answer",
                   [&] {
                       return rested([&] {
                           McpClient another(home);
                           return another.greet();
                       });
                   },
                   "<= 60 ms",
                   {}});
    if (!measure(all, rounds))
        return false;
    print("glovebox mcp", all);
    return true;
}

bool manyCalls(const QString &home, int calls, int number)
{
    std::vector<std::unique_ptr<McpClient>> clients;
    for (int i = 0; i < number; ++i) {
        clients.push_back(std::make_unique<McpClient>(home));
        if (!clients.back()->greet() || !clients.back()->run(u"python"_s, u"pass"_s))
            return false;
    }
    const auto begin = SteadyClock::now();
    for (int done = 0; done < calls;) {
        if (done % std::max(calls / 5, 1) < number)
            std::printf("after %6d calls: %s\n", done, qPrintable(clients.front()->figures()));
        for (const auto &client : clients)
            client->send(u"tools/call"_s, McpClient::runParams(u"python"_s, u"print(1)"_s));
        for (const auto &client : clients) {
            if (!McpClient::isCompleted(client->answer()))
                return false;
            ++done;
        }
    }
    const double seconds = std::chrono::duration<double>(SteadyClock::now() - begin).count();
    std::printf("after %6d calls: %s\n%d clients at once: %.1f runs a second\n", calls,
                qPrintable(clients.front()->figures()), number, calls / seconds);
    return true;
}

} // namespace

GLOVEBOX_TEST_FILE
{
    const QCoreApplication application(argc, argv);
    const int rounds = argc > 1 ? std::max(1, QByteArray(argv[1]).toInt()) : 100;
    const int calls = argc > 2 ? std::max(0, QByteArray(argv[2]).toInt()) : 1000;
    const int clients = argc > 3 ? std::max(1, QByteArray(argv[3]).toInt()) : 8;
    const QTemporaryDir home;
    return liftLimits(home) && compare(home.path(), rounds) && (calls == 0 || manyCalls(home.path(), calls, clients))
               ? 0
               : 1;
}
