import { createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { AppError } from '@panel/kit/errors';
import { type JwtRules, verifyJwt } from './verify-jwt.js';

/** A caller that the gateway has authenticated. */
export interface UserActor {
  readonly kind: 'user';
  readonly userId: string;
  /** What the role allows now; narrowed to the key's subset when an API key speaks. */
  readonly permissions: readonly string[];
  /**
   * The list of an API key that narrows everything it does: admin, server and account permissions. Absent: no list, the
   * caller may do all that the user may.
   */
  readonly keyPermissions?: readonly string[] | undefined;
  readonly method: 'session' | 'api_key';
  /** Session id or API key id, by `method`. */
  readonly credentialId: string;
  readonly ip: string;
}

/** One of our own processes, or an operator's tool. May do everything inside the services. */
interface ServiceActor {
  readonly kind: 'service';
  readonly service: string;
  readonly ip: string;
}

/** An unauthenticated caller, seen by the gateway at this address. */
interface AnonymousActor {
  readonly kind: 'anonymous';
  readonly ip: string;
}

/** On whose behalf a call is made. */
export type Actor = UserActor | ServiceActor | AnonymousActor;

/** How long a signed actor is valid, in seconds. Short, because a right that is taken away must not live on in a token. */
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

/** Signs and verifies actors with the secret the services share. */
export interface ActorSigner {
  /** A compact token, valid for `actorTtlSeconds`. */
  sign(actor: Actor): string;
  /** The actor of a token. Throws UNAUTHENTICATED (ACTOR_INVALID). */
  verify(token: string): Actor;
}

/** Verified tokens that are remembered, so that a caller's next call costs a lookup instead of 30 µs. */
const maxRemembered = 10_000;

interface Remembered {
  readonly actor: Actor;
  /** Unix time in milliseconds. */
  readonly expiresAt: number;
}

/** A signer over `secret` (SERVICE_SECRET). The key is made once: jsonwebtoken spends 300 µs a call on a string secret. */
export function createActorSigner(secret: string): ActorSigner {
  const key: KeyObject = createSecretKey(Buffer.from(secret));
  const remembered = new Map<string, Remembered>();
  return {
    sign: (actor) =>
      jwt.sign({ typ: tokenType, actor }, key, { algorithm: 'HS256', audience, expiresIn: actorTtlSeconds }),
    verify: (token) => {
      const known = remembered.get(token);
      if (known && Date.now() < known.expiresAt) return known.actor;
      remembered.delete(token);
      const verified = verifyActor(token, key);
      if (remembered.size >= maxRemembered) remembered.delete(remembered.keys().next().value ?? '');
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

/** The actor of a process that acts for itself. */
export function serviceActor(service: string): ServiceActor {
  return { kind: 'service', service, ip: '127.0.0.1' };
}

/** Whether a set of permissions allows one: by its name, by `area.*`, or by `*`. */
export function grants(permissions: readonly string[], wanted: string): boolean {
  if (permissions.includes('*') || permissions.includes(wanted)) return true;
  const area = wanted.slice(0, wanted.indexOf('.'));
  return area !== '' && permissions.includes(`${area}.*`);
}

/** Whether the actor holds an administrative permission now. Services hold all, the unknown none. */
export function actorHas(actor: Actor, permission: string): boolean {
  if (actor.kind === 'service') return true;
  return actor.kind === 'user' && grants(actor.permissions, permission);
}

/** Throws PERMISSION_DENIED (PERMISSION_MISSING) unless the actor holds the permission. */
export function requirePermission(actor: Actor, permission: string): void {
  if (actorHas(actor, permission)) return;
  throw new AppError('permission_denied', 'PERMISSION_MISSING', `this needs the permission ${permission}`, {
    permission,
  });
}

/** The actor as a user. Throws UNAUTHENTICATED (USER_REQUIRED) for any other actor. */
export function requireUser(actor: Actor): UserActor {
  if (actor.kind === 'user') return actor;
  throw new AppError('unauthenticated', 'USER_REQUIRED', 'this call is made on behalf of a user');
}

/** The actor as a service. Throws PERMISSION_DENIED (SERVICE_REQUIRED) for any other actor. */
export function requireService(actor: Actor): ServiceActor {
  if (actor.kind === 'service') return actor;
  throw new AppError('permission_denied', 'SERVICE_REQUIRED', 'only services may call this');
}
