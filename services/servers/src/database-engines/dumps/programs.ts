import type { EngineKind } from '../../domain/databases/database.js';
import type { DumpLogin } from '../drivers/database-engine.js';
import type { Program } from './run-program.js';

/** To stdout. */
export function dumpProgram(engine: EngineKind, login: DumpLogin, database: string): Program {
  return engine === 'mysql' ? mariadbDump(login, database) : pgDump(login, database);
}

function mariadbDump({ address, port, username, password }: DumpLogin, database: string): Program {
  const what = ['--single-transaction', '--quick', '--skip-lock-tables', '--no-tablespaces', '--hex-blob'];
  const more = ['--routines', '--triggers', '--events', '--default-character-set=utf8mb4'];
  const where = ['--protocol=tcp', `--host=${address}`, `--port=${port}`, `--user=${username}`];
  return {
    command: 'mariadb-dump',
    args: ['--no-defaults', ...where, ...what, ...more, '--', database],
    env: { MYSQL_PWD: password },
  };
}

/** Its restore runs only SQL; psql also runs shell commands. */
function pgDump(login: DumpLogin, database: string): Program {
  return {
    command: 'pg_dump',
    args: ['--format=custom', '--no-owner', '--no-privileges'],
    env: pgEnv(login, database),
  };
}

/** In one transaction. */
export function pgRestore(login: DumpLogin, database: string): Program {
  const how = ['--clean', '--if-exists', '--no-owner', '--no-privileges', '--single-transaction', '--exit-on-error'];
  return { command: 'pg_restore', args: [`--dbname=${database}`, ...how], env: pgEnv(login, database) };
}

function pgEnv({ address, port, username, password }: DumpLogin, database: string): Record<string, string> {
  return {
    PGHOST: address,
    PGPORT: `${port}`,
    PGUSER: username,
    PGPASSWORD: password,
    PGDATABASE: database,
    PGCONNECT_TIMEOUT: '5',
    PGPASSFILE: '/dev/null',
  };
}
