import { documentSchema, type Stored } from '@panel/kit/mongo';
import { id, listOf, part, type RecordOf, text, withDefault } from '@panel/kit/records';
import { defineEmbeddedOutbox } from '@panel/outbox';
import type { Schema } from 'mongoose';
import { eggSnapshotFields, type GameServer, serverFields } from '../../domain/servers/server.js';
import type { InvitationMail } from '../../domain/subusers/invitation-mail.js';
import { addRevision, newRevision } from './server-revision.js';

/** For the admin service. */
export const invitationOutbox = defineEmbeddedOutbox<InvitationMail>('invitationMails');

const ownFields = {
  egg: part({
    ...eggSnapshotFields,
    /** See egg-view.ts. */
    view: id,
  }),
  /** Lower case, for sorting. */
  nameKey: id,
  /** See name-search.ts. */
  nameTrigrams: listOf(text),
  /** Owner first. */
  viewerIds: listOf(text),
  /** See viewer-name-grams.ts. */
  viewerNameGrams: listOf(text),
  invitationMails: invitationOutbox.schemaType,
  /** See server-revision.ts. */
  revision: withDefault<string>(id, newRevision),
};
export type ServerDocument = Stored<GameServer> & RecordOf<typeof ownFields>;

/** Shard key: _id, hashed; an owner's list queries all shards. */
export const serverSchema: Schema<ServerDocument> = documentSchema({ ...serverFields, ...ownFields });
addRevision(serverSchema);
const unique = { unique: true };
serverSchema.index({ uuidShort: 1 }, { name: 'server_uuid_short', ...unique });
serverSchema.index(
  { externalId: 1 },
  { name: 'server_external_id', ...unique, partialFilterExpression: { externalId: { $type: 'string' } } },
);
serverSchema.index({ nameTrigrams: 1 }, { name: 'server_name_trigrams' });
serverSchema.index({ viewerNameGrams: 1, createdAt: 1, _id: 1 }, { name: 'server_viewer_name_grams' });
serverSchema.index({ nodeId: 1, _id: 1 }, { name: 'server_node' });
serverSchema.index({ nodeId: 1 }, { name: 'server_metered', partialFilterExpression: { isMetered: true } });
serverSchema.index({ eggId: 1, _id: 1 }, { name: 'server_egg' });
serverSchema.index({ nodeId: 1, nodeNameRevision: 1 }, { name: 'server_node_name' });
serverSchema.index(
  { 'operation.leaseExpiresAt': 1 },
  { name: 'server_operation', partialFilterExpression: { 'operation.id': { $type: 'string' } } },
);
serverSchema.index(
  { 'backup.leaseExpiresAt': 1 },
  { name: 'server_backup', partialFilterExpression: { 'backup.id': { $type: 'string' } } },
);
serverSchema.index(
  { nodeId: 1, 'crash.restartAt': 1 },
  { name: 'server_due', partialFilterExpression: { status: 'offline', 'power.desired': 'running' } },
);
serverSchema.index(
  { 'power.lease.expiresAt': 1 },
  { name: 'server_power_lease', partialFilterExpression: { 'power.lease.expiresAt': { $type: 'date' } } },
);
serverSchema.index(
  { nodeId: 1, 'pendingCleanups.retryAt': 1 },
  { name: 'server_pending_cleanups', partialFilterExpression: { 'pendingCleanups.retryAt': { $type: 'date' } } },
);

serverSchema.index({ userId: 1, _id: 1 }, { name: 'server_user' });
serverSchema.index(
  { 'subusers.email': 1, _id: 1 },
  { name: 'server_invitations', partialFilterExpression: { 'subusers.email': { $type: 'string' } } },
);
serverSchema.index(
  { 'subusers.endsAt': 1 },
  { name: 'server_subusers_end', partialFilterExpression: { 'subusers.endsAt': { $type: 'date' } } },
);
invitationOutbox.addIndexes(serverSchema, 'server_invitation_mails');

/** For all servers and for one user's. */
export const sortIndexes = {
  created: 'createdAt',
  name: 'nameKey',
  status: 'status',
  memory: 'limits.memoryMb',
  cpu: 'limits.cpuPercent',
  disk: 'limits.diskMb',
} as const;
for (const [name, field] of Object.entries(sortIndexes)) {
  serverSchema.index({ [field]: 1, _id: 1 }, { name: `server_${name}` });
  serverSchema.index({ viewerIds: 1, [field]: 1, _id: 1 }, { name: `server_viewer_${name}` });
}
