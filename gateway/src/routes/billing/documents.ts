import { InvoiceDocument_Format, type InvoiceDocument } from '@panel/protos/billing';
import { required } from '../../declaration/present.js';
import { asAttachment } from '@panel/kit/http';
import { RawReply } from '../../http/raw-reply.js';

/** The page loads no resource and runs no script. */
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox allow-modals";

export function documentFormat(format: 'html' | 'pdf'): InvoiceDocument_Format {
  return format === 'html' ? InvoiceDocument_Format.HTML : InvoiceDocument_Format.PDF;
}

/** HTML page, or PDF. */
export function documentReply(document: InvoiceDocument | undefined): RawReply {
  const { format, content, fileName } = required(document, 'document');
  if (format === InvoiceDocument_Format.HTML) {
    return new RawReply('text/html', content, { headers: { 'Content-Security-Policy': pagePolicy } });
  }
  return new RawReply('application/pdf', content, { headers: { 'Content-Disposition': asAttachment(fileName) } });
}
