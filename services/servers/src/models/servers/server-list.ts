import { BatchedReads, type PageQuery } from '@panel/kit/mongo';
import type { Model } from 'mongoose';
import {
  isEngineReported,
  type OnlyServers,
  type ServerStatus,
  type ServerView,
  engineReportedStatuses,
} from '../../domain/servers/server.js';
import { maxQueryMs } from '../fields.js';
import { searchTrigrams, nameContains } from './name-search.js';
import type { ServerFilter } from './conditional-update.js';
import { type ServerDocument, sortIndexes } from './server-schema.js';
import type { ServerViewReader } from './server-views.js';
import { viewerNameGramsFor } from './viewer-name-grams.js';

export interface ServerFilters {
  /** Owned or shared; null: all. */
  readonly userId: string | null;
  /** `unknown`: running states on `unreachableNodes`, which other statuses exclude. */
  readonly status: ServerStatus | 'unknown' | null;
  readonly only?: OnlyServers;
  /** Absent: none. */
  readonly unreachableNodes?: readonly string[];
}

export type ListServers = (
  filters: ServerFilters,
  page: PageQuery,
) => Promise<{ servers: ServerView[]; total: number }>;

interface Way {
  readonly filter: ServerFilter;
  readonly index: string;
}

const allUsers = '';
const viewerNameGrams = 'server_viewer_name_grams';

/** Fewer matches are sorted; else a scan in sort order is faster. */
const few = 2_000;

/**
 * Queries name their index: the planner keeps one plan for all texts, and the embedded engine fails to compare slow
 * ones ("slot-based execution engine").
 */
export function createServerList(model: Model<ServerDocument>, views: ServerViewReader): ListServers {
  const count = async ({ filter, index }: Way, limit?: number): Promise<number> =>
    model.countDocuments(filter, { hint: index, ...(limit !== undefined && { limit }) }).maxTimeMS(maxQueryMs);
  const read = async (filter: ServerFilter, page: PageQuery, hint?: string): Promise<ServerView[]> =>
    views.list({
      filter,
      sort: indexOrder(page.sort),
      skip: page.skip,
      limit: page.perPage,
      ...(hint !== undefined && { hint }),
    });
  /** Concurrent callers share one count. */
  const totals = new BatchedReads(async (owners) => {
    const total = async (userId: string) =>
      userId === allUsers
        ? model.estimatedDocumentCount()
        : count({ filter: { viewerIds: userId }, index: 'server_viewer_created' });
    return new Map(await Promise.all(owners.map(async (owner) => [owner, await total(owner)] as const)));
  });
  /** Null: all parts are common. */
  const byTrigram = async (filter: ServerFilter, text: string): Promise<Way | null> => {
    const ways = searchTrigrams(text).map((nameTrigrams) => ({
      filter: { nameTrigrams },
      index: 'server_name_trigrams',
    }));
    const counts = await Promise.all(ways.map(async (way) => count(way, few + 1)));
    const rarest = Math.min(...counts);
    const way = ways[counts.indexOf(rarest)];
    return way && rarest <= few ? { ...way, filter: { ...filter, ...way.filter } } : null;
  };
  /** The most selective filter. */
  const narrowed = async (filter: ServerFilter, filters: ServerFilters, text: string): Promise<Way> => {
    const { userId, status, only } = filters;
    const index = only && indexOf(only);
    if (index) return { filter, index };
    if (userId !== null) {
      const grams = viewerNameGramsFor(userId, text);
      if (grams) return { filter: { ...filter, viewerNameGrams: { $in: grams } }, index: viewerNameGrams };
      return { filter, index: `server_viewer_${text === '' ? 'status' : 'name'}` };
    }
    if (text === '') return { filter, index: status === 'unknown' ? 'server_node' : 'server_status' };
    return (await byTrigram(filter, text)) ?? { filter, index: 'server_name' };
  };
  return async (filters, page) => {
    const { userId, status, only = {} } = filters;
    const filter: ServerFilter = {
      // Status conditions may also name nodes.
      ...(indexOf(only) !== null && { $and: [filterOf(only)] }),
      ...(userId !== null && { viewerIds: userId }),
      ...hasStatus(filters),
      ...nameContains(page.search),
    };
    const fields = Object.keys(page.sort).filter((field) => field !== '_id');
    const along = `server_${userId === null ? '' : 'viewer_'}${sortIndexOf(fields[0])}`;
    if (status === null && page.search === '' && indexOf(only) === null) {
      // Faster than a walk in the order of the first field.
      const index = userId === null && fields.length > 1 ? undefined : along;
      const servers = await read(filter, page, index);
      const total = lastPageTotal(page, servers.length) ?? (await totals.read(userId ?? allUsers));
      return { servers, total: total ?? 0 };
    }
    const way = await narrowed(filter, filters, page.search);
    if (way.index === viewerNameGrams && fields[0] === sortIndexes.created) {
      // in this order
      const servers = await read(way.filter, page, way.index);
      return { servers, total: lastPageTotal(page, servers.length) ?? (await count(way)) };
    }
    const total = await count(way);
    const servers = total <= few ? await read(way.filter, page, way.index) : await read(filter, page, along);
    return { servers, total };
  };
}

/** Only for a last page. */
function lastPageTotal({ skip, perPage }: PageQuery, found: number): number | null {
  return found < perPage && (found > 0 || skip === 0) ? skip + found : null;
}

function filterOf({ ownerId, nodeId, eggId, externalId }: OnlyServers): ServerFilter {
  return {
    ...(ownerId !== undefined && { userId: ownerId }),
    ...(nodeId !== undefined && { nodeId }),
    ...(eggId !== undefined && { eggId }),
    ...(externalId !== undefined && { externalId }),
  };
}

/** The most selective filter. */
function indexOf({ ownerId, nodeId, eggId, externalId }: OnlyServers): string | null {
  if (externalId !== undefined) return 'server_external_id';
  if (ownerId !== undefined) return 'server_user';
  if (nodeId !== undefined) return 'server_node';
  return eggId === undefined ? null : 'server_egg';
}

function hasStatus({ status, unreachableNodes = [] }: ServerFilters): ServerFilter {
  if (status === null) return {};
  if (status === 'unknown')
    return { status: { $in: [...engineReportedStatuses] }, nodeId: { $in: [...unreachableNodes] } };
  return {
    status,
    ...(isEngineReported(status) && unreachableNodes.length > 0 && { nodeId: { $nin: [...unreachableNodes] } }),
  };
}

function sortIndexOf(field: string | undefined): string {
  return Object.entries(sortIndexes).find(([, indexed]) => indexed === field)?.[0] ?? 'created';
}

/** In the last field's direction: an index can be read backwards. */
function indexOrder(sort: PageQuery['sort']): Record<string, 1 | -1> {
  const fields = Object.entries(sort).filter(([field]) => field !== '_id');
  return { ...Object.fromEntries(fields), _id: fields.at(-1)?.[1] ?? 1 };
}
