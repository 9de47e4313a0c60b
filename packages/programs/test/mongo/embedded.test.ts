import { expect } from 'chai';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { serialize } from 'bson';
import { createConnection, type Connection } from 'mongoose';
import { databaseUrl } from '../../src/mongo/database-url.js';
import { startEmbedded, type EmbeddedMongo } from '../../src/mongo/embedded.js';
import { silent } from '../../src/log.js';
import { waitUntil } from '@panel/kit/testing';

describe('embedded engine', () => {
  let directory: string;
  let mongo: EmbeddedMongo;
  let connection: Connection;
  let port: number;

  before(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'panel-engine-'));
    mongo = await startEmbedded({ dataDir: path.join(directory, 'mongo'), log: silent, ttlIntervalMs: 100 });
    port = Number(new URL(mongo.url).port);
    connection = await createConnection(databaseUrl(mongo.url, 'one')).asPromise();
  });
  after(async () => {
    await connection?.close();
    await mongo?.process.stop(8_000);
    rmSync(directory, { recursive: true, force: true });
  });

  it('removes exactly the documents whose TTL has passed', async () => {
    const rows = connection.collection<{ _id: number; at: Date | string; kind: string }>(`ttl-${randomUUID()}`);
    await rows.createIndex({ at: 1 }, { expireAfterSeconds: 60, partialFilterExpression: { kind: 'session' } });
    const old = new Date(Date.now() - 61_000);
    await rows.insertMany([
      { _id: 1, at: old, kind: 'session' },
      { _id: 2, at: new Date(), kind: 'session' },
      { _id: 3, at: old, kind: 'other' },
      { _id: 4, at: 'no date', kind: 'session' },
    ]);
    await waitUntil('the document to expire', async () => (await rows.countDocuments({ _id: 1 })) === 0);
    expect(await rows.distinct('_id')).to.deep.equal([2, 3, 4]);
  });

  it('closes the files of dropped tables within a minute', async function () {
    if (process.platform !== 'linux') this.skip();
    this.timeout(120_000);
    const openFiles = () => readdirSync(`/proc/${mongo.process.pid()}/fd`).length;
    const dropped = await createConnection(databaseUrl(mongo.url, 'dropped')).asPromise();
    for (let index = 0; index < 400; index += 1) await dropped.collection(`table-${index}`).insertOne({ index });
    await dropped.dropDatabase();
    await dropped.close();
    const before = openFiles();
    expect(before).to.be.above(400);
    await waitUntil('the files to be closed', () => openFiles() < before - 300, 90_000);
  });

  describe('without its password', () => {
    const codeWith = async (url: string, command: Record<string, unknown>) => {
      const options = { serverSelectionTimeoutMS: 2_000 };
      const stranger = createConnection(databaseUrl(url, 'one'), options);
      try {
        return await codeOf(await stranger.asPromise(), command);
      } catch (error) {
        return (error as { code?: unknown }).code;
      } finally {
        await stranger.close(true);
      }
    };

    it('answers the handshake and nothing else', async () => {
      const open = `mongodb://127.0.0.1:${port}/?directConnection=true`;
      for (const command of [{ find: 'rows' }, { listDatabases: 1 }, { ping: 1 }, { insert: 'rows', documents: [{}] }])
        expect(await codeWith(open, command), JSON.stringify(command)).to.equal(13);
    });

    it('refuses a wrong password and another mechanism', async () => {
      const wrong = mongo.url.replace(/:[^:@]*@/, ':wrong@');
      expect(await codeWith(wrong, { ping: 1 })).to.equal(18);
      const scram = wrong.replace('authMechanism=PLAIN&authSource=%24external', 'authMechanism=SCRAM-SHA-256');
      expect(await codeWith(scram, { ping: 1 })).to.equal(334);
    });

    it('keeps the password where only its owner reads it', () => {
      const file = path.join(directory, 'mongo', 'password');
      expect(statSync(file).mode & 0o777).to.equal(0o600);
      expect(readFileSync(`/proc/${mongo.process.pid()}/cmdline`, 'utf8')).not.to.include(readFileSync(file, 'utf8'));
    });
  });

  describe('commands that would end the engine', () => {
    const refused = [
      'killAllSessions',
      'shutdown',
      'fsync',
      'setParameter',
      'replSetInitiate',
      'mapReduce',
      'nonsense',
    ];
    for (const command of refused) {
      it(`refuses ${command}`, async () => {
        const pid = mongo.process.pid();
        expect(await codeOf(connection, { [command]: 1 })).to.equal(59);
        expect(mongo.process.pid()).to.equal(pid);
      });
    }
    it('refuses commands that end the engine inside a session', async () => {
      expect(await codeOf(connection, { find: 'rows', txnNumber: 1 })).to.equal(20);
      expect(await codeOf(connection, { insert: 'rows', documents: [{}], lsid: { id: 1 } })).to.equal(20);
    });
  });

  describe('malformed messages', () => {
    const ping = serialize({ ping: 1, $db: 'admin' });
    const cases: Record<string, Buffer> = {
      'a length below the header': frame(2013, Buffer.alloc(0), 3),
      'a negative length': frame(2013, Buffer.alloc(20), -1),
      'a length beyond the limit': frame(2013, Buffer.alloc(20), 48_000_001),
      'an unknown operation': frame(9999, Buffer.alloc(20)),
      'a compressed message': frame(2012, Buffer.alloc(20)),
      'no section': frame(2013, Buffer.alloc(4)),
      'an unknown flag': frame(2013, Buffer.concat([u32(8), Buffer.from([0]), ping])),
      'an unknown section kind': frame(2013, Buffer.concat([u32(0), Buffer.from([7]), ping])),
      'two bodies': frame(2013, Buffer.concat([u32(0), Buffer.from([0]), ping, Buffer.from([0]), ping])),
      'a document longer than its message': frame(2013, Buffer.concat([u32(0), Buffer.from([0]), u32(5_000), ping])),
      'an empty command': frame(2013, Buffer.concat([u32(0), Buffer.from([0]), serialize({})])),
      'a broken document': frame(
        2013,
        Buffer.concat([u32(0), Buffer.from([0]), u32(12), Buffer.from('\x02a\0\xff\xff\xff\x7f', 'latin1')]),
      ),
      'an old-style query of a collection': frame(
        2004,
        Buffer.concat([u32(0), Buffer.from('one.rows\0'), u32(0), u32(1), ping]),
      ),
      'an HTTP request': Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'),
    };
    for (const [name, bytes] of Object.entries(cases)) {
      it(`closes only the connection of a malformed message: ${name}`, async () => {
        const pid = mongo.process.pid();
        const socket = connect(port, '127.0.0.1');
        socket.on('error', () => undefined);
        socket.write(bytes);
        await once(socket, 'close');
        expect((await connection.db?.command({ ping: 1 }))?.['ok']).to.equal(1);
        expect(mongo.process.pid()).to.equal(pid);
      });
    }
  });

  it('survives random bytes inside well-framed commands', async () => {
    const pid = mongo.process.pid();
    for (let i = 0; i < 150; i += 1) {
      const body = Buffer.from(
        serialize({ find: 'rows', filter: { a: 'x'.repeat(20), b: [1, { c: 2 }] }, $db: 'one' }),
      );
      for (let flips = 0; flips < 3; flips += 1)
        body[20 + ((randomBytes(1)[0] ?? 0) % (body.length - 20))] = randomBytes(1)[0] ?? 0;
      const socket = connect(port, '127.0.0.1');
      const said = await heard(socket, frame(2013, Buffer.concat([u32(0), Buffer.from([0]), signIn(mongo.url)])));
      expect(said.toString('latin1')).to.include('conversationId');
      await answered(socket, frame(2013, Buffer.concat([u32(0), Buffer.from([0]), body])));
    }
    expect((await connection.db?.command({ ping: 1 }))?.['ok']).to.equal(1);
    expect(mongo.process.pid()).to.equal(pid);
  });

  it('answers a command that arrives byte by byte', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    const message = frame(2013, Buffer.concat([u32(0), Buffer.from([0]), serialize({ ping: 1, $db: 'admin' })]));
    for (const byte of message.subarray(0, -1)) socket.write(Buffer.from([byte]));
    const reply = await answered(socket, message.subarray(-1));
    expect(reply.readInt32LE(8)).to.equal(77);
    expect(reply.toString('latin1')).to.include('ok');
  });

  it('stores a document of 15 MB', async () => {
    const rows = connection.collection(`large-${randomUUID()}`);
    await rows.insertOne({ blob: Buffer.alloc(15_000_000, 7) });
    expect(await rows.countDocuments({})).to.equal(1);
  });
});

async function codeOf(connection: Connection, command: Record<string, unknown>): Promise<unknown> {
  try {
    await connection.db?.command(command);
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return 'no error';
}

function signIn(url: string): Uint8Array {
  const { username, password } = new URL(url);
  const payload = Buffer.from(`\0${username}\0${password}`);
  return serialize({ saslStart: 1, mechanism: 'PLAIN', payload, $db: '$external' });
}

async function answered(socket: Socket, bytes: Buffer): Promise<Buffer> {
  const chunk = await heard(socket, bytes);
  socket.destroy();
  return chunk;
}

/** The answer; empty for a closed connection. */
async function heard(socket: Socket, bytes: Buffer): Promise<Buffer> {
  socket.on('error', () => undefined);
  socket.write(bytes);
  const chunk = once(socket, 'data').then(([data]) => data as Buffer);
  const closed = once(socket, 'close').then(() => Buffer.alloc(0));
  return Promise.race([chunk, closed]);
}

function frame(opCode: number, body: Buffer, length = 16 + body.length): Buffer {
  const head = Buffer.alloc(16);
  head.writeInt32LE(length, 0);
  head.writeInt32LE(77, 4);
  head.writeInt32LE(opCode, 12);
  return Buffer.concat([head, body]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
