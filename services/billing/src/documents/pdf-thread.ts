import { parentPort } from 'node:worker_threads';
import { ownBytes, type ThreadFailure, threadFailureOf } from '@panel/kit/threads';
import type { EInvoiceAttachment } from './e-invoice-attachment.js';
import { loadFonts } from './fonts.js';
import type { InvoiceView } from './invoice-view.js';
import { renderInvoicePdf } from './render-pdf.js';

export interface PdfRequest {
  readonly view: InvoiceView;
  /** Null: a PDF without one. */
  readonly eInvoice: EInvoiceAttachment | null;
}

export type PdfResponse = { readonly kind: 'pdf'; readonly bytes: Uint8Array<ArrayBuffer> } | ThreadFailure;

const fonts = loadFonts();

parentPort?.on('message', (request: PdfRequest) => {
  void answer(request).then((response) =>
    parentPort?.postMessage(response, response.kind === 'pdf' ? [response.bytes.buffer] : []),
  );
});

async function answer({ view, eInvoice }: PdfRequest): Promise<PdfResponse> {
  try {
    return { kind: 'pdf', bytes: ownBytes(await renderInvoicePdf(view, fonts, eInvoice)) };
  } catch (error) {
    return threadFailureOf(error);
  }
}
