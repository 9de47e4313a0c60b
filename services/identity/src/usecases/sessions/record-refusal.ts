import type { ActivityEvent } from '@panel/activity';
import type { Actor } from '@panel/rpc';
import type { IdentityContext } from '../../context.js';

/** Record a refused password beside the request: an answer that waited for it would show who has an account. */
export function recordRefusal(
  { activity, tasks }: Pick<IdentityContext, 'activity' | 'tasks'>,
  event: ActivityEvent,
  actor: Actor,
): void {
  tasks.run('record activity', async () => activity.record(event, actor));
}
