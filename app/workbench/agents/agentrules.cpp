// SPDX-License-Identifier: Apache-2.0
#include "agentrules.h"

#include "app/workbench/shell/look.h"
#include "endpoint.h"
#include "switchtable.h"

#include <QCheckBox>
#include <QLocale>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

AgentRules::AgentRules(WorkbenchContext &context, const Endpoint &endpoint, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
    , m_endpoint(endpoint)
    , m_asks(new QCheckBox(tr("Ask in this window"), this))
    , m_pause(new QCheckBox(tr("Pause all agents"), this))
    , m_switches(new SwitchTable(context, this))
    , m_asksWords(makeLabel({}, this, FontRole::Small, Colour::Dim))
    , m_pauseWords(makeLabel({}, this, FontRole::Small, Colour::Dim))
    , m_limits(makeLabel({}, this, FontRole::Small, Colour::Dim))
{
    auto *column = columnIn(this, Space::s);
    setNames(m_asks, u"agents.endpoint"_s, m_asks->text());
    setNames(m_pause, u"agents.pause"_s, m_pause->text());
    for (QWidget *widget :
         {static_cast<QWidget *>(m_asks), static_cast<QWidget *>(m_asksWords), static_cast<QWidget *>(m_pause),
          static_cast<QWidget *>(m_pauseWords), static_cast<QWidget *>(m_switches), static_cast<QWidget *>(m_limits)})
        column->addWidget(widget);
    connect(m_asks, &QCheckBox::clicked, this, [this](bool isOn) { store(u"mcp.workbench"_s, isOn); });
    connect(m_pause, &QCheckBox::clicked, this, [this](bool isOn) { store(u"mcp.paused"_s, isOn); });
    connect(m_switches, &SwitchTable::chosen, this, &AgentRules::store);
    connect(&endpoint, &Endpoint::changed, this, &AgentRules::show);
    connect(&context, &WorkbenchContext::settingsChanged, this, &AgentRules::show);
    show();
}

bool AgentRules::isOn(const QString &key) const
{
    const Settings *const settings = m_context.settings();
    return settings && settings->value(key).value.toBool();
}

bool AgentRules::areUsual() const
{
    const Settings *const settings = m_context.settings();
    return !settings || std::ranges::all_of(Settings::schema(), [settings](const SettingInfo &info) {
        return !info.key.startsWith(u"mcp."_s) || info.choices.isEmpty()
               || settings->value(info.key).value == info.defaultValue;
    });
}

void AgentRules::show()
{
    const Settings *const settings = m_context.settings();
    for (QCheckBox *box : {m_asks, m_pause})
        box->setEnabled(settings);
    m_asks->setChecked(isOn(u"mcp.workbench"_s));
    const auto &trouble = m_endpoint.trouble();
    m_asksWords->setText(trouble ? translated(trouble->message)
                         : m_endpoint.isOpen()
                             ? tr("Programs that start \"glovebox mcp\" from now on run their code here, and ask here.")
                             : tr("Off: each program's code runs apart from this window, and nothing is asked here."));
    setTextColour(m_asksWords, trouble ? Colour::Bad : Colour::Dim);
    const bool arePaused = isOn(u"mcp.paused"_s);
    m_pause->setChecked(arePaused);
    m_pauseWords->setText(arePaused
                              ? tr("Paused until you resume agents here, also after a restart and apart from this "
                                   "window. Runs that go on end by themselves.")
                              : tr("A pause lets nothing of agents start, and tells them so."));
    setTextColour(m_pauseWords, arePaused ? Colour::Warn : Colour::Dim);
    m_switches->show();
    const auto number = [settings](const QString &key) {
        const qint64 most = settings ? settings->value(key).value.toLongLong() : 0;
        return most == 0 ? tr("any number") : QLocale().toString(most);
    };
    const auto limits = [&](const QString &sentence, const QString &whose) {
        return sentence.arg(number(u"mcp."_s + whose + u"_at_once"_s), number(u"mcp."_s + whose + u"_a_minute"_s));
    };
    showText(m_limits,
             settings ? limits(tr("Each agent may run %1 at once and start %2 in a minute."), u"runs"_s) + u' '
                            + limits(tr("All agents without a pairing together may run %1 at once and start %2 in a "
                                        "minute."),
                                     u"unpaired"_s)
                      : QString());
}

void AgentRules::store(const QString &key, const QVariant &value)
{
    m_context.withEngine(
        this, [key, value](Engine &engine) { return engine.settings().store(key, value); },
        [this](const Status &status) {
            if (!status)
                m_context.notifications().show({.id = u"agents"_s,
                                                .tone = Tone::Warn,
                                                .text = translated(status.error().message),
                                                .detail = translated(status.error().detail)});
            m_context.tellSettings({});
            show();
        });
}

} // namespace glovebox
