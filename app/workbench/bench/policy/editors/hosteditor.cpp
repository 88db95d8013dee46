// SPDX-License-Identifier: Apache-2.0
#include "hosteditor.h"

#include "app/workbench/bench/policy/flowlayout.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words.h"

#include "engine/network/network.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace glovebox {

using namespace Qt::StringLiterals;

HostEditor::HostEditor(Theme &theme, QWidget *anchor, const QStringList &hosts)
    : Popover(theme, anchor, u"bench.hosts"_s, tr("Network"))
    , m_theme(theme)
    , m_hosts(hosts)
    , m_rows(new QWidget(this))
    , m_field(new QLineEdit(this))
    , m_remark(makeLabel({}, this, FontRole::Small, Colour::Warn))
{
    setSheetWidth(480);
    content()->addWidget(makeLabel(tr("Network"), this, FontRole::Strong));
    content()->addWidget(
        makeLabel(tr("A run reaches no host but those that you name here. Code that may talk to a host "
                     "can tell it whatever it knows."),
                  this, FontRole::Base, Colour::Dim));
    auto *rows = new QVBoxLayout(m_rows);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    content()->addWidget(m_rows);

    auto *row = new QHBoxLayout;
    row->setSpacing(Space::s);
    m_field->setPlaceholderText(tr("Host, for example example.org or *.example.org:8443"));
    m_field->setLayoutDirection(Qt::LeftToRight);
    setNames(m_field, u"bench.hosts.name"_s, tr("Host that the run may reach"));
    row->addWidget(m_field, 1);
    auto *button = new QPushButton(tr("Add"), this);
    setNames(button, u"bench.hosts.add"_s, tr("Let it reach this host"));
    button->setAutoDefault(false);
    row->addWidget(button);
    content()->addLayout(row);
    m_remark->setObjectName(u"bench.hosts.remark"_s);
    m_remark->hide();
    content()->addWidget(m_remark);

    auto *presets = new QWidget(this);
    auto *flow = new FlowLayout(presets);
    for (const NetworkPreset &preset : networkPresets()) {
        auto *choice = new QToolButton(presets);
        choice->setText(translated(preset.purpose));
        setLook(choice, ButtonLook::Quiet);
        setNames(choice, u"bench.hosts.preset-"_s + preset.name, choice->text(),
                 tr("Opens %1").arg(preset.opens.join(tr(", "))));
        connect(choice, &QToolButton::clicked, this, [this, opens = preset.opens] { add(opens); });
        flow->addWidget(choice);
    }
    content()->addWidget(presets);
    connect(m_field, &QLineEdit::returnPressed, this, &HostEditor::addTyped);
    connect(m_field, &QLineEdit::textEdited, m_remark, &QWidget::hide);
    connect(button, &QPushButton::clicked, this, &HostEditor::addTyped);
    showHosts();
    open(m_field);
}

void HostEditor::showHosts()
{
    while (QLayoutItem *item = m_rows->layout()->takeAt(0)) {
        if (QWidget *row = item->widget()) {
            row->hide();
            row->deleteLater();
        }
        delete item;
    }
    m_rows->setVisible(!m_hosts.isEmpty());
    for (int i = 0; i < m_hosts.size(); ++i) {
        auto *row = new QWidget(m_rows);
        auto *layout = new QHBoxLayout(row);
        layout->setContentsMargins(0, 0, 0, 0);
        QLabel *name = makeLabel(m_hosts.at(i), row, FontRole::Code);
        markAsData(name);
        name->setMinimumWidth(1);
        layout->addWidget(name, 1);
        auto *gone = new QToolButton(row);
        gone->setIcon(m_theme.icon(Icon::Close));
        setLook(gone, ButtonLook::Quiet);
        const QString what = tr("Allow %1 no more").arg(m_hosts.at(i));
        setNames(gone, u"bench.hosts.remove%1"_s.arg(i + 1), what, what);
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

QString hostsPhrase(const QStringList &hosts)
{
    return hosts.isEmpty() ? HostEditor::tr("no network") : HostEditor::tr("%n host(s)", "", int(hosts.size()));
}

} // namespace glovebox
