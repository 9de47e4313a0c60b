import { schemaOptions } from '@panel/kit/mongo';
import { defineEmbeddedOutbox, type EmbeddedOutbox } from '@panel/outbox';
import { pathAccesses } from '@panel/rpc';
import { Schema } from 'mongoose';
import type { InvitationMail } from '../../domain/subusers/invitation-mail.js';
import {
  type EggSnapshot,
  type GameServer,
  operationKinds,
  powerActions,
  powerOperationStates,
  powerStates,
  serverStatuses,
} from '../../domain/servers/server.js';
import { autoStarts } from '../../domain/servers/run-settings.js';
import { commandSchema, configSchema, imageSchema, scriptSchema, variableSchema } from '../eggs/egg.js';
import { count, required, text } from '../fields.js';
import { addRevision, newRevision } from './server-revision.js';

export type ServerDocument = Omit<GameServer, 'id' | 'egg'> & {
  _id: string;
  nameKey: string;
  nameTrigrams: string[];
  egg: EggSnapshot & { readonly view: string };
  /** Owner first. */
  viewerIds: readonly string[];
  /** See server-revision.ts. */
  revision: string;
  invitationMails?: EmbeddedOutbox<InvitationMail>;
};

/** For the admin service. */
export const invitationOutbox = defineEmbeddedOutbox<InvitationMail>('invitationMails');

const partOptions = { ...schemaOptions, _id: false };
const date = { type: Date, default: null } as const;

const eggSchema = new Schema(
  {
    name: text,
    features: [String],
    dockerImages: [imageSchema],
    startup: text,
    startupCommands: [commandSchema],
    config: { type: configSchema, ...required },
    script: { type: scriptSchema, ...required },
    fileDenylist: [String],
    forceOutgoingIp: Boolean,
    variables: [variableSchema],
    /** See egg-view.ts. */
    view: { type: String, ...required },
  },
  partOptions,
);

const allocationSchema = new Schema(
  { id: { type: String, ...required }, ip: text, alias: text, port: count, notes: text },
  partOptions,
);

const limitsSchema = new Schema(
  { memoryMb: count, swapMb: count, diskMb: count, ioWeight: count, cpuPercent: count },
  partOptions,
);

const featureLimitsSchema = new Schema({ databases: count, backups: count, allocations: count }, partOptions);

const runSettingsSchema = new Schema(
  {
    autoStart: { type: String, enum: autoStarts },
    timezone: String,
    threads: String,
    isOomKillDisabled: Boolean,
    stopGraceSeconds: Number,
  },
  partOptions,
);

const installSchema = new Schema(
  {
    state: { type: String, enum: ['pending', 'installed', 'failed'], ...required },
    error: { type: String, default: null },
    exitCode: { type: Number, default: null },
    at: date,
  },
  partOptions,
);

const powerLeaseSchema = new Schema(
  {
    id: { type: String, ...required },
    action: { type: String, enum: powerActions, ...required },
    owner: { type: String, ...required },
    expiresAt: { type: Date, ...required },
    operationId: String,
  },
  partOptions,
);

const powerSchema = new Schema(
  {
    state: { type: String, enum: powerStates, ...required },
    desired: { type: String, enum: ['running', 'offline'], ...required },
    generation: count,
    changedAt: { type: Date, ...required },
    lease: { type: powerLeaseSchema, default: null },
    resolvedFeatures: { type: [String], default: undefined },
  },
  partOptions,
);

const powerOperationSchema = new Schema(
  {
    id: { type: String, ...required },
    action: { type: String, enum: powerActions, ...required },
    state: { type: String, enum: powerOperationStates, ...required },
    error: { type: String, default: null },
    startedAt: { type: Date, ...required },
    endedAt: date,
  },
  partOptions,
);

const crashSchema = new Schema({ times: [Date], restartAt: date }, partOptions);

const transferSchema = new Schema(
  {
    targetNodeId: { type: String, ...required },
    allocationIds: [String],
    copyId: { type: String, ...required },
    copies: count,
    doneBytes: count,
    movedAt: { type: Date, ...required },
  },
  partOptions,
);

const limitsChangeSchema = new Schema(
  { id: { type: String, ...required }, expiresAt: { type: Date, ...required } },
  partOptions,
);

const pendingCleanupSchema = new Schema(
  {
    kind: { type: String, enum: ['source', 'target'], ...required },
    nodeId: { type: String, ...required },
    copyId: { type: String, ...required },
    operationId: { type: String, ...required },
    generation: count,
    retryAt: { type: Date, ...required },
  },
  partOptions,
);

