import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pause } from '@panel/kit/async';
import { type Child, freePorts, spawnChild } from '@panel/programs';

/** In its own directory. */
export interface TestDatabaseServer {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** kill -9, as a power cut. */
  kill(): Promise<void>;
  /** Keeps data and address. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The programs refuse to run as root. */
export interface ServerPrograms {
  readonly name: string;
  /** Programs run in sequence in a new directory. */
  readonly setUp: (directory: string, login: Login) => readonly (readonly string[])[];
  /** Server-readable files by name, written first. */
  readonly files: (login: Login) => Readonly<Record<string, string>>;
  readonly command: (directory: string, port: number) => readonly string[];
}

export interface Login {
  readonly username: string;
  readonly password: string;
}

const readyTimeoutMs = 60_000;
const host = '127.0.0.1';

/** In a temporary directory. Throws when a program fails. */
export async function startDatabaseServer(programs: ServerPrograms, username: string): Promise<TestDatabaseServer> {
  const login = { username, password: randomBytes(12).toString('hex') };
  const directory = mkdtempSync(path.join(tmpdir(), `panel-${programs.name}-`));
  const account = unprivilegedAccount();
  const own = (file: string) => account && chownSync(file, account.uid, account.gid);
  own(directory);
  chmodSync(directory, 0o700);
  for (const [name, content] of Object.entries(programs.files(login))) {
    const file = path.join(directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: 0o600 });
    own(file);
  }
  try {
    for (const command of programs.setUp(directory, login)) await run([...asUser(account), ...command], directory);
    const [port = 0] = await freePorts(1);
    const server = new DatabaseServerProcess(directory, port, login, [
      ...asUser(account),
      ...programs.command(directory, port),
    ]);
    await server.start();
    return server;
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

class DatabaseServerProcess implements TestDatabaseServer {
  readonly host = host;
  readonly username: string;
  readonly password: string;
  #child: Child | undefined;

  constructor(
    private readonly directory: string,
    readonly port: number,
    login: Login,
    private readonly command: readonly string[],
  ) {
    this.username = login.username;
    this.password = login.password;
  }

  async start(): Promise<void> {
    const [program = '', ...args] = this.command;
    this.#child = spawnChild({
      name: program,
      command: program,
      args,
      cwd: this.directory,
      env: programEnv,
      logFile: path.join(this.directory, 'server.log'),
      ready: (signal) => acceptsConnections(this.port, signal),
      readyTimeoutMs,
    });
    try {
      await this.#child.ready;
    } catch (error) {
      throw new Error(`${error instanceof Error ? error.message : ''}: ${tail(this.directory)}`, { cause: error });
    }
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async stop(): Promise<void> {
    await this.#end('SIGKILL');
    rmSync(this.directory, { recursive: true, force: true });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.hasExited()) return;
    // The group, because PostgreSQL has a process per connection.
    process.kill(-child.pid, signal);
    await child.exited;
  }
}

const programEnv = { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', HOME: '/nonexistent' };

/** Null without root, which can start the programs directly. */
function unprivilegedAccount(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((one) => one.startsWith('nobody:'));
  const [, , uid = '65534', gid = '65534'] = (line ?? '').split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

function asUser(account: { uid: number; gid: number } | null): string[] {
  return account ? ['setpriv', `--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'] : [];
}

async function run([program = '', ...args]: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program, args, { cwd, env: programEnv, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-2_000);
    });
  }
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${args.join(' ')}: ${output}`))));
  });
}

async function acceptsConnections(port: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, host);
      // Both engines accept during recovery: wait for a first byte or silence.
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await pause(50, signal);
  }
}

function tail(directory: string): string {
  try {
    return readFileSync(path.join(directory, 'server.log'), 'utf8').slice(-1_000);
  } catch {
    return 'no log'; // the program ended before
  }
}
