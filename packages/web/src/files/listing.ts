import { useQueries, type UseQueryOptions } from '@tanstack/react-query';
import type { FileEntry } from '@panel/client';
import type { Api } from '../api/api.js';
import { useApi } from '../api/context.js';

const perPage = 100;

export interface Listing {
  readonly total: number;
  readonly entryAt: (index: number) => FileEntry | undefined;
  readonly isLoading: boolean;
  readonly error: unknown;
  readonly retry: () => void;
  readonly isTruncated: boolean;
}

/** Reads visible pages only. */
export function useListing(serverId: string, directory: string, search: string, from: number, to: number): Listing {
  const pages = pagesBetween(from, to);
  const results = useQueries({ queries: pageQueries(useApi(), { serverId, directory, search }, pages) });
  return listingOf(pages, results);
}

export function pagesBetween(from: number, to: number): readonly number[] {
  const first = Math.floor(from / perPage) + 1;
  const last = Math.max(first, Math.floor(Math.max(0, to - 1) / perPage) + 1);
  return [...new Set([1, ...Array.from({ length: last - first + 1 }, (_, index) => first + index)])];
}

interface Found {
  readonly serverId: string;
  readonly directory: string;
  readonly search: string;
}

async function readPage(api: Pick<Api, 'call'>, { serverId, directory, search }: Found, page: number) {
  return api.call(async (client) =>
    client.get('/servers/{id}/files/list', {
      params: { id: serverId },
      query: { directory, page, per_page: perPage, ...(search === '' ? {} : { search }) },
    }),
  );
}

type FilePage = Awaited<ReturnType<typeof readPage>>;

export function pageQueries(
  api: Pick<Api, 'call'>,
  found: Found,
  pages: readonly number[],
): UseQueryOptions<FilePage>[] {
  return pages.map((page) => ({
    queryKey: ['files', found.serverId, found.directory, found.search, page],
    queryFn: async () => readPage(api, found, page),
    retry: false,
    staleTime: 15_000,
  }));
}

interface PageResult {
  readonly data: FilePage | undefined;
  readonly error: unknown;
  readonly refetch: () => Promise<unknown>;
}

export function listingOf(pages: readonly number[], results: readonly PageResult[]): Listing {
  const byPage = new Map(pages.map((page, index) => [page, results[index]?.data]));
  const head = byPage.get(1);
  return {
    total: head?.meta.total ?? 0,
    entryAt: (index) => byPage.get(Math.floor(index / perPage) + 1)?.data[index % perPage],
    isLoading: head === undefined && results[0]?.error === null,
    error: results.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      for (const { error, refetch } of results) if (error !== null) void refetch();
    },
    isTruncated: head?.meta.truncated === true,
  };
}
