// SPDX-License-Identifier: Apache-2.0
#include "desk.h"

#include "app/workbench/pages.h"

namespace glovebox {
namespace {

Paths pathsIn(const QString &folder)
{
    return {folder + QStringLiteral("/data"), folder + QStringLiteral("/config"), folder + QStringLiteral("/run"),
            QStringLiteral(GLOVEBOX_LIBEXEC)};
}

} // namespace

Desk::Desk()
    : paths(pathsIn(home.path()))
    , context(paths, theme)
    , host(context)
    , frame(context, makePages(context))
{
    frame.restoreLayout();
}

Desk::~Desk()
{
    QSignalSpy closed(&host, &EngineHost::closed);
    frame.closeWindow(true);
    host.close();
    // Not the spy's own wait: that one gives up at once in a test that has failed.
    if (!QTest::qWaitFor([&] { return !closed.isEmpty(); }, 10'000))
        qFatal("The engine did not close within 10 s.");
}

void Desk::show()
{
    frame.show();
    if (!QTest::qWaitForWindowExposed(&frame))
        qFatal("The window did not show.");
    frame.activateWindow();
    if (!QTest::qWaitForWindowActive(&frame))
        qWarning("The window did not become active.");
    settle();
}

void Desk::openEngine()
{
    host.open();
    const bool opened = QTest::qWaitFor([this] { return context.engine() || context.engineError(); }, 20'000);
    if (!opened || context.engineError())
        qFatal("The engine did not open: %s",
               context.engineError() ? qPrintable(context.engineError()->message.english()) : "it takes too long");
    // The doctor looks shortly after the start; what it finds is part of the picture.
    if (const Page *doctor = frame.page(QStringLiteral("doctor")))
        (void)QTest::qWaitFor([doctor] { return !doctor->status().isEmpty(); }, 20'000);
    settle();
}

void Desk::runExample()
{
    if (!frame.page(QStringLiteral("bench")))
        return;
    frame.openFiles({QStringLiteral(GLOVEBOX_SOURCE_DIR "/resources/examples/hello.py")});
    settle();
    if (!context.actions().trigger(QStringLiteral("bench.run")))
        return;
    (void)QTest::qWaitFor([this] { return !frame.page(QStringLiteral("bench"))->closingEnds().isEmpty(); }, 2'000);
    (void)QTest::qWaitFor([this] { return frame.page(QStringLiteral("bench"))->closingEnds().isEmpty(); }, 20'000);
    QTest::qWait(200);
}

void Desk::settle()
{
    for (int i = 0; i < 3; ++i) {
        QCoreApplication::sendPostedEvents();
        QCoreApplication::processEvents();
    }
    QTest::qWait(30);
}

QList<QWidget *> visibleWidgets(QWidget *window)
{
    QList<QWidget *> found;
    const auto all = window->findChildren<QWidget *>();
    for (QWidget *widget : all) {
        if (!widget->isVisible() || widget->window() != window || widget->visibleRegion().isEmpty())
            continue;
        // Scroll bars' containers, fields of spin boxes, viewports; but not what is in a viewport.
        bool internal = widget->objectName().startsWith(QLatin1StringView("qt_"));
        for (const QWidget *w = widget->parentWidget(); w && w != window; w = w->parentWidget())
            internal = internal
                       || (w->objectName().startsWith(QLatin1StringView("qt_"))
                           && w->objectName() != QLatin1StringView("qt_scrollarea_viewport"));
        if (!internal)
            found.append(widget);
    }
    return found;
}

QString describe(const QWidget *widget)
{
    QString text = QString::fromLatin1(widget->metaObject()->className()) + QLatin1Char(' ')
                   + (widget->objectName().isEmpty() ? QStringLiteral("(no name)") : widget->objectName());
    for (const QWidget *parent = widget->parentWidget(); parent; parent = parent->parentWidget()) {
        if (!parent->objectName().isEmpty())
            return text + QStringLiteral(" in ") + parent->objectName();
    }
    return text;
}

} // namespace glovebox
