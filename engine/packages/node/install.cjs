// Glovebox: unpacks the packages of npm's cache in the folder "cache" into "env/node_modules". This sandbox has no network.
//
// argv[2]: {"scripts": {"node_modules/a": "a"}}: places and names of packages whose install scripts are run then; nothing else of the
// packages is. npm checks each against its hash. Prints {"problem", "subject", "detail"}, as fetch.cjs does. Scripts may print that in
// its place: whoever reads it doesn't rely on it, and what scripts left is checked as any package's files are.
const scripts = JSON.parse(process.argv[2]).scripts;
const places = Object.keys(scripts);

function end(problem = '', subject = '', detail = '') {
    fs.writeSync(1, JSON.stringify({ problem, subject: subject.slice(0, 200), detail: detail.slice(0, 600) }) + '\n');
    process.exit(problem ? 1 : 0);
}

function removeFolders(folder, name) {
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
        const inner = path.join(folder, entry.name);
        if (entry.name === name)
            fs.rmSync(inner, { recursive: true });
        else if (entry.isDirectory())
            removeFolders(inner, name);
    }
}

const npm = npmProgram();
if (!npm)
    end('no-npm');
const listed = JSON.parse(fs.readFileSync('package-lock.json')).packages;

function filesBelow(folder) {
    return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const whole = path.join(folder, entry.name);
        return entry.isDirectory() ? filesBelow(whole) : [whole];
    });
}

// npm also got what no hash covers: answers about packages, and what a package says that it brings along and doesn't.
function keepListedContent() {
    const content = 'cache/_cacache/content-v2/sha512/';
    const kept = new Set(Object.values(listed).map(({ integrity = '' }) =>
        Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex').replace(/^(..)(..)/, content + '$1/$2/')));
    for (const file of filesBelow('cache/_cacache/content-v2')) {
        if (!kept.has(file))
            fs.rmSync(file);
    }
}

// A hash belongs to no name: each package's own file has to say the name and the version of the list, too.
function checkNames() {
    for (const [place, { name, version, inBundle, integrity }] of Object.entries(listed)) {
        const folder = path.join('env', place);
        if (!place || (inBundle && !integrity) || !fs.existsSync(folder)) // such as one for other machines
            continue;
        const wanted = name || place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
        const plain = (text) => String(text).replace(/^[=v\s]+|\s+$|\+.*$/g, '');
        let about;
        try {
            about = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8').replace(/^\uFEFF/, ''));
        } catch (error) {
            end('damaged', '', `${wanted} ${version} has no package.json`);
        }
        if (!about || typeof about !== 'object')
            end('damaged', '', `${wanted} ${version} has no package.json`);
        if (about.name !== wanted || plain(about.version) !== plain(version))
            end('name', `${wanted} ${version}`, `${about.name} ${about.version}`);
    }
}

// Scripts find the programs of other packages in node_modules/.bin. Which these are, only the packages say, not the lock file.
function havePrograms() {
    return filesBelow('env/node_modules').filter((file) => path.basename(file) === 'package.json').some((file) => {
        const about = fs.readFileSync(file);
        return about.includes('"bin"') || about.includes('"directories"');
    });
}

// Scripts look for programs there first. One of a name that the system has would be another package's code for whatever they start.
function removeNamesOfSystem(folder) {
    const programs = process.env.PATH.split(':');
    for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
        const whole = path.join(folder, entry.name);
        if (path.basename(folder) === '.bin') {
            if (programs.some((place) => fs.existsSync(path.join(place, entry.name))))
                fs.rmSync(whole, { recursive: true });
        } else if (entry.isDirectory()) {
            removeNamesOfSystem(whole);
        }
    }
}

fs.mkdirSync('env');
keepListedContent();
for (const file of ['package.json', 'package-lock.json'])
    fs.renameSync(file, path.join('env', file));

function finish() {
    for (const file of ['env/package.json', 'env/package-lock.json', 'env/node_modules/.package-lock.json', 'cache'])
        fs.rmSync(file, { recursive: true, force: true });
    end();
}

// npm's own policy of scripts (https://github.com/npm/rfcs/pull/868) says the same as the places do, to versions of npm that have it.
function runScripts() {
    const about = JSON.parse(fs.readFileSync('env/package.json'));
    about.allowScripts = Object.fromEntries(Object.values(scripts).map((name) => [name, true]));
    fs.writeFileSync('env/package.json', JSON.stringify(about));
    const headers = path.join(path.dirname(fs.realpathSync(process.execPath)), '..'); // of Node.js, else node-gyp downloads them
    if (fs.existsSync(path.join(headers, 'include/node/node.h')))
        process.env.npm_config_nodedir = headers;
    callNpm(npm, 'rebuild', ['--offline', '--foreground-scripts', '--no-bin-links', '--no-rebuild-bundle', ...places.map((place) => './' + place)], 'env',
        (status, words) => {
            if (status !== 0) { // a full disk is what the sandbox saw, not what scripts print
                const failed = (words.match(/^npm (?:error|ERR!) path .*?\/env\/(node_modules\/.*)$/m) || [])[1];
                end('script', scripts[failed] || Object.values(scripts).join(', '));
            }
            try {
                removeFolders('env/node_modules', '.bin'); // links
            } catch (error) { // what nobody can enter
                process.stderr.write(error.message + '\n');
                end('script', Object.values(scripts).join(', '));
            }
            finish();
        });
}

function checkPacked(status, words) {
    if (status === 0)
        return;
    if (/ENOSPC|EDQUOT/.test(words))
        end('space');
    if (/EINTEGRITY/.test(words))
        end('hash');
    end('damaged', '', wordsOfError(words).filter((line) => !/^(code|A complete log|\s*\/)/.test(line))[0] || '');
}

callNpm(npm, 'ci', ['--offline', ...withoutScripts], 'env', (status, words) => {
    checkPacked(status, words);
    checkNames();
    if (!places.length)
        finish();
    fs.rmSync('env/node_modules/.package-lock.json', { force: true });
    if (!havePrograms()) {
        runScripts();
        return;
    }
    callNpm(npm, 'rebuild', ['--offline', '--ignore-scripts'], 'env', (linked, told) => {
        checkPacked(linked, told);
        removeNamesOfSystem('env/node_modules');
        runScripts();
    });
});
