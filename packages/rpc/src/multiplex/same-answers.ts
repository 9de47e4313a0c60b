/** Larger answers are not kept. */
const maxAnswerBytes = 64 * 1024;
/** All kept payloads together; what has been made of them takes some times as much. */
const maxTotalBytes = 2 * 1024 * 1024;

interface Kept {
  readonly payload: Buffer;
  readonly value: unknown;
}

/**
 * Answers to questions that are asked again and again: as long as the bytes are the same, the message they were decoded
 * to is given again, the same object, so that what a caller makes of it can be kept with it. Nothing is ever answered
 * from here: the question is asked every time.
 */
export class SameAnswers {
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** The message of `payload`; `question` is everything the answer depends on. */
  decode(question: string, payload: Buffer, decode: (payload: Buffer) => unknown): unknown {
    const known = this.#kept.get(question);
    if (known?.payload.equals(payload)) return known.value;
    const value = decode(payload);
    if (known) this.#forget(question, known);
    if (payload.length <= maxAnswerBytes) this.#keep(question, { payload, value });
    return value;
  }

  #keep(question: string, kept: Kept): void {
    this.#kept.set(question, kept);
    this.#bytes += kept.payload.length;
    for (const [oldest, it] of this.#kept) {
      if (this.#bytes <= maxTotalBytes) return;
      this.#forget(oldest, it);
    }
  }

  #forget(question: string, { payload }: Kept): void {
    this.#kept.delete(question);
    this.#bytes -= payload.length;
  }
}
