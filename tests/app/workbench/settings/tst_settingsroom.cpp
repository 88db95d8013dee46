// SPDX-License-Identifier: Apache-2.0
// How much room what ran takes, and the deletion of what old runs left.
#include "settingsfixture.h"

#include "app/workbench/shell/words/words.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QDirIterator>
#include <QElapsedTimer>
#include <QLocale>
#include <QProcess>
#include <QPushButton>
#include <QScopeGuard>
#include <QScrollArea>

using namespace glovebox;
using namespace Qt::StringLiterals;

class TestSettingsRoom : public QObject, private SettingsFixture
{
    Q_OBJECT

private:
    // As if all that ran were from so many days ago.
    void makeOld(int days)
    {
        const QString script = uR"(
import os, sqlite3, sys, time
data, days = sys.argv[1], int(sys.argv[2])
log = sqlite3.connect(data + "/audit.db")
log.execute("UPDATE runs SET time_us = time_us - ? * 86400000000", (days,))
log.commit()
for folder, _, files in os.walk(data + "/store"):
    for name in files:
        os.utime(folder + "/" + name, (time.time() - 7200,) * 2)
)"_s;
        QCOMPARE(QProcess::execute(u"python3"_s, {u"-c"_s, script, m_desk->paths.data, QString::number(days)}), 0);
    }
    // As if the one run had left so many files; all of them are old.
    void leaveFiles(int count)
    {
        const QString script = uR"py(
import hashlib, os, sqlite3, sys, time
data, count = sys.argv[1], int(sys.argv[2])
log = sqlite3.connect(data + "/audit.db")
seq = log.execute("SELECT finished_seq FROM runs").fetchone()[0]
for i in range(count):
    content = b"%d" % i
    digest = hashlib.sha256(content).digest()
    name = digest.hex()
    folder = data + "/store/" + name[:2]
    os.makedirs(folder, exist_ok=True)
    with open(folder + "/" + name[2:], "wb") as file:
        file.write(content)
    os.utime(folder + "/" + name[2:], (time.time() - 7200,) * 2)
    log.execute("INSERT INTO bodies VALUES(?, ?, ?, ?, ?, ?)", (seq, "artifact/%d" % i, digest, b"s" * 16, len(content), len(content)))
log.commit()
)py"_s;
        QCOMPARE(QProcess::execute(u"python3"_s, {u"-c"_s, script, m_desk->paths.data, QString::number(count)}), 0);
    }
    int filesInStore() const
    {
        int count = 0;
        for (QDirIterator it(m_desk->paths.storeFolder(), QDir::Files, QDirIterator::Subdirectories); it.hasNext();
             it.next())
            ++count;
        return count;
    }
    const QByteArray m_code = "echo words";
    // Of this code, a hundred days ago.
    void runLongAgo()
    {
        RunRequest request;
        request.language = u"sh"_s;
        request.code = m_code;
        request.caller = m_desk->context.engine()->caller();
        QVERIFY(m_desk->context.engine()->start(request)->wait()->outcome == Outcome::Completed);
        makeOld(100);
    }

