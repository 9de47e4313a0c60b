import { onlineManager, QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect } from 'chai';
import { ApiError, type PanelClient } from '@panel/client';
import type { Api } from '../../src/api/api.js';
import { CreationKey, dataOptions, whileAny } from '../../src/api/use-data.js';

const api: Pick<Api, 'call'> = { call: async (use) => use({} as PanelClient) };
const refusal = (status: number): ApiError => ApiError.from(new Response(null, { status }), {});
const nextTurn = async (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** Reads with the options of useData, without retry delays. */
function observe<T>(read: () => Promise<T>, options: Parameters<typeof dataOptions<T>>[3] = {}) {
  const client = new QueryClient({ defaultOptions: { queries: { retryDelay: 0 } } });
  const observer = new QueryObserver(client, dataOptions(api, ['key'], read, options));
  client.mount();
  const stop = observer.subscribe(() => undefined);
  const end = (): void => {
    stop();
    client.clear();
    client.unmount();
  };
  return { client, observer, end };
}

async function settled(observer: { getCurrentResult(): { fetchStatus: string } }): Promise<void> {
  while (observer.getCurrentResult().fetchStatus === 'fetching') await nextTurn();
}

/** Fails with the errors in turn, then answers. */
function failing(...errors: readonly Error[]) {
  let calls = 0;
  const read = async (): Promise<string> => {
    const error = errors[calls++];
    if (error) throw error;
    return 'answer';
  };
  return { read, calls: () => calls };
}

describe('reading from the panel', () => {
  it('asks again twice where no answer came', async () => {
    const lost = new TypeError('lost');
    const { read, calls } = failing(lost, refusal(503));
    const { observer, end } = observe(read);
    await settled(observer);
    expect(observer.getCurrentResult().data).to.equal('answer');
    expect(calls()).to.equal(3);
    end();
    const three = failing(lost, lost, lost);
    const other = observe(three.read);
    await settled(other.observer);
    expect(other.observer.getCurrentResult().error).to.equal(lost);
    expect(three.calls()).to.equal(3);
    other.end();
  });

  for (const status of [403, 404, 409, 422]) {
    it(`takes a refusal with ${status} as the answer`, async () => {
      const { read, calls } = failing(refusal(status));
      const { observer, end } = observe(read);
      await settled(observer);
      expect(observer.getCurrentResult().status).to.equal('error');
      expect(calls()).to.equal(1);
      end();
    });
  }

  it('reads nothing while the browser is offline, and goes on by itself', async () => {
    onlineManager.setOnline(false);
    try {
      const { read, calls } = failing();
      const { observer, end } = observe(read);
      await nextTurn();
      expect([observer.getCurrentResult().fetchStatus, calls()]).to.deep.equal(['paused', 0]);
      onlineManager.setOnline(true);
      await nextTurn();
      await settled(observer);
      expect(observer.getCurrentResult().data).to.equal('answer');
      end();
    } finally {
      onlineManager.setOnline(true);
    }
  });

  it('aborts the request when nothing shows the data any more', async () => {
    let signal: AbortSignal | undefined;
    const client = new QueryClient();
    const options = dataOptions(api, ['key'], async (_, given) => {
      signal = given;
      return new Promise<string>(() => undefined);
    });
    const stop = new QueryObserver(client, options).subscribe(() => undefined);
    await nextTurn();
    stop();
    expect(signal?.aborted).to.equal(true);
    client.clear();
  });

  it('reads again every 10 seconds while the panel cannot be reached, and not after a refusal', async () => {
    const intervals: unknown[] = [];
    for (const error of [new TypeError('lost'), refusal(503), refusal(404)]) {
      const { observer, client, end } = observe(failing(error, error, error).read);
      await settled(observer);
      const query = client.getQueryCache().find({ queryKey: ['key'] });
      const { refetchInterval } = observer.options;
      intervals.push(typeof refetchInterval === 'function' && query ? refetchInterval(query as never) : null);
      end();
    }
    expect(intervals).to.deep.equal([10_000, 10_000, false]);
  });

  it('reads a list again while one of its items is in progress', () => {
    const every = whileAny(({ isBusy }: { isBusy: boolean }) => isBusy, 500);
    expect(every({ data: [{ isBusy: false }, { isBusy: true }] })).to.equal(500);
    expect(every({ data: [{ isBusy: false }] })).to.equal(false);
  });
});

describe('the key of a creation', () => {
  async function keysOf(...ends: readonly (Error | null)[]): Promise<string[]> {
    const creation = new CreationKey();
    const keys: string[] = [];
    for (const end of ends) {
      const create = async (key: string): Promise<void> => {
        keys.push(key);
        if (end) throw end;
      };
      await creation.use(create).catch((error: unknown) => expect(error).to.equal(end));
    }
    return keys;
  }

  for (const end of [new TypeError('lost'), refusal(500), refusal(503), refusal(401), refusal(429)]) {
    it(`stays the same after ${end instanceof ApiError ? end.status : 'a lost connection'}`, async () => {
      const [first, second] = await keysOf(end, null);
      expect(second).to.equal(first);
    });
  }

  for (const end of [null, refusal(409), refusal(422)]) {
    it(`makes a new key after ${end ? end.status : 'success'}`, async () => {
      const [first, second] = await keysOf(end, null);
      expect(second).not.to.equal(first);
    });
  }
});
