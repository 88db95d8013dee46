// SPDX-License-Identifier: Apache-2.0
#include "missingline.h"

#include "app/workbench/editor/file/hiddentext.h"
#include "app/workbench/packages/gettingbar.h"
#include "app/workbench/shell/look.h"

#include <QMenu>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int roomForWays = 760; // px, beside the words

} // namespace

MissingLine::MissingLine(Theme &theme, PackageGetting &getting, QWidget *parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_getting(getting)
    , m_offer(new QWidget(this))
    , m_words(makeLabel({}, m_offer))
    , m_doubts(makeLabel({}, this, FontRole::Base, Colour::Warn))
    , m_bar(new GettingBar(getting, u"bench.missing"_s, this))
    , m_menu(new QMenu(this))
{
    setObjectName(u"bench.missing"_s);
    setBackground(this, Colour::Panel);
    auto *column = columnIn(this, 0);
    column->addWidget(makeRule(Qt::Horizontal, this));
    auto *whole = new QHBoxLayout;
    whole->setSpacing(0);
    column->addLayout(whole);
    whole->addWidget(makeStripe(Colour::Accent, this));
    auto *parts = new QVBoxLayout;
    parts->setContentsMargins(Space::m, Space::xs, Space::s, Space::xs);
    parts->setSpacing(Space::xs);
    whole->addLayout(parts, 1);
    parts->addWidget(m_offer);
    parts->addWidget(m_doubts);
    parts->addWidget(m_bar);

    m_lines = new QBoxLayout(QBoxLayout::LeftToRight, m_offer);
    m_lines->setContentsMargins(0, 0, 0, 0);
    m_lines->setSpacing(Space::s);
    m_words->setObjectName(u"bench.missing.sentence"_s);
    m_words->setMinimumWidth(1);
    m_doubts->setObjectName(u"bench.missing.chosen"_s);
    m_doubts->setMinimumWidth(1);
    m_lines->addWidget(m_words, 1);
    auto *row = new QHBoxLayout;
    row->setSpacing(Space::m);
    m_lines->addLayout(row);
    const auto addLink = [&](const QString &name, const QString &text) {
        auto *link = makeButton(text, u"bench.missing."_s + name, m_offer);
        setLook(link, ButtonLook::Link);
        row->addWidget(link);
        return link;
    };
    m_lend = addLink(u"lend"_s, {});
    m_install = addLink(u"install"_s, {});
    m_without = addLink(u"without"_s, tr("Run without them"));
    row->addStretch();
    m_close =
        makeIconButton(theme.icon(Icon::Close, Colour::Dim), u"bench.missing.close"_s, tr("Hide this line"), this);
    whole->addWidget(m_close, 0, Qt::AlignTop);
    m_menu->setObjectName(u"bench.missing.sessions"_s);
    connect(m_lend, &QPushButton::clicked, this, &MissingLine::lendWanted);
    connect(m_install, &QPushButton::clicked, this, &MissingLine::installWanted);
    connect(m_without, &QPushButton::clicked, this, &MissingLine::runWithoutWanted);
    connect(m_close, &QToolButton::clicked, this, &MissingLine::dismissed);
    connect(m_bar, &GettingBar::buildWanted, this, &MissingLine::buildWanted);
    connect(m_bar, &GettingBar::focusLeaves, this, &MissingLine::takeFocus);
    connect(&getting, &PackageGetting::stageChanged, this, &MissingLine::follow);
    follow();
}

// Before the run, which waits.
void MissingLine::showNamed(const Offer &offer)
{
    QStringList names, texts, doubts;
    for (const Requirement &each : offer.named) {
        names.append(each.name);
        texts.append(each.text);
    }
    for (const Text &doubt : doubtsAbout(names, offer.missing.language))
        doubts.append(translated(doubt));
    m_words->setText(withHiddenShown(
        tr("The code names packages that aren't here: %1.").arg(texts.join(tr(", ", "between packages")))));
    m_doubts->setText(withHiddenShown(doubts.join(u' ')));
    m_lend->setText(tr("Give them to this run"));
    m_lend->setAccessibleName(tr("Give the packages to this run and run the code"));
}

void MissingLine::show(const Offer &offer)
{
    const bool isBefore = !offer.named.isEmpty();
    m_without->setVisible(isBefore);
    m_install->setVisible(!isBefore);
    m_lend->setVisible(true);
    isBefore ? showNamed(offer) : showMissing(offer);
    m_hasOffer = true;
    m_isSaying = false;
    m_bar->say({});
    follow();
}

void MissingLine::showMissing(const Offer &offer)
{
    const MissingModule &missing = offer.missing;
    m_words->setText(withHiddenShown(translated(wordsAbout(missing))));
    QStringList doubts;
    for (const Text &doubt : missing.doubts)
        doubts.append(withHiddenShown(translated(doubt)));
    m_doubts->setText(doubts.join(u' '));
    const bool isPackage = missing.source == ModuleSource::Package;
    m_lend->setVisible(isPackage && offer.canLend);
    m_lend->setText(tr("Give it to this run"));
    m_lend->setAccessibleName(tr("Give the package %1 to this run and run the code again").arg(missing.package));
    m_install->setVisible(isPackage || missing.source == ModuleSource::SeveralPackages);
    m_install->setText(!isPackage                ? tr("Install the right one into a session…")
                       : offer.session.isEmpty() ? tr("Install it into a session…")
                                                 : tr("Install it into session %1").arg(offer.session));
    m_install->setAccessibleName(
        !isPackage ? tr("Install a package into a session")
        : offer.session.isEmpty()
            ? tr("Install the package %1 into a session").arg(missing.package)
            : tr("Install the package %1 into session %2 and run the code again").arg(missing.package, offer.session));
}

void MissingLine::hideOffer()
{
    m_hasOffer = false;
    m_isSaying = false;
    follow();
}

void MissingLine::say(const QString &sentence)
{
    m_isSaying = !sentence.isEmpty();
    follow();
    m_bar->say(sentence);
}

void MissingLine::chooseSession(const QList<std::pair<QString, QString>> &idsAndNames)
{
    m_menu->clear();
    for (const auto &[id, name] : idsAndNames)
        m_menu->addAction(tr("Session %1").arg(QString(name).replace(u'&', u"&&"_s)), this,
                          [this, id = id] { Q_EMIT sessionChosen(id); });
    if (!idsAndNames.isEmpty())
        m_menu->addSeparator();
    m_menu->addAction(tr("New session…"), this, [this] { Q_EMIT sessionChosen({}); });
    m_menu->setActiveAction(m_menu->actions().first());
    const QSize size = m_menu->sizeHint();
    const int left = m_install->isRightToLeft() ? m_install->width() - size.width() : 0;
    m_menu->popup(m_install->mapToGlobal(QPoint(left, -size.height()))); // it stands at the window's lower edge
}

void MissingLine::takeFocus()
{
    if (!m_hasOffer)
        return Q_EMIT focusLeaves();
    m_offer->show();
    (m_lend->isHidden() ? m_install : m_lend)->setFocus();
}

void MissingLine::follow()
{
    const bool isBusy = m_getting.isBusy();
    const bool offers = m_hasOffer && !isBusy;
    if (isBusy && m_offer->isAncestorOf(window()->focusWidget()))
        m_bar->takeFocus();
    m_offer->setVisible(offers);
    m_doubts->setVisible(offers && !m_doubts->text().isEmpty());
    m_bar->setVisible(isBusy || m_isSaying);
    m_close->setVisible(!isBusy);
    setVisible(offers || isBusy || m_isSaying);
}

void MissingLine::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    m_lines->setDirection(width() >= m_theme.scaled(roomForWays) ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

} // namespace glovebox
