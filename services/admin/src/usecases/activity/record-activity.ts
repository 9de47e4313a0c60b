import type { AdminContext } from '../../context.js';
import { datedEvents, type ReceivedEvent } from '../../domain/activity.js';

/** Idempotent by event id. Throws INVALID_FIELDS for a future time. */
export async function recordActivity(
  { activity, clock }: AdminContext,
  events: readonly ReceivedEvent[],
): Promise<void> {
  await activity.add(datedEvents(events, clock()));
}
