import { expect } from 'chai';
import { ApiError } from '@panel/client';
import { ResumableUpload } from '../../src/files/resumable-upload.js';
import type { Answer, Sending } from '../../src/files/sender.js';

/** Requests fail as configured, after accepting some bytes. */
class FakePanel {
  readonly log: string[] = [];
  readonly failures: { readonly error: Error; readonly arrived: number }[] = [];
  arrived: number | null = null;

  readonly wait = async (): Promise<void> => undefined;
  readonly whenOnline = async (): Promise<void> => undefined;
  readonly send = async ({ method, url, headers, body }: Sending): Promise<Answer> => {
    this.log.push(method);
    if (method === 'POST') this.arrived = 0;
    if (this.arrived === null) throw refusal(404);
    const answer: Record<string, string> = { location: url, 'upload-offset': String(this.arrived) };
    if (method === 'DELETE') this.arrived = null;
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

function refusal(status: number): ApiError {
  return ApiError.from(new Response(null, { status }), {});
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
    const [panel, kept] = [new FakePanel(), memory()];
    panel.failures.push({ error: new TypeError('lost'), arrived: 10 }, { error: refusal(502), arrived: 20 });
    await new ResumableUpload(place, file(), kept).send(panel, ignore);
    expect(panel.arrived).to.equal(100);
    expect(panel.log).to.deep.equal(['POST', 'PATCH', 'HEAD', 'PATCH', 'HEAD', 'PATCH']);
    expect(kept.held.size).to.equal(0);
  });

  it('gives up after five tries without a byte more, and at once when it is refused', async () => {
    const panel = new FakePanel();
    for (let times = 0; times < 5; times++) panel.failures.push({ error: new TypeError('lost'), arrived: 0 });
    const failed = await new ResumableUpload(place, file(), memory()).send(panel, ignore).catch((error) => error);
    expect(failed).to.be.instanceOf(TypeError);
    const other = new FakePanel();
    other.failures.push({ error: refusal(403), arrived: 0 });
    const refused = await new ResumableUpload(place, file(), memory()).send(other, ignore).catch((error) => error);
    expect(refused.status).to.equal(403);
    expect(other.log).to.deep.equal(['POST', 'PATCH']);
  });

  it('goes on after a reload when the same file is chosen, and anew for another one', async () => {
    const [panel, kept] = [new FakePanel(), memory()];
    panel.failures.push({ error: refusal(403), arrived: 40 });
    await new ResumableUpload(place, file(), kept).send(panel, ignore).catch(ignore);
    const sent: number[] = [];
    panel.log.length = 0;
    await new ResumableUpload(place, file(), kept).send(panel, (offset) => sent.push(offset));
    expect(panel.log).to.deep.equal(['HEAD', 'PATCH']);
    expect(sent[0]).to.equal(40);
    panel.failures.push({ error: refusal(403), arrived: 40 });
    await new ResumableUpload(place, file(), kept).send(panel, ignore).catch(ignore);
    panel.log.length = 0;
    await new ResumableUpload(place, file(100, 2), kept).send(panel, ignore);
    expect(panel.log).to.deep.equal(['POST', 'PATCH']);
  });

  it('begins anew where the panel has none of it any more, and forgets what was aborted', async () => {
    const [panel, kept] = [new FakePanel(), memory()];
    panel.failures.push({ error: refusal(403), arrived: 40 }, { error: refusal(403), arrived: 0 });
    const aborted = new ResumableUpload(place, file(), kept);
    await aborted.send(panel, ignore).catch(ignore);
    panel.arrived = null;
    panel.log.length = 0;
    await new ResumableUpload(place, file(), kept).send(panel, ignore).catch(ignore);
    expect(panel.log).to.deep.equal(['HEAD', 'POST', 'PATCH']);
    await aborted.end(panel);
    expect([panel.arrived, kept.held.size]).to.deep.equal([null, 0]);
  });
});
