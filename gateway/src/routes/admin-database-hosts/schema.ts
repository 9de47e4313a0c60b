import { z } from 'zod';
import { listQuery } from '../../declaration/list-query.js';
import { time } from '../../declaration/present.js';
import { engine } from '../databases/schema.js';

export const databaseHost = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    engine,
    host: z.string(),
    port: z.int(),
    username: z.string(),
    node_ids: z.array(z.uuid()).describe('empty: for servers of all nodes'),
    max_databases: z.int().nullable().describe('null: not limited'),
    max_connections: z.int().describe('given to databases made from now on; 0 not limited'),
    databases_count: z.int(),
    version: z.string(),
    reachable: z.boolean().describe('whether it answered when it was last compared'),
    error: z.string().nullable(),
    checked_at: time.nullable(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'DatabaseHost' });

const fields = {
  name: z.string().trim().min(1).max(100),
  engine,
  host: z.string().trim().min(1).max(253),
  port: z.int().min(1).max(65_535),
  username: z.string().min(1).max(63),
  password: z.string().min(1).max(256),
  node_ids: z.array(z.uuid()).max(1000),
  max_databases: z.int().min(0).max(10_000).nullable(),
  max_connections: z.int().min(0).max(100_000),
};

export const createDatabaseHostBody = z.strictObject({
  ...fields,
  port: fields.port.optional().describe('3306 of mysql, 5432 of postgresql unless given'),
  node_ids: fields.node_ids.default([]),
  max_databases: fields.max_databases.default(null),
  max_connections: fields.max_connections.default(0),
});

/** The engine of a host stays what it is. */
export const updateDatabaseHostBody = z.strictObject(fields).omit({ engine: true }).partial();

export const databaseHostsQuery = listQuery('created_at', 'name').extend({
  node_id: z.uuid().optional().describe('only hosts that serve this node'),
});

export const reportQuery = z.object({
  fresh: z.enum(['true', 'false']).optional().describe('true: compare now instead of showing the last comparison'),
});

export const databaseHostReport = z
  .strictObject({
    orphan_databases: z.array(z.string()).describe('named as the panel names its own, and known to it as nothing'),
    orphan_users: z.array(z.string()),
    missing_databases: z.array(z.string()).describe('known to the panel and not on the host'),
    error: z.string().nullable().describe('why the last comparison failed'),
    checked_at: time.nullable(),
  })
  .meta({ id: 'DatabaseHostReport' });
