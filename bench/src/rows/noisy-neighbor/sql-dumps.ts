import { createPanelClient, type PanelClient } from '@panel/client';
import type { TestDatabaseServer } from '@panel/testing';
import { startMariadb } from '../../../../packages/testing/dist/src/mariadb.js';
import type { Customer } from './customer.js';
import type { Part, Scene } from './part.js';

const rows = 16_000;
const rowBytes = 1_000;
const rowsPerInsert = 200;

/** All servers of the customer in turn: one import and one export at a time, as many as a customer may have. */
export const sqlDumps: Part = {
  name: 'SQL dumps of 16 MB',
  prepare: async (scene) => {
    const mariadb = await startMariadb(process.env.PATH ?? '');
    if (mariadb === null) return null;
    const end = async () => mariadb.stop();
    try {
      const dump = Buffer.from(sqlOf(rows));
      const paths = await createDatabases(scene, mariadb, dump);
      return { act: async (signal) => dumpInTurn(scene.customer, paths, dump, signal), end };
    } catch (error) {
      await end();
      throw error;
    }
  },
};

async function dumpInTurn(customer: Customer, paths: readonly string[], dump: Buffer, signal: AbortSignal) {
  let [exported, imported] = [0, 0];
  const next = (count: number) => paths[count % paths.length] ?? '';
  await Promise.all([
    customer.repeat(1, signal, async () => customer.send({ path: `${next(exported++)}/export` }, signal)),
    customer.repeat(1, signal, async () =>
      customer.send({ method: 'POST', path: `${next(imported++)}/import`, body: dump }, signal),
    ),
  ]);
}

/** Filled, with their paths. */
async function createDatabases(
  { installation, person, serverIds }: Scene,
  { host, port, username, password }: TestDatabaseServer,
  dump: Buffer,
): Promise<string[]> {
  const body = { name: 'bench', engine: 'mysql' as const, host, port, username, password, max_databases: 100 };
  await installation.client.post('/admin/database-hosts', { body });
  const client = createPanelClient({ baseUrl: installation.stack.baseUrl, token: person.token });
  const paths: string[] = [];
  for (const id of serverIds) {
    const path = await createDatabase(client, id);
    await client.call('POST', `${path}/import`, { body: dump, timeoutMs: 120_000 });
    paths.push(path);
  }
  return paths;
}

async function createDatabase(client: PanelClient, id: string): Promise<string> {
  const { data } = await client.post('/servers/{id}/databases', { params: { id }, body: { name: 'dumped' } });
  return `/servers/${id}/databases/${data.id}`;
}

function sqlOf(count: number): string {
  const statements = [
    'DROP TABLE IF EXISTS players;',
    `CREATE TABLE players (id INT PRIMARY KEY, data VARCHAR(${rowBytes}));`,
  ];
  for (let at = 0; at < count; at += rowsPerInsert) {
    const values = Array.from({ length: rowsPerInsert }, (_, row) => `(${at + row}, '${'x'.repeat(rowBytes)}')`);
    statements.push(`INSERT INTO players VALUES ${values.join(', ')};`);
  }
  return `${statements.join('\n')}\n`;
}
