import type { Connection } from 'mongoose';

export interface Plan {
  readonly name: string;
  /** Names of its stages, the last one first. */
  readonly stages: readonly string[];
  readonly indexes: readonly string[];
  readonly docsExamined: number;
  readonly ms: number;
}

interface Stage {
  readonly stage?: string;
  readonly indexName?: string;
  readonly [part: string]: unknown;
}

const readingCommands = new Set(['find', 'aggregate', 'count']);

/** Plans of the queries that `ask` sends over a connection with `monitorCommands`. */
export async function plansOf(connection: Connection, name: string, ask: () => Promise<unknown>): Promise<Plan[]> {
  const sent: Record<string, unknown>[] = [];
  const client = connection.getClient();
  const note = (event: { readonly commandName: string; readonly command: Record<string, unknown> }) => {
    if (readingCommands.has(event.commandName)) sent.push(event.command);
  };
  client.on('commandStarted', note as never);
  await ask();
  client.off('commandStarted', note as never);
  const plans: Plan[] = [];
  for (const { lsid: _session, $db: _database, $clusterTime: _time, ...command } of sent) {
    const explained = await connection.db?.command({ explain: command, verbosity: 'executionStats' });
    if (explained) plans.push({ name: `${name} (${Object.keys(command)[0]})`, ...summed(explained) });
  }
  return plans;
}

function summed(explained: object): Omit<Plan, 'name'> {
  const found: Stage[] = [];
  let docsExamined = 0;
  let ms = 0;
  const walk = (part: unknown, key = '') => {
    if (typeof part !== 'object' || part === null || key === 'rejectedPlans' || key === 'command') return;
    const it = part as Stage;
    if (typeof it.stage === 'string' && key !== 'executionStages') found.push(it);
    if (key === 'executionStats') {
      docsExamined += Number(it['totalDocsExamined'] ?? 0);
      ms += Number(it['executionTimeMillis'] ?? 0);
    }
    for (const [name, value] of Object.entries(it)) {
      if (key === 'executionStats') continue;
      if (Array.isArray(value)) for (const one of value) walk(one, name);
      else walk(value, name);
    }
  };
  walk(explained);
  const indexes = [...new Set(found.flatMap(({ indexName }) => indexName ?? []))];
  return { stages: found.flatMap(({ stage }) => stage ?? []), indexes, docsExamined, ms };
}
