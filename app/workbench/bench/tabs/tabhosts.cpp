// SPDX-License-Identifier: Apache-2.0
// A host that a run was kept from: the person allows it, and the code runs again.
#include "app/workbench/bench/benchtab.h"

#include "app/workbench/bench/policy/allowsheet.h"
#include "app/workbench/bench/policy/alwaysallowed.h"
#include "app/workbench/bench/policy/policysentence.h"

#include "app/workbench/shell/background.h"
#include "app/workbench/shell/words/words.h"

#include <QPushButton>

namespace glovebox {

void BenchTab::offerHost(ShownRun *run, const QString &host, QWidget *anchor)
{
    auto *sheet = new AllowSheet(m_context.theme(), anchor, host);
    connect(sheet, &AllowSheet::chosen, this,
            [this, host, request = run->request(), title = run->title()](AllowFor howLong) {
                allowAndRunAgain(request, title, host, howLong);
            });
}

void BenchTab::askToAllow(const QString &host, const QStringList &had)
{
    auto *sheet = new AllowSheet(m_context.theme(), m_run, host, true);
    connect(sheet, &AllowSheet::chosen, this, [this, host, had](AllowFor howLong) {
        allowHost(host, howLong);
        run(false, Beside::No, had + QStringList{host});
    });
}

void BenchTab::allowAndRunAgain(const RunRequest &request, RunTitle title, const QString &host, AllowFor howLong)
{
    allowHost(host, howLong);
    if (!m_context.engine())
        return;
    // The very code that was blocked, with one host more than it had.
    RunRequest again = request;
    if (!again.policy.allow.contains(host))
        again.policy.allow.append(host);
    title.number = ++m_runNumber;
    start(std::move(again), title);
}

void BenchTab::allowHost(const QString &host, AllowFor howLong)
{
    Settings *settings = m_context.settings();
    if (howLong == AllowFor::Session)
        m_sentence->allow(host);
    if (howLong != AllowFor::Always || !settings)
        return;
    inBackground(
        m_context.pool(), this, [settings, host] { return allowHostAlways(*settings, host); },
        [this, host](const Status &status) {
            if (status)
                return m_context.tellSettings(std::nullopt);
            m_context.notifications().show(
                {.tone = Tone::Warn,
                 .text = tr("%1 is allowed for this run only: it could not be written to the settings. %2")
                             .arg(host, translated(status.error().message)),
                 .detail = translated(status.error().detail),
                 .stays = true});
        });
}

} // namespace glovebox
