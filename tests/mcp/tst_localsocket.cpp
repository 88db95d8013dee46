// SPDX-License-Identifier: Apache-2.0
// The workbench's unix socket: only its owner gets there, whatever stands in its place; and a bridge to it outlives it.
#include "testcatalogue.h"

#include <QDir>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace glovebox;
using namespace glovebox::mcp;

namespace {

const QByteArray handshake =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}})";
const QByteArray initialized = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";

QByteArray call(int id, const QByteArray &tool)
{
    return R"({"jsonrpc":"2.0","id":)" + QByteArray::number(id) + R"(,"method":"tools/call","params":{"name":")" + tool
           + R"("}})";
}

Result<std::unique_ptr<Engine>> noEngine()
{
    return fail(ErrorCode::Unavailable, "There is no engine in this test.", {});
}

// One end of a conversation in lines.
class Talker
{
public:
    explicit Talker(int input, int output)
        : m_input(input)
        , m_output(output)
    {
    }
    void say(const QByteArray &line) const
    {
        QVERIFY(writeWhole(m_output, {(line + '\n').constData(), size_t(line.size() + 1)}));
    }
    // Null: the end, or nothing within 10 s.
    QJsonObject next()
    {
        for (;;) {
            if (const auto line = m_lines.next())
                return QJsonDocument::fromJson(line->value()).object();
            pollfd wait{m_input, POLLIN, 0};
            char piece[4096];
            const ssize_t count = ::poll(&wait, 1, 10'000) > 0 ? ::read(m_input, piece, sizeof piece) : 0;
            if (count <= 0)
                return {};
            m_lines.feed({piece, count});
        }
    }
    QJsonObject ask(const QByteArray &line)
    {
        say(line);
        return next();
    }

private:
    int m_input, m_output;
    LineReader m_lines;
};

// A workbench, as far as its endpoint goes.
struct Desk
{
    explicit Desk(const QString &path, bool isOpen = true)
        : listener(LocalListener::create(path).value())
        , local(server, std::move(listener), [this, isOpen](const Peer &, const std::stop_token &) {
            ++admitted;
            return isOpen ? std::make_shared<Client>(Caller{}) : nullptr;
        })
    {
    }
    Server server{testCatalogue(), noEngine};
    std::atomic<int> admitted = 0;
    LocalListener listener;
    LocalServer local;
};

// `glovebox mcp`, in a thread.
struct Program
{
    explicit Program(const QString &path)
    {
        int to[2], from[2];
        if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0)
            qFatal("no pipes");
        input.reset(to[1]);
        output.reset(from[0]);
        thread = std::jthread([this, path, in = UniqueFd(to[0]), out = UniqueFd(from[1])] {
            serveBridge(server, client, [path] { return connectToLocal(path); }, in.get(), out.get(), -1);
            hasEnded = true;
        });
    }
    ~Program() { input.reset(); }
    Client client{Caller{}};
    Catalogue own()
    {
        Catalogue catalogue = testCatalogue();
        catalogue.name = u"own"_s;
        return catalogue;
    }
    Server server{own(), noEngine};
    UniqueFd input, output;
    std::atomic<bool> hasEnded = false;
    std::jthread thread;
};

} // namespace

