import type { NodeServiceService } from '@panel/protos/servers';
import type { Client } from '@panel/rpc';

/** Origins older than this are read again. */
const maxAgeMs = 5_000;
/** A page does not wait longer for them. */
const timeoutMs = 1_000;
const perPage = 100;
/** Proxies take a few kilobytes of headers. Omitted origins are reached through the gateway. */
const maxLength = 2_000;

type NodesClient = Pick<Client<typeof NodeServiceService>, 'listNodes'>;

/** Where pages may send files straight to a node. Read at most every five seconds; while that fails the last ones stay. */
export class NodeOrigins {
  readonly #client: NodesClient;
  #latest: readonly string[] = [];
  #readAt = -Infinity;
  #reading: Promise<void> | null = null;

  constructor(client: NodesClient) {
    this.#client = client;
  }

  /** Origins like https://node1.example.com:2443, sorted. Never fails. */
  async read(): Promise<readonly string[]> {
    if (performance.now() - this.#readAt >= maxAgeMs) {
      this.#reading ??= this.#readNow().finally(() => {
        this.#readAt = performance.now();
        this.#reading = null;
      });
      // The console works without them, by way of the gateway.
      await this.#reading.catch(() => undefined);
    }
    return this.#latest;
  }

  async #readNow(): Promise<void> {
    const found = new Set<string>();
    for (let page = 1, total = Infinity; (page - 1) * perPage < total; page++) {
      const answer = await this.#client.listNodes({ page: { page, perPage, sort: [], search: '' } }, { timeoutMs });
      for (const { publicUrl } of answer.nodes) {
        const origin = originOf(publicUrl);
        if (origin !== null) found.add(origin);
      }
      total = answer.page?.total ?? 0;
    }
    const sorted = [...found].sort((a, b) => a.localeCompare(b));
    let length = 0;
    this.#latest = sorted.filter((origin) => (length += origin.length + 1) <= maxLength);
  }
}

/** Null where it is no address of the web. An origin holds no character that a policy gives a meaning. */
function originOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { origin, protocol } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? origin : null;
}
