import { expect } from 'chai';
import { Engine, Node, Node_Runtime, Node_Status, UpdateNodeRequest } from '@panel/protos/servers';
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
    // @ts-expect-error: an update holds no runtime
    expect(() => node.read(UpdateNodeRequest, node.createBody.parse({}))).to.throw();
  });
});
