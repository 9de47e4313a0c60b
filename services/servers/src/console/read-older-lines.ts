import type { Runtime } from '@panel/runtime';
import type { ConsoleLine } from './console-events.js';
import type { LinePosition } from './line-positions.js';
import { isSameLine, LineSplitter } from './line-splitter.js';

/** Per request. */
const maxBytes = 16 * 1024 * 1024;

interface OlderLinesRequest {
  readonly runtime: Pick<Runtime, 'readOutput'>;
  readonly serverId: string;
  /** Tried in this order. */
  readonly positions: readonly LinePosition[];
  /** Half-open range of line numbers. */
  readonly from: number;
  readonly before: number;
  /** Line `before`, null if unknown: proves unchanged numbers. */
  readonly next: string | null;
  /** Up to 1 MiB a line. */
  readonly isWhole?: boolean;
  readonly signal: AbortSignal;
}

/** Empty if the engine dropped them. */
export async function readOlderLines(request: OlderLinesRequest): Promise<ConsoleLine[]> {
  for (const position of request.positions) {
    const lines = await readFrom(position, request);
    if (lines !== null) return lines;
  }
  return [];
}

/** Null: incomplete output after this position. */
async function readFrom(
  { cursor, sequence }: LinePosition,
  { runtime, serverId, from, before, next, isWhole = false, signal }: OlderLinesRequest,
): Promise<ConsoleLine[] | null> {
  const stop = new AbortController();
  const options = { signal: AbortSignal.any([signal, stop.signal]), ...(cursor === null ? {} : { after: cursor }) };
  const splitter = new LineSplitter(isWhole);
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
        if (number === before - 1 && next === null) return lines;
        if (number === before) return next === null || isSameLine(text, next) ? lines : null;
      }
    }
    return null;
  } finally {
    stop.abort();
  }
}
