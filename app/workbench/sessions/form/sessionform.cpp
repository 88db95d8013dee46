// SPDX-License-Identifier: Apache-2.0
#include "sessionform.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/look/choicefield.h"
#include "app/workbench/shell/words/limitwords.h"
#include "app/workbench/shell/words/sessionwords.h"
#include "app/workbench/shell/words/words.h"

#include "engine/network/network.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QRegularExpression>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr std::chrono::days keptFor[] = {std::chrono::days(1), std::chrono::days(7), std::chrono::days(30),
                                         std::chrono::days(90), std::chrono::days(365)};
constexpr int readableForm = 520;

} // namespace

SessionForm::SessionForm(QWidget *parent)
    : QScrollArea(parent)
{
    setObjectName(u"sessions.form"_s);
    scrollDownOnly(this, Colour::Raised);
    setFocusPolicy(Qt::NoFocus);
    auto *body = new QWidget(this);
    setBackground(body, Colour::Raised);
    auto *fields = new QWidget(body);
    fields->setMaximumWidth(readableForm);
    auto *column = columnIn(fields, Space::xs);
    m_title = makeLabel({}, body, FontRole::Title);
    m_title->setObjectName(u"sessions.form.title"_s);
    column->addWidget(m_title);
    m_remark = makeLabel({}, body, FontRole::Base, Colour::Dim);
    column->addWidget(m_remark);
    const auto addField = [&](const QString &title, const QString &name, QWidget *field, const QString &remark) {
        column->addSpacing(Space::s);
        column->addWidget(makeLabel(title, body, FontRole::Strong));
        setNames(field, u"sessions.form."_s + name, title);
        field->setAccessibleDescription(remark);
        column->addWidget(field);
        column->addWidget(makeLabel(remark, body, FontRole::Small, Colour::Dim));
    };
    m_name = new QLineEdit(body);
    m_name->setPlaceholderText(tr("For example %1").arg(u"shop"_s));
    m_name->setLayoutDirection(Qt::LeftToRight);
    addField(tr("Name"), u"name"_s, m_name, tr("Letters, digits, \"-\", \"_\" and \".\". Can be empty."));
    m_disk = new QLineEdit(body);
    addField(tr("Disk"), u"disk"_s, m_disk,
             tr("Room for the files of each run in it. The files are in memory while a run uses them."));
    m_keeps = new ChoiceField(body);
    for (const auto days : keptFor)
        m_keeps->addItem(keptForWord(days), qint64(std::chrono::seconds(days).count()));
    m_keeps->addItem(keptForWord({}), qint64(0));
    addField(tr("Kept for"), u"keeps"_s, m_keeps,
             tr("Counted from its last use. Then it is deleted with all snapshots."));
    m_hosts = new QLineEdit(body);
    m_hosts->setPlaceholderText(tr("No network"));
    m_hosts->setLayoutDirection(Qt::LeftToRight);
    addField(tr("Hosts"), u"hosts"_s, m_hosts,
             tr("Each run in it may reach these, beside its own. Separate them by commas."));
    m_trouble = makeLabel({}, body, FontRole::Base, Colour::Warn);
    m_trouble->setObjectName(u"sessions.form.trouble"_s);
    column->addWidget(m_trouble);
    column->addSpacing(Space::s);
    auto *buttons = new QWidget(body);
    auto *row = rowIn(buttons, Space::s);
    m_create = makeButton(tr("Create"), u"sessions.form.create"_s, buttons);
    setLook(m_create, ButtonLook::Primary);
    auto *cancel = makeButton(tr("Cancel"), u"sessions.form.cancel"_s, buttons);
    row->addWidget(m_create);
    row->addWidget(cancel);
    row->addStretch();
    column->addWidget(buttons);
    column->addStretch();
    auto *outer = rowIn(body, 0, {Space::l, Space::m, Space::l, Space::m});
    outer->addWidget(fields, 100);
    outer->addStretch(1);
    setWidget(body);

    connect(m_create, &QPushButton::clicked, this, &SessionForm::create);
    connect(cancel, &QPushButton::clicked, this, &SessionForm::dismissed);
    for (QLineEdit *field : {m_name, m_disk, m_hosts})
        connect(field, &QLineEdit::returnPressed, this, &SessionForm::create);
    say({});
}

void SessionForm::begin(const std::optional<Session> &of, int number)
{
    m_of = of;
    m_number = number;
    m_title->setText(!of           ? tr("New session")
                     : number == 0 ? tr("Fork %1").arg(sessionName(*of))
                                   : tr("Fork snapshot %1 of %2").arg(number).arg(sessionName(*of)));
    m_remark->setText(
        of ? tr("The new session begins with these files. From then on, both go their own ways.")
           : tr("The session begins empty. Files that a run leaves in /work are there for the next run."));
    const NewSession usual;
    m_name->clear();
    m_proposedDisk = limitText(LimitKind::Disk, of ? of->diskBytes : usual.diskBytes);
    m_disk->setText(m_proposedDisk);
    const auto time = of ? of->timeToLive : usual.timeToLive;
    const qint64 seconds = time ? time->count() : 0;
    if (m_keeps->findData(seconds) < 0) // the command line knows others
        m_keeps->insertItem(0, keptForWord(time), seconds);
    m_keeps->setCurrentIndex(m_keeps->findData(seconds));
    m_proposedHosts = of ? of->allow.join(u", "_s) : QString();
    m_hosts->setText(m_proposedHosts);
    setBusy(false);
    say({});
    m_name->setFocus();
    ensureVisible(0, 0);
}

bool SessionForm::isTouched() const
{
    return !m_name->text().isEmpty() || m_disk->text() != m_proposedDisk || m_hosts->text() != m_proposedHosts;
}

void SessionForm::say(const QString &sentence)
{
    showText(m_trouble, sentence);
    if (!sentence.isEmpty())
        ensureWidgetVisible(m_trouble);
}

void SessionForm::setBusy(bool busy)
{
    m_create->setEnabled(!busy);
}

void SessionForm::create()
{
    if (!m_create->isEnabled())
        return;
    const auto disk = parseLimit(LimitKind::Disk, m_disk->text());
    if (!disk)
        return say(disk.error());
    NewSession session{.name = m_name->text().trimmed(), .diskBytes = *disk};
    static const QRegularExpression between(u"[\\s,;]+"_s);
    for (const QString &host : m_hosts->text().split(between, Qt::SkipEmptyParts)) {
        const auto rule = ruleFromText(host);
        if (!rule)
            return say(translated(rule.error().message));
        session.allow.append(QString::fromStdString(network::toText(*rule)));
    }
    session.timeToLive = std::chrono::seconds(m_keeps->currentData().toLongLong());
    if (session.timeToLive->count() == 0)
        session.timeToLive.reset();
    setBusy(true);
    say({});
    Q_EMIT wanted(session);
}

void SessionForm::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        Q_EMIT dismissed();
    else
        QScrollArea::keyPressEvent(event);
}

} // namespace glovebox
