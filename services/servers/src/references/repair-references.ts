import type { ActivityEvent, ActivityLog } from '@panel/activity';
import { pause } from '@panel/kit/async';
import type { Logger } from '@panel/kit/process';
import { derivedId } from '@panel/rpc';
import type { Gauge } from 'prom-client';
import type { ReferenceStore, ServerReferences } from '../models/references.js';
import type { Stores } from '../models/stores.js';
import type { UserDirectory } from '../users/user-directory.js';

export interface RepairReferencesDeps {
  readonly references: ReferenceStore;
  readonly stores: Pick<Stores, 'servers' | 'schedules' | 'registries'>;
  readonly users: Pick<UserDirectory, 'byIds'>;
  readonly activity: Pick<ActivityLog, 'record'>;
  readonly log: Logger;
  /** Servers with a missing `reference`. */
  readonly gauge: Gauge<'reference'>;
  /**
   * Maximum time that a pending deletion hides a user, who returns if it fails: only a user missing before and after is
   * deleted.
   */
  readonly claimMs: number;
}

/** Only reported: staff decide. */
type Missing = 'owner' | 'node' | 'egg';

const pageSize = 500;

/**
 * Finds dangling references of processes that died between a write and its check. Completes deletions: access of
 * deleted users, schedules of deleted servers, registries of deleted eggs. Only reports what could cost data: a server
 * without owner, node or egg is in activity log, metrics and log; databases stay on their host.
 */
export async function repairReferences(deps: RepairReferencesDeps, signal: AbortSignal): Promise<void> {
  const counts: Record<Missing, number> = { owner: 0, node: 0, egg: 0 };
  for (let after = ''; !signal.aborted;) {
    const page = await deps.references.servers(after, pageSize);
    await repairPage(deps, page, counts, signal);
    after = page.length < pageSize ? '' : (page.at(-1)?.id ?? '');
    if (after === '') break;
  }
  if (signal.aborted) return;
  for (const [reference, count] of Object.entries(counts)) deps.gauge.set({ reference }, count);
  await removeOrphanSchedules(deps, signal);
  await removeOrphanRegistries(deps);
  await reportOrphanDatabases(deps, signal);
}

async function repairPage(
  deps: RepairReferencesDeps,
  page: readonly ServerReferences[],
  counts: Record<Missing, number>,
  signal: AbortSignal,
): Promise<void> {
  const { references, stores, log } = deps;
  const [users, nodes, eggs] = await Promise.all([
    goneUsers(
      deps,
      page.flatMap(({ userId, subuserIds }) => [userId, ...subuserIds]),
      signal,
    ),
    references
      .missing(
        'nodes',
        page.map(({ nodeId }) => nodeId),
      )
      .then((ids) => new Set(ids)),
    references
      .missing(
        'eggs',
        page.map(({ eggId }) => eggId),
      )
      .then((ids) => new Set(ids)),
  ]);
  const subusers = new Set(page.flatMap(({ subuserIds }) => subuserIds).filter((id) => users.has(id)));
  for (const userId of subusers) {
    await stores.servers.subusers.removeUser(userId);
    log.warn({ userId }, 'the access of a deleted user to servers was ended');
  }
  const report = async (kind: Missing, serverId: string, id: string) => {
    counts[kind]++;
    log.error({ serverId, reference: kind, id }, 'a server refers to something that is gone');
    const properties = { reference: kind, id };
    const event: ActivityEvent = { event: 'server:reference.missing', serverId, properties };
    // A fixed id: the activity log keeps one of repeated reports.
    await deps.activity.record(event, null, derivedId(serverId, `missing ${kind} ${id}`));
  };
  for (const { id, userId, nodeId, eggId } of page) {
    if (users.has(userId)) await report('owner', id, userId);
    if (nodes.has(nodeId)) await report('node', id, nodeId);
    if (eggs.has(eggId)) await report('egg', id, eggId);
  }
}

async function goneUsers(
  { users, claimMs }: RepairReferencesDeps,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const unknownOf = async (some: readonly string[]) => {
    if (some.length === 0) return [];
    const known = await users.byIds(some);
    return some.filter((id) => !known.has(id));
  };
  const suspects = await unknownOf([...new Set(ids)]);
  if (suspects.length === 0) return new Set();
  await pause(claimMs, signal);
  return new Set(signal.aborted ? [] : await unknownOf(suspects));
}

async function removeOrphanSchedules({ references, stores, log }: RepairReferencesDeps, signal: AbortSignal) {
  for (let after = ''; !signal.aborted;) {
    const serverIds = await references.serverIdsIn('schedules', after, pageSize);
    for (const serverId of await references.missing('servers', serverIds)) {
      await stores.schedules.deleteOfServer(serverId);
      log.warn({ serverId }, 'schedules of a deleted server were removed');
    }
    after = serverIds.length < pageSize ? '' : (serverIds.at(-1) ?? '');
    if (after === '') return;
  }
}

async function removeOrphanRegistries({ references, stores, log }: RepairReferencesDeps) {
  for (const eggId of await references.missing('eggs', await stores.registries.eggIds())) {
    await stores.registries.deleteOfEgg(eggId);
    log.warn({ eggId }, 'registries of a deleted egg were removed');
  }
}

async function reportOrphanDatabases({ references, log, gauge }: RepairReferencesDeps, signal: AbortSignal) {
  let count = 0;
  for (let after = ''; !signal.aborted;) {
    const serverIds = await references.serverIdsIn('databases', after, pageSize);
    for (const serverId of await references.missing('servers', serverIds)) {
      count++;
      log.error({ serverId, reference: 'database' }, 'databases belong to a server that is gone');
    }
    after = serverIds.length < pageSize ? '' : (serverIds.at(-1) ?? '');
    if (after === '') break;
  }
  gauge.set({ reference: 'database' }, count);
}
