const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** One resolution of the history of a server. Times are cut into steps, and steps into buckets: one document each. */
export interface Tier {
  readonly name: 'fine' | 'minute' | 'quarter';
  readonly stepMs: number;
  readonly bucketMs: number;
  readonly retentionMs: number;
}

export const fineTier: Tier = { name: 'fine', stepMs: 10_000, bucketMs: 10 * minuteMs, retentionMs: hourMs };
export const minuteTier: Tier = { name: 'minute', stepMs: minuteMs, bucketMs: hourMs, retentionMs: dayMs };
export const quarterTier: Tier = { name: 'quarter', stepMs: 15 * minuteMs, bucketMs: dayMs, retentionMs: 90 * dayMs };

/** From the finest to the coarsest. */
export const tiers: readonly Tier[] = [fineTier, minuteTier, quarterTier];

/** Number of the step that contains a time. */
export function stepOf({ stepMs }: Tier, timeMs: number): number {
  return Math.floor(timeMs / stepMs);
}

/** Where a step is stored: the number of its bucket and its place in it. */
export function placeOf({ stepMs, bucketMs }: Tier, step: number): { readonly bucket: number; readonly index: number } {
  const perBucket = bucketMs / stepMs;
  const bucket = Math.floor(step / perBucket);
  return { bucket, index: step - bucket * perBucket };
}

/** The finest tier that still holds all of a time that begins at `fromMs`; the coarsest when none does. */
export function tierFor(fromMs: number, nowMs: number): Tier {
  // The step that begins before the retention ends is still there.
  const holds = ({ retentionMs, stepMs }: Tier) => nowMs - fromMs <= retentionMs + stepMs;
  return tiers.find(holds) ?? quarterTier;
}
