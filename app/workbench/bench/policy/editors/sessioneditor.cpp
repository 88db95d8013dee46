// SPDX-License-Identifier: Apache-2.0
#include "sessioneditor.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/look/roles.h"

#include <QRadioButton>

namespace glovebox {

using namespace Qt::StringLiterals;

SessionEditor::SessionEditor(Theme &theme, QWidget *anchor, const QList<SessionChoice> &sessions,
                             const QString &current)
    : Popover(theme, anchor, u"bench.session"_s, tr("Session"), 400)
    , m_current(current)
{
    content()->addWidget(makeLabel(tr("Session"), this, FontRole::Strong));
    content()->addWidget(
        makeLabel(tr("A session keeps the files in /work from run to run. Without one, each run begins "
                     "with an empty /work."),
                  this, FontRole::Base, Colour::Dim));
    auto *rows = new QWidget(this);
    m_rows = columnIn(rows, Space::xs);
    content()->addWidget(rows);
    auto *links = new QWidget(this);
    auto *row = rowIn(links, Space::l);
    auto *made = makeButton(tr("New session…"), u"bench.session.new"_s, links);
    auto *page = makeButton(tr("All sessions"), u"bench.session.page"_s, links);
    for (QPushButton *button : {made, page}) {
        setLook(button, ButtonLook::Link);
        row->addWidget(button);
    }
    row->addStretch();
    content()->addWidget(links);
    connect(made, &QPushButton::clicked, this, [this] {
        close(false);
        Q_EMIT newWanted();
    });
    connect(page, &QPushButton::clicked, this, [this] {
        close(false);
        Q_EMIT pageWanted();
    });
    setSessions(sessions);
    open(m_first);
}

void SessionEditor::setSessions(const QList<SessionChoice> &sessions)
{
    if (m_first && sessions == m_sessions)
        return;
    m_sessions = sessions;
    const bool hadFocus = m_first && isAncestorOf(focusWidget());
    clearLayout(m_rows);
    m_first = addChoice({.name = tr("No session")}, 0);
    int number = 0;
    for (const SessionChoice &session : sessions) {
        QWidget *button = addChoice(session, ++number);
        if (session.id == m_current)
            m_first = button;
    }
    if (hadFocus)
        m_first->setFocus();
}

QWidget *SessionEditor::addChoice(const SessionChoice &session, int number)
{
    auto *button = new QRadioButton(session.name, this);
    QStringList remarks;
    if (!session.remark.isEmpty())
        remarks << session.remark;
    if (!session.allow.isEmpty())
        remarks << tr("may reach %1").arg(session.allow.join(tr(", ")));
    if (session.isBusy)
        remarks << tr("in use: your run waits");
    if (!session.profile.isEmpty())
        remarks << tr("its profile %1 isn't applied").arg(session.profile);
    const QString remark = remarks.join(u" · "_s);
    setNames(button, number == 0 ? u"bench.session.none"_s : u"bench.session.choice%1"_s.arg(number), session.name);
    if (number > 0)
        button->setProperty(roles::data, true); // a name
    button->setAccessibleDescription(remark);
    button->setAutoExclusive(false); // arrows move on; else the next one would be chosen, and this popover close
    button->setChecked(session.id == m_current);
    m_rows->addWidget(button);
    if (!remark.isEmpty())
        m_rows->addWidget(makeLabel(remark, this, FontRole::Small, session.isBusy ? Colour::Warn : Colour::Dim));
    connect(button, &QRadioButton::clicked, this, [this, session] {
        Q_EMIT chosen(session);
        close(true);
    });
    if (!session.profile.isEmpty()) {
        auto *apply = makeButton(tr("Use it with its profile %1").arg(session.profile),
                                 u"bench.session.profile%1"_s.arg(number), this);
        setLook(apply, ButtonLook::Link);
        m_rows->addWidget(apply, 0, Qt::AlignLeft);
        connect(apply, &QPushButton::clicked, this, [this, session] {
            Q_EMIT chosenWithProfile(session);
            close(true);
        });
    }
    return button;
}

} // namespace glovebox
