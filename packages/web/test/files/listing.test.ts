import { QueriesObserver, QueryClient, type QueryObserverOptions } from '@tanstack/react-query';
import { expect } from 'chai';
import { ApiError, type FileEntry, type PanelClient } from '@panel/client';
import type { Api } from '../../src/api/api.js';
import { type Listing, listingOf, pageQueries, pagesBetween } from '../../src/files/listing.js';

interface Asked {
  readonly directory: string;
  readonly page: number;
  readonly search?: string;
}

const total = 250;
const found = { serverId: 'server', directory: '/', search: '' };

/** `file-0` to `file-249`. */
function directory() {
  const asked: Asked[] = [];
  const failures = new Map<number, ApiError>();
  const get = async (_: string, { query }: { readonly query: Asked }) => {
    asked.push(query);
    const failure = failures.get(query.page);
    if (failure) throw failure;
    const first = (query.page - 1) * 100;
    const count = Math.min(100, total - first);
    const data = Array.from({ length: count }, (_unused, index) => ({ name: `file-${first + index}` }) as FileEntry);
    return { data, meta: { total, truncated: false } };
  };
  const api: Pick<Api, 'call'> = { call: async (use) => use({ get } as unknown as PanelClient) };
  return { api, asked, failures };
}

const nextTurn = async (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

function observe(api: Pick<Api, 'call'>, from: number, to: number, what = found) {
  const client = new QueryClient();
  const queries = (first: number, last: number) =>
    pageQueries(api, what, pagesBetween(first, last)) as unknown as QueryObserverOptions[];
  const observer = new QueriesObserver(client, queries(from, to));
  const stop = observer.subscribe(() => undefined);
  const show = (first: number, last: number): void => observer.setQueries(queries(first, last));
  const read = (first: number, last: number): Listing =>
    listingOf(pagesBetween(first, last), observer.getCurrentResult() as Parameters<typeof listingOf>[1]);
  const end = (): void => {
    stop();
    client.clear();
  };
  return { show, read, end };
}

describe('the listing of a directory', () => {
  it('reads the pages that are seen, and the first one', () => {
    expect(pagesBetween(0, 40)).to.deep.equal([1]);
    expect(pagesBetween(90, 110)).to.deep.equal([1, 2]);
    expect(pagesBetween(100, 200)).to.deep.equal([1, 2]);
    expect(pagesBetween(420, 460)).to.deep.equal([1, 5]);
    expect(pagesBetween(0, 0)).to.deep.equal([1]);
  });

  it('loads until the first page is there, and knows entries of the pages it has', async () => {
    const { api } = directory();
    const { read, end } = observe(api, 0, 40);
    expect(read(0, 40)).to.include({ isLoading: true, total: 0, error: null });
    await nextTurn();
    const listing = read(0, 40);
    expect(listing).to.include({ isLoading: false, total: 250 });
    expect(listing.entryAt(99)?.name).to.equal('file-99');
    expect(listing.entryAt(100)).to.equal(undefined);
    end();
  });

  it('reads a page once when the list is scrolled back and forth', async () => {
    const { api, asked } = directory();
    const { show, read, end } = observe(api, 0, 40);
    await nextTurn();
    show(180, 220);
    await nextTurn();
    expect(read(180, 220).entryAt(210)?.name).to.equal('file-210');
    show(0, 40);
    show(180, 220);
    await nextTurn();
    expect(asked.map(({ page }) => page)).to.deep.equal([1, 2, 3]);
    end();
  });

  it('keeps what it has when another page fails, says the error, and reads only that page again', async () => {
    const { api, asked, failures } = directory();
    failures.set(2, ApiError.from(new Response(null, { status: 503 }), {}));
    const { read, end } = observe(api, 100, 140);
    await nextTurn();
    expect(read(100, 140).error).to.equal(failures.get(2));
    expect(read(100, 140)).to.include({ isLoading: false, total: 250 });
    failures.clear();
    read(100, 140).retry();
    await nextTurn();
    expect(read(100, 140).error).to.equal(null);
    expect(read(100, 140).entryAt(120)?.name).to.equal('file-120');
    expect(asked.map(({ page }) => page)).to.deep.equal([1, 2, 2]);
    end();
  });

  it('stops loading when the first page fails', async () => {
    const { api, failures } = directory();
    failures.set(1, ApiError.from(new Response(null, { status: 404 }), {}));
    const { read, end } = observe(api, 0, 40);
    await nextTurn();
    expect(read(0, 40)).to.include({ isLoading: false, total: 0, error: failures.get(1) });
    end();
  });

  it('asks for a search, and for none where the text is empty', async () => {
    const { api, asked } = directory();
    const one = observe(api, 0, 40, { ...found, search: 'world' });
    const other = observe(api, 0, 40);
    await nextTurn();
    expect(asked.map(({ search }) => search)).to.deep.equal(['world', undefined]);
    one.end();
    other.end();
  });
});
