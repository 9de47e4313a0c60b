import type { BrowserSession } from '../api/session.js';
import { nameOf, parentOf } from './paths.js';
import { PieceSize } from './piece-size.js';
import { rateLimitPauseMs, resumableBytes, ResumableUpload } from './resumable-upload.js';
import { Sender } from './sender.js';

export interface Upload {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly sent: number;
  readonly state: 'waiting' | 'sending' | 'done' | 'failed';
  readonly error: unknown;
}

interface Job {
  readonly path: string;
  readonly body: Blob;
  /** Runs after the upload. */
  readonly after?: () => Promise<void>;
  /** Set once begun, to resume. */
  resumable?: ResumableUpload;
}

export type UploadSender = Pick<Sender, 'send' | 'wait' | 'whenOnline' | 'abort'>;

type EndListener = (upload: Upload) => void;

/** Sequential. Continues across pages; failures can be retried. */
export class UploadQueue {
  readonly #serverId: string;
  readonly #createSender: () => UploadSender;
  readonly #jobs = new Map<number, Job>();
  /** What is known of a proxy before the panel. */
  readonly pieces = new PieceSize();
  readonly #listeners = new Set<() => void>();
  #onEnd: EndListener = () => undefined;
  #uploads: readonly Upload[] = [];
  #nextId = 1;
  #current: { readonly id: number; readonly sender: UploadSender } | null = null;

  constructor(serverId: string, createSender: () => UploadSender) {
    this.#serverId = serverId;
    this.#createSender = createSender;
  }

  get uploads(): readonly Upload[] {
    return this.#uploads;
  }

  get isBusy(): boolean {
    return this.#current !== null;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Replaces the earlier listener. */
  onEnd(listener: EndListener): void {
    this.#onEnd = listener;
  }

  add(name: string, job: Job): void {
    const id = this.#nextId++;
    this.#jobs.set(id, job);
    this.#set([
      ...this.#uploads,
      { id, name, path: job.path, size: job.body.size, sent: 0, state: 'waiting', error: null },
    ]);
    void this.#run();
  }

  retry(id: number): void {
    this.#change(id, { state: 'waiting', error: null });
    void this.#run();
  }

  remove(id: number): void {
    const { resumable } = this.#jobs.get(id) ?? {};
    this.#jobs.delete(id);
    this.#set(this.#uploads.filter((one) => one.id !== id));
    if (this.#current?.id === id) this.#current.sender.abort();
    // Remains without an answer expire.
    void resumable?.end(this.#createSender()).catch(() => undefined);
  }

  clear(): void {
    this.#jobs.clear();
    this.#set([]);
    this.#current?.sender.abort();
  }

  async #run(): Promise<void> {
    if (this.#current) return;
    const next = this.#uploads.find(({ state }) => state === 'waiting');
    const job = next && this.#jobs.get(next.id);
    if (!next || !job) return;
    const sender = this.#createSender();
    this.#current = { id: next.id, sender };
    try {
      await this.#sendPatiently(next.id, job, sender);
      await job.after?.();
      this.#jobs.delete(next.id);
      this.#change(next.id, { state: 'done', sent: next.size });
    } catch (error) {
      this.#change(next.id, { state: 'failed', error });
    }
    this.#current = null;
    const ended = this.#uploads.find(({ id }) => id === next.id);
    if (ended) this.#onEnd(ended);
    void this.#run();
  }

  async #sendPatiently(id: number, job: Job, sender: UploadSender): Promise<void> {
    for (let mayWait = true; ; mayWait = false) {
      this.#change(id, { state: 'sending' });
      try {
        await this.#send(id, job, sender);
        return;
      } catch (error) {
        const pauseMs = rateLimitPauseMs(error);
        if (!mayWait || pauseMs === 0) throw error;
        this.#change(id, { state: 'waiting' });
        await sender.wait(pauseMs);
      }
    }
  }

  async #send(id: number, job: Job, sender: UploadSender): Promise<void> {
    const { path, body } = job;
    const onProgress = (sent: number): void => this.#change(id, { sent });
    if (body.size < resumableBytes && !job.resumable) {
      const url = `/api/v1/servers/${this.#serverId}/files/write?path=${encodeURIComponent(path)}`;
      const headers = { 'content-type': 'application/octet-stream' };
      const request = { method: 'PUT', url, headers, body, onProgress } as const;
      if (await this.pieces.sendWhole(body.size, async () => sender.send(request))) return;
    }
    const place = { serverId: this.#serverId, directory: parentOf(path), name: nameOf(path) };
    job.resumable ??= new ResumableUpload(place, body, this.pieces);
    await job.resumable.send(sender, onProgress);
  }

  #change(id: number, change: Partial<Upload>): void {
    this.#set(this.#uploads.map((upload) => (upload.id === id ? { ...upload, ...change } : upload)));
  }

  #set(uploads: readonly Upload[]): void {
    this.#uploads = uploads;
    for (const listener of this.#listeners) listener();
  }
}

const queues = new Map<string, UploadQueue>();

/** Per server. Survives page changes, ends at sign-out. */
export function uploadsOf(session: BrowserSession, serverId: string): UploadQueue {
  const known = queues.get(serverId);
  if (known) return known;
  if (queues.size === 0) endWithSignIn(session);
  const queue = new UploadQueue(serverId, () => new Sender(session));
  queues.set(serverId, queue);
  return queue;
}

function endWithSignIn(session: BrowserSession): void {
  const warn = (event: BeforeUnloadEvent): void => {
    if ([...queues.values()].some(({ isBusy }) => isBusy)) event.preventDefault();
  };
  addEventListener('beforeunload', warn);
  session.onSignOut(() => {
    for (const queue of queues.values()) queue.clear();
    queues.clear();
    removeEventListener('beforeunload', warn);
  });
}
