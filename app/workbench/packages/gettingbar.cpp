// SPDX-License-Identifier: Apache-2.0
#include "gettingbar.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/shell/look.h"

#include <QCheckBox>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostScripts = 5; // that can be let run here

} // namespace

GettingBar::GettingBar(PackageGetting &getting, const QString &name, QWidget *parent)
    : QWidget(parent)
    , m_getting(getting)
    , m_words(makeLabel({}, this))
    , m_doubts(makeLabel({}, this, FontRole::Base, Colour::Warn))
{
    setObjectName(name + u".getting"_s);
    auto *column = columnIn(this, Space::xs);
    auto *row = new QHBoxLayout;
    row->setSpacing(Space::s);
    m_words->setObjectName(name + u".words"_s);
    m_words->setMinimumWidth(1);
    m_doubts->setObjectName(name + u".doubts"_s);
    m_doubts->setMinimumWidth(1);
    row->addWidget(m_words, 1);
    const auto add = [&](const QString &what, const QString &text, const QString &spoken) {
        auto *button = makeButton(text, name + u'.' + what, this, spoken);
        row->addWidget(button);
        return button;
    };
    m_yes = add(u"yes"_s, tr("Install"), tr("Install the packages that were fetched"));
    m_no = add(u"no"_s, tr("Leave it"), tr("Install none of the packages"));
    m_cancel = add(u"cancel"_s, tr("Cancel"), tr("Cancel the installation"));
    column->addLayout(row);
    column->addWidget(m_doubts);
    m_scripts = new QVBoxLayout;
    m_scripts->setSpacing(Space::xs);
    column->addLayout(m_scripts);
    m_moreScripts = makeLabel({}, this);
    m_moreScripts->setObjectName(name + u".moreScripts"_s);
    m_moreScripts->setMinimumWidth(1);
    column->addWidget(m_moreScripts);
    m_build = makeButton({}, name + u".build"_s, this);
    column->addWidget(m_build, 0, Qt::AlignLeading);
    connect(m_build, &QPushButton::clicked, this, &GettingBar::buildWanted);
    connect(m_yes, &QPushButton::clicked, this, [this] {
        QStringList allowed;
        for (const auto &[box, package] : std::as_const(m_boxes)) {
            if (box->isChecked())
                allowed.append(package);
        }
        m_getting.answer(true, allowed);
    });
    connect(m_no, &QPushButton::clicked, this, [this] { m_getting.answer(false); });
    connect(m_cancel, &QPushButton::clicked, &getting, &PackageGetting::cancel);
    connect(&getting, &PackageGetting::stageChanged, this, &GettingBar::follow);
    follow();
}

void GettingBar::say(const QString &sentence)
{
    if (m_getting.isBusy())
        return;
    setTextColour(m_words, Colour::Bad);
    m_words->setText(sentence);
    m_doubts->hide();
    offerScripts({});
    for (QWidget *button : {m_yes, m_no, m_cancel})
        button->hide();
    const QString &name = m_getting.lacking();
    m_build->setVisible(!sentence.isEmpty() && !name.isEmpty());
    if (!m_build->isHidden()) {
        m_build->setText(
            withHiddenShown(tr("Build %1 from source, in a sandbox without a network", "a package").arg(name)));
        m_build->setAccessibleName(m_build->text());
    }
    setVisible(!sentence.isEmpty());
}

