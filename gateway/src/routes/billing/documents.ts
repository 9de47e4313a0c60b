import { InvoiceDocument_Format, type InvoiceDocument } from '@panel/protos/billing';
import { required } from '../../declaration/present.js';
import { asAttachment } from '@panel/kit/http';
import { RawReply } from '../../http/raw-reply.js';

/** The page loads no resource and runs no script. */
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox allow-modals";

const formats = {
  html: InvoiceDocument_Format.HTML,
  pdf: InvoiceDocument_Format.PDF,
  xml: InvoiceDocument_Format.XML,
} as const;

export function documentFormat(format: keyof typeof formats): InvoiceDocument_Format {
  return formats[format];
}

/** HTML page, PDF or XML. */
export function documentReply(document: InvoiceDocument | undefined): RawReply {
  const { format, content, fileName } = required(document, 'document');
  if (format === InvoiceDocument_Format.HTML) {
    return new RawReply('text/html', content, { headers: { 'Content-Security-Policy': pagePolicy } });
  }
  const type = format === InvoiceDocument_Format.XML ? 'application/xml' : 'application/pdf';
  return new RawReply(type, content, { headers: { 'Content-Disposition': asAttachment(fileName) } });
}
