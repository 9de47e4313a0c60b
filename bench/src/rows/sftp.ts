import { execFile, type ChildProcess, spawn } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { waitUntil } from '@panel/kit/testing';
import { createServers, setNodes, startInstallation } from '../installation/installation.js';
import { freePort } from '../measure/free-port.js';
import { cpuMs, median, measuredCore, peakRssMb, pin, rssMb } from '../measure/process.js';
import { type Line, percent, type Row } from './row.js';

const run = promisify(execFile);
const small = 10_000;
const smallBytes = 2_048;
/** Overwritten files; the service keeps the old versions, the other server does not. */
const replacing = 1_000;
const largeMb = 1024;
const rounds = 3;
const maxGrowthMb = 64;
const sshd = '/usr/sbin/sshd';
const sftpServer = '/usr/lib/openssh/sftp-server';
/** One cipher for both, with hardware support. */
const cipher = 'aes128-gcm@openssh.com';

/** An SFTP server, and its directory for this client. */
interface Server {
  readonly login: string;
  readonly port: number;
  readonly directory: string;
  /** For the service only: sshd has a process per connection. */
  readonly cpuMs: () => number;
}

interface Work {
  readonly name: string;
  readonly commands: (server: Server, round: number) => readonly string[];
  /** Null: different work, so the ratio is only printed. */
  readonly floor: number | null;
  readonly target: string;
}

interface Taken {
  readonly ms: number;
  readonly cpuMs: number;
}

/** With OpenSSH's client and server, on the same disk. */
export const sftp: Row = {
  name: 'sftp',
  about: `${largeMb} MB and ${small} small files each way, against OpenSSH's own server (Debian: openssh-server)`,
  run: async () => {
    for (const program of [sshd, sftpServer]) await access(program);
    const installation = await startInstallation();
    const directory = await mkdtemp(path.join(tmpdir(), 'panel-bench-sftp-'));
    try {
      const [id = ''] = await createServers(installation, 1, { diskMb: 8 * largeMb });
      await setNodes(installation, { upload_limit_mb: 2 * largeMb });
      const key = await makeKey(directory, 'client');
      const { data: account } = await installation.client.get('/account');
      await installation.client.post('/account/ssh-keys', { body: { name: 'bench', public_key: key } });
      const files = installation.stack.pids()['files'] ?? 0;
      pin(files, measuredCore);
      const ours: Server = {
        login: `${account.username}.${id.slice(0, 8)}`,
        port: Number(installation.stack.sftp.split(':')[1]),
        directory: '',
        cpuMs: () => cpuMs(files),
      };
      const plain = await startSshd(directory, key);
      try {
        return await measure(directory, ours, plain.server, files);
      } finally {
        plain.process.kill();
      }
    } finally {
      await installation.stop();
      await rm(directory, { recursive: true, force: true });
    }
  },
};

