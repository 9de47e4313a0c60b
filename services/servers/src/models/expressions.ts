/** A value as it is: without this, text that begins with "$" would be read as a path. */
export function value(literal: unknown): unknown {
  return { $literal: literal };
}

/** The database's clock, so that a replica with a wrong one holds no lease too long. */
export const now = '$$NOW';
export function inMs(ms: number): unknown {
  return { $add: [now, ms] };
}
