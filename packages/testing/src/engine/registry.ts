import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { RegistryLogin, type RegistryLoginOptions } from './registry-login.js';

const list = 'application/vnd.docker.distribution.manifest.list.v2+json';
const manifest = 'application/vnd.docker.distribution.manifest.v2+json';
const layer = Buffer.alloc(1_024);

interface Content {
  readonly type: string;
  readonly body: Buffer;
}

/** A registry (API version 2) on 127.0.0.1, which engines use without TLS. Its images have an empty layer. */
export class Registry {
  /** Of all requests. */
  readonly authorizations: string[] = [];
  /** Who has got manifests, in order. */
  readonly readers: string[] = [];
  /** Before each manifest, with the name of its reader. */
  beforeManifest: (username: string) => Promise<void> = async () => undefined;
  readonly #contents = new Map<string, Content>();
  readonly #tags = new Map<string, string>();
  readonly #login: RegistryLogin | null;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  private constructor(login?: RegistryLoginOptions) {
    this.#login = login ? new RegistryLogin(login) : null;
  }

  /** Without `login` everybody is let in. */
  static async start(login?: RegistryLoginOptions): Promise<Registry> {
    const registry = new Registry(login);
    registry.#server.listen(0, '127.0.0.1');
    await once(registry.#server, 'listening');
    return registry;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** A manifest list of these architectures. Returns the image's name. */
  publish(repository: string, architectures: readonly string[]): string {
    const manifests = architectures.map((architecture) => {
      const { digest, size } = this.#image(architecture);
      return { mediaType: manifest, digest, size, platform: { os: 'linux', architecture } };
    });
    const body = { schemaVersion: 2, mediaType: list, manifests };
    this.#tags.set(`${repository}:1`, this.#keep(list, Buffer.from(JSON.stringify(body))).digest);
    return `${this.address}/${repository}:1`;
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #image(architecture: string): { digest: string; size: number } {
    const packed = this.#keep('application/vnd.docker.image.rootfs.diff.tar.gzip', gzipSync(layer));
    const rootfs = { type: 'layers', diff_ids: [digestOf(layer)] };
    const facts = { architecture, os: 'linux', config: { Cmd: ['none'] }, rootfs };
    const config = this.#keep('application/vnd.docker.container.image.v1+json', Buffer.from(JSON.stringify(facts)));
    const body = { schemaVersion: 2, mediaType: manifest, config, layers: [packed] };
    return this.#keep(manifest, Buffer.from(JSON.stringify(body)));
  }

  #keep(type: string, body: Buffer): { mediaType: string; digest: string; size: number } {
    const digest = digestOf(body);
    this.#contents.set(digest, { type, body });
    return { mediaType: type, digest, size: body.length };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '', headers } = request;
    if (headers.authorization !== undefined) this.authorizations.push(headers.authorization);
    if (url.startsWith('/token') && this.#login) return this.#login.answerToken(request, response);
    response.setHeader('Docker-Distribution-Api-Version', 'registry/2.0');
    const [, repository = '', kind = '', name = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/(.+)$/.exec(url) ?? [];
    const reader = this.#login?.accountFor(request, repository);
    if (this.#login && !reader) return this.#login.refuse(request, this.address, repository, response);
    if (url === '/v2/') return void response.end('{}');
    const digest = this.#tags.get(`${repository}:${name}`) ?? name;
    const content = this.#contents.get(digest);
    if (!content) return void response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}');
    if (kind === 'manifests') {
      await this.beforeManifest(reader?.username ?? '');
      this.readers.push(reader?.username ?? '');
    }
    const { type, body } = content;
    const found = { 'Content-Type': type, 'Content-Length': body.length, 'Docker-Content-Digest': digest };
    response.writeHead(200, found).end(method === 'HEAD' ? undefined : body);
  }
}

function digestOf(body: Buffer): string {
  return `sha256:${createHash('sha256').update(body).digest('hex')}`;
}
