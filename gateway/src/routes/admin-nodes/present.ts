import {
  type Allocation,
  CreateNodeRequest,
  type Node,
  Node_Runtime,
  Node_Status,
  UpdateNodeRequest,
} from '@panel/protos/servers';
import type { z } from 'zod';
import { isoTime, isoTimeOf, required, textOrNull } from '../../declaration/present.js';
import type { allocation, createNodeBody, node, updateNodeBody } from './schema.js';

type PresentedNode = z.input<typeof node>;

export function presentNode(message: Node | undefined): PresentedNode {
  const found = required(message, 'node');
  const allocated = found.allocated ?? { memoryMb: 0, diskMb: 0, cpuPercent: 0, servers: 0 };
  return {
    id: found.id,
    name: found.name,
    description: found.description,
    fqdn: found.fqdn,
    tags: found.tags,
    runtime: found.runtime === Node_Runtime.PROCESS ? 'process' : 'docker',
    engine: { url: found.engine?.url ?? '', tls: found.engine?.tls ?? false },
    files_address: found.filesAddress,
    data_root: found.dataRoot,
    memory: found.memoryMb,
    memory_overallocate: found.memoryOverallocatePercent,
    disk: found.diskMb,
    disk_overallocate: found.diskOverallocatePercent,
    cpu: found.cpuPercent,
    maintenance_mode: found.maintenanceMode,
    upload_limit_mb: found.uploadLimitMb,
    public_url: textOrNull(found.publicUrl),
    allocated: {
      memory: allocated.memoryMb,
      disk: allocated.diskMb,
      cpu: allocated.cpuPercent,
      servers: allocated.servers,
    },
    status: nodeStatus(found.status),
    status_reason: found.statusReason === '' ? null : found.statusReason,
    last_seen_at: isoTime(found.lastSeenTime),
    unknown_instances: found.unknownInstanceIds,
    created_at: isoTimeOf(found.createTime),
    updated_at: isoTimeOf(found.updateTime),
  };
}

function nodeStatus(status: Node_Status): PresentedNode['status'] {
  if (status === Node_Status.ONLINE) return 'online';
  return status === Node_Status.OFFLINE ? 'offline' : 'unknown';
}

export function createNodeRequest(body: z.output<typeof createNodeBody>): CreateNodeRequest {
  return CreateNodeRequest.create({
    name: body.name,
    description: body.description,
    fqdn: body.fqdn,
    tags: body.tags,
    runtime: body.runtime === 'process' ? Node_Runtime.PROCESS : Node_Runtime.DOCKER,
    engine: engineOf(body.engine),
    filesAddress: body.files_address,
    dataRoot: body.data_root,
    memoryMb: body.memory,
    memoryOverallocatePercent: body.memory_overallocate,
    diskMb: body.disk,
    diskOverallocatePercent: body.disk_overallocate,
    cpuPercent: body.cpu,
    maintenanceMode: body.maintenance_mode,
    uploadLimitMb: body.upload_limit_mb,
    publicUrl: body.public_url ?? '',
  });
}

export function updateNodeRequest(nodeId: string, body: z.output<typeof updateNodeBody>): UpdateNodeRequest {
  return UpdateNodeRequest.create({
    nodeId,
    name: body.name,
    description: body.description,
    fqdn: body.fqdn,
    tags: body.tags ? { tags: body.tags } : undefined,
    engine: body.engine ? engineOf(body.engine) : undefined,
    filesAddress: body.files_address,
    dataRoot: body.data_root,
    memoryMb: body.memory,
    memoryOverallocatePercent: body.memory_overallocate,
    diskMb: body.disk,
    diskOverallocatePercent: body.disk_overallocate,
    cpuPercent: body.cpu,
    maintenanceMode: body.maintenance_mode,
    uploadLimitMb: body.upload_limit_mb,
    publicUrl: body.public_url === null ? '' : body.public_url,
  });
}

function engineOf(engine: z.output<typeof createNodeBody>['engine']) {
  return { url: engine.url, tlsCa: engine.tls_ca, tlsCert: engine.tls_cert, tlsKey: engine.tls_key, tls: false };
}

export function presentAllocation(message: Allocation): z.input<typeof allocation> {
  return {
    id: message.id,
    ip: message.ip,
    alias: textOrNull(message.alias),
    port: message.port,
    assigned: message.serverId !== '',
    server_id: textOrNull(message.serverId),
    notes: textOrNull(message.notes),
  };
}
