const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Times divide into steps, steps into buckets (documents). */
export interface Tier {
  readonly name: 'fine' | 'minute' | 'quarter';
  readonly stepMs: number;
  readonly bucketMs: number;
  readonly retentionMs: number;
}

export const fineTier: Tier = { name: 'fine', stepMs: 10_000, bucketMs: 10 * minuteMs, retentionMs: hourMs };
export const minuteTier: Tier = { name: 'minute', stepMs: minuteMs, bucketMs: hourMs, retentionMs: dayMs };
export const quarterTier: Tier = { name: 'quarter', stepMs: 15 * minuteMs, bucketMs: dayMs, retentionMs: 90 * dayMs };

/** Finest first. */
export const tiers: readonly Tier[] = [fineTier, minuteTier, quarterTier];

export function stepOf({ stepMs }: Tier, timeMs: number): number {
  return Math.floor(timeMs / stepMs);
}

export function placeOf({ stepMs, bucketMs }: Tier, step: number): { readonly bucket: number; readonly index: number } {
  const perBucket = bucketMs / stepMs;
  const bucket = Math.floor(step / perBucket);
  return { bucket, index: step - bucket * perBucket };
}

/** The finest tier that covers `fromMs`, else the coarsest. */
export function tierFor(fromMs: number, nowMs: number): Tier {
  // The step that begins before the limit still exists.
  const holds = ({ retentionMs, stepMs }: Tier) => nowMs - fromMs <= retentionMs + stepMs;
  return tiers.find(holds) ?? quarterTier;
}
