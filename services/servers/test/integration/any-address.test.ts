import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { isAppError } from '@panel/kit/errors';
import { waitUntil } from '@panel/kit/testing';
import { PowerAction, Server_Status } from '@panel/protos/servers';
import { expect } from 'chai';
import { ConsoleWatcher } from '../support/console-watcher.js';
import { allReasons, createFixture, emptyNode, fieldsOf, type Fixture, waitForServer } from '../support/fixture.js';

const page = { page: 1, perPage: 100, sort: ['port', 'ip'], search: '' };

describe('allocations for nodes behind NAT', function () {
  this.timeout(120_000);
  let fixture: Fixture;
  before(async () => {
    fixture = await createFixture({
      egg: {
        startup: 'echo "listens on $SERVER_IP:$SERVER_PORT"; sh game.sh',
        config: {
          files: {
            'server.properties': { parser: 'properties', find: { 'server-ip': '{{server.build.default.ip}}' } },
          },
        },
      },
    });
  });
  after(() => fixture.stop());

  const newNode = async () => {
    const { node } = await fixture.admin.nodes.createNode({ ...emptyNode, name: randomUUID() });
    return node?.id ?? '';
  };
  const create = async (nodeId: string, ip: string, ports: string[], alias = 'play.example.com') =>
    fixture.admin.allocations.createAllocations({ nodeId, ip, alias, ports });
  const listed = async (nodeId: string) => {
    const { allocations } = await fixture.admin.allocations.listAllocations({ nodeId, page });
    return allocations.map(({ ip, port }) => `${ip} ${port}`);
  };

  it('asks for the address that players enter, with all addresses', async () => {
    const nodeId = await newNode();
    for (const ip of ['0.0.0.0', '::', '0:0::0'])
      expect(await fieldsOf(create(nodeId, ip, ['3000'], '')), ip).to.deep.equal(['alias']);
    expect(await listed(nodeId)).to.deep.equal([]);
  });

  it('excludes other addresses on a port of all addresses, in both directions', async () => {
    const nodeId = await newNode();
    await create(nodeId, '0.0.0.0', ['3000']);
    await create(nodeId, '10.0.0.1', ['3001']);
    await create(nodeId, '10.0.0.2', ['3001']);
    const refused: [ip: string, ports: string, taken: string[]][] = [
      ['10.0.0.1', '2999-3000', ['0.0.0.0:3000']],
      ['2001:db8::1', '3000', ['0.0.0.0:3000']],
      ['::', '3000', ['0.0.0.0:3000']],
      ['0.0.0.0', '3001-3003', ['10.0.0.1:3001', '10.0.0.2:3001']],
      ['::', '3001', ['10.0.0.1:3001', '10.0.0.2:3001']],
    ];
    for (const [ip, ports, taken] of refused) {
      const error: unknown = await create(nodeId, ip, [ports]).catch((caught: unknown) => caught);
      if (!isAppError(error, 'ALLOCATION_EXISTS')) throw error;
      expect([...(error.metadata['taken'] as string[])].sort(), ip).to.deep.equal(taken);
    }
    expect(await listed(nodeId)).to.deep.equal(['0.0.0.0 3000', '10.0.0.1 3001', '10.0.0.2 3001']);
    expect(await create(await newNode(), '10.0.0.1', ['3000']))
      .to.have.property('allocations')
      .with.length(1);
  });

  it('excludes them in 50 parallel creations too', async () => {
    const nodeId = await newNode();
    const ips = ['0.0.0.0', '10.0.0.1', '10.0.0.2', '::', '2001:db8::1'];
    const work = Array.from({ length: 50 }, async (_, index) => create(nodeId, ips[index % 5] ?? '', ['3000-3004']));
    const reasons = await allReasons(work);
    expect(
      reasons.filter(
        (reason) => reason !== 'ALLOCATION_EXISTS' && reason !== 'CREATION_IN_PROGRESS' && reason !== 'none',
      ),
    ).to.deep.equal([]);
    const made = new Set((await listed(nodeId)).map((each) => each.split(' ')[0] ?? ''));
    const any = ['0.0.0.0', '::'].filter((ip) => made.has(ip));
    expect(made.size, [...made].join()).to.be.greaterThan(0);
    if (any.length > 0) expect([...made]).to.deep.equal(any.slice(0, 1));
    expect(await listed(nodeId)).to.have.length(made.size * 5);
  });

  it('gives the game all addresses, and people the alias', async () => {
    const { allocations } = await create(fixture.nodeId, '0.0.0.0', ['3100']);
    const { id } = await fixture.installed({ nodeId: fixture.nodeId, allocationId: allocations[0]?.id ?? '' });
    const watcher = new ConsoleWatcher(fixture.owner, id);
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.START });
    await watcher.untilLine('listens on 0.0.0.0:3100');
    await watcher.stop();
    const server = await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.RUNNING);
    expect(server.allocation).to.include({ ip: '0.0.0.0', alias: 'play.example.com', port: 3100 });
    const [rewrite] = fixture.harness.fakes.rewrites.filter(({ serverId }) => serverId === id);
    expect(JSON.stringify(rewrite)).to.include('0.0.0.0');
    await fixture.owner.console.sendPowerAction({ serverId: id, action: PowerAction.KILL });
    await waitForServer(fixture.owner, id, ({ status }) => status === Server_Status.OFFLINE);
  });

  it('refuses an address that the node lacks, with words for nodes behind NAT, once it has said its own', async () => {
    const { transfers } = fixture.harness.fakes;
    const { nodeId } = fixture;
    const unasked = await create(nodeId, '203.0.113.7', ['3200']);
    expect(unasked.allocations[0]?.warning).to.include('the node has not said which addresses it has');
    transfers.hostName = hostname();
    transfers.addresses = ['127.0.0.1', '::1', '10.0.0.5', 'fe80::1'];
    const node = async () => (await fixture.admin.nodes.getNode({ nodeId })).node;
    await waitUntil('the addresses', async () => (await node())?.addresses.length === 4, 60_000);
    const error: unknown = await create(nodeId, '203.0.113.8', ['3200']).catch((caught: unknown) => caught);
    expect(error).to.have.nested.property('reason', 'INVALID_FIELDS');
    expect(JSON.stringify(error)).to.include(
      'is no address of the node (10.0.0.5): behind NAT enter the private address that the machine has itself, or 0.0.0.0, and the public one as alias',
    );
    const own = await create(nodeId, '10.0.0.5', ['3200'], '203.0.113.7');
    expect(own.allocations[0]?.warning).to.equal('');
    await create(nodeId, '127.0.0.9', ['3200']);
    const { allocations } = await fixture.admin.allocations.listAllocations({
      nodeId,
      page: { ...page, search: '3200' },
    });
    expect(allocations.map(({ ip, warning }) => [ip, warning.slice(0, 43)])).to.have.deep.members([
      ['10.0.0.5', ''],
      ['127.0.0.9', ''],
      ['203.0.113.7', '203.0.113.7 is no address of the node (10.0'.slice(0, 43)],
    ]);
  });
});
