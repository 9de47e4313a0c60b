import { type CallContext, createOnce, type PathRule } from '@panel/rpc';
import { createEntry } from '@panel/outbox';
import type { ServersContext } from '../../context.js';
import type { GameServer } from '../../domain/servers/server.js';
import { SubuserFields } from '../../domain/subusers/check-subuser.js';
import { requireEndWithinOwn } from '../../domain/subusers/grant-limits.js';
import { maxSubusers, type Subuser, subuserEnd } from '../../domain/subusers/subuser.js';
import { fail } from '../../reasons.js';
import { createInQueue } from '../servers/create-in-queue.js';
import { explainRefusal } from './explain-refusal.js';
import { limitInvitations } from './limit-invitations.js';
import { visibleSubuser, type VisibleSubuser } from './list-subusers.js';
import { conditionsOf, loadManagedServer, type ManagedServer } from './load-managed-server.js';
import { type GrantRequest, resolveGrant } from '../../domain/subusers/resolve-grant.js';
import type { KnownUser } from '../../users/user-directory.js';

export interface NewSubuser extends GrantRequest {
  readonly email: string;
  readonly pathRules: readonly PathRule[];
  /** Null: never. */
  readonly expiresAt: Date | null;
}

type CreateSubuserDeps = Pick<
  ServersContext,
  'stores' | 'installationClock' | 'users' | 'userExists' | 'invitationLimit' | 'failpoint' | 'creationQueue'
>;

/**
 * Adds an address's user, or invites the address. Idempotent by `idempotencyId`. Throws SERVER_NOT_FOUND,
 * SERVER_FORBIDDEN, INVALID_FIELDS, SUBUSER_EXISTS, SUBUSER_IS_OWNER, SUBUSER_LIMIT, SUBUSER_EXCEEDS_OWN,
 * RATE_LIMIT_EXCEEDED, SERVER_CHANGED, SERVER_LOCKED.
 */
export async function createSubuser(
  deps: CreateSubuserDeps,
  serverId: string,
  request: NewSubuser,
  call: CallContext,
): Promise<VisibleSubuser> {
  return createInQueue(deps, serverId, call, async () => {
    const managed = await loadManagedServer(deps, serverId, call);
    const { object } = await createOnce(call.idempotencyId, {
      find: async (id) => findSubuser(await deps.stores.servers.get(serverId), id),
      create: async (id) => createUnder(deps, managed, request, id),
    });
    return visibleSubuser(deps, managed.server, object);
  });
}

async function createUnder(
  deps: CreateSubuserDeps,
  managed: ManagedServer,
  request: NewSubuser,
  id: string,
): Promise<Subuser> {
  const { server, access, callerId } = managed;
  const at = deps.installationClock();
  const fields = new SubuserFields();
  const email = fields.email(request.email);
  fields.pathRules(request.pathRules);
  fields.expiry(request.expiresAt, at);
  const { role, ...grant } = resolveGrant(managed, request, fields);
  requireEndWithinOwn(access, request.expiresAt);
  if (callerId !== null) await limitInvitations(deps, callerId);
  const known = await deps.users.findByEmail(email);
  if (known?.id === server.userId) throw isOwner();
  const user = known && !known.isEmailUnproven ? known : null;
  const subuser: Subuser = {
    id,
    userId: user?.id ?? null,
    email: user ? null : email,
    ...grant,
    pathRules: request.pathRules,
    inheritedPathRules: access.pathRules,
    expiresAt: request.expiresAt,
    endsAt: subuserEnd({ userId: user?.id ?? null, expiresAt: request.expiresAt, createdAt: at }),
    revision: 1,
    invitedBy: callerId ?? '',
    createdAt: at,
    updatedAt: at,
  };
  const mail = user
    ? null
    : createEntry({ to: email, inviter: await nameOf(deps, callerId), serverName: server.name }, at);
  const stored = await deps.stores.servers.subusers.add(server.id, subuser, { ...conditionsOf(managed), role }, mail);
  if (!stored) throw await explainRefusal(deps, server.id, (current) => causeOf(current, subuser));
  if (user) await verifyUser(deps, stored, subuser, user);
  return subuser;
}

/** A user's deletion claims the user before it removes subusers: one of the two sees the other. */
async function verifyUser(
  { stores, userExists, failpoint }: CreateSubuserDeps,
  server: GameServer,
  subuser: Subuser,
  user: KnownUser,
): Promise<void> {
  failpoint('subuser.stored');
  if (await userExists(user.id)) return;
  await stores.servers.subusers.remove(server.id, subuser, {});
  throw fail('SERVER_CHANGED', 'this account has just been deleted');
}

async function nameOf({ users }: CreateSubuserDeps, callerId: string | null): Promise<string> {
  const caller = callerId === null ? undefined : (await users.byIds([callerId])).get(callerId);
  return caller?.username ?? '';
}

function causeOf(server: GameServer, { userId, email }: Subuser) {
  const { subusers } = server;
  if (userId !== null && server.userId === userId) return isOwner();
  const isThere = subusers.some((one) => (userId === null ? one.email === email : one.userId === userId));
  if (isThere) return fail('SUBUSER_EXISTS', 'this user has access already, or is invited');
  return subusers.length >= maxSubusers ? fail('SUBUSER_LIMIT', `a server has at most ${maxSubusers} subusers`) : null;
}

function isOwner() {
  return fail('SUBUSER_IS_OWNER', 'the owner of a server is not one of its subusers');
}

export function findSubuser(server: GameServer | null, subuserId: string): Subuser | null {
  return server?.subusers.find(({ id }) => id === subuserId) ?? null;
}
