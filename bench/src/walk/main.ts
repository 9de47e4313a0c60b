import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createServers, type Installation, startInstallation } from '../installation/installation.js';

/*
 * npm run walk -- "PUT /servers/{id}/startup" ['{"environment":{}}']: files and gRPC calls of one request, per process.
 * `{id}` is a stopped server; a non-JSON body is sent as bytes. Excludes functions missing in some of several requests.
 */
const rounds = 5;
const root = new URL('../../../', import.meta.url).href;
const kinds = ['gateway', 'identity', 'servers', 'files', 'billing', 'admin'];
/** Runs once per served gRPC call; V8 counts an async function at each resumption. */
const serves = { file: '/packages/rpc/dist/src/call-execution.js', name: 'observe' };

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
  try {
    const [id = ''] = await createServers(installation, 1);
    const url = route.replace('{id}', id);
    // The first one fills caches and opens connections.
    await request(installation, method, url, body);
    const taken: ReadonlyMap<string, Counts>[] = [];
    let status = 0;
    for (let round = 0; round < rounds; round++) {
      await take(installation, directory);
      status = await request(installation, method, url, body);
      taken.push(await take(installation, directory));
    }
    print(`${line} → ${status}`, taken);
  } finally {
    await installation.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

function print(title: string, taken: readonly ReadonlyMap<string, Counts>[]): void {
  const lines: string[] = [title];
  let [files, calls] = [0, 0];
  for (const kind of kinds) {
    const counts = common(taken.map((each) => each.get(kind) ?? new Map<string, number>()));
    const urls = [...new Set([...counts.keys()].map((key) => key.split(' ')[0] ?? ''))];
    const served = [...counts].find(([key]) => key.includes(serves.file) && key.endsWith(` ${serves.name}`))?.[1] ?? 0;
    files += urls.length;
    calls += served;
    if (urls.length === 0) continue;
    lines.push(`\n${kind}: ${urls.length} files, ${served} gRPC calls served`);
    lines.push(...urls.map((url) => `  ${url.slice(root.length).replace('/dist', '')}`).sort());
  }
  process.stdout.write(`${lines.join('\n')}\n\ntogether: ${files} files, ${calls} gRPC calls\n`);
}

const { positionals } = parseArgs({ allowPositionals: true });
const [line = '', body] = positionals;
if (!/^(GET|POST|PUT|PATCH|DELETE) \//.test(line)) {
  process.stderr.write('npm run walk -- "METHOD /path/{id}" [body]\n');
  process.exitCode = 2;
} else {
  await walk(line, body);
}
