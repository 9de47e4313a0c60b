import { expect } from 'chai';
import { ApiError } from '@panel/client';
import type { Answer, Sending } from '../../src/files/sender.js';
import { type Upload, UploadQueue, type UploadSender } from '../../src/files/upload-queue.js';

class FakePanel {
  readonly requests: { readonly url: string; readonly answer: (error?: Error) => void; isAborted: boolean }[] = [];
  readonly waits: number[] = [];
  #sending = 0;
  most = 0;

  readonly createSender = (): UploadSender => {
    let abort = (): void => undefined;
    return {
      send: async ({ method, url }: Sending): Promise<Answer> =>
        new Promise((resolve, reject) => {
          this.most = Math.max(this.most, (this.#sending += 1));
          const end = (error?: Error): void => {
            this.#sending -= 1;
            if (error) reject(error);
            else resolve({ body: {}, header: () => null });
          };
          const request = { url: `${method} ${decodeURIComponent(url)}`, answer: end, isAborted: false };
          abort = () => {
            request.isAborted = true;
            end(new DOMException('aborted', 'AbortError'));
          };
          this.requests.push(request);
        }),
      wait: async (milliseconds) => void this.waits.push(milliseconds),
      whenOnline: async () => undefined,
      abort: () => abort(),
    };
  };

  async answer(index: number, error?: Error): Promise<void> {
    const request = this.requests[index];
    if (!request) throw new Error(`request ${index} was not sent`);
    request.answer(error);
    await nextTurn();
  }
}

const nextTurn = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const refusal = (status: number, headers: Record<string, string> = {}): ApiError =>
  ApiError.from(new Response(null, { status, headers }), {});
const states = (queue: UploadQueue): string[] => queue.uploads.map(({ name, state }) => `${name} ${state}`);

function begin(...names: string[]) {
  const panel = new FakePanel();
  const queue = new UploadQueue('server', panel.createSender);
  const ended: Upload[] = [];
  queue.onEnd((upload) => ended.push(upload));
  for (const name of names) queue.add(name, { path: `/${name}`, body: new Blob(['12345']) });
  return { panel, queue, ended };
}

describe('the queue of uploads', () => {
  it('sends one after the other, in the order in which they were added', async () => {
    const { panel, queue, ended } = begin('a', 'b', 'c');
    expect(states(queue)).to.deep.equal(['a sending', 'b waiting', 'c waiting']);
    for (const index of [0, 1, 2]) await panel.answer(index);
    expect(panel.requests.map(({ url }) => url.split('path=')[1])).to.deep.equal(['/a', '/b', '/c']);
    expect(panel.most).to.equal(1);
    expect(states(queue)).to.deep.equal(['a done', 'b done', 'c done']);
    expect(ended.map(({ name, sent }) => [name, sent])).to.deep.equal([
      ['a', 5],
      ['b', 5],
      ['c', 5],
    ]);
    expect(queue.isBusy).to.equal(false);
  });

  it('goes on with the next one after a failure, and sends the failed one again when asked', async () => {
    const { panel, queue, ended } = begin('a', 'b');
    const error = refusal(409);
    await panel.answer(0, error);
    expect(states(queue)).to.deep.equal(['a failed', 'b sending']);
    expect(queue.uploads[0]?.error).to.equal(error);
    queue.retry(queue.uploads[0]?.id ?? 0);
    expect(states(queue)).to.deep.equal(['a waiting', 'b sending']);
    expect(queue.uploads[0]?.error).to.equal(null);
    await panel.answer(1);
    await panel.answer(2);
    expect(states(queue)).to.deep.equal(['a done', 'b done']);
    expect(ended.map(({ name, state }) => `${name} ${state}`)).to.deep.equal(['a failed', 'b done', 'a done']);
  });

  it('waits out a rate limit once, and fails when the panel refuses again', async () => {
    const { panel, queue } = begin('a');
    await panel.answer(0, refusal(429, { 'retry-after': '7' }));
    expect(panel.waits).to.deep.equal([7_000]);
    expect(states(queue)).to.deep.equal(['a sending']);
    await panel.answer(1, refusal(429, { 'retry-after': '7' }));
    expect(states(queue)).to.deep.equal(['a failed']);
    expect(panel.waits).to.have.length(1);
  });

  it('does not wait for a rate limit of minutes', async () => {
    const { panel, queue } = begin('a');
    await panel.answer(0, refusal(429, { 'retry-after': '600' }));
    expect(states(queue)).to.deep.equal(['a failed']);
    expect(panel.waits).to.deep.equal([]);
  });

  it('aborts the one that is removed while it is sent, without a report, and goes on', async () => {
    const { panel, queue, ended } = begin('a', 'b');
    queue.remove(queue.uploads[0]?.id ?? 0);
    await nextTurn();
    expect(panel.requests[0]?.isAborted).to.equal(true);
    expect(states(queue)).to.deep.equal(['b sending']);
    expect(ended).to.deep.equal([]);
  });

  it('never sends the one that is removed while it waits', async () => {
    const { panel, queue } = begin('a', 'b', 'c');
    queue.remove(queue.uploads[1]?.id ?? 0);
    await panel.answer(0);
    await panel.answer(1);
    expect(panel.requests.map(({ url }) => url.split('path=')[1])).to.deep.equal(['/a', '/c']);
  });

  it('ends with everything in it when the person signs out', async () => {
    const { panel, queue, ended } = begin('a', 'b');
    queue.clear();
    await nextTurn();
    expect(panel.requests.map(({ isAborted }) => isAborted)).to.deep.equal([true]);
    expect([queue.uploads, ended, queue.isBusy]).to.deep.equal([[], [], false]);
  });

  it('ends an upload only after what follows it, whose failure is that of the upload', async () => {
    const { panel, queue } = begin();
    let finish: (error: Error) => void = () => undefined;
    const after = async (): Promise<void> => new Promise((_, reject) => (finish = reject));
    queue.add('a', { path: '/a', body: new Blob(['1']), after });
    await panel.answer(0);
    expect(states(queue)).to.deep.equal(['a sending']);
    finish(refusal(507));
    await nextTurn();
    expect(states(queue)).to.deep.equal(['a failed']);
  });

  it('sends a small file in pieces where a proxy refuses it whole', async () => {
    Reflect.set(globalThis, 'localStorage', {
      getItem: () => null,
      setItem: () => undefined,
      removeItem: () => undefined,
    });
    const { panel, queue } = begin();
    queue.add('big', { path: '/big', body: new Blob([new Uint8Array(100_000)]) });
    await panel.answer(0, refusal(413));
    expect(panel.requests.map(({ url }) => url.split('?')[0])).to.deep.equal([
      'PUT /api/v1/servers/server/files/write',
      'POST /api/v1/servers/server/files/uploads',
    ]);
  });
});
