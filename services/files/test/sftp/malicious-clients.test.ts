import { once } from 'node:events';
import { connect as dial, type Socket } from 'node:net';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { realTime, waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import type { Client, ClientChannel } from 'ssh2';
import { failureOf, openWrapper, Sftp, type SftpFixture, startSftpFixture } from './fixture.js';

/** Library internals that bypass the window. */
interface Overrun {
  readonly outgoing: { readonly id: number };
  readonly _client: {
    readonly _sock: Socket;
    readonly _protocol: { channelData(id: number, data: Buffer): void };
  };
}

describe('SFTP with malicious clients', () => {
  let fixture: SftpFixture;
  before(async () => {
    fixture = await startSftpFixture();
  });
  after(async () => fixture.stop());
  afterEach(async () => {
    await signOut();
    // after any client, the next one is served
    const sftp = await fixture.open();
    await sftp.writeFile('/alive', 'yes');
    expect((await sftp.readFile('/alive')).toString()).to.equal('yes');
    await signOut();
  });

  const signOut = async () => {
    fixture.disconnect();
    await waitUntil('the sessions to end', async () => (await metric('sftp_sessions')) === 0);
  };

  const metric = async (name: string) => {
    const text = await (await fetch(`http://${fixture.running.metrics}/metrics`)).text();
    return Number(new RegExp(`^${name}[^\\n]* ([0-9.]+)$`, 'm').exec(text)?.[1] ?? 0);
  };

  /** Without the library's SFTP protocol. */
  const raw = async (client?: Client): Promise<ClientChannel> => {
    const connected = client ?? (await fixture.connect());
    return new Promise((resolve, reject) =>
      connected.subsys('sftp', (error, channel) => (error ? reject(error) : resolve(channel))),
    );
  };
  const packet = (type: number, ...fields: Buffer[]) => {
    const body = Buffer.concat([Buffer.from([type]), ...fields]);
    return Buffer.concat([uint32(body.length), body]);
  };
  const init = () => packet(1, uint32(3));
  /** With its length. */
  const handleFrom = async (channel: ClientChannel): Promise<Buffer> => {
    let answers = Buffer.alloc(0);
    for await (const chunk of channel.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      answers = Buffer.concat([answers, chunk]);
      const opened = answers.subarray(4 + (answers.length < 4 ? 0 : answers.readUInt32BE()));
      if (opened.length > 9 && opened.length === 4 + opened.readUInt32BE()) return opened.subarray(9);
    }
    throw new Error('the channel has ended');
  };

  it('ends a session that sends no SFTP', async () => {
    const attacks: [string, Buffer][] = [
      ['no INIT', packet(3, uint32(1), text('/x'), uint32(1), uint32(0))],
      ['a length of 4 GiB', Buffer.from([0xff, 0xff, 0xff, 0xff, 1])],
      ['an empty packet', Buffer.concat([init(), uint32(0)])],
      ['an unknown type', Buffer.concat([init(), packet(99, uint32(1))])],
      [
        'a text longer than its packet',
        Buffer.concat([init(), packet(17, uint32(1), uint32(2 ** 31), Buffer.from('x'))]),
      ],
      ['a packet without an id', Buffer.concat([init(), packet(17)])],
      [
        'a forged number of attributes',
        Buffer.concat([init(), packet(9, uint32(1), text('/'), uint32(0x80000000), uint32(2 ** 32 - 1))]),
      ],
      [
        'an offset beyond 2^53',
        Buffer.concat([init(), packet(5, uint32(1), text('h'), Buffer.alloc(8, 0xff), uint32(1))]),
      ],
      ['a second INIT', Buffer.concat([init(), init()])],
      ['noise', Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 7919) % 256))],
    ];
    for (const [title, bytes] of attacks) {
      const channel = await raw();
      const end = once(channel, 'close', { signal: AbortSignal.timeout(5_000) });
      channel.resume();
      channel.write(bytes);
      await end.catch((error: unknown) => expect.fail(`${title}: ${String(error)}`));
    }
  });

  it('refuses forged handles, and handles of another session', async () => {
    await writeFile(path.join(fixture.directory, 'mine'), 'mine');
    const [one, other] = [await fixture.open(), await fixture.open()];
    const handle = await one.open('/mine', 'r');
    for (const forged of [
      handle,
      Buffer.alloc(0),
      Buffer.alloc(4),
      Buffer.alloc(250, 0xff),
      Buffer.from('/etc/passwd'),
    ]) {
      expect(await failureOf(other.close(forged))).to.include('no such handle');
      expect(await failureOf(other.write(forged, Buffer.from('x'), 0))).to.include('no such handle');
    }
    expect(await failureOf(one.write(handle, Buffer.from('x'), 0))).to.include('reading only');
    await one.close(handle);
    expect(await failureOf(one.close(handle))).to.include('no such handle');
  });

  it('bounds open handles, and closes those that a client leaves open', async () => {
    const openFiles = async () => (await readdir('/proc/self/fd')).length;
    const before = await openFiles();
    const client = await fixture.connect();
    const sftp = new Sftp(await openWrapper(client));
    const outcomes: string[] = [];
    for (let i = 0; i < 300; i += 1) outcomes.push(await failureOf(sftp.open(`/h${i % 10}`, 'w')));
    expect(outcomes.filter((outcome) => outcome === 'none')).to.have.length(256);
    expect(outcomes.at(-1)).to.include('256 files open');
    client.end();
    await waitUntil('the handles to be closed', async () => (await openFiles()) <= before + 8);
  });

  it('bounds channels and connections', async () => {
    const client = await fixture.connect();
    const opened = await Promise.allSettled(Array.from({ length: 20 }, async () => raw(client)));
    expect(opened.filter(({ status }) => status === 'fulfilled')).to.have.length(8);
    client.end();
    await waitUntil('the session to end', async () => (await metric('sftp_sessions')) === 0);
    const clients = await Promise.all(Array.from({ length: 14 }, async () => fixture.connect()));
    const served = await Promise.all(clients.map(async (each) => failureOf(openWrapper(each))));
    expect(served.filter((outcome) => outcome === 'none')).to.have.length(10);
    expect(await metric('sftp_sessions')).to.equal(10);
  });

  it('says why to a program that connects above the limit of an account', async () => {
    await Promise.all(Array.from({ length: 10 }, async () => fixture.open()));
    const { code, output } = await fixture.sftp('pwd');
    expect(output).to.include('You have 10 SFTP connections open, the limit: close one first.');
    expect(code).not.to.equal(0);
  });

  it('bounds the open files of an account over its connections', async () => {
    const sessions = await Promise.all(Array.from({ length: 3 }, async () => fixture.open()));
    await sessions[0]?.writeFile('/shared', 'x');
    const opened = sessions.map(async (sftp) =>
      Promise.all(Array.from({ length: 200 }, async () => failureOf(sftp.open('/shared', 'r')))),
    );
    const outcomes = (await Promise.all(opened)).flat();
    expect(outcomes.filter((outcome) => outcome === 'none')).to.have.length(512);
    expect(new Set(outcomes)).to.deep.equal(new Set(['none', 'an account may have 512 files open']));
  });

  it('offers neither a shell nor commands nor forwarding', async () => {
    const client = await fixture.connect();
    const refused = await Promise.all([
      failureOf(new Promise((resolve, reject) => client.exec('id', (error) => (error ? reject(error) : resolve(0))))),
      failureOf(new Promise((resolve, reject) => client.shell((error) => (error ? reject(error) : resolve(0))))),
      failureOf(
        new Promise((resolve, reject) =>
          client.forwardOut('127.0.0.1', 1, '127.0.0.1', fixture.port, (error) => (error ? reject(error) : resolve(0))),
        ),
      ),
      failureOf(
        new Promise((resolve, reject) =>
          client.forwardIn('127.0.0.1', 0, (error) => (error ? reject(error) : resolve(0))),
        ),
      ),
    ]);
    for (const outcome of refused) expect(outcome).to.not.equal('none');
    client.end();
  });

  it('survives malformed SSH before and after the version', async () => {
    for (const bytes of [
      'GET / HTTP/1.1\r\n\r\n',
      'SSH-2.0-x\r\n\0\0\0\0',
      `SSH-2.0-${'x'.repeat(9_000)}\r\n`,
      '\xff'.repeat(70_000),
    ]) {
      const socket: Socket = dial(fixture.port, '127.0.0.1');
      socket.on('error', () => undefined);
      const end = once(socket, 'close', { signal: AbortSignal.timeout(40_000) });
      socket.write(Buffer.from(bytes, 'latin1'));
      setTimeout(() => socket.end(), 300).unref();
      socket.resume();
      await end;
    }
  });

  it('reads no further from a client that does not read its answers', async () => {
    await writeFile(path.join(fixture.directory, 'big'), Buffer.alloc(8 * 1024 * 1024, 1));
    const readBefore = await metric('sftp_bytes_total{direction="read"');
    const client = await fixture.connect();
    const channel = await raw(client);
    channel.write(init());
    channel.write(packet(3, uint32(1), text('/big'), uint32(1), uint32(0)));
    const handle = await handleFrom(channel);
    channel.pause();
    const reads = Array.from({ length: 4_000 }, (_, i) =>
      packet(5, uint32(i + 2), handle, Buffer.alloc(8), uint32(255 * 1024)),
    );
    channel.write(Buffer.concat(reads));
    const read = async () => (await metric('sftp_bytes_total{direction="read"')) - readBefore;
    await waitUntil('the first answers', async () => (await read()) > 0);
    for (let at = 0; at < 3; at += 1) {
      await realTime(500, 'the buffers of TCP fill');
      expect(await read(), 'of the gigabyte that was asked for').to.be.lessThan(10 * 1024 * 1024);
    }
    // its pending requests free their place
    channel.close();
    const channels: ClientChannel[] = [];
    await waitUntil('the place of the channel', async () => {
      const opened = await raw(client).catch(() => null);
      if (opened) channels.push(opened);
      return channels.length === 8;
    });
  });

  it('cuts off a client that sends more than the window of its channel', async () => {
    await writeFile(path.join(fixture.directory, 'big'), Buffer.alloc(1024 * 1024, 1));
    const client = await fixture.connect();
    const end = new Promise<void>((resolve) => client.on('error', () => undefined).once('close', () => resolve()));
    const channel = await raw(client);
    channel.write(init());
    channel.write(packet(3, uint32(1), text('/big'), uint32(1), uint32(0)));
    const handle = await handleFrom(channel);
    channel.pause();
    const inner = channel as unknown as Overrun;
    // responses fill the channel, so the server stops reading; then exceeds its window
    const read = packet(5, uint32(2), handle, Buffer.alloc(8), uint32(255 * 1024));
    const chunk = Buffer.concat(Array.from({ length: Math.floor(32_000 / read.length) }, () => read));
    let sentBytes = 0;
    for (; sentBytes < 256 * 1024 * 1024 && !inner._client._sock.destroyed; sentBytes += chunk.length) {
      inner._client._protocol.channelData(inner.outgoing.id, chunk);
      const drained = async () => new Promise<void>((resolve) => inner._client._sock.once('drain', () => resolve()));
      if (inner._client._sock.writableNeedDrain) await Promise.race([drained(), end]);
    }
    await end;
    expect(sentBytes).to.be.lessThan(64 * 1024 * 1024);
  });

  it('refuses an address after many failed sign-ins', async () => {
    try {
      const outcomes: string[] = [];
      for (let i = 0; i < 31; i += 1) outcomes.push(await failureOf(fixture.connect({ password: 'wrong' })));
      expect(outcomes[0]).to.match(/authentication/);
      expect(await failureOf(fixture.connect())).to.not.equal('none');
    } finally {
      await fixture.stop();
      fixture = await startSftpFixture();
    }
  });
});

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
}

function text(value: string): Buffer {
  return Buffer.concat([uint32(value.length), Buffer.from(value)]);
}
