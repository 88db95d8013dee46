// SPDX-License-Identifier: Apache-2.0
// Drives every tool, resource and prompt of `glovebox mcp` with the official TypeScript libraries, with good and bad input.
//
//   node drive.mjs PACKAGES CLIENT [--bridge WORKBENCH] COMMAND [ARGUMENT...]
//
// Over standard input and output; with --bridge through the socket of that workbench, which it starts; over HTTP where the arguments
// have --http. Packages are installed where this runs in the test internet: tests/support/internet node drive.mjs ...
// PACKAGES: the folder with node_modules. CLIENT: v1 (@modelcontextprotocol/sdk), or v2-legacy, v2-auto, v2-modern
// (@modelcontextprotocol/client, by how it finds the revision). Exit status 1 when anything isn't as it should be.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const words = process.argv.slice(2);
const [packages, generation] = words.splice(0, 2);
const workbenchProgram = words[0] === '--bridge' ? words.splice(0, 2)[1] : undefined;
const [command, ...args] = words;
const require = createRequire(join(packages, 'package.json'));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

let failures = 0;
async function check(sentence, act) {
    try {
        await act();
        console.log(`ok - ${sentence}`);
    } catch (error) {
        ++failures;
        console.log(`not ok - ${sentence}\n${error.stack ?? error}`);
    }
}

const info = { name: 'drive', version: '1.0.0' };
const overHttp = args.includes('--http');
const canAsk = { capabilities: { elicitation: {} } };
let dialog = { action: 'decline' }; // what the person does with each question
const questions = [];
const onQuestion = async ({ params }) => {
    questions.push(params);
    return dialog;
};
let client;
let StdioClientTransport, StreamableHTTPClientTransport;
if (generation === 'v1') {
    const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
    ({ StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js'));
    ({ StreamableHTTPClientTransport } = await load('@modelcontextprotocol/sdk/client/streamableHttp.js'));
    const { ElicitRequestSchema } = await load('@modelcontextprotocol/sdk/types.js');
    client = new Client(info, canAsk);
    client.setRequestHandler(ElicitRequestSchema, onQuestion);
} else {
    const { Client } = await load('@modelcontextprotocol/client');
    ({ StdioClientTransport } = await load('@modelcontextprotocol/client/stdio'));
    ({ StreamableHTTPClientTransport } = await load('@modelcontextprotocol/client'));
    const mode = { 'v2-legacy': 'legacy', 'v2-auto': 'auto', 'v2-modern': { pin: '2026-07-28' } }[generation];
    client = new Client(info, { ...canAsk, versionNegotiation: { mode } });
    client.setRequestHandler('elicitation/create', onQuestion);
}
const call = (name, its, options) =>
    generation === 'v1'
        ? client.callTool({ name, arguments: its }, undefined, options)
        : client.callTool({ name, arguments: its }, options);
const structured = async (name, its, options) => (await call(name, its, options)).structuredContent;
const python = (code, more, options) => structured('run_code', { language: 'python', code, ...more }, options);

// Bad input may be an answer with isError, or an error of the protocol; either way a sentence says what is wrong.
async function refused(name, its, expected) {
    let sentence;
    try {
        const result = await call(name, its);
        assert.ok(result.isError, `not refused: ${JSON.stringify(result).slice(0, 300)}`);
        sentence = result.content.map((block) => block.text).join(' ');
    } catch (error) {
        if (error.code === 'ERR_ASSERTION')
            throw error;
        sentence = error.message;
    }
    assert.match(sentence, expected);
}
const unpolled = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
async function runningRun() {
    for (const until = Date.now() + 20000; Date.now() < until; await unpolled(20)) {
        const { resources } = await client.listResources();
        for (const { uri } of resources.filter(({ uri }) => /^glovebox:\/\/runs\/[^/]+$/.test(uri))) {
            const { contents } = await client.readResource({ uri });
            if (JSON.parse(contents[0].text).state === 'running')
                return uri.split('/').pop();
        }
    }
    throw new Error('no run is running');
}

const home = mkdtempSync(join(tmpdir(), 'glovebox-drive-'));
const env = { ...process.env, GLOVEBOX_HOME: home };
// What the person says beforehand: nobody answers the questions of a workbench here.
const rules = workbenchProgram ? { workbench: true, hosts: 'off', limits: 'off', secrets: 'off' } : {};
mkdirSync(join(home, 'config'), { mode: 0o700 });
writeFileSync(join(home, 'config', 'settings.json'), JSON.stringify({ mcp: { packages: 'on', ...rules } }), { mode: 0o600 });
const hasInternet = process.env.TEST_INTERNET_LOG !== undefined;
if (hasInternet)
    execFileSync('/usr/bin/python3', ['-B', join(dirname(fileURLToPath(import.meta.url)), '../../engine/packages/index.py'), dirname(process.env.TEST_INTERNET_LOG)]);

// Names of processes, as the kernel keeps them: 15 characters (proc_pid_stat(5)).
function childrenOf(parent) {
    const names = [];
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        try {
            const [, name, rest] = readFileSync(`/proc/${pid}/stat`, 'latin1').match(/^\d+ \((.*)\) (.*)/s);
            if (Number(rest.split(' ')[1]) === parent)
                names.push(name);
        } catch {} // it has ended
    }
    return names;
}
let workbench; // whose engine the client's calls reach through `glovebox mcp`
async function startWorkbench() {
    workbench = spawn(workbenchProgram, [], { env: { ...env, QT_QPA_PLATFORM: 'offscreen' }, stdio: 'ignore' });
    const socket = join(home, 'run', 'mcp.sock');
    for (const until = Date.now() + 20000; !existsSync(socket); await unpolled(50))
        assert.ok(Date.now() < until && workbench.exitCode === null, `the workbench has no socket ${socket}`);
}
let complaints = '';
let server; // over HTTP: a program that is there before its client and after it
async function startServer() {
    const token = execFileSync(command, ['mcp', 'pair', 'drive'], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    server = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    const url = await new Promise((resolve, reject) => {
        server.on('exit', () => reject(new Error(`the server ended: ${complaints}`)));
        server.stderr.on('data', (bytes) => {
            complaints += bytes;
            const place = complaints.match(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
            if (place && complaints.includes('Paired: 1.')) {
                complaints = '';
                resolve(place[0]);
            }
        });
    });
    assert.equal((await fetch(url, { method: 'POST' })).status, 401);
    return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } });
}
if (workbenchProgram)
    await startWorkbench();
