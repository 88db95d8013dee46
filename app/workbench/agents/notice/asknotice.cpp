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

void AskNotice::take(const QList<Inbox::Ask> &asks, const QHash<QString, QString> &names, QWidget *window)
{
    m_window = window;
    const qsizetype before = std::exchange(m_waiting, asks.size());
    if (m_waiting == 0)
        m_notice.withdraw();
    if (m_waiting <= before || !window || window->isActiveWindow())
        return;
    QApplication::alert(window);
    m_notice.show(titleOf(asks.last().request, names), textOf(asks.last().request));
}

QString AskNotice::titleOf(const ApprovalRequest &request, const QHash<QString, QString> &names)
{
    return (request.tool.isEmpty() ? tr("%1 asks to run code") : tr("%1 asks to call a tool"))
        .arg(noticedName(request.caller, names));
}

QString AskNotice::textOf(const ApprovalRequest &request)
{
    QStringList kinds;
    for (const Want &want : request.wants)
        kinds.append(kindWord(want.kind));
    kinds.removeDuplicates();
    const QString open = tr("Open Glovebox to answer.");
    return kinds.isEmpty() || !request.tool.isEmpty() ? open
                                                      : tr("The run wants more: %1. %2").arg(kinds.join(u", "_s), open);
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
