import type { Model, PipelineStage, QueryFilter } from 'mongoose';
import { type GameServer, statusRules } from '../../domain/servers/server.js';
import { currentSubusers } from '../../domain/subusers/subuser.js';
import { now } from '../expressions.js';
import type { ServerDocument } from './server-schema.js';

/** New values by path. Made with `value` or an aggregation expression. */
export type Changes = Readonly<Record<string, unknown>>;
export type ServerFilter = QueryFilter<ServerDocument>;

/** For filters: the date at a path has passed, or is not set. */
export function hasPassed(path: string): ServerFilter {
  return { $or: [{ [path]: null }, { $expr: { $lt: [`$${path}`, now] } }] };
}

/** `statusOf` of domain/servers/server.ts as the database computes it, from the same rules. */
const status = statusRules.reduceRight<unknown>((otherwise, { path, equals, status: given }) => {
  const field = { $ifNull: [`$${path}`, null] };
  const isMatch = equals === null ? { $ne: [field, null] } : { $eq: [field, equals] };
  return { $cond: [isMatch, given ?? `$${path}`, otherwise] };
}, '$power.state');

/** Called with every server as it is after a change made by this process. */
export type ServerObserver = (server: GameServer) => void;

/**
 * Change the one server that matches, with status and time of update following in the same write. Resolves with the
 * server after it, or null when none matched: the caller decides why.
 */
export type UpdateServer = (filter: ServerFilter, ...stages: Changes[]) => Promise<GameServer | null>;

export function createConditionalUpdate(
  model: Model<ServerDocument>,
  observe: ServerObserver,
  clock: () => Date,
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

/** Move an expiry on the one server that matches: nothing that is shown, so neither status nor time of update. */
export type TouchServer = (filter: ServerFilter, set: Changes) => Promise<boolean>;

export function createTouch(model: Model<ServerDocument>): TouchServer {
  return async (filter, $set) => {
    const result = await model.updateOne(filter, [{ $set }] as never, { updatePipeline: true });
    return result.matchedCount === 1;
  };
}

/** A server as it is at a moment: subusers whose access has ended are left out. */
export function serverOf(document: ServerDocument, at: Date): GameServer {
  const {
    _id,
    nameKey: _nameKey,
    nameTrigrams: _nameGrams,
    viewerIds: _viewerIds,
    revision: _revision,
    invitationMails: _mails,
    subusers,
    ...fields
  } = document;
  return { id: _id, ...fields, subusers: currentSubusers(subusers, at) };
}
