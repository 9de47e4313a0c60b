/** "$" text would be a path. */
export function value(literal: unknown): unknown {
  return { $literal: literal };
}

/** A wrong clock of a replica cannot extend a lease. */
export const now = '$$NOW';
export function inMs(ms: number): unknown {
  return { $add: [now, ms] };
}
