// SPDX-License-Identifier: Apache-2.0
#include "application.h"

#include <QLibraryInfo>
#include <QLocale>
#include <QMetaEnum>
#include <QStyleHints>

#include <chrono>
#include <ctime>

namespace glovebox {

Q_LOGGING_CATEGORY(lcStall, "glovebox.stall", QtWarningMsg)
Q_LOGGING_CATEGORY(lcStart, "glovebox.start", QtWarningMsg)

namespace {

constexpr qint64 stallMilliseconds = 50;
// Blinking is what an idle window costs: it ends when nobody has typed for a while, and the cursor stays lit.
constexpr auto cursorRestAfter = std::chrono::seconds(5);

qint64 threadCpuMicroseconds()
{
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return qint64(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000;
}

} // namespace

Application::Application(int &argc, char **argv)
    : QApplication(argc, argv)
    , m_watched(lcStall().isDebugEnabled())
    , m_cursorFlashTime(styleHints()->cursorFlashTime())
{
    m_cursorRest.setSingleShot(true);
    m_cursorRest.setInterval(cursorRestAfter);
    connect(&m_cursorRest, &QTimer::timeout, this, [] { styleHints()->setCursorFlashTime(0); });
    m_cursorRest.start();
}

void Application::stirCursor()
{
    m_cursorRest.start();
    if (styleHints()->cursorFlashTime() != m_cursorFlashTime)
        styleHints()->setCursorFlashTime(m_cursorFlashTime);
}

bool Application::notify(QObject *receiver, QEvent *event)
{
    if (event->type() == QEvent::KeyPress || event->type() == QEvent::MouseButtonPress
        || event->type() == QEvent::WindowActivate)
        stirCursor();
    // Events inside of events are part of the outer one.
    if (!m_watched || m_depth > 0 || receiver->thread() != thread())
        return QApplication::notify(receiver, event);

    const int type = event->type();
    const QByteArray name = receiver->metaObject()->className(); // receiver may be gone afterwards
    ++m_depth;
    const qint64 before = threadCpuMicroseconds();
    const bool done = QApplication::notify(receiver, event);
    const qint64 took = (threadCpuMicroseconds() - before) / 1000;
    --m_depth;
    m_longest = qMax(m_longest, took);
    if (took > stallMilliseconds) {
        const char *typeName = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
        qCDebug(lcStall, "stall %lld ms %s %s", qlonglong(took), typeName ? typeName : "user event", name.constData());
    }
    return done;
}

void Application::installTranslations()
{
    if (m_toolkit.load(QLocale(), QStringLiteral("qtbase"), QStringLiteral("_"),
                       QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        installTranslator(&m_toolkit);
    const auto folder = QStringLiteral(":/glovebox/translations");
    if (m_english.load(QStringLiteral("glovebox_en"), folder))
        installTranslator(&m_english);
    if (m_own.load(QLocale(), QStringLiteral("glovebox"), QStringLiteral("_"), folder))
        installTranslator(&m_own);
}

qint64 Application::takeLongestStall()
{
    return std::exchange(m_longest, 0);
}

} // namespace glovebox
