// SPDX-License-Identifier: Apache-2.0
// Applying that is stopped wherever it asks: nothing is half done, and the rest is applied, undone or discarded.
#include "killingfixture.h"

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestStopping : public QObject, private KillingFixture
{
    Q_OBJECT

    // False: it wasn't stopped before all was done.
    bool isStoppedAt(int n, bool isRoot = true)
    {
        const qsizetype all = waiting().size();
        const qsizetype earlier = undoable();
        const QByteArrayList before = state(Times::Same);
        const auto report = applyStoppedAt(n, isRoot);
        if (report && !report->isStopped)
            return false;
        if (!report && (report.error().code != ErrorCode::Cancelled || state(Times::Same) != before))
            qFatal("%s", qPrintable(sentences(report)));
        const qsizetype applied = report ? report->applied : 0;
        const auto check = [&] {
            QVERIFY2(!report || report->refused.isEmpty(), qPrintable(sentences(report)));
            QCOMPARE(waiting().size(), all - applied);
            QCOMPARE(undoable(), earlier + applied);
            QVERIFY(!m_staging->pending(m_run)->isCutShort);
            for (const QByteArray &line : state(Times::Any))
                QVERIFY2(!line.contains(".glovebox-"), line);
        };
        check();
        return !QTest::currentTestFailed();
    }

    int modeOf(const char *name) const
    {
        struct stat info = {};
        return ::stat(QFile::encodeName(at(u"original/"_s + QString::fromLatin1(name))).constData(), &info) == 0
                   ? int(info.st_mode & 0777U)
                   : -1;
    }

    // A folder that gets more, and is closed.
    void changeFolder(bool isNew)
    {
        if (m_staging->pending(m_run))
            QVERIFY(m_staging->discard(m_run));
        m_run = newId(Clock::system());
        QCOMPARE(shell(at(u"original"_s), u"chmod -R u+rwx .; rm -rf *; "_s + (isNew ? QString() : u"mkdir low"_s)), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"mkdir -p low; echo 2 > low/a; echo 2 > low/b; chmod 555 low"_s), 0);
        QVERIFY(m_staging->finish(m_run).kept);
    }

    void applyFolderAlone()
    {
        FolderChanges one = m_staging->pending(m_run)->folders[0];
        one.changes.removeIf([](const FolderChange &each) { return each.type != FolderChange::Type::Folder; });
        const auto report = m_staging->apply(m_run, {}, QList{one});
        QVERIFY2(report && report->applied == 1, qPrintable(sentences(report)));
    }

    // Files and folders that a run closes even to their owner.
    void closeSome()
    {
        m_run = newId(Clock::system());
        QCOMPARE(shell(at(u"original"_s), u"chmod -R u+rwx .; rm -rf *; mkdir keep; echo 1 > keep/a; echo 1 > keep/b; "
                                          "chmod 750 keep; echo 1 > closes; mkdir -p low/er; echo 1 > low/er/a"_s),
                 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy,
                       u"echo 2 > keep/a; echo 2 > keep/b; echo 2 > keep/c; chmod 0 keep; mkdir -p new/er; "
                       "echo 2 > new/a; echo 2 > new/er/b; chmod 0 new/er; chmod 500 new; echo 2 > closes; "
                       "chmod 0 closes; echo 2 > low/er/a; chmod 0 low/er; chmod 500 low"_s),
                 0);
        QVERIFY(m_staging->finish(m_run).kept);
        m_before = state(Times::Same);
        m_all = waiting();
    }

