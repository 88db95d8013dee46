// SPDX-License-Identifier: Apache-2.0
// A whole workbench for a test: the real window with all its pages and a real engine, in a home of its own.
#pragma once

#include "app/workbench/shell/frame/frame.h"
#include "app/workbench/shell/start/application.h"
#include "app/workbench/shell/start/enginehost.h"

#include <QTemporaryDir>
#include <QtTest>

#include <functional>
#include <memory>

namespace glovebox {

class Desk
{
public:
    // programs: the folder of Glovebox's inner programs.
    explicit Desk(const QString &programs = QStringLiteral(GLOVEBOX_LIBEXEC));
    ~Desk(); // closes the window and waits for the engine

    Desk(const Desk &) = delete;
    Desk &operator=(const Desk &) = delete;

    void show(); // and waits for the window to be active
    // And waits for it and the first check of the doctor. Banners that this machine gives rise to are sent away, as a person does once.
    void openEngine();
    QList<Note> sentAway; // by openEngine()
    // An example is open and has run, where there is a bench.
    void runExample();
    // Calls look for each page as it is, then for what a page shows only now and then: sheets over the bench, a filled list of
    // changes, attacks that were made, a settings file that is broken. name is the page's id, or that and more: "bench-folders".
    // The engine is open.
    void walk(const std::function<void(const QString &name, const Page &page)> &look);
    // What has to be settled (posted events, painting) is.
    static void settle();
    // A picture of the window as it is on the screen, into <build>/screens (GLOVEBOX_TEST_SCREENS: elsewhere); false: there is hardly
    // anything in it.
    bool save(const QString &name);
    QImage image() const; // the window as it is on the screen

    QTemporaryDir home;
    QTemporaryDir folder{QDir::tempPath() + QStringLiteral("/glovebox-folder-XXXXXX")}; // of the person
    Paths paths;
    Theme theme;
    WorkbenchContext context;
    EngineHost host;
    Frame frame;

private:
    void changeFiles();
    void askTheAgentsWay();
    void keepSessions();
};

// The widgets of a window that a person can see now, without what Qt makes for itself inside of others.
QList<QWidget *> visibleWidgets(QWidget *window);
// A name for messages: "QPushButton doctor.check".
QString describe(const QWidget *widget);

} // namespace glovebox

// Like QTEST_MAIN, with the program's own application class.
#define GLOVEBOX_TEST_MAIN(Test)                                                                                       \
    GLOVEBOX_TEST_FILE                                                                                                 \
    {                                                                                                                  \
        glovebox::Application application(argc, argv);                                                                 \
        application.installTranslations();                                                                             \
        QApplication::setQuitOnLastWindowClosed(false);                                                                \
        Test test;                                                                                                     \
        return QTest::qExec(&test, argc, argv);                                                                        \
    }
