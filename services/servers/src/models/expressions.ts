/** Prevents "$" text from being a path. */
export function value(literal: unknown): unknown {
  return { $literal: literal };
}

/** The database's clock: a replica's wrong clock cannot extend a lease. */
export const now = '$$NOW';
export function inMs(ms: number): unknown {
  return { $add: [now, ms] };
}
