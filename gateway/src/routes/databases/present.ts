import { type Database, Database_State, DatabaseEngine } from '@panel/protos/servers';
import type { z } from 'zod';
import { isoTimeOf, required } from '../../declaration/present.js';
import type { database, engine } from './schema.js';

export type PresentedDatabase = z.input<typeof database>;

export function presentDatabase(message: Database | undefined): PresentedDatabase {
  const found = required(message, 'database');
  return {
    id: found.id,
    name: found.name,
    engine: presentEngine(found.engine),
    host: { address: found.address, port: found.port },
    username: found.username,
    remote: found.remote,
    max_connections: found.maxConnections,
    size_bytes: found.sizeBytes,
    status: statusOf(found.state),
    created_at: isoTimeOf(found.createTime),
  };
}

/** With the password, where the caller may see it. */
export function presentNewDatabase(message: Database | undefined, password: string): PresentedDatabase {
  return { ...presentDatabase(message), password: password === '' ? null : password };
}

export function presentEngine(kind: DatabaseEngine): z.output<typeof engine> {
  return kind === DatabaseEngine.POSTGRESQL ? 'postgresql' : 'mysql';
}

export function engineMessage(kind: z.output<typeof engine> | undefined): DatabaseEngine {
  if (kind === undefined) return DatabaseEngine.UNSPECIFIED;
  return kind === 'postgresql' ? DatabaseEngine.POSTGRESQL : DatabaseEngine.MYSQL;
}

function statusOf(state: Database_State): PresentedDatabase['status'] {
  if (state === Database_State.ACTIVE) return 'active';
  return state === Database_State.DELETING ? 'deleting' : 'creating';
}
