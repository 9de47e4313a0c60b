import type { MongoConnection } from '@panel/kit/mongo';
import { createEmbeddedOutboxStore, type OutboxEntry, type OutboxStore } from '@panel/outbox';
import type { ServerPermission } from '@panel/protos/permissions';
import type { Model } from 'mongoose';
import type { GameServer } from '../../domain/servers/server.js';
import type { InvitationMail } from '../../domain/subusers/invitation-mail.js';
import { maxSubuserRoles, type SubuserRole } from '../../domain/subusers/roles.js';
import { maxSubusers, type Subuser } from '../../domain/subusers/subuser.js';
import { now, value } from '../expressions.js';
import { maxQueryMs } from '../fields.js';
import type { Changes, ServerFilter, UpdateServer } from './conditional-update.js';
import { invitationOutbox, type ServerDocument } from './server-schema.js';
import { viewerNameGramsStage } from './viewer-name-grams.js';

type SubuserVersion = Pick<Subuser, 'id' | 'revision'>;

/** A change requires these unchanged. */
export interface SubuserConditions {
  /** Absent: owner or staff. */
  readonly by?: SubuserVersion | undefined;
  /** Own roles only. */
  readonly role?: SubuserRole | undefined;
}

export interface Invitation {
  readonly serverId: string;
  readonly subuserId: string;
  readonly email: string;
}

/** In the server's document. Null: server or subuser has changed. */
export interface SubuserStore {
  /** Null also for a duplicate or at the limit. */
  add(
    serverId: string,
    subuser: Subuser,
    conditions: SubuserConditions,
    mail: OutboxEntry<InvitationMail> | null,
  ): Promise<GameServer | null>;
  replace(
    serverId: string,
    target: SubuserVersion,
    subuser: Subuser,
    conditions: SubuserConditions,
  ): Promise<GameServer | null>;
  remove(serverId: string, target: SubuserVersion, conditions: SubuserConditions): Promise<GameServer | null>;
  /** With `others`. Null also when there are others than `all`. */
  removeWith(
    serverId: string,
    target: SubuserVersion,
    { others, all }: { readonly others: readonly SubuserVersion[]; readonly all: readonly SubuserVersion[] },
    conditions: SubuserConditions,
  ): Promise<GameServer | null>;
  /** A user with access only loses the invitation. */
  accept(invitation: Invitation, userId: string): Promise<GameServer | null>;
  /** Null also for a duplicate or at the limit. */
  addRole(serverId: string, role: SubuserRole, conditions: SubuserConditions): Promise<GameServer | null>;
  /** With its subusers. `from`: previous permissions. */
  replaceRole(
    serverId: string,
    role: SubuserRole,
    from: readonly ServerPermission[],
    conditions: SubuserConditions,
  ): Promise<GameServer | null>;
  /** Null also if in use. */
  removeRole(serverId: string, roleId: string, conditions: SubuserConditions): Promise<GameServer | null>;
  /** By server id, exclusive. */
  invitations(afterServerId: string, limit: number, at: Date): Promise<Invitation[]>;
  removeEnded(at: Date): Promise<void>;
  /** Not from the user's own servers. */
  removeUser(userId: string): Promise<void>;
  readonly mails: OutboxStore<InvitationMail>;
}

const all = '$subusers';
const allRoles = '$subuserRoles';

/** After changes of owner or subusers. */
export const viewersStages: readonly Changes[] = [
  {
    viewerIds: {
      $concatArrays: [
        ['$userId'],
        { $map: { input: { $filter: { input: all, cond: { $ne: ['$$this.userId', null] } } }, in: '$$this.userId' } },
      ],
    },
  },
  viewerNameGramsStage,
];

export const withoutOwnerStage: Changes = {
  subusers: { $filter: { input: all, cond: { $ne: ['$$this.userId', '$userId'] } } },
};

function unchanged(
  serverId: string,
  { by, role }: SubuserConditions,
  rest: readonly ServerFilter[] = [],
  target?: SubuserVersion,
): ServerFilter {
  const versions = [by, target].flatMap((version) =>
    version ? [{ subusers: { $elemMatch: { id: version.id, revision: version.revision } } }] : [],
  );
  const roles = role ? [hasRole(role)] : [];
  const isThere = { _id: serverId, 'operation.kind': { $ne: 'deleting' } };
  return { $and: [isThere, ...versions, ...roles, ...rest] } as ServerFilter;
}

function hasRole({ id, permissions }: Pick<SubuserRole, 'id' | 'permissions'>): ServerFilter {
  return { subuserRoles: { $elemMatch: { id, permissions: [...permissions] } } };
}

function without(subuserId: string) {
  return { $filter: { input: all, cond: { $ne: ['$$this.id', value(subuserId)] } } };
}

function mapped(input: unknown, condition: unknown, changed: unknown) {
  return { $map: { input, in: { $cond: [condition, changed, '$$this'] } } };
}