const transport = overHttp ? await startServer() : new StdioClientTransport({ command, args, env, stderr: 'pipe' });
transport.stderr?.on('data', (bytes) => (complaints += bytes));
await client.connect(transport);
const pid = overHttp ? server.pid : transport.pid;

await check('the server says who it is', () => {
    assert.equal(client.getServerVersion().name, 'glovebox');
    assert.match(client.getInstructions(), /sealed/);
    if (generation === 'v2-modern' || generation === 'v2-auto')
        assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
});
await check('the tools are those of the manual, in their order, with schemas and hints', async () => {
    const { tools } = await client.listTools();
    assert.deepEqual(
        tools.map((tool) => tool.name),
        ['run_code', 'wait_run', 'cancel_run', 'explain_run', 'sandbox_info', 'session', 'files', 'install_packages'],
    );
    for (const tool of tools) {
        assert.equal(tool.inputSchema.type, 'object', tool.name);
        assert.equal(tool.outputSchema.type, 'object', tool.name);
        assert.equal(typeof tool.annotations.readOnlyHint, 'boolean', tool.name);
        assert.ok(tool.title && tool.description, tool.name);
    }
});

await check('sandbox_info answers, also without arguments', async () => {
    assert.equal(typeof (await structured('sandbox_info', {})), 'object');
    assert.equal(typeof (await structured('sandbox_info', undefined)), 'object');
});
for (const [language, code] of [['python', 'print(6 * 7)'], ['node', 'console.log(6 * 7)'], ['bash', 'echo $((6 * 7))'], ['sh', 'echo 42']])
    await check(`run_code runs ${language}`, async () => {
        const result = await call('run_code', { language, code });
        const run = result.structuredContent;
        assert.equal(run.outcome, 'completed', JSON.stringify(run));
        assert.equal(run.stdout, '42\n');
        assert.equal(run.exit_code, 0);
        assert.ok(!result.isError);
        assert.match(result.content[0].text, /42/); // for clients that read text only
    });
