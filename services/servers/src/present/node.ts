import { enumOf, messageFields } from '@panel/kit/records';
import { type GetNodeReportResponse, type Node as NodeMessage, Node_Runtime, Node_Status } from '@panel/protos/servers';
import type { ObservedNode } from '../domain/nodes/node.js';
import { nodeStatus } from '../domain/nodes/node-status.js';
import type { NodeReport } from '../domain/nodes/node-report.js';

export function presentNode(node: ObservedNode): NodeMessage {
  const { engine, health } = node;
  const status = nodeStatus(health, node.observedAt);
  return {
    ...messageFields(node),
    emulatedPlatforms: [...(node.emulatedPlatforms ?? [])],
    addresses: [...(health.addresses ?? [])],
    runtime: enumOf(Node_Runtime, node.runtime),
    engine: { url: engine.url, tlsCa: '', tlsCert: '', tlsKey: '', tls: engine.tlsKey !== '' },
    status: enumOf(Node_Status, status),
    lastSeenTime: health.lastSeenAt ?? undefined,
    unknownInstanceIds: [...health.unknownInstances],
    statusReason: status === 'unknown' ? '' : (health.reason ?? ''),
    problem: status === 'unknown' ? '' : (health.problem ?? ''),
    createTime: node.createdAt,
    updateTime: node.updatedAt,
  };
}

export function presentNodeReport({
  orphanVolumes,
  missingVolumes,
  orphanInstances,
  isDatabaseOlder,
}: NodeReport): GetNodeReportResponse {
  return {
    orphanVolumes: orphanVolumes.map(messageFields),
    missingVolumes: [...missingVolumes],
    orphanInstances: [...orphanInstances],
    databaseIsOlder: isDatabaseOlder,
  };
}
