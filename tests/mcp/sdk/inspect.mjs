// SPDX-License-Identifier: Apache-2.0
// Calls every tool of `glovebox mcp` with the Inspector's command line, which is a program of its own for each call.
//
//   node inspect.mjs PACKAGES COMMAND [ARGUMENT...]
//
// Over standard input and output, where each call is another client, which knows no run of the one before; over HTTP where the arguments
// have --http. PACKAGES: the folder with node_modules. Exit status 1 when anything isn't as it should be.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [packages, command, ...args] = process.argv.slice(2);
const overHttp = args.includes('--http');
const home = mkdtempSync(join(tmpdir(), 'glovebox-inspect-'));
const env = { ...process.env, GLOVEBOX_HOME: home };
const toolError = 5; // the Inspector's exit status where a tool answers with isError

let server;
async function startServer() {
    const token = execFileSync(command, ['mcp', 'pair', 'inspector'], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    server = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const url = await new Promise((resolve, reject) => {
        server.on('exit', () => reject(new Error('the server ended')));
        let said = '';
        server.stderr.on('data', (bytes) => resolve((said += bytes).match(/http:\/\/127\.0\.0\.1:\d+\/mcp/)?.[0]));
    });
    return [url, '--transport', 'http', '--header', `Authorization: Bearer ${token}`];
}
const target = overHttp ? await startServer() : [command, ...args];

function inspect(words, status = 0) {
    const ended = spawnSync(process.execPath, [join(packages, 'node_modules/.bin/mcp-inspector'), '--cli', ...target, ...words, '--format', 'json'], { env, encoding: 'utf8' });
    assert.equal(ended.status, status, `${words.join(' ')}: ${ended.status}\n${ended.stdout}\n${ended.stderr}`);
    return ended.stdout ? JSON.parse(ended.stdout).result : undefined;
}
const call = (tool, its, status) => inspect(['--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(its)], status);
const structured = (tool, its) => call(tool, its).structuredContent;

let failures = 0;
function check(sentence, act) {
    try {
        act();
        console.log(`ok - ${sentence}`);
    } catch (error) {
        ++failures;
        console.log(`not ok - ${sentence}\n${error.stack ?? error}`);
    }
}

check('the server and its tools are seen', () => {
    assert.equal(inspect(['--method', 'initialize']).serverInfo.name, 'glovebox');
    assert.deepEqual(
        inspect(['--method', 'tools/list']).tools.map(({ name }) => name),
        ['run_code', 'wait_run', 'cancel_run', 'explain_run', 'sandbox_info', 'session', 'files', 'install_packages'],
    );
});
check('sandbox_info answers', () => assert.equal(structured('sandbox_info', {}).usable, true));
let run;
check('run_code runs', () => {
    run = structured('run_code', { language: 'python', code: 'print(6 * 7)' });
    assert.equal(run.stdout, '42\n');
});
for (const tool of ['wait_run', 'cancel_run', 'explain_run'])
    check(`${tool} answers about a run of the same client`, () => {
        const reply = call(tool, { run: run.run }, overHttp ? 0 : toolError);
        if (overHttp)
            assert.match(JSON.stringify(reply.structuredContent), /completed/);
        else
            assert.match(reply.content[0].text, /No run of yours/);
    });
check('a long run of the newest revision is a task, whose answer is fetched', () => {
    const its = JSON.stringify({ language: 'sh', code: 'sleep 6; echo woke' });
    const reply = inspect(['--protocol-era', 'modern', '--method', 'tools/call', '--tool-name', 'run_code', '--tool-args-json', its]);
    assert.equal(reply.structuredContent.stdout, 'woke\n');
});
let session;
check('session and files keep a file', () => {
    session = structured('session', { action: 'create', name: 'inspected' }).sessions[0].id;
    call('files', { action: 'write', session, path: 'a', content: 'kept' });
    assert.equal(structured('run_code', { language: 'sh', code: 'cat a', session }).stdout, 'kept');
    assert.equal(structured('files', { action: 'read', session, path: 'a' }).content, 'kept');
    structured('session', { action: 'rollback', session });
    assert.deepEqual(structured('files', { action: 'list', session }).files, []);
});
check('install_packages takes packages away, and refuses what is none', () => {
    assert.match(call('install_packages', { session, packages: ['no such'] }, toolError).content[0].text, /no such/);
    assert.match(call('install_packages', { session, remove: ['leaf'] }, toolError).content[0].text, /no packages yet/);
});
check('a session is deleted', () => call('session', { action: 'delete', session }));
check('resources and prompts are seen', () => {
    assert.ok(inspect(['--method', 'resources/templates/list']).resourceTemplates.length > 0);
    assert.ok(inspect(['--method', 'prompts/list']).prompts.length > 0);
    if (overHttp)
        assert.equal(inspect(['--method', 'resources/read', '--uri', `glovebox://runs/${run.run}/stdout`]).contents[0].text, '42\n');
});
server?.kill('SIGINT');
rmSync(home, { recursive: true, force: true });
console.log(failures === 0 ? '# all as it should be' : `# ${failures} not as they should be`);
process.exit(failures === 0 ? 0 : 1);
