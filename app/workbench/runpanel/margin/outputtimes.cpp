// SPDX-License-Identifier: Apache-2.0
#include "outputtimes.h"

#include <QEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>

#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

const QString timeForm = u"HH:mm:ss.zzz"_s;

} // namespace

OutputTimes::OutputTimes(OutputView &view, Theme &theme)
    : QWidget(&view)
    , m_view(view)
    , m_theme(theme)
{
    setObjectName(u"bench.output.times"_s);
    setAttribute(Qt::WA_OpaquePaintEvent);
    view.viewport()->installEventFilter(this);
}

int OutputTimes::wantedWidth() const
{
    return int(QFontMetricsF(m_view.font()).horizontalAdvance(u'0') * double(timeForm.size())) + 2 * Space::s;
}

// The rows are painted again when they have changed or were scrolled, and so are the times.
bool OutputTimes::eventFilter(QObject *, QEvent *event)
{
    if (event->type() == QEvent::Paint)
        update();
    if (event->type() == QEvent::Resize || event->type() == QEvent::Move)
        place();
    return false;
}

void OutputTimes::place()
{
    const QRect rows = m_view.viewport()->geometry();
    setGeometry(rows.left() - wantedWidth(), rows.top(), wantedWidth(), rows.height());
}

void OutputTimes::paintEvent(QPaintEvent *event)
{
    QPainter painter(this);
    painter.fillRect(event->rect(), m_theme.colour(Colour::Panel));
    painter.setFont(m_view.font());
    painter.setPen(m_theme.colour(Colour::Dim));
    const int height = m_view.rowHeight();
    for (int i = 0; i * height < this->height(); ++i) {
        const auto line = m_view.lineBeginningAt(i);
        const auto time = line && m_view.log() ? m_view.log()->timeOf(*line) : std::nullopt;
        if (time)
            painter.drawText(QRect(Space::s, Space::s + i * height, width(), height), Qt::AlignVCenter | Qt::AlignLeft,
                             time->toString(timeForm));
    }
}

void OutputView::setTimesShown(bool shown)
{
    if (shown && !m_times)
        m_times = new OutputTimes(*this, m_theme);
    else if (!shown)
        delete std::exchange(m_times, nullptr);
    setViewportMargins(m_times ? m_times->wantedWidth() : 0, 0, 0, 0);
    if (!m_times)
        return;
    m_times->place();
    m_times->show();
}

std::optional<qint64> OutputView::lineBeginningAt(int row) const
{
    const qint64 at = verticalScrollBar()->value() + row;
    const OutputLayout::Place place = m_layout.at(at);
    return at < m_layout.rowCount() && place.line >= 0 && place.row == 0 ? std::optional(place.line) : std::nullopt;
}

} // namespace glovebox
