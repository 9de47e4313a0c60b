import { randomUUID } from 'node:crypto';
import { pause } from '@panel/kit/async';
import { AppError, isAppError } from '@panel/kit/errors';
import { type Logger, TestClock } from '@panel/kit/process';
import type { ClockSource } from './clock-source.js';

/** Of one question; shorter than the silence after which a process counts as ended. */
const waitMs = 1_000;
const retryMs = 200;
/** Everything starts at once. */
const startPatienceMs = 60_000;

interface FollowedClockOptions {
  /** Of the service. */
  readonly name: string;
  readonly source: ClockSource;
  readonly log: Logger;
}

/** The test clock of the installation in this process. */
export class FollowedClock {
  readonly #stopping = new AbortController();
  /** Runs what a move made due; set by `settleBy`. */
  #setRush: (rush: () => Promise<void>) => void = () => undefined;
  readonly #rush = new Promise<() => Promise<void>>((resolve) => (this.#setRush = resolve));
  #settledRound = 0;
  #knownRound: number;
  #following: Promise<void> | null = null;
  #rushing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly options: FollowedClockOptions,
    private readonly processId: string,
    readonly clock: TestClock,
    round: number,
  ) {
    this.#knownRound = round;
    this.#settle(round);
    this.#following = this.#follow();
  }

  /** With the time of the installation. Throws the refusal of the admin service, or SERVICE_UNAVAILABLE after a minute. */
  static async start(options: FollowedClockOptions): Promise<FollowedClock> {
    const { source, name, log } = options;
    const endsAt = performance.now() + startPatienceMs;
    const processId = randomUUID();
    const question = { processId, service: name, settledRound: 0, knownRound: 0, waitMs: 0 };
    for (;;) {
      try {
        const { offsetMs, round } = await source.follow(question, AbortSignal.timeout(startPatienceMs));
        const clock = new TestClock(offsetMs);
        log.warn({ now: clock.now() }, 'TEST_CLOCK is on: the time of this installation is moved by its staff');
        return new FollowedClock(options, processId, clock, round);
      } catch (error) {
        if (!isTemporary(error) || performance.now() > endsAt) throw error;
      }
      await pause(retryMs);
    }
  }

  /** Rounds settle from now on: after `rush`. */
  settleBy(rush: () => Promise<void>): void {
    this.#setRush(rush);
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new AppError('unavailable', 'STOPPING', 'the process stops'));
    this.#setRush(async () => undefined);
    await Promise.all([this.#following, this.#rushing]);
  }

  async #follow(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      if (!(await this.#ask(waitMs))) await pause(retryMs, this.#stopping.signal);
    }
  }

  /** False: no answer. */
  async #ask(ms: number): Promise<boolean> {
    const { name: service, source, log } = this.options;
    const known = { processId: this.processId, settledRound: this.#settledRound, knownRound: this.#knownRound };
    try {
      const { offsetMs, round } = await source.follow({ ...known, service, waitMs: ms }, this.#stopping.signal);
      if (round > this.#knownRound) this.#moveTo(offsetMs, round);
      return true;
    } catch (error) {
      if (!this.#stopping.signal.aborted) log.debug({ err: error }, 'the test clock was not read');
      return false;
    }
  }

  #moveTo(offsetMs: number, round: number): void {
    this.#knownRound = round;
    this.clock.moveTo(offsetMs);
    this.#settle(round);
  }

  #settle(round: number): void {
    const before = this.#rushing;
    this.#rushing = (async () => {
      const rush = await this.#rush;
      await before;
      await rush();
      if (this.#stopping.signal.aborted || round < this.#knownRound) return;
      this.#settledRound = round;
      await this.#ask(0);
    })();
  }
}

function isTemporary(error: unknown): boolean {
  return isAppError(error) && ['unavailable', 'deadline_exceeded', 'unimplemented', 'aborted'].includes(error.kind);
}
