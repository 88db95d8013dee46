// SPDX-License-Identifier: Apache-2.0
// Keeps the tabs so that they are back after a crash, one stash a tab, and one for their order; and what closing the window ends all
// the same.
#include "benchpage.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QSet>
#include <QStackedWidget>

#include <algorithm>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

constexpr int soon = 500; // ms after a change
constexpr int soonEnough = 1000; // for texts that take a while to write out: they are on disk before 2 s are over
constexpr qsizetype large = 1'000'000; // characters

bool isLarge(BenchTab &tab)
{
    return tab.editor().editor().document()->characterCount() > large;
}

QString nameOf(const QString &tabId)
{
    return u"bench.tab."_s + tabId;
}

} // namespace

void BenchPage::restoreTabs()
{
    m_restoring = true;
    StashStore &stash = m_context.stash();
    QStringList ids;
    QString current;
    QStringList broken;
    const auto load = [&](const QString &name) -> std::optional<QByteArray> {
        auto loaded = stash.load(name);
        if (loaded)
            return *loaded;
        broken.append(translated(loaded.error().message));
        return std::nullopt;
    };
    if (const auto order = load(u"bench.order"_s)) {
        const QJsonObject object = QJsonDocument::fromJson(*order).object();
        for (const auto id : object.value(u"tabs"_s).toArray())
            ids.append(id.toString());
        current = object.value(u"current"_s).toString();
    }
    // A tab that the order doesn't know was stashed just before the end.
    for (const QString &name : stash.names()) {
        if (name.startsWith("bench.tab."_L1) && !ids.contains(name.sliced(10)))
            ids.append(name.sliced(10));
    }
    for (const QString &id : std::as_const(ids)) {
        const auto stashed = load(nameOf(id));
        if (!stashed)
            continue;
        BenchTab *tab = addTab(id, id == current);
        if (!tab->restore(*stashed))
            tab->editor().setText(QString::fromUtf8(*stashed), true); // better as it is than not at all
        updateTab(tab);
    }
    if (m_stack->count() == 0)
        addTab();
    m_restoring = false;
    for (const QString &sentence : std::as_const(broken))
        m_context.notifications().show({.tone = Tone::Warn, .text = sentence, .stays = true});
    if (const auto why = stash.unavailable())
        m_context.notifications().show(
            {.id = u"bench.stash"_s,
             .tone = Tone::Warn,
             .text = tr("Unsaved text is not kept if Glovebox ends unexpectedly. %1").arg(translated(why->message)),
             .detail = translated(why->detail)});
}

void BenchPage::stashSoon(BenchTab *tab)
{
    if (m_restoring)
        return;
    if (!m_unstashed.contains(tab))
        m_unstashed.append(tab);
    QTimer &timer = isLarge(*tab) ? m_largeTimer : m_stashTimer;
    if (!timer.isActive())
        timer.start(isLarge(*tab) ? soonEnough : soon);
}

// A short text doesn't wait for a long one beside it.
void BenchPage::stashSmall()
{
    const auto all = std::exchange(m_unstashed, {});
    for (const QPointer<BenchTab> &tab : all) {
        if (tab && isLarge(*tab))
            m_unstashed.append(tab);
        else if (tab)
            stash(tab);
    }
}

void BenchPage::stashPending()
{
    for (const QPointer<BenchTab> &tab : std::exchange(m_unstashed, {})) {
        if (tab)
            stash(tab);
    }
}

// A full disk, most likely: then the text is nowhere but in this window.
void BenchPage::tellStashTrouble()
{
    const QString id = u"bench.stash"_s;
    if (const auto trouble = m_context.stash().trouble())
        m_context.notifications().setBanner(
            {.id = id,
             .tone = Tone::Warn,
             .text = translated(trouble->message) + u' ' + tr("Make some space, or save your text in another place."),
             .detail = translated(trouble->detail)});
    else
        m_context.notifications().clearBanner(id);
}

void BenchPage::stash(BenchTab *tab)
{
    if (tab->editor().isLoading()) { // its text is on disk, and it is about to say more
        stashSoon(tab);
        return;
    }
    m_context.stash().save(nameOf(tab->id()), tab->stashedNow());
}

void BenchPage::stashOrder()
{
    QJsonArray ids;
    for (const BenchTab *tab : tabs())
        ids.append(tab->id());
    const QJsonObject order{{u"tabs"_s, ids}, {u"current"_s, current() ? current()->id() : QString()}};
    m_context.stash().save(u"bench.order"_s, QJsonDocument(order).toJson(QJsonDocument::Compact));
    // A file that is open without changes is a tab too.
    for (BenchTab *tab : tabs()) {
        if (!tab->editor().path().isEmpty() && !m_unstashed.contains(tab))
            stashSoon(tab);
    }
}

void BenchPage::stashUnsaved()
{
    m_stashTimer.stop();
    m_largeTimer.stop();
    for (BenchTab *tab : tabs()) {
        if (!m_unstashed.contains(tab))
            m_unstashed.append(tab);
    }
    stashPending();
}

QString BenchPage::closingEnds() const
{
    QStringList ends;
    if (m_liveRuns > 0)
        ends.append(tr("%Ln run(s) are going on; closing stops them.", "", m_liveRuns));
    const QList<BenchTab *> all = tabs();
    if (const int kept = keptInterpreters(); kept > 0)
        ends.append(
            tr("%Ln interpreter(s) in sessions keep variables; closing ends them, and these are gone.", "", kept));
    for (const BenchTab *tab : all)
        ends.append(tab->closingEnds());
    ends.append(m_context.deeds());
    const auto unsaved = int(std::ranges::count_if(all, &BenchTab::hasUnsavedWork));
    if (const auto trouble = unsaved > 0 ? m_context.stash().trouble() : std::nullopt)
        ends.append(tr("The unsaved text of %Ln tab(s) would be lost; save it to a file first.", "", unsaved) + u' '
                    + translated(trouble->message));
    return ends.join(u'\n');
}

// Interpreters that end with the window: those that wait for code, and those of runs that go on.
int BenchPage::keptInterpreters() const
{
    QSet<std::pair<QString, QString>> kept; // of a session, by language
    for (const OfferedSession &offered : m_sessions.sessions()) {
        const QString &session = offered.session.id;
        for (const QString &language :
             m_context.engine() ? m_context.engine()->waitingInterpreters(session) : QStringList())
            kept.insert({session, language});
    }
    for (BenchTab *tab : tabs()) {
        for (const ShownRun *run : tab->runs().runs()) {
            if (run->request().isStateful && !run->isDone())
                kept.insert({run->request().session, run->request().language});
        }
    }
    return int(kept.size());
}

} // namespace glovebox
