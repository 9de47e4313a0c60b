import { messageBytes } from './limits.js';

/** Batches frames of one event loop turn and of a blocked stream: more load gives larger messages. */
export class FrameQueue<Frame extends object> {
  readonly #sizes = new Map<Frame, number>();
  #bytes = 0;
  #isScheduled = false;
  #isHeld: boolean;

  /** `write` returns false while blocked, until `resume`. */
  constructor(
    private readonly write: (frames: Frame[]) => boolean,
    isHeld = false,
  ) {
    this.#isHeld = isHeld;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(frame: Frame, size: number): void {
    this.#sizes.set(frame, size);
    this.#bytes += size;
    if (this.#isScheduled || this.#isHeld) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }

  has(frame: Frame): boolean {
    return this.#sizes.has(frame);
  }

  /** False when already written. */
  drop(frame: Frame): boolean {
    this.#bytes -= this.#sizes.get(frame) ?? 0;
    return this.#sizes.delete(frame);
  }

  resume(): void {
    this.#isHeld = false;
    this.flush();
  }

  /** Writes waiting frames unless the stream is blocked. */
  flush(): void {
    while (!this.#isHeld && this.#sizes.size > 0) this.#isHeld = !this.write(this.#take());
  }

  clear(): void {
    this.#sizes.clear();
    this.#bytes = 0;
  }

  #take(): Frame[] {
    const frames: Frame[] = [];
    let bytes = 0;
    for (const [frame, size] of this.#sizes) {
      if (frames.length > 0 && bytes + size > messageBytes) break;
      bytes += size;
      frames.push(frame);
      this.#sizes.delete(frame);
    }
    this.#bytes -= bytes;
    return frames;
  }
}
