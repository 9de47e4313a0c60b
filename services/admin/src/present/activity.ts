import { messageFields } from '@panel/kit/records';
import type { ActivityEvent as ActivityEventMessage } from '@panel/protos/admin';
import type { ActivityEvent } from '../domain/activity.js';

export function presentActivity(event: ActivityEvent): ActivityEventMessage {
  const { actorId, apiKeyId, userId, serverId } = event;
  return {
    ...messageFields(event),
    actorId: actorId ?? '',
    apiKeyId: apiKeyId ?? '',
    userId: userId ?? '',
    serverId: serverId ?? '',
  };
}