await check('what is printed comes as it is', async () => {
    const run = await python('import sys; print("\\u2028 \\x00 \\x1b[31m \\U0001f9e4 \\"\\\\", file=sys.stderr); sys.exit(3)');
    assert.equal(run.outcome, 'failed');
    assert.equal(run.exit_code, 3);
    assert.ok(run.stderr.includes('\u2028 \0 \u001b[31m \u{1f9e4} "\\'), JSON.stringify(run.stderr));
});
await check('files are there', async () => {
    const files = [
        { name: 'a b.txt', content: 'ünï\r\n' },
        { name: 'b.bin', content: Buffer.from([0, 255, 10]).toString('base64'), encoding: 'base64' },
    ];
    const run = await python('print(open("a b.txt", "rb").read(), open("b.bin", "rb").read())', { files });
    assert.equal(run.stdout, "b'\\xc3\\xbcn\\xc3\\xaf\\r\\n' b'\\x00\\xff\\n'\n");
});
await check('dry_run runs nothing and tells what would be asked', async () => {
    const calm = await python('print(1)', { dry_run: true });
    assert.equal(calm.dry_run.verdict, 'allowed');
    assert.equal(calm.stdout, '');
    const eager = await python('print(1)', { dry_run: true, allow: ['example.org'] });
    assert.notEqual(eager.dry_run.verdict, 'allowed');
});
await check('a time limit ends a run', async () => {
    const run = await python('print("begun", flush=True)\nwhile True: pass', { timeout: 0.5 });
    assert.equal(run.outcome, 'timed_out');
    assert.equal(run.stdout, 'begun\n');
});
await check('whatever wants more than the defaults is denied where nobody says yes, with a remedy', async () => {
    for (const more of [{ allow: ['example.org'] }, { timeout: 3600 }]) {
        const run = await python('print(1)', more);
        assert.equal(run.outcome, 'denied', JSON.stringify(run));
        assert.equal(run.stdout, '');
        assert.ok(run.denials.length > 0 && run.denials.every(({ what, why, how }) => what && why && how));
    }
});
await check('the client puts the question where nobody else can, and a yes is for one run', async () => {
    questions.length = 0;
    const isAsked = !overHttp && !workbenchProgram;
    dialog = { action: 'accept', content: { answer: 'allow this once' } };
    const run = await python('print(1)', { allow: ['example.org'] });
    dialog = { action: 'decline' };
    assert.equal(run.outcome, isAsked ? 'completed' : 'denied', JSON.stringify(run));
    assert.equal(questions.length, isAsked ? 1 : 0);
    assert.equal((await python('print(1)', { allow: ['example.org'] })).outcome, 'denied');
    if (isAsked)
        assert.match(questions[0].message, /example\.org[^]*print\(1\)|print\(1\)[^]*example\.org/);
});
await check('what a run tried without leave is told', async () => {
    const run = await python('import socket\ntry: socket.create_connection(("192.0.2.1", 80), 2)\nexcept OSError as e: print("refused")');
    assert.equal(run.stdout, 'refused\n');
    const explained = await structured('explain_run', { run: run.run });
    assert.match(JSON.stringify([run.denials, explained]), /192\.0\.2\.1|network/i);
});
await check('long output is cut, and wait_run reads it in pages', async () => {
    const code = 'for i in range(40000): print("%019d" % i)';
    const run = await python(code);
    assert.equal(run.stdout_bytes, 800000);
    assert.ok(run.truncated);
    assert.ok(run.stdout.length < 200000);
    let text = '';
    for (let cursor = 0, last = -1; cursor !== last;) {
        const page = await structured('wait_run', { run: run.run, cursor, max: 50000 });
        text += page.stdout;
        last = cursor;
        cursor = page.cursor;
    }
    assert.equal(text, Array.from({ length: 40000 }, (_, i) => `${String(i).padStart(19, '0')}\n`).join(''));
});
await check('progress comes while a run is silent or prints', async () => {
    const lines = [];
    await python('import time\nfor i in range(4):\n  print("step", i, flush=True); time.sleep(0.6)', {}, {
        onprogress: (progress) => lines.push(progress),
        resetTimeoutOnProgress: true,
    });
    assert.ok(lines.length > 0);
    assert.ok(lines.every(({ progress }, i) => i === 0 || progress > lines[i - 1].progress), JSON.stringify(lines));
    assert.match(JSON.stringify(lines), /step/);
});
await check('a call that its client cancels ends its run', async () => {
    const abort = new AbortController();
    const waiting = python('import time; time.sleep(1000)', { timeout: 30 }, { signal: abort.signal });
    const id = await runningRun();
    abort.abort('enough');
    await assert.rejects(waiting);
    const run = await structured('wait_run', { run: id });
    assert.equal(run.outcome, 'cancelled');
});
await check('cancel_run ends a run, and its call answers', async () => {
    const waiting = python('import time; print("begun", flush=True); time.sleep(1000)', { timeout: 30 });
    const id = await runningRun();
    await structured('cancel_run', { run: id });
    const run = await waiting;
    assert.equal(run.outcome, 'cancelled');
    assert.equal(run.run, id);
    assert.ok(!(await call('cancel_run', { run: id })).isError); // once more is no failure
});
await check('session and files do all that they offer', async () => {
    const session = async (action, more) => structured('session', { action, ...more });
    const files = async (action, more) => structured('files', { action, session: id, ...more });
    const { sessions: [made] } = await session('create', { name: 'work', disk_mb: 16, keep_hours: 1 });
    const id = made.id;
    assert.equal(made.name, 'work');
    assert.equal((await session('list')).sessions.filter((one) => one.id === id).length, 1);
    const bytes = Buffer.from([0, 255, 10]);
    await files('write', { path: 'in/text', content: 'gr\u00fc\u00df' });
    await files('write', { path: 'in/bytes', content: bytes.toString('base64'), encoding: 'base64' });
    const run = await python('print(open("in/text").read(), open("in/bytes", "rb").read())\nopen("out", "w").write("left")', { session: id });
    assert.equal(run.stdout, "gr\u00fc\u00df b'\\x00\\xff\\n'\n");
    assert.equal((await files('read', { path: 'out' })).content, 'left');
    const read = await files('read', { path: 'in/bytes' });
    assert.deepEqual(Buffer.from(read.content, read.encoding), bytes);
    assert.deepEqual((await files('list')).files.map(({ path }) => path).sort(), ['in', 'in/bytes', 'in/text', 'out']);
    await files('remove', { path: 'in' });
    assert.deepEqual((await files('list')).files.map(({ path }) => path), ['out']);
    const { snapshots } = await session('snapshots', { session: id });
    assert.deepEqual(snapshots.map(({ number }) => number), [1, 2, 3, 4, 5]);
    assert.equal(snapshots[3].run, run.run);
    await session('rollback', { session: id, snapshot: 4 });
    assert.equal((await files('list')).files.length, 4);
    assert.equal((await session('status', { session: id })).sessions[0].head, 6);
    const { sessions: [fork] } = await session('fork', { session: id, snapshot: 2 });
    assert.equal(fork.files, 2);
    for (const one of [fork.id, id])
        await session('delete', { session: one });
    await refused('session', { action: 'status', session: id }, /no session/);
});
await check('a session keeps an interpreter, and runs beside it', async () => {
    const { sessions: [{ id }] } = await structured('session', { action: 'create' });
    await python('x = 41', { session: id, stateful: true });
    assert.equal((await python('x + 1', { session: id, stateful: true })).stdout, '42\n');
    const beside = await python('open("beside", "w").write("x"); print("x" in dir())', { session: id, parallel: true });
    assert.equal(beside.stdout, 'False\n');
    await structured('session', { action: 'delete', session: id });
});
if (hasInternet)
    await check('packages are installed into a session, and for one run', async () => {
        const { sessions: [{ id }] } = await structured('session', { action: 'create' });
        let installed;
        do
            installed = await structured('install_packages', { session: id, packages: ['branch'] });
        while (installed.state === 'installing');
        assert.deepEqual(installed.packages, ['branch 1.5', 'leaf 2.0']);
        const code = 'import branch; branch.main()';
        assert.equal((await python(code, { session: id })).stdout, 'branch 2.0\n');
        assert.equal((await python(code, { with: ['branch'] })).stdout, 'branch 2.0\n');
        assert.match((await python(code)).stderr, /No module named 'branch'/);
        const less = await structured('install_packages', { session: id, remove: ['branch'] });
        assert.deepEqual(less.packages, []);
        await structured('session', { action: 'delete', session: id });
    });
