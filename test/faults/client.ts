import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { createPanelClient, type PanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import type { Installation } from './installation.js';
import type { Asked, Fact, Files, Journal } from './journal.js';

export const password = 'a long enough password';
/** Of one attempt: a good client gives up and asks again. */
export const timeoutMs = 6_000;
/** Longer than the claim of a dead request on an idempotency key. */
export const createPatienceMs = 22_000;
export const repeatPatienceMs = 8_000;
const operationPatienceMs = 8_000;
export const maxBackups = 6;

interface User {
  readonly id: string;
  readonly email: string;
  readonly panel: PanelClient;
}

export interface Parts {
  readonly installation: Installation;
  readonly journal: Journal;
  readonly eggId: string;
  readonly productId: string;
}

/** Not used again until the end of the round: a change with unknown outcome may still take effect. */
type Uncertain = 'store' | 'game' | 'share';

interface Request<T> {
  readonly fact: Fact;
  readonly send: () => Promise<{ readonly data: T }>;
  readonly patienceMs?: number;
}

/** Sends one request at a time, on resources of its own. */
export class Client {
  /** Presented after what the checker calls them. */
  readonly credentials = new Map<string, PanelClient>();
  /** Whose contents are known, by id. */
  readonly backups = new Map<string, Files>();
  /** Of the store, by path. */
  files = new Map<string, string>();
  readonly uncertain = new Set<Uncertain>();
  /** By id, with their external ids. */
  readonly servers = new Map<string, string>();
  #count = 0;

  private constructor(
    readonly parts: Parts,
    readonly name: string,
    readonly owner: User,
    readonly friend: User,
    /** Runs the note taker. */
    readonly gameId: string,
    /** Files and backups only: it never runs. */
    readonly storeId: string,
    readonly scheduleId: string,
    /** Of this round, so that its ledger is short. */
    public buyer: User,
  ) {}

  static async start(parts: Parts, name: string): Promise<Client> {
    const { admin } = parts.installation;
    const [owner, friend] = [await createUser(parts), await createUser(parts)];
    const create = async (external_id: string) => {
      const limits = { memory: 128, cpu: 50, disk: 256, backups_limit: maxBackups };
      const body = { name: external_id, external_id, user_id: owner.id, egg_id: parts.eggId, ...limits };
      const { data } = await admin.post('/admin/servers', { body });
      await untilStatus(admin, data.id, 'offline');
      return data.id;
    };
    const [gameId, storeId] = [await create(`${name}-game`), await create(`${name}-store`)];
    await admin.post('/servers/{id}/power', { params: { id: gameId }, body: { action: 'start' } });
    await untilStatus(admin, gameId, 'running');
    const body = { name: 'now', is_active: false, tasks: [{ action: 'command' as const, payload: 'nothing' }] };
    const { data } = await owner.panel.post('/servers/{id}/schedules', { params: { id: gameId }, body });
    return new Client(parts, name, owner, friend, gameId, storeId, data.id, owner);
  }

  /** `files`: what the store was seen to have. */
  async begin(files: Files): Promise<void> {
    this.files = new Map(Object.entries(files));
    this.uncertain.clear();
    this.buyer = await createUser(this.parts);
    const body = { amount: { amount: 10_000, currency: 'EUR' }, reason: 'at first' };
    await this.parts.installation.admin.post('/admin/users/{id}/credits', { params: { id: this.buyer.id }, body });
  }

  async ask<T>(request: string, asked: Request<T>): Promise<Asked<T>> {
    return this.parts.journal.ask({ client: this.name, request, ...asked });
  }

  /** The state in which an operation of a server has ended, as far as that is seen within a while. */
  async endOfOperation(serverId: string, operationId: string): Promise<string | undefined> {
    const params = { id: serverId, operation_id: operationId };
    return this.untilSeen(async () => {
      const { data } = await this.ask('GET /servers/{id}/operations/{operation-id}', {
        fact: { do: 'read' },
        send: async () => this.owner.panel.get('/servers/{id}/operations/{operation-id}', { params, timeoutMs }),
      });
      return data && data.state !== 'in_progress' ? data.state : undefined;
    });
  }

  async untilSeen(probe: () => Promise<string | undefined>): Promise<string | undefined> {
    const end = performance.now() + operationPatienceMs;
    for (;;) {
      const found = await probe();
      if (found !== undefined || performance.now() > end) return found;
      await wait(200);
    }
  }

  /** A panel seen with this token, known by `name` to the checker. */
  remember(name: string, token: string): PanelClient {
    const panel = createPanelClient({ baseUrl: this.parts.installation.baseUrl, token, timeoutMs });
    this.credentials.set(name, panel);
    return panel;
  }

  async use(credential: string, isValid: boolean): Promise<void> {
    await this.ask('GET /account', {
      fact: { do: 'use', credential, isValid },
      send: async () => (this.credentials.get(credential) ?? this.owner.panel).get('/account', { timeoutMs }),
    });
  }

  /** The same in every run with the seed. */
  next(what: string): string {
    this.#count += 1;
    return `${this.name}-${what}-${this.#count}-`;
  }
}

async function createUser({ installation: { admin, baseUrl } }: Parts): Promise<User> {
  const username = `u${randomUUID().slice(0, 12)}`;
  const email = `${username}@panel.test`;
  const { data } = await admin.post('/admin/users', { body: { email, username, password } });
  const panel = createPanelClient({ baseUrl });
  await panel.login(email, password);
  return { id: data.id, email, panel };
}

async function untilStatus(admin: PanelClient, id: string, wanted: string): Promise<void> {
  await waitUntil(`a server to be ${wanted}`, async () => {
    const { data } = await admin.get('/servers/{id}', { params: { id } });
    if (data.install_error !== null) throw new Error(data.install_error);
    return data.status === wanted;
  });
}

export function choose<T>(all: readonly T[], pick: number): T | undefined {
  return all[pick % all.length];
}
