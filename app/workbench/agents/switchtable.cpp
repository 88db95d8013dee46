// SPDX-License-Identifier: Apache-2.0
#include "switchtable.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/look/choicefield.h"

#include <QGridLayout>
#include <QResizeEvent>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int nameWidth = 140;
constexpr int oneColumn = 640; // px below which the parts stand below each other

QStringList choicesOf(const QString &key)
{
    const auto &all = Settings::schema();
    const auto info = std::ranges::find(all, key, &SettingInfo::key);
    return info == all.end() ? QStringList() : info->choices;
}

} // namespace

SwitchTable::SwitchTable(WorkbenchContext &context, QWidget *parent)
    : QWidget(parent)
    , m_context(context)
    , m_columns(new QBoxLayout(QBoxLayout::LeftToRight))
    , m_open(makeLabel({}, this, FontRole::Small, Colour::Warn))
{
    m_open->setObjectName(u"agents.switches.open"_s);
    auto *column = columnIn(this, Space::s, {0, Space::m, 0, Space::m});
    m_columns->setSpacing(2 * Space::xl);
    m_columns->addWidget(makePart(tr("Tools of agents"),
                                  {{u"run_code"_s, {}},
                                   {u"wait_run"_s, {}},
                                   {u"cancel_run"_s, {}},
                                   {u"explain_run"_s, {}},
                                   {u"sandbox_info"_s, {}},
                                   {u"session"_s, {}},
                                   {u"files"_s, {}},
                                   {u"install_packages"_s, {}}},
                                  false));
    auto *second = new QVBoxLayout;
    second->setSpacing(Space::m);
    second->addWidget(makePart(tr("More than usual"),
                               {{u"hosts"_s, tr("Hosts")},
                                {u"secrets"_s, tr("Keys")},
                                {u"folders"_s, tr("Folders")},
                                {u"limits"_s, tr("Wider limits")},
                                {u"packages"_s, tr("Packages")},
                                {u"tools"_s, tr("Tools of servers")}},
                               true));
    second->addWidget(
        makePart(tr("Where nobody here can ask"), {{u"elicitation"_s, tr("Agents' own windows")}}, false));
    second->addStretch(1);
    m_columns->addLayout(second);
    m_columns->addStretch(1);
    column->addLayout(m_columns);
    column->addWidget(m_open);
    column->addWidget(
        makeLabel(tr("A change counts from the next call on. \"Asks\" asks you here, on a terminal or in the "
                     "agent's own window. Where none of these can ask, it denies. \"Off\" refuses also what you "
                     "granted before."),
                  this, FontRole::Small, Colour::Dim));
    show();
}

// names: the key below "mcp.", and the word for it; the key itself where there is none.
QWidget *SwitchTable::makePart(const QString &title, const QList<std::pair<QString, QString>> &names, bool isBeyond)
{
    auto *part = new QWidget(this);
    auto *grid = new QGridLayout(part);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(Space::m);
    grid->setVerticalSpacing(Space::xs);
    grid->addWidget(makeLabel(title, part, FontRole::Strong), 0, 0, 1, 2);
    for (const auto &[key, word] : names) {
        auto *name = makeLabel(word.isEmpty() ? key : word, part, word.isEmpty() ? FontRole::Code : FontRole::Base);
        if (word.isEmpty())
            markAsData(name);
        name->setWordWrap(false);
        name->setMinimumWidth(m_context.theme().scaled(nameWidth));
        auto *choice = new ChoiceField(part);
        const bool canAsk = choicesOf(u"mcp."_s + key).contains(u"asks"_s);
        choice->addItem(tr("On"), u"on"_s);
        if (canAsk)
            choice->addItem(tr("Asks"), u"asks"_s);
        choice->addItem(tr("Off"), u"off"_s);
        setNames(choice, u"agents.switch."_s + QString(key).replace(u'_', u'-'),
                 (canAsk ? tr("%1: on, asks or off") : tr("%1: on or off")).arg(word.isEmpty() ? key : word));
        const int row = grid->rowCount();
        grid->addWidget(name, row, 0);
        grid->addWidget(choice, row, 1);
        connect(choice, &QComboBox::activated, this, [this, setting = u"mcp."_s + key, choice] {
            Q_EMIT chosen(setting, choice->currentData().toString());
        });
        m_rows.append({u"mcp."_s + key, word, isBeyond, choice});
    }
    grid->setRowStretch(grid->rowCount(), 1);
    return part;
}

void SwitchTable::show()
{
    const Settings *const settings = m_context.settings();
    QStringList open;
    for (const Row &row : m_rows) {
        const SettingValue value = settings ? settings->value(row.key) : SettingValue();
        const bool isFromOutside = value.origin == SettingOrigin::Environment || value.origin == SettingOrigin::Flag;
        row.choice->setEnabled(settings && !isFromOutside);
        row.choice->setToolTip(isFromOutside ? tr("Given when this window was started, so it can't be changed here.")
                                             : QString());
        row.choice->setCurrentIndex(row.choice->findData(value.value));
        if (row.isBeyond && value.value == u"on"_s)
            open.append(row.name);
    }
    showText(m_open, open.isEmpty() ? QString()
                                    : tr("Every agent gets these without a question: %1.").arg(open.join(tr(", "))));
}

void SwitchTable::resizeEvent(QResizeEvent *event)
{
    const bool isNarrow = event->size().width() < m_context.theme().scaled(oneColumn);
    m_columns->setDirection(isNarrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

} // namespace glovebox