else
    console.log('# packages are not installed: this does not run under tests/support/internet');
await check('a picture that a run leaves is an image of its answer', async () => {
    const code = `import struct, zlib
chunk = lambda kind, data: struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
open('plot.png', 'wb').write(b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 3, 2, 8, 2, 0, 0, 0))
    + chunk(b'IDAT', zlib.compress((b'\\0' + b'\\xc8\\x1e\\x5a' * 3) * 2)) + chunk(b'IEND', b''))`;
    const { content, structuredContent } = await call('run_code', { language: 'python', code });
    assert.equal(structuredContent.outcome, 'completed', structuredContent.stderr);
    const [image] = content.filter(({ type }) => type === 'image');
    assert.equal(image.mimeType, 'image/png');
    const png = Buffer.from(image.data, 'base64');
    assert.deepEqual([png.toString('latin1', 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)], ['PNG', 3, 2]);
});
await check('explain_run explains', async () => {
    const run = await python('raise SystemExit("no such luck")');
    const explained = await structured('explain_run', { run: run.run });
    assert.match(JSON.stringify(explained), /failed/);
});
await check('eight calls at once are answered, each with its own', async () => {
    const runs = await Promise.all(Array.from({ length: 8 }, (_, i) => python(`print(${i})`)));
    assert.deepEqual(runs.map((run) => run.stdout), Array.from({ length: 8 }, (_, i) => `${i}\n`));
});

