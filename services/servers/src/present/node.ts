import { Node as NodeMessage, Node_Runtime, Node_Status } from '@panel/protos/servers';
import { nodeStatus, type NodeStatus, type ObservedNode } from '../domain/nodes/node.js';

export function presentNode(node: ObservedNode): NodeMessage {
  const status = nodeStatus(node.health, node.observedAt);
  return NodeMessage.create({
    id: node.id,
    name: node.name,
    description: node.description,
    fqdn: node.fqdn,
    tags: [...node.tags],
    runtime: node.runtime === 'docker' ? Node_Runtime.DOCKER : Node_Runtime.PROCESS,
    engine: { url: node.engine.url, tlsCa: '', tlsCert: '', tlsKey: '', tls: node.engine.tlsKey !== '' },
    filesAddress: node.filesAddress,
    dataRoot: node.dataRoot,
    dataRootId: node.dataRootId,
    memoryMb: node.memoryMb,
    memoryOverallocatePercent: node.memoryOverallocatePercent,
    diskMb: node.diskMb,
    diskOverallocatePercent: node.diskOverallocatePercent,
    cpuPercent: node.cpuPercent,
    maintenanceMode: node.maintenanceMode,
    uploadLimitMb: node.uploadLimitMb,
    publicUrl: node.publicUrl,
    allocated: { ...node.allocated },
    status: statuses[status],
    lastSeenTime: node.health.lastSeenAt ?? undefined,
    unknownInstanceIds: [...node.health.unknownInstances],
    statusReason: status === 'offline' ? (node.health.reason ?? '') : '',
    createTime: node.createdAt,
    updateTime: node.updatedAt,
  });
}

const statuses: Readonly<Record<NodeStatus, Node_Status>> = {
  online: Node_Status.ONLINE,
  offline: Node_Status.OFFLINE,
  unknown: Node_Status.UNKNOWN,
};