export function createSubuserStore(
  model: Model<ServerDocument>,
  change: UpdateServer,
  connection: MongoConnection,
): SubuserStore {
  const removeWhere = async (filter: ServerFilter, isRemoved: unknown): Promise<void> => {
    const retained = { $filter: { input: all, cond: { $not: [isRemoved] } } };
    const stages = [{ subusers: retained }, ...viewersStages].map(($set) => ({ $set }));
    await model.updateMany(filter, stages, { updatePipeline: true });
  };
  return {
    add: (serverId, subuser, conditions, mail) => {
      const { userId, email } = subuser;
      const isNew: ServerFilter = {
        'subusers.id': { $ne: subuser.id },
        ...(email !== null && { 'subusers.email': { $ne: email } }),
        ...(userId !== null && { 'subusers.userId': { $ne: userId }, userId: { $ne: userId } }),
        $expr: { $lt: [{ $size: all }, maxSubusers] },
        ...(mail && invitationOutbox.hasRoom()),
      };
      const set = { subusers: { $concatArrays: [all, [value(subuser)]] }, ...(mail && appended(mail)) };
      return change(unchanged(serverId, conditions, [isNew]), set, ...viewersStages);
    },
    replace: (serverId, target, subuser, conditions) => {
      const isIt = { $eq: ['$$this.id', value(target.id)] };
      return change(
        unchanged(serverId, conditions, [], target),
        { subusers: mapped(all, isIt, value({ ...subuser, revision: target.revision + 1 })) },
        ...viewersStages,
      );
    },
    remove: (serverId, target, conditions) =>
      change(unchanged(serverId, conditions, [], target), { subusers: without(target.id) }, ...viewersStages),
    removeWith: (serverId, target, { others, all: known }, conditions) => {
      const ids = (versions: readonly SubuserVersion[]) => versions.map(({ id }) => id);
      const isSame = { subusers: { $size: known.length }, 'subusers.id': { $all: ids(known) } } as ServerFilter;
      const isRemoved = { $in: ['$$this.id', ids([target, ...others])] };
      const subusers = { $filter: { input: all, cond: { $not: [isRemoved] } } };
      return change(unchanged(serverId, conditions, [isSame], target), { subusers }, ...viewersStages);
    },
    accept: async ({ serverId, subuserId, email }, userId) => {
      const isIt = { $eq: ['$$this.id', value(subuserId)] };
      const accepted = {
        $mergeObjects: [
          '$$this',
          {
            userId: value(userId),
            email: null,
            endsAt: '$$this.expiresAt',
            revision: { $add: ['$$this.revision', 1] },
            updatedAt: now,
          },
        ],
      };
      const waits = { _id: serverId, subusers: { $elemMatch: { id: subuserId, email } } } as ServerFilter;
      const isNew = { 'subusers.userId': { $ne: userId }, userId: { $ne: userId } };
      const server = await change({ ...waits, ...isNew }, { subusers: mapped(all, isIt, accepted) }, ...viewersStages);
      return server ?? change(waits, { subusers: without(subuserId) }, ...viewersStages);
    },
    addRole: (serverId, role, conditions) => {
      const isNew: ServerFilter = {
        'subuserRoles.id': { $ne: role.id },
        'subuserRoles.name': { $ne: role.name },
        $expr: { $lt: [{ $size: allRoles }, maxSubuserRoles] },
      };
      return change(unchanged(serverId, conditions, [isNew]), {
        subuserRoles: { $concatArrays: [allRoles, [value(role)]] },
      });
    },
    replaceRole: (serverId, role, from, conditions) => {
      const isIt = { $eq: ['$$this.id', value(role.id)] };
      const hasIt = { $eq: ['$$this.roleId', value(role.id)] };
      const renewed = {
        $mergeObjects: [
          '$$this',
          { permissions: value(role.permissions), revision: { $add: ['$$this.revision', 1] }, updatedAt: now },
        ],
      };
      const isSame = hasRole({ id: role.id, permissions: from });
      const isUnique = {
        $nor: [{ subuserRoles: { $elemMatch: { name: role.name, id: { $ne: role.id } } } }],
      } as ServerFilter;
      return change(unchanged(serverId, conditions, [isSame, isUnique]), {
        subuserRoles: mapped(allRoles, isIt, value(role)),
        subusers: mapped(all, hasIt, renewed),
      });
    },
    removeRole: (serverId, roleId, conditions) =>
      change(unchanged(serverId, conditions, [{ 'subuserRoles.id': roleId, 'subusers.roleId': { $ne: roleId } }]), {
        subuserRoles: { $filter: { input: allRoles, cond: { $ne: ['$$this.id', value(roleId)] } } },
      }),
    invitations: async (afterServerId, limit, at) => {
      const found = await model
        .find({ _id: { $gt: afterServerId }, 'subusers.email': { $type: 'string' } }, { subusers: 1 })
        .sort({ _id: 1 })
        .hint('server_invitations')
        .limit(limit)
        .maxTimeMS(maxQueryMs)
        .lean();
      return found.flatMap(({ _id, subusers }) =>
        subusers.flatMap(({ id, email, endsAt }) =>
          email === null || (endsAt !== null && endsAt <= at) ? [] : [{ serverId: _id, subuserId: id, email }],
        ),
      );
    },
    removeEnded: async (at) => {
      const hasEnded = {
        $and: [{ $eq: [{ $type: '$$this.endsAt' }, 'date'] }, { $lte: ['$$this.endsAt', value(at)] }],
      };
      await removeWhere({ 'subusers.endsAt': { $type: 'date', $lte: at } }, hasEnded);
    },
    removeUser: async (userId) =>
      removeWhere({ viewerIds: userId, userId: { $ne: userId } }, { $eq: ['$$this.userId', value(userId)] }),
    mails: createEmbeddedOutboxStore<InvitationMail>(connection, 'servers', invitationOutbox),
  };
}

/** `append` for a pipeline. */
function appended(entry: OutboxEntry<InvitationMail>): Changes {
  const { field } = invitationOutbox;
  const entries = { $ifNull: [`$${field}.entries`, []] };
  return { [`${field}.entries`]: { $concatArrays: [entries, [value(entry)]] }, [`${field}.pending`]: true };
}
