import { randomUUID } from 'node:crypto';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { EggSpec, ImportEggRequest_Format, Node_Runtime, Node_Status, type Node } from '@panel/protos/servers';
import { client, testCa } from '@panel/testing/engine';
import { eggBytes } from '../domain/eggs/egg-file.js';
import { type Clients, userActor } from '../support/harness.js';
import { allReasons, createFixture, emptyNode, fieldsOf, reasonOf, type Fixture } from '../support/fixture.js';

const json = ImportEggRequest_Format.JSON;

describe('nests, eggs, nodes and allocations', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let admin: Clients;
  before(async () => {
    fixture = await createFixture({ ports: ['25565-25569'] });
    ({ admin } = fixture);
  });
  after(() => fixture.stop());

  const newNode = async (changes: Partial<Parameters<Clients['nodes']['createNode']>[0]> = {}): Promise<Node> => {
    const { node } = await admin.nodes.createNode({ ...emptyNode, name: `node ${randomUUID()}`, ...changes });
    if (!node) throw new Error('no node in the answer');
    fixture.harness.processNodes.push(node.id);
    return node;
  };

  it('refuses every call without its permission', async () => {
    const stranger = fixture.harness.clients(
      userActor(randomUUID(), ['servers.*', 'users.*']),
      fixture.harness.address,
    );
    const { nodeId, eggId } = fixture;
    const calls = [
      stranger.nests.listNests({ page: undefined }),
      stranger.nests.getNest({ nestId: nodeId }),
      stranger.nests.createNest({ name: '', description: '', author: '' }),
      stranger.eggs.listEggs({ nestId: '', page: undefined }),
      stranger.eggs.getEgg({ eggId }),
      stranger.eggs.checkVariables({ eggId, environment: {} }),
      stranger.eggs.createEgg({ nestId: '', spec: undefined }),
      stranger.eggs.updateEgg({ eggId, spec: undefined, updateFields: [], nestId: '' }),
      stranger.eggs.importEgg({ content: Buffer.alloc(0), format: json, nestId: '' }),
      stranger.eggs.exportEgg({ eggId }),
      stranger.nests.updateNest({ nestId: nodeId }),
      stranger.nests.deleteNest({ nestId: nodeId }),
      stranger.eggs.deleteEgg({ eggId }),
      stranger.eggs.applyEgg({ eggId, serverIds: [], isPreview: true, afterServerId: '' }),
      stranger.nodes.listNodes({ page: undefined }),
      stranger.nodes.getNode({ nodeId }),
      stranger.nodes.createNode({ ...emptyNode, name: '' }),
      stranger.nodes.updateNode({
        nodeId,
        name: 'mine',
        tags: undefined,
        emulatedPlatforms: undefined,
        engine: undefined,
      }),
      stranger.nodes.deleteNode({ nodeId }),
      stranger.allocations.listAllocations({ nodeId, page: undefined }),
      stranger.allocations.createAllocations({ nodeId, ip: '', alias: '', ports: [] }),
      stranger.allocations.deleteAllocation({ nodeId, allocationId: '' }),
    ];
    expect(await allReasons(calls)).to.deep.equal(['PERMISSION_MISSING']);
  });

  describe('nests', () => {
    it('creates one nest per name, ignoring case, under 50 concurrent requests', async () => {
      const name = `Games ${randomUUID()}`;
      const tries = Array.from({ length: 50 }, (_, at) =>
        reasonOf(admin.nests.createNest({ name: at % 2 ? name : name.toUpperCase(), description: '', author: '' })),
      );
      const reasons = await Promise.all(tries);
      expect(reasons.filter((reason) => reason === 'none')).to.have.length(1);
      expect(new Set(reasons)).to.deep.equal(new Set(['none', 'NEST_NAME_TAKEN']));
    });

    it('refuses names with line breaks', async () => {
      for (const name of ['', '  ', 'x'.repeat(10_240), 'a\nb', '<img src=x>', 'safe\u202egpj.exe']) {
        expect(await fieldsOf(admin.nests.createNest({ name, description: '', author: '' }))).to.deep.equal(['name']);
      }
    });

    it('finds nests by name and counts their eggs', async () => {
      const { nests, page } = await admin.nests.listNests({
        page: { page: 1, perPage: 10, sort: ['name'], search: 'mport' },
      });
      expect(nests.map(({ name, eggsCount }) => [name, eggsCount])).to.deep.equal([['Imported', 1]]);
      expect(page?.total).to.equal(1);
      for (const nestId of [fixture.eggId, randomUUID(), 'x', '']) {
        expect(await reasonOf(admin.nests.getNest({ nestId }))).to.equal('NEST_NOT_FOUND');
        if (nestId) expect(await reasonOf(admin.eggs.listEggs({ nestId, page: undefined }))).to.equal('NEST_NOT_FOUND');
      }
    });
  });

  describe('eggs', () => {
    it('returns imported eggs unchanged and exports them with the same meaning', async () => {
      const { egg, warnings } = await admin.eggs.importEgg({
        content: eggBytes({ name: 'Round trip' }),
        format: json,
        nestId: '',
      });
      const eggId = egg?.id ?? '';
      const { content } = await admin.eggs.exportEgg({ eggId });
      const again = await admin.eggs.importEgg({ content: Buffer.from(content), format: json, nestId: '' });
      expect(again.egg?.spec).to.deep.equal(egg?.spec);
      expect((await admin.eggs.getEgg({ eggId })).egg).to.deep.equal(egg);
      expect(warnings).to.deep.equal([]);
    });

    it('names the broken field of a file and stores nothing', async () => {
      const count = async () => (await admin.eggs.listEggs({ nestId: '', page: undefined })).page?.total;
      const before = await count();
      const content = eggBytes({ docker_images: { a: '--privileged' } });
      expect(await fieldsOf(admin.eggs.importEgg({ content, format: json, nestId: '' }))).to.deep.equal([
        'docker_images.a',
      ]);
      for (const nestId of [randomUUID(), 'no uuid']) {
        expect(await fieldsOf(admin.eggs.importEgg({ content: eggBytes(), format: json, nestId }))).to.deep.equal([
          'nest_id',
        ]);
        const named = eggBytes({ nest_id: nestId });
        expect(await fieldsOf(admin.eggs.importEgg({ content: named, format: json, nestId: '' }))).to.deep.equal([
          'nest_id',
        ]);
      }
      expect(await reasonOf(admin.eggs.importEgg({ content: Buffer.from('{'), format: json, nestId: '' }))).to.equal(
        'BAD_REQUEST',
      );
      expect(await count()).to.equal(before);
    });

    it('imports into the nest that the request or the file names, and keeps it out of exports', async () => {
      const { nest } = await admin.nests.createNest({ name: `Nest ${randomUUID()}`, description: '', author: '' });
      const nestId = nest?.id ?? '';
      for (const [content, ofRequest] of [
        [eggBytes(), nestId],
        [eggBytes({ nest_id: nestId }), ''],
        [eggBytes({ nest_id: nestId }), nestId],
      ] as const) {
        const { egg } = await admin.eggs.importEgg({ content, format: json, nestId: ofRequest });
        expect(egg?.nestId).to.equal(nestId);
        expect((await admin.eggs.exportEgg({ eggId: egg?.id ?? '' })).content).not.to.contain(nestId);
      }
      const two = admin.eggs.importEgg({ content: eggBytes({ nest_id: randomUUID() }), format: json, nestId });
      expect(await fieldsOf(two)).to.deep.equal(['nest_id']);
    });

    it('updates single fields and refuses an invalid result', async () => {
      const { egg } = await admin.eggs.importEgg({ content: eggBytes({ name: 'Before' }), format: json, nestId: '' });
      if (!egg?.spec) throw new Error('no egg');
      const changed = { ...egg.spec, name: 'After', startup: 'changed', dockerImages: [] };
      const update = (updateFields: string[]) =>
        admin.eggs.updateEgg({ eggId: egg.id, spec: changed, updateFields, nestId: '' });
      expect((await update(['name'])).egg?.spec).to.deep.equal({ ...egg.spec, name: 'After' });
      expect(await fieldsOf(update(['docker_images']))).to.deep.equal(['docker_images']);
      expect(await fieldsOf(update(['constructor']))).to.deep.equal(['constructor']);
      expect((await admin.eggs.getEgg({ eggId: egg.id })).egg?.spec?.dockerImages).to.have.length(2);
    });

    it('applies the rules of imports to created eggs', async () => {
      const { nests } = await admin.nests.listNests({ page: undefined });
      const nestId = nests[0]?.id ?? '';
      expect(await fieldsOf(admin.eggs.createEgg({ nestId, spec: undefined }))).to.include.members([
        'name',
        'startup',
        'docker_images',
      ]);
      const { egg } = await admin.eggs.getEgg({ eggId: fixture.eggId });
      const made = await admin.eggs.createEgg({ nestId, spec: egg?.spec });
      expect(made.egg?.spec).to.deep.equal(egg?.spec);
    });

    it('fills every optional field with a default', async () => {
      const { nests } = await admin.nests.listNests({ page: undefined });
      const spec = EggSpec.create({
        name: ' Bare ',
        dockerImages: [{ label: 'a', image: 'debian:12' }],
        startupCommands: [{ label: 'Default', command: 'run' }],
        variables: [{ envVariable: 'A' }],
      });
      const { egg } = await admin.eggs.createEgg({ nestId: nests[0]?.id ?? '', spec });
      expect(egg?.spec).to.deep.include({ name: 'Bare', startup: 'run' });
      expect(egg?.spec?.variables[0]).to.include({ name: 'A', envVariable: 'A', userViewable: false });
      expect(egg?.spec?.script).to.deep.equal({ install: '', container: '', entrypoint: 'bash' });
      expect(egg?.spec?.config).to.include({ filesJson: '{}', logsJson: '{}', stop: '' });
      const taken = EggSpec.create({ ...spec, variables: [{ envVariable: 'STARTUP' }] });
      expect(await fieldsOf(admin.eggs.createEgg({ nestId: nests[0]?.id ?? '', spec: taken }))).to.deep.equal([
        'variables.0.env_variable',
      ]);
    });

    it('replaces an egg by a file and keeps its id', async () => {
      const { egg } = await admin.eggs.importEgg({ content: eggBytes({ name: 'Old' }), format: json, nestId: '' });
      const eggId = egg?.id ?? '';
      const uuid = randomUUID();
      const content = eggBytes({ name: 'New', uuid, variables: [], description: null });
      const replace = (changes: Partial<{ eggId: string; content: Buffer; nestId: string }>) =>
        admin.eggs.importEgg({ content, format: json, nestId: '', eggId, ...changes });
      const { egg: replaced } = await replace({});
      expect(replaced).to.include({ id: eggId, uuid: egg?.uuid, nestId: egg?.nestId });
      expect(replaced?.spec).to.deep.include({ name: 'New', variables: [], description: '' });
      expect((await admin.eggs.getEgg({ eggId })).egg).to.deep.equal(replaced);
      expect(await fieldsOf(replace({ content: eggBytes({ startup: '' }) }))).to.deep.equal(['startup']);
      expect(await fieldsOf(replace({ nestId: randomUUID() }))).to.deep.equal(['nest_id']);
      for (const other of [randomUUID(), egg?.nestId ?? '']) {
        expect(await reasonOf(replace({ eggId: other }))).to.equal('EGG_NOT_FOUND');
      }
      expect((await admin.eggs.getEgg({ eggId })).egg).to.deep.equal(replaced);
      const importer = fixture.harness.clients(userActor(randomUUID(), ['eggs.import']), fixture.harness.address);
      expect(await reasonOf(importer.eggs.importEgg({ content, format: json, nestId: '', eggId }))).to.equal(
        'PERMISSION_MISSING',
      );
    });

    it('keeps the uuid of the file', async () => {
      const uuid = '8a7e2b8e-1111-4222-8333-444444444444';
      const { egg } = await admin.eggs.importEgg({ content: eggBytes({ uuid }), format: json, nestId: '' });
      expect(egg?.uuid).to.equal(uuid);
    });

    it('accepts the rules of a variable as a list and as text', async () => {
      const { nests } = await admin.nests.listNests({ page: undefined });
      const { egg } = await admin.eggs.getEgg({ eggId: fixture.eggId });
      const given = egg?.spec;
      const [variable] = given?.variables ?? [];
      if (!given || !variable) throw new Error('no variable');
      const rulesOf = async (rules: string[]) => {
        const spec = { ...given, variables: [{ ...variable, rules }] };
        const made = await admin.eggs.createEgg({ nestId: nests[0]?.id ?? '', spec });
        return made.egg?.spec?.variables[0]?.rules;
      };
      const rules = ['required', 'regex:/^(a|b)$/', 'max:3'];
      expect(await rulesOf([rules.join('|')])).to.deep.equal(rules);
      expect(await rulesOf(rules)).to.deep.equal(rules);
      expect(await rulesOf([''])).to.deep.equal([]);
      expect(await rulesOf(['string', 'in:a|b'])).to.deep.equal(['string', 'in:a|b']);
    });

    it('finds eggs of a nest by name', async () => {
      const { nest } = await admin.nests.createNest({ name: randomUUID(), description: '', author: '' });
      const nestId = nest?.id ?? '';
      for (const name of ['Beta.game', 'Alpha game']) {
        await admin.eggs.importEgg({ content: eggBytes({ name }), format: json, nestId });
      }
      const list = async (search: string) =>
        (await admin.eggs.listEggs({ nestId, page: { page: 1, perPage: 10, sort: ['-name'], search } })).eggs.map(
          ({ spec }) => spec?.name,
        );
      expect(await list('')).to.deep.equal(['Beta.game', 'Alpha game']);
      expect(await list('GAME')).to.deep.equal(['Beta.game', 'Alpha game']);
      expect(await list('a.g')).to.deep.equal(['Beta.game']);
      expect(await list('.*')).to.deep.equal([]);
    });
  });

  describe('nodes', () => {
    it('never returns engine keys', async () => {
      const engine = { url: 'tcp://127.0.0.1:1', tlsCa: testCa, tlsCert: client.cert, tlsKey: client.key, tls: false };
      const node = await newNode({ runtime: Node_Runtime.DOCKER, engine });
      const { node: got } = await admin.nodes.getNode({ nodeId: node.id });
      const { nodes } = await admin.nodes.listNodes({ page: undefined });
      expect(got?.engine).to.deep.equal({ url: engine.url, tlsCa: '', tlsCert: '', tlsKey: '', tls: true });
      expect(JSON.stringify([node, got, nodes])).not.to.include('BEGIN');
    });

    it('keeps engine keys when only the url changes', async () => {
      const engine = { url: 'tcp://127.0.0.1:3', tlsCa: testCa, tlsCert: client.cert, tlsKey: client.key, tls: false };
      const node = await newNode({ runtime: Node_Runtime.DOCKER, engine });
      const changes = { url: 'tcp://127.0.0.1:2', tlsCa: '', tlsCert: '', tlsKey: '', tls: false };
      const { node: changed } = await admin.nodes.updateNode({
        nodeId: node.id,
        engine: changes,
        tags: undefined,
        emulatedPlatforms: undefined,
      });
      expect(changed?.engine).to.include({ url: 'tcp://127.0.0.1:2', tls: true });
      const local = { ...changes, url: 'unix:///run/nobody.sock' };
      const { node: moved } = await admin.nodes.updateNode({
        nodeId: node.id,
        engine: local,
        tags: undefined,
        emulatedPlatforms: undefined,
      });
      expect(moved?.engine, 'a socket of this machine has no keys').to.include({ url: local.url, tls: false });
    });

    const bad: readonly (readonly [string, object])[] = [
      ['name', { name: '' }],
      ['name', { name: '<script>' }],
      ['memory', { memoryMb: 0 }],
      ['memory_overallocate', { memoryOverallocatePercent: -2 }],
      ['disk', { diskMb: -1 }],
      ['cpu', { cpuPercent: -5 }],
      ['fqdn', { fqdn: 'a b' }],
      ['tags', { tags: ['a b'] }],
      ['files_address', { filesAddress: 'http://x/y' }],
      ['data_root', { dataRoot: '../etc' }],
      ['data_root', { dataRoot: '/srv/../etc' }],
      ['runtime', { runtime: Node_Runtime.UNSPECIFIED }],
      ['engine.url', { runtime: Node_Runtime.DOCKER }],
      [
        'engine.url',
        { runtime: Node_Runtime.DOCKER, engine: { url: 'http://x', tlsCa: '', tlsCert: '', tlsKey: '', tls: false } },
      ],
    ];
    for (const [field, changes] of bad) {
      it(`refuses ${JSON.stringify(changes)}`, async () => {
        expect(await fieldsOf(newNode(changes))).to.deep.equal([field]);
      });
    }

    it('refuses a node name that is taken', async () => {
      const node = await newNode();
      expect(await reasonOf(newNode({ name: node.name.toUpperCase() }))).to.equal('NODE_NAME_TAKEN');
      const other = await newNode();
      const rename = admin.nodes.updateNode({
        nodeId: other.id,
        name: node.name,
        tags: undefined,
        emulatedPlatforms: undefined,
        engine: undefined,
      });
      expect(await reasonOf(rename)).to.equal('NODE_NAME_TAKEN');
    });

    it('reports a node online once it is watched', async () => {
      const node = await newNode();
      const statusOf = async () => (await admin.nodes.getNode({ nodeId: node.id })).node?.status;
      await waitUntil('the node to be online', async () => (await statusOf()) === Node_Status.ONLINE);
    });

    it('deletes a node with its allocations and refuses while it has servers', async () => {
      const node = await newNode();
      await admin.allocations.createAllocations({ nodeId: node.id, ip: '127.0.0.1', alias: '', ports: ['30000'] });
      await admin.nodes.deleteNode({ nodeId: node.id });
      expect(await reasonOf(admin.allocations.listAllocations({ nodeId: node.id, page: undefined }))).to.equal(
        'NODE_NOT_FOUND',
      );
      expect(await reasonOf(admin.nodes.deleteNode({ nodeId: node.id }))).to.equal('NODE_NOT_FOUND');
      await fixture.installed({ skipScripts: true });
      expect(await reasonOf(admin.nodes.deleteNode({ nodeId: fixture.nodeId }))).to.equal('NODE_IN_USE');
    });
  });

  describe('allocations', () => {
    const create = (nodeId: string, ports: string[], ip = '10.0.0.1') =>
      admin.allocations.createAllocations({ nodeId, ip, alias: '', ports });
    const listed = async (nodeId: string) => {
      const { allocations } = await admin.allocations.listAllocations({
        nodeId,
        page: { page: 1, perPage: 100, sort: ['port'], search: '' },
      });
      return allocations.map(({ port }) => port);
    };

    it('creates all allocations of a request or none', async () => {
      const { id } = await newNode();
      await create(id, ['2005']);
      const error = await create(id, ['2000-2009']).catch((caught: unknown) => caught);
      expect(error).to.include({ reason: 'ALLOCATION_EXISTS' });
      expect((error as { metadata: object }).metadata).to.deep.include({ taken: ['10.0.0.1:2005'] });
      expect(await listed(id)).to.deep.equal([2005]);
      await create(id, ['2005'], '10.0.0.2');
      await create(id, ['2005'], '2001:DB8::0:1');
      expect(await reasonOf(create(id, ['2005'], '2001:db8::1'))).to.equal('ALLOCATION_EXISTS');
    });

    it('lists by address and port unless asked otherwise, and finds by address, alias and port', async () => {
      const { id: nodeId } = await newNode();
      await create(nodeId, ['2001', '2000'], '10.0.0.2');
      await admin.allocations.createAllocations({ nodeId, ip: '10.0.0.1', alias: 'play.example.com', ports: ['2000'] });
      const found = async (search: string, sort: string[] = []) => {
        const page = { page: 1, perPage: 100, sort, search };
        const answer = await admin.allocations.listAllocations({ nodeId, page });
        expect(answer.page?.total).to.equal(answer.allocations.length);
        return answer.allocations.map(({ ip, port }) => `${ip}:${port}`);
      };
      expect(await found('')).to.deep.equal(['10.0.0.1:2000', '10.0.0.2:2000', '10.0.0.2:2001']);
      expect(await found('', ['-ip', '-port'])).to.deep.equal(['10.0.0.2:2001', '10.0.0.2:2000', '10.0.0.1:2000']);
      expect(await found('PLAY')).to.deep.equal(['10.0.0.1:2000']);
      expect(await found('0.0.2')).to.deep.equal(['10.0.0.2:2000', '10.0.0.2:2001']);
      expect(await found('2001')).to.deep.equal(['10.0.0.2:2001']);
      expect(await found('.*')).to.deep.equal([]);
    });

    it('creates each allocation once under 50 concurrent requests', async () => {
      const { id } = await newNode();
      const reasons = await Promise.all(Array.from({ length: 50 }, () => reasonOf(create(id, ['3000-3019']))));
      expect(reasons.filter((reason) => reason === 'none')).to.have.length(1);
      expect(await listed(id)).to.deep.equal(Array.from({ length: 20 }, (_, at) => 3000 + at));
    });

    it('leaves no partial range when overlapping ranges are created concurrently', async () => {
      const { id } = await newNode();
      const ranges = Array.from({ length: 20 }, (_, at) => `${4000 + at * 5}-${4000 + at * 5 + 9}`);
      const reasons = await Promise.all(ranges.map((range) => reasonOf(create(id, [range]))));
      const made = ranges.filter((_, at) => reasons[at] === 'none');
      const expected = made.flatMap((range) => Array.from({ length: 10 }, (_, at) => Number(range.split('-')[0]) + at));
      expect(await listed(id)).to.deep.equal(expected.toSorted((a, b) => a - b));
      expect(made.length).to.be.greaterThan(0);
    });

    it('refuses to delete an allocation that is assigned or belongs to another node', async () => {
      const server = await fixture.createServer({ skipScripts: true });
      const allocationId = server.allocation?.id ?? '';
      const remove = (nodeId: string) => admin.allocations.deleteAllocation({ nodeId, allocationId });
      expect(await reasonOf(remove(fixture.nodeId))).to.equal('ALLOCATION_IN_USE');
      const { id } = await newNode();
      expect(await reasonOf(remove(id))).to.equal('ALLOCATION_NOT_FOUND');
    });
  });
});
