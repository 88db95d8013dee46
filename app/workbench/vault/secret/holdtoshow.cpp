// SPDX-License-Identifier: Apache-2.0
#include "holdtoshow.h"

#include <QEvent>
#include <QGuiApplication>

namespace glovebox {

using namespace std::chrono_literals;

HoldToShow::HoldToShow(QWidget *parent)
    : QPushButton(tr("Hold to show"), parent)
{
    m_longest.setSingleShot(true);
    m_longest.setInterval(30s);
    connect(&m_longest, &QTimer::timeout, this, &HoldToShow::letGo);
    connect(this, &QPushButton::pressed, this, [this] {
        m_longest.start();
        Q_EMIT held();
    });
    connect(this, &QPushButton::released, this, [this] {
        m_longest.stop();
        Q_EMIT ended();
    });
    connect(qGuiApp, &QGuiApplication::applicationStateChanged, this, &HoldToShow::letGo);
}

void HoldToShow::letGo()
{
    m_longest.stop();
    m_spent = true;
    setDown(false);
    Q_EMIT ended();
}

bool HoldToShow::event(QEvent *event)
{
    if (event->type() == QEvent::MouseButtonPress || event->type() == QEvent::KeyPress)
        m_spent = false;
    if (m_spent && event->type() == QEvent::MouseMove)
        return true;
    const bool done = QPushButton::event(event);
    if (event->type() == QEvent::FocusOut || event->type() == QEvent::Hide || event->type() == QEvent::WindowDeactivate)
        letGo();
    return done;
}

} // namespace glovebox
