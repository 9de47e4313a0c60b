import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiError, createPanelClient, type PanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { freePort } from './ports.js';
import { adminPassword, bootStack, type SharedStack, type TestStack } from './stack.js';

export const jwtSecret = 'a secret of the tests 0123456789 abcdefghij';
/** Of the demo shop, in minor units. */
const credits = { amount: 2000, currency: 'EUR' };

/** Where the servers service can be killed. */
const failpoints = ['create.reserved', 'create.stored', 'backup.dumped', 'restore.imported'] as const;

interface Installation extends TestStack {
  /** The node's address for direct transfers. */
  readonly nodeUrl: string;
  /** Another origin on this machine that browsers may call from. */
  readonly foreignOrigin: string;
  /** Kills the servers service once, when it comes to this point. */
  armFailpoint(point: (typeof failpoints)[number]): Promise<{ isReached(): boolean }>;
  /** What the first file finds. */
  readonly initial: { readonly ids: ReadonlySet<string>; readonly settings: Settings };
}

type Settings = Awaited<ReturnType<typeof readSettings>>;

let running: Promise<Installation> | undefined;

/**
 * In `before` of a file below `shared/`: the one installation of this process without what the preceding file left, and
 * an administrator of the file's own, with credits. The file stops no part of it for good.
 */
export async function sharedStack(): Promise<
  SharedStack & Pick<Installation, 'nodeUrl' | 'foreignOrigin' | 'armFailpoint'>
> {
  running ??= boot();
  const installation = await running;
  await restore(installation);
  return { ...installation, ...(await createAdministrator(installation)) };
}

/** At the end of the run. */
export async function stopSharedStack(): Promise<void> {
  await (await running)?.stop();
}

async function boot(): Promise<Installation> {
  const [port, nodePort] = [await freePort(), await freePort()];
  const [DIRECT_LISTEN, DIRECT_ORIGINS] = [`127.0.0.1:${nodePort}`, `http://127.0.0.1:${port}`];
  const foreignOrigin = `http://127.0.0.1:${await freePort()}`;
  const reached = await mkdtemp(path.join(tmpdir(), 'panel-failpoints-'));
  const fileOf = (point: string) => path.join(reached, point);
  // A point whose file exists is passed.
  for (const point of failpoints) await writeFile(fileOf(point), '');
  const FAILPOINT = failpoints.map((point) => `${point}:kill:${fileOf(point)}`).join();
  const test = await bootStack(
    { PORT: `${port}`, JWT_SECRET: jwtSecret, DIRECT_LISTEN, DIRECT_ORIGINS, CORS_ORIGINS: foreignOrigin },
    { overrides: { servers: { FAILPOINT } } },
  );
  const ids = new Set((await Promise.all(kinds.map(async (kind) => idsOf(test.admin, kind)))).flat());
  const settings = await readSettings(test.admin);
  return {
    ...test,
    nodeUrl: `http://${DIRECT_LISTEN}`,
    foreignOrigin,
    armFailpoint: async (point) => {
      await rm(fileOf(point));
      return { isReached: () => existsSync(fileOf(point)) };
    },
    stop: async () => {
      await test.stop();
      await rm(reached, { recursive: true, force: true });
    },
    initial: { ids, settings },
  };
}

/** With credits. */
export async function createAdministrator({
  stack,
  admin,
}: Pick<TestStack, 'stack' | 'admin'>): Promise<Omit<SharedStack, 'stack' | 'lines'>> {
  const { data: roles } = await admin.get('/admin/roles');
  const username = `admin-${randomUUID().slice(0, 8)}`;
  const user = { username, email: `${username}@example.com`, role_id: roles.find(({ name }) => name === 'admin')?.id };
  const { data } = await admin.post('/admin/users', { body: { ...user, password: adminPassword } });
  await admin.post('/admin/users/{id}/credits', { params: { id: data.id }, body: { amount: credits, reason: 'test' } });
  const own = createPanelClient({ baseUrl: stack.baseUrl });
  await own.login(user.email, adminPassword);
  return { admin: own, adminId: data.id, adminEmail: user.email, password: adminPassword };
}

/** Removes what the preceding file has left, but users and products, and writes changed settings back. */
async function restore({ admin, initial }: Installation): Promise<void> {
  const { settings, ids } = initial;
  if (JSON.stringify(await readSettings(admin)) !== JSON.stringify(settings))
    await admin.put('/admin/settings', { body: settings });
  for (const kind of kinds) {
    await waitUntil(`${kind} of the preceding file to be gone`, async () => {
      const left = (await idsOf(admin, kind)).filter((id) => !ids.has(id));
      for (const id of left) await remove(admin, `/admin/${kind}/${id}`);
      return left.length === 0;
    });
  }
}

async function readSettings(admin: PanelClient) {
  return (await admin.get('/admin/settings')).data;
}

/** Removable in this order. */
const kinds = ['servers', 'database-hosts', 'nodes', 'registries', 'eggs', 'nests'] as const;

async function idsOf(admin: PanelClient, kind: (typeof kinds)[number]): Promise<string[]> {
  const ids: string[] = [];
  if (kind === 'eggs') {
    for (const id of await idsOf(admin, 'nests'))
      for await (const egg of admin.pages('/admin/nests/{id}/eggs', { params: { id } })) ids.push(egg.id);
  } else for await (const { id } of admin.pages(`/admin/${kind}`)) ids.push(id);
  return ids;
}

/** What is being removed already, or busy, is read again. */
async function remove(admin: PanelClient, path: string): Promise<void> {
  try {
    await admin.call('DELETE', path);
  } catch (error) {
    if (!(error instanceof ApiError) || ![404, 409].includes(error.status)) throw error;
  }
}
