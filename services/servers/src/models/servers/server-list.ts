import type { PageQuery } from '@panel/kit/mongo';
import type { Model } from 'mongoose';
import {
  isEngineReported,
  type OnlyServers,
  type ServerStatus,
  type ServerView,
  engineReportedStatuses,
} from '../../domain/servers/server.js';
import { BatchedReads } from '../batched-reads.js';
import { maxQueryMs } from '../fields.js';
import { searchTrigrams, nameContains } from './name-search.js';
import type { ServerFilter } from './conditional-update.js';
import { type ServerDocument, sortIndexes } from './server-schema.js';
import type { ServerViewReader } from './server-views.js';

export interface ServerFilters {
  /** The servers that this user owns or shares; null means all. */
  readonly userId: string | null;
  /** As it is shown: `unknown` are those that would run on `unreachableNodes`, and are in no other status. */
  readonly status: ServerStatus | 'unknown' | null;
  /** Only servers with all of these. Absent: all. */
  readonly only?: OnlyServers;
  /** Nodes whose engine is unreachable; absent: none. */
  readonly unreachableNodes?: readonly string[];
}

export type ListServers = (
  filters: ServerFilters,
  page: PageQuery,
) => Promise<{ servers: ServerView[]; total: number }>;

/** A filter, and the index it is answered from. */
interface Way {
  readonly filter: ServerFilter;
  readonly index: string;
}

/** In the place of a user. */
const allUsers = '';

/** So many are found by what they have in common and sorted; among more, the next page is soon found in their order. */
const few = 2_000;

/**
 * Lists of servers. Each is answered from an index named here: the planner remembers one for all texts alike, and where
 * it has to compare several that find nothing for long, the embedded engine gives up ("slot-based execution engine").
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
  /** Of one user, or of all: one count answers all callers who ask for the same at the same time. */
  const totals = new BatchedReads(async (owners) => {
    const total = async (userId: string) =>
      userId === allUsers
        ? model.estimatedDocumentCount()
        : count({ filter: { viewerIds: userId }, index: 'server_viewer_created' });
    return new Map(await Promise.all(owners.map(async (owner) => [owner, await total(owner)] as const)));
  });
  /** The servers of all users with one of the parts of a name, or null when all of its parts are in many names. */
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
  /** What leaves the fewest servers over. */
  const narrowed = async (filter: ServerFilter, filters: ServerFilters, text: string): Promise<Way> => {
    const { userId, status, only } = filters;
    const index = only && indexOf(only);
    if (index) return { filter, index };
    if (userId !== null) return { filter, index: `server_viewer_${text === '' ? 'status' : 'name'}` };
    if (text === '') return { filter, index: status === 'unknown' ? 'server_node' : 'server_status' };
    return (await byTrigram(filter, text)) ?? { filter, index: 'server_name' };
  };
  return async (filters, page) => {
    const { userId, status, only = {} } = filters;
    const filter: ServerFilter = {
      // Beside the conditions of a status, which can name nodes, too.
      ...(indexOf(only) !== null && { $and: [filterOf(only)] }),
      ...(userId !== null && { viewerIds: userId }),
      ...hasStatus(filters),
      ...nameContains(page.search),
    };
    const fields = Object.keys(page.sort).filter((field) => field !== '_id');
    const along = `server_${userId === null ? '' : 'viewer_'}${sortIndexOf(fields[0])}`;
    if (status === null && page.search === '' && indexOf(only) === null) {
      // With more fields than one index has, those of all users are read: faster than one by one in the order of the
      // first.
      const index = userId === null && fields.length > 1 ? undefined : along;
      const servers = await read(filter, page, index);
      const total = lastPageTotal(page, servers.length) ?? (await totals.read(userId ?? allUsers));
      return { servers, total: total ?? 0 };
    }
    const way = await narrowed(filter, filters, page.search);
    const total = await count(way);
    const servers = total <= few ? await read(way.filter, page, way.index) : await read(filter, page, along);
    return { servers, total };
  };
}

/** On the last page nothing has to be counted; null on any other one, and beyond it. */
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

/** Of the filters the one that leaves the fewest servers over. */
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

/** The id breaks ties in the direction of the last field, or no index could be read backwards for it. */
function indexOrder(sort: PageQuery['sort']): Record<string, 1 | -1> {
  const fields = Object.entries(sort).filter(([field]) => field !== '_id');
  return { ...Object.fromEntries(fields), _id: fields.at(-1)?.[1] ?? 1 };
}
