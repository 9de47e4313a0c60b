import { ApiError, isTooLargeForProxy } from '../api/errors.js';
import { joinPath } from './paths.js';
import { PieceSize } from './piece-size.js';
import type { Answer, Sender } from './sender.js';

/** Smaller files need one request instead of two. */
export const resumableBytes = 8 * 1024 ** 2;
/** Then the upload fails and keeps its progress. */
const maxTries = 5;
/** The panel accepts ten uploads a minute, and small pieces are many requests. */
const maxRateLimitWaitMs = 65_000;

interface Place {
  readonly serverId: string;
  readonly directory: string;
  readonly name: string;
  /** SHA-256 of the only version that it may replace. */
  readonly ifMatch?: string;
}

/** Stored in the browser to resume after a reload. */
interface Remembered {
  readonly id: string;
  readonly size: number;
  readonly changedAt: number;
}

type Memory = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

export interface UnfinishedUpload extends Remembered {
  readonly path: string;
}

const prefixOf = (serverId: string): string => `panel-upload-${serverId}-`;

export function unfinishedUploads(serverId: string, memory: Storage = localStorage): UnfinishedUpload[] {
  const prefix = prefixOf(serverId);
  return Object.keys(memory)
    .filter((key) => key.startsWith(prefix))
    .map((key) => ({
      path: key.slice(prefix.length),
      ...(JSON.parse(memory.getItem(key) ?? '{}') as Remembered),
    }));
}

export function forgetUpload(serverId: string, path: string, memory: Memory = localStorage): void {
  memory.removeItem(prefixOf(serverId) + path);
}
export type PieceSender = Pick<Sender, 'send' | 'wait' | 'whenOnline'>;

/**
 * By tus, also across a reload. Direct to the server's node where that is public and reachable, else through the panel.
 */
export class ResumableUpload {
  readonly #place: Place;
  readonly #body: Blob;
  readonly #pieces: PieceSize;
  readonly #memory: Memory;
  #address: string | null = null;
  #throughPanel = '';

  /** `pieces`: what is known of a proxy on the way. */
  constructor(place: Place, body: Blob, pieces = new PieceSize(), memory: Memory = localStorage) {
    this.#place = place;
    this.#body = body;
    this.#pieces = pieces;
    this.#memory = memory;
  }

  /** Throws ApiError, TypeError without an answer, and AbortError. */
  async send(sender: PieceSender, onProgress: (sent: number) => void): Promise<void> {
    let offset = this.#address === null ? await this.#begin(sender) : await this.#arrived(sender);
    for (let tries = 1; offset < this.#body.size;) {
      onProgress(offset);
      try {
        offset = await this.#sendPiece(sender, offset, onProgress);
        tries = 1;
      } catch (error) {
        if (isTooLargeForProxy(error) && this.#pieces.shrink(this.#pieceAt(offset).size)) continue;
        const pauseMs = rateLimitPauseMs(error);
        if (pauseMs > 0) {
          await sender.wait(pauseMs);
          continue;
        }
        if (!mayTryAgain(error) || tries >= maxTries) throw error;
        await sender.whenOnline();
        await sender.wait(250 * 2 ** tries);
        tries += 1;
        // The panel reaches nodes that pages cannot.
        if (tries > 2) this.#address = this.#throughPanel;
        const before = offset;
        offset = await this.#arrived(sender).catch(() => before);
        if (offset > before) tries = 1;
      }
    }
    this.#forget();
  }

  async end(sender: PieceSender): Promise<void> {
    this.#forget();
    if (this.#address !== null) await sender.send({ method: 'DELETE', url: this.#throughPanel, headers: tus });
  }

  async #begin(sender: PieceSender): Promise<number> {
    const remembered = this.#remembered();
    if (remembered) {
      this.#throughPanel = `${this.#uploads}/${remembered.id}?overwrite=true`;
      this.#address = this.#throughPanel;
      try {
        return await this.#arrived(sender);
      } catch (error) {
        // Expired, finished or removed elsewhere.
        if (!(error instanceof ApiError) || error.status >= 500 || error.status === 429) throw error;
        this.#forget();
      }
    }
    const { directory, name, ifMatch } = this.#place;
    const answer = await sender.send({
      method: 'POST',
      url: `${this.#uploads}?overwrite=true&directory=${encodeURIComponent(directory)}`,
      headers: {
        ...tus,
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        'upload-length': String(this.#body.size),
        'upload-metadata': `filename ${base64(name)}`,
      },
    });
    const address = answer.header('location');
    if (address === null) throw new TypeError('the upload has no address');
    const { id } = (answer.body as { data: { id: string } }).data;
    this.#throughPanel = `${this.#uploads}/${id}?overwrite=true`;
    this.#address = address;
    this.#remember(id);
    return 0;
  }

  get #uploads(): string {
    return `/api/v1/servers/${this.#place.serverId}/files/uploads`;
  }

  get #key(): string {
    const { serverId, directory, name } = this.#place;
    return prefixOf(serverId) + joinPath(directory, name);
  }

  /** Null for a body not on disk. */
  get #changedAt(): number | null {
    return this.#body instanceof File ? this.#body.lastModified : null;
  }

  #remember(id: string): void {
    if (this.#changedAt === null) return;
    const remembered: Remembered = { id, size: this.#body.size, changedAt: this.#changedAt };
    this.#memory.setItem(this.#key, JSON.stringify(remembered));
  }

  #forget(): void {
    this.#memory.removeItem(this.#key);
  }

  #remembered(): Remembered | null {
    const { id, size, changedAt } = JSON.parse(this.#memory.getItem(this.#key) ?? '{}') as Partial<Remembered>;
    const isSame = size === this.#body.size && changedAt === this.#changedAt && changedAt !== null;
    return id !== undefined && isSame ? { id, size, changedAt } : null;
  }

  async #arrived(sender: PieceSender): Promise<number> {
    return offsetOf(await sender.send({ method: 'HEAD', url: this.#address ?? '', headers: tus }));
  }

  #pieceAt(offset: number): Blob {
    return this.#body.slice(offset, offset + this.#pieces.bytes);
  }

  async #sendPiece(sender: PieceSender, offset: number, onProgress: (sent: number) => void): Promise<number> {
    const answer = await sender.send({
      method: 'PATCH',
      url: this.#address ?? '',
      headers: { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) },
      body: this.#pieceAt(offset),
      onProgress: (sent) => onProgress(offset + sent),
    });
    return offsetOf(answer);
  }
}

const tus = { 'tus-resumable': '1.0.0' };
/** The panel or its proxy restarts, or more has arrived than acknowledged. */
const passingStatuses = new Set([409, 500, 502, 503, 504]);

function mayTryAgain(error: unknown): boolean {
  if (!(error instanceof ApiError)) return error instanceof TypeError;
  return passingStatuses.has(error.status) && error.details['reason'] !== 'file_changed';
}

/** 0: it is no exhausted limit, or one of more than a minute. */
export function rateLimitPauseMs(error: unknown): number {
  const pauseMs = error instanceof ApiError && error.status === 429 ? error.retryAfterSeconds * 1000 : 0;
  return pauseMs > maxRateLimitWaitMs ? 0 : pauseMs;
}

function offsetOf(answer: Answer): number {
  const offset = Number(answer.header('upload-offset') ?? NaN);
  if (Number.isNaN(offset)) throw new TypeError('the answer says not how much has arrived');
  return offset;
}

function base64(text: string): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
}
