/** A request with the most files of ours and gRPC calls that it may take. */
interface Bound {
  readonly line: string;
  /** Sent as bytes unless it is JSON. */
  readonly body?: string;
  readonly files: number;
  readonly calls: number;
}

/** Files leave room for periodic jobs; calls are exact. */
export const bounds: readonly Bound[] = [
  { line: 'GET /servers/{id}', files: 55, calls: 1 },
  { line: 'PUT /servers/{id}/startup', body: '{"environment":{}}', files: 72, calls: 1 },
  { line: 'PUT /servers/{id}/files/write?path=/walk.txt', body: 'walked', files: 125, calls: 2 },
];

/** What exceeds a bound, and answers other than 2xx. */
export function excessOf(
  { line, files, calls }: Bound,
  counted: { readonly status: number; readonly files: number; readonly calls: number },
): string[] {
  return [
    ...(counted.status >= 200 && counted.status < 300 ? [] : [`${line}: answered ${counted.status}`]),
    ...(counted.files > files ? [`${line}: ${counted.files} files, bound ${files}`] : []),
    ...(counted.calls > calls ? [`${line}: ${counted.calls} gRPC calls, bound ${calls}`] : []),
  ];
}
