// A first look around inside a sealed run: glovebox run hello.mjs
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { connect } from 'node:net';

console.log(`Hello from a sealed run. This is Node.js ${process.version}.`);
console.log(`I am '${userInfo().username}' on '${hostname()}', and I work in ${process.cwd()}.`);

const folders = readdirSync('/');
console.log('All that I see of the machine:', folders.join(' '));
const homes = ['/home', '/root'].filter((place) => existsSync(place)).flatMap((place) => readdirSync(place));
console.log('Of your home folder I see', homes.length > 0 ? `${homes.join(' ')}?!` : 'nothing.');

const socket = connect({ host: '192.0.2.1', port: 443, timeout: 3000 });
console.log(await new Promise((tell) => {
    socket.on('connect', () => tell('I reached the internet?!'));
    socket.on('timeout', () => tell('The internet is out of reach: no answer.'));
    socket.on('error', (error) => tell(`The internet is out of reach: ${error.code}.`));
}));
socket.destroy();

writeFileSync('note.txt', 'A run wrote this file.\n');
console.log('I can write files here, and none of yours:', readdirSync('.').join(' '));
console.log('I may run for 30 seconds; -t gives me others. Goodbye!');
