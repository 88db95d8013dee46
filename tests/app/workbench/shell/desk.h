// SPDX-License-Identifier: Apache-2.0
// A whole workbench for a test: the real window with all its pages and a real engine, in a home of its own.
#pragma once

#include "app/workbench/shell/frame/frame.h"
#include "app/workbench/shell/start/application.h"
#include "app/workbench/shell/start/enginehost.h"

#include <QTemporaryDir>
#include <QtTest>

#include <memory>

namespace glovebox {

class Desk
{
public:
    Desk();
    ~Desk(); // closes the window and waits for the engine

    Desk(const Desk &) = delete;
    Desk &operator=(const Desk &) = delete;

    void show(); // and waits for the window to be active
    void openEngine(); // and waits for it and the first check of the doctor
    // An example is open and has run, where there is a bench.
    void runExample();
    // What has to be settled (posted events, painting) is.
    static void settle();

    QTemporaryDir home;
    Paths paths;
    Theme theme;
    WorkbenchContext context;
    EngineHost host;
    Frame frame;
};

// The widgets of a window that a person can see now, without what Qt makes for itself inside of others.
QList<QWidget *> visibleWidgets(QWidget *window);
// A name for messages: "QPushButton doctor.check".
QString describe(const QWidget *widget);

} // namespace glovebox

// Like QTEST_MAIN, with the program's own application class.
#define GLOVEBOX_TEST_MAIN(Test)                                                                                       \
    int main(int argc, char *argv[])                                                                                   \
    {                                                                                                                  \
        glovebox::Application application(argc, argv);                                                                 \
        application.installTranslations();                                                                             \
        QApplication::setQuitOnLastWindowClosed(false);                                                                \
        Test test;                                                                                                     \
        return QTest::qExec(&test, argc, argv);                                                                        \
    }
