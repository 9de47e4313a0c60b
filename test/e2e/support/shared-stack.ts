import { randomUUID } from 'node:crypto';
import { ApiError, createPanelClient, type PanelClient } from '@panel/client';
import { waitUntil } from '@panel/kit/testing';
import { freePort } from './ports.js';
import { adminPassword, bootStack, type SharedStack, type TestStack } from './stack.js';

export const jwtSecret = 'a secret of the tests 0123456789 abcdefghij';
/** Of the demo shop, in minor units. */
const credits = { amount: 2000, currency: 'EUR' };

interface Installation extends TestStack {
  /** The node's address for direct transfers. */
  readonly nodeUrl: string;
  /** What the first file finds. */
  readonly initial: { readonly ids: ReadonlySet<string>; readonly settings: Settings };
}

type Settings = Awaited<ReturnType<typeof readSettings>>;

let running: Promise<Installation> | undefined;

/**
 * In `before` of a file below `shared/`: the one installation of this process without what the preceding file left, and
 * an administrator of the file's own, with credits. The file stops no part of it for good.
 */
export async function sharedStack(): Promise<SharedStack & Pick<Installation, 'nodeUrl'>> {
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
  const test = await bootStack({ PORT: `${port}`, JWT_SECRET: jwtSecret, DIRECT_LISTEN, DIRECT_ORIGINS });
  const ids = new Set((await Promise.all(kinds.map(async (kind) => idsOf(test.admin, kind)))).flat());
  const settings = await readSettings(test.admin);
  return { ...test, nodeUrl: `http://${DIRECT_LISTEN}`, initial: { ids, settings } };
}

async function createAdministrator({ stack, admin }: TestStack): Promise<Omit<SharedStack, 'stack' | 'lines'>> {
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
const kinds = ['servers', 'database-hosts', 'nodes', 'eggs', 'nests'] as const;

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
