import { scaleHalfUp } from './money.js';

/** By milliseconds, half up: full price before the start, 0 after the end. */
export function prorate(priceMinor: number, period: { readonly start: Date; readonly end: Date }, at: Date): number {
  const whole = period.end.getTime() - period.start.getTime();
  if (whole <= 0) return 0;
  const rest = Math.min(whole, Math.max(0, period.end.getTime() - at.getTime()));
  return scaleHalfUp(priceMinor, rest, whole);
}
