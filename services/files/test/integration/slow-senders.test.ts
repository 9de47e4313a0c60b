import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { ManualClock, waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { type DirectFixture, startDirectFixture, type TusRequest, ways } from '../support/direct-fixture.js';

const minuteMs = 60_000;
const kibibyte = 1_024;

describe('senders of direct uploads', () => {
  const content = randomBytes(1_024 * kibibyte);
  const clock = new ManualClock();
  const sockets: Socket[] = [];
  let fixture: DirectFixture;

  before(async () => {
    fixture = await startDirectFixture({}, () => new Date(), clock);
  });
  after(async () => fixture.stop());
  beforeEach(async () => fixture.renew());
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  const send = async (request: TusRequest) => ways[1]?.send(fixture, request);
  const create = async (name: string) => {
    const metadata = `filename ${Buffer.from(name).toString('base64')}`;
    const headers = { 'upload-length': String(content.length), 'upload-metadata': metadata };
    return (await send({ method: 'POST', headers }))?.headers['location'] ?? '';
  };
  /** Announces the whole rest. */
  const begin = async (location: string, offset = 0): Promise<Socket> => {
    const { hostname, pathname, port } = new URL(location);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const headers = [
      `PATCH ${pathname} HTTP/1.1`,
      'Host: node',
      'Tus-Resumable: 1.0.0',
      'Content-Type: application/offset+octet-stream',
      `Upload-Offset: ${offset}`,
      `Content-Length: ${content.length - offset}`,
    ];
    socket.write(`${headers.join('\r\n')}\r\n\r\n`);
    return socket;
  };
  const offsetOf = async (location: string) =>
    Number((await send({ method: 'HEAD', location }))?.headers['upload-offset']);
  const metric = async (name: string) => {
    const lines = (await (await fetch(`http://${fixture.running.metrics}/metrics`)).text()).split('\n');
    return Number(
      lines
        .find((line) => line.startsWith(name))
        ?.split(' ')
        .at(-1) ?? 0,
    );
  };
  const running = async () => metric('direct_transfers{kind="uploads"');
  const written = async () => metric('files_bytes_total{direction="written",way="direct"');

  it('ends a piece whose sender is slow, says so, and keeps what has arrived', async () => {
    const location = await create('slow');
    const socket = await begin(location);
    const answer = text(socket);
    await waitUntil('the piece to begin', async () => (await running()) === 1);
    let sent = 0;
    const before = await written();
    await waitUntil('the piece to end', async () => {
      if ((await running()) === 0) return true;
      socket.write(content.subarray(sent, sent + kibibyte));
      sent += kibibyte;
      await waitUntil('the bytes', async () => (await running()) === 0 || (await written()) - before >= sent);
      await clock.advance(minuteMs);
      return false;
    });
    expect(clock.now()).to.be.within(5 * minuteMs, 7 * minuteMs);
    const [head = '', body = ''] = (await answer).split('\r\n\r\n');
    expect(head).to.match(/^HTTP\/1\.1 409 /);
    expect(head.toLowerCase()).to.contain('connection: close');
    const { details } = (JSON.parse(body) as { readonly error: { readonly details: Record<string, unknown> } }).error;
    const arrived = await offsetOf(location);
    expect(details).to.deep.equal({ reason: 'upload_incomplete', offset_bytes: arrived });
    expect(arrived).to.be.within(4 * kibibyte, sent);
    expect(clock.pending).to.equal(0);
    const headers = { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(arrived) };
    const rest = await send({ method: 'PATCH', location, headers, body: content.subarray(arrived) });
    expect(rest?.status).to.equal(204);
    expect((await readFile(path.join(fixture.directory, 'slow'))).equals(content)).to.equal(true);
  });

  it('takes 50 pieces of a server at a time, and one more when one has ended', async () => {
    const locations = await Promise.all(Array.from({ length: 50 }, async (_, i) => create(`${i}`)));
    const before = await written();
    const pieces = await Promise.all(locations.map(async (location) => begin(location)));
    for (const piece of pieces) piece.write(content.subarray(0, 1));
    await waitUntil('a byte of 50 pieces', async () => (await written()) - before === 50);
    const [location = ''] = locations;
    expect(await text(await begin(location, 1))).to.match(/^HTTP\/1\.1 409 .*operation_limit/s);
    const [first, last] = pieces;
    first?.destroy();
    await waitUntil('a free place', async () => (await running()) === 49);
    expect(await offsetOf(location)).to.equal(1);
    for (const socket of [last, await begin(location, 1)]) {
      if (!socket) throw new TypeError('there is no such piece');
      socket.write(content.subarray(1));
      const [head] = (await once(socket, 'data')) as [Buffer];
      expect(String(head)).to.match(/^HTTP\/1\.1 204 /);
    }
  });
});