class TestLocalSocket : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { std::signal(SIGPIPE, SIG_IGN); } // as the program does
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->filePath(u"run/mcp.sock"_s);
    }

    void theSocketIsItsOwnersAlone()
    {
        const auto listener = LocalListener::create(m_path);
        QVERIFY(listener);
        struct stat info = {};
        QCOMPARE(::lstat(m_path.toUtf8().constData(), &info), 0);
        QCOMPARE(info.st_mode & 0777, mode_t(0600));
        QCOMPARE(::lstat(m_folder->filePath(u"run"_s).toUtf8().constData(), &info), 0);
        QCOMPARE(info.st_mode & 0777, mode_t(0700));
        QVERIFY(connectToLocal(m_path));
        QCOMPARE(LocalListener::create(m_path).error().code, ErrorCode::Busy);
    }

    void whatADeadProgramLeftIsReplaced()
    {
        QVERIFY(QDir().mkpath(m_folder->filePath(u"run"_s)));
        QCOMPARE(::chmod(m_folder->filePath(u"run"_s).toUtf8().constData(), 0700), 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        qstrncpy(address.sun_path, m_path.toUtf8().constData(), sizeof address.sun_path);
        {
            const UniqueFd dead(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
            QCOMPARE(::bind(dead.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
        }
        QCOMPARE(connectToLocal(m_path).error().code, ErrorCode::NotFound);
        QVERIFY(LocalListener::create(m_path));
        QVERIFY(!QFile::exists(m_path)); // gone with its listener
    }

    void whatIsNoSocketStaysAndIsRefused()
    {
        QVERIFY(makePrivateFolder(m_folder->filePath(u"run"_s)));
        QFile file(m_path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("mine") == 4);
        file.close();
        QCOMPARE(LocalListener::create(m_path).error().code, ErrorCode::PermissionDenied);
        QCOMPARE(connectToLocal(m_path).error().code, ErrorCode::PermissionDenied);
        QVERIFY(QFile::exists(m_path));
        QVERIFY(QFile::remove(m_path));
        const UniqueFd elsewhere(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        QVERIFY(QFile::link(m_folder->filePath(u"other"_s), m_path)); // a link to a socket elsewhere
        QCOMPARE(connectToLocal(m_path).error().code, ErrorCode::PermissionDenied);
        QCOMPARE(LocalListener::create(m_path).error().code, ErrorCode::PermissionDenied);
    }

    void aFolderThatOthersCanWriteToIsRefused()
    {
        const Desk desk(m_path);
        const QByteArray folder = m_folder->filePath(u"run"_s).toUtf8();
        QCOMPARE(::chmod(folder.constData(), 0777), 0);
        QCOMPARE(connectToLocal(m_path).error().code, ErrorCode::PermissionDenied);
        QCOMPARE(LocalListener::create(m_path + u'2').error().code, ErrorCode::PermissionDenied);
    }

    void aPathThatIsTooLongIsToldAsSuch()
    {
        const QString path = m_folder->filePath(QString(120, u'x') + u"/mcp.sock"_s);
        QCOMPARE(LocalListener::create(path).error().code, ErrorCode::InvalidInput);
        QCOMPARE(connectToLocal(path).error().code, ErrorCode::InvalidInput);
    }

    // Even where the file system would let another user in, as after a chmod.
    void anotherUserIsRefused()
    {
        if (::geteuid() != 0)
            return; // only root can become another user
        const Desk desk(m_path);
        QCOMPARE(::chmod(m_folder->path().toUtf8().constData(), 0777), 0);
        QCOMPARE(::chmod(m_folder->filePath(u"run"_s).toUtf8().constData(), 0777), 0);
        QCOMPARE(::chmod(m_path.toUtf8().constData(), 0777), 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        qstrncpy(address.sun_path, m_path.toUtf8().constData(), sizeof address.sun_path);
        const pid_t child = ::fork();
        if (child == 0) {
            if (::setgid(65534) != 0 || ::setuid(65534) != 0)
                ::_exit(3);
            const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
            if (::connect(socket, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0)
                ::_exit(4);
            std::ignore = ::send(socket, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n", 41, MSG_NOSIGNAL);
            char byte;
            ::_exit(::recv(socket, &byte, 1, 0) <= 0 ? 0 : 5);
        }
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
        QCOMPARE(desk.admitted.load(), 0);
    }

    void aClientThatDiesTakesItsCallsAlong()
    {
        const Desk desk(m_path);
        const int before = cancelled, started = waiting;
        {
            const UniqueFd socket = connectToLocal(m_path).value();
            Talker talker(socket.get(), socket.get());
            QVERIFY(talker.ask(handshake).contains(u"result"));
            talker.say(call(1, "wait"));
            QTRY_COMPARE(waiting.load(), started + 1);
        }
        QTRY_COMPARE(cancelled.load(), before + 1);
    }

    // "socat" and the like do so when there is nothing more to say (shutdown(2)).
    void whoSaysNoMoreIsAnswered()
    {
        const Desk desk(m_path);
        {
            const UniqueFd socket = connectToLocal(m_path).value();
            Talker talker(socket.get(), socket.get());
            QVERIFY(talker.ask(handshake).contains(u"result"));
            talker.say(call(1, "pause"));
            talker.say(call(2, "pause"));
            QCOMPARE(::shutdown(socket.get(), SHUT_WR), 0);
            const QSet<int> answered{talker.next()[u"id"].toInt(), talker.next()[u"id"].toInt()};
            QCOMPARE(answered, (QSet<int>{1, 2}));
            QVERIFY(talker.next().isEmpty()); // the end
        }
        const int before = cancelled, started = waiting;
        {
            const UniqueFd socket = connectToLocal(m_path).value();
            Talker talker(socket.get(), socket.get());
            QVERIFY(talker.ask(handshake).contains(u"result"));
            talker.say(call(1, "wait"));
            QTRY_COMPARE(waiting.load(), started + 1);
            QCOMPARE(::shutdown(socket.get(), SHUT_WR), 0);
            QTest::qWait(100);
            QCOMPARE(cancelled.load(), before);
        } // gone for good
        QTRY_COMPARE(cancelled.load(), before + 1);
    }

    void withoutAWorkbenchTheBridgeServesItself()
    {
        Program program(m_path);
        Talker talker(program.output.get(), program.input.get());
        QCOMPARE(talker.ask(handshake)[u"result"][u"serverInfo"_s][u"name"_s].toString(), u"own"_s);
        QCOMPARE(talker.ask(call(1, "echo"))[u"id"].toInt(), 1);
    }

    void theBridgeJoinsTheWorkbenchAndOutlivesIt()
    {
        auto desk = std::make_unique<Desk>(m_path);
        Program program(m_path);
        Talker talker(program.output.get(), program.input.get());
        QCOMPARE(talker.ask(handshake)[u"result"][u"serverInfo"_s][u"name"_s].toString(), u"test"_s);
        talker.say(initialized);
        QVERIFY(talker.ask(call(1, "echo")).contains(u"result"));

        // closed in the middle of a call: the call has an error, and the next one a new workbench that knows the handshake
        const int started = waiting;
        talker.say(call(2, "wait"));
        QTRY_COMPARE(waiting.load(), started + 1);
        desk.reset();
        const QJsonObject lost = talker.next();
        QCOMPARE(lost[u"id"].toInt(), 2);
        QCOMPARE(lost[u"error"][u"code"_s].toInt(), ErrorNumber::internal);
        desk = std::make_unique<Desk>(m_path);
        const QJsonObject again = talker.ask(call(3, "echo"));
        QCOMPARE(again[u"id"].toInt(), 3);
        QVERIFY(again[u"result"].toObject().contains(u"structuredContent") || again.contains(u"result"));
        QCOMPARE(desk->admitted.load(), 1);

        // gone for good: an endpoint of our own, which knows the handshake, too
        desk.reset();
        const QJsonObject own = talker.ask(call(4, "echo"));
        QCOMPARE(own[u"id"].toInt(), 4);
        QVERIFY(own.contains(u"result"));
    }

    void anotherProgramIsToldWhichToStart()
    {
        const Desk desk(m_path, false);
        const UniqueFd socket = connectToLocal(m_path).value();
        Talker talker(socket.get(), socket.get());
        const QJsonObject answer = talker.next(); // before it said anything
        QVERIFY(answer.contains(u"id") && answer[u"id"].isNull());
        QVERIFY2(answer[u"error"][u"message"_s].toString().contains(u"\"glovebox mcp\""),
                 qPrintable(answer[u"error"][u"message"_s].toString()));
        QVERIFY(talker.next().isEmpty()); // the end
    }

    // Closed without a word, a client would take the workbench for a broken one.
    void oneTooManyIsToldSo()
    {
        const Desk desk(m_path);
        std::vector<UniqueFd> others;
        for (int i = 0; i < localConnectionsMax; ++i)
            others.push_back(connectToLocal(m_path).value());
        Program program(m_path);
        Talker talker(program.output.get(), program.input.get());
        talker.say(handshake);
        QJsonObject answer = talker.next();
        if (answer[u"id"].isNull()) // what the workbench said to nobody in particular
            answer = talker.next();
        QCOMPARE(answer[u"id"].toInt(-1), 0);
        QVERIFY2(answer[u"error"][u"message"_s].toString().contains(u"64 agents"),
                 qPrintable(answer[u"error"][u"message"_s].toString()));
        others.clear();
        bool isServed = false; // once the workbench saw that they left
        for (int id = 1; id <= 100 && !isServed; ++id) {
            talker.say(call(id, "echo"));
            do
                answer = talker.next();
            while (!answer.isEmpty() && answer[u"id"].toInt(-1) != id);
            isServed = answer.contains(u"result");
            if (!isServed)
                QTest::qWait(20);
        }
        QVERIFY(isServed);
    }

    // Whoever reads no answers any more has no use for them, even where more is asked.
    void aClientThatReadsNothingMoreEndsTheBridge()
    {
        Program program(m_path);
        program.output.reset();
        const Talker talker(-1, program.input.get());
        talker.say(handshake);
        QTRY_VERIFY_WITH_TIMEOUT(program.hasEnded, 10'000);
    }

    // The end of input ends the bridge, and what it has under way at the workbench.
    void theEndOfInputEndsTheCallsAtTheWorkbench()
    {
        const Desk desk(m_path);
        const int before = cancelled, started = waiting;
        {
            Program program(m_path);
            Talker talker(program.output.get(), program.input.get());
            QVERIFY(talker.ask(handshake).contains(u"result"));
            talker.say(call(1, "wait"));
            QTRY_COMPARE(waiting.load(), started + 1);
        }
        QTRY_COMPARE(cancelled.load(), before + 1);
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
};

QTEST_GUILESS_MAIN(TestLocalSocket)
#include "tst_localsocket.moc"
