import { enumOf, messageFields } from '@panel/kit/records';
import { type GetNodeReportResponse, type Node as NodeMessage, Node_Runtime, Node_Status } from '@panel/protos/servers';
import { nodeStatus, type ObservedNode } from '../domain/nodes/node.js';
import type { NodeReport } from '../domain/nodes/node-report.js';

export function presentNode(node: ObservedNode): NodeMessage {
  const { engine, health } = node;
  const status = nodeStatus(health, node.observedAt);
  return {
    ...messageFields(node),
    runtime: enumOf(Node_Runtime, node.runtime),
    engine: { url: engine.url, tlsCa: '', tlsCert: '', tlsKey: '', tls: engine.tlsKey !== '' },
    status: enumOf(Node_Status, status),
    lastSeenTime: health.lastSeenAt ?? undefined,
    unknownInstanceIds: [...health.unknownInstances],
    statusReason: status === 'unknown' ? '' : (health.reason ?? ''),
    createTime: node.createdAt,
    updateTime: node.updatedAt,
  };
}

export function presentNodeReport({
  orphanVolumes,
  missingVolumes,
  orphanInstances,
}: NodeReport): GetNodeReportResponse {
  return {
    orphanVolumes: orphanVolumes.map(({ serverId, server }) => ({ serverId, server: server ?? undefined })),
    missingVolumes: [...missingVolumes],
    orphanInstances: [...orphanInstances],
  };
}
