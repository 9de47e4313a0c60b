import type { IncomingHttpHeaders } from 'node:http';

/** What a request for bytes says about the version and the part that it wants. */
export interface DownloadHeaders {
  readonly range: string | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly ifRange: string | undefined;
}

export function downloadHeadersOf(headers: IncomingHttpHeaders): DownloadHeaders {
  const textOf = (header: string | string[] | undefined) => (typeof header === 'string' ? header : undefined);
  const { range, 'if-none-match': ifNoneMatch, 'if-range': ifRange } = headers;
  return { range: textOf(range), ifNoneMatch: textOf(ifNoneMatch), ifRange: textOf(ifRange) };
}
