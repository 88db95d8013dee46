// SPDX-License-Identifier: Apache-2.0
// The real program ends while packages are installed: its window is closed, it is told to end, or killed. Nothing half stays, no
// process stays, and the log tells how the runs ended.
#include "packagesseat.h"

#include "app/workbench/pages.h"
#include "app/workbench/shell/start/workbench.h"
#include "tests/support/signals.h"

#include <QProcess>

#include <sys/prctl.h>
#include <sys/wait.h>

#include <cstdio>

using namespace glovebox;
using namespace Qt::StringLiterals;

namespace {

constexpr auto sessionVariable = "GLOVEBOX_TEST_INSTALLS_INTO"; // the program's own window goes on in this session
constexpr auto packageVariable = "GLOVEBOX_TEST_INSTALLS";
constexpr auto closesVariable = "GLOVEBOX_TEST_CLOSES";

// Lives in the started program: does with its window what a person would.
class Hand : public QObject
{
public:
    explicit Hand(QObject *parent)
        : QObject(parent)
    {
        connect(&m_look, &QTimer::timeout, this, &Hand::act);
        m_look.start(20);
    }

private:
    template<typename Widget> Widget *find(const QString &name) const
    {
        for (Widget *widget : m_frame->findChildren<Widget *>(name)) {
            if (widget->isVisible())
                return widget;
        }
        return nullptr;
    }
    static void say(const char *word) // the parent reads it
    {
        std::printf("%s\n", word);
        std::fflush(stdout);
    }
    void act()
    {
        for (QWidget *window : QApplication::topLevelWidgets()) {
            if (auto *frame = qobject_cast<Frame *>(window))
                m_frame = frame;
        }
        if (!m_frame || !m_frame->isVisible())
            return;
        switch (m_step) {
        case 0:
            m_frame->showPage(u"sessions"_s);
            m_frame->page(u"sessions"_s)->navigate({{u"session"_s, qEnvironmentVariable(sessionVariable)}});
            ++m_step;
            break;
        case 1:
            if (auto *ask = find<QPushButton>(u"sessions.packages.ask"_s); ask && ask->isEnabled()) {
                ask->click();
                ++m_step;
            }
            break;
        case 2:
            if (auto *field = find<QLineEdit>(u"sessions.packages.python"_s)) {
                field->setText(qEnvironmentVariable(packageVariable));
                QTest::keyClick(field, Qt::Key_Return);
                ++m_step;
            }
            break;
        case 3:
            if (auto *yes = find<QPushButton>(u"sessions.packages.yes"_s))
                yes->click();
            if (auto *words = find<QLabel>(u"sessions.packages.words"_s); words && words->text() != m_said) {
                m_said = words->text();
                say(qPrintable(m_said));
                if (m_said.startsWith(u"Fetching"_s) && qEnvironmentVariableIsSet(closesVariable)) {
                    m_frame->close();
                    ++m_step;
                }
            }
            break;
        case 4:
            if (auto *sentence = find<QLabel>(u"frame.close.sentence"_s)) {
                say(qPrintable(u"Asks: "_s + sentence->text()));
                find<QPushButton>(u"frame.close.go"_s)->click();
                ++m_step;
            }
            break;
        default:
            break;
        }
    }

    Frame *m_frame = nullptr;
    QTimer m_look;
    QString m_said;
    int m_step = 0;
};

enum class End { Closed, Told, Killed };

} // namespace

