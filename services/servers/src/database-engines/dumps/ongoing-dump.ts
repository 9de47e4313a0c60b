import { onAbort } from '@panel/kit/async';
import { fail } from '../../reasons.js';

interface DumpTimes {
  readonly limitMs: number;
  /** From or to the caller. */
  readonly stallMs: number;
}

export const dumpTimes: DumpTimes = { limitMs: 60 * 60_000, stallMs: 60_000 };

/**
 * Ends once: by itself, by the caller, at the limit or by a stall. `onEnd` runs at once, even while the caller holds
 * the stream.
 */
export class OngoingDump {
  readonly #controller = new AbortController();
  readonly #limit: NodeJS.Timeout;
  #stopListening: () => void = () => undefined;
  #stall: NodeJS.Timeout | undefined;
  #ended: Promise<void> | undefined;

  constructor(
    caller: AbortSignal,
    private readonly times: DumpTimes,
    private readonly onEnd: () => Promise<void>,
  ) {
    this.#limit = setTimeout(() => this.#giveUp(`it took longer than ${times.limitMs / 1_000} s`), times.limitMs);
    this.#stopListening = onAbort(caller, () => this.#abort(caller.reason));
  }

  /** The reason is the response's error. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  waitForCaller(): void {
    if (this.#ended) return;
    this.#stall ??= setTimeout(() => this.#giveUp(`no data for ${this.times.stallMs / 1_000} s`), this.times.stallMs);
  }

  proceed(): void {
    clearTimeout(this.#stall);
    this.#stall = undefined;
  }

  async end(): Promise<void> {
    this.#ended ??= this.#finish();
    return this.#ended;
  }

  async #finish(): Promise<void> {
    clearTimeout(this.#limit);
    this.proceed();
    this.#stopListening();
    await this.onEnd();
  }

  #giveUp(output: string): void {
    this.#abort(fail('DATABASE_DUMP_FAILED', `the dump was ended: ${output}`, { output }));
  }

  #abort(reason: unknown): void {
    this.#controller.abort(reason);
    void this.end();
  }
}
