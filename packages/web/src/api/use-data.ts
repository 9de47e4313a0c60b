import {
  keepPreviousData,
  type QueryKey,
  useMutation,
  type UseMutationResult,
  useQuery,
  useQueryClient,
  type UseQueryOptions,
  type UseQueryResult,
} from '@tanstack/react-query';
import { ApiError, type PageMeta, type PanelClient } from '@panel/client';
import { useState } from 'react';
import type { Api } from './api.js';
import { useApi } from './context.js';

/** One page of a list. */
export interface Listed<T> {
  readonly data: readonly T[];
  readonly meta: PageMeta;
}

interface DataOptions<T> {
  readonly enabled?: boolean;
  readonly staleTime?: number;
  /** Read again this often while the tab is seen; a function says it by what was read last. */
  readonly every?: number | ((data: T) => number | false);
  /** Show what was there until the new answer has come, when the key changes. */
  readonly keepsPrevious?: boolean;
}

const reconnectMs = 10_000;
const progressMs = 10_000;

/** For `every`: read a list again while one of its items is in progress. */
export function whileAny<T>(
  isInProgress: (item: T) => boolean,
  ms = progressMs,
): (list: { readonly data: readonly T[] }) => number | false {
  return ({ data }) => data.some(isInProgress) && ms;
}

/** The panel, or the service behind it, could not be reached: what failed like that is tried again by itself. */
function isWithoutAnswer(error: Error | null): boolean {
  return error !== null && !(error instanceof ApiError && error.status < 502);
}

/** Read something while the component is there. */
export function useData<T>(
  key: QueryKey,
  read: (client: PanelClient, signal: AbortSignal) => Promise<T>,
  options: DataOptions<T> = {},
): UseQueryResult<T> {
  return useQuery(dataOptions(useApi(), key, read, options));
}

/** How something is read. Answers of the panel are not asked for again; requests that got no answer are, twice. */
export function dataOptions<T>(
  api: Pick<Api, 'call'>,
  key: QueryKey,
  read: (client: PanelClient, signal: AbortSignal) => Promise<T>,
  options: DataOptions<T> = {},
): UseQueryOptions<T> {
  return {
    queryKey: key,
    queryFn: async ({ signal }) => api.call(async (client) => read(client, signal)),
    retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status < 500),
    refetchIntervalInBackground: false,
    ...(options.enabled === undefined ? {} : { enabled: options.enabled }),
    ...(options.staleTime === undefined ? {} : { staleTime: options.staleTime }),
    refetchInterval: ({ state: { data, error } }) => {
      if (isWithoutAnswer(error)) return reconnectMs;
      if (typeof options.every !== 'function') return options.every ?? false;
      return data === undefined ? false : options.every(data);
    },
    ...(options.keepsPrevious ? { placeholderData: keepPreviousData } : {}),
  };
}

/** Change something, then read again what is under `stale`. */
export function useChange<Input, Output>(
  change: (client: PanelClient, input: Input) => Promise<Output>,
  stale: readonly QueryKey[] = [],
): UseMutationResult<Output, Error, Input> {
  const api = useApi();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (input: Input) => api.call(async (client) => change(client, input)),
    onSuccess: async () => {
      await Promise.all(stale.map(async (queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
}

/**
 * The idempotency key of a creation. It stays the same until the panel has answered: what is sent again after a lost
 * connection creates nothing twice, and what was refused can be sent again with changes.
 */
export class CreationKey {
  #key: string | null = null;

  async use<T>(create: (key: string) => Promise<T>): Promise<T> {
    this.#key ??= newKey();
    try {
      const output = await create(this.#key);
      this.#key = null;
      return output;
    } catch (error) {
      // The same key is sent again when a token was renewed or a rate limit waited out.
      if (error instanceof ApiError && ![401, 429].includes(error.status) && error.status < 500) this.#key = null;
      throw error;
    }
  }
}

/** Create something; `create` gets an idempotency key. */
export function useCreate<Input, Output>(
  create: (client: PanelClient, input: Input, idempotencyKey: string) => Promise<Output>,
  stale: readonly QueryKey[] = [],
): UseMutationResult<Output, Error, Input> {
  const [creation] = useState(() => new CreationKey());
  return useChange(async (client, input: Input) => creation.use(async (key) => create(client, input, key)), stale);
}

/** A new key for each creation: a repetition of the same request creates nothing more. */
export function newKey(): string {
  return crypto.randomUUID();
}
