import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connectMongo } from '@panel/kit/mongo';
import type { Connection } from 'mongoose';
import { databaseUrl } from '../../src/mongo/database-url.js';
import { startEmbedded, type EmbeddedMongo } from '../../src/mongo/embedded.js';
import { silent } from '../../src/log.js';
import { waitUntil } from '@panel/kit/testing';

interface Row {
  _id: string;
  n: number;
}

const writers = 8;
const kills = 5;

describe('kill -9 of the embedded engine', () => {
  let directory: string;
  let mongo: EmbeddedMongo;
  let connection: Connection;

  beforeEach(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'panel-crash-'));
    mongo = await startEmbedded({ dataDir: path.join(directory, 'mongo'), log: silent });
    // As the services connect: their options must not weaken the URL's.
    connection = await connectMongo(databaseUrl(mongo.url, 'crash'), { appName: 'crash' });
  });
  afterEach(async () => {
    await connection?.close();
    await mongo?.process.stop(8_000);
    rmSync(directory, { recursive: true, force: true });
  });

  it('loses no acknowledged write, and clients reconnect to the same port', async function () {
    this.timeout(180_000);
    const rows = connection.collection<Row>('rows');
    await rows.createIndex({ n: 1 });
    const acknowledged = { inserts: new Set<string>(), increments: 0 };
    const writing = new AbortController();
    const write = async (writer: number): Promise<void> => {
      await rows.updateOne({ _id: `counter-${writer}` }, { $setOnInsert: { n: 0 } }, { upsert: true });
      for (let i = 0; !writing.signal.aborted; i += 1) {
        const id = `${writer}-${i}`;
        try {
          await rows.insertOne({ _id: id, n: i });
          acknowledged.inserts.add(id);
          await rows.updateOne({ _id: `counter-${writer}` }, { $inc: { n: 1 } });
          acknowledged.increments += 1;
        } catch (error) {
          // Unacknowledged: an interrupted write may exist.
          if ((error as { code?: number }).code === 11000) throw error;
        }
      }
    };
    const all = Array.from({ length: writers }, (_, writer) => write(writer));

    for (let kill = 1; kill <= kills; kill += 1) {
      const enough = acknowledged.inserts.size + 200;
      await waitUntil('enough inserts', () => acknowledged.inserts.size >= enough);
      const pid = mongo.process.pid();
      await mongo.process.kill('SIGKILL');
      await mongo.process.whenReady();
      expect(mongo.process.pid()).to.not.equal(pid);
    }
    const after = acknowledged.inserts.size + 50;
    await waitUntil('inserts after the kill', () => acknowledged.inserts.size >= after);
    writing.abort();
    await Promise.all(all);

    const found = new Set(await rows.distinct('_id'));
    expect([...acknowledged.inserts].filter((id) => !found.has(id))).to.deep.equal([]);
    const counters = await rows.find({ _id: /^counter-/ }).toArray();
    const counted = counters.reduce((sum, counter) => sum + counter.n, 0);
    // Per writer and kill, one unacknowledged increment may exist.
    expect(counted).to.be.within(acknowledged.increments, acknowledged.increments + writers * kills);
  });
});
