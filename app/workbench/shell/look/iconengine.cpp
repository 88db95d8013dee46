// SPDX-License-Identifier: Apache-2.0
#include "iconengine.h"

#include <QFile>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

#include <array>

namespace glovebox {
namespace {

constexpr std::array<const char *, iconCount> names{
    "",         "bench",      "history",      "doctor",       "vault",         "settings", "run",     "stop",
    "search",   "close",      "add",          "warning",      "shield",        "check",    "failed",  "info",
    "filter",   "wrap",       "copy",         "save",         "open",          "clear",    "refresh", "more",
    "dot",      "chevron-up", "chevron-down", "chevron-left", "chevron-right", "agents",   "menu",    "pin",
    "sessions", "file",
};

// Only ever our own bundled files: QtSvg must not meet anything that came from elsewhere.
QPixmap render(Icon icon, const QColor &colour, const QSize &pixels)
{
    const QString key = QStringLiteral("glovebox-icon:%1:%2:%3x%4")
                            .arg(int(icon))
                            .arg(colour.rgba(), 8, 16)
                            .arg(pixels.width())
                            .arg(pixels.height());
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap))
        return pixmap;
    pixmap = QPixmap(pixels);
    pixmap.fill(Qt::transparent);
    QSvgRenderer renderer(iconSource(icon, colour));
    renderer.setAspectRatioMode(Qt::KeepAspectRatio);
    QPainter painter(&pixmap);
    renderer.render(&painter, QRectF(QPointF(0, 0), pixels));
    painter.end();
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

} // namespace

QString iconName(Icon icon)
{
    return QString::fromLatin1(names[size_t(icon)]);
}

QByteArray iconSource(Icon icon, const QColor &colour)
{
    QFile file(QStringLiteral(":/glovebox/icons/%1.svg").arg(iconName(icon)));
    if (icon == Icon::None || !file.open(QIODevice::ReadOnly))
        return {};
    return file.readAll().replace("currentColor", colour.name(QColor::HexRgb).toLatin1());
}

IconEngine::IconEngine(const Theme *theme, Icon icon, Colour role)
    : m_theme(theme)
    , m_icon(icon)
    , m_role(role)
{
}

QColor IconEngine::colour(QIcon::Mode mode, QIcon::State state) const
{
    if (!m_theme)
        return Qt::gray;
    const bool plain = m_role == Colour::Text || m_role == Colour::Dim;
    Colour role = m_role;
    if (plain && state == QIcon::On)
        role = Colour::Accent;
    QColor colour = m_theme->colour(mode == QIcon::Disabled ? Colour::Dim : role);
    if (mode == QIcon::Disabled)
        colour.setAlphaF(0.5F);
    return colour;
}

void IconEngine::paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State state)
{
    const qreal scale = painter->device() ? painter->device()->devicePixelRatioF() : 1.0;
    painter->drawPixmap(rect, scaledPixmap(rect.size() * scale, mode, state, scale));
}

QPixmap IconEngine::pixmap(const QSize &size, QIcon::Mode mode, QIcon::State state)
{
    return scaledPixmap(size, mode, state, 1.0);
}

// size is in device pixels; Qt sets the ratio itself where it asked for one, and here it does no harm.
QPixmap IconEngine::scaledPixmap(const QSize &size, QIcon::Mode mode, QIcon::State state, qreal scale)
{
    if (m_icon == Icon::None || size.isEmpty())
        return {};
    const QColor opaque = colour(mode, state);
    QPixmap pixmap = render(m_icon, opaque, size);
    if (opaque.alpha() < 255) {
        QPixmap faded(pixmap.size());
        faded.fill(Qt::transparent);
        QPainter painter(&faded);
        painter.setOpacity(opaque.alphaF());
        painter.drawPixmap(0, 0, pixmap);
        painter.end();
        pixmap = faded;
    }
    pixmap.setDevicePixelRatio(scale);
    return pixmap;
}

} // namespace glovebox
