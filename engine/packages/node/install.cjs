// Glovebox: unpacks the packages of npm's cache in the folder "cache" into "env/node_modules". This sandbox has no network.
//
// Nothing of the packages is run, and npm checks each against its hash. Prints {"problem", "subject", "detail"}, as fetch.cjs does.
function end(problem = '', detail = '') {
    fs.writeSync(1, JSON.stringify({ problem, subject: '', detail: detail.slice(0, 600) }) + '\n');
    process.exit(problem ? 1 : 0);
}

const npm = npmProgram();
if (!npm)
    end('no-npm');
fs.mkdirSync('env');
for (const file of ['package.json', 'package-lock.json'])
    fs.renameSync(file, path.join('env', file));
callNpm(npm, 'ci', ['--offline'], 'env', (status, words) => {
    if (status !== 0) {
        if (/ENOSPC|EDQUOT/.test(words))
            end('space');
        if (/EINTEGRITY/.test(words))
            end('hash');
        end('damaged', wordsOfError(words).filter((line) => !/^(code|A complete log|\s*\/)/.test(line))[0] || '');
    }
    for (const file of ['env/package.json', 'env/package-lock.json', 'env/node_modules/.package-lock.json', 'cache'])
        fs.rmSync(file, { recursive: true, force: true });
    end();
});
