import { expect } from 'chai';
import { GeneralSettings } from '@panel/protos/admin';
import {
  CreateServerRequest,
  Egg,
  EggSpec,
  Engine,
  Limits,
  Node,
  Node_Runtime,
  Node_Status,
  RunSettings,
  Server,
  ServerBackup,
  UpdateNodeRequest,
  UpdateServerRequest,
} from '@panel/protos/servers';
import { z } from 'zod';
import * as is from '../../src/declaration/fields.js';
import { resource } from '../../src/declaration/resource.js';

const engine = resource(Engine, '', {
  url: is.text('url').settable(z.string(), ''),
  tls: is.flag('tls'),
  tls_key: is.writeOnly('tlsKey', z.string(), z.string().default('')),
});

const node = resource(Node, 'Node', {
  id: is.uuid('id'),
  name: is.text('name').settable(z.string().trim().min(1)),
  memory: is.int('memoryMb', 'MB').settable(z.int().min(1), 512),
  runtime: is.word('runtime', Node_Runtime).settableAs(null, z.enum(['docker', 'process'])),
  status: is.word('status', Node_Status, { unspecified: 'unknown' }),
  public_url: is.textOrNull('publicUrl').settable(z.string().nullable(), null),
  engine: is.part('engine', engine).settable(engine.createBody),
  seen_at: is.timeOrNull('lastSeenTime'),
  has_tags: is.computed(z.boolean(), ({ tags }: Node) => tags.length > 0),
});

const id = '0b1f2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';
const message = Node.create({
  id,
  name: 'first',
  memoryMb: 1024,
  runtime: Node_Runtime.DOCKER,
  engine: { url: 'unix:///run/docker.sock', tls: true },
  lastSeenTime: new Date(0),
});

