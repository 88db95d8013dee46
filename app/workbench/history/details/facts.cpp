// SPDX-License-Identifier: Apache-2.0
#include "facts.h"

#include "app/workbench/history/list/runsmodel.h"
#include "app/workbench/runpanel/isolation/controlsmodel.h"
#include "app/workbench/runpanel/isolation/isolationtab.h"
#include "app/workbench/runpanel/shownrun.h"
#include "app/workbench/runpanel/story/runstory.h"
#include "app/workbench/shell/look.h"
#include "app/workbench/shell/words/words.h"

#include <QCoreApplication>
#include <QGridLayout>
#include <QPushButton>

#include <utility>

namespace glovebox {

using namespace Qt::StringLiterals;

namespace {

// lupdate finds the strings under this name.
struct Facts
{
    Q_DECLARE_TR_FUNCTIONS(Facts)
};

constexpr qsizetype shortId = 13; // the milliseconds of its time: enough to tell runs apart

QString number(qint64 value)
{
    return QLocale().toString(value);
}

QString endOf(const RunResult &result)
{
    if (result.exitCode)
        return number(*result.exitCode);
    if (result.signal)
        return Facts::tr("none: ended by signal %1").arg(*result.signal);
    return Facts::tr("none");
}

QString printed(const RecordedBody &body, const RunRecord &record)
{
    if (body.bytes == 0)
        return record.isBroken ? Facts::tr("not known") : Facts::tr("nothing");
    if (body.isCut())
        return Facts::tr("%1, of which %2 are kept").arg(sizeWord(body.bytes), sizeWord(body.kept));
    return sizeWord(body.bytes);
}

SummaryFact isolation(const QList<Control> &controls)
{
    const ControlCounts counts = countControls(controls);
    const Colour colour = counts.missing > 0 ? Colour::Bad : counts.degraded > 0 ? Colour::Warn : Colour::Ok;
    return {Facts::tr("Isolation"), countsSentence(counts), colour};
}

QString limitsOf(const Policy &policy)
{
    const Limits &limits = policy.limits;
    QStringList parts{durationWord(limits.wall), sizeWord(limits.memoryBytes),
                      Facts::tr("%Ln process(es)", "", limits.processes),
                      Facts::tr("%1 of files").arg(sizeWord(limits.diskBytes)),
                      Facts::tr("%1 of output").arg(sizeWord(limits.outputBytes))};
    if (limits.cpu)
        parts << Facts::tr("%1 of processor time").arg(durationWord(*limits.cpu));
    if (limits.cpuPercent)
        parts << Facts::tr("%1% of a processor").arg(*limits.cpuPercent);
    if (!policy.allow.isEmpty())
        parts << policy.allow.join(u", "_s);
    if (!policy.tools.isEmpty())
        parts << Facts::tr("tools: %1").arg(policy.tools.join(u", "_s));
    if (limits.trafficBytes)
        parts << Facts::tr("%1 over the network").arg(sizeWord(*limits.trafficBytes));
    if (limits.bandwidthBytes)
        parts << Facts::tr("%1 a second over the network").arg(sizeWord(*limits.bandwidthBytes));
    if (policy.strict)
        parts << Facts::tr("strict");
    return parts.join(u" · "_s);
}

QString callerOf(const RunRecord &record)
{
    const bool isSelfTest =
        record.caller.kind != Caller::Kind::Mcp && record.caller.claimed == QLatin1StringView(selfTestName);
    QStringList parts{callerWord(record.caller.kind)};
    if (isSelfTest)
        parts << Facts::tr("attacked this sandbox to test it");
    if (!record.caller.program.isEmpty())
        parts << shownLine(record.caller.program);
    if (record.caller.pid > 0)
        parts << Facts::tr("process %1").arg(record.caller.pid);
    if (!record.caller.claimed.isEmpty() && !isSelfTest)
        parts << Facts::tr("calls itself \"%1\"").arg(shownLine(record.caller.claimed));
    return parts.join(u" · "_s);
}

// Whether whatItTried() tells this event already. Where a connection was meant to lead, only its sentence says on record.
bool isTried(EventType type)
{
    return type != EventType::ErrorDetail && type != EventType::OutputTruncated && type != EventType::NetworkConnect;
}

// Before everything else.
void addTried(const RunRecord &record, QList<SummaryFact> &facts)
{
    if (!record.policy)
        return;
    QString name = Facts::tr("What it tried");
    for (const StorySentence &sentence : whatItTried(record.result, *record.policy))
        facts.append({std::exchange(name, {}), sentence.text,
                      sentence.tone == Tone::Info ? Colour::Text : toneColour(sentence.tone)});
}

void addUsage(const RunRecord &record, QList<SummaryFact> &facts)
{
    const Usage &usage = record.result.usage;
    QString time = durationWord(usage.wall);
    const bool isWhole = isUsageOfInterpreter(record.result);
    time += !usage.cpu ? Facts::tr(", processor time not known")
                       : (isWhole ? Facts::tr(", processor %1 (the interpreter, since its start)")
                                  : Facts::tr(", processor %1"))
                             .arg(durationWord(*usage.cpu));
    facts.append({Facts::tr("Time"), record.isBroken ? Facts::tr("not known") : time});
    QString memory = usage.peakMemoryBytes ? sizeWord(*usage.peakMemoryBytes) : Facts::tr("not known");
    if (usage.peakMemoryBytes && usage.source == UsageSource::Rusage)
        memory = Facts::tr("%1, of its largest process that ended by itself").arg(memory);
    else if (usage.peakMemoryBytes && record.policy)
        memory = Facts::tr("%1 of %2, with its files")
                     .arg(memory, sizeWord(record.policy->limits.memoryBytes + record.policy->limits.diskBytes));
    QString processes = usage.processes ? number(*usage.processes) : QString();
    if (isWhole) {
        const QString whole = Facts::tr("%1 (the interpreter, since its start)");
        if (usage.peakMemoryBytes)
            memory = whole.arg(memory);
        if (usage.processes)
            processes = whole.arg(processes);
    }
    facts.append({Facts::tr("Memory"), memory});
    if (!processes.isEmpty())
        facts.append({Facts::tr("Processes"), processes});
}

QString folderOf(const FolderGrant &folder)
{
    const QString how = folder.mode == FolderGrant::Mode::ReadWrite ? Facts::tr("may be changed")
                        : folder.mode == FolderGrant::Mode::Stage   ? Facts::tr("as a copy")
                                                                    : Facts::tr("read-only");
    return u"%1 → %2 · %3"_s.arg(shownLine(folder.hostPath), shownLine(folder.path), how);
}

QString secretOf(const SecretGrant &secret)
{
    return secret.asFile ? Facts::tr("%1, as the file %2").arg(secret.name, secretPlace(secret))
                         : Facts::tr("%1, as the variable %2").arg(secret.name, secretPlace(secret));
}

QString answerOf(const RecordedAnswer &answer)
{
    const QString wants = shownLine(answer.wants.join(u"; "_s));
    if (answer.by == AnsweredBy::Nobody)
        return Facts::tr("Denied, as nobody answered: %1").arg(wants);
    if (answer.by == AnsweredBy::Client)
        return answer.isAllowed ? Facts::tr("Allowed for this run by the agent's word: %1").arg(wants)
               : answer.scope == ApprovalScope::Never
                   ? Facts::tr("Denied by the agent's word until it disconnected: %1").arg(wants)
                   : Facts::tr("Denied by the agent's word: %1").arg(wants);
    switch (answer.scope) {
    case ApprovalScope::Once:
        break;
    case ApprovalScope::Session:
        return answer.isAllowed ? Facts::tr("You allowed until it disconnected: %1").arg(wants)
                                : Facts::tr("You denied until it disconnected: %1").arg(wants);
    case ApprovalScope::Always:
        return Facts::tr("You allowed this agent from then on: %1").arg(wants);
    case ApprovalScope::Never:
        return answer.isOfPaired ? Facts::tr("You denied this agent for good: %1").arg(wants)
                                 : Facts::tr("You denied until it disconnected: %1").arg(wants);
    }
    return answer.isAllowed ? Facts::tr("You allowed for this run: %1").arg(wants)
                            : Facts::tr("You denied for this run: %1").arg(wants);
}

// Of a run whose end isn't on record.
void addCalls(QStringList calls, QList<SummaryFact> &facts)
{
    while (!calls.isEmpty()) {
        const QString tool = calls.first();
        facts.append({Facts::tr("Called tool"),
                      Facts::tr("%1 × %2, with no end in the log", "a number, the name of a tool")
                          .arg(number(calls.removeAll(tool)), shownLine(tool)),
                      Colour::Warn});
    }
}

// A beginning is told only while it has no end.
void addDecisions(const QList<RecordedDecision> &decisions, QList<SummaryFact> &facts)
{
    for (const RecordedDecision &decision : decisions) {
        const QString folders = shownLine(decision.folders.join(u", "_s));
        const int changes = int(decision.changes);
        QString text;
        if (decision.kind == EntryKind::FolderApplied)
            text = Facts::tr("%Ln applied to %1", "", changes).arg(folders);
        else if (decision.kind == EntryKind::FolderDiscarded)
            text = Facts::tr("%Ln discarded from the copy of %1", "", changes).arg(folders);
        else if (decision.kind == EntryKind::FolderUndone)
            text = Facts::tr("%Ln undone in %1", "", changes).arg(folders);
        else if (decision.kind == EntryKind::FolderInterrupted)
            text = Facts::tr("%1 (%2)").arg(translated(decision.reason), folders);
        else if (&decision != &decisions.last())
            continue;
        else if (decision.kind == EntryKind::FolderApplying)
            text = Facts::tr("%Ln being applied to %1", "", changes).arg(folders);
        else if (decision.kind == EntryKind::FolderUndoing)
            text = Facts::tr("%Ln being undone in %1", "", changes).arg(folders);
        else
            text = Facts::tr("%Ln being discarded from the copy of %1", "", changes).arg(folders);
        if (decision.refused > 0)
            text += Facts::tr(", %Ln refused", "", int(decision.refused));
        const bool isWhole = decision.refused == 0 && decision.reason.isEmpty();
        facts.append({Facts::tr("Changes"), text, isWhole ? Colour::Text : Colour::Warn});
    }
}

} // namespace

QString headingOf(const RunRecord &record)
{
    if (!record.isFinished())
        return Facts::tr("Not finished yet");
    if (record.result.reason.isEmpty())
        return outcomeWord(record.result.outcome);
    return Facts::tr("%1. %2", "outcome, and its reason in a sentence")
        .arg(outcomeWord(record.result.outcome), translated(record.result.reason));
}

Colour headingColour(const RunRecord &record)
{
    return record.isFinished() ? outcomeColour(record.result.outcome) : Colour::Info;
}

QString originOf(const RunRecord &record, const QDateTime &now)
{
    return QStringList{Facts::tr("Run %1").arg(record.row.run.first(std::min(shortId, record.row.run.size()))),
                       shownTime(record.row.timeMicroseconds, now),
                       shownCaller(record.row.callerKind, record.row.callerName)}
        .join(u" · "_s);
}

QList<SummaryFact> factsOf(const RunRecord &record)
{
    QList<SummaryFact> facts;
    if (record.waiting > 0) // a person looks for what is left to do
        facts.append({.name = Facts::tr("Changes"),
                      .value = Facts::tr("%Ln wait(s) for you to apply or discard", "", int(record.waiting)),
                      .colour = Colour::Warn,
                      .way = Facts::tr("Review…")});
    if (record.isHalfUndone)
        facts.append({.name = Facts::tr("Changes"),
                      .value = Facts::tr("Glovebox ended while it undid them"),
                      .colour = Colour::Warn,
                      .way = Facts::tr("Review…")});
    if (!record.isFinished()) {
        facts.append(
            {Facts::tr("State"), Facts::tr("The run goes on, or Glovebox was killed: its next start then marks "
                                           "the run interrupted.")});
    } else {
        addTried(record, facts);
        if (!nothingRan(record.result.outcome)) {
            facts.append({Facts::tr("Exit status"), record.isBroken ? Facts::tr("not known") : endOf(record.result)});
            addUsage(record, facts);
        }
        if (!record.result.controls.isEmpty())
            facts.append(isolation(record.result.controls));
        for (const RunEvent &event : record.result.events) {
            if (!record.policy || !isTried(event.type))
                facts.append({Facts::tr("Noted"), translated(event.detail), Colour::Warn});
        }
        if (!nothingRan(record.result.outcome)) {
            facts.append({Facts::tr("Output"), printed(record.out, record)});
            facts.append({Facts::tr("Errors"), printed(record.err, record)});
        }
    }
    addCalls(record.calls, facts);
    facts.append({Facts::tr("Language"), record.row.language, Colour::Text, true});
    facts.append({Facts::tr("Code"), sizeWord(record.code.bytes)});
    if (!record.scrubbed.isEmpty())
        facts.append({Facts::tr("Code"), scrubbedRemark(record), Colour::Warn});
    if (record.isFinished() && nothingRan(record.result.outcome))
        facts.append({Facts::tr("Asked for"),
                      Facts::tr("The code never ran, so it had no host, folder or secret named below.")});
    if (record.policy)
        facts.append({Facts::tr("Limits"), limitsOf(*record.policy)});
    for (const FolderGrant &folder : record.policy ? record.policy->folders : QList<FolderGrant>())
        facts.append({Facts::tr("Folder"), folderOf(folder),
                      folder.mode == FolderGrant::Mode::ReadWrite ? Colour::Warn : Colour::Text});
    addDecisions(record.decisions, facts);
    for (const QJsonObject &entry : record.others)
        facts.append({entry["kind"_L1].toString(), shownLine(shownField(ownFields(entry)))});
    for (const SecretGrant &secret : record.secrets)
        facts.append({Facts::tr("Secret"), secretOf(secret)});
    if (!record.variables.isEmpty())
        facts.append({Facts::tr("Variables"), shownLine(record.variables.join(u", "_s)), Colour::Text, true});
    if (!record.interpreter.isEmpty())
        facts.append({Facts::tr("Interpreter"), shownLine(record.interpreter), Colour::Text, true});
    if (record.terminal)
        facts.append({Facts::tr("Terminal"),
                      Facts::tr("%1 columns, %2 rows").arg(record.terminal->width()).arg(record.terminal->height())});
    if (record.answer)
        facts.append(
            {Facts::tr("Answer"), answerOf(*record.answer), record.answer->isAllowed ? Colour::Text : Colour::Warn});
    facts.append({Facts::tr("Caller"), callerOf(record)});
    if (!record.row.session.isEmpty())
        facts.append({Facts::tr("Session"), record.row.session, Colour::Text, true});
    facts.append({Facts::tr("Sealed by"), record.row.backend, Colour::Text, true});
    facts.append({Facts::tr("Run"), record.row.run, Colour::Text, true});
    facts.append({record.isFinished() ? Facts::tr("Entries") : Facts::tr("Entry"),
                  record.isFinished() ? u"#%1 · #%2"_s.arg(record.row.seq).arg(record.row.finishedSeq)
                                      : u"#%1"_s.arg(record.row.seq),
                  Colour::Text, true});
    return facts;
}

SummaryView::SummaryView(QWidget *parent)
    : QScrollArea(parent)
{
    scrollDownOnly(this, Colour::Raised);
}

void SummaryView::setFacts(const QList<SummaryFact> &facts)
{
    auto *sheet = new QWidget;
    setBackground(sheet, Colour::Raised);
    auto *grid = new QGridLayout(sheet);
    grid->setContentsMargins(Space::l, 0, Space::l, Space::l);
    grid->setHorizontalSpacing(Space::l);
    grid->setVerticalSpacing(0);
    grid->setColumnStretch(1, 1);
    int row = 0;
    for (const SummaryFact &fact : facts) {
        QLabel *name = makeLabel(fact.name, sheet, FontRole::Base, Colour::Dim);
        name->setWordWrap(false);
        QLabel *value = makeLabel(fact.value, sheet, fact.isData ? FontRole::Code : FontRole::Base, fact.colour);
        if (fact.isData)
            markAsData(value);
        for (QLabel *label : {name, value})
            label->setContentsMargins(0, Space::s, 0, Space::s);
        grid->addWidget(name, row, 0, Qt::AlignTop);
        grid->addWidget(value, row, 1, 1, fact.way.isEmpty() ? 2 : 1);
        if (!fact.way.isEmpty()) {
            auto *way = makeButton(fact.way, u"history.summary.review"_s, sheet, Facts::tr("Review the changes"));
            setLook(way, ButtonLook::Link);
            connect(way, &QPushButton::clicked, this, &SummaryView::changesWanted);
            grid->addWidget(way, row, 2);
        }
        grid->addWidget(makeRule(Qt::Horizontal, sheet), row + 1, 0, 1, 3);
        row += 2;
    }
    grid->setRowStretch(row, 1);
    setWidget(sheet); // deletes the one before
}

} // namespace glovebox
