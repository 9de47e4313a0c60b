import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type AppError, isAppError } from '@panel/kit/errors';
import { connectMongo, migrate, type MongoConnection } from '@panel/kit/mongo';
import { createLogger } from '@panel/kit/process';
import { testMongoUrl } from '../../src/index.js';
import { expect } from 'chai';
import { runsIn, ttlMs, twoSteps } from './fixtures/two-steps.js';

const log = createLogger({ service: 'test', level: 'silent' });
const fixture = fileURLToPath(new URL('fixtures/migrating.js', import.meta.url));

async function failureOf(work: Promise<unknown>): Promise<AppError> {
  try {
    await work;
  } catch (error) {
    if (isAppError(error)) return error;
    throw error;
  }
  return expect.fail('it has not failed');
}

describe('migrations', () => {
  let url: string;
  let mongo: MongoConnection;
  const versionOf = async () => (await mongo.collection('schema_version').findOne())?.['version'] as number;
  beforeEach(async () => {
    url = testMongoUrl('migrations');
    mongo = await connectMongo(url, { appName: 'test' });
  });
  afterEach(async () => {
    await mongo.dropDatabase();
    await mongo.close();
  });

  it('run once in their order, and not at the next start', async () => {
    await migrate(mongo, twoSteps(), { log });
    await migrate(mongo, twoSteps(), { log });
    expect(await runsIn(mongo)).to.deep.equal({ first: 1, second: 1, 'second, other half': 1 });
    expect(await versionOf()).to.equal(2);
  });

  it('go on with the migration in which a process was killed', async () => {
    const child = spawn(process.execPath, [fixture, url], { stdio: 'inherit' });
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    expect(signal).to.equal('SIGKILL');
    expect(await versionOf()).to.equal(1);
    await migrate(mongo, twoSteps(), { log, ttlMs, pollMs: 50 });
    expect(await runsIn(mongo)).to.deep.equal({ first: 1, second: 2, 'second, other half': 1 });
    expect(await versionOf()).to.equal(2);
  });

  it('go on with the migration that has failed', async () => {
    const broken = twoSteps(async () => Promise.reject(new TypeError('broken')));
    expect(await migrate(mongo, broken, { log }).catch((error: unknown) => error)).to.be.instanceOf(TypeError);
    expect(await versionOf()).to.equal(1);
    await migrate(mongo, twoSteps(), { log });
    expect(await versionOf()).to.equal(2);
  });

  it('run on one of two replicas that start at once', async () => {
    const other = await connectMongo(url, { appName: 'test' });
    try {
      const options = { log, pollMs: 10 };
      await Promise.all([migrate(mongo, twoSteps(), options), migrate(other, twoSteps(), options)]);
    } finally {
      await other.close();
    }
    expect(await runsIn(mongo)).to.deep.equal({ first: 1, second: 1, 'second, other half': 1 });
  });

  it('make another replica wait, with a bound', async () => {
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let slow: Promise<void> = Promise.resolve();
    await new Promise<void>((started) => {
      const half = async () => {
        started();
        await finished;
      };
      slow = migrate(mongo, twoSteps(half), { log });
    });
    const { reason } = await failureOf(migrate(mongo, twoSteps(), { log, waitMs: 100, pollMs: 10 }));
    expect(reason).to.equal('MIGRATION_TIMEOUT');
    finish();
    await slow;
  });

  it('refuse a database that a newer release has migrated, and leave it as it is', async () => {
    await migrate(mongo, twoSteps(), { log });
    const { reason, metadata } = await failureOf(migrate(mongo, twoSteps().slice(0, 1), { log }));
    expect([reason, metadata]).to.deep.equal(['DATABASE_NEWER', { version: 2, target: 1 }]);
    expect(await versionOf()).to.equal(2);
  });

  it('refuse names without consecutive numbers', async () => {
    const failure = await migrate(mongo, twoSteps().slice(1), { log }).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(TypeError);
  });
});
