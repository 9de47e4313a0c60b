import type { Model, PipelineStage, QueryFilter } from 'mongoose';
import { type GameServer, statusRules } from '../../domain/servers/server.js';
import { currentSubusers } from '../../domain/subusers/subuser.js';
import { now } from '../expressions.js';
import type { ServerDocument } from './server-schema.js';

/** Made with `value` or an expression. */
export type Changes = Readonly<Record<string, unknown>>;
export type ServerFilter = QueryFilter<ServerDocument>;

/** Or is unset. */
export function hasPassed(path: string): ServerFilter {
  return { $or: [{ [path]: null }, { $expr: { $lt: [`$${path}`, now] } }] };
}

/** `statusOf` as an expression. */
const status = statusRules.reduceRight<unknown>((otherwise, { path, equals, status: given }) => {
  const field = { $ifNull: [`$${path}`, null] };
  const isMatch = equals === null ? { $ne: [field, null] } : { $eq: [field, equals] };
  return { $cond: [isMatch, given ?? `$${path}`, otherwise] };
}, '$power.state');

/** Called after each change of state by this process. */
export type ServerObserver = (server: GameServer) => void;

/** Updates status and time in the same write. Null: no match. */
export type UpdateServer = (filter: ServerFilter, ...stages: Changes[]) => Promise<GameServer | null>;

export function createConditionalUpdate(
  model: Model<ServerDocument>,
  clock: () => Date,
  observe: ServerObserver = () => undefined,
): UpdateServer {
  return async (filter, ...stages) => {
    const pipeline: PipelineStage[] = [...stages.map(($set) => ({ $set })), { $set: { status, updatedAt: now } }];
    const after = await model
      .findOneAndUpdate(filter, pipeline as never, { returnDocument: 'after', updatePipeline: true })
      .lean();
    if (!after) return null;
    const server = serverOf(after, clock());
    observe(server);
    return server;
  };
}

/** Keeps status and update time. */
export type TouchServer = (filter: ServerFilter, set: Changes) => Promise<boolean>;

export function createTouch(model: Model<ServerDocument>): TouchServer {
  return async (filter, $set) => {
    const result = await model.updateOne(filter, [{ $set }] as never, { updatePipeline: true });
    return result.matchedCount === 1;
  };
}

/** Without expired subusers. */
export function serverOf(document: ServerDocument, at: Date): GameServer {
  const {
    _id,
    nameKey: _nameKey,
    nameTrigrams: _nameGrams,
    viewerIds: _viewerIds,
    viewerNameGrams: _viewerNameGrams,
    revision: _revision,
    invitationMails: _mails,
    subusers,
    ...fields
  } = document;
  return { id: _id, ...fields, subusers: currentSubusers(subusers, at) };
}
