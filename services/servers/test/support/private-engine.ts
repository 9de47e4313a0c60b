import { waitUntil } from '@panel/kit/testing';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { makeTestImages } from '@panel/testing/engine';

const run = promisify(execFile);
const readyMs = 30_000;

export interface PrivateEngineOptions {
  /** Containers continue without the daemon. */
  readonly liveRestore?: boolean;
  readonly flags?: readonly string[];
  /** Images and containers; default: an own directory. */
  readonly dataRoot?: string;
}

/** Null: available. */
export async function privateEngineMissing(): Promise<string | null> {
  if (process.getuid?.() !== 0) return 'an engine of its own needs root';
  try {
    await run('dockerd', ['--version']);
    await run('ip', ['netns', 'list']);
    return null;
  } catch (error) {
    return String(error);
  }
}

/** A container engine per test, in its own network namespace: its bridges would collide with the machine's engine. */
export class PrivateEngine {
  readonly directory = mkdtempSync(path.join(tmpdir(), 'panel-engine-'));
  readonly socket = path.join(this.directory, 'docker.sock');
  readonly url = `unix://${this.socket}`;
  readonly docker = new Docker({
    socketPath: this.socket,
    host: undefined,
    ca: undefined,
    cert: undefined,
    key: undefined,
  });
  readonly #namespace = path.basename(this.directory).toLowerCase();
  #child: ChildProcess | null = null;

  private constructor(private readonly options: PrivateEngineOptions) {}

  /** With the test images. */
  static async start(options: PrivateEngineOptions = {}): Promise<PrivateEngine> {
    const engine = new PrivateEngine(options);
    chmodSync(engine.directory, 0o711);
    try {
      await run('ip', ['netns', 'add', engine.#namespace]);
      await engine.inside('ip', ['link', 'set', 'lo', 'up']);
      await engine.up();
      await makeTestImages(engine.docker);
      return engine;
    } catch (error) {
      const log = path.join(engine.directory, 'log');
      const said = existsSync(log) ? readFileSync(log, 'utf8').slice(-2000) : '';
      await engine.remove();
      throw new Error(`no engine of its own: ${said}`, { cause: error });
    }
  }

  /** Prefixes the command to run in the namespace. */
  commandInside(command: string, args: readonly string[]): string[] {
    return ['nsenter', `--net=/run/netns/${this.#namespace}`, command, ...args];
  }

  /** Returns stdout. */
  async inside(command: string, args: readonly string[]): Promise<string> {
    const [program = '', ...line] = this.commandInside(command, args);
    const { stdout } = await run(program, line);
    return stdout;
  }

  /** Resolves when the daemon answers. */
  async up(): Promise<void> {
    const { liveRestore = true, flags = [], dataRoot = path.join(this.directory, 'data') } = this.options;
    mkdirSync(dataRoot, { recursive: true });
    const log = openSync(path.join(this.directory, 'log'), 'a');
    const own = ['--data-root', dataRoot, '--exec-root', path.join(this.directory, 'exec')];
    const child = spawn(
      'nsenter',
      [
        `--net=/run/netns/${this.#namespace}`,
        'dockerd',
        ...own,
        '--pidfile',
        path.join(this.directory, 'pid'),
        '-H',
        this.url,
        '--iptables=false',
        '--ip6tables=false',
        '--bridge=none',
        ...(liveRestore ? ['--live-restore'] : []),
        ...flags,
      ],
      { stdio: ['ignore', log, log] },
    );
    this.#child = child;
    const answers = async () => {
      if (child.exitCode !== null) throw new Error('the engine has ended');
      return this.docker.ping().then(
        () => true,
        () => false,
      );
    };
    await waitUntil('the engine to answer', answers, readyMs);
  }

  /** As a reboot or a package update. */
  async down(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    // No process reaps the children of a killed daemon: a new one would take the old containerd for alive.
    if (signal === 'SIGKILL') for (const file of ['pid', 'exec/containerd/containerd.pid']) this.#forget(file);
  }

  /** The daemon runs but does not answer. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  async remove(): Promise<void> {
    this.thaw();
    // Containers outlive the daemon: only a daemon can end them.
    if (!this.#child) await this.up().catch(() => undefined);
    await this.#removeContainers().catch(() => undefined);
    await this.down();
    const containerd = path.join(this.directory, 'exec/containerd/containerd.pid');
    if (existsSync(containerd)) await run('kill', [readFileSync(containerd, 'utf8').trim()]).catch(() => undefined);
    await run('ip', ['netns', 'delete', this.#namespace]).catch(() => undefined);
    for (const mount of this.#mounts()) await run('umount', ['-l', mount]).catch(() => undefined);
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  #forget(file: string): void {
    rmSync(path.join(this.directory, file), { force: true });
  }

  async #removeContainers(): Promise<void> {
    const left = await this.docker.listContainers({ all: true });
    await Promise.all(left.map(({ Id }) => this.docker.getContainer(Id).remove({ force: true })));
  }

  /** Mounts below its directory, innermost first. */
  #mounts(): string[] {
    return readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '')
      .filter((place) => place.startsWith(`${this.directory}/`))
      .toReversed();
  }
}
