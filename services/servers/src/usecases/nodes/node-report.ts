import type { ServersContext } from '../../context.js';
import type { GameNode } from '../../domain/nodes/node.js';
import type { NodeReport, OrphanVolume, ServerPlace } from '../../domain/nodes/node-report.js';
import { fail } from '../../reasons.js';
import { loadNode } from './get-node.js';

type ReportDeps = Pick<ServersContext, 'stores' | 'files' | 'runtimes'>;

type Orphan = Omit<OrphanVolume, 'sizeBytes'>;

const maxListed = 1_000;
const pageSize = 1_000;

/** Reads the node now. Throws NODE_NOT_FOUND, NODE_UNREACHABLE, SERVICE_UNAVAILABLE. */
export async function getNodeReport(deps: ReportDeps, nodeId: string): Promise<NodeReport> {
  const { stores, files, runtimes } = deps;
  const node = await loadNode(stores, nodeId);
  const there = new Set<string>();
  const found: Orphan[] = [];
  const shared = await nodesWithFilesOf(deps, node);
  for await (const serverIds of files.volumes(node)) {
    for (const id of serverIds) there.add(id);
    found.push(...(await orphansAmong(deps, shared, serverIds)));
  }
  const orphans = found.slice(0, maxListed);
  const ids = orphans.map(({ serverId }) => serverId);
  const sizes = ids.length === 0 ? new Map<string, number>() : await files.sizes(node, ids);
  const listed = await runtimes.of(node).list();
  const instances = listed.filter(({ isForeign }) => !isForeign).map(({ serverId }) => serverId);
  const known = new Set((await stores.servers.places(instances)).map(({ id }) => id));
  return {
    orphanVolumes: orphans.map((orphan) => ({ ...orphan, sizeBytes: sizes.get(orphan.serverId) ?? null })),
    missingVolumes: await missing(deps, node, there),
    orphanInstances: instances.filter((id) => !known.has(id)).slice(0, maxListed),
    isDatabaseOlder: await files.isDatabaseOlder(node),
  };
}

/** From now on the database counts, also when it is older. Throws NODE_NOT_FOUND, NODE_UNREACHABLE, SERVICE_UNAVAILABLE. */
export async function acceptNodeFiles({ stores, files }: ReportDeps, nodeId: string): Promise<void> {
  await files.acceptDataRoot(await loadNode(stores, nodeId));
}

/** What a transfer brings or has yet to remove is none. */
async function orphansAmong(
  { stores }: ReportDeps,
  shared: ReadonlySet<string>,
  serverIds: readonly string[],
): Promise<Orphan[]> {
  const places = new Map((await stores.servers.places(serverIds)).map((place) => [place.id, place]));
  return serverIds.flatMap((serverId) => {
    const server = places.get(serverId) ?? null;
    return server && needs(server, shared) ? [] : [{ serverId, server }];
  });
}

function needs({ nodeId, busyNodeIds }: ServerPlace, shared: ReadonlySet<string>): boolean {
  return shared.has(nodeId) || busyNodeIds.some((id) => shared.has(id));
}

/** Several nodes can share a files service, also under different addresses. */
async function nodesWithFilesOf({ stores, files }: ReportDeps, node: GameNode): Promise<ReadonlySet<string>> {
  const nodes = await stores.nodes.all();
  const isSame = (other: GameNode) => Boolean(node.dataRootId) && other.dataRootId === node.dataRootId;
  return new Set(nodes.filter((other) => files.isShared(node, other) || isSame(other)).map(({ id }) => id));
}

async function missing({ stores }: ReportDeps, node: GameNode, there: ReadonlySet<string>): Promise<ServerPlace[]> {
  const found: ServerPlace[] = [];
  for (let afterId = ''; found.length < maxListed;) {
    const page = await stores.servers.installedOnNode(node.id, afterId, pageSize);
    found.push(...page.filter(({ id }) => !there.has(id)));
    if (page.length < pageSize) break;
    afterId = page.at(-1)?.id ?? '';
  }
  return found.slice(0, maxListed);
}

/**
 * Removes the files of a server that is not on the node. Throws NODE_NOT_FOUND, VOLUME_IN_USE, NODE_UNREACHABLE,
 * SERVICE_UNAVAILABLE.
 */
export async function deleteNodeVolume(deps: ReportDeps, nodeId: string, serverId: string): Promise<void> {
  const { stores, files, runtimes } = deps;
  const node = await loadNode(stores, nodeId);
  const [orphan] = await orphansAmong(deps, await nodesWithFilesOf(deps, node), [serverId]);
  if (!orphan) throw fail('VOLUME_IN_USE', 'the files are those of a server on this node', { server_id: serverId });
  if ((await runtimes.of(node).inspect(serverId))?.state === 'running') {
    throw fail('VOLUME_IN_USE', 'a game runs with these files: stop it on the machine first', { server_id: serverId });
  }
  await files.deleteVolume(node, serverId);
}
