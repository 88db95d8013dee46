// SPDX-License-Identifier: Apache-2.0
#include "clientlist.h"

#include "app/workbench/shell/look.h"
#include "approval/askwords.h"

#include <QClipboard>
#include <QGuiApplication>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

using ConfigurationFound = mcp::ConfigurationChange::Found;

struct Looked
{
    std::vector<std::pair<mcp::ClientProgram, Result<mcp::ConfigurationChange>>> programs;
    std::optional<Error> trouble;
};

Looked lookAtClients()
{
    Looked looked;
    const auto command = mcp::serverCommand();
    if (!command) {
        looked.trouble = command.error();
        return looked;
    }
    for (const mcp::ClientProgram &program : mcp::clientPrograms())
        looked.programs.emplace_back(program, mcp::planInstall(program, *command));
    return looked;
}

} // namespace

ClientList::ClientList(WorkbenchContext &context, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
    , m_column(columnIn(this, Space::s))
{
}

void ClientList::look()
{
    inBackground(m_context.pool(), this, lookAtClients, [this](const Looked &looked) {
        m_found.clear();
        for (const auto &[program, install] : looked.programs)
            m_found.push_back({program, install});
        m_trouble = looked.trouble;
        show();
    });
}

void ClientList::show()
{
    clearLayout(m_column);
    m_column->addWidget(makeLabel(tr("Add an agent"), this, FontRole::Strong));
    m_column->addWidget(makeLabel(tr("You see the change to its configuration before it is written, and can undo it."),
                                  this, FontRole::Base, Colour::Dim));
    if (m_trouble)
        m_column->addWidget(makeLabel(translated(m_trouble->message), this, FontRole::Base, Colour::Bad));
    for (const Found &found : m_found)
        m_column->addWidget(makeRow(found));
}

QWidget *ClientList::makeRow(const Found &found)
{
    auto *all = new QWidget(this);
    auto *column = columnIn(all, Space::xs);
    auto *line = new QWidget(all);
    auto *row = rowIn(line, Space::m);
    const QString name = found.program.name;
    const QString id = u"agents.client.%1."_s.arg(found.program.id);
    auto *title = makeLabel(name, line);
    markAsData(title);
    title->setMinimumWidth(m_context.theme().scaled(120));
    row->addWidget(title);
    QString state;
    Colour colour = Colour::Dim;
    const bool isPlanned = found.install.has_value();
    const bool isIn = isPlanned && found.install->found == ConfigurationFound::SameEntry;
    const bool isOther = isPlanned && found.install->found == ConfigurationFound::OtherEntry;
    if (!isPlanned) {
        state = translated(found.install.error().message);
        colour = Colour::Warn;
    } else if (isIn) {
        state = tr("added: it starts Glovebox");
        colour = Colour::Ok;
    } else if (isOther) {
        state = tr("has an entry for another command");
        colour = Colour::Warn;
    } else {
        state = found.install->before ? tr("found") : tr("no configuration on this machine");
    }
    auto *said = makeLabel(state, line, FontRole::Base, colour);
    said->setMinimumWidth(1);
    row->addWidget(said, 1);
    const auto link = [&](const QString &text, const QString &verb, const QString &description, auto deed) {
        auto *button = makeButton(text, id + verb, line, description);
        setLook(button, ButtonLook::Link);
        connect(button, &QPushButton::clicked, this, std::move(deed));
        row->addWidget(button);
    };
    if (isPlanned && !isIn)
        link(isOther ? tr("Change") : tr("Add"), u"add"_s, tr("Add Glovebox to %1").arg(name),
             [this, program = found.program] { plan(program, true); });
    if (isIn)
        link(tr("Undo"), u"undo"_s, tr("Take Glovebox out of %1").arg(name),
             [this, program = found.program] { plan(program, false); });
    link(tr("Copy"), u"copy"_s, tr("Copy the entry for %1").arg(name),
         [this, program = found.program] { copyEntry(program); });
    column->addWidget(line);
    if (m_plan && m_plan->client == name) {
        auto *file = makeLabel(plainWord(m_plan->file), all, FontRole::Small, Colour::Dim);
        markAsData(file);
        column->addWidget(file);
        QString difference = QString::fromUtf8(m_plan->difference);
        if (m_plan->changesNothing())
            difference = tr("Nothing would change.");
        auto *text = makeLabel(difference, all, FontRole::Code);
        text->setMinimumWidth(1);
        text->setObjectName(u"agents.client.difference"_s);
        markAsData(text);
        column->addWidget(text);
        auto *buttons = new QWidget(all);
        auto *below = rowIn(buttons, Space::s);
        auto *doIt =
            makeButton(tr("Write it"), u"agents.client.write"_s, buttons, tr("Write this change for %1").arg(name));
        connect(doIt, &QPushButton::clicked, this, &ClientList::write);
        auto *leave = makeButton(tr("Leave it"), u"agents.client.leave"_s, buttons,
                                 tr("Leave the file of %1 as it is").arg(name));
        connect(leave, &QPushButton::clicked, this, [this] {
            m_plan.reset();
            show();
        });
        below->addWidget(doIt);
        below->addWidget(leave);
        below->addStretch();
        column->addWidget(buttons);
    }
    return all;
}

void ClientList::plan(const mcp::ClientProgram &program, bool isInstall)
{
    inBackground(
        m_context.pool(), this,
        [program, isInstall]() -> Result<mcp::ConfigurationChange> {
            if (!isInstall)
                return mcp::planUninstall(program);
            ASSIGN_OR_RETURN(const QString command, mcp::serverCommand());
            return mcp::planInstall(program, command);
        },
        [this](const Result<mcp::ConfigurationChange> &planned) {
            if (planned)
                m_plan = *planned;
            else
                m_context.notifications().show({.id = u"agents-client"_s,
                                                .tone = Tone::Warn,
                                                .text = translated(planned.error().message),
                                                .detail = translated(planned.error().detail)});
            show();
        });
}

void ClientList::write()
{
    if (!m_plan)
        return;
    inBackground(
        m_context.pool(), this, [change = *m_plan] { return mcp::applyChange(change); },
        [this, name = m_plan->client](const Status &written) {
            m_plan.reset();
            m_context.notifications().show(
                {.id = u"agents-client"_s,
                 .tone = written ? Tone::Ok : Tone::Warn,
                 .text = written ? tr("Written. Start %1 again to have it read its configuration.").arg(name)
                                 : translated(written.error().message),
                 .detail = written ? QString() : translated(written.error().detail)});
            look();
        });
}

void ClientList::copyEntry(const mcp::ClientProgram &program)
{
    const auto command = mcp::serverCommand();
    if (!command)
        return;
    QGuiApplication::clipboard()->setText(QString::fromUtf8(mcp::entryText(program, *command)));
    m_context.notifications().show({.id = u"agents-copied"_s,
                                    .tone = Tone::Ok,
                                    .text = tr("The entry for %1 is on the clipboard.").arg(program.name)});
}

} // namespace glovebox
