// SPDX-License-Identifier: Apache-2.0
// Lets the official TypeScript libraries pair themselves with `glovebox mcp --http --ask`, as a person would see it: the library finds
// the way, a browser opens its address, the person answers on a terminal (script(1) is one), and the library gets its token.
//
//   node pair.mjs PACKAGES CLIENT COMMAND
//
// PACKAGES: the folder with node_modules. CLIENT: v1 (@modelcontextprotocol/sdk), or v2-legacy, v2-modern
// (@modelcontextprotocol/client). Exit status 1 when anything isn't as it should be.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [packages, generation, command] = process.argv.slice(2);
const require = createRequire(join(packages, 'package.json'));
const library = (name) => import(pathToFileURL(require.resolve(name)).href);
let Client, StreamableHTTPClientTransport, UnauthorizedError, options;
if (generation === 'v1') {
    ({ Client } = await library('@modelcontextprotocol/sdk/client/index.js'));
    ({ StreamableHTTPClientTransport } = await library('@modelcontextprotocol/sdk/client/streamableHttp.js'));
    ({ UnauthorizedError } = await library('@modelcontextprotocol/sdk/client/auth.js'));
} else {
    ({ Client, StreamableHTTPClientTransport, UnauthorizedError } = await library('@modelcontextprotocol/client'));
    options = { versionNegotiation: { mode: generation === 'v2-legacy' ? 'legacy' : { pin: '2026-07-28' } } };
}

const home = mkdtempSync(join(tmpdir(), 'glovebox-pair-'));
const env = { ...process.env, GLOVEBOX_HOME: home };
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const terminal = spawn('script', ['-qefc', `'${command}' mcp --http 0 --ask`, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
let seen = '';
terminal.stdout.on('data', (bytes) => (seen += bytes));
async function shown(expected) {
    for (const until = Date.now() + 20000; !expected.test(seen); await pause(20))
        assert.ok(Date.now() < until && terminal.exitCode === null, `not shown: ${expected}\n${seen}`);
    return seen.match(expected);
}

let status = 1;
try {
    await shown(/glovebox mcp pair NAME/);
    const port = (await shown(/http:\/\/127\.0\.0\.1:(\d+)\/mcp/))[1];

    // The program's own place for the answer.
    let arrived;
    const callback = createServer((request, response) => {
        arrived?.(new URL(request.url, 'http://127.0.0.1').searchParams);
        response.end('You can close this page.');
    });
    callback.listen(0, '127.0.0.1');
    await once(callback, 'listening');
    const redirectUrl = `http://127.0.0.1:${callback.address().port}/callback`;

    for (const host of ['127.0.0.1', 'localhost']) {
        const url = new URL(`http://${host}:${port}/mcp`);
        const kept = {};
        let toOpen;
        const authProvider = {
            redirectUrl,
            clientMetadata: { client_name: `Driver ${host}`, redirect_uris: [redirectUrl] },
            state: () => (kept.state = crypto.randomUUID()),
            clientInformation: () => kept.client,
            saveClientInformation: (client) => (kept.client = client),
            tokens: () => kept.tokens,
            saveTokens: (tokens) => (kept.tokens = tokens),
            codeVerifier: () => kept.verifier,
            saveCodeVerifier: (verifier) => (kept.verifier = verifier),
            discoveryState: () => kept.discovery,
            saveDiscoveryState: (discovery) => (kept.discovery = discovery),
            redirectToAuthorization: (address) => (toOpen = address),
        };
        // As a browser: the page is loaded again as often as it wants that, and an answer followed. (fetch would say that it loads a part.)
        const load = (address) =>
            new Promise((resolve, reject) => {
                get(address, async (reply) => resolve([reply, Buffer.concat(await reply.toArray()).toString()])).on('error', reject);
            });
        async function browse() {
            for (const until = Date.now() + 20000; Date.now() < until; ) {
                const [reply, page] = await load(toOpen);
                if (reply.statusCode === 302)
                    return await load(reply.headers.location);
                assert.equal(reply.statusCode, 200, page);
                await pause(page.match(/http-equiv="refresh" content="(\d+)"/)[1] * 1000);
            }
            assert.fail('the browser was not led on');
        }
        const connect = async () => {
            const transport = new StreamableHTTPClientTransport(url, { authProvider });
            const client = new Client({ name: 'pair', version: '1.0.0' }, options);
            await client.connect(transport).catch(async (error) => {
                await transport.close();
                throw error;
            });
            return client;
        };

        await assert.rejects(connect(), UnauthorizedError);
        assert.ok(toOpen && kept.client.client_id);
        seen = '';
        const answer = new Promise((resolve) => (arrived = resolve));
        const browsing = browse();
        browsing.catch(() => {}); // it is waited for below
        await shown(/Enter alone refuses: /);
        assert.match(seen, new RegExp(`calls itself "Driver ${host}"`));
        assert.ok(seen.includes(redirectUrl) && seen.includes(`process ${process.pid}`), seen);
        terminal.stdin.write('p\r');
        await browsing;
        const brought = await answer;
        assert.equal(brought.get('state'), kept.state);
        const transport = new StreamableHTTPClientTransport(url, { authProvider });
        await transport.finishAuth(generation === 'v1' ? brought.get('code') : brought);
        assert.equal(kept.tokens.token_type, 'Bearer');

        const client = await connect();
        const { structuredContent } = await client.callTool({ name: 'sandbox_info', arguments: {} });
        assert.equal(typeof structuredContent.usable, 'boolean');
        await client.close();
        const listed = execFileSync(command, ['mcp', 'clients'], { env, encoding: 'utf8' });
        assert.match(listed, new RegExp(`^Driver ${host} .*paired 2`, 'm'));

        // With the pairing the token goes, and the library asks again.
        execFileSync(command, ['mcp', 'unpair', `Driver ${host}`], { env, stdio: 'ignore' });
        toOpen = undefined;
        await assert.rejects(connect(), UnauthorizedError);
        assert.ok(toOpen);
        console.log(`ok - ${generation} pairs itself at ${host}`);
    }
    callback.close();
    callback.closeAllConnections();
    status = 0;
} catch (error) {
    console.log(`not ok - ${error.stack ?? error}\n${seen}`);
}
terminal.stdin.write('\x03'); // Ctrl+C ends the server
if (terminal.exitCode === null)
    await Promise.race([once(terminal, 'exit'), pause(10000)]);
terminal.kill('SIGKILL');
rmSync(home, { recursive: true, force: true });
process.exit(status);
