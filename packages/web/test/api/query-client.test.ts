import { type QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect } from 'chai';
import { RereadingQueryClient } from '../../src/api/query-client.js';

/** A read that returns the value stored at its begin once `answer` is called. */
class SlowRead {
  stored = 'before';
  count = 0;
  readonly #waiting: (() => void)[] = [];

  readonly read = async (): Promise<string> => {
    const found = this.stored;
    this.count += 1;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return found;
  };

  answer(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

function observe(client: QueryClient, read: () => Promise<string>) {
  const observer = new QueryObserver(client, { queryKey: ['files', '1'], queryFn: read, staleTime: 60_000 });
  const stop = observer.subscribe(() => undefined);
  return { result: () => observer.getCurrentResult(), stop };
}

const nextTurn = async (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

describe('invalidating what was read', () => {
  let client: QueryClient;
  beforeEach(() => (client = new RereadingQueryClient()));
  afterEach(() => client.clear());

  it('repeats a first read in progress, which began before the change', async () => {
    const slow = new SlowRead();
    const { result, stop } = observe(client, slow.read);
    slow.stored = 'after';
    const invalidated = client.invalidateQueries({ queryKey: ['files'] });
    await nextTurn();
    expect([slow.count, result().status]).to.deep.equal([2, 'pending']);
    slow.answer();
    await invalidated;
    expect([result().data, result().error]).to.deep.equal(['after', null]);
    stop();
  });

  it('leaves other reads in progress alone, and all when nothing is to be read', async () => {
    const slow = new SlowRead();
    const { result, stop } = observe(client, slow.read);
    await client.invalidateQueries({ queryKey: ['backups'] });
    await client.invalidateQueries({ queryKey: ['files'], refetchType: 'none' });
    await client.invalidateQueries({ queryKey: ['files'], predicate: () => false });
    slow.answer();
    await nextTurn();
    expect([slow.count, result().data]).to.deep.equal([1, 'before']);
    stop();
  });
});
