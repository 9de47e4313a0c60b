const pauseMs = 2_050;

/** Sends commands in order at the panel's rate limit. */
export class CommandQueue {
  #waiting: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #send: (command: string) => boolean;
  readonly #onChange: (waiting: number) => void;

  constructor(send: (command: string) => boolean, onChange: (waiting: number) => void) {
    this.#send = send;
    this.#onChange = onChange;
  }

  add(commands: readonly string[]): void {
    this.#waiting.push(...commands);
    this.#onChange(this.#waiting.length);
    if (this.#timer === undefined) this.#sendNext();
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
    this.#onChange(0);
  }

  #sendNext(): void {
    this.#timer = undefined;
    const [next, ...rest] = this.#waiting;
    if (next === undefined) return;
    if (this.#send(next)) this.#waiting = rest;
    this.#onChange(this.#waiting.length);
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#sendNext(), pauseMs);
  }
}
