import type { LineRing } from '../server/console-session/line-ring.js';
import { plainText } from './sgr.js';

/** Lines from `from` up to `to` with times, without terminal escapes. */
export function linesAsText(ring: LineRing, from: number, to: number): string {
  const lines: string[] = [];
  for (let line = Math.max(from, ring.first); line < Math.min(to, ring.next); line++) {
    lines.push(`${new Date(ring.timeAt(line)).toISOString()} ${plainText(ring.rawAt(line))}`);
  }
  return lines.join('\n');
}