private Q_SLOTS:
    void init() { KillingFixture::init(); }
    void cleanup() { KillingFixture::cleanup(); }

    // Undoing covers both parts.
    void whatIsStoppedGoesOnOrIsUndone_data()
    {
        QTest::addColumn<bool>("appliesRest");
        QTest::newRow("the rest is applied") << true;
        QTest::newRow("undone") << false;
    }
    void whatIsStoppedGoesOnOrIsUndone()
    {
        QFETCH(bool, appliesRest);
        int n = 1;
        for (; isStoppedAt(n); ++n) {
            isStoppedAt(n / 2);
            if (appliesRest && !QTest::currentTestFailed())
                apply();
            if (!QTest::currentTestFailed())
                undo();
            QVERIFY2(!QTest::currentTestFailed(), qPrintable(u"stopped at %1"_s.arg(n)));
        }
        QVERIFY2(n > 40, qPrintable(QString::number(n)));
        undo();
    }

    // The rest may be applied in several goes.
    void undoingCoversAllPartsOfWhatWasStopped()
    {
        int n = 1;
        while (n < 80 && (!isStoppedAt(n) || undoable() == 0 || waiting().size() < 3))
            undo(), ++n;
        QVERIFY(undoable() > 0);
        const auto pending = m_staging->pending(m_run);
        QVERIFY(pending);
        FolderChanges one = pending->folders[0];
        const auto changed = std::ranges::find(one.changes, QByteArray("changed"), &FolderChange::path);
        QVERIFY(changed != one.changes.end());
        one.changes = {*changed};
        const auto report = m_staging->apply(m_run, {}, QList{one});
        QVERIFY2(report && report->applied == 1 && !report->isStopped, qPrintable(sentences(report)));
        QVERIFY(!m_staging->pending(m_run)->isCutShort);
        apply();
        undo();
    }

    // What was undone waits, what wasn't can be undone: by the same again.
    void undoingIsStoppedAndGoesOn_data()
    {
        QTest::addColumn<bool>("isRoot");
        QTest::addColumn<bool>("appliesAgain");
        QTest::newRow("the rest is undone") << true << false;
        QTest::newRow("the rest is undone, as a user") << false << false;
        QTest::newRow("what waits is applied again") << true << true;
        QTest::newRow("what waits is applied again, as a user") << false << true;
    }
    void undoingIsStoppedAndGoesOn()
    {
        QFETCH(bool, isRoot);
        QFETCH(bool, appliesAgain);
        if (!isRoot && ::geteuid() != 0)
            QSKIP("Only root can put its capabilities down.");
        if (!isRoot && appliesAgain) {
            m_isRoot = false;
            init();
        }
        const auto undoStoppedAt = [&](int n, AppliedUntilNow *last = nullptr) {
            const AsTheirOwner owner(!isRoot);
            return m_staging->undo(m_run, {}, [&n, last](const AppliedUntilNow &now) {
                if (last)
                    *last = now;
                return --n > 0;
            });
        };
        int stops = 0;
        int n = 1;
        for (;; ++n) {
            apply();
            const qsizetype all = undoable();
            const QByteArrayList before = state(Times::Same);
            const auto report = undoStoppedAt(n);
            if (report && !report->isStopped)
                break;
            if (!report) {
                QCOMPARE(report.error().code, ErrorCode::Cancelled);
                QCOMPARE(state(Times::Same), before);
            }
            const qsizetype undone = report ? report->applied : 0;
            stops += report && undone > 0 ? 1 : 0;
            QVERIFY2(!report || report->refused.isEmpty(), qPrintable(sentences(report)));
            QCOMPARE(undoable(), all - undone);
            QCOMPARE(waiting().size(), undone);
            const auto left = m_staging->undoable(m_run);
            QVERIFY(left && !left->isCutShort);
            for (const QByteArray &line : state(Times::Any))
                QVERIFY2(!line.contains(".glovebox-"), line);
            if (appliesAgain) {
                {
                    const AsTheirOwner owner(!isRoot);
                    apply(); // after which undoing is about these
                }
                QCOMPARE(undoable(), undone > 0 ? undone : all);
                QVERIFY(m_staging->undo(m_run));
                init();
            } else {
                undo();
            }
            QVERIFY2(!QTest::currentTestFailed(), qPrintable(u"stopped at %1"_s.arg(n)));
        }
        QVERIFY2(stops > 5, qPrintable(QString::number(stops)));
        undo();
        apply();
        AppliedUntilNow last;
        QVERIFY(undoStoppedAt(1000, &last));
        QVERIFY(last.changes >= last.allChanges - 1); // it is told before the last one
        QCOMPARE(last.allChanges, m_all.size());
        QVERIFY(last.bytes == last.allBytes && last.allBytes > 0);
    }

    // Whatever is stopped or killed while what would be replaced is kept.
    void stopsLeaveNoContents()
    {
        m_run = newId(Clock::system());
        QCOMPARE(shell(at(u"original"_s), u"chmod -R u+rwx .; rm -rf *; for i in 1 2 3 4 5 6; do echo 1 > $i; done"_s),
                 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"for i in 0 1 2 3 4 5 6; do echo 2 > $i; done"_s), 0);
        QVERIFY(m_staging->finish(m_run).kept);
        const StagingPlace place(paths(), newId(Clock::system()), [] { return HostIdentity{65534, 65534}; });
        const QDir contents(place.beforeNow(m_run) + u"/0"_s);
        const auto count = [&] { return contents.entryList(QDir::Files).size(); };
        const auto first = m_staging->apply(m_run, {}, {}, [](const AppliedUntilNow &now) { return now.changes < 2; });
        QVERIFY(first && first->isStopped);
        const auto kept = count();
        int before = 0;
        for (int n = 1; n < 40; ++n) {
            const auto report = applyStoppedAt(n);
            if (report)
                break;
            ++before;
            QCOMPARE(count(), kept);
        }
        QVERIFY(before > 10);
        int most = 0;
        for (int n = 1; n < 12; ++n) {
            isKilledAt(n, [this] { std::ignore = applyStoppedAt(1000); });
            most = std::max(most, int(count()));
        }
        QVERIFY2(most <= 6, QByteArray::number(most));
        std::ignore = m_staging->undo(m_run);
    }

    void aStopAfterAKillTellsHowManyCanBeUndone()
    {
        int stops = 0;
        for (int n = 10; n < 60; n += 5) {
            isKilledAt(n, [this] { std::ignore = m_staging->apply(m_run); });
            const auto report = applyStoppedAt(34);
            if (report && report->isStopped) {
                ++stops;
                const qsizetype told = undoable();
                QCOMPARE(m_staging->undo(m_run)->applied, told);
            }
            undo();
            QVERIFY2(!QTest::currentTestFailed(), qPrintable(QString::number(n)));
        }
        QVERIFY(stops > 3);
    }

    void whatIsClosedIsClosedOrAsBeforeWhenStopped_data()
    {
        QTest::addColumn<bool>("isRoot");
        QTest::newRow("as a user") << false;
        QTest::newRow("as root") << true;
    }
    void whatIsClosedIsClosedOrAsBeforeWhenStopped()
    {
        if (::geteuid() != 0)
            QSKIP("Only root can put its capabilities down and look into what is closed.");
        QFETCH(bool, isRoot);
        closeSome();
        const auto areModesWhole = [&] {
            const auto is = [&](const char *name, int before, int after) {
                const int mode = modeOf(name);
                return mode == before || mode == after;
            };
            return is("keep", 0750, 0) && is("new", -1, 0500) && is("new/er", -1, 0) && is("closes", 0644, 0)
                   && is("low", 0755, 0500) && is("low/er", 0755, 0);
        };
        const auto done = [&](const Result<ApplyReport> &report) {
            QVERIFY2(report ? report->refused.isEmpty() : report.error().code == ErrorCode::NotFound,
                     qPrintable(sentences(report)));
        };
        int n = 1;
        for (; isStoppedAt(n, isRoot); n += isRoot ? 5 : 1) {
            QVERIFY2(areModesWhole(), qPrintable(u"stopped at %1"_s.arg(n)));
            {
                const AsTheirOwner owner(!isRoot);
                done(m_staging->apply(m_run));
                QVERIFY(waiting().isEmpty() && undoable() == m_all.size());
                QVERIFY(areModesWhole());
                done(m_staging->undo(m_run));
            }
            QVERIFY2(!QTest::currentTestFailed(), qPrintable(u"stopped at %1"_s.arg(n)));
            QCOMPARE(state(Times::Same), m_before);
            QCOMPARE(waiting(), m_all);
        }
        QVERIFY2(n > 30, qPrintable(QString::number(n)));
        done(m_staging->undo(m_run));
        // What waits is discarded, and nothing of it is there.
        for (int i = 1; i < n; i += 7) {
            QVERIFY(m_staging->discard(m_run));
            closeSome();
            QVERIFY(isStoppedAt(i, isRoot));
            const qsizetype applied = undoable();
            {
                const AsTheirOwner owner(!isRoot);
                QVERIFY(m_staging->discard(m_run));
                QVERIFY(waiting().isEmpty() && undoable() == applied && areModesWhole());
                done(m_staging->undo(m_run));
            }
            QVERIFY2(!QTest::currentTestFailed(), qPrintable(u"stopped at %1, discarded"_s.arg(i)));
            QCOMPARE(state(Times::Same), m_before);
            QCOMPARE(waiting().size(), applied);
            if (applied == 0)
                closeSome(); // for discard(), above
        }
    }

    // The person has opened a folder again that was applied as closed, and applies the rest.
    void aFolderThatThePersonOpenedStaysOpen_data()
    {
        QTest::addColumn<bool>("isStopped");
        QTest::newRow("a part was chosen") << false;
        QTest::newRow("it was stopped") << true;
    }
    void aFolderThatThePersonOpenedStaysOpen()
    {
        QFETCH(bool, isStopped);
        changeFolder(isStopped);
        if (isStopped) {
            int n = 1;
            while (n < 80 && (!isStoppedAt(n) || undoable() < 2))
                std::ignore = m_staging->undo(m_run), ++n;
            QVERIFY(undoable() > 1 && !waiting().isEmpty());
        } else {
            applyFolderAlone();
        }
        QCOMPARE(modeOf("low"), 0555);
        QCOMPARE(shell(at(u"original"_s), u"chmod u+w low"_s), 0);
        const auto report = m_staging->apply(m_run);
        QVERIFY2(report && report->refused.isEmpty() && waiting().isEmpty(), qPrintable(sentences(report)));
        QCOMPARE(modeOf("low"), 0755);
        QCOMPARE(contentOf(u"low/b"_s), "2\n");
    }

    // Who is killed while such a folder is open for the rest leaves it open; whoever applies that again closes it.
    void aFolderThatAKilledOneOpenedIsClosed()
    {
        int opened = 0;
        int n = 1;
        const auto isKilled = [&] {
            changeFolder(false);
            applyFolderAlone();
            return isKilledAt(n, [this] { std::ignore = m_staging->apply(m_run); });
        };
        for (; isKilled(); ++n) {
            opened += modeOf("low") == 0755 ? 1 : 0;
            const auto report = m_staging->apply(m_run);
            QVERIFY2(report ? report->refused.isEmpty() : report.error().code == ErrorCode::NotFound,
                     qPrintable(sentences(report)));
            QVERIFY2(modeOf("low") == 0555, QByteArray::number(n));
        }
        QVERIFY2(opened > 1, QByteArray::number(opened));
    }

    void aLargeFileIsStoppedInTheMiddle()
    {
        m_run = newId(Clock::system());
        QCOMPARE(shell(at(u"original"_s), u"chmod -R u+rwx .; rm -rf *; echo 1 > large"_s), 0);
        const auto staged = copy();
        QVERIFY(staged);
        QCOMPARE(shell(staged->copy, u"head -c 60M /dev/urandom > large; echo 2 > z"_s), 0);
        QVERIFY(m_staging->finish(m_run).kept);
        constexpr qint64 size = 60 * mebibyte;
        AppliedUntilNow last;
        const auto report = m_staging->apply(m_run, {}, {}, [&](const AppliedUntilNow &now) {
            last = now;
            return now.bytes == 0 || now.bytes == size + 2;
        });
        QVERIFY2(report && report->isStopped, qPrintable(sentences(report)));
        QCOMPARE(report->applied, 0);
        QVERIFY2(last.bytes > 0 && last.bytes < size, QByteArray::number(last.bytes));
        QCOMPARE(last.allBytes, size + 2);
        QCOMPARE(last.allChanges, 2);
        QCOMPARE(contentOf(u"large"_s), "1\n");
        QCOMPARE(QDir(at(u"original"_s)).entryList(QDir::Files | QDir::Hidden), QStringList{u"large"_s});
        QVERIFY(!m_staging->pending(m_run)->isCutShort && !m_staging->undoable(m_run));
        QCOMPARE(m_staging
                     ->apply(m_run, {}, {},
                             [&](const AppliedUntilNow &now) {
                                 last = now;
                                 return true;
                             })
                     ->applied,
                 2);
        QCOMPARE(last.bytes, size + 2);
        QCOMPARE(QFileInfo(at(u"original/large"_s)).size(), size);
    }
};

QTEST_GUILESS_MAIN(TestStopping)
#include "tst_stopping.moc"
