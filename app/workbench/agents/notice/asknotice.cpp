// SPDX-License-Identifier: Apache-2.0
#include "asknotice.h"

#include <QApplication>
#include <QCoreApplication>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

struct NoticeWords
{
    Q_DECLARE_TR_FUNCTIONS(NoticeWords)
};

QString kindWord(Want::Kind kind)
{
    switch (kind) {
    case Want::Kind::AnyRun:
        return NoticeWords::tr("to run at all");
    case Want::Kind::Tool:
        return NoticeWords::tr("a tool");
    case Want::Kind::Host:
        return NoticeWords::tr("network");
    case Want::Kind::Secret:
        return NoticeWords::tr("keys");
    case Want::Kind::Folder:
        return NoticeWords::tr("folders");
    case Want::Kind::Limit:
        return NoticeWords::tr("wider limits");
    case Want::Kind::Weakness:
        return NoticeWords::tr("weaker protection");
    case Want::Kind::Backend:
        return NoticeWords::tr("another backend");
    case Want::Kind::Packages:
        return NoticeWords::tr("packages");
    case Want::Kind::ServerTool:
        return NoticeWords::tr("tools of servers");
    }
    return {};
}

// The person's own name for it, else the kernel's; never the claimed one.
QString noticedName(const Caller &caller, const QHash<QString, QString> &names)
{
    const QString paired = shownName(names.value(caller.pairing));
    const QString name = paired.isEmpty() ? shownName(caller.program.section(u'/', -1)) : paired;
    return name.isEmpty() ? NoticeWords::tr("A program") : name;
}

} // namespace

AskNotice::AskNotice(QObject *parent)
    : QObject(parent)
{
    connect(&m_notice, &DesktopNotice::clicked, this, &AskNotice::bringWindow);
    connect(qApp, &QGuiApplication::applicationStateChanged, this, [this](Qt::ApplicationState state) {
        if (state == Qt::ApplicationActive)
            m_notice.withdraw();
    });
}

void AskNotice::take(const Inbox::Contents &contents, const QHash<QString, QString> &names, QWidget *window)
{
    m_window = window;
    const qsizetype before = std::exchange(m_waiting, contents.asks.size() + contents.pairings.size());
    if (m_waiting == 0)
        m_notice.withdraw();
    if (m_waiting <= before || !window || window->isActiveWindow())
        return;
    QApplication::alert(window);
    m_notice.show(titleOf(contents, names), textOf(contents));
}

QString AskNotice::titleOf(const Inbox::Contents &contents, const QHash<QString, QString> &names)
{
    if (contents.asks.isEmpty())
        return contents.pairings.isEmpty()
                   ? QString()
                   : tr("%1 asks to be paired").arg(noticedName(contents.pairings.last().request.caller, names));
    const ApprovalRequest &last = contents.asks.last().request;
    return (last.tool.isEmpty() ? tr("%1 asks to run code") : tr("%1 asks to call a tool"))
        .arg(noticedName(last.caller, names));
}

QString AskNotice::textOf(const Inbox::Contents &contents)
{
    QStringList kinds;
    if (!contents.asks.isEmpty()) {
        for (const Want &want : contents.asks.last().request.wants)
            kinds.append(kindWord(want.kind));
    }
    kinds.removeDuplicates();
    const QString open = tr("Open Glovebox to answer.");
    const bool isTool = !contents.asks.isEmpty() && !contents.asks.last().request.tool.isEmpty();
    return kinds.isEmpty() || isTool ? open : tr("The run wants more: %1. %2").arg(kinds.join(u", "_s), open);
}

// The sheet that is there then answers nothing in its first moment.
void AskNotice::bringWindow()
{
    if (!m_window)
        return;
    m_window->setWindowState((m_window->windowState() & ~Qt::WindowMinimized) | Qt::WindowActive);
    m_window->show();
    m_window->raise();
    m_window->activateWindow();
}

} // namespace glovebox
