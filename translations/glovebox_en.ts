<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>Doctor</name>
    <message numerus="yes">
        <source>%n are enforced from outside</source>
        <translation>
            <numerusform>%n is enforced from outside</numerusform>
            <numerusform>%n are enforced from outside</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n are weaker than asked for</source>
        <translation>
            <numerusform>%n is weaker than asked for</numerusform>
            <numerusform>%n are weaker than asked for</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Facts</name>
    <message numerus="yes">
        <source>%n process(es)</source>
        <translation>
            <numerusform>%n process</numerusform>
            <numerusform>%n processes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n applied to %1</source>
        <translation>
            <numerusform>%n applied to %1</numerusform>
            <numerusform>%n applied to %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n wait(s) for you to apply or discard</source>
        <translation>
            <numerusform>%n waits for you to apply or discard</numerusform>
            <numerusform>%n wait for you to apply or discard</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n discarded from the copy of %1</source>
        <translation>
            <numerusform>%n discarded from the copy of %1</numerusform>
            <numerusform>%n discarded from the copy of %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n undone in %1</source>
        <translation>
            <numerusform>%n undone in %1</numerusform>
            <numerusform>%n undone in %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n being undone in %1</source>
        <translation>
            <numerusform>%n being undone in %1</numerusform>
            <numerusform>%n being undone in %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n being applied to %1</source>
        <translation>
            <numerusform>%n being applied to %1</numerusform>
            <numerusform>%n being applied to %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n being discarded from the copy of %1</source>
        <translation>
            <numerusform>%n being discarded from the copy of %1</numerusform>
            <numerusform>%n being discarded from the copy of %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>, %n refused</source>
        <translation>
            <numerusform>, %n refused</numerusform>
            <numerusform>, %n refused</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>HiddenText</name>
    <message numerus="yes">
        <source>This code has %n character(s) that hide or reorder text. The first is %1 in line %2. The code that runs might differ from what you read.</source>
        <translation>
            <numerusform>This code has %n character that hides or reorders text. The first is %1 in line %2. The code that runs might differ from what you read.</numerusform>
            <numerusform>This code has %n characters that hide or reorder text. The first is %1 in line %2. The code that runs might differ from what you read.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Limits</name>
    <message numerus="yes">
        <source>%n process(es)</source>
        <translation>
            <numerusform>%n process</numerusform>
            <numerusform>%n processes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n processor(s)</source>
        <translation>
            <numerusform>%n processor</numerusform>
            <numerusform>%n processors</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RunStory</name>
    <message numerus="yes">
        <source>The run started %n more process(es) or thread(s).</source>
        <translation>
            <numerusform>The run started %n more process or thread.</numerusform>
            <numerusform>The run started %n more processes or threads.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Since its start, the interpreter started %n more process(es) or thread(s).</source>
        <translation>
            <numerusform>Since its start, the interpreter started %n more process or thread.</numerusform>
            <numerusform>Since its start, the interpreter started %n more processes or threads.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 and %n more</numerusform>
            <numerusform>%1 and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SecretWords</name>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <comment>secrets</comment>
        <translation>
            <numerusform>%1 and %n more</numerusform>
            <numerusform>%1 and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n secret(s) %1</source>
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
        <source>%n day(s)</source>
        <translation>
            <numerusform>%n day</numerusform>
            <numerusform>%n days</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hour(s)</source>
        <translation>
            <numerusform>%n hour</numerusform>
            <numerusform>%n hours</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s), %1 of %2</source>
        <translation>
            <numerusform>%n file, %1 of %2</numerusform>
            <numerusform>%n files, %1 of %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::AgentsPage</name>
    <message numerus="yes">
        <source>%n run(s) of agents are going on in this window; closing stops them.</source>
        <translation>
            <numerusform>%n run of agents is going on in this window; closing stops it.</numerusform>
            <numerusform>%n runs of agents are going on in this window; closing stops them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n wait(s) for you</source>
        <translation>
            <numerusform>%n waits for you</numerusform>
            <numerusform>%n wait for you</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n question(s) of agents wait; closing denies them.</source>
        <translation>
            <numerusform>%n question of an agent waits; closing denies it.</numerusform>
            <numerusform>%n questions of agents wait; closing denies them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n question(s) of agents wait for your answer.</source>
        <translation>
            <numerusform>%n question of an agent waits for your answer.</numerusform>
            <numerusform>%n questions of agents wait for your answer.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 is removed; %n run(s) of it ended.</source>
        <translation>
            <numerusform>%1 is removed; %n run of it ended.</numerusform>
            <numerusform>%1 is removed; %n runs of it ended.</numerusform>
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
        <source>%n file(s), %1 together, as the run left them.</source>
        <translation>
            <numerusform>%n file, %1, as the run left it.</numerusform>
            <numerusform>%n files, %1 together, as the run left them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) saved in %1.</source>
        <translation>
            <numerusform>%n file saved in %1.</numerusform>
            <numerusform>%n files saved in %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All %n file(s) are as they were kept.</source>
        <translation>
            <numerusform>The %n file is as it was kept.</numerusform>
            <numerusform>All %n files are as they were kept.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>▲ %n file(s) were changed or removed since they were kept.</source>
        <translation>
            <numerusform>▲ %n file was changed or removed since it was kept.</numerusform>
            <numerusform>▲ %n files were changed or removed since they were kept.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::AttackPanel</name>
    <message numerus="yes">
        <source>%1 of %2 attacks were refused; nothing is known of %n other(s).</source>
        <translation>
            <numerusform>%1 of %2 attacks were refused; nothing is known of %n other.</numerusform>
            <numerusform>%1 of %2 attacks were refused; nothing is known of %n others.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::BenchPage</name>
    <message numerus="yes">
        <source>%n cursors</source>
        <translation>
            <numerusform>%n cursor</numerusform>
            <numerusform>%n cursors</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The keys act at %n places; a click goes back to one</source>
        <translation>
            <numerusform>The keys act at %n place; a click goes back to one</numerusform>
            <numerusform>The keys act at %n places; a click goes back to one</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n running</source>
        <translation>
            <numerusform>%n running</numerusform>
            <numerusform>%n running</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) going on</source>
        <translation>
            <numerusform>%n run going on</numerusform>
            <numerusform>%n runs going on</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) are going on; closing stops them.</source>
        <translation>
            <numerusform>%n run is going on; closing stops it.</numerusform>
            <numerusform>%n runs are going on; closing stops them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n interpreter(s) in sessions keep variables; closing ends them, and these are gone.</source>
        <translation>
            <numerusform>%n interpreter in a session keeps variables; closing ends it, and these are gone.</numerusform>
            <numerusform>%n interpreters in sessions keep variables; closing ends them, and these are gone.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) of this tab are going on; closing it stops them.</source>
        <translation>
            <numerusform>%n run of this tab is going on; closing it stops it.</numerusform>
            <numerusform>%n runs of this tab are going on; closing it stops them.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The unsaved text of %n tab(s) would be lost; save it to a file first.</source>
        <translation>
            <numerusform>The unsaved text of %n tab would be lost; save it to a file first.</numerusform>
            <numerusform>The unsaved text of %n tabs would be lost; save it to a file first.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::BlockedLine</name>
    <message numerus="yes">
        <source>%n host(s).</source>
        <translation>
            <numerusform>%n host.</numerusform>
            <numerusform>%n hosts.</numerusform>
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
        <source>%n match(es)</source>
        <translation>
            <numerusform>%n match</numerusform>
            <numerusform>%n matches</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n replaced</source>
        <translation>
            <numerusform>%n replaced</numerusform>
            <numerusform>%n replaced</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::DoctorPage</name>
    <message numerus="yes">
        <source>and %n more</source>
        <comment>weak protections</comment>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n protection(s) are weaker.</source>
        <translation>
            <numerusform>%n protection is weaker.</numerusform>
            <numerusform>%n protections are weaker.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::FolderEditor</name>
    <message numerus="yes">
        <source>%n folder(s)</source>
        <translation>
            <numerusform>%n folder</numerusform>
            <numerusform>%n folders</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::GettingBar</name>
    <message numerus="yes">
        <source>%n more have install scripts. To have one run, in a terminal: glovebox run or glovebox session install, with --allow-scripts NAME</source>
        <comment>packages</comment>
        <translation>
            <numerusform>%n more has an install script. To have it run, in a terminal: glovebox run or glovebox session install, with --allow-scripts NAME</numerusform>
            <numerusform>%n more have install scripts. To have one run, in a terminal: glovebox run or glovebox session install, with --allow-scripts NAME</numerusform>
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
</context>
<context>
    <name>glovebox::HostEditor</name>
    <message numerus="yes">
        <source>%n host(s)</source>
        <translation>
            <numerusform>%n host</numerusform>
            <numerusform>%n hosts</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::JobsPanel</name>
    <message numerus="yes">
        <source>%n running</source>
        <comment>jobs</comment>
        <translation>
            <numerusform>%n running</numerusform>
            <numerusform>%n running</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::KeptReader</name>
    <message numerus="yes">
        <source>%n match(es)</source>
        <translation>
            <numerusform>%n match</numerusform>
            <numerusform>%n matches</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::LeakMarks</name>
    <message numerus="yes">
        <source>%n places look like secrets; the first is in line %1: %2.</source>
        <translation>
            <numerusform>%n place looks like a secret; it is in line %1: %2.</numerusform>
            <numerusform>%n places look like secrets; the first is in line %1: %2.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::NetworkTab</name>
    <message numerus="yes">
        <source>%n attempt(s) to use the network</source>
        <translation>
            <numerusform>%n attempt to use the network</numerusform>
            <numerusform>%n attempts to use the network</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::PackageTable</name>
    <message numerus="yes">
        <source>%n that these need</source>
        <comment>packages</comment>
        <translation>
            <numerusform>%n that these need</numerusform>
            <numerusform>%n that these need</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::PackagesPanel</name>
    <message numerus="yes">
        <source>%n, as locked</source>
        <comment>packages</comment>
        <translation>
            <numerusform>%n, as locked</numerusform>
            <numerusform>%n, as locked</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::PolicySentence</name>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n argument(s)</source>
        <translation>
            <numerusform>%n argument</numerusform>
            <numerusform>%n arguments</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n variable(s)</source>
        <translation>
            <numerusform>%n variable</numerusform>
            <numerusform>%n variables</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::Rail</name>
    <message numerus="yes">
        <source>%1, %n wait(s) for you</source>
        <translation>
            <numerusform>%1, %n waits for you</numerusform>
            <numerusform>%1, %n wait for you</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::RetentionRow</name>
    <message numerus="yes">
        <source>%n days</source>
        <translation>
            <numerusform>%n day</numerusform>
            <numerusform>%n days</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n runs older than %1: %2.</source>
        <translation>
            <numerusform>%n run older than %1: %2.</numerusform>
            <numerusform>%n runs older than %1: %2.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete code, output and files of %n runs? They can&apos;t be restored.</source>
        <translation>
            <numerusform>Delete code, output and files of %n run? They can&apos;t be restored.</numerusform>
            <numerusform>Delete code, output and files of %n runs? They can&apos;t be restored.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n files stay, as they were stored within the last hour. Delete them in an hour.</source>
        <translation>
            <numerusform>%n file stays, as it was stored within the last hour. Delete it in an hour.</numerusform>
            <numerusform>%n files stay, as they were stored within the last hour. Delete them in an hour.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Deleted what %n runs left: %1 freed.</source>
        <translation>
            <numerusform>Deleted what %n run left: %1 freed.</numerusform>
            <numerusform>Deleted what %n runs left: %1 freed.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::RunPanel</name>
    <message numerus="yes">
        <source>Copied all %n line(s).</source>
        <translation>
            <numerusform>Copied the one line.</numerusform>
            <numerusform>Copied all %n lines.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Waiting: %n run(s) before it</source>
        <translation>
            <numerusform>Waiting: %n run before it</numerusform>
            <numerusform>Waiting: %n runs before it</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <comment>names of tabs</comment>
        <translation>
            <numerusform>%1 and %n more</numerusform>
            <numerusform>%1 and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%1; %n run(s) before it</source>
        <translation>
            <numerusform>%1; %n run before it</numerusform>
            <numerusform>%1; %n runs before it</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::RunsModel</name>
    <message numerus="yes">
        <source>The run was kept from %n place(s).</source>
        <translation>
            <numerusform>The run was kept from %n place.</numerusform>
            <numerusform>The run was kept from %n places.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::SecretPane</name>
    <message numerus="yes">
        <source>Used by %n run(s), last on %1</source>
        <translation>
            <numerusform>Used by %n run, last on %1</numerusform>
            <numerusform>Used by %n runs, last on %1</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::SessionDeeds</name>
    <message numerus="yes">
        <source>Copying %n file(s) or folder(s) into the session</source>
        <translation>
            <numerusform>Copying %n file or folder into the session</numerusform>
            <numerusform>Copying %n files or folders into the session</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) or folder(s) copied into the session.</source>
        <translation>
            <numerusform>%n file or folder copied into the session.</numerusform>
            <numerusform>%n files or folders copied into the session.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) saved as %1.</source>
        <translation>
            <numerusform>%n file saved as %1.</numerusform>
            <numerusform>%n files saved as %1.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::SessionPane</name>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation>
            <numerusform>%n file</numerusform>
            <numerusform>%n files</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Delete %1? Its files and %n snapshot(s) go, and nobody can bring them back.</source>
        <translation>
            <numerusform>Delete %1? Its files and %n snapshot go, and nobody can bring them back.</numerusform>
            <numerusform>Delete %1? Its files and %n snapshots go, and nobody can bring them back.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::SessionsModel</name>
    <message numerus="yes">
        <source>%n file(s)</source>
        <translation>
            <numerusform>%n file</numerusform>
            <numerusform>%n files</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::SessionsPage</name>
    <message numerus="yes">
        <source>%n session(s)</source>
        <translation>
            <numerusform>%n session</numerusform>
            <numerusform>%n sessions</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::SnapshotsPanel</name>
    <message numerus="yes">
        <source>Going back to snapshot %1 changes %n file(s) or folder(s). Snapshot %2 keeps what is there now.</source>
        <translation>
            <numerusform>Going back to snapshot %1 changes %n file or folder. Snapshot %2 keeps what is there now.</numerusform>
            <numerusform>Going back to snapshot %1 changes %n files or folders. Snapshot %2 keeps what is there now.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) or folder(s)</source>
        <translation>
            <numerusform>%n file or folder</numerusform>
            <numerusform>%n files or folders</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::StoryCard</name>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n more fact(s) about this run</source>
        <translation>
            <numerusform>%n more fact about this run</numerusform>
            <numerusform>%n more facts about this run</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::ToolEditor</name>
    <message numerus="yes">
        <source>%n tool(s)</source>
        <translation>
            <numerusform>%n tool</numerusform>
            <numerusform>%n tools</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>glovebox::VaultPage</name>
    <message numerus="yes">
        <source>%n secret(s)</source>
        <translation>
            <numerusform>%n secret</numerusform>
            <numerusform>%n secrets</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n secret(s) added.</source>
        <translation>
            <numerusform>%n secret added.</numerusform>
            <numerusform>%n secrets added.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n secret(s) added. These could not be: %1</source>
        <translation>
            <numerusform>%n secret added. These could not be: %1</numerusform>
            <numerusform>%n secrets added. These could not be: %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n value(s) belong to no secret: %1.</source>
        <translation>
            <numerusform>%n value belongs to no secret: %1.</numerusform>
            <numerusform>%n values belong to no secret: %1.</numerusform>
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
