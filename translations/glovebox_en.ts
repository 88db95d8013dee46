<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>Doctor</name>
    <message numerus="yes">
        <source>%Ln are enforced from outside</source>
        <translation>
            <numerusform>%Ln is enforced from outside</numerusform>
            <numerusform>%Ln are enforced from outside</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln are weaker than asked for</source>
        <translation>
            <numerusform>%Ln is weaker than asked for</numerusform>
            <numerusform>%Ln are weaker than asked for</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Facts</name>
    <message numerus="yes">
        <source>%Ln process(es)</source>
        <translation>
            <numerusform>%Ln process</numerusform>
            <numerusform>%Ln processes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln applied to %1</source>
        <translation>
            <numerusform>%Ln applied to %1</numerusform>
            <numerusform>%Ln applied to %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln wait(s) for you to apply or discard</source>
        <translation>
            <numerusform>%Ln waits for you to apply or discard</numerusform>
            <numerusform>%Ln wait for you to apply or discard</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln discarded from the copy of %1</source>
        <translation>
            <numerusform>%Ln discarded from the copy of %1</numerusform>
            <numerusform>%Ln discarded from the copy of %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln undone in %1</source>
        <translation>
            <numerusform>%Ln undone in %1</numerusform>
            <numerusform>%Ln undone in %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln being undone in %1</source>
        <translation>
            <numerusform>%Ln being undone in %1</numerusform>
            <numerusform>%Ln being undone in %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln being applied to %1</source>
        <translation>
            <numerusform>%Ln being applied to %1</numerusform>
            <numerusform>%Ln being applied to %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln being discarded from the copy of %1</source>
        <translation>
            <numerusform>%Ln being discarded from the copy of %1</numerusform>
            <numerusform>%Ln being discarded from the copy of %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>, %Ln refused</source>
        <translation>
            <numerusform>, %Ln refused</numerusform>
            <numerusform>, %Ln refused</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>HiddenText</name>
    <message numerus="yes">
        <source>This code has %Ln character(s) that hide or reorder text. The first is %1 in line %2. The code that runs might differ from what you read.</source>
        <translation>
            <numerusform>This code has %Ln character that hides or reorders text. The first is %1 in line %2. The code that runs might differ from what you read.</numerusform>
            <numerusform>This code has %Ln characters that hide or reorder text. The first is %1 in line %2. The code that runs might differ from what you read.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Limits</name>
    <message numerus="yes">
        <source>%Ln process(es)</source>
        <translation>
            <numerusform>%Ln process</numerusform>
            <numerusform>%Ln processes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln processor(s)</source>
        <translation>
            <numerusform>%Ln processor</numerusform>
            <numerusform>%Ln processors</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RunStory</name>
    <message numerus="yes">
        <source>The run started %Ln more process(es) or thread(s).</source>
        <translation>
            <numerusform>The run started %Ln more process or thread.</numerusform>
            <numerusform>The run started %Ln more processes or threads.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Since its start, the interpreter started %Ln more process(es) or thread(s).</source>
        <translation>
            <numerusform>Since its start, the interpreter started %Ln more process or thread.</numerusform>
            <numerusform>Since its start, the interpreter started %Ln more processes or threads.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 and %Ln more</source>
        <translation>
            <numerusform>%1 and %Ln more</numerusform>
            <numerusform>%1 and %Ln more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SecretWords</name>
    <message numerus="yes">
        <source>%1 and %Ln more</source>
        <comment>secrets</comment>
        <translation>
            <numerusform>%1 and %Ln more</numerusform>
            <numerusform>%1 and %Ln more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln secret(s) %1</source>
        <comment>shown as &quot;secrets A, B&quot;: what a run may use</comment>
        <translation>
            <numerusform>secret %1</numerusform>
            <numerusform>secrets %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SessionWords</name>
    <message numerus="yes">
        <source>%Ln day(s)</source>
        <translation>
            <numerusform>%Ln day</numerusform>
            <numerusform>%Ln days</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln hour(s)</source>
        <translation>
            <numerusform>%Ln hour</numerusform>
            <numerusform>%Ln hours</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s), %1 of %2</source>
        <translation>
            <numerusform>%Ln file, %1 of %2</numerusform>
            <numerusform>%Ln files, %1 of %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::AgentsPage</name>
    <message numerus="yes">
        <source>%Ln run(s) of agents are going on in this window; closing stops them.</source>
        <translation>
            <numerusform>%Ln run of agents is going on in this window; closing stops it.</numerusform>
            <numerusform>%Ln runs of agents are going on in this window; closing stops them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln wait(s) for you</source>
        <translation>
            <numerusform>%Ln waits for you</numerusform>
            <numerusform>%Ln wait for you</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln question(s) of agents wait; closing denies them.</source>
        <translation>
            <numerusform>%Ln question of an agent waits; closing denies it.</numerusform>
            <numerusform>%Ln questions of agents wait; closing denies them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln question(s) of agents wait for your answer.</source>
        <translation>
            <numerusform>%Ln question of an agent waits for your answer.</numerusform>
            <numerusform>%Ln questions of agents wait for your answer.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 is removed; %Ln run(s) of it ended.</source>
        <translation>
            <numerusform>%1 is removed; %Ln run of it ended.</numerusform>
            <numerusform>%1 is removed; %Ln runs of it ended.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::ArtifactsTab</name>
    <message numerus="yes">
        <source>%Ln file(s) of a run are being saved; closing leaves out those that aren&apos;t yet.</source>
        <translation>
            <numerusform>%Ln file of a run is being saved; closing cancels that.</numerusform>
            <numerusform>%Ln files of a run are being saved; closing leaves out those that aren&apos;t yet.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Saving %Ln file(s) in %1…</source>
        <translation>
            <numerusform>Saving %Ln file in %1…</numerusform>
            <numerusform>Saving %Ln files in %1…</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cancelled: %Ln of %1 file(s) saved in %2.</source>
        <translation>
            <numerusform>Cancelled: %Ln of %1 files saved in %2.</numerusform>
            <numerusform>Cancelled: %Ln of %1 files saved in %2.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s), %1 together, as the run left them.</source>
        <translation>
            <numerusform>%Ln file, %1, as the run left it.</numerusform>
            <numerusform>%Ln files, %1 together, as the run left them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s) saved in %1.</source>
        <translation>
            <numerusform>%Ln file saved in %1.</numerusform>
            <numerusform>%Ln files saved in %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All %Ln file(s) are as they were kept.</source>
        <translation>
            <numerusform>The %Ln file is as it was kept.</numerusform>
            <numerusform>All %Ln files are as they were kept.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>▲ %Ln file(s) were changed or removed since they were kept.</source>
        <translation>
            <numerusform>▲ %Ln file was changed or removed since it was kept.</numerusform>
            <numerusform>▲ %Ln files were changed or removed since they were kept.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::AttackPanel</name>
    <message numerus="yes">
        <source>%1 of %2 attacks were refused; nothing is known of %Ln other(s).</source>
        <translation>
            <numerusform>%1 of %2 attacks were refused; nothing is known of %Ln other.</numerusform>
            <numerusform>%1 of %2 attacks were refused; nothing is known of %Ln others.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::BenchPage</name>
    <message numerus="yes">
        <source>%Ln cursors</source>
        <translation>
            <numerusform>%Ln cursor</numerusform>
            <numerusform>%Ln cursors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The keys act at %Ln places; a click goes back to one</source>
        <translation>
            <numerusform>The keys act at %Ln place; a click goes back to one</numerusform>
            <numerusform>The keys act at %Ln places; a click goes back to one</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln running</source>
        <translation>
            <numerusform>%Ln running</numerusform>
            <numerusform>%Ln running</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) going on</source>
        <translation>
            <numerusform>%Ln run going on</numerusform>
            <numerusform>%Ln runs going on</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) are going on; closing stops them.</source>
        <translation>
            <numerusform>%Ln run is going on; closing stops it.</numerusform>
            <numerusform>%Ln runs are going on; closing stops them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln interpreter(s) in sessions keep variables; closing ends them, and these are gone.</source>
        <translation>
            <numerusform>%Ln interpreter in a session keeps variables; closing ends it, and these are gone.</numerusform>
            <numerusform>%Ln interpreters in sessions keep variables; closing ends them, and these are gone.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) of this tab are going on; closing it stops them.</source>
        <translation>
            <numerusform>%Ln run of this tab is going on; closing it stops it.</numerusform>
            <numerusform>%Ln runs of this tab are going on; closing it stops them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The unsaved text of %Ln tab(s) would be lost; save it to a file first.</source>
        <translation>
            <numerusform>The unsaved text of %Ln tab would be lost; save it to a file first.</numerusform>
            <numerusform>The unsaved text of %Ln tabs would be lost; save it to a file first.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::BlockedLine</name>
    <message numerus="yes">
        <source>%Ln host(s).</source>
        <translation>
            <numerusform>%Ln host.</numerusform>
            <numerusform>%Ln hosts.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::CallList</name>
    <message numerus="yes">
        <source>%Ln call(s) since this window opened; the latest are listed. The log has the runs.</source>
        <translation>
            <numerusform>%Ln call since this window opened; the latest are listed. The log has the runs.</numerusform>
            <numerusform>%Ln calls since this window opened; the latest are listed. The log has the runs.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln call(s) since this window opened. The log has the runs.</source>
        <translation>
            <numerusform>%Ln call since this window opened. The log has the runs.</numerusform>
            <numerusform>%Ln calls since this window opened. The log has the runs.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::ChangesTab</name>
    <message numerus="yes">
        <source>Checking %Ln change(s)…</source>
        <translation>
            <numerusform>Checking %Ln change…</numerusform>
            <numerusform>Checking %Ln changes…</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Checking %Ln change(s), %1…</source>
        <translation>
            <numerusform>Checking %Ln change, %1…</numerusform>
            <numerusform>Checking %Ln changes, %1…</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln change(s) can be undone until others are applied.</source>
        <translation>
            <numerusform>%Ln change can be undone until others are applied.</numerusform>
            <numerusform>%Ln changes can be undone until others are applied.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Put %Ln change(s) into %1?</source>
        <translation>
            <numerusform>Put %Ln change into %1?</numerusform>
            <numerusform>Put %Ln changes into %1?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>▲ %Ln of them is marked: review it first.</source>
        <translation>
            <numerusform>▲ %Ln of them is marked: review it first.</numerusform>
            <numerusform>▲ %Ln of them are marked: review them first.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln other(s) go(es) on waiting.</source>
        <translation>
            <numerusform>%Ln other goes on waiting.</numerusform>
            <numerusform>%Ln others go on waiting.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln change(s) undone in the original.</source>
        <translation>
            <numerusform>%Ln change undone in the original.</numerusform>
            <numerusform>%Ln changes undone in the original.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>▲ %Ln more could not be done.</source>
        <translation>
            <numerusform>▲ %Ln more could not be done.</numerusform>
            <numerusform>▲ %Ln more could not be done.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln change(s) in the copy of %1 wait(s) for you.</source>
        <translation>
            <numerusform>%Ln change in the copy of %1 waits for you.</numerusform>
            <numerusform>%Ln changes in the copy of %1 wait for you.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln change(s) applied to the original.</source>
        <translation>
            <numerusform>%Ln change applied to the original.</numerusform>
            <numerusform>%Ln changes applied to the original.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>▲ Glovebox ended while it applied these %Ln change(s), so some may be in %1. Apply them again: what is there already stays as it is.</source>
        <translation>
            <numerusform>▲ Glovebox ended while it applied %Ln change, so it may be in %1. Apply it again: what is there already stays as it is.</numerusform>
            <numerusform>▲ Glovebox ended while it applied these %Ln changes, so some may be in %1. Apply them again: what is there already stays as it is.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::CodeSearch</name>
    <message numerus="yes">
        <source>%Ln match(es)</source>
        <translation>
            <numerusform>%Ln match</numerusform>
            <numerusform>%Ln matches</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln replaced</source>
        <translation>
            <numerusform>%Ln replaced</numerusform>
            <numerusform>%Ln replaced</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::DoctorPage</name>
    <message numerus="yes">
        <source>and %Ln more</source>
        <comment>weak protections</comment>
        <translation>
            <numerusform>and %Ln more</numerusform>
            <numerusform>and %Ln more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln protection(s) are weaker.</source>
        <translation>
            <numerusform>%Ln protection is weaker.</numerusform>
            <numerusform>%Ln protections are weaker.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::FilterBar</name>
    <message numerus="yes">
        <source>With %Ln package run(s)</source>
        <comment>that are hidden now</comment>
        <translation>
            <numerusform>With %Ln package run</numerusform>
            <numerusform>With %Ln package runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::FolderEditor</name>
    <message numerus="yes">
        <source>%Ln folder(s)</source>
        <translation>
            <numerusform>%Ln folder</numerusform>
            <numerusform>%Ln folders</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::GettingBar</name>
    <message numerus="yes">
        <source>%Ln more have install scripts. To have one run, in a terminal: glovebox run or glovebox session install, with --allow-scripts NAME</source>
        <comment>packages</comment>
        <translation>
            <numerusform>%Ln more has an install script. To have it run, in a terminal: glovebox run or glovebox session install, with --allow-scripts NAME</numerusform>
            <numerusform>%Ln more have install scripts. To have one run, in a terminal: glovebox run or glovebox session install, with --allow-scripts NAME</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::HistoryPage</name>
    <message numerus="yes">
        <source>%Ln new run(s) above</source>
        <translation>
            <numerusform>%Ln new run above</numerusform>
            <numerusform>%Ln new runs above</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Changes of %Ln run(s) wait</source>
        <translation>
            <numerusform>Changes of %Ln run wait</numerusform>
            <numerusform>Changes of %Ln runs wait</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) match</source>
        <translation>
            <numerusform>%Ln run matches</numerusform>
            <numerusform>%Ln runs match</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s)</source>
        <translation>
            <numerusform>%Ln run</numerusform>
            <numerusform>%Ln runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln new run(s)</source>
        <translation>
            <numerusform>%Ln new run</numerusform>
            <numerusform>%Ln new runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln run(s) of Glovebox&apos;s own code are hidden, which got packages.</source>
        <translation>
            <numerusform>%Ln run of Glovebox&apos;s own code is hidden, which got packages.</numerusform>
            <numerusform>%Ln runs of Glovebox&apos;s own code are hidden, which got packages.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::HostEditor</name>
    <message numerus="yes">
        <source>%Ln host(s)</source>
        <translation>
            <numerusform>%Ln host</numerusform>
            <numerusform>%Ln hosts</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::JobsPanel</name>
    <message numerus="yes">
        <source>%Ln running</source>
        <comment>jobs</comment>
        <translation>
            <numerusform>%Ln running</numerusform>
            <numerusform>%Ln running</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::KeptReader</name>
    <message numerus="yes">
        <source>%Ln match(es)</source>
        <translation>
            <numerusform>%Ln match</numerusform>
            <numerusform>%Ln matches</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::LeakMarks</name>
    <message numerus="yes">
        <source>%Ln places look like secrets; the first is in line %1: %2.</source>
        <translation>
            <numerusform>%Ln place looks like a secret; it is in line %1: %2.</numerusform>
            <numerusform>%Ln places look like secrets; the first is in line %1: %2.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::NetworkTab</name>
    <message numerus="yes">
        <source>%Ln attempt(s) to use the network</source>
        <translation>
            <numerusform>%Ln attempt to use the network</numerusform>
            <numerusform>%Ln attempts to use the network</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln place(s) inside of itself</source>
        <comment>that the run connected to</comment>
        <translation>
            <numerusform>%Ln place inside of itself</numerusform>
            <numerusform>%Ln places inside of itself</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::PackageTable</name>
    <message numerus="yes">
        <source>%Ln that these need</source>
        <comment>packages</comment>
        <translation>
            <numerusform>%Ln that these need</numerusform>
            <numerusform>%Ln that these need</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::PackagesPanel</name>
    <message numerus="yes">
        <source>%Ln, as locked</source>
        <comment>packages</comment>
        <translation>
            <numerusform>%Ln, as locked</numerusform>
            <numerusform>%Ln, as locked</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::PolicySentence</name>
    <message numerus="yes">
        <source>and %Ln more</source>
        <translation>
            <numerusform>and %Ln more</numerusform>
            <numerusform>and %Ln more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln argument(s)</source>
        <translation>
            <numerusform>%Ln argument</numerusform>
            <numerusform>%Ln arguments</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln variable(s)</source>
        <translation>
            <numerusform>%Ln variable</numerusform>
            <numerusform>%Ln variables</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::Rail</name>
    <message numerus="yes">
        <source>%1, %Ln wait(s) for you</source>
        <translation>
            <numerusform>%1, %Ln waits for you</numerusform>
            <numerusform>%1, %Ln wait for you</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::RetentionRow</name>
    <message numerus="yes">
        <source>%Ln days</source>
        <translation>
            <numerusform>%Ln day</numerusform>
            <numerusform>%Ln days</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln runs older than %1: %2.</source>
        <translation>
            <numerusform>%Ln run older than %1: %2.</numerusform>
            <numerusform>%Ln runs older than %1: %2.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete code, output and files of %Ln runs? They can&apos;t be restored.</source>
        <translation>
            <numerusform>Delete code, output and files of %Ln run? They can&apos;t be restored.</numerusform>
            <numerusform>Delete code, output and files of %Ln runs? They can&apos;t be restored.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln files stay, as they were stored within the last hour. Delete them in an hour.</source>
        <translation>
            <numerusform>%Ln file stays, as it was stored within the last hour. Delete it in an hour.</numerusform>
            <numerusform>%Ln files stay, as they were stored within the last hour. Delete them in an hour.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Deleted what %Ln runs left: %1 freed.</source>
        <translation>
            <numerusform>Deleted what %Ln run left: %1 freed.</numerusform>
            <numerusform>Deleted what %Ln runs left: %1 freed.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::RunPanel</name>
    <message numerus="yes">
        <source>Copied all %Ln line(s).</source>
        <translation>
            <numerusform>Copied the one line.</numerusform>
            <numerusform>Copied all %Ln lines.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Waiting: %Ln run(s) before it</source>
        <translation>
            <numerusform>Waiting: %Ln run before it</numerusform>
            <numerusform>Waiting: %Ln runs before it</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 and %Ln more</source>
        <comment>names of tabs</comment>
        <translation>
            <numerusform>%1 and %Ln more</numerusform>
            <numerusform>%1 and %Ln more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1; %Ln run(s) before it</source>
        <translation>
            <numerusform>%1; %Ln run before it</numerusform>
            <numerusform>%1; %Ln runs before it</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::RunsModel</name>
    <message numerus="yes">
        <source>The run was kept from %Ln place(s).</source>
        <translation>
            <numerusform>The run was kept from %Ln place.</numerusform>
            <numerusform>The run was kept from %Ln places.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::SecretPane</name>
    <message numerus="yes">
        <source>Used by %Ln run(s), last on %1</source>
        <translation>
            <numerusform>Used by %Ln run, last on %1</numerusform>
            <numerusform>Used by %Ln runs, last on %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::SessionDeeds</name>
    <message numerus="yes">
        <source>Copying %Ln file(s) or folder(s) into the session</source>
        <translation>
            <numerusform>Copying %Ln file or folder into the session</numerusform>
            <numerusform>Copying %Ln files or folders into the session</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s) or folder(s) copied into the session.</source>
        <translation>
            <numerusform>%Ln file or folder copied into the session.</numerusform>
            <numerusform>%Ln files or folders copied into the session.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s) saved as %1.</source>
        <translation>
            <numerusform>%Ln file saved as %1.</numerusform>
            <numerusform>%Ln files saved as %1.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::SessionPane</name>
    <message numerus="yes">
        <source>%Ln file(s)</source>
        <translation>
            <numerusform>%Ln file</numerusform>
            <numerusform>%Ln files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %1? Its files and %Ln snapshot(s) go, and nobody can bring them back.</source>
        <translation>
            <numerusform>Delete %1? Its files and %Ln snapshot go, and nobody can bring them back.</numerusform>
            <numerusform>Delete %1? Its files and %Ln snapshots go, and nobody can bring them back.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::SessionsModel</name>
    <message numerus="yes">
        <source>%Ln file(s)</source>
        <translation>
            <numerusform>%Ln file</numerusform>
            <numerusform>%Ln files</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::SessionsPage</name>
    <message numerus="yes">
        <source>%Ln session(s)</source>
        <translation>
            <numerusform>%Ln session</numerusform>
            <numerusform>%Ln sessions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::SnapshotsPanel</name>
    <message numerus="yes">
        <source>Going back to snapshot %1 changes %Ln file(s) or folder(s). Snapshot %2 keeps what is there now.</source>
        <translation>
            <numerusform>Going back to snapshot %1 changes %Ln file or folder. Snapshot %2 keeps what is there now.</numerusform>
            <numerusform>Going back to snapshot %1 changes %Ln files or folders. Snapshot %2 keeps what is there now.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln file(s) or folder(s)</source>
        <translation>
            <numerusform>%Ln file or folder</numerusform>
            <numerusform>%Ln files or folders</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::StoryCard</name>
    <message numerus="yes">
        <source>and %Ln more</source>
        <translation>
            <numerusform>and %Ln more</numerusform>
            <numerusform>and %Ln more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln more fact(s) about this run</source>
        <translation>
            <numerusform>%Ln more fact about this run</numerusform>
            <numerusform>%Ln more facts about this run</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::ToolEditor</name>
    <message numerus="yes">
        <source>%Ln tool(s)</source>
        <translation>
            <numerusform>%Ln tool</numerusform>
            <numerusform>%Ln tools</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::VaultPage</name>
    <message numerus="yes">
        <source>%Ln secret(s)</source>
        <translation>
            <numerusform>%Ln secret</numerusform>
            <numerusform>%Ln secrets</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln secret(s) added.</source>
        <translation>
            <numerusform>%Ln secret added.</numerusform>
            <numerusform>%Ln secrets added.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln secret(s) added. These could not be: %1</source>
        <translation>
            <numerusform>%Ln secret added. These could not be: %1</numerusform>
            <numerusform>%Ln secrets added. These could not be: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%Ln value(s) belong to no secret: %1.</source>
        <translation>
            <numerusform>%Ln value belongs to no secret: %1.</numerusform>
            <numerusform>%Ln values belong to no secret: %1.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>words</name>
    <message numerus="yes">
        <source>%Ln byte(s)</source>
        <translation>
            <numerusform>%Ln byte</numerusform>
            <numerusform>%Ln bytes</numerusform>
        </translation>
    </message>
</context>
</TS>
