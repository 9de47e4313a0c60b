import { setTimeout as wait } from 'node:timers/promises';
import { messageOf } from '@panel/kit/errors';
import { findBroken, findUnsettled } from './checker.js';
import { Client, type Parts } from './client.js';
import { noteTakingEgg } from './game.js';
import { type Installation, startInstallation } from './installation.js';
import { describeEntry, type Entry, type Files, Journal } from './journal.js';
import { clientCount, describeFault, type GameRuntime, planRounds, type Round } from './plan.js';
import { localNode, readFiles, readState, type State } from './state.js';
import { perform } from './steps/perform.js';

interface SeedOptions {
  readonly seed: number;
  readonly rounds: number;
  readonly runtime: GameRuntime;
  readonly log: (line: string) => void;
}

/** Of what a crash leaves, the last is swept after some minutes. */
const settleMs = 300_000;
const shownEntries = 60;

/** Runs an installation through the rounds of a seed. Throws with seed, round, faults and journal when something does not hold. */
export async function runSeed({ seed, rounds, runtime, log }: SeedOptions): Promise<void> {
  const lines: string[] = [];
  const installation = await startInstallation(runtime, (line) => void lines.push(line));
  try {
    const journal = new Journal();
    const parts = { installation, journal, ...(await stock(installation)) };
    const clients = await Promise.all(
      Array.from({ length: clientCount }, async (_, at) => Client.start(parts, `client${at}`)),
    );
    for (const [at, round] of planRounds(seed, rounds).entries()) {
      journal.round = at + 1;
      const faults = round.faults.filter((fault) => installation.isPossible(fault));
      const title = `seed ${seed} (${runtime}), round ${journal.round} of ${rounds}: ${faults.map(describeFault).join('; ') || 'no fault'}`;
      log(title);
      const broken = await runRound({ ...parts, clients, log }, { ...round, faults }).catch((error: unknown) => [
        messageOf(error),
      ]);
      if (broken.length > 0) throw new Error(report(title, broken, journal, lines));
    }
  } finally {
    await installation.stop();
  }
}

/** What is sold, what games run, and addresses for them. */
async function stock({ admin }: Installation): Promise<{ readonly eggId: string; readonly productId: string }> {
  const { data: egg } = await admin.post('/admin/eggs/import', { bytes: noteTakingEgg(), type: 'application/json' });
  const { data: products } = await admin.get('/store/products');
  const sold = products[0];
  if (!sold?.server) throw new Error('the shop sells nothing');
  await admin.put('/admin/billing/products/{id}', {
    params: { id: sold.id },
    body: { server: { ...sold.server, egg_id: egg.id } },
  });
  const { id } = await localNode(admin);
  await admin.post('/admin/nodes/{id}/allocations', {
    params: { id },
    body: { ip: '127.0.0.1', ports: ['26000-26099'] },
  });
  return { eggId: egg.id, productId: sold.id };
}

type Running = Parts & Pick<SeedOptions, 'log'> & { readonly clients: readonly Client[] };

/** What does not hold after the round. */
async function runRound(running: Running, { faults, steps, pick }: Round): Promise<string[]> {
  const { installation, journal, clients, log } = running;
  const startedAt = performance.now();
  const before: Record<string, Files> = {};
  for (const client of clients) {
    before[client.storeId] = await readFiles(client.owner.panel, client.storeId);
    await client.begin(before[client.storeId] ?? {});
  }
  await Promise.all([
    ...faults.map(async (fault) => {
      await wait(fault.atMs);
      await installation.cause(fault);
    }),
    ...clients.map(async (client, at) => perform(client, steps[at] ?? [])),
  ]);
  log(`  ${summary(journal.ofRound(journal.round))}, ${seconds(startedAt)}`);
  const { state, unsettled } = await settle(running);
  const stuck = unsettled.map((problem) => `unsettled after ${settleMs / 1_000} s: ${problem}`);
  const { entries, round } = journal;
  const broken = [...stuck, ...findBroken({ entries, round, before, state })];
  if (broken.length > 0) return broken;
  const torn = await restoreOne(running, pick);
  await clear(running, state);
  return torn;
}

