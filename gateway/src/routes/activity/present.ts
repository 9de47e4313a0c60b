import type { ActivityEvent } from '@panel/protos/admin';
import type { z } from 'zod';
import { isoTime, textOrNull } from '../../declaration/present.js';
import type { activityEvent } from './schema.js';

/** The origin of an action is not for all who may know that it was done. */
export function presentActivity(
  message: ActivityEvent,
  actorNames: ReadonlyMap<string, string>,
  isOriginShown = true,
): z.input<typeof activityEvent> {
  return {
    id: message.id,
    event: message.event,
    at: isoTime(message.time),
    actor_id: textOrNull(message.actorId),
    actor_username: actorNames.get(message.actorId) ?? null,
    api_key_id: textOrNull(message.apiKeyId),
    ip: isOriginShown ? textOrNull(message.ip) : null,
    user_agent: isOriginShown ? textOrNull(message.userAgent) : null,
    user_id: textOrNull(message.userId),
    server_id: textOrNull(message.serverId),
    properties: message.properties,
  };
}
