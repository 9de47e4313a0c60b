import type { Runtime } from '@panel/runtime';
import type { ConsoleLine } from './console-events.js';
import type { LinePosition } from './line-positions.js';
import { LineSplitter } from './line-splitter.js';

/** Output that is read for one request at most. */
const maxBytes = 16 * 1024 * 1024;

interface OlderLinesRequest {
  readonly runtime: Pick<Runtime, 'readOutput'>;
  readonly serverId: string;
  /** Places to begin at, in the order in which they are tried. */
  readonly positions: readonly LinePosition[];
  /** Numbers of the first line, and of the line after the last. */
  readonly from: number;
  readonly before: number;
  /** The line with the number `before`, where it is known: proof that the lines are numbered as before. */
  readonly next: string | null;
  readonly signal: AbortSignal;
}

/** Lines of a run that its engine still holds, numbered as they were when they were new; none where it does not. */
export async function readOlderLines(request: OlderLinesRequest): Promise<ConsoleLine[]> {
  for (const position of request.positions) {
    const lines = await readFrom(position, request);
    if (lines !== null) return lines;
  }
  return [];
}

/** Null when the output after this place is no longer held as a whole. */
async function readFrom(
  { cursor, sequence }: LinePosition,
  { runtime, serverId, from, before, next, signal }: OlderLinesRequest,
): Promise<ConsoleLine[] | null> {
  const stop = new AbortController();
  const options = { signal: AbortSignal.any([signal, stop.signal]), ...(cursor === null ? {} : { after: cursor }) };
  const splitter = new LineSplitter();
  const lines: ConsoleLine[] = [];
  let [number, bytes] = [sequence, 0];
  try {
    for await (const chunk of runtime.readOutput(serverId, options)) {
      bytes += chunk.data.length;
      if (chunk.isAfterGap === true || bytes > maxBytes) return null;
      for (const { text, isShown } of splitter.push(chunk.data)) {
        if (!isShown) continue;
        number += 1;
        if (number >= from && number < before) lines.push({ sequence: number, text, at: chunk.at });
        if (number === before) return next === null || next === text ? lines : null;
      }
    }
    return null;
  } finally {
    stop.abort();
  }
}
