import { connectMongo, type MongoConnection } from '@panel/kit/mongo';
import { reusedMongoUrl } from '@panel/testing';
import { expect } from 'chai';
import { FakeActivity, FakeMail, FakeServers, FakeUsage, fakeUsers, testSettings } from '../fakes.js';
import { openReplica, type Replica } from '../replica.js';

interface Sent {
  readonly commandName: string;
  readonly command: Record<string, unknown>;
}

describe('the queries of the jobs of billing', function () {
  this.timeout(180_000);
  let replica: Replica;
  let connection: MongoConnection;
  const sent: Sent[] = [];

  before(async () => {
    const mongoUrl = reusedMongoUrl('billing');
    connection = await connectMongo(mongoUrl, { appName: 'test', monitorCommands: true });
    connection.getClient().on('commandStarted', (event) => sent.push(event));
    const servers = new FakeServers();
    const overrides = {
      servers: servers.client,
      eggs: servers.eggs,
      usage: new FakeUsage().client,
      users: fakeUsers,
      mail: new FakeMail().client,
      activityClient: new FakeActivity().client,
      settings: { read: async () => ({ ...testSettings, taxScheme: 'eu' as const, vatCheck: 'accept' as const }) },
      gateways: new Map(),
    };
    replica = await openReplica(mongoUrl, () => new Date(), overrides, connection);
  });
  after(async () => replica?.stop());

  it('finds what is due by an index', async () => {
    sent.length = 0;
    await replica.tick();
    const scans = new Set<string>();
    let explained = 0;
    for (const { filter, collection } of sent.flatMap(readOf)) {
      const plan = await connection.db?.command({ explain: { find: collection, filter }, verbosity: 'queryPlanner' });
      explained += 1;
      if (JSON.stringify(plan?.['queryPlanner']).includes('"COLLSCAN"')) {
        scans.add(JSON.stringify({ collection, filter }));
      }
    }
    expect(explained).to.be.above(15);
    expect(sent.some(({ command }) => command['find'] === 'billing_profiles')).to.equal(true);
    expect([...scans]).to.deep.equal([]);
  });

  it('claims once of each kind while none is due', async () => {
    sent.length = 0;
    await replica.tick();
    const claims = sent
      .filter(({ commandName }) => commandName === 'findAndModify')
      .map(({ command }) => `${String(command['findAndModify'])} ${Object.keys(command['query'] as object).join()}`);
    expect(claims).to.include('subscriptions meterAt');
    expect(claims).to.deep.equal([...new Set(claims)]);
  });
});

/** Filter of a command; empty for full scans by design. */
function readOf({ commandName, command }: Sent): { readonly collection: unknown; readonly filter: object }[] {
  const filter = commandName === 'findAndModify' ? command['query'] : command['filter'];
  const isRead = commandName === 'find' || commandName === 'findAndModify';
  if (!isRead || typeof filter !== 'object' || filter === null || Object.keys(filter).length === 0) return [];
  return [{ collection: command[commandName], filter }];
}
