import { errorOf, runJob, ThreadPool, threadFailureOf, TurnQueue } from '@panel/kit/threads';
import type { InvoiceView } from './invoice-view.js';
import type { PdfResponse } from './pdf-thread.js';

/** Fonts are read with the first document: 0.2 s. */
const idleMs = 60_000;
const maxHeapMb = 256;

/** A document takes 0.1 s of a processor, which is not the event loop's. One at a time: customers take turns. */
export class PdfThreads {
  readonly #threads = new ThreadPool(new URL('./pdf-thread.js', import.meta.url), { maxHeapMb, idleMs });
  readonly #turns = new TurnQueue({ concurrency: 1 });
  readonly #never = new AbortController().signal;

  async render(view: InvoiceView, customerId: string): Promise<Buffer> {
    const free = await this.#turns.take(customerId, this.#never);
    try {
      const thread = this.#threads.take();
      const { response, isThreadUsable } = await runJob<PdfResponse>(thread, view, [], threadFailureOf);
      if (isThreadUsable) this.#threads.keep(thread);
      if (response.kind !== 'pdf') throw errorOf(response);
      return Buffer.from(response.bytes.buffer);
    } finally {
      free();
    }
  }
}
