// SPDX-License-Identifier: Apache-2.0
// An opened port of a job is for one user of this machine: others may read the link where a program gets it as an argument.
#include "portpage.h"
#include "sessionhome.h"

#include <grp.h>

using namespace glovebox;

class TestCliPortUsers : public QObject
{
    Q_OBJECT

    static constexpr uid_t ordinaryUser = 61001, anotherUser = 61002;

    static Ended runAs(const SessionHome &home, const QStringList &words)
    {
        const auto process = home.program(words);
        process->setChildProcessModifier([] {
            if (::geteuid() == 0
                && (::setgroups(0, nullptr) != 0 || ::setresgid(ordinaryUser, ordinaryUser, ordinaryUser) != 0
                    || ::setresuid(ordinaryUser, ordinaryUser, ordinaryUser) != 0))
                ::_exit(126);
        });
        process->start();
        process->closeWriteChannel();
        return finish(*process);
    }

private Q_SLOTS:
    void aLinkIsOfNoUseToOtherUsers()
    {
        const SessionHome home;
        const bool isRoot = ::geteuid() == 0;
        if (isRoot)
            QCOMPARE(::chown(QFile::encodeName(home.path()).constData(), ordinaryUser, ordinaryUser), 0);
        QCOMPARE(runAs(home, {u"session"_s, u"create"_s, u"--name"_s, u"shop"_s}).status, 0);
        const Ended started = runAs(home, {u"run"_s, u"--session"_s, u"shop"_s, u"--detach"_s, u"-q"_s, u"-t"_s,
                                           u"60"_s, u"-l"_s, u"python"_s, u"-c"_s,
                                           u"import http.server as h\n"
                                           "s = h.HTTPServer(('127.0.0.1', 8000), h.SimpleHTTPRequestHandler)\n"
                                           "print('serves', flush=True)\n"
                                           "s.serve_forever()"_s});
        QVERIFY2(started.status == 0, started.err);
        const QString job = QString::fromUtf8(started.out.trimmed());
        QTRY_VERIFY(runAs(home, {u"session"_s, u"logs"_s, job}).out.contains("serves"));
        const Ended opened = runAs(home, {u"session"_s, u"open"_s, u"shop"_s, u"8000"_s});
        QVERIFY2(opened.status == 0, opened.err);

        Page page(QString::fromUtf8(opened.out.trimmed()));
        const auto isRefused = [&](const QByteArray &path) {
            page.user = anotherUser;
            const QByteArray got = page.get(path);
            page.user = isRoot ? ordinaryUser : ::geteuid();
            return got.startsWith("HTTP/1.1 403 ") && got.contains("for the user who opened it");
        };
        std::vector<UniqueFd> silent; // keep nobody out
        if (isRoot) { // who alone is several users
            QVERIFY(isRefused("/?" + page.query));
            // One who doesn't wait for the answer: a closed connection is root's in the kernel's list.
            for (int i = 0; i < 300; ++i)
                send(connectTo(page.port, 0, anotherUser), page.head("GET /?" + page.query));
            for (int i = 0; i < 200; ++i)
                silent.push_back(connectTo(page.port, 0, anotherUser));
        }
        page.user = isRoot ? ordinaryUser : ::geteuid();
        page.come(); // the link wasn't used
        for (const bool isMapped : {false, true}) {
            page.isMapped = isMapped;
            QVERIFY(page.get("/").startsWith("HTTP/1.0 200 "));
        }
        if (isRoot) {
            silent.clear();
            QTRY_VERIFY(isRefused("/"));
            page.user = 0; // as relays are
            QVERIFY(page.get("/").startsWith("HTTP/1.0 200 "));
        }
        QCOMPARE(runAs(home, {u"session"_s, u"stop"_s, job}).status, 0);
    }
};

QTEST_GUILESS_MAIN(TestCliPortUsers)
#include "tst_cliportusers.moc"
