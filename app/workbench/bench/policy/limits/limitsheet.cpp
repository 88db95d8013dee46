// SPDX-License-Identifier: Apache-2.0
#include "limitsheet.h"

#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include <QGridLayout>
#include <QLineEdit>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

LimitSheet::LimitSheet(Theme &theme, QWidget *anchor, const Limits &limits, const Limits &usual, bool isStricter,
                       const Result<QList<Profile>> &profiles)
    : Popover(theme, anchor, u"bench.limits"_s, tr("Limits of a run"), 420)
    , m_theme(theme)
{
    content()->addWidget(makeLabel(tr("Limits of a run"), this, FontRole::Strong));
    addLimits(limits, usual);
    auto *reset = makeButton(tr("All back to the default"), u"bench.limits.reset"_s, this);
    if (isStricter)
        content()->addWidget(makeLabel(tr("Strict: a run doesn't start where a protection is missing or weaker. A "
                                          "profile asked for it."),
                                       this, FontRole::Base, Colour::Dim));
    reset->setEnabled(isStricter || std::ranges::any_of(limitWords, [&](LimitKind kind) {
                          return limitValue(limits, kind) != limitValue(usual, kind);
                      }));
    connect(reset, &QPushButton::clicked, this, [this, limits, usual] {
        Limits all = limits; // those of the network are none of this sheet's
        for (const LimitKind kind : limitWords)
            setLimit(all, kind, limitValue(usual, kind));
        Q_EMIT chosen(all);
        close(true);
    });
    content()->addWidget(reset, 0, Qt::AlignLeading);
    content()->addWidget(makeRule(Qt::Horizontal, this));
    content()->addWidget(makeLabel(tr("Your profiles"), this, FontRole::Strong));
    if (profiles)
        addProfiles(*profiles);
    else
        content()->addWidget(makeLabel(translated(profiles.error().message), this, FontRole::Base, Colour::Dim));
    open(findChild<QWidget *>(u"bench.limits.wall"_s));
}

void LimitSheet::addLimits(const Limits &limits, const Limits &usual)
{
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(Space::m);
    grid->setVerticalSpacing(Space::xs);
    grid->setColumnStretch(2, 1);
    int row = 0;
    for (const LimitKind kind : limitWords) {
        const qint64 value = limitValue(limits, kind), normal = limitValue(usual, kind);
        const bool isMore = isMoreThan(kind, value, normal);
        auto *title = makeLabel(limitTitle(kind), this, FontRole::Base, Colour::Dim);
        title->setWordWrap(false);
        grid->addWidget(title, row, 0);
        auto *word = new QToolButton(this);
        setLook(word, ButtonLook::Word);
        const QString text = limitText(kind, value);
        word->setText((isMore ? u"▲ "_s : QString()) + text);
        setTextColour(word, isMore ? Colour::Warn : Colour::Text);
        setNames(word, u"bench.limits."_s + toString(kind), u"%1: %2"_s.arg(limitTitle(kind), text));
        connect(word, &QToolButton::clicked, this, [this, kind] {
            close(true);
            Q_EMIT limitWanted(kind);
        });
        grid->addWidget(word, row, 1, Qt::AlignLeading);
        if (value != normal)
            grid->addWidget(
                makeLabel(tr("default: %1").arg(limitText(kind, normal)), this, FontRole::Small, Colour::Dim), row, 2);
        ++row;
    }
    content()->addLayout(grid);
}

void LimitSheet::addProfiles(const QList<Profile> &profiles)
{
    int number = 0;
    for (const Profile &profile : profiles)
        addProfile(profile, ++number);
    if (profiles.isEmpty())
        content()->addWidget(
            makeLabel(tr("Limits that you use often can be kept under a name. \"glovebox run --profile\" "
                         "takes the same names."),
                      this, FontRole::Base, Colour::Dim));
    addKeeping();
}

void LimitSheet::addProfile(const Profile &profile, int number)
{
    auto *row = new QHBoxLayout;
    row->setSpacing(Space::xs);
    const auto policy = profile.on(Policy());
    auto *use = makeToolButton(profile.name, u"bench.limits.profile%1"_s.arg(number),
                               policy ? tr("Use %1").arg(profile.name) : translated(policy.error().message), this);
    use->setEnabled(policy.has_value());
    connect(use, &QToolButton::clicked, this, [this, profile] {
        Q_EMIT profileChosen(profile);
        close(true);
    });
    row->addWidget(use);
    if (policy && !policy->allow.isEmpty())
        row->addWidget(
            makeLabel(tr("may reach %1").arg(policy->allow.join(tr(", "))), this, FontRole::Small, Colour::Dim), 1);
    else
        row->addStretch(1);
    auto *remove = makeIconButton(m_theme.icon(Icon::Close, Colour::Dim), u"bench.limits.remove%1"_s.arg(number),
                                  tr("Remove %1").arg(profile.name), this);
    connect(remove, &QToolButton::clicked, this, [this, name = profile.name] {
        Q_EMIT profileRemoved(name);
        close(true);
    });
    row->addWidget(remove);
    content()->addLayout(row);
}

void LimitSheet::addKeeping()
{
    auto *row = new QHBoxLayout;
    row->setSpacing(Space::s);
    m_name = new QLineEdit(this);
    m_name->setPlaceholderText(tr("A name for these limits"));
    m_name->setMaxLength(40);
    setNames(m_name, u"bench.limits.name"_s, tr("A name for these limits"));
    row->addWidget(m_name, 1);
    auto *button = makeButton(tr("Keep"), u"bench.limits.keep"_s, this, tr("Keep these limits under this name"));
    button->setEnabled(false);
    row->addWidget(button);
    content()->addLayout(row);
    connect(m_name, &QLineEdit::textChanged, button,
            [button](const QString &name) { button->setEnabled(!name.trimmed().isEmpty()); });
    connect(m_name, &QLineEdit::returnPressed, this, &LimitSheet::keep);
    connect(button, &QPushButton::clicked, this, &LimitSheet::keep);
}

void LimitSheet::keep()
{
    if (const QString name = m_name->text().trimmed(); !name.isEmpty()) {
        Q_EMIT profileKept(name);
        close(true);
    }
}

} // namespace glovebox
