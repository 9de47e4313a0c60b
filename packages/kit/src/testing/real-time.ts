import { pause } from '../async/pause.js';

/**
 * For what no event and no clock of a test ends: kernels, games, TCP, other processes. `reason` says what passes
 * meanwhile.
 */
export async function realTime(ms: number, _reason: string): Promise<void> {
  await pause(ms);
}
