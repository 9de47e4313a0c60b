import type { IncomingMessage } from 'node:http';

/** Version and range conditions. */
export interface DownloadHeaders {
  readonly range: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly ifRange: string | undefined;
}

/** Ranges apply to GET only (RFC 9110 §14.2). */
export function downloadHeadersOf({ headers, method }: IncomingMessage): DownloadHeaders {
  const textOf = (header: string | string[] | undefined) => (typeof header === 'string' ? header : undefined);
  const { range, 'if-none-match': ifNoneMatch, 'if-range': ifRange } = headers;
  return {
    range: method === 'GET' ? textOf(range) : undefined,
    ifNoneMatch: textOf(ifNoneMatch),
    ifRange: textOf(ifRange),
  };
}
