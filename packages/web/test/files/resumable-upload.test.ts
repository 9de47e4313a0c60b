import { expect } from 'chai';
import { ApiError } from '@panel/client';
import { PieceSize } from '../../src/files/piece-size.js';
import { ResumableUpload } from '../../src/files/resumable-upload.js';
import type { Answer, Sending } from '../../src/files/sender.js';

/** Requests fail as configured, after accepting some bytes. */
class FakePanel {
  readonly log: string[] = [];
  readonly failures: { readonly error: Error; readonly arrived: number }[] = [];
  readonly waits: number[] = [];
  arrived: number | null = null;
  /** Of the proxy before it. */
  bodyLimit = Infinity;

  readonly wait = async (milliseconds: number): Promise<void> => void this.waits.push(milliseconds);
  readonly whenOnline = async (): Promise<void> => undefined;
  readonly send = async ({ method, url, headers, body }: Sending): Promise<Answer> => {
    this.log.push(method);
    if (method === 'POST') this.arrived = 0;
    if (this.arrived === null) throw refusal(404);
    const answer: Record<string, string> = { location: url, 'upload-offset': String(this.arrived) };
    if (method === 'DELETE') this.arrived = null;
    if (method === 'PATCH' && (body?.size ?? 0) > this.bodyLimit) throw refusal(413);
    if (method === 'PATCH') this.#take(Number(headers['upload-offset']), body?.size ?? 0);
    answer['upload-offset'] = String(this.arrived);
    return { body: { data: { id: 'one' } }, header: (name) => answer[name] ?? null };
  };

  #take(offset: number, size: number): void {
    if (offset !== this.arrived) throw refusal(409);
    const failure = this.failures.shift();
    this.arrived = offset + (failure?.arrived ?? size);
    if (failure) throw failure.error;
  }
}

function refusal(status: number, headers: Record<string, string> = {}): ApiError {
  return ApiError.from(new Response(null, { status, headers }), {});
}

function memory() {
  const held = new Map<string, string>();
  return {
    getItem: (key: string) => held.get(key) ?? null,
    setItem: (key: string, value: string) => void held.set(key, value),
    removeItem: (key: string) => void held.delete(key),
    held,
  };
}

const place = { serverId: 'server', directory: '/maps', name: 'cave.zip' };
const file = (size = 100, lastModified = 1): File => new File([new Uint8Array(size)], 'cave.zip', { lastModified });
const ignore = (): void => undefined;

