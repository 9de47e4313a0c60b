import { createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type JwtRules, verifyJwt } from './verify-jwt.js';
import { AppError } from '@panel/kit/errors';
import type { RpcPermission } from '@panel/protos/permissions';

export interface UserActor {
  readonly kind: 'user';
  readonly userId: string;
  /** Of the role. */
  readonly permissions: readonly string[];
  /** An API key's list, which narrows admin, server and account permissions. Absent: all of the user's. */
  readonly keyPermissions?: readonly string[] | undefined;
  readonly method: 'session' | 'api_key';
  /** Session id or API key id, by `method`. */
  readonly credentialId: string;
  readonly ip: string;
}

/** An internal process or an operator's tool. Holds all permissions. */
interface ServiceActor {
  readonly kind: 'service';
  readonly service: string;
  readonly ip: string;
}

interface AnonymousActor {
  readonly kind: 'anonymous';
  readonly ip: string;
}

export type Actor = UserActor | ServiceActor | AnonymousActor;

/** Seconds. Short, because a revoked right must not survive. */
export const actorTtlSeconds = 60;

const audience = 'panel-internal';
const tokenType = 'actor';

const claimsSchema = z.object({
  typ: z.literal(tokenType),
  exp: z.int(),
  actor: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('user'),
      userId: z.string(),
      permissions: z.array(z.string()),
      keyPermissions: z.array(z.string()).optional(),
      method: z.enum(['session', 'api_key']),
      credentialId: z.string(),
      ip: z.string(),
    }),
    z.object({ kind: z.literal('service'), service: z.string(), ip: z.string() }),
    z.object({ kind: z.literal('anonymous'), ip: z.string() }),
  ]),
});

const rules: JwtRules<z.output<typeof claimsSchema>> = {
  audience,
  maxLifetimeSeconds: actorTtlSeconds,
  // A hundred permissions of a role and as many of a key.
  maxLength: 32_768,
  schema: claimsSchema,
};

/** By the services' shared secret. */
export interface ActorSigner {
  /** Valid for `actorTtlSeconds`. */
  sign(actor: Actor): string;
  /** Throws UNAUTHENTICATED (ACTOR_INVALID). */
  verify(token: string): Actor;
}

/** A lookup instead of 30 µs. */
const maxRemembered = 10_000;

interface Remembered {
  readonly actor: Actor;
  /** Unix time in milliseconds. */
  readonly expiresAt: number;
}

/** The key is created once: jsonwebtoken needs 300 µs a call for a string secret. */
export function createActorSigner(secret: string): ActorSigner {
  const key: KeyObject = createSecretKey(Buffer.from(secret));
  const remembered = new LRUCache<string, Remembered>({ max: maxRemembered });
  return {
    sign: (actor) =>
      jwt.sign({ typ: tokenType, actor }, key, { algorithm: 'HS256', audience, expiresIn: actorTtlSeconds }),
    verify: (token) => {
      const known = remembered.get(token);
      if (known && Date.now() < known.expiresAt) return known.actor;
      remembered.delete(token);
      const verified = verifyActor(token, key);
      remembered.set(token, verified);
      return verified.actor;
    },
  };
}

function verifyActor(token: string, key: KeyObject): Remembered {
  try {
    const { actor, exp } = verifyJwt(token, key, rules);
    return { actor, expiresAt: exp * 1_000 };
  } catch (error) {
    throw new AppError(
      'unauthenticated',
      'ACTOR_INVALID',
      'the actor token is missing, forged or expired',
      {},
      { cause: error },
    );
  }
}

export function serviceActor(service: string): ServiceActor {
  return { kind: 'service', service, ip: '127.0.0.1' };
}

/** By name, by `area.*`, or by `*`. */
export function grants(permissions: readonly string[], wanted: string): boolean {
  if (permissions.includes('*') || permissions.includes(wanted)) return true;
  const area = wanted.slice(0, wanted.indexOf('.'));
  return area !== '' && permissions.includes(`${area}.*`);
}

/** Services hold all, anonymous callers none. */
export function actorHas(actor: Actor, permission: string): boolean {
  if (actor.kind === 'service') return true;
  if (actor.kind !== 'user' || !grants(actor.permissions, permission)) return false;
  return actor.keyPermissions === undefined || grants(actor.keyPermissions, permission);
}

/** Throws PERMISSION_DENIED (PERMISSION_MISSING). */
export function requirePermission(actor: Actor, permission: string): void {
  if (actorHas(actor, permission)) return;
  throw new AppError('permission_denied', 'PERMISSION_MISSING', `this needs the permission ${permission}`, {
    permission,
  });
}

/** Throws UNAUTHENTICATED (USER_REQUIRED). */
export function requireUser(actor: Actor): UserActor {
  if (actor.kind === 'user') return actor;
  throw new AppError('unauthenticated', 'USER_REQUIRED', 'this call is made on behalf of a user');
}

/** Throws PERMISSION_DENIED (SERVICE_REQUIRED). */
export function requireService(actor: Actor): ServiceActor {
  if (actor.kind === 'service') return actor;
  throw new AppError('permission_denied', 'SERVICE_REQUIRED', 'only services may call this');
}

/**
 * The gate before every handler. A row with `server` or `grant` passes every user, because those permissions require a
 * read. Throws UNAUTHENTICATED (USER_REQUIRED), PERMISSION_DENIED (SERVICE_REQUIRED, PERMISSION_MISSING).
 */
export function authorizeCall(row: RpcPermission, actor: Actor): void {
  if (row.isPublic || actor.kind === 'service') return;
  if (Object.keys(row).length === 0) {
    throw new AppError('permission_denied', 'SERVICE_REQUIRED', 'only services may call this');
  }
  const user = requireUser(actor);
  if (row.server !== undefined || row.grant !== undefined) return;
  if (row.admin !== undefined && actorHas(user, row.admin)) return;
  const { keyPermissions } = user;
  if (row.account !== undefined && (!keyPermissions || grants(keyPermissions, row.account))) return;
  const permission = row.admin ?? row.account;
  throw new AppError('permission_denied', 'PERMISSION_MISSING', `this needs the permission ${permission}`, {
    permission,
  });
}

export interface Caller {
  readonly actor: Actor;
  readonly permission: RpcPermission;
}

/** By the row's admin permission. */
export function isStaff({ actor, permission }: Caller): boolean {
  return permission.admin !== undefined && actorHas(actor, permission.admin);
}

/** Throws PERMISSION_DENIED (PERMISSION_MISSING). */
export function requireStaff(caller: Caller): void {
  if (!isStaff(caller)) requirePermission(caller.actor, caller.permission.admin ?? '*');
}