const transferResultSchema = new Schema(
  {
    outcome: { type: String, enum: ['completed', 'cancelled', 'failed'], ...required },
    sourceNodeId: { type: String, ...required },
    targetNodeId: { type: String, ...required },
    error: { type: String, default: null },
    at: { type: Date, ...required },
  },
  partOptions,
);

const restoreSchema = new Schema(
  {
    backupId: { type: String, ...required },
    isTruncating: Boolean,
    paths: [String],
    databases: [String],
    hasDumps: Boolean,
  },
  partOptions,
);

const backupSchema = new Schema(
  {
    id: { type: String, ...required },
    step: text,
    progress: count,
    startedAt: { type: Date, ...required },
    leaseOwner: { type: String, default: null },
    leaseExpiresAt: date,
    fence: count,
  },
  partOptions,
);

const operationSchema = new Schema(
  {
    id: { type: String, ...required },
    kind: { type: String, enum: operationKinds, ...required },
    step: text,
    progress: count,
    startedAt: { type: Date, ...required },
    leaseOwner: { type: String, default: null },
    leaseExpiresAt: date,
    fence: count,
    waits: count,
    options: {
      type: new Schema(
        {
          skipScripts: { type: Boolean, default: false },
          startOnCompletion: { type: Boolean, default: false },
          force: { type: Boolean, default: false },
          keepBackups: { type: Boolean, default: false },
        },
        partOptions,
      ),
      ...required,
    },
    transfer: { type: transferSchema, default: null },
    restore: { type: restoreSchema, default: null },
  },
  partOptions,
);

const pathRuleSchema = new Schema(
  { path: text, access: { type: String, enum: pathAccesses, ...required } },
  partOptions,
);

const subuserSchema = new Schema(
  {
    id: { type: String, ...required },
    userId: { type: String, default: null },
    email: { type: String, default: null },
    roleId: { type: String, default: null },
    permissions: [String],
    pathRules: [pathRuleSchema],
    inheritedPathRules: { type: Schema.Types.Mixed, ...required },
    expiresAt: date,
    endsAt: date,
    revision: count,
    invitedBy: { type: String, ...required },
    createdAt: { type: Date, ...required },
    updatedAt: { type: Date, ...required },
  },
  partOptions,
);

const subuserRoleSchema = new Schema(
  { id: { type: String, ...required }, name: text, permissions: [String] },
  partOptions,
);

/** Shard key: _id, hashed; an owner's list queries all shards. */
export const serverSchema: Schema<ServerDocument> = new Schema<ServerDocument>(
  {
    _id: { type: String, ...required },
    uuidShort: { type: String, ...required },
    name: { type: String, ...required },
    /** Lower case, for sorting. */
    nameKey: { type: String, ...required },
    /** See name-search.ts. */
    nameTrigrams: [String],
    description: text,
    userId: { type: String, ...required },
    externalId: { type: String, default: null },
    nodeId: { type: String, ...required },
    nodeName: text,
    nodeNameRevision: count,
    allocationId: { type: String, ...required },
    allocations: [allocationSchema],
    eggId: { type: String, ...required },
    egg: { type: eggSchema, ...required },
    dockerImage: { type: String, ...required },
    startup: { type: String, ...required },
    environment: { type: Map, of: String, default: {} },
    limits: { type: limitsSchema, ...required },
    featureLimits: { type: featureLimitsSchema, ...required },
    runSettings: { type: runSettingsSchema, default: undefined },
    suspended: { type: Boolean, ...required },
    install: { type: installSchema, ...required },
    power: { type: powerSchema, ...required },
    powerOperations: { type: [powerOperationSchema], default: undefined },
    isMetered: Boolean,
    crash: { type: crashSchema, ...required },
    operation: { type: operationSchema, default: null },
    backup: { type: backupSchema, default: null },
    backupQueue: [String],
    backupStarts: [Date],
    limitsChange: { type: limitsChangeSchema, default: null },
    databaseIds: [String],
    pendingCleanups: [pendingCleanupSchema],
    lastTransfer: { type: transferResultSchema, default: null },
    subusers: [subuserSchema],
    subuserRoles: [subuserRoleSchema],
    viewerIds: [String],
    [invitationOutbox.field]: invitationOutbox.schemaType,
    status: { type: String, enum: serverStatuses, ...required },
    revision: { type: String, default: newRevision },
    createdAt: { type: Date, ...required },
    updatedAt: { type: Date, ...required },
  },
  schemaOptions,
);
addRevision(serverSchema);
const unique = { unique: true };
serverSchema.index({ uuidShort: 1 }, { name: 'server_uuid_short', ...unique });
serverSchema.index(
  { externalId: 1 },
  { name: 'server_external_id', ...unique, partialFilterExpression: { externalId: { $type: 'string' } } },
);
serverSchema.index({ nameTrigrams: 1 }, { name: 'server_name_trigrams' });
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
