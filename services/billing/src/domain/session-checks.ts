const minute = 60_000;
/** When a gateway is asked about a payment page after it was opened: most are paid at once, the last ones end after a day. */
const pausesMs: readonly number[] = [2, 5, 15, 60, 240, 720, 1_560].map((minutes) => minutes * minute);

/** When the gateway is asked again after so many times; null: never. */
export function nextCheckAt(createdAt: Date, checks: number): Date | null {
  const pauseMs = pausesMs[checks];
  return pauseMs === undefined ? null : new Date(createdAt.getTime() + pauseMs);
}

export function firstCheckAt(createdAt: Date): Date {
  return nextCheckAt(createdAt, 0) ?? createdAt;
}
