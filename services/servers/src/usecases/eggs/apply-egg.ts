import type { ServersContext } from '../../context.js';
import { type EggDifference, eggDifferences } from '../../domain/eggs/egg-differences.js';
import type { Egg } from '../../domain/eggs/egg.js';
import type { GameServer } from '../../domain/servers/server.js';
import { takeOverEgg } from '../../domain/servers/take-over-egg.js';
import { getEgg } from './get-egg.js';

export interface EggApplication {
  readonly serverId: string;
  readonly name: string;
  readonly outcome: 'unchanged' | 'changed' | 'busy';
  readonly differences: readonly EggDifference[];
}

interface AppliedPage {
  readonly servers: EggApplication[];
  /** Start of the next page; null: none. */
  readonly nextServerId: string | null;
}

const perPage = 100;
const atOnce = 8;

/**
 * Servers take over the current egg from their next start; a preview only lists differences. One page per call.
 * Idempotent. Throws EGG_NOT_FOUND.
 */
export async function applyEgg(
  { stores }: Pick<ServersContext, 'stores'>,
  eggId: string,
  {
    serverIds,
    isPreview,
    afterId,
  }: { readonly serverIds: readonly string[]; readonly isPreview: boolean; readonly afterId: string },
): Promise<AppliedPage> {
  const egg = await getEgg({ stores }, eggId);
  const found = await stores.servers.eggs.page(eggId, serverIds, afterId, perPage + 1);
  const page = found.slice(0, perPage);
  const servers: EggApplication[] = [];
  for (let at = 0; at < page.length; at += atOnce) {
    const some = page.slice(at, at + atOnce);
    servers.push(...(await Promise.all(some.map(async (server) => applyTo(stores.servers, server, egg, isPreview)))));
  }
  return { servers, nextServerId: found.length > perPage ? (page.at(-1)?.id ?? null) : null };
}

async function applyTo(
  servers: ServersContext['stores']['servers'],
  server: GameServer,
  egg: Egg,
  isPreview: boolean,
): Promise<EggApplication> {
  const change = takeOverEgg(server, egg, {});
  const differences = eggDifferences(server, change);
  const about = { serverId: server.id, name: server.name };
  if (differences.length === 0) return { ...about, outcome: 'unchanged', differences };
  if (isPreview) return { ...about, outcome: server.operation ? 'busy' : 'changed', differences };
  if (await servers.eggs.apply(server, change)) return { ...about, outcome: 'changed', differences };
  // An operation, or a concurrent identical request.
  const current = await servers.get(server.id);
  const isDone = current && eggDifferences(current, takeOverEgg(current, egg, {})).length === 0;
  return { ...about, outcome: isDone ? 'unchanged' : 'busy', differences: isDone ? [] : differences };
}
