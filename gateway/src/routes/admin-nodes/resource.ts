import { isIP } from 'node:net';
import {
  Allocated,
  Allocation,
  Engine,
  GetNodeReportResponse,
  NamedServer,
  Node,
  Node_Runtime,
  Node_Status,
  OrphanVolume,
} from '@panel/protos/servers';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { resource } from '../../declaration/resource.js';

const pem = z.string().max(64 * 1024);
const engineUrl = { examples: ['unix:///var/run/docker.sock'] };
const megabytes = z.int().min(1).max(2_147_483_647);
const overallocate = z.int().min(-1).max(10_000);

const engine = resource(Engine, '', {
  url: is.plain('url', z.string().meta(engineUrl)).settableAs(null, z.string().max(512).default('').meta(engineUrl)),
  tls: is.flag('tls', 'whether client certificates are stored'),
  tls_ca: is.writeOnly('tlsCa', pem, pem.default('')),
  tls_cert: is.writeOnly('tlsCert', pem, pem.default('')),
  tls_key: is.writeOnly('tlsKey', pem, pem.default('')),
});

const allocated = resource(Allocated, '', {
  memory: is.int('memoryMb'),
  disk: is.int('diskMb'),
  cpu: is.int('cpuPercent'),
  servers: is.int('servers'),
});

export const node = resource(Node, 'Node', {
  id: is.uuid('id'),
  name: is.text('name').settable(z.string().trim().min(1).max(191)),
  description: is.text('description').settable(z.string().max(2000), ''),
  fqdn: is.text('fqdn').settable(z.string().trim().min(1).max(253)),
  tags: is.texts('tags').settable(z.array(z.string().trim().min(1).max(64)).max(50), []),
  // The runtime is fixed: it holds the servers.
  runtime: is.word('runtime', Node_Runtime, { unspecified: 'docker' }).settableAs(null, z.enum(['docker', 'process'])),
  engine: is
    .part('engine', engine)
    .settableAs(
      engine.createBody,
      engine.createBody.prefault({}).meta({ examples: [{ url: 'unix:///var/run/docker.sock' }] }),
    ),
  files_address: is
    .text('filesAddress', 'host:port of the files service on the node')
    .settable(z.string().regex(/^(dns:\/\/\/)?[^\s/]+:\d{1,5}$/, 'must look like 10.0.0.5:7104')),
  data_root: is.text('dataRoot').settable(
    z
      .string()
      .max(1024)
      .regex(/^\/[^\0]*$/, 'must be an absolute path'),
  ),
  data_root_id: is
    .uuidOrNull('dataRootId', 'identity of the data root, kept on its disk; another one there puts the node offline')
    .settable(z.uuid().nullable().describe('null: the one that the node has when it is next seen'), null),
  memory: is.int('memoryMb', 'MB').settable(megabytes),
  memory_overallocate: is.int('memoryOverallocatePercent', 'percent on top; -1 no limit').settable(overallocate, 0),
  disk: is.int('diskMb', 'MB').settable(megabytes),
  disk_overallocate: is.int('diskOverallocatePercent', 'percent on top; -1 no limit').settable(overallocate, 0),
  cpu: is.int('cpuPercent', 'percent of one core; 0 not limited').settable(z.int().min(0).max(1_000_000), 0),
  maintenance_mode: is.flag('maintenanceMode').settable(z.boolean(), false),
  upload_limit_mb: is.int('uploadLimitMb').settable(
    z
      .int()
      .min(1)
      .max(1024 * 1024),
    1024,
  ),
  public_url: is
    .textOrNull('publicUrl', 'where customers reach the files of the node without the gateway')
    .settable(
      z.string().trim().max(512).nullable().describe('like https://node1.example.com:2443; null: through the gateway'),
      null,
    ),
  emulated_platforms: is
    .texts('emulatedPlatforms', 'platforms of images that the node runs beside its own, by emulation')
    .settable(
      z
        .array(
          z
            .string()
            .trim()
            .meta({ examples: ['linux/arm64'] }),
        )
        .max(20),
      [],
    ),
  allocated: is.part('allocated', allocated),
  status: is.word('status', Node_Status, { unspecified: 'unknown' }),
  status_reason: is.textOrNull('statusReason', 'why it is offline, or what is wrong with it though it is online'),
  problem: is.textOrNull('problem', 'stable word for `status_reason`; more may come'),
  last_seen_at: is.timeOrNull('lastSeenTime'),
  addresses: is.texts('addresses', 'of its network interfaces; empty: not known'),
  unknown_instances: is.texts('unknownInstanceIds', 'containers of this panel that belong to no server; left alone'),
  created_at: is.time('createTime'),
  updated_at: is.time('updateTime'),
});

export const allocation = resource(Allocation, 'Allocation', {
  id: is.uuid('id'),
  ip: is.text('ip'),
  alias: is.textOrNull('alias', 'what players enter instead'),
  port: is.int('port'),
  assigned: is.computed(z.boolean(), ({ serverId }: Allocation) => serverId !== ''),
  server_id: is.uuidOrNull('serverId'),
  notes: is.textOrNull('notes'),
  warning: is.textOrNull('warning', 'why games may not be able to listen there'),
});

const portRange = z.string().regex(/^\d{1,5}(-\d{1,5})?$/, 'must look like 25565 or 25570-25580');

export const createAllocationsBody = z.strictObject({
  ip: z
    .string()
    .refine((text) => isIP(text) !== 0, 'must be an IPv4 or IPv6 address')
    .describe(
      'that the machine has itself; behind NAT its private one, or 0.0.0.0 (all of them), with the public one as alias',
    ),
  alias: z.string().trim().max(191).default('').describe('what players enter instead; required for 0.0.0.0 and ::'),
  ports: z.array(portRange).min(1).max(1000),
});

const namedServer = resource(NamedServer, '', {
  id: is.uuid('id'),
  name: is.text('name'),
  node_id: is.uuid('nodeId'),
});

const orphanVolume = resource(OrphanVolume, 'OrphanVolume', {
  server_id: is.uuid('serverId'),
  server: is.partOrNull('server', namedServer, 'the server of that id, on another node'),
  size_bytes: is.intOrNull('sizeBytes', 'on disk; null: not measured within a few seconds'),
});

export const nodeReport = resource(GetNodeReportResponse, 'NodeReport', {
  orphan_volumes: is.parts('orphanVolumes', orphanVolume, 'files of no server that is on this node; at most 1,000'),
  missing_volumes: is.parts('missingVolumes', namedServer, 'installed servers of this node whose files are not there'),
  orphan_instances: is.texts('orphanInstances', 'server ids of instances of this installation that are of no server'),
  database_is_older: is.flag(
    'databaseIsOlder',
    'the database was restored from a dump older than the files: nothing is started or deleted before they are accepted',
  ),
});
