import { expect } from 'chai';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { OperatorError, silent } from '../../src/log.js';
import { mongodArguments, tryBecomePrimary } from '../../src/mongo/mongod.js';
import { startMongo } from '../../src/mongo/start-mongo.js';

describe('startMongo', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'panel-mongo-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('uses MONGO_URL unconditionally and logs it without the password', async () => {
    const lines: string[] = [];
    const url = 'mongodb://panel:secret@db.example:27017/?replicaSet=rs';
    const mongo = await startMongo({
      dataDir,
      url,
      mongodBin: '/does/not/matter',
      searchPath: '',
      log: (line) => void lines.push(line),
    });
    expect(mongo.url).to.equal(url);
    expect(mongo.process).to.equal(undefined);
    expect(lines).to.deep.equal(['MongoDB: MONGO_URL mongodb://panel:***@db.example:27017/?replicaSet=rs']);
  });

  it('refuses a malformed MONGO_URL', async () => {
    expect(await failure({ url: 'localhost:27017' })).to.include('MONGO_URL');
  });

  it('refuses a MONGOD_BIN that is not a program', async () => {
    expect(await failure({ mongodBin: path.join(dataDir, 'missing') })).to.include('MONGOD_BIN');
  });

  it('reports the output of a mongod that does not start', async () => {
    const mongodBin = fakeMongod('echo "the disk is full" >&2\nexit 100');
    expect(await failure({ mongodBin }))
      .to.include('ended with code 100')
      .and.include('the disk is full');
  });

  it('prefers a mongod on the PATH to the embedded engine', async () => {
    const directory = path.dirname(fakeMongod('exit 7'));
    expect(await failure({ searchPath: `/nowhere:${directory}` })).to.include('ended with code 7');
  });

  function fakeMongod(script: string): string {
    const file = path.join(dataDir, 'bin', 'mongod');
    mkdirSync(path.dirname(file));
    writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return file;
  }

  async function failure(options: { url?: string; mongodBin?: string; searchPath?: string }): Promise<string> {
    try {
      await startMongo({ dataDir, searchPath: '', log: silent, ...options });
    } catch (error) {
      if (error instanceof OperatorError) return error.message;
      throw error;
    }
    throw new Error('it started');
  }
});

describe('stock mongod', () => {
  const host = '127.0.0.1:27099';

  it('listens on this machine only, as a replica set', () => {
    const args = mongodArguments('/data', 27_099).join(' ');
    expect(args).to.equal('--replSet panel --dbpath /data --port 27099 --bind_ip 127.0.0.1 --nounixsocket');
  });

  it('initiates a new stock mongod', async () => {
    const { run, ran } = replicaSet({ statusCode: 94 });
    expect(await tryBecomePrimary(run, host)).to.equal(false);
    expect(ran.at(-1)).to.deep.equal({ replSetInitiate: { _id: 'panel', members: [{ _id: 0, host }] } });
  });

  it('receives its new address after a change of port', async () => {
    const { run, ran } = replicaSet({ statusCode: 93 });
    expect(await tryBecomePrimary(run, host)).to.equal(false);
    expect(ran.at(-1)).to.deep.equal({
      replSetReconfig: { _id: 'panel', version: 8, members: [{ _id: 0, host, priority: 1 }] },
      force: true,
    });
  });

  it('reports a stock mongod ready once it is primary', async () => {
    const { run, ran } = replicaSet({ primary: true });
    expect(await tryBecomePrimary(run, host)).to.equal(true);
    expect(ran).to.deep.equal([{ hello: 1 }]);
  });

  function replicaSet(state: { primary?: boolean; statusCode?: number }): {
    run: (command: Record<string, unknown>) => Promise<Record<string, unknown>>;
    ran: Record<string, unknown>[];
  } {
    const ran: Record<string, unknown>[] = [];
    const members = [{ _id: 0, host: '127.0.0.1:1', priority: 1 }];
    const run = (command: Record<string, unknown>): Promise<Record<string, unknown>> => {
      ran.push(command);
      if ('hello' in command) return Promise.resolve({ isWritablePrimary: state.primary ?? false });
      if ('replSetGetStatus' in command)
        return Promise.reject(Object.assign(new Error('no'), { code: state.statusCode }));
      return Promise.resolve({ config: { _id: 'panel', version: 7, members } });
    };
    return { run, ran };
  }
});
