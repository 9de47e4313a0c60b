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
  /** Whether its containers continue while it is unavailable. */
  readonly liveRestore?: boolean;
  /** More of its command line. */
  readonly flags?: readonly string[];
  /** Where its images and containers are kept; a directory of its own unless given. */
  readonly dataRoot?: string;
}

/** Why this machine cannot start an engine of the test's own, or null. */
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

/**
 * A container engine of the test's own, to be stopped, killed and filled up: in a network namespace of its own, because
 * its bridges would meet those of the machine's engine.
 */
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

  /** Started, with the images of the tests. */
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

  /** A command line that runs in its network. */
  commandInside(command: string, args: readonly string[]): string[] {
    return ['nsenter', `--net=/run/netns/${this.#namespace}`, command, ...args];
  }

  /** Run a command in its network; answers what it prints. */
  async inside(command: string, args: readonly string[]): Promise<string> {
    const [program = '', ...line] = this.commandInside(command, args);
    const { stdout } = await run(program, line);
    return stdout;
  }

  /** Start the daemon, and wait until it answers. */
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
    const until = performance.now() + readyMs;
    for (;;) {
      const answers = await this.docker.ping().then(
        () => true,
        () => false,
      );
      if (answers) return;
      if (child.exitCode !== null || performance.now() > until) throw new Error('the engine does not answer');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** As a reboot of its machine does, or an update of its package. */
  async down(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
    // Nothing reaps what a killed daemon leaves, so that a new one would take the old containerd for alive.
    if (signal === 'SIGKILL') for (const file of ['pid', 'exec/containerd/containerd.pid']) this.#forget(file);
  }

  /** The daemon is there and answers nothing. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  async remove(): Promise<void> {
    this.thaw();
    // Its containers outlive it: without a daemon they could not be ended.
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

  /** What the daemon has mounted below its directory, the innermost first. */
  #mounts(): string[] {
    return readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '')
      .filter((place) => place.startsWith(`${this.directory}/`))
      .toReversed();
  }
}
