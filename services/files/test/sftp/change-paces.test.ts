import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ManualClock, waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { type ChangeLimits, changeLimits, ChangePaces, lightCost } from '../../src/sftp/change-paces.js';
import { failureOf, openWrapper, Sftp, type SftpFixture, startSftpFixture } from './fixture.js';

const never = new AbortController().signal;

describe('pace of SFTP changes', () => {
  let clock: ManualClock;
  let paces: ChangePaces;
  beforeEach(() => {
    clock = new ManualClock();
    paces = new ChangePaces({ server: { perSecond: 10, burst: 20 }, total: { perSecond: 20, burst: 60 } }, clock);
  });

  const begin = (serverId: string, count: number, cost = 1) => {
    const begun = { count: 0 };
    for (let i = 0; i < count; i += 1) void paces.take(serverId, cost, never).then(() => (begun.count += 1));
    return begun;
  };

  it('lets a burst pass, and the rest at the rate of its server', async () => {
    const one = begin('one', 50);
    await clock.advance(0);
    expect(one.count).to.equal(20);
    await clock.advance(1_000);
    expect(one.count).to.equal(30);
    await clock.advance(2_000);
    expect(one.count).to.equal(50);
    await clock.advance(2_000);
    const other = begin('one', 30);
    await clock.advance(0);
    expect(other.count, 'after a rest').to.equal(20);
  });

  it('begins the change of another server at once', async () => {
    begin('one', 1_000);
    await clock.advance(500);
    const other = begin('other', 1);
    await clock.advance(0);
    expect(other.count).to.equal(1);
  });

  it('lets servers take turns at the rate of the process', async () => {
    const all = ['a', 'b', 'c', 'd'].map((serverId) => begin(serverId, 100));
    await clock.advance(0);
    expect(all.map(({ count }) => count)).to.deep.equal([20, 20, 20, 0]);
    const late = begin('late', 1);
    await clock.advance(250);
    expect(late.count).to.equal(1);
    await clock.advance(1_750);
    const taken = all.map(({ count }) => count);
    expect(taken.toSorted((a, b) => a - b)).to.deep.equal([10, 29, 30, 30]);
  });

  it('counts a change without a record as a tenth', async () => {
    const one = begin('one', 300, lightCost);
    await clock.advance(0);
    expect(one.count).to.be.within(190, 200);
    await clock.advance(1_200);
    expect(one.count).to.equal(300);
  });

  it('delays none of 9,900 new files at the rates of a node', async () => {
    paces = new ChangePaces(changeLimits, clock);
    const one = begin('one', 9_900, lightCost);
    await clock.advance(0);
    expect(one.count).to.equal(9_900);
  });

  it('frees the turn of a session that ends, and forgets servers that rest', async () => {
    begin('one', 20);
    const ended = new AbortController();
    const lost = paces.take('one', 1, ended.signal).catch((error: unknown) => error);
    const next = begin('one', 1);
    ended.abort(new Error('gone'));
    expect(await lost)
      .to.be.an('error')
      .with.property('message', 'gone');
    await clock.advance(100);
    expect(next.count).to.equal(1);
    for (let i = 0; i < 50; i += 1) begin(`server ${i}`, 1);
    await clock.advance(60_000);
    begin('one', 1);
    expect(paces.size).to.equal(1);
    expect(clock.pending).to.equal(0);
  });
});

describe('SFTP clients that change much', function () {
  this.timeout(120_000);
  const limits: ChangeLimits = { server: { perSecond: 20, burst: 100 }, total: { perSecond: 1_000, burst: 1_000 } };
  let fixture: SftpFixture;
  before(async () => {
    fixture = await startSftpFixture(limits);
  });
  after(async () => fixture?.stop());

  it('slows changes to the rate of their server, delays no reader and no other server, and loses nothing', async () => {
    const other = await fixture.addServer();
    const [busy, reader] = [await fixture.open(), await fixture.open()];
    const signIn = { username: other.username, privateKey: fixture.key };
    const elsewhere = new Sftp(await openWrapper(await fixture.connect(signIn)));
    await writeFile(path.join(fixture.directory, 'read.txt'), 'read');
    const count = 300;
    const changed: string[] = [];
    const begin = performance.now();
    const changes = Array.from({ length: count }, async (_, i) => {
      await busy.mkdir(`many${i}`);
      changed.push(`many${i}`);
    });
    await waitUntil('the burst', () => changed.length >= limits.server.burst);

    const slowest = { read: 0, other: 0 };
    for (let i = 0; i < 20; i += 1) {
      slowest.read = Math.max(slowest.read, await timeOf(reader.readFile('read.txt')));
      slowest.other = Math.max(slowest.other, await timeOf(elsewhere.mkdir(`other${i}`)));
    }
    const passed = ((performance.now() - begin) / 1_000) * limits.server.perSecond;
    expect(changed.length, 'the others wait').to.be.at.most(limits.server.burst + Math.ceil(passed));
    // Behind the changes of the session each would wait for ten seconds.
    expect(slowest.read).to.be.below(5_000);
    expect(slowest.other).to.be.below(5_000);

    await Promise.all(changes);
    const leastMs = ((count - limits.server.burst) / limits.server.perSecond) * 1_000;
    expect(performance.now() - begin).to.be.above(leastMs - 100);
    expect(await readdir(fixture.directory)).to.have.members([...changed, 'read.txt']);
    expect(await readdir(other.directory)).to.have.length(20);
  });

  it('upload small files, replace them, and remove them, above the rate', async () => {
    const files = 150;
    const local = path.join(fixture.local, 'tree');
    await mkdir(local);
    for (let i = 0; i < files; i += 1) await writeFile(path.join(local, `f${i}.txt`), `content ${i}`);
    const up = await fixture.sftp(`put -r ${local} tree`, `put ${local}/* tree/`);
    expect(up.code, up.output).to.equal(0);
    const compared = await fixture.run('diff', ['-rq', local, path.join(fixture.directory, 'tree')]);
    expect(compared.code, compared.output).to.equal(0);
    const down = await fixture.sftp('rm tree/*', 'rmdir tree');
    expect(down.code, down.output).to.equal(0);
    expect(await readdir(fixture.directory)).to.not.include('tree');
  });

  it('end their session at once while changes wait', async () => {
    const busy = await fixture.open();
    for (let i = 0; i < 300; i += 1) void failureOf(busy.mkdir(`cut${i}`));
    await waitUntil('a change', async () => (await readdir(fixture.directory)).includes('cut0'));
    fixture.disconnect();
    await waitUntil('the end of the session', async () => (await sessionsOf(fixture)) === 0);
  });
});

async function sessionsOf({ running }: SftpFixture): Promise<number> {
  const text = await (await fetch(`http://${running.metrics}/metrics`)).text();
  return Number(/^sftp_sessions(?:{.*})? (\d+)/m.exec(text)?.[1] ?? NaN);
}

async function timeOf(work: Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work;
  return performance.now() - begin;
}
