import { scaleHalfUp } from './money.js';

/** The part of a price that the rest of a period is worth: by milliseconds, half up; all of it before its start, none after. */
export function prorate(priceMinor: number, period: { readonly start: Date; readonly end: Date }, at: Date): number {
  const whole = period.end.getTime() - period.start.getTime();
  if (whole <= 0) return 0;
  const rest = Math.min(whole, Math.max(0, period.end.getTime() - at.getTime()));
  return scaleHalfUp(priceMinor, rest, whole);
}
