import { expect } from 'chai';
import { Redis } from 'ioredis';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { messageOf } from '@panel/kit/errors';
import { findProgram } from '../../src/processes/find-program.js';
import { startRedis, type RedisOptions } from '../../src/redis/start-redis.js';

const searchPath = process.env['PATH'] ?? '';
const isInstalled = findProgram('redis-server', searchPath) !== undefined;

describe('startRedis', () => {
  let dataDir: string;
  let lines: string[];
  beforeEach(() => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'panel-redis-'));
    lines = [];
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('uses REDIS_URL unconditionally and logs it without the password', async () => {
    const redis = await startRedis(options({ url: 'redis://:secret@cache.example:6379/2' }));
    expect(redis?.url).to.equal('redis://:secret@cache.example:6379/2');
    expect(redis?.process).to.equal(undefined);
    expect(lines).to.deep.equal(['Redis: REDIS_URL redis://***@cache.example:6379/2']);
  });

  it('names what is missing without a Redis', async () => {
    expect(await startRedis(options({ searchPath: '' }))).to.equal(null);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include('one gateway only');
  });

  (isInstalled ? it : it.skip)(
    'starts a redis-server that keeps nothing, comes back after a crash, and stops',
    async () => {
      const redis = await startRedis(options({}));
      if (!redis?.process) throw new Error('no redis was started');
      const client = new Redis(redis.url, { maxRetriesPerRequest: 20 });
      client.on('error', () => undefined);
      try {
        const stranger = new Redis(redis.url.replace(/\/\/[^@]*@/, '//'), { maxRetriesPerRequest: 0 });
        stranger.on('error', () => undefined);
        expect(await stranger.get('a').catch(messageOf)).to.include('NOAUTH');
        stranger.disconnect();
        expect(statSync(path.join(dataDir, 'redis', 'redis.conf')).mode & 0o777).to.equal(0o600);
        await client.set('a', '1');
        expect(await client.config('GET', 'bind')).to.deep.equal(['bind', '127.0.0.1']);
        await redis.process.kill('SIGKILL');
        await redis.process.whenReady();
        expect(await client.get('a')).to.equal(null);
      } finally {
        client.disconnect();
        await redis.stop(2_000);
      }
      await expectGone(redis.process.pid());
    },
  );

  function options(given: Partial<RedisOptions>): RedisOptions {
    return { dataDir, searchPath, log: (line) => void lines.push(line), ...given };
  }
});

async function expectGone(pid: number): Promise<void> {
  expect(() => process.kill(pid, 0)).to.throw('ESRCH');
}