const tool = (name, its, expected, what) => check(`${name} refuses ${what}`, () => refused(name, its, expected));
await tool('run_code', {}, /language|code/, 'nothing at all');
await tool('run_code', { language: 'python' }, /code/, 'no code');
await tool('run_code', { language: 'python', code: '' }, /code/, 'empty code');
await tool('run_code', { language: 'cobol', code: 'x' }, /language/, 'an unknown language');
await tool('run_code', { language: 'python', code: 7 }, /code/, 'a number as code');
await tool('run_code', { language: 'python', code: 'x', policy: {} }, /policy/, 'an argument that there is not');
await tool('run_code', { language: 'python', code: 'x', timeout: 0 }, /timeout/, 'no time');
await tool('run_code', { language: 'python', code: 'x', timeout: 1e9 }, /timeout/, 'too much time');
await tool('run_code', { language: 'python', code: 'x', timeout: '5' }, /timeout/, 'time as text');
await tool('run_code', { language: 'python', code: 'x'.repeat(1048577) }, /code/, 'too long code');
await tool('run_code', { language: 'python', code: 'x', allow: ['http://e x/'] }, /e x|host/i, 'a host that is none');
await tool('install_packages', { session: 'x', packages: ['leaf'] }, /no session/, 'a session that is none');
await tool('run_code', { language: 'python', code: 'x', files: [{ name: '../x', content: '' }] }, /\.\.\/x|name/, 'a file outside');
await tool('run_code', { language: 'python', code: 'x', files: [{ name: 'x', content: '%', encoding: 'base64' }] }, /base64|x/, 'base64 that is none');
await tool('run_code', { language: 'python', code: 'x', secrets: ['NOT_THERE'] }, /NOT_THERE/, 'a secret that there is not');
for (const name of ['wait_run', 'cancel_run', 'explain_run']) {
    await tool(name, {}, /run/, 'no run');
    await tool(name, { run: 'x'.repeat(5000) }, /run/, 'a long name of a run');
    await tool(name, { run: '01999999-0000-7000-8000-000000000000' }, /run/i, 'a run of somebody else');
}
await tool('wait_run', { run: '01999999-0000-7000-8000-000000000000', cursor: -1 }, /cursor|run/, 'a negative cursor');
await tool('set_policy', {}, /set_policy|tool/i, 'to be another tool');

