/** Minor units. Safe integer even times 20 units and 10,000 basis points. */
export const maxPriceMinor = 1_000_000_000;
/** Of a balance or invoice, in minor units. */
export const maxTotalMinor = 100_000_000_000;

/** Half up: 0.5 → 1, -0.5 → 0. Safe integers, the second positive. */
export function divideHalfUp(numerator: number, denominator: number): number {
  return scaleHalfUp(numerator, 1, denominator);
}

/** `amount * numerator / denominator`, half up, without overflow. */
export function scaleHalfUp(amount: number, numerator: number, denominator: number): number {
  const [n, d] = [BigInt(amount) * BigInt(numerator), BigInt(denominator)];
  const doubled = 2n * n + d;
  const divisor = 2n * d;
  const quotient = doubled / divisor;
  // BigInt truncates towards zero; half up needs minus infinity.
  return Number(doubled < 0n && quotient * divisor !== doubled ? quotient - 1n : quotient);
}

/** `amount * numerator / denominator`, rounded towards zero, without overflow. */
export function scaleDown(amount: number, numerator: number, denominator: number): number {
  return Number((BigInt(amount) * BigInt(numerator)) / BigInt(denominator));
}

/**
 * Parts sum to `amount`, each within a unit of its exact share (difference of rounded running sums). Zero weights give
 * zeros.
 */
export function allocate(amount: number, weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return weights.map(() => 0);
  let seen = 0;
  let given = 0;
  return weights.map((weight) => {
    seen += weight;
    const upTo = scaleHalfUp(amount, seen, total);
    const part = upTo - given;
    given = upTo;
    return part;
  });
}

/** Of one of several equal units; all of them sum to `amount`. */
export function shareOfUnit(amount: number, quantity: number, unit: number): number {
  return (
    allocate(
      amount,
      Array.from({ length: quantity }, () => 1),
    )[unit] ?? 0
  );
}
