import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { MetricsPoint } from './point.js';
import { minuteTier, type Tier, tierFor, tiers } from './tiers.js';

const defaultRangeMs = 60 * minuteTier.stepMs;
/** Length of the longest tier. */
const maxPoints = 8_640;

export interface MetricsQuery {
  readonly from: Date | null;
  readonly to: Date | null;
  /** Null: the finest that covers the range. */
  readonly stepSeconds: number | null;
}

/** Equidistant, unknown points included. */
export interface MetricsRange {
  readonly from: Date;
  readonly to: Date;
  readonly stepSeconds: number;
  readonly points: readonly MetricsPoint[];
}

/** Steps are numbered as in the tier. Throws INVALID_ARGUMENT with the field. */
export function metricsSteps(
  query: MetricsQuery,
  at: Date,
): { readonly tier: Tier; readonly firstStep: number; readonly lastStep: number; readonly count: number } {
  const now = at.getTime();
  const toMs = Math.min(query.to?.getTime() ?? now, now);
  const fromMs = query.from?.getTime() ?? toMs - defaultRangeMs;
  if (fromMs >= toMs)
    throw invalidFields({ from: [fieldProblem('conflicting', 'must be before to, and in the past')] });
  const tier = query.stepSeconds === null ? tierFor(fromMs, now) : tierOfStep(query.stepSeconds);
  const lastStep = Math.ceil(toMs / tier.stepMs) - 1;
  // Wherever in a step the range begins.
  const count = Math.ceil((toMs - fromMs) / tier.stepMs);
  const firstStep = lastStep - count + 1;
  if (count > maxPoints)
    throw invalidFields({ from: [fieldProblem('out_of_range', `must be at most ${maxPoints} steps before to`)] });
  return { tier, firstStep, lastStep, count };
}

function tierOfStep(stepSeconds: number): Tier {
  const tier = tiers.find(({ stepMs }) => stepMs === stepSeconds * 1_000);
  if (!tier) throw invalidFields({ step: [fieldProblem('not_allowed', 'must be 10, 60 or 900')] });
  return tier;
}
