import { ActivityEvent as ActivityEventMessage } from '@panel/protos/admin';
import type { ActivityEvent } from '../domain/activity.js';

export function presentActivity(event: ActivityEvent): ActivityEventMessage {
  return ActivityEventMessage.create({
    id: event.id,
    event: event.event,
    time: event.time,
    actorId: event.actorId ?? '',
    apiKeyId: event.apiKeyId ?? '',
    ip: event.ip,
    userAgent: event.userAgent,
    userId: event.userId ?? '',
    serverId: event.serverId ?? '',
    properties: { ...event.properties },
  });
}
