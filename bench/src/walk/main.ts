import { randomUUID } from 'node:crypto';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { databaseUrl } from '@panel/programs';
import { createServers, type Installation, startInstallation } from '../installation/installation.js';

/*
 * npm run walk -- "PUT /servers/{id}/startup" ['{"environment":{}}']: files and gRPC calls of one request, per process.
 * `{id}` is a stopped server; a non-JSON body is sent as bytes. Excludes functions missing in some of several requests.
 * The activity log is delivered after the answer: a delivery without a request is counted too, and subtracted.
 */
const rounds = 8;
/** Moves the rounds against periodic jobs. */
const maxShiftMs = 1_500;
const root = new URL('../../../', import.meta.url).href;
const kinds = ['gateway', 'identity', 'servers', 'files', 'billing', 'admin'];
/** Runs once per served gRPC call; V8 counts an async function at each resumption. */
const serves = / file:\S+\/packages\/rpc\/dist\/src\/call-execution\.js observe@/;
/** Runs once per recorded event. */
const records = / file:\S+\/packages\/outbox\/dist\/src\/models\/collection-outbox\.js add@/;

/** Calls per function of a process, by file and name. */
type Counts = ReadonlyMap<string, number>;

interface Ran {
  readonly url: string;
  readonly functions: Readonly<Record<string, number>>;
}

async function take({ stack }: Installation, directory: string): Promise<ReadonlyMap<string, Counts>> {
  const taken = new Map<string, Counts>();
  for (const [name, pid] of Object.entries(stack.pids())) {
    const file = path.join(directory, `${kindOf(name)}.json`);
    if (!kinds.includes(kindOf(name))) continue;
    await rm(file, { force: true });
    process.kill(pid, 'SIGUSR2');
    while (!(await exists(file))) await pause(5);
    const ran = JSON.parse(await readFile(file, 'utf8')) as readonly Ran[];
    const counts = ran.flatMap(({ url, functions }) =>
      Object.entries(functions).map(([each, count]) => [`${url} ${each}`, count] as const),
    );
    taken.set(kindOf(name), new Map(counts));
  }
  return taken;
}

const kindOf = (name: string) => name.replace(/-?\d+$/, '');

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** Functions common to all, with the minimum counts. */
function common(all: readonly Counts[]): Counts {
  const [first = new Map<string, number>(), ...others] = all;
  const least = (key: string, count: number) => Math.min(count, ...others.map((each) => each.get(key) ?? 0));
  return new Map([...first].map(([key, count]) => [key, least(key, count)] as const).filter(([, count]) => count > 0));
}

