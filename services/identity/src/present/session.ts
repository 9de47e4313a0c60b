import type { Session } from '@panel/protos/identity';
import type { SessionRecord } from '../domain/session.js';

export function presentSession(session: SessionRecord, currentSessionId: string | null): Session {
  return {
    id: session.id,
    ip: session.ip,
    userAgent: session.userAgent,
    createTime: session.createdAt,
    lastUsedTime: session.lastUsedAt,
    expireTime: session.expiresAt,
    current: session.id === currentSessionId,
  };
}
