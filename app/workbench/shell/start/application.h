// SPDX-License-Identifier: Apache-2.0
// The application object: languages, a cursor that comes to rest, and a watch on what keeps the GUI thread busy.
#pragma once

#include <QApplication>
#include <QLoggingCategory>
#include <QTimer>
#include <QTranslator>

namespace glovebox {

Q_DECLARE_LOGGING_CATEGORY(lcStall) // glovebox.stall
Q_DECLARE_LOGGING_CATEGORY(lcStart) // glovebox.start

// With the category glovebox.stall.debug on, every event that took more than 50 ms of the GUI thread's CPU time is logged as
// "stall 83 ms QEvent::Paint OutputView". CPU time: a busy machine makes no stall.
class Application : public QApplication
{
    Q_OBJECT
public:
    Application(int &argc, char **argv);
    bool notify(QObject *receiver, QEvent *event) override;

    // The person's language on top of English, which has plurals to get right too.
    void installTranslations();

    // Milliseconds of the longest event since the last call; 0 when not watched.
    qint64 takeLongestStall();
    void watchStalls(bool on) { m_watched = on; }

private:
    void stirCursor();

    QTranslator m_toolkit; // Qt's own dialogs and menus
    QTranslator m_english;
    QTranslator m_own;
    bool m_watched;
    int m_depth = 0;
    qint64 m_longest = 0;
    QTimer m_cursorRest;
    int m_cursorFlashTime;
};

} // namespace glovebox
