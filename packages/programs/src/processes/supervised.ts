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

/** For a process that did not become ready: it may have started something that it wants to close. */
const failedStartGraceMs = 1_500;
const firstDelayMs = 200;
const longestDelayMs = 5_000;
/** A process that lived this long and then ended is not in a crash loop. */
const healthyAfterMs = 10_000;

export interface SupervisedProcess {
  readonly name: string;
  readonly pid: () => number;
  /** What the child said when it became ready; undefined for one that does not speak. */
  readonly said: () => ReadyMessage | undefined;
  /** Sends a signal and resolves once the process has ended (for signals that end it). It is started again. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Resolves when the process is ready, at once when it is. */
  whenReady(): Promise<void>;
  /** Ends it with SIGTERM and resolves when the next one is ready. */
  restart(): Promise<void>;
  /** SIGTERM, after `graceMs` SIGKILL; resolves when it is gone, with everything left in its process group. Idempotent. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Starts a process and keeps it running: one that ends by itself is started again with the same arguments after a growing
 * delay. Throws OperatorError when the first start fails; later failures are one line each in `log`.
 */
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
    // The exit of a process is seen a moment before the next one starts.
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
    // A restart that was in progress when the stop came.
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
      this.#log(`${this.name} ${describeExit(exit)}; starting it again${this.#whereLogged()}`);
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