QString GettingBar::progress() const
{
    const bool isRemoval = m_getting.isRemoval();
    switch (m_getting.stage()) {
    case PackageGetting::Stage::Idle:
        break;
    case PackageGetting::Stage::Looking:
        return (isRemoval ? tr("Removing %1…") : tr("Looking for %1…")).arg(m_getting.names());
    case PackageGetting::Stage::Fetching:
        return (isRemoval
                    ? tr("Removing %1: fetching the other packages from %2…", "packages, where they are looked for")
                    : tr("Fetching %1 from %2…", "packages, where they are looked for"))
            .arg(m_getting.names(), translated(m_getting.sources()));
    case PackageGetting::Stage::AskingToBuild: {
        const BuildQuestion &question = m_getting.buildQuestion();
        return (question.hasTools ? tr("%1 is to be built from its source: %2. Run code of this package and of these "
                                       "tools to build it, sealed and without a network?",
                                       "package, with its version and tools")
                                  : tr("%1 is to be built from its source: %2. Run this package's own code to build "
                                       "it, sealed and without a network?",
                                       "package, with its version"))
            .arg(question.name, translated(question.what));
    }
    case PackageGetting::Stage::Building:
        return tr("Building %1, sealed and without a network…").arg(m_getting.buildQuestion().name);
    case PackageGetting::Stage::Asking: {
        const PackageQuestion &question = m_getting.question();
        return (isRemoval ? tr("Install what is left, %1 from %2, %3?", "packages, where they came from, size")
                          : tr("Install %1 from %2, %3?", "packages, where they came from, size"))
            .arg(translated(question.summary), translated(question.source), sizeWord(question.bytes));
    }
    case PackageGetting::Stage::Installing:
        return (isRemoval ? tr("Removing %1: installing the other packages…") : tr("Installing %1…"))
            .arg(m_getting.names());
    case PackageGetting::Stage::Cancelling:
        return tr("Cancelling…");
    }
    return {};
}

QString GettingBar::doubts() const
{
    const PackageQuestion &question = m_getting.question();
    const bool isBuild = m_getting.stage() == PackageGetting::Stage::AskingToBuild;
    QStringList doubts;
    for (const Text &doubt : isBuild ? m_getting.buildQuestion().doubts : question.doubts)
        doubts.append(translated(doubt));
    if (!isBuild && !question.newNames.isEmpty())
        doubts.append(tr("New among your packages: %1.").arg(question.newNames.join(tr(", ", "between packages"))));
    return withHiddenShown(doubts.join(u'\n'));
}

// Nobody reads a longer list, and a box for each of thousands takes the window's time.
void GettingBar::offerScripts(const QStringList &packages)
{
    for (const auto &[box, package] : std::exchange(m_boxes, {}))
        delete box;
    for (const QString &package : packages.first(std::min(packages.size(), mostScripts))) {
        auto *box = new QCheckBox(
            tr("Run the install script of %1, sealed and without a network", "a package").arg(package), this);
        box->setObjectName(objectName() + u".script"_s + QString::number(m_boxes.size()));
        box->setAccessibleName(box->text());
        box->setToolTip(box->text()); // a name may be longer than the window
        box->setMinimumWidth(1);
        m_scripts->addWidget(box);
        m_boxes.append({box, package});
    }
    const qsizetype more = packages.size() - m_boxes.size();
    showText(m_moreScripts,
             more > 0
                 ? tr("%Ln more have install scripts. To have one run, in a terminal: glovebox run or glovebox session "
                      "install, with --allow-scripts NAME",
                      "packages", int(more))
                 : QString());
}

// A key that was meant for "Cancel" comes when the question does, and installs nothing.
void GettingBar::takeFocus()
{
    (m_getting.isAsking() ? m_no : m_cancel)->setFocus();
}

void GettingBar::follow()
{
    const bool hadFocus = m_yes->hasFocus() || m_no->hasFocus() || m_cancel->hasFocus() || m_build->hasFocus()
                          || std::ranges::any_of(m_boxes, [](const auto &each) { return each.first->hasFocus(); });
    if (!m_getting.isBusy()) {
        if (hadFocus)
            Q_EMIT focusLeaves();
        return hide();
    }
    const bool asks = m_getting.isAsking();
    const bool isBuild = m_getting.stage() == PackageGetting::Stage::AskingToBuild;
    m_yes->setText(isBuild ? tr("Build it") : tr("Install"));
    m_yes->setAccessibleName(isBuild ? tr("Build the package from its source")
                                     : tr("Install the packages that were fetched"));
    setTextColour(m_words, Colour::Text);
    m_words->setText(withHiddenShown(progress()));
    showText(m_doubts, asks ? doubts() : QString());
    // First what comes, then what goes: a button that goes leaves the focus to whichever stands next.
    for (const bool comes : {true, false}) {
        for (const auto &[button, isThere] :
             {std::pair(m_yes, asks), {m_no, asks}, {m_cancel, !asks}, {m_build, false}}) {
            if (isThere == comes)
                button->setVisible(comes);
        }
        if (comes && hadFocus)
            takeFocus();
    }
    offerScripts(asks && !isBuild ? m_getting.question().scripted : QStringList());
    show();
}

} // namespace glovebox
