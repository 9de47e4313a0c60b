import { isIP } from 'node:net';
import { z } from 'zod';
import { time } from '../../declaration/present.js';

const int32Max = 2_147_483_647;

export const node = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    description: z.string(),
    fqdn: z.string(),
    tags: z.array(z.string()),
    runtime: z.enum(['docker', 'process']),
    engine: z.strictObject({
      url: z.string().meta({ examples: ['unix:///var/run/docker.sock'] }),
      tls: z.boolean().describe('whether client certificates are stored'),
    }),
    files_address: z.string().describe('host:port of the files service on the node'),
    data_root: z.string(),
    memory: z.int().describe('MB'),
    memory_overallocate: z.int().describe('percent on top; -1 no limit'),
    disk: z.int().describe('MB'),
    disk_overallocate: z.int().describe('percent on top; -1 no limit'),
    cpu: z.int().describe('percent of one core; 0 not limited'),
    maintenance_mode: z.boolean(),
    upload_limit_mb: z.int(),
    public_url: z.string().nullable().describe('where customers reach the files of the node without the gateway'),
    allocated: z.strictObject({ memory: z.int(), disk: z.int(), cpu: z.int(), servers: z.int() }),
    status: z.enum(['online', 'offline', 'unknown']),
    status_reason: z.string().nullable().describe('why it is offline'),
    last_seen_at: time.nullable(),
    unknown_instances: z.array(z.string()).describe('containers of this panel that belong to no server; left alone'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Node' });

const pem = z.string().max(64 * 1024);

const fields = {
  name: z.string().trim().min(1).max(191),
  description: z.string().max(2000),
  fqdn: z.string().trim().min(1).max(253),
  tags: z.array(z.string().trim().min(1).max(64)).max(50),
  runtime: z.enum(['docker', 'process']),
  engine: z.strictObject({
    url: z
      .string()
      .max(512)
      .default('')
      .meta({ examples: ['unix:///var/run/docker.sock'] }),
    tls_ca: pem.default(''),
    tls_cert: pem.default(''),
    tls_key: pem.default(''),
  }),
  files_address: z.string().regex(/^(dns:\/\/\/)?[^\s/]+:\d{1,5}$/, 'must look like 10.0.0.5:7104'),
  data_root: z
    .string()
    .max(1024)
    .regex(/^\/[^\0]*$/, 'must be an absolute path'),
  memory: z.int().min(1).max(int32Max),
  memory_overallocate: z.int().min(-1).max(10_000),
  disk: z.int().min(1).max(int32Max),
  disk_overallocate: z.int().min(-1).max(10_000),
  cpu: z.int().min(0).max(1_000_000),
  maintenance_mode: z.boolean(),
  upload_limit_mb: z
    .int()
    .min(1)
    .max(1024 * 1024),
  public_url: z
    .string()
    .trim()
    .max(512)
    .nullable()
    .describe('like https://node1.example.com:2443; null: through the gateway'),
};

export const createNodeBody = z.strictObject({
  ...fields,
  description: fields.description.default(''),
  tags: fields.tags.default([]),
  engine: fields.engine.prefault({}).meta({ examples: [{ url: 'unix:///var/run/docker.sock' }] }),
  memory_overallocate: fields.memory_overallocate.default(0),
  disk_overallocate: fields.disk_overallocate.default(0),
  cpu: fields.cpu.default(0),
  maintenance_mode: fields.maintenance_mode.default(false),
  upload_limit_mb: fields.upload_limit_mb.default(1024),
  public_url: fields.public_url.default(null),
});

/** The runtime of a node stays what it is: its servers live in it. */
export const updateNodeBody = z.strictObject(fields).omit({ runtime: true }).partial();

export const allocation = z
  .strictObject({
    id: z.uuid(),
    ip: z.string(),
    alias: z.string().nullable(),
    port: z.int(),
    assigned: z.boolean(),
    server_id: z.uuid().nullable(),
    notes: z.string().nullable(),
  })
  .meta({ id: 'Allocation' });

const portRange = z.string().regex(/^\d{1,5}(-\d{1,5})?$/, 'must look like 25565 or 25570-25580');

export const createAllocationsBody = z.strictObject({
  ip: z.string().refine((text) => isIP(text) !== 0, 'must be an IPv4 or IPv6 address'),
  alias: z.string().trim().max(191).default(''),
  ports: z.array(portRange).min(1).max(1000),
});
