import {
  describeExit,
  signalGroup,
  signalPid,
  spawnChild,
  type Child,
  type ChildSpec,
  type ReadyMessage,
} from './child.js';
import { OperatorError, type LogLine } from '../log.js';
import { pause } from '@panel/kit/async';

/** Time to close their parts. */
const failedStartGraceMs = 1_500;
const firstDelayMs = 200;
const longestDelayMs = 5_000;
/** A longer life is no crash loop. */
const healthyAfterMs = 10_000;

export interface SupervisedProcess {
  readonly name: string;
  readonly pid: () => number;
  /** The child's ready message; undefined for other programs. */
  readonly said: () => ReadyMessage | undefined;
  /** Resolves at the process's end; it restarts. */
  kill(signal: NodeJS.Signals): Promise<void>;
  whenReady(): Promise<void>;
  /** SIGTERM; resolves when the next process is ready. */
  restart(): Promise<void>;
  /** SIGTERM, after `graceMs` SIGKILL; includes the process group. Idempotent. */
  stop(graceMs: number): Promise<void>;
}

/** Restarts with growing delays. Throws OperatorError when the first start fails; later failures are lines in `log`. */
export async function supervise(spec: ChildSpec, log: LogLine): Promise<SupervisedProcess> {
  const supervisor = new Supervisor(spec, log);
  await supervisor.start();
  return supervisor;
}

class Supervisor implements SupervisedProcess {
  readonly name: string;
  readonly #spec: ChildSpec;
  readonly #log: LogLine;
  readonly #stopping = new AbortController();
  #child: Child | undefined;
  #said: ReadyMessage | undefined;
  #ready: Promise<void> = Promise.resolve();
  #loop: Promise<void> = Promise.resolve();

  constructor(spec: ChildSpec, log: LogLine) {
    this.name = spec.name;
    this.#spec = spec;
    this.#log = log;
  }

  readonly pid = (): number => this.#child?.pid ?? 0;
  readonly said = (): ReadyMessage | undefined => this.#said;

  async start(): Promise<void> {
    try {
      await this.#launch();
    } catch (error) {
      throw new OperatorError(`${this.name} did not start: ${messageOf(error)}${this.#whereLogged()}`);
    }
    this.#loop = this.#keepRunning();
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || !signalPid(child.pid, signal)) return;
    if (signal === 'SIGSTOP' || signal === 'SIGCONT') return;
    await child.exited;
  }

  async whenReady(): Promise<void> {
    // The exit event precedes the next start.
    await new Promise((resolve) => setImmediate(resolve));
    await this.#ready;
  }

  async restart(): Promise<void> {
    await this.kill('SIGTERM');
    await this.whenReady();
  }

  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    const child = this.#child;
    if (child) await end(child, graceMs);
    await this.#loop;
    // A restart in progress at the stop.
    if (this.#child && this.#child !== child) await end(this.#child, graceMs);
  }

  async #launch(): Promise<void> {
    const child = spawnChild(this.#spec);
    this.#child = child;
    try {
      this.#said = await child.ready;
      this.#spec.onReady?.();
    } catch (error) {
      await end(child, failedStartGraceMs);
      throw error;
    }
  }

  async #keepRunning(): Promise<void> {
    let delayMs = firstDelayMs;
    while (!this.#stopping.signal.aborted) {
      const startedAt = Date.now();
      const exit = await this.#child?.exited;
      if (this.#stopping.signal.aborted || !exit) return;
      if (Date.now() - startedAt > healthyAfterMs) delayMs = firstDelayMs;
      this.#log(`${this.name} ${describeExit(exit)}; starting it again${this.#whereLogged()}${this.#lastError()}`);
      this.#ready = this.#launchUntilReady(delayMs);
      await this.#ready;
      delayMs = Math.min(delayMs * 2, longestDelayMs);
    }
  }

  async #launchUntilReady(firstWaitMs: number): Promise<void> {
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestDelayMs)) {
      await pause(waitMs, this.#stopping.signal);
      if (this.#stopping.signal.aborted) return;
      try {
        await this.#launch();
        this.#log(`${this.name} is back`);
        return;
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#log(`${this.name} does not start: ${messageOf(error)}; trying again`);
      }
    }
  }

  #lastError(): string {
    const line = this.#child?.lastErrors().at(-1);
    return line === undefined ? '' : `; its last error: ${line}`;
  }

  #whereLogged(): string {
    return this.#spec.logFile === undefined ? '' : ` (log: ${this.#spec.logFile})`;
  }
}

async function end(child: Child, graceMs: number): Promise<void> {
  if (!child.hasExited()) {
    if (graceMs > 0) signalPid(child.pid, 'SIGTERM');
    const timer = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), graceMs);
    await child.exited;
    clearTimeout(timer);
  }
  signalGroup(child.pid, 'SIGKILL');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