async function request({ stack, token }: Installation, method: string, url: string, body: string | undefined) {
  const isJson = body !== undefined && /^[[{]/.test(body);
  const answer = await fetch(`${stack.baseUrl}/api/v1${url}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': isJson ? 'application/json' : 'application/octet-stream' }),
    },
    ...(body === undefined ? {} : { body }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

async function walk(line: string, body: string | undefined): Promise<void> {
  const [method = '', route = ''] = line.split(' ');
  const directory = await mkdtemp(path.join(tmpdir(), 'panel-walk-'));
  const probe = `--import ${new URL('coverage-probe.js', import.meta.url).href}`;
  const overrides = Object.fromEntries(
    kinds.map((kind) => [kind, { NODE_OPTIONS: probe, WALK_DIR: directory, WALK_NAME: kind }]),
  );
  const installation = await startInstallation({ GATEWAY_WORKERS: '1' }, { isPinned: false, overrides });
  const outboxes = await ActivityOutboxes.open(installation.stack.mongoUrl);
  try {
    const [id = ''] = await createServers(installation, 1);
    const url = route.replace('{id}', id);
    // The first one fills caches and opens connections.
    await request(installation, method, url, body);
    await outboxes.untilDelivered();
    const taken: ReadonlyMap<string, Counts>[] = [];
    const delivered: ReadonlyMap<string, Counts>[] = [];
    let status = 0;
    for (let round = 0; round < rounds; round++) {
      await pause(Math.random() * maxShiftMs);
      await take(installation, directory);
      status = await request(installation, method, url, body);
      await outboxes.untilDelivered();
      const ran = await take(installation, directory);
      taken.push(ran);
      await outboxes.add(kinds.filter((kind) => callsOf(ran.get(kind), records) > 0));
      await outboxes.untilDelivered();
      delivered.push(await take(installation, directory));
    }
    print(`${line} → ${status}`, taken, delivered);
  } finally {
    await outboxes.close();
    await installation.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Pending activity events of the services. */
class ActivityOutboxes {
  private constructor(private readonly connections: ReadonlyMap<string, MongoConnection>) {}

  static async open(mongoUrl: string): Promise<ActivityOutboxes> {
    const open = async (kind: string) =>
      [kind, await connectMongo(databaseUrl(mongoUrl, kind), { appName: 'walk' })] as const;
    return new ActivityOutboxes(new Map(await Promise.all(kinds.filter((kind) => kind !== 'gateway').map(open))));
  }

  /** An event of no request in each. */
  async add(ofKinds: readonly string[]): Promise<void> {
    const facts = { actorId: '', apiKeyId: '', ip: '', userId: '', serverId: '', properties: {} };
    const payload = { event: 'server:settings.rename', ...facts };
    const entry = { at: new Date(), payload, attempts: 0, retryAt: null, parkedAt: null, error: '' };
    for (const kind of ofKinds) await this.#of(kind).insertOne({ _id: randomUUID() as never, ...entry });
  }

  async untilDelivered(): Promise<void> {
    for (const kind of this.connections.keys()) {
      while ((await this.#of(kind).countDocuments({ parkedAt: null })) > 0) await pause(10);
    }
    await pause(100);
  }

  async close(): Promise<void> {
    for (const connection of this.connections.values()) await connection.close();
  }

  #of(kind: string) {
    const connection = this.connections.get(kind);
    if (!connection) throw new TypeError(`${kind} has no database`);
    return connection.collection('activity_outbox');
  }
}

function callsOf(counts: Counts | undefined, name: RegExp): number {
  return [...(counts ?? [])].find(([key]) => name.test(` ${key}`))?.[1] ?? 0;
}

function print(
  title: string,
  taken: readonly ReadonlyMap<string, Counts>[],
  delivered: readonly ReadonlyMap<string, Counts>[],
): void {
  const requests: Part = { lines: [title], files: 0, calls: 0 };
  const deliveries: Part = {
    lines: ['\nbeside the request (delivery of its activity, periodic jobs):'],
    files: 0,
    calls: 0,
  };
  for (const kind of kinds) {
    const of = (round: ReadonlyMap<string, Counts>) => round.get(kind) ?? new Map<string, number>();
    const all = common(taken.map(of));
    const later = common(delivered.map(of));
    const own = new Map(
      [...all].map(([key, count]) => [key, count - (later.get(key) ?? 0)] as const).filter(([, count]) => count > 0),
    );
    const files = filesOf(own);
    addPart(requests, kind, files, callsOf(own, serves));
    const others = filesOf(all).filter((file) => !files.includes(file));
    addPart(deliveries, kind, others, callsOf(all, serves) - callsOf(own, serves));
  }
  if (deliveries.files > 0) requests.lines.push(...deliveries.lines);
  const sum = `the request: ${requests.files} files, ${requests.calls} gRPC calls`;
  const after = `beside it: ${deliveries.files} other files, ${deliveries.calls} gRPC calls`;
  process.stdout.write(`${requests.lines.join('\n')}\n\n${sum}\n${after}\n`);
}

interface Part {
  readonly lines: string[];
  files: number;
  calls: number;
}

function addPart(part: Part, kind: string, files: readonly string[], calls: number): void {
  part.files += files.length;
  part.calls += calls;
  if (files.length > 0) part.lines.push(`\n${kind}: ${files.length} files, ${calls} gRPC calls served`);
  part.lines.push(...files.map((file) => `  ${file}`));
}

function filesOf(counts: Counts): string[] {
  const urls = new Set([...counts.keys()].map((key) => key.split(' ')[0] ?? ''));
  return [...urls].map((url) => url.slice(root.length).replace('/dist', '')).sort();
}

const { positionals } = parseArgs({ allowPositionals: true });
const [line = '', body] = positionals;
if (!/^(GET|POST|PUT|PATCH|DELETE) \//.test(line)) {
  process.stderr.write('npm run walk -- "METHOD /path/{id}" [body]\n');
  process.exitCode = 2;
} else {
  await walk(line, body);
}
