import type { ActivityEvent } from '@panel/activity';
import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';

/** Outside of the request: timing must not reveal accounts. */
export function recordRefusal(
  { activity, tasks }: Pick<IdentityContext, 'activity' | 'tasks'>,
  event: ActivityEvent,
  actor: Actor,
): void {
  tasks.run('record activity', async () => activity.record(event, actor));
}
