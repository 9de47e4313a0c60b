import { ActivityEvent } from '@panel/protos/admin';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { resource } from '../../declaration/resource.js';

export const activityEvent = resource(ActivityEvent, 'ActivityEvent', {
  id: is.uuid('id'),
  event: is.text('event', 'area and verb, like auth:success or server:power.start'),
  at: is.timeOrNull('time'),
  actor_id: is.uuidOrNull('actorId', 'who did it; null for an unknown user and for the panel itself'),
  actor_username: is.computed(
    z.string().nullable().describe('their user name; null also when the user was deleted'),
    () => null,
  ),
  api_key_id: is.uuidOrNull('apiKeyId'),
  ip: is.textOrNull('ip'),
  user_agent: is.textOrNull('userAgent'),
  user_id: is.uuidOrNull('userId', 'whose account it is about'),
  server_id: is.uuidOrNull('serverId'),
  properties: is.plain('properties', z.record(z.string(), z.string())),
});

/** Origins are restricted to some readers. */
export function presentActivity(
  message: ActivityEvent,
  actorNames: ReadonlyMap<string, string>,
  isOriginShown = true,
): z.input<typeof activityEvent.schema> {
  const shown = activityEvent.present(message);
  const origin = isOriginShown ? {} : { ip: null, user_agent: null };
  return { ...shown, ...origin, actor_username: actorNames.get(message.actorId) ?? null };
}
