// SPDX-License-Identifier: Apache-2.0
// A session's files come back as they were left, whatever a hostile run left, and never more than its disk holds.
#include "sessionfixture.h"

#include <QDir>
#include <QRandomGenerator>

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

// Finds one word.
class WordSearch : public SecretSearch
{
public:
    QStringList in(QByteArrayView name) const override
    {
        return name.contains("hunter2") ? QStringList{QStringLiteral("KEY")} : QStringList();
    }
    QByteArray scrubbed(QByteArrayView name) const override { return name.toByteArray().replace("hunter2", "[KEY]"); }
    void feed(QByteArrayView piece) override { m_content += piece; }
    QStringList end() override { return in(std::exchange(m_content, {})); }

private:
    QByteArray m_content;
};

} // namespace

class TestSessionFiles : public SessionFixture
{
    Q_OBJECT

    SessionTree treeOf(const QString &id) const { return *m_sessions->tree(*m_sessions->find(id)); }
    static QStringList english(const QList<Text> &texts)
    {
        QStringList all;
        for (const Text &text : texts)
            all.append(text.english());
        return all;
    }
    QString hostFile(const QString &name, const QByteArray &content) const
    {
        QString path = m_home->path() + u'/' + name;
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            return {};
        return path;
    }

private Q_SLOTS:
    void init() { begin(); }
    void cleanup() { end(); }

    void everyKindOfFileComesBackAsItWas()
    {
        const Session session = create();
        const QByteArray odd = "new\nline \x1b[31m \xff";
        QVERIFY(pass(session.id, [&] {
            leave("plain", "text");
            leave("empty", "");
            leave("program", "#!/bin/sh\n", 0755);
            leave("readonly", "x", 0444);
            leave("closed", "nobody", 0000);
            leave(odd, "odd");
            QCOMPARE(::mkdirat(m_workspace.get(), "sub", 0755), 0);
            QCOMPARE(::mkdirat(m_workspace.get(), "sub/deep", 0500), 0);
            QCOMPARE(::mkdirat(m_workspace.get(), "shut", 0755), 0);
            leave("shut/in", "in");
            QCOMPARE(::fchmodat(m_workspace.get(), "shut", 0000, 0), 0);
            QCOMPARE(::symlinkat("../../etc/passwd", m_workspace.get(), "sub/link"), 0);
            QCOMPARE(::linkat(m_workspace.get(), "plain", m_workspace.get(), "sub/again", 0), 0);
            const timespec times[2] = {{.tv_sec = 1'000'000'000, .tv_nsec = 7},
                                       {.tv_sec = 1'000'000'000, .tv_nsec = 7}};
            QCOMPARE(::utimensat(m_workspace.get(), "empty", times, 0), 0);
        }));
        const SessionTree before = treeOf(session.id);
        QVERIFY(pass(session.id, [&] {
            QCOMPARE(content("plain"), "text");
            QCOMPARE(content(odd), "odd");
            struct stat info = {};
            QCOMPARE(::fstatat(m_workspace.get(), "program", &info, 0), 0);
            QCOMPARE(info.st_mode & 07777, mode_t(0755));
            QCOMPARE(::fstatat(m_workspace.get(), "closed", &info, 0), 0);
            QCOMPARE(info.st_mode & 07777, mode_t(0000));
            QCOMPARE(::fstatat(m_workspace.get(), "shut", &info, 0), 0);
            QCOMPARE(info.st_mode & 07777, mode_t(0000));
            QCOMPARE(::fstatat(m_workspace.get(), "sub/deep", &info, 0), 0);
            QCOMPARE(info.st_mode & 07777, mode_t(0500));
            QCOMPARE(::fstatat(m_workspace.get(), "plain", &info, 0), 0);
            QCOMPARE(info.st_nlink, nlink_t(2));
            QCOMPARE(::fstatat(m_workspace.get(), "empty", &info, 0), 0);
            QCOMPARE(info.st_mtim.tv_sec, 1'000'000'000);
            QCOMPARE(info.st_mtim.tv_nsec, 7);
            QCOMPARE(QFile::symLinkTarget(at(u"sub/link"_s)), QDir::cleanPath(at(u"sub/../../etc/passwd"_s)));
        }));
        QCOMPARE(treeOf(session.id), before);
    }

    // A run can set a file's time back, and its size.
    void aChangeThatHidesIsFound()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("f", "aaaa"); }));
        const auto kept = pass(session.id, [&] {
            struct stat info = {};
            QCOMPARE(::fstatat(m_workspace.get(), "f", &info, 0), 0);
            const UniqueFd file(::openat(m_workspace.get(), "f", O_WRONLY));
            QVERIFY(writeWhole(file.get(), "bbbb"));
            const timespec times[2] = {info.st_atim, info.st_mtim};
            QCOMPARE(::futimens(file.get(), times), 0);
        });
        QCOMPARE(kept->changed, 1);
        QVERIFY(pass(session.id, [&] { QCOMPARE(content("f"), "bbbb"); }));
    }

