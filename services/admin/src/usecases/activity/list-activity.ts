import type { PageQuery } from '@panel/kit/mongo';
import { type Caller, isStaff } from '@panel/rpc';
import type { AdminContext } from '../../context.js';
import { type ActivityEvent, type ActivityFilter, redactFor } from '../../domain/activity.js';

/** Users without staff rights see origins only of their own and unauthenticated actions. */
export async function listActivity(
  { activity }: AdminContext,
  caller: Caller,
  filter: ActivityFilter,
  page: PageQuery,
): Promise<{ readonly events: ActivityEvent[]; readonly total: number }> {
  const { actor } = caller;
  const { events, total } = await activity.list(filter, page);
  if (actor.kind !== 'user' || isStaff(caller)) return { events, total };
  return { events: events.map((event) => redactFor(event, actor.userId)), total };
}