/** Waits until everything has come to rest. */
async function settle(running: Running): Promise<{ readonly state: State; readonly unsettled: string[] }> {
  const startedAt = performance.now();
  let last = 'nothing';
  for (;;) {
    const seen = await look(running);
    const isOver = performance.now() - startedAt > settleMs;
    if (isOver && 'problem' in seen)
      throw new Error(`no answer ${settleMs / 1_000} s after the faults: ${seen.problem}`);
    if ('state' in seen && (isOver || seen.unsettled.length === 0)) {
      running.log(`  at rest after ${seconds(startedAt)}, at last waited for: ${last}`);
      return seen;
    }
    last = 'problem' in seen ? seen.problem : (seen.unsettled[0] ?? last);
    await wait(500);
  }
}

async function look(
  running: Running,
): Promise<{ readonly state: State; readonly unsettled: string[] } | { readonly problem: string }> {
  try {
    await allReady(running.installation);
    const state = await readState(running);
    return { state, unsettled: findUnsettled({ state }) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

async function allReady({ stack }: Installation): Promise<void> {
  for (const [name, address] of Object.entries(stack.metrics)) {
    const { ok, status } = await fetch(`http://${address}/readyz`, { signal: AbortSignal.timeout(2_000) });
    if (!ok) throw new Error(`${name} is not ready: ${status}`);
  }
}

/** A backup holds byte for byte what the store held. */
async function restoreOne({ clients, installation: { admin } }: Running, pick: number): Promise<string[]> {
  const all = clients.flatMap((client) => [...client.backups].map(([id, files]) => ({ client, id, files })));
  const chosen = all[pick % all.length];
  if (!chosen) return [];
  const { client, id, files } = chosen;
  const params = { id: client.storeId, backup_id: id };
  const { data } = await admin.post('/servers/{id}/backups/{backup-id}/restore', { params, body: { truncate: true } });
  const state = await client.endOfOperation(client.storeId, data.operation_id);
  const found = await readFiles(client.owner.panel, client.storeId);
  return state === 'completed' && sorted(found) === sorted(files)
    ? []
    : [`backups: the restore of ${id} is ${state} with ${sorted(found)}, not ${sorted(files)}`];
}

function sorted(files: Files): string {
  return JSON.stringify(Object.entries(files).toSorted(([a], [b]) => a.localeCompare(b)));
}

/** Ends what was bought, and what no client knows of, so that the node has room for more. */
async function clear({ clients, installation: { admin } }: Running, { servers, services }: State): Promise<void> {
  const active = services.filter(({ status }) => status === 'active');
  for (const { id } of active)
    await admin.put('/admin/billing/services/{id}', { params: { id }, body: { action: 'terminate' } });
  const retained = new Set(clients.flatMap(({ gameId, storeId, servers: own }) => [gameId, storeId, ...own.keys()]));
  const sold = new Set(services.map(({ serverId }) => serverId));
  for (const { id } of servers)
    if (!retained.has(id) && !sold.has(id)) await admin.delete('/admin/servers/{id}', { params: { id } });
}

function summary(entries: readonly Entry[]): string {
  const changes = entries.filter(({ fact }) => fact.do !== 'read' && fact.do !== 'use');
  const count = (outcome: Entry['outcome']) => changes.filter((entry) => entry.outcome === outcome).length;
  const repeated = changes.filter(({ attempts }) => attempts.length > 1).length;
  return `${count('done')} done, ${count('refused')} refused, ${count('unknown')} unknown, ${repeated} repeated`;
}

/** Everything that is needed to see it again. */
function report(title: string, broken: readonly string[], journal: Journal, lines: readonly string[]): string {
  const entries = journal.ofRound(journal.round).filter(({ fact }) => fact.do !== 'read');
  const words = broken.flatMap((problem) => problem.match(/[\w-]{8,}/g) ?? []);
  const isNamed = (line: string) => words.some((word) => line.includes(word));
  const described = entries.map(describeEntry);
  const named = described.filter(isNamed);
  const shown = (named.length > 0 ? named : described).slice(-shownEntries);
  return [
    ...broken.slice(0, 20),
    title,
    'journal:',
    ...shown.map((line) => `  ${line}`),
    'launcher:',
    ...lines.slice(-15).map((line) => `  ${line}`),
  ].join('\n');
}

function seconds(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1_000).toFixed(0)} s`;
}