async function measure(directory: string, ours: Server, plain: Server, pid: number): Promise<Line[]> {
  const [large, many, few] = [path.join(directory, 'large'), path.join(directory, 'many'), path.join(directory, 'few')];
  const back = path.join(directory, 'back');
  await run('dd', ['if=/dev/urandom', `of=${large}`, 'bs=1M', `count=${largeMb}`]);
  await run('dd', [`if=${large}`, `of=${large}.half`, 'bs=1M', `count=${largeMb / 2}`]);
  await mkdir(many);
  // An existing directory gives every round the same target.
  await mkdir(back);
  for (let at = 0; at < small; at++) await writeFile(path.join(many, `f${at}`), Buffer.alloc(smallBytes, `${at}`));
  for (let round = 0; round <= rounds; round++) {
    await mkdir(`${few}${round}`);
    for (let at = 0; at < replacing; at++) {
      await writeFile(path.join(`${few}${round}`, `f${at}`), Buffer.alloc(smallBytes, `${round} ${at}`));
    }
  }
  const works: readonly Work[] = [
    { name: 'put of 1 GiB', commands: (it) => [`put ${large} ${it.directory}/large`], floor: 0.4, target: '70 %' },
    {
      name: 'put of a half and reput of 1 GiB',
      commands: (it) => [`put ${large}.half ${it.directory}/large`, `reput ${large} ${it.directory}/large`],
      floor: 0.4,
      target: '70 %',
    },
    { name: 'get of 1 GiB', commands: (it) => [`get ${it.directory}/large ${large}.back`], floor: 0.4, target: '70 %' },
    {
      name: `put of ${small} new files`,
      commands: (it, round) => [`mkdir ${it.directory}/new${round}`, `put -r ${many} ${it.directory}/new${round}/`],
      floor: 0.4,
      target: '70 %',
    },
    {
      name: `get of ${small} files`,
      commands: (it) => [`get -r ${it.directory}/new0/many ${back}/`],
      floor: 0.4,
      target: '70 %',
    },
    {
      name: `put of ${replacing} files in the place of others`,
      commands: (it, round) => [`put ${few}${round + 1}/* ${it.directory}/few/`],
      floor: null,
      target: '',
    },
  ];
  for (const server of [plain, ours]) {
    const commands = [`mkdir ${server.directory}/few`, `put ${few}0/* ${server.directory}/few/`];
    await take(directory, server, 'put of what is replaced', commands);
  }
  const lines: Line[] = [];
  const before = rssMb(pid);
  for (const work of works) {
    const [theirTimes, ourTimes]: [Taken[], Taken[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      const order: readonly [Server, Taken[]][] = [
        [plain, theirTimes],
        [ours, ourTimes],
      ];
      for (const [server, times] of round % 2 === 0 ? order : order.toReversed()) {
        times.push(await take(directory, server, work.name, work.commands(server, round)));
      }
    }
    lines.push(line(work, ourTimes, theirTimes));
    if (lines.length !== 3) continue;
    await run('cmp', [large, `${large}.back`]);
    const grown = peakRssMb(pid) - before;
    lines.push({
      name: 'memory while 1 GiB passes each way, SFTP',
      value: `+ ${grown.toFixed(0)} MB`,
      details: `files, at its peak; before ${before.toFixed(0)}`,
      target: `${maxGrowthMb} MB`,
      holds: grown <= maxGrowthMb,
    });
  }
  await run('diff', ['-rq', many, path.join(back, 'many')]);
  return lines;
}

async function take(directory: string, server: Server, name: string, commands: readonly string[]): Promise<Taken> {
  const options = `-q -F /dev/null -c ${cipher} -o BatchMode=yes -o IdentitiesOnly=yes -o StrictHostKeyChecking=no`;
  const identity = ['-o', 'UserKnownHostsFile=/dev/null', '-i', path.join(directory, 'client')];
  const child = spawn(
    'sftp',
    [...options.split(' '), ...identity, '-P', `${server.port}`, '-b', '-', `${server.login}@127.0.0.1`],
    { stdio: ['pipe', 'ignore', 'inherit'] },
  );
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [begin, cpuBefore] = [performance.now(), server.cpuMs()];
  child.stdin.end(`${commands.join('\n')}\n`);
  const code = await ended;
  if (code !== 0) throw new Error(`${name}: sftp ended with ${code}`);
  return { ms: performance.now() - begin, cpuMs: server.cpuMs() - cpuBefore };
}

function line({ name, floor, target }: Work, ours: readonly Taken[], theirs: readonly Taken[]): Line {
  const of = (times: readonly Taken[], pick: (it: Taken) => number) => median(times.map(pick));
  const ratio = of(theirs, (it) => it.ms) / of(ours, (it) => it.ms);
  const seconds = (times: readonly Taken[], pick: (it: Taken) => number) => (of(times, pick) / 1_000).toFixed(1);
  return {
    name: `${name} / OpenSSH's sftp-server`,
    value: percent(ratio),
    details: `files ${seconds(ours, (it) => it.ms)} s, CPU ${seconds(ours, (it) => it.cpuMs)} s; sshd ${seconds(theirs, (it) => it.ms)} s`,
    target: floor === null ? 'no floor' : `${target} (${percent(floor)})`,
    holds: floor === null ? null : ratio >= floor,
  };
}

async function makeKey(directory: string, name: string): Promise<string> {
  const file = path.join(directory, name);
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
  return readFile(`${file}.pub`, 'utf8');
}

async function startSshd(directory: string, key: string): Promise<{ server: Server; process: ChildProcess }> {
  const port = await freePort();
  await makeKey(directory, 'host');
  await writeFile(path.join(directory, 'authorized'), key);
  const home = path.join(directory, 'home');
  await mkdir(home);
  // sshd's privilege separation directory under root
  if (userInfo().uid === 0) await mkdir('/run/sshd', { recursive: true });
  const settings = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${path.join(directory, 'host')}`,
    `AuthorizedKeysFile ${path.join(directory, 'authorized')}`,
    'StrictModes no',
    'PermitRootLogin yes',
    'PidFile none',
    `Subsystem sftp ${sftpServer}`,
  ];
  const config = path.join(directory, 'sshd_config');
  await writeFile(config, `${settings.join('\n')}\n`);
  const child = spawn(sshd, ['-D', '-e', '-q', '-f', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  const pid = child.pid ?? 0;
  pin(pid, measuredCore);
  await waitUntil('sshd to listen', async () => isListening(port));
  const server = { login: userInfo().username, port, directory: home, cpuMs: () => 0 };
  return { server, process: child };
}

async function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
