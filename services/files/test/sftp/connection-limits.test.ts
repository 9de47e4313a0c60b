import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import {
  ConnectionCounts,
  type ConnectionPlace,
  connectionLimits,
  withinOpenFiles,
} from '../../src/sftp/connection-limits.js';

describe('connection limits of SFTP', () => {
  it('counts the addresses of one IPv6 network as one', () => {
    const counts = new ConnectionCounts();
    const { failuresPerAddress, perAddress } = connectionLimits;
    const enter = (address: string) => counts.enter(address, () => undefined);
    const places = Array.from({ length: perAddress }, (_, i) => enter(`2001:db8:0:1::${i.toString(16)}`));
    expect(places).not.to.include(null);
    expect(enter('2001:db8:0:1:ffff::1')).to.equal(null);
    expect(enter('2001:db8:0:2::1')).not.to.equal(null);
    places[0]?.leave();
    places[0]?.leave();
    expect(enter('2001:db8:0:1:ffff::1')).not.to.equal(null);
    expect(enter('2001:db8:0:1:ffff::2')).to.equal(null);
    for (let i = 0; i < failuresPerAddress; i += 1) counts.recordFailure(`2001:db8:0:3::${i.toString(16)}`);
    expect(enter('2001:db8:0:3:ffff::1')).to.equal(null);
    expect(enter('192.0.2.1')).not.to.equal(null);
  });

  it('closes the oldest idle connection of the address with most of them for a new one, and no other', () => {
    const counts = new ConnectionCounts({ ...connectionLimits, total: 6 });
    const closed: string[] = [];
    const enter = (address: string, name: string): ConnectionPlace | null =>
      counts.enter(address, () => closed.push(name));
    const signedIn = enter('192.0.2.1', 'signed in');
    signedIn?.hold();
    for (const name of ['a1', 'a2', 'a3']) enter('198.51.100.1', name);
    const other = enter('198.51.100.2', 'b1');
    enter('198.51.100.2', 'b2');
    expect(enter('203.0.113.1', 'c1')).not.to.equal(null);
    expect(closed).to.deep.equal(['a1']);
    expect(enter('198.51.100.1', 'a4'), 'an address with as many as any').to.equal(null);
    expect(enter('203.0.113.2', 'd1')).not.to.equal(null);
    expect(closed).to.have.length(2);
    other?.hold();
    for (const name of ['e1', 'f1', 'g1', 'h1']) enter(`203.0.113.${name.charCodeAt(0)}`, name);
    expect(closed).not.to.include.members(['signed in']);
    other?.release();
    signedIn?.leave();
    expect(enter('192.0.2.1', 'again')).not.to.equal(null);
  });

  it('takes a quarter of the open files of the process for connections, at most their limit', () => {
    const totalOf = (filesPerConnection: number, openFiles: number) =>
      withinOpenFiles(connectionLimits, filesPerConnection, openFiles).total;
    expect([totalOf(1, 1_024), totalOf(2, 1_024), totalOf(1, 1_048_576)]).to.deep.equal([256, 128, 1_000]);
  });

  it('reads the limit of open files of its process', async () => {
    const module = new URL('../../src/sftp/connection-limits.js', import.meta.url).href;
    const print = `import { connectionLimits, withinOpenFiles } from '${module}';
      console.log(withinOpenFiles(connectionLimits, 1).total);`;
    const command = 'ulimit -n 400 && exec "$0" --input-type=module --eval "$1"';
    const { stdout } = await promisify(execFile)('sh', ['-c', command, process.execPath, print]);
    expect(stdout.trim()).to.equal('100');
  });

  it('counts failures of an address from the first to the end of its window', () => {
    let nowMs = 1;
    const { failuresPerAddress, failureWindowMs } = connectionLimits;
    const counts = new ConnectionCounts(connectionLimits, () => nowMs);
    const isRefused = () => counts.enter('192.0.2.1', () => undefined) === null;
    counts.recordFailure('192.0.2.1');
    nowMs += failureWindowMs - 1;
    for (let count = 1; count < failuresPerAddress; count += 1) counts.recordFailure('192.0.2.1');
    expect(isRefused()).to.equal(true);
    nowMs += 2;
    expect(isRefused()).to.equal(false);
  });

  it('keeps the failures of an address that goes on failing while 10,000 others fail', () => {
    const { failuresPerAddress } = connectionLimits;
    const counts = new ConnectionCounts();
    for (let count = 1; count < failuresPerAddress; count += 1) counts.recordFailure('192.0.2.1');
    for (let at = 1; at < 10_000; at += 1) counts.recordFailure(`10.0.${at >> 8}.${at & 255}`);
    counts.recordFailure('192.0.2.1');
    counts.recordFailure('198.51.100.1');
    expect(counts.enter('192.0.2.1', () => undefined)).to.equal(null);
  });

  it('leaves places to other servers when many users of one server are signed in, and says why', () => {
    const counts = new ConnectionCounts();
    const users = Array.from({ length: 10 }, (_, at) => `user ${at}`);
    const signIns = users.flatMap((userId) => Array.from({ length: 10 }, () => ({ userId, serverId: 'a' })));
    const refusals = signIns.map((signedIn) => counts.signIn(signedIn));
    expect(refusals.filter((refusal) => refusal === null)).to.have.length(50);
    expect(refusals.at(-1)).to.match(/users of this server have 50/);
    expect(counts.signIn({ userId: 'user 9', serverId: 'b' })).to.equal(null);
    counts.signOut({ userId: 'user 0', serverId: 'a' });
    expect(counts.signIn({ userId: 'user 8', serverId: 'a' })).to.equal(null);
  });
});
