import { LRUCache } from 'lru-cache';
import type { CallOptions } from '@panel/rpc';
import type { ListServersRequest, ListServersResponse } from '@panel/protos/servers';
import type { Services } from '../../services.js';
import type { ServerText, ServerTexts } from './server-texts.js';

/** Digest and texts of one page. */
interface RetainedPage {
  readonly digest: string;
  readonly texts: readonly ServerText[];
}

interface ServerPage {
  readonly texts: readonly ServerText[];
  readonly page: ListServersResponse['page'];
}

/** Texts count as if no other page shared them: about 350 pages of 25 servers. */
const maxRetainedBytes = 16 * 1024 * 1024;
const maxRetainedPages = 5_000;
/** Per text and per page, beside their bytes. */
const overheadBytes = 300;

/**
 * Retains the last page by user and request. Each read names the digest of the retained page; the service compares it with
 * the page in the database and leaves out equal servers.
 */
export class ServerPages {
  readonly #retained = new LRUCache<string, RetainedPage>({
    max: maxRetainedPages,
    maxSize: maxRetainedBytes,
    sizeCalculation: sizeOf,
  });

  constructor(private readonly texts: ServerTexts) {}

  /** Of a `sharesVariables` request of this user. */
  async read(
    { servers }: Pick<Services, 'servers'>,
    request: ListServersRequest,
    userId: string,
    rpc: CallOptions,
  ): Promise<ServerPage> {
    const key = `${userId} ${JSON.stringify(request)}`;
    const retained = this.#retained.get(key);
    const answer = await servers.listServers({ ...request, knownDigest: retained?.digest }, rpc);
    const { digest, page } = answer;
    // A concurrent read may have replaced the page that this one has named.
    if (retained && retained.digest === digest) return { texts: retained.texts, page };
    const texts = this.texts.readList(answer);
    if (digest !== undefined) this.#retained.set(key, { digest, texts });
    return { texts, page };
  }
}

function sizeOf({ texts }: RetainedPage, key: string): number {
  const bytes = texts.reduce((sum, { json }) => sum + json.length + overheadBytes, 0);
  return bytes + key.length + overheadBytes;
}