class TestPackagesEnd : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_home;
    std::unique_ptr<QProcess> m_program;

    Paths paths() const
    {
        const QString home = m_home->path();
        return {home + u"/data"_s, home + u"/config"_s, home + u"/run"_s, QStringLiteral(GLOVEBOX_LIBEXEC)};
    }
    std::unique_ptr<Engine> open() const
    {
        EngineConfig config;
        config.paths = paths();
        auto opened = Engine::open(std::move(config));
        if (!opened)
            qFatal("%s", qPrintable(opened.error().message.english()));
        return *std::move(opened);
    }
    QString packagesPlace() const
    {
        return ::geteuid() == 0 ? u"/var/lib/glovebox/packages-"_s
                                      + QString::fromLatin1(sha256({QFile::encodeName(paths().data)}).toHex().first(16))
                                : paths().data + u"/packages"_s;
    }
    // This program as one that is installed, which finds its inner programs beside itself.
    QString program() const
    {
        const QString folder = m_home->path() + u"/bin"_s, path = folder + u"/tst_packagesend"_s;
        if (!QDir().mkpath(folder)
            || !QFile::link(QFileInfo(QStringLiteral(GLOVEBOX_LIBEXEC)).path(), m_home->path() + u"/libexec"_s)
            || !QFile::copy(QCoreApplication::applicationFilePath(), path))
            qFatal("There is no room for a program.");
        return path;
    }
    void start(const QString &session, const QString &package, End end)
    {
        m_program = std::make_unique<QProcess>();
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"GLOVEBOX_HOME"_s, m_home->path());
        environment.insert(QString::fromLatin1(sessionVariable), session);
        environment.insert(QString::fromLatin1(packageVariable), package);
        if (end == End::Closed)
            environment.insert(QString::fromLatin1(closesVariable), u"1"_s);
        m_program->setProcessEnvironment(environment);
        m_program->setProcessChannelMode(QProcess::ForwardedErrorChannel);
        m_program->start(program(), {});
    }
    bool says(const QByteArray &words)
    {
        QByteArray said;
        (void)QTest::qWaitFor(
            [&] {
                said += m_program->readAllStandardOutput();
                return said.contains(words) || m_program->state() == QProcess::NotRunning;
            },
            60'000);
        if (!said.contains(words))
            qWarning("%s", said.constData());
        return said.contains(words);
    }
    // Whose parent is gone belongs to this program now.
    static bool isAlone()
    {
        while (::waitpid(-1, nullptr, WNOHANG) > 0) { }
        return ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD;
    }

private Q_SLOTS:
    void initTestCase()
    {
        PackagesSeat::makeIndexes();
        QCOMPARE(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    }
    void init() { m_home = std::make_unique<QTemporaryDir>(); }
    void cleanup()
    {
        m_program.reset();
        (void)QTest::qWaitFor([] { return isAlone(); }, 10'000);
        static_cast<void>(removeTree(packagesPlace()));
        m_home.reset();
    }

    void nothingHalfStays_data()
    {
        QTest::addColumn<int>("end");
        QTest::addColumn<QString>("package");
        QTest::addColumn<QByteArray>("stage");
        for (const auto &[name, end] :
             {std::pair("closed", End::Closed), std::pair("SIGTERM", End::Told), std::pair("SIGKILL", End::Killed)}) {
            QTest::addRow("%s while it fetches", name) << int(end) << u"silent"_s << QByteArray("Fetching silent");
            if (end != End::Closed)
                QTest::addRow("%s while it installs", name) << int(end) << u"leaf"_s << QByteArray("Installing");
        }
    }

    void nothingHalfStays()
    {
        QFETCH(int, end);
        QFETCH(QString, package);
        QFETCH(QByteArray, stage);
        QString session;
        {
            const auto engine = open();
            const auto made = engine->createSession({.name = u"shop"_s}, engine->caller());
            QVERIFY(made);
            session = made->id;
        }
        start(session, package, End(end));
        if (End(end) == End::Closed) {
            QVERIFY(says("Asks: Packages are being installed into session shop; closing cancels that, and the session "
                         "stays as it is."));
        } else {
            QVERIFY(says(stage));
            sendSignal(m_program->processId(), End(end) == End::Told ? SIGTERM : SIGKILL);
        }
        QVERIFY(m_program->waitForFinished(20'000));
        if (End(end) != End::Killed) {
            QCOMPARE(m_program->exitStatus(), QProcess::NormalExit);
            QCOMPARE(m_program->exitCode(), 0);
            QCOMPARE(QDir(paths().data + u"/engines"_s).entryList(QDir::Files), QStringList());
        }
        QTRY_VERIFY_WITH_TIMEOUT(isAlone(), 10'000);

        const auto engine = open();
        QTRY_COMPARE(PackagesSeat::namesOfSessions(*engine), QStringList{u"shop"_s});
        const bool isInstalled = !engine->sessions().find(session)->packages.isEmpty();
        QVERIFY(!isInstalled || package == u"leaf"_s); // the last step may have been over
        QVERIFY(engine->packages().list().size() <= (package == u"leaf"_s ? 1 : 0));
        const auto reader = AuditReader::open(paths().auditFile());
        QVERIFY(reader);
        const auto runs = (*reader)->runs({});
        QVERIFY(runs && (!runs->isEmpty() || End(end) == End::Killed)); // killed before its first run was on record
        for (const RunRow &run : *runs) {
            QVERIFY(run.getsPackages);
            QVERIFY2(run.finishedSeq > 0, qPrintable(run.firstLine));
        }
        QVERIFY((*reader)->check().value_or(false));
        // The next installation is like the first.
        QCOMPARE(QDir(packagesPlace()).entryList({u"*.new*"_s, u"*.part*"_s}, QDir::AllEntries | QDir::Hidden),
                 QStringList());
    }
};

GLOVEBOX_TEST_FILE
{
    enterTestInternet(argv);
    if (qEnvironmentVariableIsSet(sessionVariable)) {
        qAddPreRoutine([] {
            if (qobject_cast<QApplication *>(QCoreApplication::instance()))
                new Hand(QCoreApplication::instance());
        });
        return runWorkbench(argc, argv, makePages);
    }
    Application application(argc, argv);
    QApplication::setQuitOnLastWindowClosed(false);
    TestPackagesEnd test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_packagesend.moc"
