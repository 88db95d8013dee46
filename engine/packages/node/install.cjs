// Glovebox: unpacks the packages of npm's cache in the folder "cache" into "env/node_modules". This sandbox has no network.
//
// Nothing of the packages is run, and npm checks each against its hash. Prints {"problem", "subject", "detail"}, as fetch.cjs does.
'use strict';
const fs = require('fs');
const path = require('path');
const { spawnSync } = require('child_process');

function end(problem = '', detail = '') {
    fs.writeSync(1, JSON.stringify({ problem, subject: '', detail: detail.slice(0, 600) }) + '\n');
    process.exit(problem ? 1 : 0);
}

const beside = path.dirname(fs.realpathSync(process.execPath));
const npm = [path.join(beside, '../lib/node_modules/npm/bin/npm-cli.js'), '/usr/lib/node_modules/npm/bin/npm-cli.js',
    '/usr/share/nodejs/npm/bin/npm-cli.js', '/usr/local/lib/node_modules/npm/bin/npm-cli.js'].find((file) => fs.existsSync(file));
if (!npm)
    end('no-npm');
const work = process.cwd();
fs.mkdirSync('env');
for (const file of ['package.json', 'package-lock.json'])
    fs.renameSync(file, path.join('env', file));
const ended = spawnSync(process.execPath, [npm, 'ci', '--offline', '--ignore-scripts', '--no-bin-links', '--no-audit', '--no-fund',
    '--no-update-notifier', '--no-progress', '--no-color', '--loglevel=error', '--cache=' + path.join(work, 'cache'), '--logs-max=0',
    '--userconfig=/tmp/none-of-a-user', '--globalconfig=/tmp/none-of-the-machine'],
{ cwd: path.join(work, 'env'), stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 4 << 20, encoding: 'utf8' });
const text = (ended.stdout || '') + (ended.stderr || '');
fs.writeSync(2, text);
if (ended.status !== 0) {
    const lines = text.split('\n').map((line) => line.replace(/^npm (error|ERR!) ?/, '')).filter((line) => line.trim());
    if (/ENOSPC|EDQUOT/.test(text))
        end('space');
    if (/EINTEGRITY/.test(text))
        end('hash');
    end('damaged', lines.filter((line) => !/^(code|A complete log|\s*\/)/.test(line))[0] || '');
}
for (const file of ['env/package.json', 'env/package-lock.json', 'env/node_modules/.package-lock.json', 'cache'])
    fs.rmSync(file, { recursive: true, force: true });
end();
