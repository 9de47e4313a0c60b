import type { AdminContext } from '../../context.js';
import { datedEvents, type ReceivedEvent } from '../../domain/activity.js';

/** Store events; one whose id is known already is skipped. Throws INVALID_FIELDS for a time in the future. */
export async function recordActivity(
  { activity, clock }: AdminContext,
  events: readonly ReceivedEvent[],
): Promise<void> {
  await activity.add(datedEvents(events, clock()));
}
