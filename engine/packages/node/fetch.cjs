// Glovebox: downloads packages into npm's cache in the folder "cache". This sandbox reaches the registry and nothing else.
//
// argv[2]: {"registry", "locked", "timeout_ms"}. Prints one JSON object, which engine/packages/tasks.cpp reads: {"runtime",
// "problem", "subject", "detail"}; "problem" is empty when all is well. npm's own words go to standard error.
'use strict';
const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');

const wanted = JSON.parse(process.argv[2]);
const runtime = process.versions.node.split('.')[0];

function end(problem = '', subject = '', detail = '') {
    fs.writeSync(1, JSON.stringify({ runtime, problem, subject: subject.slice(0, 200), detail: detail.slice(0, 600) }) + '\n');
    process.exit(problem ? 1 : 0);
}

// The program itself: the command is a link or a script that leads to it.
function npmProgram() {
    const beside = path.dirname(fs.realpathSync(process.execPath));
    for (const file of [path.join(beside, '../lib/node_modules/npm/bin/npm-cli.js'), '/usr/lib/node_modules/npm/bin/npm-cli.js',
        '/usr/share/nodejs/npm/bin/npm-cli.js', '/usr/local/lib/node_modules/npm/bin/npm-cli.js']) {
        if (fs.existsSync(file))
            return file;
    }
    end('no-npm');
}

function certificates() {
    return ['/etc/ssl/certs/ca-certificates.crt', '/etc/ssl/certs/ca-bundle.crt', '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem']
        .find((file) => fs.existsSync(file));
}

function judge(text) {
    const lines = text.split('\n').map((line) => line.replace(/^npm (error|ERR!) ?/, '')).filter((line) => line.trim());
    const code = (text.match(/npm (?:error|ERR!) code (\S+)/) || [])[1] || '';
    const last = lines.filter((line) => !/^(code|errno|A complete log|\s*\/)/.test(line))[0] || '';
    const named = (text.match(/'((?:@[^@'\s/]+\/)?[^@'\s/]+)@[^']*' (?:is not in this registry|could not be found)/)
        || text.match(/No matching version found for ((?:@[^@\s/]+\/)?[^@\s/]+)@/) || [])[1] || '';
    if (/ENOSPC|EDQUOT/.test(text))
        end('space');
    if (code === 'E404')
        end('missing', named);
    if (code === 'ETARGET' || code === 'ENOVERSIONS')
        end('no-version', named);
    if (code === 'ERESOLVE')
        end('conflict', '', lines.slice(1, 4).join('; '));
    if (code === 'EINTEGRITY')
        end('hash', '', last);
    if (/ETIMEDOUT|network timeout|ERR_SOCKET_TIMEOUT|ESOCKETTIMEDOUT|IDLE_TIMEOUT/i.test(text))
        end('hangs');
    if (/ENOTFOUND|ECONNREFUSED|ECONNRESET|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|CERT|SELF_SIGNED|EPROTO/.test(text))
        end('unreachable', '', last);
    if (/TAR_|zlib|Z_DATA_ERROR|Invalid|Unexpected token|invalid json|EBADENGINE|EBADPLATFORM/i.test(text))
        end('damaged', '', last);
    end('other', '', last);
}

const work = process.cwd();
const room = fs.mkdtempSync('/tmp/npm-'); // what npm unpacks is thrown away; its cache is what counts
for (const file of ['package.json', 'package-lock.json']) {
    if (fs.existsSync(file))
        fs.copyFileSync(file, path.join(room, file));
}
const argv = [npmProgram(), wanted.locked ? 'ci' : 'install', '--ignore-scripts', '--no-bin-links', '--no-audit', '--no-fund',
    '--no-update-notifier', '--no-progress', '--no-color', '--loglevel=error', '--cache=' + path.join(work, 'cache'),
    '--registry=' + wanted.registry, '--userconfig=/tmp/none-of-a-user', '--globalconfig=/tmp/none-of-the-machine',
    '--fetch-retries=0', '--fetch-timeout=' + wanted.timeout_ms, '--logs-max=0', '--lockfile-version=3', '--install-links=false'];
if (certificates())
    argv.push('--cafile=' + certificates());
const ended = spawnSync(process.execPath, argv, { cwd: room, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 4 << 20, encoding: 'utf8' });
fs.writeSync(2, (ended.stdout || '') + (ended.stderr || ''));
if (ended.status !== 0)
    judge((ended.stdout || '') + (ended.stderr || ''));
fs.copyFileSync(path.join(room, 'package-lock.json'), 'package-lock.json');
for (const other of fs.readdirSync('cache')) {
    if (other !== '_cacache')
        fs.rmSync(path.join('cache', other), { recursive: true });
}
end();