describe('resource', () => {
  it('presents a message field by field, as its schema says', () => {
    const shown = node.present(message);
    expect(shown).to.deep.equal({
      id,
      name: 'first',
      memory: 1024,
      runtime: 'docker',
      status: 'unknown',
      public_url: null,
      engine: { url: 'unix:///run/docker.sock', tls: true },
      seen_at: '1970-01-01T00:00:00.000Z',
      has_tags: false,
    });
    expect(node.schema.parse(shown)).to.deep.equal(shown);
  });

  it('refuses to present what a service left out', () => {
    expect(() => node.present(undefined))
      .to.throw()
      .with.property('reason', 'INTERNAL');
    const runtime = Node_Runtime.UNSPECIFIED;
    expect(() => node.present({ ...message, runtime }))
      .to.throw()
      .with.property('reason', 'INTERNAL');
  });

  it('reads a creation, with what is preset', () => {
    const body = node.createBody.parse({ name: ' second ', runtime: 'process', engine: { tls_key: 'key' } });
    expect(node.read(Node, body, { id })).to.deep.equal(
      Node.create({ id, name: 'second', memoryMb: 512, runtime: Node_Runtime.PROCESS, engine: { tlsKey: 'key' } }),
    );
  });

  it('reads an update with the fields that are given alone', () => {
    expect(node.updateBody.safeParse({ runtime: 'docker' }).success).to.equal(false);
    const body = node.updateBody.parse({ public_url: null });
    expect(node.read(UpdateNodeRequest, body, { nodeId: id })).to.deep.equal(
      UpdateNodeRequest.create({ nodeId: id, publicUrl: '' }),
    );
  });

  const limits = resource(Limits, '', {
    memory: is.int('memoryMb').settable(z.int()),
    swap: is.int('swapMb').settable(z.int(), 0),
  });
  const runSettings = resource(RunSettings, '', {
    threads: is.textOrNull('threads').settable(z.string().nullable(), null),
    stop_grace: is.positiveOrNull('stopGraceSeconds').settable(z.int().nullable(), null),
  });
  const server = resource(Server, '', {
    ...is.within('limits', limits),
    ...is.within('runSettings', runSettings, RunSettings.create()),
  });

  it('shows the fields of a part as its own', () => {
    const runs = RunSettings.create({ threads: '0-3', stopGraceSeconds: 5 });
    const shown = server.present(Server.create({ limits: { memoryMb: 512 }, runSettings: runs }));
    expect(shown).to.deep.equal({ memory: 512, swap: 0, threads: '0-3', stop_grace: 5 });
    expect(server.schema.parse(shown)).to.deep.equal(shown);
  });

  it('shows an absent part as it is declared to, else refuses to', () => {
    const shown = server.present(Server.create({ limits: {} }));
    expect(shown).to.deep.equal({ memory: 0, swap: 0, threads: null, stop_grace: null });
    expect(() => server.present(Server.create()))
      .to.throw()
      .with.property('reason', 'INTERNAL');
  });

  it('reads the fields of a part into the part, which is absent without any', () => {
    const creation = resource(CreateServerRequest, '', {
      ...is.within('limits', limits),
      ...is.within('runSettings', runSettings),
      node_id: is.given('nodeId', z.uuid().optional()),
    });
    const body = creation.createBody.parse({ memory: 512, stop_grace: 5, node_id: id });
    expect(creation.readNew(body)).to.deep.equal(
      CreateServerRequest.create({
        limits: { memoryMb: 512, swapMb: 0 },
        runSettings: { threads: '', stopGraceSeconds: 5 },
        nodeId: id,
      }),
    );
    const change = creation.updateBody.parse({ swap: 1 });
    expect(creation.read(UpdateServerRequest, change, { serverId: id })).to.deep.equal(
      UpdateServerRequest.create({ serverId: id, limits: { swapMb: 1 } }),
    );
    expect(creation.updateBody.safeParse({ node_id: id }).success).to.equal(false);
  });

  it('shows labels as an object, and reads them back', () => {
    const egg = resource(EggSpec, '', {
      images: is.labelled('dockerImages', 'image').settable(z.record(z.string(), z.string())),
    });
    const dockerImages = [{ label: 'Java 21', image: 'java:21' }];
    expect(egg.present(EggSpec.create({ dockerImages }))).to.deep.equal({ images: { 'Java 21': 'java:21' } });
    expect(egg.readNew({ images: { 'Java 21': 'java:21' } }).dockerImages).to.deep.equal(dockerImages);
  });

  it('shows a text as one of its words, and a failure with its reason', () => {
    const backup = resource(ServerBackup, '', {
      storage: is.oneOf('storage', ['node', 's3']),
      kind: is.group(resource(ServerBackup, '', { storage: is.oneOf('storage', ['s3'], { unspecified: 's3' }) })),
      error: is.failure,
    });
    const failed = ServerBackup.create({ storage: 'node', errorReason: 'DISK_FULL', errorMessage: 'no space left' });
    expect(backup.present(failed)).to.deep.equal({
      storage: 'node',
      kind: { storage: 's3' },
      error: { reason: 'disk_full', message: 'No space left.' },
    });
    expect(backup.present(ServerBackup.create({ storage: 's3' })).error).to.equal(null);
    expect(() => backup.present(ServerBackup.create({ storage: 'tape' })))
      .to.throw()
      .with.property('reason', 'INTERNAL');
  });

  it('reads no word as unspecified', () => {
    expect(node.fields.status.read(undefined)).to.equal(Node_Status.UNSPECIFIED);
    expect(node.fields.status.read('online')).to.equal(Node_Status.ONLINE);
  });

  it('does not compile with a field that the message lacks, or holds as something else', () => {
    // @ts-expect-error: misspelt
    resource(Node, '', { name: is.text('nmae') });
    // @ts-expect-error: misspelt, and optional
    resource(Node, '', { created_at: is.time('crateTime') });
    // @ts-expect-error: a text
    resource(Node, '', { name: is.int('name') });
    // @ts-expect-error: another enum
    resource(Node, '', { status: is.word('status', Node_Runtime) });
    // @ts-expect-error: settable to what the message does not hold
    resource(Node, '', { name: is.text('name').settable(z.int()) });
    // @ts-expect-error: misspelt, and possibly left out
    resource(Node, '', { public_url: is.textOrNull('pulbicUrl') });
    // @ts-expect-error: misspelt, in a message of optional fields
    resource(GeneralSettings, '', { name: is.plain('nmae', z.string().optional()) });
    // @ts-expect-error: misspelt, a flag
    resource(Engine, '', { tls: is.flag('tsl') });
    // @ts-expect-error: a part that the message lacks
    resource(Egg, '', { ...is.within('limits', limits) });
    // @ts-expect-error: another part
    resource(Server, '', { ...is.within('runSettings', limits) });
    // @ts-expect-error: no list with such values
    resource(EggSpec, '', { images: is.labelled('dockerImages', 'command') });
    // @ts-expect-error: a request that has no such part
    expect(() => server.read(UpdateNodeRequest, { memory: 1 })).not.to.throw();
    // @ts-expect-error: a request that has no such field
    expect(() => resource(Node, '', { name: is.given('nmae', z.string()) }).read(Node, { name: '' })).not.to.throw();
    // @ts-expect-error: an update holds no runtime
    expect(() => node.read(UpdateNodeRequest, node.createBody.parse({}))).to.throw();
  });
});
