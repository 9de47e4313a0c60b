const minute = 60_000;
/** Ages of a payment page at its status queries: most are paid at once, and pages end after a day. */
const pausesMs: readonly number[] = [2, 5, 15, 60, 240, 720, 1_560].map((minutes) => minutes * minute);

/** Null: no further query. */
export function nextCheckAt(createdAt: Date, checks: number): Date | null {
  const pauseMs = pausesMs[checks];
  return pauseMs === undefined ? null : new Date(createdAt.getTime() + pauseMs);
}

export function firstCheckAt(createdAt: Date): Date {
  return nextCheckAt(createdAt, 0) ?? createdAt;
}
