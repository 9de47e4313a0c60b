import { parentPort } from 'node:worker_threads';
import { ownBytes, type ThreadFailure, threadFailureOf } from '@panel/kit/threads';
import { loadFonts } from './fonts.js';
import type { InvoiceView } from './invoice-view.js';
import { renderInvoicePdf } from './render-pdf.js';

export type PdfResponse = { readonly kind: 'pdf'; readonly bytes: Uint8Array<ArrayBuffer> } | ThreadFailure;

const fonts = loadFonts();

parentPort?.on('message', (view: InvoiceView) => {
  void answer(view).then((response) =>
    parentPort?.postMessage(response, response.kind === 'pdf' ? [response.bytes.buffer] : []),
  );
});

async function answer(view: InvoiceView): Promise<PdfResponse> {
  try {
    return { kind: 'pdf', bytes: ownBytes(await renderInvoicePdf(view, fonts)) };
  } catch (error) {
    return threadFailureOf(error);
  }
}
