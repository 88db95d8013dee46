// SPDX-License-Identifier: Apache-2.0
#include "tabstrip.h"

#include "app/workbench/shell/look.h"

#include <QContextMenuEvent>
#include <QMouseEvent>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// QTabBar wants to be wide enough for its scroll buttons, also where it needs none: that left a gap behind one short tab.
class Bar : public QTabBar
{
public:
    using QTabBar::QTabBar;
    QSize minimumSizeHint() const override { return {1, QTabBar::minimumSizeHint().height()}; }
};

// The beginning says what it is, and the end has the extension.
QString shortName(const QString &name)
{
    constexpr qsizetype longest = 32, atEnd = 12;
    return name.size() <= longest ? name : name.left(longest - atEnd - 1) + u'…' + name.right(atEnd);
}

} // namespace

TabStrip::TabStrip(WorkbenchContext &context, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
    , m_theme(context.theme())
    , m_bar(new Bar(this))
{
    setBackground(this, Colour::Window);
    auto *layout = rowIn(this, 0);
    setLook(m_bar, TabLook::Document);
    setNames(m_bar, u"bench.tabs"_s, tr("Open tabs"));
    m_bar->setMovable(true);
    m_bar->setDrawBase(false);
    m_bar->installEventFilter(this);
    QSizePolicy policy = m_bar->sizePolicy();
    policy.setHorizontalPolicy(QSizePolicy::Maximum);
    m_bar->setSizePolicy(policy);
    layout->addWidget(m_bar);
    auto *add = makeIconButton(m_theme.icon(Icon::Add, Colour::Dim), u"bench.new"_s, tr("New code"), this);
    context.actions().keepToolTip(add, u"bench.new"_s);
    layout->addWidget(add, 0, Qt::AlignVCenter);
    layout->addStretch(1);
    m_list =
        makeIconButton(m_theme.icon(Icon::ChevronDown, Colour::Dim), u"bench.tabs.list"_s, tr("List all tabs"), this);
    context.actions().keepToolTip(m_list, u"bench.list"_s);
    layout->addWidget(m_list, 0, Qt::AlignVCenter);
    connect(m_list, &QToolButton::clicked, this, &TabStrip::listWanted);
    connect(add, &QToolButton::clicked, this, &TabStrip::newWanted);
    connect(m_bar, &QTabBar::currentChanged, this, &TabStrip::placeCloseButton);
}

// Only the current one has it: a row of crosses says nothing.
void TabStrip::placeCloseButton()
{
    for (int i = 0; i < m_bar->count(); ++i) {
        QWidget *there = m_bar->tabButton(i, QTabBar::RightSide);
        if (i != m_bar->currentIndex() || m_bar->tabData(i).toBool()) {
            if (there) {
                m_bar->setTabButton(i, QTabBar::RightSide, nullptr);
                there->deleteLater();
            }
            continue;
        }
        if (there)
            continue;
        auto *close =
            makeIconButton(m_theme.icon(Icon::Close, Colour::Dim), u"bench.tabs.close"_s, tr("Close this tab"), m_bar);
        m_context.actions().keepToolTip(close, u"bench.close"_s);
        const auto fit = [this, close] {
            close->setIconSize(QSize(m_theme.scaled(12), m_theme.scaled(12)));
            close->setFixedSize(m_theme.scaled(20), m_theme.scaled(20));
        };
        connect(&m_theme, &Theme::changed, close, fit);
        fit();
        close->setFocusPolicy(Qt::NoFocus); // a key does it
        connect(close, &QToolButton::clicked, this, [this] { Q_EMIT closeWanted(m_bar->currentIndex()); });
        m_bar->setTabButton(i, QTabBar::RightSide, close);
    }
}

void TabStrip::setTab(int index, const TabState &state)
{
    m_bar->setTabData(index, state.pinned);
    m_bar->setTabText(index, shortName(state.name).replace(u'&', u"&&"_s));
    m_bar->setTabToolTip(index, state.toolTip);
    m_bar->setTabIcon(index, state.running   ? m_theme.icon(Icon::Run, Colour::Accent)
                             : state.unsaved ? m_theme.icon(Icon::Dot, Colour::Accent)
                             : state.pinned  ? m_theme.icon(Icon::Pin, Colour::Dim)
                                             : QIcon());
    QString said = state.name;
    if (state.pinned)
        said = tr("%1, pinned").arg(said);
    if (state.unsaved)
        said = tr("%1, not saved").arg(said);
    if (state.running)
        said = tr("%1, running").arg(said);
    m_bar->setAccessibleTabName(index, said);
    placeCloseButton();
    m_bar->updateGeometry();
}

bool TabStrip::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_bar && event->type() == QEvent::MouseButtonRelease) {
        const auto *mouse = static_cast<QMouseEvent *>(event);
        const int index = m_bar->tabAt(mouse->position().toPoint());
        if (mouse->button() == Qt::MiddleButton && index >= 0) {
            Q_EMIT closeWanted(index);
            return true;
        }
        // The bar lets go of the tab at this event.
        QMetaObject::invokeMethod(this, &TabStrip::dropped, Qt::QueuedConnection);
    }
    if (watched == m_bar && event->type() == QEvent::ContextMenu) {
        const auto *context = static_cast<QContextMenuEvent *>(event);
        const int index =
            context->reason() == QContextMenuEvent::Keyboard ? m_bar->currentIndex() : m_bar->tabAt(context->pos());
        if (index >= 0)
            Q_EMIT menuWanted(index, context->globalPos());
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace glovebox
