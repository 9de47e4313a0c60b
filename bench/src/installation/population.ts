import { randomUUID } from 'node:crypto';
import { createPanelClient } from '@panel/client';
import { databaseUrl } from '@panel/programs';
import mongoose, { type Connection } from 'mongoose';
import { trigramsOf } from '../../../services/servers/dist/src/models/servers/name-search.js';
import {
  viewerNameGramsOf,
  viewerNameGramsStage,
} from '../../../services/servers/dist/src/models/servers/viewer-name-grams.js';
import { createServers, type Installation, password } from './installation.js';

/** A signed-in user. */
export interface Person {
  readonly id: string;
  readonly token: string;
}

interface PopulatedServer {
  readonly id: string;
  readonly name: string;
  /** Its owner's access token. */
  readonly token: string;
}

export interface Population {
  readonly owners: readonly Person[];
  readonly servers: readonly PopulatedServer[];
  readonly reseller: Person;
  /** Shares `sharedServers` servers of others. */
  readonly guest: Person;
  readonly resellerNames: readonly string[];
}

interface Row {
  readonly _id: string;
  readonly [field: string]: unknown;
}

/** Servers shared with one user. */
export const sharedServers = 500;
const firstPort = 20_000;
const usersAtOnce = 8;

/** Creates users and one server over REST; other servers are copies of its documents. */
export async function populate(installation: Installation, userCount: number, count: number): Promise<Population> {
  const [templateId = ''] = await createServers(installation, 1);
  const reseller = await createPerson(installation, 'reseller');
  const guest = await createPerson(installation, 'guest');
  const owners: Person[] = [];
  for (let index = 0; index < userCount; index += usersAtOnce) {
    const batch = Array.from({ length: Math.min(usersAtOnce, userCount - index) }, async (_, offset) =>
      createPerson(installation, `owner${index + offset}`),
    );
    owners.push(...(await Promise.all(batch)));
  }
  const url = databaseUrl(installation.stack.mongoUrl, 'servers');
  const connection = await mongoose.createConnection(url, { autoIndex: false }).asPromise();
  try {
    const copies = await copyServer(connection, templateId, 2 * count, (index) =>
      index < count ? (owners[index % owners.length] ?? reseller) : reseller,
    );
    await share(connection, copies.slice(0, sharedServers), guest);
    return {
      owners,
      servers: copies.slice(0, count),
      reseller,
      guest,
      resellerNames: copies.slice(count).map(({ name }) => name),
    };
  } finally {
    await connection.close();
  }
}

async function createPerson({ client, stack }: Installation, username: string): Promise<Person> {
  const email = `${username}@localhost.localdomain`;
  const { data } = await client.post('/admin/users', { body: { email, username, password } });
  const own = createPanelClient({ baseUrl: stack.baseUrl });
  return { id: data.id, token: (await own.login(email, password)).access_token };
}

async function share(
  connection: Connection,
  servers: readonly PopulatedServer[],
  { id: userId }: Person,
): Promise<void> {
  const at = new Date();
  const subuser = {
    id: randomUUID(),
    userId,
    email: null,
    roleId: 'viewer',
    permissions: ['file.read'],
    pathRules: [],
    inheritedPathRules: [],
    expiresAt: null,
    endsAt: null,
    revision: 1,
    invitedBy: '',
    createdAt: at,
    updatedAt: at,
  };
  const filter = { _id: { $in: servers.map(({ id }) => id) } };
  const rows = connection.collection<Row>('servers');
  await rows.updateMany(filter, { $push: { subusers: subuser, viewerIds: userId } } as never);
  await rows.updateMany(filter, [{ $set: viewerNameGramsStage }]);
}

async function copyServer(
  connection: Connection,
  templateId: string,
  count: number,
  ownerOf: (index: number) => Person,
): Promise<PopulatedServer[]> {
  const rows = (name: string) => connection.collection<Row>(name);
  const server = await rows('servers').findOne({ _id: templateId });
  const allocation = await rows('allocations').findOne({ serverId: templateId });
  const node = await rows('nodes').findOne({ 'reservations.serverId': templateId });
  if (!server || !allocation || !node) throw new Error('there is no server to copy');
  const [reservation] = (node['reservations'] as Row[]).filter(({ serverId }) => serverId === templateId);
  const copies: PopulatedServer[] = [];
  const written = { servers: [] as Row[], allocations: [] as Row[], reservations: [] as unknown[] };
  for (let index = 0; index < count; index++) {
    const id = randomUUID();
    const owner = ownerOf(index);
    const name = `server ${String(index).padStart(5, '0')}`;
    const port = firstPort + index;
    const replaced = new Map<unknown, unknown>([
      [templateId, id],
      [allocation._id, randomUUID()],
      [allocation['port'], port],
    ]);
    const nameTrigrams = trigramsOf(name);
    const viewerNameGrams = viewerNameGramsOf([owner.id], nameTrigrams);
    const names = { name, nameKey: name, nameTrigrams, viewerNameGrams, uuidShort: id.slice(0, 8) };
    const createdAt = new Date(Date.now() + index);
    written.servers.push({
      ...(replace(server, replaced) as Row),
      ...names,
      userId: owner.id,
      viewerIds: [owner.id],
      createdAt,
    });
    written.allocations.push(replace(allocation, replaced) as Row);
    written.reservations.push(replace(reservation, replaced));
    copies.push({ id, name, token: owner.token });
  }
  await rows('allocations').insertMany(written.allocations);
  await rows('nodes').updateOne({ _id: node._id }, {
    $push: { reservations: { $each: written.reservations } },
  } as never);
  await rows('servers').insertMany(written.servers);
  return copies;
}

function replace(value: unknown, replaced: ReadonlyMap<unknown, unknown>): unknown {
  if (replaced.has(value)) return replaced.get(value);
  if (Array.isArray(value)) return value.map((item) => replace(item, replaced));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, replace(field, replaced)]));
}