describe('an upload in pieces', () => {
  it('goes on with what has arrived when a connection is lost or a panel restarts', async () => {
    const [panel, retained] = [new FakePanel(), memory()];
    panel.failures.push({ error: new TypeError('lost'), arrived: 10 }, { error: refusal(502), arrived: 20 });
    await new ResumableUpload(place, file(), new PieceSize(), retained).send(panel, ignore);
    expect(panel.arrived).to.equal(100);
    expect(panel.log).to.deep.equal(['POST', 'PATCH', 'HEAD', 'PATCH', 'HEAD', 'PATCH']);
    expect(retained.held.size).to.equal(0);
  });

  it('gives up after five tries without a byte more, and at once when it is refused', async () => {
    const panel = new FakePanel();
    for (let times = 0; times < 5; times++) panel.failures.push({ error: new TypeError('lost'), arrived: 0 });
    const failed = await new ResumableUpload(place, file(), new PieceSize(), memory())
      .send(panel, ignore)
      .catch((error) => error);
    expect(failed).to.be.instanceOf(TypeError);
    const other = new FakePanel();
    other.failures.push({ error: refusal(403), arrived: 0 });
    const refused = await new ResumableUpload(place, file(), new PieceSize(), memory())
      .send(other, ignore)
      .catch((error) => error);
    expect(refused.status).to.equal(403);
    expect(other.log).to.deep.equal(['POST', 'PATCH']);
  });

  it('goes on after a reload when the same file is chosen, and anew for another one', async () => {
    const [panel, retained] = [new FakePanel(), memory()];
    panel.failures.push({ error: refusal(403), arrived: 40 });
    await new ResumableUpload(place, file(), new PieceSize(), retained).send(panel, ignore).catch(ignore);
    const sent: number[] = [];
    panel.log.length = 0;
    await new ResumableUpload(place, file(), new PieceSize(), retained).send(panel, (offset) => sent.push(offset));
    expect(panel.log).to.deep.equal(['HEAD', 'PATCH']);
    expect(sent[0]).to.equal(40);
    panel.failures.push({ error: refusal(403), arrived: 40 });
    await new ResumableUpload(place, file(), new PieceSize(), retained).send(panel, ignore).catch(ignore);
    panel.log.length = 0;
    await new ResumableUpload(place, file(100, 2), new PieceSize(), retained).send(panel, ignore);
    expect(panel.log).to.deep.equal(['POST', 'PATCH']);
  });

  it('begins anew where the panel has none of it any more, and forgets what was aborted', async () => {
    const [panel, retained] = [new FakePanel(), memory()];
    panel.failures.push({ error: refusal(403), arrived: 40 }, { error: refusal(403), arrived: 0 });
    const aborted = new ResumableUpload(place, file(), new PieceSize(), retained);
    await aborted.send(panel, ignore).catch(ignore);
    panel.arrived = null;
    panel.log.length = 0;
    await new ResumableUpload(place, file(), new PieceSize(), retained).send(panel, ignore).catch(ignore);
    expect(panel.log).to.deep.equal(['HEAD', 'POST', 'PATCH']);
    await aborted.end(panel);
    expect([panel.arrived, retained.held.size]).to.deep.equal([null, 0]);
  });

  it('shrinks its pieces to what a proxy takes, which later uploads of the page know', async () => {
    const [panel, pieces] = [new FakePanel(), new PieceSize()];
    panel.bodyLimit = 1024 ** 2;
    const size = 3 * 1024 ** 2;
    await new ResumableUpload(place, file(size), pieces, memory()).send(panel, ignore);
    expect(panel.arrived).to.equal(size);
    expect(pieces.bytes).to.be.within(panel.bodyLimit / 2, panel.bodyLimit);
    panel.log.length = 0;
    await new ResumableUpload(place, file(size, 2), pieces, memory()).send(panel, ignore);
    expect(panel.log).to.deep.equal(['POST', ...Array.from({ length: Math.ceil(size / pieces.bytes) }, () => 'PATCH')]);
  });

  it('ends where a proxy takes next to nothing, or the panel itself says that it is too much', async () => {
    const panel = new FakePanel();
    panel.bodyLimit = 1024;
    const send = async () => new ResumableUpload(place, file(1024 ** 2), new PieceSize(), memory()).send(panel, ignore);
    const refused = await send().catch((error) => error);
    expect(refused.status).to.equal(413);
    expect(panel.log.length).to.be.below(10);
    const other = new FakePanel();
    const body = { error: { code: 'payload_too_large', message: 'too large' } };
    other.failures.push({ error: ApiError.from(new Response(null, { status: 413 }), body), arrived: 0 });
    const upload = new ResumableUpload(place, file(), new PieceSize(), memory());
    expect((await upload.send(other, ignore).catch((error) => error)).code).to.equal('payload_too_large');
    expect(other.log).to.deep.equal(['POST', 'PATCH']);
  });

  it('waits where its pieces are too many for a minute', async () => {
    const panel = new FakePanel();
    for (let times = 0; times < 7; times++)
      panel.failures.push({ error: refusal(429, { 'retry-after': '20' }), arrived: 0 });
    await new ResumableUpload(place, file(), new PieceSize(), memory()).send(panel, ignore);
    expect(panel.arrived).to.equal(100);
    expect(panel.waits).to.deep.equal(Array.from({ length: 7 }, () => 20_000));
  });
});
