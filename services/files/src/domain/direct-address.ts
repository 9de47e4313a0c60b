import { createHmac, timingSafeEqual } from 'node:crypto';

export type DirectKind = 'downloads' | 'uploads';

/** Forged ones cost no query. */
export interface DirectAddresses {
  sign(kind: DirectKind, serverId: string, id: string): string;
  verify(kind: DirectKind, serverId: string, id: string, signature: string): boolean;
}

/** `secret`: SERVICE_SECRET. */
export function createDirectAddresses(secret: string): DirectAddresses {
  const digest = (kind: DirectKind, serverId: string, id: string) =>
    createHmac('sha256', secret).update(`panel-direct ${kind} ${serverId} ${id}`).digest();
  return {
    sign: (kind, serverId, id) => digest(kind, serverId, id).toString('base64url'),
    verify: (kind, serverId, id, signature) => {
      const given = Buffer.from(signature, 'base64url');
      const right = digest(kind, serverId, id);
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}

export function directPath(addresses: DirectAddresses, kind: DirectKind, serverId: string, id: string): string {
  return `${kind}/${serverId}/${id}/${addresses.sign(kind, serverId, id)}`;
}
