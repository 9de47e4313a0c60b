import { type Handler, requirePermission } from '@panel/rpc';
import type { NodeServiceService, UpdateNodeRequest } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { checkNode } from '../../domain/nodes/check-node.js';
import type { Engine, NodeFields } from '../../domain/nodes/node.js';
import { copyNodeName } from '../../usecases/nodes/copy-node-name.js';
import { presentNode, readEngine } from '../../present/node.js';
import { fail } from '../../reasons.js';

export function updateNode({ stores, clock }: ServersContext): Handler<NodeServiceService['updateNode']> {
  return async (request, { actor }) => {
    requirePermission(actor, 'nodes.update');
    const { nodeId } = request;
    const missing = () => fail('NODE_NOT_FOUND', 'no such node', { node_id: nodeId });
    const before = await stores.nodes.get(nodeId);
    if (!before) throw missing();
    const changes = changesOf(request, before.engine);
    checkNode({ ...before, ...changes });
    if (!(await stores.nodes.update(nodeId, changes, clock()))) throw missing();
    if (changes.name !== undefined) await copyNodeName(stores, nodeId);
    const node = await stores.nodes.get(nodeId);
    if (!node) throw missing();
    return { node: presentNode(node, clock()) };
  };
}

function changesOf(request: UpdateNodeRequest, engine: Engine): Partial<NodeFields> {
  const changes = {
    name: request.name?.trim(),
    description: request.description,
    fqdn: request.fqdn,
    tags: request.tags?.tags,
    engine: request.engine && changedEngine(engine, readEngine(request.engine)),
    filesAddress: request.filesAddress,
    dataRoot: request.dataRoot,
    memoryMb: request.memoryMb,
    memoryOverallocatePercent: request.memoryOverallocatePercent,
    diskMb: request.diskMb,
    diskOverallocatePercent: request.diskOverallocatePercent,
    cpuPercent: request.cpuPercent,
    maintenanceMode: request.maintenanceMode,
    uploadLimitMb: request.uploadLimitMb,
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

/**
 * Keys are write-only, so one who changes the url cannot send them back: without new ones the old ones stay, unless the
 * engine is at a socket of this machine now, where there are none.
 */
function changedEngine(before: Engine, given: Engine): Engine {
  const hasKeys = given.tlsCa !== '' || given.tlsCert !== '' || given.tlsKey !== '';
  const url = given.url === '' ? before.url : given.url;
  if (hasKeys) return { ...given, url };
  return url.startsWith('unix://') ? { url, tlsCa: '', tlsCert: '', tlsKey: '' } : { ...before, url };
}
