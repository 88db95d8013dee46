// SPDX-License-Identifier: Apache-2.0
#include "hosteditor.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include "engine/network/network.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int widthOfHosts = 620; // px: the longest host of a preset breaks at a dot

} // namespace

HostEditor::HostEditor(Theme &theme, QWidget *anchor, const Policy &policy, const Policy &defaults,
                       const SessionChoice &session)
    : Popover(theme, anchor, u"bench.hosts"_s, tr("Network"), widthOfHosts)
    , m_theme(theme)
    , m_hosts(policy.allow)
    , m_rows(new QWidget(this))
    , m_field(new QLineEdit(this))
    , m_remark(makeLabel({}, this, FontRole::Small, Colour::Warn))
{
    content()->addWidget(makeLabel(tr("Network"), this, FontRole::Strong));
    content()->addWidget(makeLabel(tr("A run reaches no host but those that you name here. Code that can reach a host "
                                      "can send it anything it has."),
                                   this, FontRole::Base, Colour::Dim));
    columnIn(m_rows, 0);
    content()->addWidget(m_rows);
    if (!session.allow.isEmpty()) {
        auto *also =
            makeLabel(tr("The session %1 allows also: %2").arg(session.name, session.allow.join(tr(", "))), this);
        also->setObjectName(u"bench.hosts.session"_s);
        content()->addWidget(also);
    }

    auto *row = new QHBoxLayout;
    row->setSpacing(Space::s);
    m_field->setPlaceholderText(tr("Host, for example example.org or *.example.org:8443"));
    m_field->setLayoutDirection(Qt::LeftToRight);
    setNames(m_field, u"bench.hosts.name"_s, tr("Host that the run may reach"));
    row->addWidget(m_field, 1);
    auto *button = makeButton(tr("Add"), u"bench.hosts.add"_s, this, tr("Let it reach this host"));
    row->addWidget(button);
    content()->addLayout(row);
    m_remark->setObjectName(u"bench.hosts.remark"_s);
    m_remark->hide();
    content()->addWidget(m_remark);

    content()->addWidget(makePresets());
    content()->addWidget(makeRule(Qt::Horizontal, this));
    content()->addWidget(makeLimits(policy.limits, defaults.limits));
    connect(m_field, &QLineEdit::returnPressed, this, &HostEditor::addTyped);
    connect(m_field, &QLineEdit::textEdited, m_remark, &QWidget::hide);
    connect(button, &QPushButton::clicked, this, &HostEditor::addTyped);
    showHosts();
    open(m_field);
}

// Each with what it opens: nobody should have to press it to find out.
QWidget *HostEditor::makePresets()
{
    auto *presets = new QWidget(this);
    auto *column = columnIn(presets, 0);
    for (const NetworkPreset &preset : networkPresets()) {
        auto *choice = new QToolButton(presets);
        choice->setText(translated(preset.purpose));
        setLook(choice, ButtonLook::Quiet);
        setNames(choice, u"bench.hosts.preset-"_s + preset.name, choice->text(),
                 tr("Opens %1").arg(preset.opens.join(tr(", "))));
        choice->setAccessibleDescription(choice->toolTip());
        connect(choice, &QToolButton::clicked, this, [this, opens = preset.opens] { add(opens); });
        column->addWidget(choice, 0, Qt::AlignLeft);
        QLabel *opens = makeLabel(preset.opens.join(u'\n'), presets, FontRole::Code, Colour::Dim);
        markAsData(opens);
        opens->setMinimumWidth(1);
        opens->setContentsMargins(Space::m, 0, Space::m, Space::xs); // below the words of the button
        column->addWidget(opens);
    }
    return presets;
}