await check('runs are resources, and only those', async () => {
    const run = await python('print("kept")');
    const { resources } = await client.listResources();
    assert.ok(resources.some(({ uri }) => uri === `glovebox://runs/${run.run}`));
    const { contents } = await client.readResource({ uri: `glovebox://runs/${run.run}/stdout` });
    assert.equal(contents[0].text, 'kept\n');
    const code = await client.readResource({ uri: `glovebox://runs/${run.run}/code` });
    assert.equal(code.contents[0].text, 'print("kept")');
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.ok(resourceTemplates.length >= 4);
    const { completion } = await client.complete({
        ref: { type: 'ref/resource', uri: 'glovebox://runs/{id}' },
        argument: { name: 'id', value: run.run.slice(0, -2) },
    });
    assert.ok(completion.values.includes(run.run));
    for (const uri of ['glovebox://runs/x', 'file:///etc/passwd', 'glovebox://runs/../audit', 'glovebox://audit/1000000', ''])
        await assert.rejects(client.readResource({ uri }), uri);
});
await check('prompts are given, and bad ones refused', async () => {
    const { prompts } = await client.listPrompts();
    assert.ok(prompts.length > 0);
    for (const prompt of prompts) {
        const its = Object.fromEntries((prompt.arguments ?? []).filter((one) => one.required).map((one) => [one.name, 'print(1)']));
        const { messages } = await client.getPrompt({ name: prompt.name, arguments: its });
        assert.ok(messages.length > 0);
        if (Object.keys(its).length > 0)
            await assert.rejects(client.getPrompt({ name: prompt.name, arguments: {} }));
    }
    await assert.rejects(client.getPrompt({ name: 'none' }));
});
if (workbenchProgram)
    await check('the workbench has the runs, and its end ends no client', async () => {
        assert.ok(childrenOf(workbench.pid).includes('glovebox-spawne'), childrenOf(workbench.pid).join());
        assert.ok(!childrenOf(pid).includes('glovebox-spawne'), childrenOf(pid).join());
        const ended = new Promise((resolve) => workbench.on('exit', resolve));
        workbench.kill('SIGTERM');
        await ended;
        assert.equal((await python('print(6 * 7)')).stdout, '42\n');
        assert.ok(childrenOf(pid).includes('glovebox-spawne'), childrenOf(pid).join()); // an engine of its own
    });
await check('nothing but the protocol is said', () => assert.equal(complaints, ''));
await check(overHttp ? 'a signal ends the server, and its run' : 'the server ends with its input, and its run with it', async () => {
    const waiting = python('import time; time.sleep(1000)').catch(() => {});
    await runningRun();
    const began = Date.now();
    if (overHttp) {
        const ended = new Promise((resolve) => server.on('exit', resolve));
        server.kill('SIGINT');
        assert.equal(await ended, 0);
    }
    await client.close();
    await waiting;
    assert.ok(Date.now() - began < 10000);
    assert.throws(() => process.kill(pid, 0));
});
rmSync(home, { recursive: true, force: true });
console.log(failures === 0 ? `# ${generation}: all as it should be` : `# ${generation}: ${failures} not as they should be`);
process.exit(failures === 0 ? 0 : 1);