    void aYearThatNoClockShowsIsTheLastOne()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] {
            leave("late", "");
            const timespec times[2] = {{.tv_sec = 17'000'000'000, .tv_nsec = 0},
                                       {.tv_sec = 17'000'000'000, .tv_nsec = 0}};
            QCOMPARE(::utimensat(m_workspace.get(), "late", times, 0), 0);
            struct stat info = {};
            QCOMPARE(::fstatat(m_workspace.get(), "late", &info, 0), 0);
            if (info.st_mtim.tv_sec <= 10'000'000'000)
                QSKIP("this file system knows no later years");
        }));
        constexpr qint64 after2200 = 7'300'000'000'000'000'000;
        QVERIFY(treeOf(session.id).first().modifiedNs > after2200);
    }

    // Ways of copying folders may leave empty files out.
    void aSessionWithoutItsLockIsNotBusyForEver()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("a", "a"); }));
        QVERIFY(QFile::remove(folder() + u'/' + session.id + u"/lock"_s));
        QVERIFY(!m_sessions->isBusy(session.id));
        const auto kept = pass(session.id, [&] {
            QCOMPARE(content("a"), "a");
            QVERIFY(m_sessions->isBusy(session.id)); // and others see it
        });
        QVERIFY2(kept, kept ? "" : qPrintable(kept.error().message.english()));
    }

    void whatIsNoFileIsLeftOutAndTold()
    {
        const Session session = create();
        const auto kept = pass(session.id, [&] {
            leave("a", "a");
            QCOMPARE(::mkfifoat(m_workspace.get(), "pipe", 0600), 0);
            sockaddr_un address{.sun_family = AF_UNIX};
            const QByteArray path = at(u"socket"_s).toLocal8Bit();
            QVERIFY(size_t(path.size()) < sizeof address.sun_path);
            std::ranges::copy(path, address.sun_path);
            const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
            QCOMPARE(::bind(socket.get(), reinterpret_cast<sockaddr *>(&address), sizeof address), 0);
            leave("setuid", "x", 06755);
        });
        QVERIFY(kept);
        QCOMPARE(pathsOf(*m_sessions->find(session.id)), (QByteArrayList{"a", "setuid"}));
        QCOMPARE(treeOf(session.id).last().mode, quint32(0755));
        QCOMPARE(
            english(kept->left),
            (QStringList{u"Sockets, pipes and devices aren't kept in a session: \"pipe\", \"socket\" (2 in all)."_s}));
        QCOMPARE(
            english(kept->altered),
            (QStringList{
                u"Set-user-id and set-group-id bits of files aren't kept in a session: \"setuid\" (1 in all)."_s}));
    }

    // The next run's memory holds what is kept: also where a hole was, and where one file has many names.
    void theDeepestFolderIsToldOnlyWhereSomethingIsInIt()
    {
        const Session session = create();
        const QString deepest = at(u"d"_s + QString(u"/d"_s).repeated(99));
        const auto deep = pass(session.id, [&] { QVERIFY(QDir().mkpath(deepest + u"/d/d"_s)); });
        QVERIFY(deep);
        QCOMPARE(deep->added, 100);
        QCOMPARE(deep->left.size(), 1);
        const auto next = pass(session.id, [&] { QVERIFY(QDir(deepest).exists()); });
        QVERIFY(next);
        QVERIFY2(next->left.isEmpty(), qPrintable(next->left.value(0).english()));
    }

    void neverMoreIsKeptThanTheDiskHolds()
    {
        const Session session = create(u"small"_s, 2 * mebibyte);
        const auto kept = pass(session.id, [&] {
            leave("content", QByteArray(64 * 1024, 'x'));
            leave("too large", QByteArray(1900 * 1024, 'x')); // the next run's code takes some, too
            const UniqueFd holes(::openat(m_workspace.get(), "holes", O_WRONLY | O_CREAT, 0600));
            QCOMPARE(::ftruncate(holes.get(), qint64(1) << 40), 0);
            for (int i = 0; i < 100; ++i)
                QCOMPARE(::linkat(m_workspace.get(), "content", m_workspace.get(),
                                  QByteArray("name" + QByteArray::number(i)), 0),
                         0);
        });
        QVERIFY(kept);
        QCOMPARE(pathsOf(*m_sessions->find(session.id)).size(), 101);
        QCOMPARE(m_sessions->find(session.id)->now().bytes, qint64(64 * 1024));
        QCOMPARE(kept->left.size(), 1);
        QVERIFY(english(kept->left).first().contains(u"\"holes\", \"too large\" (2 in all)"_s));
        QVERIFY(pass(session.id, [&] {
            struct stat info = {};
            QCOMPARE(::fstatat(m_workspace.get(), "name99", &info, 0), 0);
            QCOMPARE(info.st_nlink, nlink_t(101));
        }));
    }

    void aRunThatFillsTheDiskLosesWhatItAdded_data()
    {
        QTest::addColumn<std::function<void()>>("fill");
        QTest::newRow("a new file") << std::function([this] { leave("a", QByteArray(1700 * 1024, 'x')); });
        QTest::newRow("a file that grew") << std::function([this] { leave("m", QByteArray(1700 * 1024, 'x')); });
        QTest::newRow("many names") << std::function([this] {
            for (int i = 0; i < 1000; ++i)
                leave("n" + QByteArray::number(i), "");
        });
        QTest::newRow("many folders") << std::function([this] {
            for (int i = 0; i < 1000; ++i)
                QCOMPARE(::mkdirat(m_workspace.get(), ("n" + QByteArray::number(i)).constData(), 0755), 0);
        });
    }
    void aRunThatFillsTheDiskLosesWhatItAdded()
    {
        QFETCH(const std::function<void()>, fill);
        const Session session = create(u"small"_s, 2 * mebibyte);
        QVERIFY(pass(session.id, [&] {
            leave("m", "as it was");
            leave("z", QByteArray(100 * 1024, 'z'));
            QCOMPARE(::linkat(m_workspace.get(), "z", m_workspace.get(), "z2", 0), 0);
        }));
        const auto kept = pass(session.id, fill);
        QVERIFY(kept);
        QCOMPARE(kept->removed, 0);
        QCOMPARE(kept->changed, 0);
        QVERIFY(english(kept->left).value(0).contains(u"no room"_s));
        QVERIFY(pass(session.id, [&] {
            QCOMPARE(content("m"), "as it was");
            QCOMPARE(content("z"), QByteArray(100 * 1024, 'z'));
            QCOMPARE(content("z2"), QByteArray(100 * 1024, 'z'));
        }));
    }

    void theFirstNameOfAFileMayGo()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] {
            leave("a", "content");
            QCOMPARE(::linkat(m_workspace.get(), "a", m_workspace.get(), "b", 0), 0);
            QCOMPARE(::linkat(m_workspace.get(), "a", m_workspace.get(), "c", 0), 0);
        }));
        QVERIFY(m_sessions->removeFile(session.id, "a"));
        QVERIFY(pass(session.id, [&] {
            QCOMPARE(content("a"), "(none)");
            QCOMPARE(content("b"), "content");
            QCOMPARE(content("c"), "content");
            QCOMPARE(::unlinkat(m_workspace.get(), "b", 0), 0);
        }));
        QVERIFY(m_sessions->put(session.id, hostFile(u"host"_s, "other"), "c"));
        QVERIFY(pass(session.id, [&] { QCOMPARE(content("c"), "other"); }));
        QCOMPARE(m_sessions->removeFile(session.id, "b").error().code, ErrorCode::NotFound);
    }

    // The session keeps what it had, and nothing tells the value.
    void filesWithALentSecretArentKept()
    {
        const Session session = create();
        QVERIFY(pass(session.id, [&] { leave("config", "harmless"); }));
        WordSearch search;
        const auto kept = pass(
            session.id,
            [&] {
                leave("config", "password = hunter2");
                leave("new", "hunter2");
                leave("named-hunter2", "x");
                leave("fine", "x");
                QCOMPARE(::mkdirat(m_workspace.get(), "hunter2-folder", 0755), 0);
                leave("hunter2-folder/in", "x");
                QCOMPARE(::symlinkat("hunter2", m_workspace.get(), "link"), 0);
            },
            &search);
        QVERIFY(kept);
        QCOMPARE(pathsOf(*m_sessions->find(session.id)), (QByteArrayList{"config", "fine"}));
        QVERIFY(pass(session.id, [&] { QCOMPARE(content("config"), "harmless"); }));
        const QString told = english(kept->left).join(u'\n');
        QVERIFY(!told.contains(u"hunter2"_s));
        QVERIFY2(told.contains(u"(6 in all)"_s), qPrintable(told));
    }

    void theRunsOwnCodeIsNotTheSessions()
    {
        const Session session = create();
        const QList<InnerFile> code{{"main.py", "print(1)"}};
        QVERIFY(pass(session.id, [&] { leave("data", "x"); }, nullptr, code));
        QCOMPARE(pathsOf(*m_sessions->find(session.id)), QByteArrayList{"data"});
        // A file of the session by that name is covered, and comes back.
        QVERIFY(m_sessions->put(session.id, hostFile(u"host"_s, "the session's own"), "main.py"));
        QVERIFY(pass(session.id, [&] { QCOMPARE(content("main.py"), "print(1)"); }, nullptr, code));
        QVERIFY(pass(session.id, [&] { QCOMPARE(content("main.py"), "the session's own"); }));
        // One that the run changed is what it left.
        QVERIFY(pass(session.id, [&] { leave("main.py", "changed"); }, nullptr, code));
        QVERIFY(pass(session.id, [&] { QCOMPARE(content("main.py"), "changed"); }));
    }

    void aShownFolderIsNoneOfIt()
    {
        const Session session = create();
        QVERIFY(m_sessions->put(session.id, hostFile(u"host"_s, "x"), "data/own"));
        beginWorkspace();
        auto use = m_sessions->use(session.id, {});
        QVERIFY(use);
        const auto filled = use->fill({.folder = m_workspace.get(), .mounted = {"data"}});
        QVERIFY(!filled);
        QVERIFY(filled.error().message.english().contains(u"\"data/own\""_s));
    }

    void filesArePutAndRemovedByHand()
    {
        const Session session = create();
        QVERIFY(QDir(m_home->path()).mkpath(u"tree/sub"_s));
        QVERIFY(!hostFile(u"tree/a"_s, "a").isEmpty());
        QVERIFY(!hostFile(u"tree/sub/b"_s, "b").isEmpty());
        QVERIFY(QFile::link(u"a"_s, m_home->path() + u"/tree/link"_s));
        QVERIFY(m_sessions->put(session.id, m_home->path() + u"/tree"_s, "in/here"));
        QCOMPARE(pathsOf(*m_sessions->find(session.id)),
                 (QByteArrayList{"in", "in/here", "in/here/a", "in/here/link", "in/here/sub", "in/here/sub/b"}));
        QVERIFY(m_sessions->removeFile(session.id, "in/here/sub"));
        QCOMPARE(pathsOf(*m_sessions->find(session.id)),
                 (QByteArrayList{"in", "in/here", "in/here/a", "in/here/link"}));
        for (const QByteArray &path :
             {QByteArray(""), QByteArray("/etc/passwd"), QByteArray("../x"), QByteArray("a/../../x"),
              QByteArray("a//b"), QByteArray("a/."), QByteArray("a\0b", 3), QByteArray(256, 'x')})
            QCOMPARE(m_sessions->put(session.id, hostFile(u"host"_s, "x"), path).error().code, ErrorCode::InvalidInput);
        QCOMPARE(m_sessions->put(session.id, hostFile(u"host"_s, "x"), "in").error().code, ErrorCode::InvalidInput);
        QCOMPARE(m_sessions->put(session.id, hostFile(u"host"_s, "x"), "in/here/a/b").error().code,
                 ErrorCode::InvalidInput);
        QCOMPARE(m_sessions->put(session.id, u"/nowhere"_s, "x").error().code, ErrorCode::NotFound);
        QCOMPARE(m_sessions->put(session.id, u"/dev/zero"_s, "x").error().code, ErrorCode::InvalidInput);
        const int before = m_sessions->find(session.id)->head;
        const auto large = m_sessions->put(session.id, hostFile(u"large"_s, QByteArray(9 * mebibyte, 'x')), "x");
        QCOMPARE(large.error().code, ErrorCode::Full);
        QCOMPARE(m_sessions->find(session.id)->head, before);
    }

    // No state of files makes a session that the next run can't be in.
    void anyStateComesBack()
    {
        const Session session = create(u"random"_s, 2 * mebibyte);
        QRandomGenerator random(1);
        const QByteArrayList names{"a", "b", "c", "d/a", "d/b", "d/e/f", "g"};
        for (int round = 0; round < 60; ++round) {
            const auto kept = pass(session.id, [&] {
                for (int step = 0; step < 4; ++step) {
                    const QByteArray &name = names[random.bounded(names.size())];
                    const QString path = at(QString::fromLatin1(name));
                    switch (random.bounded(6)) {
                    case 0:
                        std::filesystem::remove_all(path.toStdString());
                        break;
                    case 1:
                        QDir().mkpath(path);
                        break;
                    case 2: {
                        const QByteArray &other = names[random.bounded(names.size())];
                        ::linkat(m_workspace.get(), other.constData(), m_workspace.get(), name.constData(), 0);
                        break;
                    }
                    case 3:
                        ::symlinkat("a", m_workspace.get(), name.constData());
                        break;
                    default:
                        QDir().mkpath(QFileInfo(path).path());
                        if (const UniqueFd file(
                                ::openat(m_workspace.get(), name.constData(), O_WRONLY | O_CREAT | O_NOFOLLOW, 0644));
                            file)
                            writeWhole(file.get(), std::string(random.bounded(9000), 'x'));
                    }
                }
            });
            QVERIFY2(kept, kept ? "" : qPrintable(kept.error().message.english()));
            const SessionTree tree = treeOf(session.id);
            QVERIFY(pass(session.id, [] { }));
            QCOMPARE(treeOf(session.id), tree);
        }
    }
};

QTEST_GUILESS_MAIN(TestSessionFiles)
#include "tst_sessionfiles.moc"
