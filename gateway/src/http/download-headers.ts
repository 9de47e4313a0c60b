import type { IncomingMessage } from 'node:http';

/** What a request for bytes says about the version and the part that it wants. */
export interface DownloadHeaders {
  readonly range: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly ifRange: string | undefined;
}

/** Only a GET can ask for a part (RFC 9110 §14.2). */
export function downloadHeadersOf({ headers, method }: IncomingMessage): DownloadHeaders {
  const textOf = (header: string | string[] | undefined) => (typeof header === 'string' ? header : undefined);
  const { range, 'if-none-match': ifNoneMatch, 'if-range': ifRange } = headers;
  return {
    range: method === 'GET' ? textOf(range) : undefined,
    ifNoneMatch: textOf(ifNoneMatch),
    ifRange: textOf(ifRange),
  };
}
