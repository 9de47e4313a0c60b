import type { ActivityEvent } from '@panel/protos/admin';
import type { z } from 'zod';
import { isoTime, textOrNull } from '../../http/present.js';
import type { activityEvent } from './schema.js';

export function presentActivity(message: ActivityEvent): z.input<typeof activityEvent> {
  return {
    id: message.id,
    event: message.event,
    at: isoTime(message.time),
    actor_id: textOrNull(message.actorId),
    api_key_id: textOrNull(message.apiKeyId),
    ip: textOrNull(message.ip),
    user_agent: textOrNull(message.userAgent),
    user_id: textOrNull(message.userId),
    server_id: textOrNull(message.serverId),
    properties: message.properties,
  };
}
