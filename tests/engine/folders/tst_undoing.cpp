// SPDX-License-Identifier: Apache-2.0
// Applying can be undone until other changes are applied, and nobody's later work is lost by that.
#include "stagingfixture.h"

#include <QScopeGuard>

#include <algorithm>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestUndoing : public QObject, private StagingFixture
{
    Q_OBJECT

    // All that is in the original: names, permissions, links, contents.
    QByteArray state()
    {
        QProcess look;
        look.start(u"sh"_s, {u"-c"_s,
                             u"cd \"$0\"; find . -mindepth 1 -printf '%P %m %l\\n' | LC_ALL=C sort; "
                             "find . -type f | LC_ALL=C sort | xargs -r cat"_s,
                             at(u"original"_s)});
        look.waitForFinished();
        return look.readAllStandardOutput();
    }

    void change(const QString &before, const QString &inCopy)
    {
        QCOMPARE(shell(at(u"original"_s), before), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, inCopy), 0);
        QVERIFY(m_staging->finish(m_run).kept);
    }

    ChosenChanges chosen(const QByteArrayList &paths)
    {
        FolderChanges folder = m_staging->pending(m_run)->folders.value(0);
        folder.changes.removeIf([&](const FolderChange &each) { return !paths.contains(each.path); });
        return QList<FolderChanges>{folder};
    }

    QStringList waiting() const
    {
        const auto pending = m_staging->pending(m_run);
        return pending ? told(pending->folders.value(0)) : QStringList();
    }

    QString keptFolder() const
    {
        QProcess find;
        find.start(u"find"_s, {at(u"data"_s), u"/var/lib/glovebox"_s, u"-path"_s, u"*/kept/"_s + m_run});
        find.waitForFinished();
        return QString::fromUtf8(find.readAllStandardOutput()).trimmed();
    }

    quint32 modeOf(const QString &name) const
    {
        struct stat info = {};
        return ::stat(QFile::encodeName(at(u"original/"_s + name)).constData(), &info) == 0 ? info.st_mode & 0777U
                                                                                            : ~0U;
    }

    static constexpr const char *manyBefore =
        "echo 1 > changed; chmod 640 changed; echo 1 > mode; mkdir -p gone/deep keep; echo 1 > gone/deep/f; echo 1 > "
        "gone/g; ln -s a link; ln -s x lost; echo 1 > becomes; mkdir turns; echo 1 > turns/f";
    static constexpr const char *manyChanges =
        "echo 2 > changed; chmod 755 mode; rm -r gone; ln -sfn b link; rm lost becomes; mkdir "
        "becomes; echo 2 > becomes/f; rm -r turns; echo 2 > turns; mkdir -p new/deep; echo 2 > new/deep/f; ln -s /etc "
        "new/l; chmod 555 new/deep; chmod 700 keep";

