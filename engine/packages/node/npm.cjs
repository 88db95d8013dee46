// Glovebox: npm for fetch.cjs and install.cjs, which follow below in the same code.
'use strict';
const fs = require('fs');
const path = require('path');
const { spawn } = require('child_process');

// The program itself: the command is a link or a script that leads to it.
function npmProgram() {
    const beside = path.dirname(fs.realpathSync(process.execPath));
    return [path.join(beside, '../lib/node_modules/npm/bin/npm-cli.js'), '/usr/lib/node_modules/npm/bin/npm-cli.js',
        '/usr/share/nodejs/npm/bin/npm-cli.js', '/usr/local/lib/node_modules/npm/bin/npm-cli.js'].find((file) => fs.existsSync(file));
}

// npm clones a package that another one requires by an address of git, and then obeys that package's .npmrc, also with --ignore-scripts.
const noGit = '/packages-by-git-are-not-installed'; // as npm names what it can't start

const withoutScripts = ['--ignore-scripts', '--no-bin-links'];

// npm's words go to standard error as they come. then: gets its exit status, and its words of errors.
function callNpm(npm, command, more, folder, then) {
    const child = spawn(process.execPath, [npm, command, '--no-audit', '--no-fund',
        '--no-update-notifier', '--no-progress', '--no-color', '--loglevel=http', '--git=' + noGit, '--cache=' + path.resolve('cache'),
        '--logs-max=0', '--userconfig=/tmp/none-of-a-user', '--globalconfig=/tmp/none-of-the-machine', ...more],
    { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const kept = 4 << 20;
    let words = '';
    for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8');
        stream.on('data', (some) => {
            process.stderr.write(some); // waits; standard error no longer blocks by then, and fs.writeSync() fails at a full pipe
            words += some;
            if (words.length > 2 * kept)
                words = words.slice(-kept);
        });
    }
    let isTold = false;
    const tell = (status, text) => {
        if (!isTold)
            then(status, text);
        isTold = true;
    };
    const end = (status) => tell(status, words.replace(/^npm (?:http|notice|warn) .*\n?/gim, ''));
    child.on('error', (error) => tell(null, String(error)));
    child.on('close', end);
    child.on('exit', (status) => setTimeout(end, 1000, status)); // what a script leaves behind may hold its output open
}

function wordsOfError(text) {
    return text.split('\n').map((line) => line.replace(/^npm (error|ERR!) ?/, '')).filter((line) => line.trim());
}

