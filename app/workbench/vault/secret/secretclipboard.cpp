// SPDX-License-Identifier: Apache-2.0
#include "secretclipboard.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>
#include <QStringDecoder>

namespace glovebox {

using namespace std::chrono_literals;
using namespace Qt::StringLiterals;

SecretClipboard::SecretClipboard(QObject *parent)
    : QObject(parent)
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(15s);
    connect(&m_timer, &QTimer::timeout, this, &SecretClipboard::clear);
    connect(qGuiApp, &QGuiApplication::applicationStateChanged, this, [this](Qt::ApplicationState state) {
        if (state == Qt::ApplicationActive && m_ours && !m_timer.isActive())
            clear();
    });
    connect(QGuiApplication::clipboard(), &QClipboard::dataChanged, this, [this] {
        if (!QGuiApplication::clipboard()->ownsClipboard())
            m_ours = false; // somebody copied something else
    });
}

SecretClipboard::~SecretClipboard()
{
    if (m_ours)
        QGuiApplication::clipboard()->clear();
}

bool SecretClipboard::copy(const SecretValue &value)
{
    QStringDecoder utf8(QStringDecoder::Utf8);
    const QString text = utf8(value.view());
    if (utf8.hasError() || text.contains(QChar(0)))
        return false;
    auto *data = new QMimeData;
    data->setText(text);
    // What KDE's Klipper and others look for: https://phabricator.kde.org/D12539
    data->setData(u"x-kde-passwordManagerHint"_s, "secret");
    QGuiApplication::clipboard()->setMimeData(data);
    m_ours = true;
    m_timer.start();
    return true;
}

bool SecretClipboard::mayHaveToWait()
{
    return QGuiApplication::platformName().startsWith("wayland"_L1);
}

void SecretClipboard::clear()
{
    if (!m_ours || (mayHaveToWait() && QGuiApplication::applicationState() != Qt::ApplicationActive))
        return;
    m_ours = false;
    QGuiApplication::clipboard()->clear();
    Q_EMIT cleared();
}

} // namespace glovebox