private Q_SLOTS:
    void init() { SettingsFixture::init(); }
    void cleanup() { m_desk.reset(); }

    // Measured from the files: what ran is there, by what it is.
    void roomOnDiskIsMeasured()
    {
        open();
        QTRY_COMPARE(find<QLabel>(u"room.output"_s)->text(), sizeWord(0));
        RunRequest request;
        request.language = u"sh"_s;
        request.code = "printf '%05000d' 0; printf '%07000d' 0 >left.txt #" + QByteArray(3000, 'x');
        request.caller = m_desk->context.engine()->caller();
        const auto result = m_desk->context.engine()->start(request)->wait();
        QVERIFY(result->outcome == Outcome::Completed);
        QCOMPARE(result->artifacts.size(), 1);
        m_desk->frame.showPage(u"bench"_s);
        m_desk->frame.showPage(u"settings"_s);
        QTRY_COMPARE(find<QLabel>(u"room.output"_s)->text(), sizeWord(5000));
        QCOMPARE(find<QLabel>(u"room.code"_s)->text(), sizeWord(request.code.size()));
        QCOMPARE(find<QLabel>(u"room.files"_s)->text(), sizeWord(7000));
        QCOMPARE(find<QLabel>(u"room.other"_s)->text(), sizeWord(0));
        QVERIFY(find<QLabel>(u"room.record"_s)->text() != sizeWord(0));
        find<QLineEdit>(u"search"_s)->setText(u"storage"_s);
        QTRY_VERIFY(find<QLabel>(u"room.code"_s)->isVisible() && !field("run.memory-mb")->isVisible());
        QVERIFY(m_desk->save(u"settings-room"_s));
    }

    void whatOldRunsLeftIsDeletedAfterAQuestion_data()
    {
        QTest::addColumn<SchemeChoice>("scheme");
        QTest::addColumn<bool>("isMirrored");
        QTest::addColumn<QSize>("size");
        QTest::newRow("light") << SchemeChoice::Light << false << QSize(1360, 860);
        QTest::newRow("dark") << SchemeChoice::Dark << false << QSize(1360, 860);
        QTest::newRow("mirrored") << SchemeChoice::Light << true << QSize(1360, 860);
        QTest::newRow("small") << SchemeChoice::Light << false << QSize(900, 600);
    }
    void whatOldRunsLeftIsDeletedAfterAQuestion()
    {
        QFETCH(SchemeChoice, scheme);
        QFETCH(bool, isMirrored);
        QFETCH(QSize, size);
        QApplication::setLayoutDirection(isMirrored ? Qt::RightToLeft : Qt::LeftToRight);
        const auto back = qScopeGuard([] { QApplication::setLayoutDirection(Qt::LeftToRight); });
        m_desk.reset();
        m_desk = std::make_unique<Desk>();
        m_desk->theme.setChoice(scheme);
        m_desk->frame.resize(size);
        m_desk->show();
        open();
        RunRequest request;
        request.language = u"sh"_s;
        request.code = "printf '%05000d' 0 #" + QByteArray(3000, 'x');
        request.caller = m_desk->context.engine()->caller();
        const auto result = m_desk->context.engine()->start(request)->wait();
        QVERIFY(result->outcome == Outcome::Completed);
        makeOld(100);
        auto *age = find<QComboBox>(u"room.old.age"_s);
        auto *start = find<QPushButton>(u"room.old.delete"_s);
        auto *yes = find<QPushButton>(u"room.old.yes"_s), *no = find<QPushButton>(u"room.old.no"_s);
        const auto sentence = [this] { return said("room.old.sentence"); };
        m_desk->frame.showPage(u"bench"_s);
        m_desk->frame.showPage(u"settings"_s);
        const QString room = sizeWord(5000 + request.code.size());
        QTRY_COMPARE(sentence(), u"1 run older than 90 days: %1."_s.arg(room));
        age->setCurrentIndex(2);
        QTRY_COMPARE(sentence(), u"No run older than a year has any of it."_s);
        QVERIFY(!start->isEnabled());
        age->setCurrentIndex(0);
        QTRY_COMPARE(sentence(), u"1 run older than 30 days: %1."_s.arg(room));
        QTRY_VERIFY(start->isEnabled());

        start->setFocus(Qt::TabFocusReason);
        QTest::keyClick(start, Qt::Key_Space);
        QVERIFY2(sentence().contains(u"code, output and files of 1 run?"_s), qPrintable(sentence()));
        QVERIFY(no->hasFocus()); // Enter deletes nothing
        m_desk->frame.findChild<QScrollArea *>(u"settings"_s)->ensureWidgetVisible(no);
        QVERIFY(m_desk->save(u"settings-retention-"_s + QString::fromLatin1(QTest::currentDataTag())));
        QTest::keyClick(no, Qt::Key_Space);
        QTRY_VERIFY(start->isEnabled());
        QVERIFY(m_desk->context.engine()->store().get(sha256({request.code})));

        start->click();
        yes->setFocus(Qt::TabFocusReason);
        QTest::keyClick(yes, Qt::Key_Space);
        QVERIFY(m_desk->frame.page(u"settings"_s)->closingEnds().startsWith(u"Code and output of old runs"_s));
        QTRY_COMPARE(sentence(), u"Deleted what 1 run left: %1 freed."_s.arg(room));
        QVERIFY(m_desk->frame.page(u"settings"_s)->closingEnds().isEmpty());
        QVERIFY(age->hasFocus());
        QTRY_COMPARE(find<QLabel>(u"room.output"_s)->text(), sizeWord(0));
        QCOMPARE(find<QLabel>(u"room.code"_s)->text(), sizeWord(0));
        QVERIFY(!start->isEnabled());
        m_desk->frame.showPage(u"bench"_s);
        m_desk->frame.showPage(u"settings"_s);
        const QString date = QLocale().toString(QDate::currentDate(), QLocale::LongFormat);
        QTRY_COMPARE(said("room.old.origin"), u"Last deleted on %1: %2 freed."_s.arg(date, room));

        m_desk->frame.showPage(u"history"_s);
        auto *table = m_desk->frame.findChild<QAbstractItemView *>(u"history.runs"_s);
        QTRY_COMPARE(table->model()->rowCount(), 1);
        table->setCurrentIndex(table->model()->index(0, 0));
        auto *code = m_desk->frame.findChild<QLabel *>(u"history.code.remark"_s);
        QTRY_COMPARE(code->text(), u"The code was deleted on %1. The entry itself is intact."_s.arg(date));
        auto *output = m_desk->frame.findChild<QLabel *>(u"history.output.remark"_s);
        QCOMPARE(output->text(), u"The output was deleted on %1. The entry itself is intact."_s.arg(date));
        QVERIFY(m_desk->save(u"history-deleted-"_s + QString::fromLatin1(QTest::currentDataTag())));
    }

    // The window closes while much is deleted: the log says so, and the next start deletes the rest.
    void aDeletionThatIsCutShortIsFinishedByTheNextStart()
    {
        open();
        runLongAgo();
        leaveFiles(20'000);
        m_desk->frame.showPage(u"bench"_s);
        m_desk->frame.showPage(u"settings"_s);
        auto *start = find<QPushButton>(u"room.old.delete"_s);
        QTRY_VERIFY(start->isEnabled());
        start->click();
        find<QPushButton>(u"room.old.yes"_s)->click();
        QTRY_VERIFY_WITH_TIMEOUT(filesInStore() < 20'000, 20'000); // it has begun
        QVERIFY(m_desk->frame.page(u"settings"_s)->closingEnds().startsWith(u"Code and output of old runs"_s));
        m_desk->home.setAutoRemove(false);
        const Paths paths = m_desk->paths;
        const QString home = m_desk->home.path();
        const auto remove = qScopeGuard([&] { QDir(home).removeRecursively(); });
        QElapsedTimer closing;
        closing.start();
        m_desk.reset();
        qInfo("closing took %lld ms", closing.elapsed());
        QVERIFY(closing.elapsed() < 5'000);
        const auto deletion = [&paths]() -> std::optional<Deletion> {
            const auto reader = AuditReader::open(paths.auditFile());
            return reader ? lastDeletion(**reader).value_or(std::nullopt) : std::nullopt;
        };
        const auto cut = deletion();
        QVERIFY(cut && !cut->isFinished);
        EngineConfig config;
        config.paths = paths;
        const auto engine = Engine::open(std::move(config));
        QVERIFY(engine);
        QTRY_VERIFY_WITH_TIMEOUT(deletion() && deletion()->isFinished && deletion()->isResumed, 30'000);
        QVERIFY(!(*engine)->store().get(sha256({m_code})));
    }

    // Nothing is lost, and the reason is said.
    void aDeletionThatFailsIsSaid()
    {
        open();
        runLongAgo();
        m_desk->frame.showPage(u"bench"_s);
        m_desk->frame.showPage(u"settings"_s);
        auto *start = find<QPushButton>(u"room.old.delete"_s);
        QTRY_VERIFY(start->isEnabled());
        const auto other = FileLock::create(m_desk->paths.deletingFile());
        QVERIFY(other);
        start->click();
        find<QPushButton>(u"room.old.yes"_s)->click();
        QTRY_COMPARE(said("room.old.sentence"), u"Not all of it was deleted."_s);
        QVERIFY(said("room.old.error").contains(u"already"_s));
        QVERIFY(m_desk->context.engine()->store().get(sha256({m_code})));
    }

    void filesThatStayForAnHourAreSaid()
    {
        open();
        runLongAgo();
        QVERIFY(m_desk->context.engine()->store().put(sha256({m_code}), m_code));
        m_desk->frame.showPage(u"bench"_s);
        m_desk->frame.showPage(u"settings"_s);
        auto *start = find<QPushButton>(u"room.old.delete"_s);
        QTRY_VERIFY(start->isEnabled());
        start->click();
        find<QPushButton>(u"room.old.yes"_s)->click();
        QTRY_COMPARE(said("room.old.sentence"),
                     u"Deleted what 1 run left: %1 freed. 1 file stays, as it was stored within the last hour. "
                     "Delete it in an hour."_s.arg(sizeWord(6)));
        m_desk->frame.showPage(u"bench"_s);
        m_desk->frame.showPage(u"settings"_s);
        QTRY_VERIFY(start->isEnabled());
        QCOMPARE(said("room.old.sentence"), u"1 run older than 90 days: %1."_s.arg(sizeWord(m_code.size())));
    }
};

GLOVEBOX_TEST_MAIN(TestSettingsRoom)
#include "tst_settingsroom.moc"
