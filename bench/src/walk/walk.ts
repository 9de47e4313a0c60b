import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { modularProgram } from '@panel/stack';
import { createServers, type Installation, startInstallation } from '../installation/installation.js';
import { ActivityOutboxes } from './activity-outboxes.js';
import { type Counts, hasRecorded, kinds, type Part, partsOf, type Round } from './counts.js';

/** An idle round is longer than the period of most jobs, and moves the next rounds against them. */
const minIdleMs = 1_000;
const maxShiftMs = 1_000;

export interface Walked {
  readonly status: number;
  readonly request: Part;
  /** Delivery of the request's activity, and periodic jobs. */
  readonly beside: Part;
}

interface Ran {
  readonly url: string;
  readonly functions: Readonly<Record<string, number>>;
}

/** An installation whose processes count calls of their functions, with a stopped server. */
export class Walks {
  private constructor(
    private readonly installation: Installation,
    private readonly outboxes: ActivityOutboxes,
    private readonly serverId: string,
    private readonly directory: string,
  ) {}

  static async open(): Promise<Walks> {
    const directory = await mkdtemp(path.join(tmpdir(), 'panel-walk-'));
    const probe = `--import ${new URL('coverage-probe.js', import.meta.url).href}`;
    const overrides = Object.fromEntries(
      kinds.map((kind) => [kind, { NODE_OPTIONS: probe, WALK_DIR: directory, WALK_NAME: kind }]),
    );
    const installation = await startInstallation(
      { GATEWAY_WORKERS: '1' },
      { isPinned: false, overrides, programOf: modularProgram },
    );
    try {
      const outboxes = await ActivityOutboxes.open(installation.stack.mongoUrl);
      const [serverId = ''] = await createServers(installation, 1);
      return new Walks(installation, outboxes, serverId, directory);
    } catch (error) {
      await installation.stop();
      throw error;
    }
  }

  /** `{id}` in `line` is the server; a non-JSON body is sent as bytes. */
  async walk(line: string, body: string | undefined, rounds: number): Promise<Walked> {
    const [method = '', route = ''] = line.split(' ');
    const url = route.replace('{id}', this.serverId);
    // The first one fills caches and opens connections.
    await this.#request(method, url, body);
    await this.outboxes.untilDelivered();
    const taken: Round[] = [];
    const delivered: Round[] = [];
    const idle: Round[] = [];
    await this.#take();
    let status = 0;
    for (let round = 0; round < rounds; round++) {
      await pause(minIdleMs + Math.random() * maxShiftMs);
      idle.push(await this.#take());
      // The gateway forgets a caller within seconds: a request among others finds them known.
      await this.#request('GET', '/account', undefined);
      await this.#take();
      status = await this.#request(method, url, body);
      await this.outboxes.untilDelivered();
      const ran = await this.#take();
      taken.push(ran);
      await this.outboxes.add(kinds.filter((kind) => hasRecorded(ran.get(kind))));
      await this.outboxes.untilDelivered();
      delivered.push(await this.#take());
    }
    return { status, ...partsOf({ taken, delivered, idle }) };
  }

  async close(): Promise<void> {
    await this.outboxes.close();
    await this.installation.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Functions run since the last call. */
  async #take(): Promise<Round> {
    const taken = new Map<string, Counts>();
    for (const [name, pid] of Object.entries(this.installation.stack.pids())) {
      const file = path.join(this.directory, `${kindOf(name)}.json`);
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

  async #request(method: string, url: string, body: string | undefined): Promise<number> {
    const { stack, token } = this.installation;
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
}

const kindOf = (name: string) => name.replace(/-?\d+$/, '');

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