QWidget *HostEditor::makeLimits(const Limits &limits, const Limits &usual)
{
    auto *all = new QWidget(this);
    auto *grid = new QGridLayout(all);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(Space::s);
    grid->setVerticalSpacing(Space::xs);
    grid->setColumnStretch(1, 1);
    m_limitRemark = makeLabel({}, all, FontRole::Small, Colour::Dim);
    m_limitRemark->setObjectName(u"bench.hosts.limit-remark"_s);
    for (const LimitKind kind : networkLimits) {
        auto *field = new QLineEdit(limitText(kind, limitValue(limits, kind)), all);
        setNames(field, u"bench.hosts."_s + toString(kind), limitTitle(kind), limitExplanation(kind));
        field->setAccessibleDescription(limitExplanation(kind));
        const int row = grid->rowCount();
        QLabel *title = makeLabel(limitTitle(kind), all);
        title->setWordWrap(false);
        title->setToolTip(limitExplanation(kind));
        grid->addWidget(title, row, 0);
        grid->addWidget(field, row, 1);
        m_limits.insert(kind, field);
        connect(field, &QLineEdit::textEdited, this,
                [this, kind, usual = limitValue(usual, kind)] { checkLimit(kind, usual); });
    }
    grid->addWidget(m_limitRemark, grid->rowCount(), 0, 1, 2);
    m_limitRemark->setText(tr("How much the run may move over the network, and how fast. \"%1\" sets no limit.")
                               .arg(limitText(LimitKind::Traffic, 0)));
    return all;
}

// What makes sense counts as it is typed; what doesn't is said, and what counted before stays.
void HostEditor::checkLimit(LimitKind kind, qint64 usual)
{
    const auto value = parseLimit(kind, m_limits.value(kind)->text());
    const LimitRemark remark = limitRemark(kind, value, usual);
    m_limitRemark->setText(remark.text);
    setTextColour(m_limitRemark, remark.isWarning ? Colour::Warn : Colour::Dim);
    if (value)
        Q_EMIT limitChosen(kind, *value);
}

void HostEditor::showHosts()
{
    clearLayout(m_rows->layout());
    m_rows->setVisible(!m_hosts.isEmpty());
    for (int i = 0; i < m_hosts.size(); ++i) {
        auto *row = new QWidget(m_rows);
        auto *layout = rowIn(row, Space::s);
        QLabel *name = makeLabel(m_hosts.at(i), row, FontRole::Code);
        markAsData(name);
        name->setMinimumWidth(1);
        layout->addWidget(name, 1);
        auto *gone = makeIconButton(m_theme.icon(Icon::Close), u"bench.hosts.remove%1"_s.arg(i + 1),
                                    tr("Stop allowing %1").arg(m_hosts.at(i)), row);
        layout->addWidget(gone);
        connect(gone, &QToolButton::clicked, this, [this, i] { remove(i); });
        m_rows->layout()->addWidget(row);
    }
}

void HostEditor::addTyped()
{
    const QString typed = m_field->text().trimmed();
    if (typed.isEmpty())
        return say(tr("Name a host, for example example.org."));
    const auto rule = ruleFromText(typed);
    if (!rule)
        return say(translated(rule.error().message));
    const QString host = QString::fromStdString(network::toText(*rule));
    if (m_hosts.contains(host))
        return say(tr("This host is in the list already."));
    add({host});
}

// All of them, or none.
void HostEditor::add(const QStringList &hosts)
{
    QStringList all = m_hosts;
    for (const QString &host : hosts) {
        if (!all.contains(host))
            all.append(host);
    }
    if (const auto sound = allowlistFromTexts(all); !sound)
        return say(translated(sound.error().message));
    m_hosts = all;
    m_remark->hide();
    m_field->clear();
    m_field->setFocus();
    showHosts();
    Q_EMIT chosen(m_hosts);
}

void HostEditor::remove(int index)
{
    m_hosts.removeAt(index);
    m_remark->hide();
    m_field->setFocus();
    showHosts();
    Q_EMIT chosen(m_hosts);
}

void HostEditor::say(const QString &sentence)
{
    m_remark->setText(sentence);
    m_remark->show();
}

QString hostsPhrase(const Policy &policy)
{
    if (policy.allow.isEmpty())
        return HostEditor::tr("no network");
    const QString hosts = HostEditor::tr("%Ln host(s)", "", int(policy.allow.size()));
    QStringList limits;
    for (const LimitKind kind : networkLimits) {
        if (const qint64 value = limitValue(policy.limits, kind); value != 0)
            limits.append(limitPhrase(kind, value));
    }
    return limits.isEmpty() ? hosts
                            : HostEditor::tr("%1 (%2)", "hosts (limits)").arg(hosts, limits.join(HostEditor::tr(", ")));
}

} // namespace glovebox
