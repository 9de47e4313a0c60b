/** Prints what happens, with its day. */
export class Timeline {
  readonly #lines: string[] = [];
  readonly #beganAt = performance.now();

  constructor(
    private readonly print: (line: string) => void,
    private readonly printProgress: (line: string) => void = () => undefined,
  ) {}

  get lines(): readonly string[] {
    return this.#lines;
  }

  get seconds(): number {
    return (performance.now() - this.#beganAt) / 1_000;
  }

  add(at: Date, text: string): void {
    const line = `${at.toISOString().slice(0, 10)}  ${text}`;
    this.#lines.push(line);
    this.print(line);
  }

  /** Of the installation, with the real time since the beginning. */
  progress(text: string): void {
    this.printProgress(`[${this.seconds.toFixed(0).padStart(3)} s] ${text}`);
  }
}
