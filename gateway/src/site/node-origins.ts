import type { NodeServiceService } from '@panel/protos/servers';
import type { Client } from '@panel/rpc';

const maxAgeMs = 5_000;
/** Bounds the delay of a page. */
const timeoutMs = 1_000;
const perPage = 100;
/** Proxies bound headers. Omitted origins go through the gateway. */
const maxLength = 2_000;

type NodesClient = Pick<Client<typeof NodeServiceService>, 'listNodes'>;

/** At most 5 s old; the last ones stay on failure. */
export class NodeOrigins {
  readonly #client: NodesClient;
  #latest: readonly string[] = [];
  #readAt = -Infinity;
  #reading: Promise<void> | null = null;

  constructor(client: NodesClient) {
    this.#client = client;
  }

  /** Sorted, like https://node1.example.com:2443. Never rejects. */
  async read(): Promise<readonly string[]> {
    if (performance.now() - this.#readAt >= maxAgeMs) {
      this.#reading ??= this.#readNow().finally(() => {
        this.#readAt = performance.now();
        this.#reading = null;
      });
      // The console then uses the gateway.
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

/** Null: no web URL. Origins contain no CSP metacharacters. */
function originOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { origin, protocol } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? origin : null;
}
