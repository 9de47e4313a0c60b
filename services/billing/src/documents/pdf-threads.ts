import { errorOf, ThreadTurns } from '@panel/kit/threads';
import type { PdfRequest, PdfResponse } from './pdf-thread.js';

/** Fonts are read with the first document: 0.2 s. */
const idleMs = 60_000;
const maxHeapMb = 256;

/** A document takes 0.1 s of a processor, which is not the event loop's. One at a time. */
export class PdfThreads {
  readonly #threads = new ThreadTurns<PdfRequest, PdfResponse>(new URL('./pdf-thread.js', import.meta.url), {
    maxHeapMb,
    idleMs,
    concurrency: 1,
  });

  async render(request: PdfRequest, customerId: string): Promise<Buffer> {
    const response = await this.#threads.run(customerId, request);
    if (response.kind !== 'pdf') throw errorOf(response);
    return Buffer.from(response.bytes.buffer);
  }
}
