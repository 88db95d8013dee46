// SPDX-License-Identifier: Apache-2.0
// The workbench in front of a test, on a host of the test internet with an index of packages.
#pragma once

#include "sessionsseat.h"

#include "app/workbench/packages/packagegetting.h"
#include "app/workbench/runpanel/output/outputview.h"
#include "tests/app/cli/egress/packageplace.h"
#include "tests/support/testinternet/testinternet.h"

namespace glovebox {

class PackagesSeat : public SessionsSeat
{
public:
    static void makeIndexes()
    {
        makeIndex();
        makeIndex(QStringLiteral("registry.py"));
        qputenv("GLOVEBOX_PACKAGES_NPM_INDEX", "https://registry.npmjs.org/npm");
    }
    void standUp()
    {
        if (!desk)
            return;
        const Paths paths = desk->paths;
        desk.reset();
        removePackages(paths);
    }
    // The window is closed; what it left is opened by another program.
    std::unique_ptr<Engine> closeAndOpenAnew()
    {
        desk->home.setAutoRemove(false);
        m_left = desk->home.path();
        EngineConfig config;
        config.paths = desk->paths;
        desk.reset();
        auto opened = Engine::open(std::move(config));
        if (!opened)
            qFatal("%s", qPrintable(opened.error().message.english()));
        return *std::move(opened);
    }
    void removeLeft()
    {
        if (m_left.isEmpty())
            return;
        removePackages({.data = m_left + QStringLiteral("/data")});
        static_cast<void>(removeTree(std::exchange(m_left, {})));
    }
    static QStringList namesOfSessions(const Engine &engine)
    {
        QStringList names;
        for (const Session &session : engine.sessions().list().value_or(QList<Session>()))
            names.append(session.name);
        return names;
    }
    // The focus goes there by Tab alone, and then it is pressed.
    void pressByKeys(const QString &name)
    {
        auto *button = find<QWidget>(name);
        for (int i = 0; i < 200 && !button->hasFocus(); ++i)
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QVERIFY2(button->hasFocus(), qPrintable(name));
        QTest::keyClick(button, Qt::Key_Space);
    }
    // Of what goes on in this bar.
    void agree(const QString &bar)
    {
        QTRY_VERIFY_WITH_TIMEOUT(shows(bar + QStringLiteral(".yes")), 60'000);
        press(bar + QStringLiteral(".yes"));
    }
    const SessionPackages *packagesOf(const QString &session, const QString &language = QStringLiteral("python"))
    {
        m_found = engine().sessions().find(session).value_or(Session());
        return m_found.packagesOf(language);
    }
    QStringList namesOfAllSessions() const { return namesOfSessions(engine()); }

private:
    static void removePackages(const Paths &paths)
    {
        if (::geteuid() == 0) // elsewhere they are in the home
            static_cast<void>(
                removeTree(QStringLiteral("/var/lib/glovebox/packages-")
                           + QString::fromLatin1(sha256({QFile::encodeName(paths.data)}).toHex().first(16))));
    }

    Session m_found;
    QString m_left; // home
};

} // namespace glovebox

// Instead of GLOVEBOX_TEST_MAIN.
#define GLOVEBOX_INTERNET_WINDOW_MAIN(Test)                                                                            \
    GLOVEBOX_TEST_FILE                                                                                                 \
    {                                                                                                                  \
        glovebox::enterTestInternet(argv);                                                                             \
        glovebox::Application application(argc, argv);                                                                 \
        application.installTranslations();                                                                             \
        QApplication::setQuitOnLastWindowClosed(false);                                                                \
        Test test;                                                                                                     \
        return QTest::qExec(&test, argc, argv);                                                                        \
    }