private Q_SLOTS:
    void init() { StagingFixture::init(); }
    void cleanup()
    {
        shell(m_room->path(), u"chmod -R u+rwx original"_s);
        StagingFixture::cleanup();
    }

    void everyKindOfChangeIsUndoneAndWaitsAgain()
    {
        change(QString::fromLatin1(manyBefore), QString::fromLatin1(manyChanges));
        const QByteArray before = state();
        const QStringList all = waiting();
        for (int i = 0; i < 2; ++i) { // and what waits again can be applied again
            const auto applied = m_staging->apply(m_run);
            QVERIFY2(applied && applied->refused.isEmpty(), qPrintable(sentences(applied)));
            QVERIFY(state() != before);
            QVERIFY(waiting().isEmpty() && m_staging->pending().isEmpty());
            QCOMPARE(told(m_staging->undoable(m_run)->folders.value(0)), all);
            const auto undone = m_staging->undo(m_run);
            QVERIFY2(undone && undone->refused.isEmpty(), qPrintable(sentences(undone)));
            QCOMPARE(undone->applied, all.size());
            QCOMPARE(state(), before);
            QCOMPARE(waiting(), all);
            QVERIFY(m_staging->undoable().isEmpty());
            QCOMPARE(m_staging->undo(m_run).error().code, ErrorCode::NotFound);
        }
    }

    void someAreAppliedAndTheOthersWait()
    {
        change(u"echo 1 > a; echo 1 > b; echo 1 > c"_s, u"echo 2 > a; echo 2 > b; rm c; mkdir d; echo 2 > d/f"_s);
        const auto report = m_staging->apply(m_run, {}, chosen({"a", "d", "d/f"}));
        QVERIFY2(report && report->refused.isEmpty(), qPrintable(sentences(report)));
        QCOMPARE(report->applied, 3);
        QCOMPARE(contentOf(u"a"_s) + contentOf(u"b"_s) + contentOf(u"c"_s) + contentOf(u"d/f"_s), "2\n1\n1\n2\n");
        QCOMPARE(waiting(), (QStringList{u"~b"_s, u"-c"_s}));
        QVERIFY(m_staging->discard(m_run)); // the others
        QCOMPARE(waiting(), QStringList());
        QCOMPARE(m_staging->undo(m_run)->applied, 3);
        QCOMPARE(contentOf(u"a"_s) + contentOf(u"d/f"_s), "1\n(none)");
        QCOMPARE(waiting(), (QStringList{u"~a"_s, u"+d"_s, u"+d/f"_s}));
    }

    void whatIsChosenMustBeWhatWaitsAndBeWhole()
    {
        change(u"mkdir gone; echo 1 > gone/f; echo 1 > t"_s, u"rm -r gone; mkdir d; echo 2 > d/f; rm t; mkdir t"_s);
        const auto refused = [this](const QByteArrayList &paths) {
            const auto report = m_staging->apply(m_run, {}, chosen(paths));
            return !report && report.error().code == ErrorCode::InvalidInput;
        };
        QVERIFY(refused({"d/f"}));
        QVERIFY(refused({"gone"}));
        QVERIFY(refused({}));
        ChosenChanges another = chosen({"d"});
        another->first().changes.first().mode ^= 0111;
        QCOMPARE(m_staging->apply(m_run, {}, another).error().code, ErrorCode::InvalidInput);
        QVERIFY(!QFile::exists(at(u"original/d"_s)) && QFile::exists(at(u"original/gone/f"_s)));

        ChangeChoice choice(m_staging->pending(m_run)->folders.value(0).changes);
        const auto paths = [&] {
            QByteArrayList list;
            for (const FolderChange &each : choice.chosen())
                list.append("+~-"[int(each.kind)] + each.path);
            return list.join(' ');
        };
        choice.choose(1, true); // of: +d +d/f -gone -gone/f -t +t
        QCOMPARE(paths(), "+d +d/f");
        choice.choose(0, false);
        QCOMPARE(paths(), "");
        choice.choose(3, true);
        QCOMPARE(paths(), "-gone/f");
        choice.choose(2, true);
        choice.choose(5, true);
        QCOMPARE(paths(), "-gone -gone/f -t +t");
        choice.choose(3, false);
        QCOMPARE(paths(), "-t +t");
        QVERIFY(!refused({"t"}));
        QVERIFY(QFileInfo(at(u"original/t"_s)).isDir());
    }

    void whatWasChangedSinceIsLeftAndSaid()
    {
        change(u"for f in a b c d; do echo 1 > $f; done; ln -s x l"_s,
               u"for f in a b n m; do echo 2 > $f; done; mkdir dir; rm c; chmod 755 d; ln -sfn y l"_s);
        QVERIFY(m_staging->apply(m_run)->refused.isEmpty());
        QCOMPARE(shell(at(u"original"_s),
                       u"echo mine > a; echo mine > n; echo mine > c; echo mine > dir/f; chmod 700 d; "
                       "ln -sfn z l; rm m; touch b"_s),
                 0);
        const QByteArray files = state();
        const auto undone = m_staging->undo(m_run);
        QVERIFY(undone);
        QCOMPARE(undone->applied, 1);
        QCOMPARE(contentOf(u"b"_s), "1\n"); // only touched
        QCOMPARE(state().replace("b 644 \n1", ""),
                 QByteArray(files).replace("b 644 \n2", "").replace("mine\n2\n", "mine\n1\n"));
        QCOMPARE(undone->refused.size(), 6);
        QVERIFY2(sentences(undone).contains(u"a was changed in the original since, so it was left as it is."_s),
                 qPrintable(sentences(undone)));
        QCOMPARE(waiting(), (QStringList{u"~b"_s, u"+m"_s}));
        QCOMPARE(shell(at(u"original"_s), u"echo 2 > a"_s), 0); // then those are undone that can be
        QCOMPARE(m_staging->undo(m_run)->applied, 1);
        QCOMPARE(contentOf(u"a"_s), "1\n");
    }

    // Files that a run closed even to their owner, whom alone permissions hold back: root reads them all the same.
    void whatIsClosedToItsOwnerIsUndone_data()
    {
        QTest::addColumn<bool>("isRoot");
        QTest::newRow("as a user") << false;
        if (::geteuid() == 0)
            QTest::newRow("as root") << true;
    }
    void whatIsClosedToItsOwnerIsUndone()
    {
        QFETCH(bool, isRoot);
        change(u"echo 1 > a; chmod 640 a; echo 1 > b"_s,
               u"echo 2 > a; chmod 0 a; chmod 0 b; echo 2 > n; chmod 0 n; echo 2 > w; chmod 200 w; echo 2 > mine; "
               "chmod 0 mine"_s);
        const QByteArray before = state();
        const QStringList all = waiting();
        {
            const AsTheirOwner owner(!isRoot);
            for (int i = 0; i < 2; ++i) {
                QCOMPARE(m_staging->apply(m_run)->applied, 5);
                QCOMPARE(modeOf(u"a"_s) | modeOf(u"b"_s) | modeOf(u"n"_s), 0U);
                const auto undone = m_staging->undo(m_run);
                QVERIFY2(undone && undone->refused.isEmpty(), qPrintable(sentences(undone)));
                QCOMPARE(undone->applied, 5);
                QCOMPARE(state(), before);
                QCOMPARE(waiting(), all);
            }
            QCOMPARE(m_staging->apply(m_run)->applied, 5);
        }
        QCOMPARE(shell(at(u"original"_s), u"chmod 600 mine; echo mine > mine; chmod 0 mine"_s), 0);
        const AsTheirOwner owner(!isRoot);
        const auto undone = m_staging->undo(m_run);
        QCOMPARE(sentences(undone), u"mine was changed in the original since, so it was left as it is."_s);
        QCOMPARE(modeOf(u"mine"_s), 0U); // is as closed as it was
    }

    // The person made the same file before: nothing of theirs is taken away.
    void whatWasThereAlreadyStays()
    {
        change(u"echo 1 > a; echo 1 > c"_s, u"echo 2 > a; echo 2 > n; echo 2 > o"_s);
        QCOMPARE(shell(at(u"original"_s), u"echo 2 > n; echo 2 > a"_s), 0);
        QCOMPARE(m_staging->apply(m_run)->applied, 3);
        QCOMPARE(m_staging->undo(m_run)->applied, 1);
        QCOMPARE(contentOf(u"a"_s) + contentOf(u"n"_s) + contentOf(u"o"_s), "2\n2\n(none)");
    }

    void onlyTheLastApplyingCanBeUndone()
    {
        change(u"echo 1 > a"_s, u"echo 2 > a"_s);
        QVERIFY(m_staging->apply(m_run));
        const QString first = m_run;
        m_run = newId(Clock::system());
        change(u"true"_s, u"echo 3 > a"_s);
        QCOMPARE(m_staging->undoable().value(0).run, first);
        QVERIFY(m_staging->apply(m_run));
        QCOMPARE(m_staging->undoable().value(0).run, m_run);
        const Error refusal = m_staging->undo(first).error();
        QCOMPARE(refusal.code, ErrorCode::NotFound);
        QVERIFY(refusal.message.english().endsWith(u"can: glovebox changes undo "_s + m_run));
        QProcess find;
        find.start(u"find"_s, {at(u"data"_s), u"/var/lib/glovebox"_s, u"-path"_s, u"*/kept/"_s + first + u"*"_s});
        QVERIFY(find.waitForFinished());
        QCOMPARE(find.readAllStandardOutput(), QByteArray()); // nothing of it takes up room
        m_run = newId(Clock::system());
        change(u"true"_s, u"echo 4 > a"_s);
        QCOMPARE(shell(at(u"original"_s), u"echo mine > a"_s), 0);
        QCOMPARE(m_staging->apply(m_run)->applied, 0); // nothing new to undo, and what could be undone still can
        QVERIFY(m_staging->undoable().size() == 1 && m_staging->undoable().first().run != m_run);
    }

    void keptContentThatWasChangedIsNotPutBack()
    {
        change(u"echo 1 > a; echo 1 > b"_s, u"echo 2 > a; echo 2 > b"_s);
        QVERIFY(m_staging->apply(m_run));
        QCOMPARE(shell(keptFolder(), u"echo evil > before/0/1"_s), 0);
        QCOMPARE(m_staging->undo(m_run).error().code, ErrorCode::Damaged);
        QCOMPARE(contentOf(u"a"_s) + contentOf(u"b"_s), "2\n2\n");
    }

    void nothingIsAppliedThatCantBeKept()
    {
        if (::geteuid() != 0)
            QSKIP("Only root can mount a small file system here.");
        change(u"head -c 3M /dev/zero > a; echo 1 > b"_s, u"echo 2 > a; echo 2 > b"_s);
        const QString kept = keptFolder();
        QCOMPARE(shell(kept,
                       u"cp -a . ../tmp; mount -t tmpfs -o size=1m,mode=700 small .; cd \"$PWD\"; cp -a ../tmp/. .; "
                       "rm -r ../tmp"_s),
                 0);
        const auto report = [&] {
            const auto away = qScopeGuard([&] { shell(m_room->path(), u"umount "_s + kept); });
            bool hasBegun = false;
            auto result = m_staging->apply(m_run, [&](const PendingChanges &) {
                hasBegun = true;
                return Status();
            });
            return hasBegun ? Result<ApplyReport>() : result;
        }();
        QVERIFY(!report);
        QCOMPARE(report.error().code, ErrorCode::Full);
        QVERIFY2(sentences(report).contains(u"Nothing was applied"_s), qPrintable(sentences(report)));
        QCOMPARE(contentOf(u"b"_s), "1\n");
    }
};

QTEST_GUILESS_MAIN(TestUndoing)
#include "tst_undoing.moc"
