import { ApiError } from '../net/errors.js';
import type { BrowserSession } from '../net/session.js';

export interface Upload {
  readonly id: number;
  readonly name: string;
  readonly size: number;
  readonly sent: number;
  readonly state: 'waiting' | 'sending' | 'done' | 'failed';
  readonly error: unknown;
}

interface Job {
  readonly path: string;
  readonly body: Blob;
  /** What is done with the file once it is there. */
  readonly after?: () => Promise<void>;
}

/** Uploads of one server, one after the other, with progress. What fails can be tried again. */
export class UploadQueue {
  readonly #session: BrowserSession;
  readonly #serverId: string;
  readonly #onDone: () => void;
  readonly #jobs = new Map<number, Job>();
  readonly #listeners = new Set<() => void>();
  #uploads: readonly Upload[] = [];
  #nextId = 1;
  #request: XMLHttpRequest | null = null;

  /** `onDone` is called after each upload. */
  constructor(session: BrowserSession, serverId: string, onDone: () => void) {
    this.#session = session;
    this.#serverId = serverId;
    this.#onDone = onDone;
  }

  get uploads(): readonly Upload[] {
    return this.#uploads;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  add(name: string, job: Job): void {
    const id = this.#nextId++;
    this.#jobs.set(id, job);
    this.#set([...this.#uploads, { id, name, size: job.body.size, sent: 0, state: 'waiting', error: null }]);
    void this.#run();
  }

  retry(id: number): void {
    this.#change(id, { state: 'waiting', sent: 0, error: null });
    void this.#run();
  }

  /** Abort an upload, or remove one that has ended. */
  remove(id: number): void {
    const upload = this.#uploads.find((one) => one.id === id);
    this.#jobs.delete(id);
    this.#set(this.#uploads.filter((one) => one.id !== id));
    if (upload?.state === 'sending') this.#request?.abort();
  }

  async #run(): Promise<void> {
    if (this.#request) return;
    const next = this.#uploads.find(({ state }) => state === 'waiting');
    const job = next && this.#jobs.get(next.id);
    if (!next || !job) return;
    this.#change(next.id, { state: 'sending' });
    try {
      await this.#send(next.id, job);
      await job.after?.();
      this.#change(next.id, { state: 'done', sent: next.size });
      this.#jobs.delete(next.id);
      this.#onDone();
    } catch (error) {
      this.#change(next.id, { state: 'failed', error });
    }
    this.#request = null;
    void this.#run();
  }

  /** fetch does not report the progress of what it sends. */
  async #send(id: number, { path, body }: Job, mayRenew = true): Promise<void> {
    const token = this.#session.token;
    const request = new XMLHttpRequest();
    this.#request = request;
    request.open('PUT', `/api/v1/servers/${this.#serverId}/files/write?path=${encodeURIComponent(path)}`);
    request.setRequestHeader('authorization', `Bearer ${token}`);
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.upload.addEventListener('progress', ({ loaded }) => this.#change(id, { sent: loaded }));
    const ended = new Promise<void>((resolve, reject) => {
      request.addEventListener('load', () => resolve());
      request.addEventListener('error', () => reject(new TypeError('the upload got no answer')));
      request.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
    });
    request.send(body);
    await ended;
    if (request.status === 401 && mayRenew) {
      await this.#session.renew(token);
      await this.#send(id, { path, body }, false);
    } else if (request.status >= 300) throw errorOf(request);
  }

  #change(id: number, change: Partial<Upload>): void {
    this.#set(this.#uploads.map((upload) => (upload.id === id ? { ...upload, ...change } : upload)));
  }

  #set(uploads: readonly Upload[]): void {
    this.#uploads = uploads;
    for (const listener of this.#listeners) listener();
  }
}

function errorOf(request: XMLHttpRequest): ApiError {
  const headers = new Headers();
  for (const name of ['x-request-id', 'retry-after']) {
    const value = request.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  const response = new Response(null, { status: request.status, headers });
  return ApiError.from(response, JSON.parse(request.responseText || '{}'));
}
