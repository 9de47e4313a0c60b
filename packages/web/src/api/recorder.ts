import type { PanelClient } from '@panel/client';
import { isTooLargeForProxy, withRequestSize } from './errors.js';

type RecordedMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

type QueryValue = string | number | boolean | undefined;

export interface RecordedCall {
  readonly id: number;
  readonly method: RecordedMethod;
  /** As in the API reference, with id names in braces. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, QueryValue>>;
  readonly body: unknown;
  readonly at: number;
}

interface GivenOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly body?: unknown;
  readonly bytes?: string | Uint8Array;
}

const retainedCalls = 50;

export class CallLog {
  #calls: readonly RecordedCall[] = [];
  #nextId = 1;

  /** Newest first. */
  get calls(): readonly RecordedCall[] {
    return this.#calls;
  }

  /** The same client, recorded; what a proxy refuses as too large fails with its size. */
  record(client: PanelClient): PanelClient {
    const wrap = <T extends 'get' | 'post' | 'put' | 'delete'>(name: T): PanelClient[T] => {
      const send = client[name] as unknown as (path: string, options?: GivenOptions) => Promise<unknown>;
      const method = name.toUpperCase() as RecordedMethod;
      const recorded = async (path: string, options: GivenOptions = {}): Promise<unknown> => {
        this.#add(method, path, options);
        try {
          return await send(path, options);
        } catch (error) {
          throw isTooLargeForProxy(error) ? withRequestSize(error, sizeOf(options)) : error;
        }
      };
      return recorded as unknown as PanelClient[T];
    };
    return { ...client, get: wrap('get'), post: wrap('post'), put: wrap('put'), delete: wrap('delete') };
  }

  #add(method: RecordedMethod, path: string, { params = {}, query = {}, body }: GivenOptions): void {
    const call = { id: this.#nextId++, method, path, params, query, body, at: Date.now() };
    this.#calls = [call, ...this.#calls.slice(0, retainedCalls - 1)];
  }
}

function sizeOf({ body, bytes = JSON.stringify(body) ?? '' }: GivenOptions): number {
  return typeof bytes === 'string' ? new TextEncoder().encode(bytes).length : bytes.length;
}
