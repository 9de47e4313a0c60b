import { firstOf } from '@panel/kit/async';
import type { Job } from '@panel/kit/process';
import { type ClockRecord, maxAdvanceMs, maxOffsetMs, nextStep, waitingFor } from '../domain/test-clock.js';
import type { TestClockStore } from '../models/test-clock.js';
import { testClockOff } from '../reasons.js';

/** What other replicas do is seen as late. */
const pollMs = 100;
const maxWaitMs = 2_000;

export interface ClockView extends ClockRecord {
  readonly waitingFor: readonly string[];
}

interface ClockReport {
  readonly processId: string;
  readonly service: string;
  readonly settledRound: number;
  readonly knownRound: number;
  readonly waitMs: number;
}

/** Moves the test clock on every replica, each step once. */
export class ClockKeeper {
  readonly #reported = new Wake();
  readonly #moved = new Wake();

  constructor(private readonly store: TestClockStore) {}

  async read(): Promise<ClockView> {
    const [clock, processes] = await Promise.all([this.#find(), this.store.processes()]);
    return { ...clock, waitingFor: waitingFor(processes, clock.round) };
  }

  /** See `TestClockStore`. */
  async advanceBy(advanceMs: number): Promise<boolean> {
    return (await this.store.advanceBy(advanceMs)) !== null;
  }

  /** See `TestClockStore`. */
  async advanceTo(targetMs: number): Promise<boolean> {
    return targetMs <= maxOffsetMs && (await this.store.advanceTo(targetMs, maxAdvanceMs)) !== null;
  }

  /** Resolves at another round than the known one, or after `waitMs`. */
  async follow({ knownRound, waitMs, ...report }: ClockReport, signal: AbortSignal): Promise<ClockRecord> {
    await this.store.report(report);
    this.#reported.now();
    const endsAt = performance.now() + Math.min(waitMs, maxWaitMs);
    for (;;) {
      const moved = this.#moved.next;
      const clock = await this.#find();
      const leftMs = endsAt - performance.now();
      if (clock.round !== knownRound || leftMs <= 0 || signal.aborted) return clock;
      await firstOf(moved, Math.min(pollMs, leftMs), undefined);
    }
  }

  asJob(): Job {
    return {
      name: 'advance-test-clock',
      intervalMs: pollMs,
      isTimed: false,
      run: async (signal) => this.#drive(signal),
    };
  }

  /** Until a process is waited for, or no move goes on. */
  async #drive(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const reported = this.#reported.next;
      const view = await this.read();
      const step = nextStep(view);
      if (!step) return;
      if (view.waitingFor.length > 0) await firstOf(reported, pollMs, undefined);
      else if (await this.store.step(view, step)) this.#moved.now();
    }
  }

  async #find(): Promise<ClockRecord> {
    const clock = await this.store.find();
    if (clock === null) throw testClockOff();
    return clock;
  }
}

class Wake {
  #next = new Gate();

  get next(): Promise<void> {
    return this.#next.opened;
  }

  now(): void {
    this.#next.open();
    this.#next = new Gate();
  }
}

class Gate {
  open: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
}
