import { randomUUID } from 'node:crypto';
import { AppError } from '@panel/kit/errors';
import type { CreateDownloadLinkResponse, UseDownloadLinkResponse } from '@panel/protos/files';
import type { UserActor } from '@panel/rpc';

export class FakeDownloadLinks {
  readonly #unused = new Map<string, UseDownloadLinkResponse>();
  /** By claim. */
  readonly #used = new Map<string, UseDownloadLinkResponse>();

  create(path: string, isDirectory: boolean, { credentialId: value, method }: UserActor): CreateDownloadLinkResponse {
    const linkId = randomUUID();
    const name = path.slice(1);
    const $case = method === 'session' ? ('sessionId' as const) : ('apiKeyId' as const);
    this.#unused.set(linkId, { path, name, isDirectory, credential: { $case, value }, claim: randomUUID() });
    return { linkId, expireTime: new Date(), name, directPath: '' };
  }

  use(linkId: string): UseDownloadLinkResponse {
    const link = this.#unused.get(linkId);
    if (!link) throw new AppError('not_found', 'DOWNLOAD_LINK_INVALID', 'no such link');
    this.#unused.delete(linkId);
    this.#used.set(link.claim, link);
    return link;
  }

  release(linkId: string, claim: string): object {
    const link = this.#used.get(claim);
    if (link) this.#unused.set(linkId, link);
    return {};
  }
}
